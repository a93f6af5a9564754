"""The host code of a program that uses the device: its session, device memory, transfers, launches and library calls.

`include/soljit/offload.h` has what is spelled here. A failure of the device leaves the function by `DeviceError` at the user's line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from soljit.analysis.device.caller_copies import caller_copies
from soljit.analysis.device.pairs import lengths
from soljit.analysis.memory.accesses import aliases
from soljit.analysis.memory.coverage import is_whole
from soljit.base.errors import InternalError
from soljit.base.place import Loc
from soljit.codegen.device.kernels import device_of, geometry, kernel
from soljit.codegen.device.products import declare_product
from soljit.codegen.loops.nests import Emit
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.expressions import index, product, total
from soljit.codegen.writing.context import Context, cpp_type
from soljit.codegen.writing.text import PRODUCT, Text
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Memlet, Range
from soljit.ir.core.nodes import Alloc, Bind, Copy, LibraryNode, Map, Node, Program, Return
from soljit.ir.core.types import i64
from soljit.ir.walk import data_written, memlets_written, walk
from soljit.ir.walk.spaces import (
    base_of,
    device_work,
    is_device_call,
    is_kernel,
    is_transfer,
    kernels,
    mirrors,
    on_device,
)

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
    for name, d in cx.program.data.items():
        if isinstance(d, Ref) and on_device(cx.program.data, name):
            _variable(cx, name, d)
    names, written = _argument_mirrors(cx.program), _written_on_device(cx.program)
    for name, home in names:
        d = cx.data(home)
        assert isinstance(d, Array)
        words = f"{cx.names.data(home)}_dims"
        cx.out.line(_mirror(cx, name, home, words, d, d.writable, name in written))
    _visit(cx, {home: name for name, home in names})
    if names:
        mirrors = ", ".join(f"&{_of(cx, name)}" for name, _ in names)
        cx.out.line(f"sol_mirror* const gpu_mirrors[] = {{{mirrors}}};")
        _check(cx, "sol_place(gpu, gpu_mirrors)", cx.program.loc)


def _variable(cx: Context, name: str, d: Ref) -> None:
    """An array variable of device memory, bound to nothing."""
    v = cx.names.data(name)
    cx.out.line(f"sol_device_owner {v}_own;")
    numbers = [f"{v}_n{k} = 0" for k in range(d.ndim)]
    if d.order == "A":
        numbers += [f"{v}_s{k} = 0" for k in range(d.ndim)]
    cx.out.line(f"uint64_t {v} = 0;")
    if numbers:
        cx.out.line(f"int64_t {', '.join(numbers)};")


def _visit(cx: Context, mirrors: Mapping[str, str]) -> None:
    """Tell the device which arguments host code uses: device arrays among them must be current there."""
    for home, writes in caller_copies(cx.program).used_on_host.items():
        word = "true" if writes else "false"
        if home in mirrors:
            _check(cx, f"{_of(cx, mirrors[home])}.visit({word})", cx.program.loc)
            continue
        d = cx.data(home)
        assert isinstance(d, Array)
        with cx.out.block("if (gpu.arrays)"):
            words = f"{cx.names.data(home)}_dims"
            cx.out.line(_mirror(cx, home, home, words, d, d.writable, False))
            _check(cx, f"{_of(cx, home)}.visit({word})", cx.program.loc)


def hand_over(cx: Context, n: Return) -> None:
    """Memory of the device that holds what is returned stays there, if the caller wants it so."""
    if not cx.in_kernel and any(True for _ in device_work(cx.program)):
        for name in caller_copies(cx.program).handed_over.get(n, ()):
            cx.out.line(f"{_of(cx, name)}.hand_over();")


def _argument_mirrors(program: Program) -> list[tuple[str, str]]:
    arguments = {p.name for p in program.params if p.kind == "array"}
    return [
        (k, d.mirror) for k, d in program.data.items() if isinstance(d, Array) and d.mirror in arguments and d.mirror
    ]


def _written_on_device(program: Program) -> frozenset[str]:
    """The device containers into which something else than copies from the host may be written, also by array variables that stand for them."""
    written = (
        base_of(program.data, m.data)
        for n in walk(program.body)
        if not is_transfer(n, program.data) and not isinstance(n, (Alloc, Bind))
        for m in memlets_written(n)
    )
    return frozenset(home for name in written for home in (name, *aliases(program).homes(name)))


@lru_cache(maxsize=1)  # asked for each kernel and mirror of one program after the other
def _returned(program: Program) -> frozenset[str]:
    """The containers of which a result is all or a part."""
    returns = (n for n in walk(program.body) if isinstance(n, Return))
    return frozenset(base_of(program.data, v.data) for n in returns for v in n.values if isinstance(v, Memlet))


def _is_result(cx: Context, name: str, home: str) -> bool:
    """Tell whether this is the mirror of an array that the program makes and returns, in memory that no array variable shares."""
    return name not in cx.escaping and home in _returned(cx.program)


def _mirror(cx: Context, name: str, home: str, words: str, d: Array, writable: bool, written: bool) -> str:
    item = f"sizeof({cpp_type(d.dtype)})"
    host, may, are = cx.names.data(home), str(writable).lower(), str(written).lower()
    return f'sol_mirror {_of(cx, name)}(gpu, {host}, {len(d.shape)}, {words}, {item}, {may}, {are}, "{home}");'


def _of(cx: Context, name: str) -> str:
    """The C++ variable that knows the mirror `name`."""
    return f"{cx.names.data(name)}_mirror"


def concerns(n: Node, data: Mapping[str, Data]) -> bool:
    """Tell whether this statement is spelled here."""
    match n:
        case Alloc():
            return on_device(data, n.data)
        case Copy():
            return on_device(data, n.dst.data) or on_device(data, n.src.data)
        case Bind():
            return on_device(data, n.ref)
        case _:
            return is_kernel(n) or is_device_call(n, data)


def emit(cx: Context, n: Node, region: Emit) -> None:
    """Spell a statement that concerns the device."""
    match n:
        case Alloc():
            _alloc(cx, n)
        case Copy():
            _transfer(cx, n)
        case Bind():
            _bind(cx, n)
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
        if n.data in cx.escaping:
            cx.out.line(f"sol_device_owner {name}_own;")
            cx.out.line(f"const uint64_t {name} = {name}_own.make(gpu, {size});")
            memory.check(f"!{name}", n.loc)
        else:
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
        cx.out.line(_mirror(cx, n.data, d.mirror, dims, d, True, True))
        if _is_result(cx, n.data, d.mirror):
            cx.out.line(f"{_of(cx, n.data)}.result = true;")
        owner = ""
        if n.data in cx.escaping:
            owner = f"{name}_own"
            cx.out.line(f"sol_device_owner {owner};")
        memory.check(f"!{_of(cx, n.data)}.take({owner})", n.loc)
        if n.zero:
            _check(cx, f"{_of(cx, n.data)}.clear()", n.loc)
    cx.out.line(f"const uint64_t {name} = {_of(cx, n.data)}.at();")


def _transfer(cx: Context, n: Copy) -> None:
    """Copy all of a container between the host and the device."""
    if not is_transfer(n, cx.program.data):
        raise InternalError("a copy within the memory of the device")
    device, host = (n.dst, n.src) if on_device(cx.program.data, n.dst.data) else (n.src, n.dst)
    d = cx.data(device.data)
    deed = "arrive" if device is n.dst else "later" if n in caller_copies(cx.program).for_the_caller else "leave"
    if isinstance(d, Ref) and d.mirror == host.data:
        _transfer_variable(cx, n, device.data, host.data, deed)
        return
    if not isinstance(d, Array) or d.mirror != host.data or not (is_whole(device, d.shape) and is_whole(host, d.shape)):
        raise InternalError(f"a transfer of a part of {host.data}")
    if isinstance(cx.data(host.data), Scalar):
        raise InternalError(f"a transfer of the number {host.data}")
    _check(cx, f"{_of(cx, device.data)}.{deed}()", n.loc)


def _transfer_variable(cx: Context, n: Copy, device: str, host: str, deed: str) -> None:
    """Copy all that an array variable stands for."""
    memory, d = memory_of(cx), cx.data(host)
    assert isinstance(d, Ref)
    size, name = Text(str(d.dtype.size)), cx.names.data(host)
    if not all(is_whole(m, lengths(host, d)) for m in (n.src, n.dst)):
        raise InternalError(f"a transfer of a part of {host}")
    words = [*memory.lengths(host), *(product(s, size) for s in memory.strides(host))]
    with cx.out.block():
        dims = "nullptr"
        if words:
            dims = "dims"
            cx.out.line(f"const int64_t {dims}[] = {{{', '.join(map(str, words))}}};")
        ndim = len(words) // 2
        known = [f"{_of(cx, k)}" for k, _ in _argument_mirrors(cx.program) if k in aliases(cx.program).homes(device)]
        if deed != "arrive" and known:  # an argument that is not newer there is home
            at = cx.names.data(device)
            home = " || ".join(f"{k}.is_home({at})" for k in known)
            cx.out.line(f"if (!({home}))")
        of = f'gpu, {name}, {ndim}, {dims}, {size}, "{host}", {cx.names.data(device)}'
        _check(cx, f"sol_variable({of}).{deed}()", n.loc)


def _bind(cx: Context, n: Bind) -> None:
    """Let an array variable of the device stand for a part of device memory. All is read before it changes."""
    memory = memory_of(cx)
    w = memory.window(n.source)
    d, name = cx.data(n.ref), cx.names.data(n.ref)
    assert isinstance(d, Ref)
    base = base_of(cx.program.data, n.source.data)
    owner = cx.data(base)
    held = isinstance(owner, Ref) or base in cx.escaping and base not in dict(_argument_mirrors(cx.program))
    block = f"sol_device_retain({cx.names.data(base)}_own.block)" if held else "nullptr"
    values = [("uint64_t", name, f"{cx.names.data(base)} + {_bytes_into(cx, n.source)}")]
    values += [("int64_t", f"{name}_n{k}", str(x)) for k, x in enumerate(w.lengths)]
    if d.order == "A":
        values += [("int64_t", f"{name}_s{k}", str(x)) for k, x in enumerate(w.strides)]
    with cx.out.block():
        new = [(t, to, cx.names.fresh(f"{to}_new"), text) for t, to, text in values]
        for t, _, local, text in new:
            cx.out.line(f"const {t} {local} = {text};")
        cx.out.line(f"{name}_own.take({block});")
        for _, to, local, _ in new:
            cx.out.line(f"{to} = {local};")


def _bytes_into(cx: Context, m: Memlet) -> Text:
    """How many bytes behind the first element of its memory the first one lies that a memlet walks."""
    memory = memory_of(cx)
    whole = memory.whole(m)
    at = Text("0")
    for s, stride in zip(whole.subset, memory.strides(m.data), strict=True):
        at = total(at, product(index(cx, s.start if isinstance(s, Range) else s), stride))
    at = product(at, Text(str(cx.data(m.data).dtype.size)))
    name = m.data
    while isinstance(d := cx.data(name), View):
        at = total(at, product(index(cx, d.offset), Text(str(d.dtype.size))))
        name = d.of
    return at


def _launch(cx: Context, m: Map, region: Emit) -> None:
    """Queue a kernel, and remember which arguments and results are newer on the device then."""
    device = device_of(cx)
    number = len(device.kernels)
    made = kernel(cx, m, region)
    memory = memory_of(cx)
    counts = [
        (length.text if each == 1 else f"{length.at(PRODUCT)} * {each}", threads)
        for k, each, threads in geometry(m)
        for length in (memory.length(m.spans[k]),)
    ]
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
    arguments = {name for name, _ in _argument_mirrors(cx.program)}
    for name, home in mirrors(cx.program).items():
        if name not in arguments and not (isinstance(cx.data(name), Array) and _is_result(cx, name, home)):
            continue
        if name in written:
            cx.out.line(f"{_of(cx, name)}.newer = true;")
            continue
        for other in sorted(written):
            if isinstance(cx.data(other), Ref) and name in aliases(cx.program).homes(other):
                cx.out.line(f"{_of(cx, name)}.wrote({cx.names.data(other)});")


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
