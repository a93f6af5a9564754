"""Memory of the device: where it is allocated, copied from and to, and bound to array variables."""

from __future__ import annotations

from soljit.analysis.device.caller_copies import caller_copies
from soljit.analysis.device.pairs import lengths
from soljit.analysis.memory.accesses import aliases
from soljit.analysis.memory.coverage import is_whole
from soljit.base.errors import InternalError
from soljit.codegen.device.failures import check
from soljit.codegen.device.mirrors import argument_mirrors, is_result, mirror_definition, mirror_of
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.arithmetic import product, total
from soljit.codegen.spelling.expressions import index
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import Text
from soljit.ir.core.data import Array, Ref, Scalar, View
from soljit.ir.core.expr import Memlet, Range
from soljit.ir.core.nodes import Alloc, Bind, Copy
from soljit.ir.walk.spaces import base_of, is_transfer, on_device


def allocate(cx: Context, n: Alloc) -> None:
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
            check(cx, f"gpu.gpu->fill(gpu.session, {name}, {size}, 0)", n.loc)
        return
    if (n.data, d.mirror) not in argument_mirrors(cx.program):
        words = [*memory.lengths(n.data), *(product(s, Text(str(d.dtype.size))) for s in memory.strides(n.data))]
        dims = "nullptr"
        if words:
            dims = f"{name}_dims"
            cx.out.line(f"const int64_t {dims}[] = {{{', '.join(map(str, words))}}};")
        cx.out.line(mirror_definition(cx, n.data, d.mirror, dims, d, True, True))
        if is_result(cx, n.data, d.mirror):
            cx.out.line(f"{mirror_of(cx, n.data)}.result = true;")
        owner = ""
        if n.data in cx.escaping:
            owner = f"{name}_own"
            cx.out.line(f"sol_device_owner {owner};")
        memory.check(f"!{mirror_of(cx, n.data)}.take({owner})", n.loc)
        if n.zero:
            check(cx, f"{mirror_of(cx, n.data)}.clear()", n.loc)
    cx.out.line(f"const uint64_t {name} = {mirror_of(cx, n.data)}.at();")


def transfer(cx: Context, n: Copy) -> None:
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
    check(cx, f"{mirror_of(cx, device.data)}.{deed}()", n.loc)


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
        known = [
            f"{mirror_of(cx, k)}" for k, _ in argument_mirrors(cx.program) if k in aliases(cx.program).homes(device)
        ]
        if deed != "arrive" and known:  # an argument that is not newer there is home
            at = cx.names.data(device)
            home = " || ".join(f"{k}.is_home({at})" for k in known)
            cx.out.line(f"if (!({home}))")
        of = f'gpu, {name}, {ndim}, {dims}, {size}, "{host}", {cx.names.data(device)}'
        check(cx, f"sol_variable({of}).{deed}()", n.loc)


def declare_variable(cx: Context, name: str, d: Ref) -> None:
    """An array variable of device memory, bound to nothing."""
    v = cx.names.data(name)
    cx.out.line(f"sol_device_owner {v}_own;")
    numbers = [f"{v}_n{k} = 0" for k in range(d.ndim)]
    if d.order == "A":
        numbers += [f"{v}_s{k} = 0" for k in range(d.ndim)]
    cx.out.line(f"uint64_t {v} = 0;")
    if numbers:
        cx.out.line(f"int64_t {', '.join(numbers)};")


def bind_variable(cx: Context, n: Bind) -> None:
    """Let an array variable of the device stand for a part of device memory. All is read before it changes."""
    memory = memory_of(cx)
    w = memory.window(n.source)
    d, name = cx.data(n.ref), cx.names.data(n.ref)
    assert isinstance(d, Ref)
    base = base_of(cx.program.data, n.source.data)
    owner = cx.data(base)
    held = isinstance(owner, Ref) or base in cx.escaping and base not in dict(argument_mirrors(cx.program))
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
