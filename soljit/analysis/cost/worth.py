"""When the device is faster: a condition over sizes. What kernels save is more than launches and transfers cost.

Host code is the same either way, so only kernels, calls of libraries and transfers count. A kernel saves the time that a processor would take for its work; it costs
a launch and its own time. The numbers of `DeviceModel` are rough: they decide about calls where one side is several times faster than the
other, not about close ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from soljit.analysis.cost.work import known, middle_of, trips, work
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import Cast, Const, Expr, Memlet, Op, Range, const, symbols, zero_of
from soljit.ir.core.nodes import Branch, Copy, Let, LibraryNode, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.core.types import b1, f64
from soljit.ir.symbolic import maximum, prod
from soljit.ir.walk import substitute
from soljit.ir.walk.spaces import has_blocks, is_device_call, is_kernel, is_transfer

_GUESS = 16.0  # turns of a loop whose length only the data tell


@dataclass(frozen=True, slots=True)
class DeviceModel:
    """A device and its host. Times in microseconds, rates in bytes or in units of `analysis/cost/work.py` for each.

    launch: a kernel in a queue; transfer: one copy, small as it may be; link: between the memories, of NumPy arrays; device: operations
    device_product: multiplications of products that libraries compute; host, host_product: the same of a thread of the processor
    Measured on an H100 and an H200 with 16 cores beside them (`bench/results/`). host: of a thread with vectors of 256 bits
    block: operations of a single block of threads; step: what a map that a block runs takes at least, with its barrier; cluster: blocks that can wait
    for each other
    """

    launch: float = 3.0
    transfer: float = 8.0
    link: float = 12_000.0
    device: float = 1_650_000.0
    host: float = 3_500.0
    device_product: float = 25_000_000.0
    host_product: float = 30_000.0
    block: float = 15_000.0
    step: float = 1.0
    cluster: float = 16.0

    def rate(self, shared: bool) -> float:
        """Operations of a single block, or of a cluster of blocks that share them."""
        return self.block * (self.cluster if shared else 1.0)


MODEL = DeviceModel()


def worth(program: Program, model: DeviceModel = MODEL, threads: int = 1, vector_bits: int = 256) -> Expr | None:
    """The condition under which a call is faster on the device, over sizes and scalar arguments; None if these do not tell.

    `program` has its kernels and transfers. threads, vector_bits: of the processor
    """
    host = threads * model.host * max(1.0, vector_bits / 256)
    together = replace(model, host=host, host_product=threads * model.host_product)
    gain = _gain(program, together)
    given = {*program.symbols, *(p.name for p in program.params if p.kind == "scalar")}
    if not known(gain) or not symbols(gain) <= given:
        return None
    return Op("lt", (Const(0.0, f64), gain), b1)


def one_block_pays(loop: Loop | While, *, shared: bool = False) -> Expr | None:
    """The condition under which one block runs a loop faster than kernels for all the maps in it, over what is known in front of the loop.

    shared: all of its maps and products are for a cluster of blocks; otherwise those are that say so
    """

    def leaf(n: Node, middle: Middle) -> Expr:
        if not _is_step(n):
            return _number(0.0)
        saved = _number(MODEL.launch - MODEL.step)
        slower = 1.0 / MODEL.device - 1.0 / MODEL.rate(shared or _is_shared(n))
        return _plus(_time(n, middle, slower), saved) if isinstance(n, (Map, LibraryNode)) else saved

    gain = _sum(loop, {}, leaf)
    if isinstance(gain, Const):
        return Const(float(gain.value.real) > 0.0, b1)
    return Op("lt", (_number(0.0), gain), b1) if known(gain) else None


def most_iterations(node: Node, counts: Callable[[Map], bool]) -> Expr:
    """Iterations of the largest of the block maps that count in a loop, those that threads share, over what is known in front of it."""
    out: Expr = const(0)

    def leaf(n: Node, middle: Middle) -> Expr:
        nonlocal out
        if isinstance(n, Map) and counts(n):
            each = (trips(s, middle) for s, word in zip(n.spans, n.schedule) if word == "block")
            out = maximum(out, substitute(prod(each), middle))
        return _number(0.0)

    _sum(node, {}, leaf)
    return out


def _gain(program: Program, model: DeviceModel) -> Expr:
    """Microseconds that one run of a program saves."""

    def leaf(n: Node, middle: Middle) -> Expr:
        if isinstance(n, Map) and is_kernel(n):
            if has_blocks(n):
                return _plus(_blocks(n, middle, model), _number(-model.launch))
            return _plus(_time(n, middle, 1.0 / model.host - 1.0 / model.device), _number(-model.launch))
        if isinstance(n, LibraryNode) and is_device_call(n, program.data):
            saved = 1.0 / model.host_product - 1.0 / model.device_product
            return _plus(_time(n, middle, saved), _number(-model.launch))
        if isinstance(n, Copy) and is_transfer(n, program.data):
            amount = _times(_bytes(n.dst, program.data, middle), _number(-1.0 / model.link))
            return _plus(_number(-model.transfer), amount)
        return _number(0.0)

    return _sum(program.body, {}, leaf)


def _blocks(kernel: Map, middle: Middle, model: DeviceModel) -> Expr:
    """Microseconds that a kernel of blocks of threads saves, its launch aside. Many blocks work at the rate of the device, and take their steps at the same time."""
    inner: dict[str, Expr] = dict(middle)
    count: Expr = _number(1.0)
    for var, span in zip(kernel.vars, kernel.spans):
        inner[var] = middle_of(span, inner)
        count = _times(count, _real(trips(span, middle)))
    rate = model.rate(kernel.cluster is not None) if _is(count, 1.0) else model.device

    def saved(n: Node, middle: Middle) -> Expr:
        return _time(n, middle, 1.0 / model.host - 1.0 / rate) if isinstance(n, Map) else _number(0.0)

    def waited(n: Node, middle: Middle) -> Expr:
        return _number(-model.step if _is_step(n) else 0.0)

    return _plus(_times(count, _sum(kernel.body, inner, saved)), _sum(kernel.body, inner, waited))


Middle = Mapping[str, Expr]  # of symbols that loops and definitions around give values to


def _sum(node: Node, middle: Middle, leaf: Callable[[Node, Middle], Expr]) -> Expr:
    """What `leaf` says of all leaves and maps, as often as they run. Of statements on elements in a row it is asked once."""
    match node:
        case Region():
            inner: dict[str, Expr] = dict(middle)
            total: Expr = _number(0.0)
            for k, n in enumerate(node.nodes):
                if not isinstance(n, Tasklet) or k == 0 or not isinstance(node.nodes[k - 1], Tasklet):
                    total = _plus(total, _sum(n, inner, leaf))
                if isinstance(n, Let):
                    inner[n.name] = substitute(n.value, inner) if known(n.value) else zero_of(n.value.dtype)
            return total
        case Loop():
            body = _sum(node.body, {**middle, node.var: middle_of(node.span, middle)}, leaf)
            return _times(_real(trips(node.span, middle)), body)
        case While():
            return _times(_number(_GUESS), _sum(node.body, middle, leaf))
        case Branch():
            then, orelse = (_sum(arm, middle, leaf) for arm in (node.then, node.orelse))
            cond = substitute(node.cond, middle)
            if any(has_blocks(n) for n in node.then.nodes) and known(cond) and not isinstance(cond, Const):
                return Op("select", (cond, then, orelse), f64)
            return _times(_plus(then, orelse), _number(0.5))
        case _:
            return leaf(node, middle)


def _is_shared(n: Node) -> bool:
    return isinstance(n, Map) and "cluster" in n.schedule


def _is_step(n: Node) -> bool:
    """Tell whether it is a map, a product, or a statement on an element: what a block does between two barriers, and a kernel else."""
    return isinstance(n, (Map, LibraryNode)) or (isinstance(n, Tasklet) and bool(n.out.subset))


def _time(m: Map | LibraryNode, middle: Middle, each: float) -> Expr:
    """The work of a map or product, so many microseconds a unit."""
    return _times(_real(substitute(work(m), middle)), _number(each))


def _bytes(m: Memlet, data: Mapping[str, Data], middle: Mapping[str, Expr]) -> Expr:
    """Bytes of what a memlet walks."""
    d = data[m.data]
    out: Expr = _number(float(d.dtype.size))
    if isinstance(d, Array):
        for s in m.subset:
            if isinstance(s, Range):
                out = _times(out, _real(trips(s, middle)))
    return out


# --- arithmetic in doubles, since products of sizes leave 64 bits -----------------------------------------------------


def _number(x: float) -> Const:
    return Const(x, f64)


def _is(e: Expr, x: float) -> bool:
    return isinstance(e, Const) and e.value == x


def _plus(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Const) and isinstance(b, Const):
        return _number(float(a.value.real) + float(b.value.real))
    return b if _is(a, 0.0) else a if _is(b, 0.0) else Op("add", (a, b), f64)


def _times(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Const) and isinstance(b, Const):
        return _number(float(a.value.real) * float(b.value.real))
    if _is(a, 0.0) or _is(b, 0.0):
        return _number(0.0)
    return b if _is(a, 1.0) else a if _is(b, 1.0) else Op("mul", (a, b), f64)


def _real(e: Expr) -> Expr:
    """An integer expression in doubles."""
    match e:
        case Const():
            return _number(float(e.value.real))
        case Op("add", (a, b)):
            return _plus(_real(a), _real(b))
        case Op("mul", (a, b)):
            return _times(_real(a), _real(b))
        case Op("sub" | "min" | "max" as name, (a, b)):
            return Op(name, (_real(a), _real(b)), f64)
        case Op("floordiv", (a, b)):
            return Op("div", (_real(a), _real(b)), f64)
        case _:
            return Cast(f64, e)
