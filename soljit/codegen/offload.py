"""The host code of a program that uses the device: its session, device memory, transfers, launches and library calls.

`include/soljit/offload.h` has what is spelled here. A failure of the device leaves the function by `DeviceError` at the user's line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from soljit.analysis.coverage import is_whole
from soljit.base.errors import InternalError
from soljit.base.place import Loc
from soljit.codegen.context import Context, cpp_type
from soljit.codegen.device_products import declare_product
from soljit.codegen.expressions import product
from soljit.codegen.kernels import device_of, geometry, kernel
from soljit.codegen.memory import memory_of
from soljit.codegen.nests import Emit
from soljit.codegen.text import Text
from soljit.ir.data import Array, Data, Scalar
from soljit.ir.effects import data_written
from soljit.ir.nodes import Alloc, Copy, LibraryNode, Map, Node, Program
from soljit.ir.spaces import base_of, device_work, is_device_call, is_kernel, is_transfer, kernels, on_device
from soljit.ir.types import i64

_FAILED = "the device failed (CUresult {0})"
_ERROR = "soljit.runtime.devices.layer.device_error"  # a DeviceError that also tells what the driver said


def begin(cx: Context) -> None:
    """What a function that uses the device starts with: a session, and memory for the mirrors of its arguments."""
    if not any(True for _ in device_work(cx.program)):
        return
    cx.tables.headers.add("offload")
    image = "nullptr"
    if any(True for _ in kernels(cx.program.body)):
        device_of(cx)
        image = "&sol_kernels"
    cx.out.line(f"sol_session gpu(frame, {image});")
    _check(cx, "gpu.failed", cx.program.loc)
    names = _argument_mirrors(cx.program)
    for name, home in names:
        d = cx.data(home)
        assert isinstance(d, Array)
        words = f"{cx.names.data(home)}_dims"
        cx.out.line(_mirror(cx, name, home, words, d, "true" if d.writable else "false"))
    if names:
        mirrors = ", ".join(f"&{_of(cx, name)}" for name, _ in names)
        cx.out.line(f"sol_mirror* const gpu_mirrors[] = {{{mirrors}}};")
        _check(cx, "sol_place(gpu, gpu_mirrors)", cx.program.loc)


def _argument_mirrors(program: Program) -> list[tuple[str, str]]:
    arguments = {p.name for p in program.params if p.kind == "array"}
    return [
        (k, d.mirror) for k, d in program.data.items() if isinstance(d, Array) and d.mirror in arguments and d.mirror
    ]


def _mirror(cx: Context, name: str, home: str, words: str, d: Array, writable: str) -> str:
    item = f"sizeof({cpp_type(d.dtype)})"
    host = cx.names.data(home)
    return f'sol_mirror {_of(cx, name)}(gpu, {host}, {len(d.shape)}, {words}, {item}, {writable}, "{home}");'


def _of(cx: Context, name: str) -> str:
    """The C++ variable that knows the mirror `name`."""
    return f"{cx.names.data(name)}_mirror"


def concerns(n: Node, data: Mapping[str, Data]) -> bool:
    """Is this statement spelled here?"""
    match n:
        case Alloc():
            return on_device(data, n.data)
        case Copy():
            return on_device(data, n.dst.data) or on_device(data, n.src.data)
        case _:
            return is_kernel(n) or is_device_call(n, data)


def emit(cx: Context, n: Node, region: Emit) -> None:
    """Spell a statement that concerns the device."""
    match n:
        case Alloc():
            _alloc(cx, n)
        case Copy():
            _transfer(cx, n)
        case Map():
            _launch(cx, n, region)
        case LibraryNode():
            _call(cx, n)
        case _:
            raise InternalError(f"{n!r} does not concern the device")


def _alloc(cx: Context, n: Alloc) -> None:
    """Device memory: the place of its first element, under the container's name."""
    d = cx.data(n.data)
    assert isinstance(d, Array)
    memory, name = memory_of(cx), cx.names.data(n.data)
    memory.settle(n.data)
    if d.mirror is None:
        size = memory.bytes_of(n.data)
        cx.out.line(f"const sol_device_memory {name}_mem(gpu, {size});")
        memory.check(f"!{name}_mem.at", n.loc)
        cx.out.line(f"const uint64_t {name} = {name}_mem.at;")
        if n.zero:
            _check(cx, f"gpu.gpu->fill(gpu.session, {name}, {size}, 0)", n.loc)
        return
    if (n.data, d.mirror) not in _argument_mirrors(cx.program):
        words = [*memory.lengths(n.data), *(product(s, Text(str(d.dtype.size))) for s in memory.strides(n.data))]
        dims = "nullptr"
        if words:
            dims = f"{name}_dims"
            cx.out.line(f"const int64_t {dims}[] = {{{', '.join(map(str, words))}}};")
        cx.out.line(_mirror(cx, n.data, d.mirror, dims, d, "true"))
        memory.check(f"!{_of(cx, n.data)}.take()", n.loc)
        if n.zero:
            _check(cx, f"{_of(cx, n.data)}.clear()", n.loc)
    cx.out.line(f"const uint64_t {name} = {_of(cx, n.data)}.at();")


def _transfer(cx: Context, n: Copy) -> None:
    """Copy all of a container between the host and the device."""
    if not is_transfer(n, cx.program.data):
        raise InternalError("a copy within the memory of the device")
    device, host = (n.dst, n.src) if on_device(cx.program.data, n.dst.data) else (n.src, n.dst)
    d = cx.data(device.data)
    if not isinstance(d, Array) or d.mirror != host.data or not (is_whole(device, d.shape) and is_whole(host, d.shape)):
        raise InternalError(f"a transfer of a part of {host.data}")
    if isinstance(cx.data(host.data), Scalar):
        raise InternalError(f"a transfer of the number {host.data}")
    _check(cx, f"{_of(cx, device.data)}.{'arrive' if device is n.dst else 'leave'}()", n.loc)


def _launch(cx: Context, m: Map, region: Emit) -> None:
    """Queue a kernel, and remember which arguments are newer on the device then."""
    device = device_of(cx)
    number = len(device.kernels)
    made = kernel(cx, m, region)
    memory = memory_of(cx)
    counts = [(memory.length(m.spans[k]).text, threads) for k, threads in geometry(m)]
    counts += [("1", 1)] * (3 - len(counts))
    with cx.out.block():
        if made.parameters:
            with_ = ", ".join(f"(void*)&{p}" for p in made.parameters)
            cx.out.line(f"void* const with[] = {{{with_}}};")
        sizes = ", ".join(f"{n}, {t}" for n, t in counts)
        _check(cx, f"gpu.launch({number}, {sizes}, {'with' if made.parameters else 'nullptr'})", m.loc)
    _written(cx, m)


def _call(cx: Context, n: LibraryNode) -> None:
    """Queue a call of a library of the device."""
    cx.tables.device_libraries.add("cublas")
    with cx.out.block():
        declare_product(cx, n, "p")
        _check(cx, "gpu.gpu->product(gpu.session, &p)", n.loc)
    _written(cx, n)


def _written(cx: Context, n: Node) -> None:
    """Remember which arguments are newer on the device when this node has run."""
    written = {base_of(cx.program.data, name) for name in data_written(n)}
    for name, _ in _argument_mirrors(cx.program):
        if name in written:
            cx.out.line(f"{_of(cx, name)}.newer = true;")


def _check(cx: Context, call: str, loc: Loc) -> None:
    """Leave the function if this CUresult is no success."""
    memory = cx.tables.raising("builtins.MemoryError", None, (), loc)
    other = cx.tables.raising(_ERROR, _FAILED, (i64,), loc)
    cx.out.line(f"if (const int32_t failed = {call}) return sol_device_failed(frame, failed, {memory}, {other});")


def kernels_table(names_of_kernels: Sequence[str], image: int) -> list[str]:
    """The definition of `sol_kernels`: which image the library needs, and the names of the kernels in it."""
    names = "".join(f'"{n}", ' for n in names_of_kernels)
    return [
        f"static const char* const sol_kernel_names[] = {{{names}nullptr}};",
        f"static const sol_image sol_kernels = {{{image}ul, {len(names_of_kernels)}, sol_kernel_names}};",
    ]
