"""When is the device faster? A condition over sizes: what kernels save is more than launches and transfers cost.

Host code is the same either way, so only kernels, calls of libraries and transfers count. A kernel saves the time that a processor would take for its work; it costs
a launch and its own time. The numbers of `DeviceModel` are rough: they decide about calls where one side is several times faster than the
other, not about close ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from soljit.analysis.cost import known, middle_of, trips, work
from soljit.ir.data import Array, Data
from soljit.ir.expr import Cast, Const, Expr, Memlet, Op, Range, symbols
from soljit.ir.names import substitute
from soljit.ir.nodes import Branch, Copy, Let, LibraryNode, Loop, Map, Node, Program, Region, While
from soljit.ir.spaces import is_device_call, is_kernel, is_transfer
from soljit.ir.types import b1, f64

_GUESS = 16.0  # turns of a loop whose length only the data tell


@dataclass(frozen=True, slots=True)
class DeviceModel:
    """A device and its host. Times in microseconds, rates in bytes or in units of `analysis/cost.py` for each.

    launch: a kernel in a queue; transfer: one copy, small as it may be; link: between the memories; device, host: operations;
    device_product, host_product: multiplications of products that libraries compute
    """

    launch: float = 3.0
    transfer: float = 12.0
    link: float = 12_000.0
    device: float = 2_000_000.0
    host: float = 8_000.0
    device_product: float = 10_000_000.0
    host_product: float = 100_000.0


MODEL = DeviceModel()


def worth(program: Program, model: DeviceModel = MODEL) -> Expr | None:
    """The condition under which a call is faster on the device, over sizes and scalar arguments; None if these do not tell.

    `program` has its kernels and transfers.
    """
    gain = _gain(program.body, {}, program.data, model)
    given = {*program.symbols, *(p.name for p in program.params if p.kind == "scalar")}
    if not known(gain) or not symbols(gain) <= given:
        return None
    return Op("lt", (Const(0.0, f64), gain), b1)


def _gain(node: Node, middle: Mapping[str, Expr], data: Mapping[str, Data], model: DeviceModel) -> Expr:
    """Microseconds that one run of `node` saves."""
    match node:
        case Region():
            inner: dict[str, Expr] = dict(middle)
            total: Expr = _number(0.0)
            for n in node.nodes:
                total = _plus(total, _gain(n, inner, data, model))
                if isinstance(n, Let):
                    inner[n.name] = substitute(n.value, inner) if known(n.value) else Const(0, n.value.dtype)
            return total
        case Map() if is_kernel(node):
            saved = 1.0 / model.host - 1.0 / model.device
            return _plus(_times(_real(substitute(work(node), middle)), _number(saved)), _number(-model.launch))
        case LibraryNode() if is_device_call(node, data):
            saved = 1.0 / model.host_product - 1.0 / model.device_product
            return _plus(_times(_real(substitute(work(node), middle)), _number(saved)), _number(-model.launch))
        case Copy() if is_transfer(node, data):
            return _plus(_number(-model.transfer), _times(_bytes(node.dst, data, middle), _number(-1.0 / model.link)))
        case Loop():
            body = _gain(node.body, {**middle, node.var: middle_of(node.span, middle)}, data, model)
            return _times(_real(trips(node.span, middle)), body)
        case While():
            return _times(_number(_GUESS), _gain(node.body, middle, data, model))
        case Branch():
            arms = (_gain(arm, middle, data, model) for arm in (node.then, node.orelse))
            return _times(_plus(*arms), _number(0.5))
        case _:
            return _number(0.0)


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
