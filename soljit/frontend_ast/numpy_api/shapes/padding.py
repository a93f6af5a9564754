"""np.pad: constant, edge, reflect, symmetric and wrap; other modes go back to NumPy.

The array is copied to the middle; then the axes are padded one after the other, as NumPy does, so that corners belong
to the last axis that is outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.arrays.strides import is_contiguous
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.values import Arr, Dict, Num, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import given, integer_of
from soljit.frontend_ast.views.reshaping import reversed_axes
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr, Op, const
from soljit.ir.core.types import i64

Pairs = list[tuple[Value, Value]]


def pairs_of(cx: Lowering, v: Value, ndim: int) -> Pairs:
    """A value for both sides of every axis: x, (x,), (before, after), ((before, after),), one pair an axis, or pairs by axis."""
    if isinstance(v, Dict) and v.cls is None and all(isinstance(k, int) and -ndim <= k < ndim for k in v.items):
        found = {k % ndim: pairs_of(cx, x, 1)[0] for k, x in v.items.items()}
        return [found.get(k, (Num(const(0), True), Num(const(0), True))) for k in range(ndim)]
    if isinstance(v, Num):
        return [(v, v)] * ndim
    if not isinstance(v, Tup) or not v.items:
        raise cx.unsupported("padding widths of this form")
    items = v.items
    if all(isinstance(x, Num) for x in items) and len(items) <= 2:
        return [(items[0], items[-1])] * ndim
    rows: Pairs = []
    for x in items:
        if not isinstance(x, Tup) or not 1 <= len(x.items) <= 2:
            raise cx.unsupported("padding widths of this form")
        rows.append((x.items[0], x.items[-1]))
    if len(rows) == 1:
        return rows * ndim
    if len(rows) != ndim:
        raise cx.unsupported("padding widths for another number of axes")
    return rows


@implements(np.pad, remark="modes constant, edge, reflect, symmetric, wrap")
def pad(
    cx: Lowering, array_: Value, pad_width: Value, mode: Value | None = None, *, constant_values: Value | None = None
) -> Value:
    """np.pad"""
    if isinstance(pad_width, Dict) and not numpy_versions.PAD_TAKES_DICTS:
        raise cx.unsupported("np.pad with a dict")
    a = in_memory(cx, array_)
    how = static_of(cx, mode) if given(mode) else "constant"
    if how not in ("constant", "edge", "reflect", "symmetric", "wrap") or (
        how != "constant" and given(constant_values)
    ):
        raise cx.unsupported(f"np.pad with mode {how!r}")
    widths = [(integer_of(cx, x), integer_of(cx, y)) for x, y in pairs_of(cx, pad_width, a.ndim)]
    for pair in widths:
        for w in pair:
            cx.check(symbolic.ge(w, const(0)), "ValueError", "index can't contain negative values")
    if cx.current.done:
        return a
    values = _values_of(cx, constant_values if constant_values is not None else Num(const(0), True), a.ndim)
    shape = [symbolic.add(symbolic.add(lo, n), hi) for n, (lo, hi) in zip(a.shape, widths)]
    fortran = a.ndim > 1 and is_contiguous(cx, reversed_axes(a)) is True and not _in_c_order(cx, a)
    out = cx.alloc(a.dtype, shape, tuple(range(a.ndim))[::-1] if fortran else None, hint="padded")
    with cx.map(a.shape, out.rank) as ix:
        at = tuple(symbolic.add(lo, i) for (lo, _), i in zip(widths, ix))
        cx.emit(nodes.Tasklet(out.at(at), a.element(ix)))
    for k in range(a.ndim):
        lo, hi = widths[k]
        region = _region(out, a.shape, widths, k)
        if how == "constant":
            _constant(cx, region, k, const(0), lo, values[k][0])
            _constant(cx, region, k, symbolic.add(lo, a.shape[k]), hi, values[k][1])
        else:
            _extend(cx, region, k, a.shape[k], lo, hi, how)
    return out


def _in_c_order(cx: Lowering, a: Arr) -> bool:
    """Tell whether the array is contiguous in C order, too, as an empty one always is."""
    return is_contiguous(cx, a) is True or cx.decide(symbolic.eq(cx.size_of(a.shape), const(0))) is True


def _values_of(cx: Lowering, v: Value, ndim: int) -> Pairs:
    """What the padding consists of: NumPy makes an array of it, so that up to two numbers are as strong as their types."""
    pairs = pairs_of(cx, v, ndim)
    rows = [x for x in v.items if isinstance(x, Tup)] if isinstance(v, Tup) else []
    if len(rows) > 1 or isinstance(v, Dict):
        return pairs
    return [(_strong(lo), _strong(hi)) for lo, hi in pairs]


def _strong(v: Value) -> Value:
    return Num(v.expr, False) if isinstance(v, Num) else v


def _region(out: Arr, inner: Sequence[Expr], widths: Sequence[tuple[Expr, Expr]], axis: int) -> Arr:
    """The whole result, but without the padding of later axes."""
    shape = tuple(n if k <= axis else m for k, (n, m) in enumerate(zip(out.shape, inner)))
    dims = tuple(replace(d, offset=symbolic.add(d.offset, widths[d.axis][0])) if d.axis > axis else d for d in out.dims)
    return replace(out, shape=shape, dims=dims, whole=False)


def _slab(region: Arr, axis: int, count: Expr) -> tuple[Expr, ...]:
    return (*region.shape[:axis], count, *region.shape[axis + 1 :])


def _constant(cx: Lowering, region: Arr, axis: int, start: Expr, count: Expr, value: Value) -> None:
    if not isinstance(value, Num):
        raise cx.unsupported("padding with values that are not numbers")
    code = cx.let(as_element(cx, value, region.dtype), "value")
    with cx.map(_slab(region, axis, count), region.rank) as ix:
        at = (*ix[:axis], symbolic.add(start, ix[axis]), *ix[axis + 1 :])
        cx.emit(nodes.Tasklet(region.at(at), code))


def _extend(cx: Lowering, region: Arr, axis: int, n: Expr, lo: Expr, hi: Expr, how: str) -> None:
    empty = symbolic.disj(symbolic.gt(n, const(0)), symbolic.eq(symbolic.add(lo, hi), const(0)))
    text = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
    if not cx.prove(symbolic.gt(n, const(0))):
        cx.check(empty, "ValueError", text)
        if cx.current.done:
            return
    last = symbolic.sub(n, const(1))
    zero, one = const(0), const(1)
    if how == "reflect" and cx.decide(symbolic.eq(n, one)):
        how = "edge"
    reach = {"edge": None, "reflect": last, "symmetric": n, "wrap": n}[how]

    def left(j: Expr) -> Expr:
        """Which element is copied to place j (0 is next to the array) on the left."""
        match how:
            case "edge":
                return zero
            case "reflect":
                return symbolic.add(j, one)
            case "symmetric":
                return j
        return symbolic.sub(last, j)

    def periodic(p: Expr) -> Expr:
        """The element for place p, counted from the array's start, however far outside."""
        if how == "wrap":
            return Op("mod", (p, n), i64)
        period = cx.let(symbolic.mul(const(2), last if how == "reflect" else n), "period")
        q = cx.let(Op("mod", (p, period), i64), "q")
        back = symbolic.sub(period, q) if how == "reflect" else symbolic.sub(symbolic.sub(period, one), q)
        return Op("select", (symbolic.lt(q, n), q, back), i64)

    for count, right in ((lo, False), (hi, True)):
        near = reach is None or cx.decide(symbolic.le(count, reach))
        with cx.map(_slab(region, axis, count), region.rank) as ix:
            j = ix[axis]
            place = symbolic.add(symbolic.add(lo, n), j) if right else symbolic.sub(symbolic.sub(lo, one), j)
            if near:
                source = symbolic.sub(last, left(j)) if right else left(j)
            else:
                source = periodic(symbolic.sub(place, lo))
            at = (*ix[:axis], place, *ix[axis + 1 :])
            take = (*ix[:axis], symbolic.add(lo, source), *ix[axis + 1 :])
            cx.emit(nodes.Tasklet(region.at(at), region.element(take)))
