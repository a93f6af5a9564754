"""The host code of a program that uses the device: its session, launches of kernels and calls of libraries.

Memory of the device is in `memory.py` and `mirrors.py`; `include/soljit/offload.h` has what is spelled here. A failure of the device leaves the function by `DeviceError` at the user's line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from soljit.analysis.device.caller_copies import caller_copies
from soljit.base.errors import InternalError
from soljit.codegen.device.failures import check
from soljit.codegen.device.kernels import device_of, geometry, kernel
from soljit.codegen.device.memory import allocate, bind_variable, declare_variable, transfer
from soljit.codegen.device.mirrors import (
    argument_mirrors,
    mirror_definition,
    mirror_of,
    note_written,
    written_on_device,
)
from soljit.codegen.device.products import declare_product
from soljit.codegen.loops.nests import Emit
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.expressions import index
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import PRODUCT
from soljit.ir.core.data import Array, Data, Ref
from soljit.ir.core.nodes import Alloc, Bind, Copy, LibraryNode, Map, Node, Return
from soljit.ir.walk.spaces import (
    device_work,
    is_device_call,
    is_kernel,
    kernels,
    on_device,
)


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
    check(cx, "gpu.failed", cx.program.loc)
    for name, d in cx.program.data.items():
        if isinstance(d, Ref) and on_device(cx.program.data, name):
            declare_variable(cx, name, d)
    names, written = argument_mirrors(cx.program), written_on_device(cx.program)
    for name, home in names:
        d = cx.data(home)
        assert isinstance(d, Array)
        words = f"{cx.names.data(home)}_dims"
        cx.out.line(mirror_definition(cx, name, home, words, d, d.writable, name in written))
    _visit(cx, {home: name for name, home in names})
    if names:
        mirrors = ", ".join(f"&{mirror_of(cx, name)}" for name, _ in names)
        cx.out.line(f"sol_mirror* const gpu_mirrors[] = {{{mirrors}}};")
        check(cx, "sol_place(gpu, gpu_mirrors)", cx.program.loc)


def _visit(cx: Context, mirrors: Mapping[str, str]) -> None:
    """Tell the device which arguments host code uses: device arrays among them must be current there."""
    for home, writes in caller_copies(cx.program).used_on_host.items():
        word = "true" if writes else "false"
        if home in mirrors:
            check(cx, f"{mirror_of(cx, mirrors[home])}.visit({word})", cx.program.loc)
            continue
        d = cx.data(home)
        assert isinstance(d, Array)
        with cx.out.block("if (gpu.arrays)"):
            words = f"{cx.names.data(home)}_dims"
            cx.out.line(mirror_definition(cx, home, home, words, d, d.writable, False))
            check(cx, f"{mirror_of(cx, home)}.visit({word})", cx.program.loc)


def hand_over(cx: Context, n: Return) -> None:
    """Memory of the device that holds what is returned stays there, if the caller wants it so."""
    names = () if cx.in_kernel else caller_copies(cx.program).handed_over.get(n, ())
    if names and any(True for _ in device_work(cx.program)):
        for name in names:
            cx.out.line(f"{mirror_of(cx, name)}.hand_over();")


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


def wait(cx: Context, n: Node, timed: str) -> None:
    """Where the time of this statement is taken (`loops/profile.py`), wait until the device has done it."""
    check(cx, f"{timed}.thread ? gpu.gpu->wait(gpu.session) : 0", n.loc)


def emit(cx: Context, n: Node, region: Emit) -> None:
    """Spell a statement that concerns the device."""
    match n:
        case Alloc():
            allocate(cx, n)
        case Copy():
            transfer(cx, n)
        case Bind():
            bind_variable(cx, n)
        case Map():
            _launch(cx, n, region)
        case LibraryNode():
            _call(cx, n)
        case _:
            raise InternalError(f"{n!r} does not concern the device")


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
        given = "with" if made.parameters else "nullptr"
        sizes = ", ".join(f"{n}, {t}" for n, t in counts)
        call = f"gpu.launch({number}, {sizes}, {given})"
        if m.cluster is not None:
            blocks = index(cx, m.cluster)
            call = f"gpu.gpu->launch_together(gpu.session, {number}, {blocks}, {math.prod(m.threads)}, {given})"
        check(cx, call, m.loc)
    note_written(cx, m)


def _call(cx: Context, n: LibraryNode) -> None:
    """Queue a call of a library of the device."""
    cx.tables.device_libraries.add("cublas")
    with cx.out.block():
        declare_product(cx, n, "p")
        check(cx, "gpu.gpu->product(gpu.session, &p)", n.loc)
    note_written(cx, n)


def kernels_table(names_of_kernels: Sequence[str], image: int) -> list[str]:
    """The definition of `sol_kernels`: which image the library needs, and the names of the kernels in it."""
    names = "".join(f'"{n}", ' for n in names_of_kernels)
    return [
        f"static const char* const sol_kernel_names[] = {{{names}nullptr}};",
        f"static const sol_image sol_kernels = {{{image}ul, {len(names_of_kernels)}, sol_kernel_names}};",
    ]
