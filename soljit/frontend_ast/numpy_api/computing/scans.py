"""Reductions that keep positions: running sums and products, and where the extremes are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.arrays.elementwise import apply_ufunc, materialize
from soljit.frontend_ast.arrays.memlets import has_neighbours, part
from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.arrays.powers import check_exponents
from soljit.frontend_ast.arrays.ufunc_kernels import op, scalar_op
from soljit.frontend_ast.calls.ufunc_calls import METHODS
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.numpy_api.computing.reductions import Index, with_axes_kept
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import NONE, Arr, Lazy, Num, Value
from soljit.frontend_ast.views.numpy_arguments import axis_of, dtype_of, flag_of, given
from soljit.frontend_ast.views.out_arguments import check_loop, deliver
from soljit.frontend_ast.views.reshaping import ravel
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import FALSE, TRUE, Expr, Memlet, Op, const
from soljit.ir.core.types import DType, b1, i64
from soljit.support.numpy_routines import routine

_NO_AXIS = "Iterator input op_axes[0][0] (==0) is not a valid axis of op[0], which has 0 dimensions "
_SHORT = 32  # elements that are looked at one by one
_CALL = 8  # elements that are looked at while a routine of NumPy is called
_WIDE = 16  # lines that are gone through together
_PIECE = 512  # elements in which an extreme is looked for at once


def _in_turn(cx: Lowering, ufunc: np.ufunc, a: Expr, b: Expr, t: DType) -> Expr:
    """The ufunc where its results are operands again: there NumPy's loops make no vectors."""
    name = {"multiply": "mul", "power": "pow", "arctan2": "arctan2"}.get(ufunc.__name__)
    if name is not None and (t.kind in "fc" or ufunc is np.power):
        return scalar_op(name, a, b)
    result = apply_ufunc(cx, ufunc, [Num(a, False), Num(b, False)])
    assert isinstance(result, Num)
    return cx.cast(result.expr, t)


def _accumulate_by(
    cx: Lowering,
    ufunc: np.ufunc,
    a: Value,
    axis: Value | None = None,
    dtype: Value | None = None,
    out: Value | None = None,
) -> Value:
    """`ufunc.accumulate(a, axis=0)`: running results along an axis, in order."""
    x = as_array(cx, a)
    if x.ndim == 0 or ufunc.nin != 2 or (axis is not None and not given(axis)):
        raise cx.unsupported("accumulate of a 0-d array, or by a function of one argument")
    k = axis_of(cx, axis, x.ndim) if given(axis) else 0
    assert k is not None
    if ufunc.__name__ in ("add", "multiply"):
        t = promotion.reduction_dtype("cumsum" if ufunc is np.add else "cumprod", x.dtype, dtype_of(cx, dtype))
    else:
        try:
            t = dtype_of(cx, dtype) or promotion.resolve(ufunc, [(x.dtype, False)] * 2)[-1]
            same = promotion.resolve(ufunc, [(t, False)] * 2)[-1] is t is x.dtype
        except TypeError:
            same = False
        if not same:
            raise cx.unsupported(f"np.{ufunc.__name__}.accumulate of {x.dtype.numpy.name}")
    check_loop(cx, ufunc, x.dtype, t, dtype, out)
    if x.ndim == 1 and isinstance(out, Arr) and out.ndim == 0:  # NumPy itself may crash then
        cx.raise_("ValueError", _NO_AXIS)
        return NONE
    if ufunc is np.power and t.is_int and given(out):
        raise cx.unsupported("np.power.accumulate of integers with out=")  # which NumPy writes up to an error
    result = cx.alloc(t, x.shape, k_order(cx, [x], x.ndim), hint="scan")
    others = [n for j, n in enumerate(x.shape) if j != k]

    def at(ix: Index, i: Expr) -> Index:
        return (*ix[:k], i, *ix[k:])

    if ufunc is np.power and t.is_int:  # all but the first along the axis are exponents
        more = symbolic.maximum(symbolic.sub(x.shape[k], const(1)), const(0))
        shape = (*x.shape[:k], cx.let(more, "more"), *x.shape[k + 1 :])
        behind = Lazy(
            x.dtype, shape, lambda ix: x.element((*ix[:k], symbolic.add(ix[k], const(1)), *ix[k + 1 :])), x.rank
        )
        check_exponents(cx, x, behind, None)
    with cx.map(others) as ix:
        acc = cx.scalar(t, "acc")
        with cx.loop(x.shape[k]) as i:
            value = cx.let(cx.cast(x.element(at(ix, i)), t), "x")
            both = _in_turn(cx, ufunc, cx.read(acc), value, t)
            new = cx.let(Op("select", (symbolic.eq(i, const(0)), value, both), t), "next")
            cx.write(acc, new)
            cx.emit(nodes.Tasklet(result.at(at(ix, i)), new))
    return deliver(cx, result, out)


METHODS["accumulate"] = _accumulate_by


def _scan(cx: Lowering, ufunc: np.ufunc, a: Value, axis: Value | None, dtype: Value | None, out: Value | None) -> Value:
    x = as_array(cx, a)
    if not given(axis) and x.ndim != 1:
        flat = ravel(cx, materialize(cx, x))
        return _accumulate_by(cx, ufunc, flat, Num(const(0), True), dtype, out)
    return _accumulate_by(cx, ufunc, x, axis, dtype, out)


@implements(np.cumsum)
@method("cumsum")
def cumsum(
    cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None
) -> Value:
    """np.cumsum"""
    return _scan(cx, np.add, a, axis, dtype, out)


@implements(np.cumprod)
@method("cumprod")
def cumprod(
    cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None
) -> Value:
    """np.cumprod"""
    return _scan(cx, np.multiply, a, axis, dtype, out)


def _place_of_extreme(
    cx: Lowering, t: DType, element: Callable[[Expr], Expr], n: Expr, largest: bool, line: Memlet | None
) -> Expr:
    """Where the first of the extreme elements is; the first NaN, if there is one.

    Short lines go element by element, longer ones that are neighbours in memory (`line`) to NumPy's own routine, others by pieces:
    the extreme of each is a reduction, then the place is looked for in the first piece that has the best.
    """
    best, where = cx.scalar(t, "best"), cx.scalar(i64, "where")
    cx.write(best, element(const(0)))
    cx.write(where, const(0))

    def consider(v: Expr, place: Expr) -> None:
        old = cx.read(best)
        better = cx.let(_is_better(t, v, old, largest), "better")
        cx.write(where, Op("select", (better, place, cx.read(where)), i64))
        cx.write(best, Op("select", (better, v, old), t))

    def one_by_one() -> None:
        with cx.loop(n, start=const(1)) as i:
            consider(cx.let(element(i), "x"), i)

    def by_pieces() -> None:
        _by_pieces(cx, t, element, n, largest, best, where, consider)

    def by_routine() -> None:
        assert line is not None
        cx.emit(nodes.LibraryNode("argmax" if largest else "argmin", (Memlet(where),), (line,)))

    if line is not None:
        _either(cx, symbolic.le(n, const(_CALL)), one_by_one, by_routine)
    else:
        _either(cx, TRUE if t is b1 else symbolic.le(n, const(_SHORT)), one_by_one, by_pieces)
    return cx.read(where)


def _either(cx: Lowering, condition: Expr, then: Callable[[], None], other: Callable[[], None]) -> None:
    """One of two ways, chosen at run time where it is not known."""
    known = cx.prove(condition)
    if known is not None:
        (then if known else other)()
        return
    with cx.block(condition) as yes:
        then()
    with cx.block(symbolic.negate(condition)) as no:
        other()
    cx.branch(condition, yes, no)


def _is_better(t: DType, new: Expr, old: Expr, largest: bool) -> Expr:
    """Tell whether this is more extreme than the best so far. The first NaN wins and stays."""
    better: Expr = Op("gt" if largest else "lt", (new, old), b1)
    if t.is_float:
        stays = Op("lnot", (op("isnan", old),), b1)
        better = Op("lor", (Op("land", (better, stays), b1), Op("land", (op("isnan", new), stays), b1)), b1)
    return better


def _line_by_line(cx: Lowering, y: Arr, k: int, where: Arr, largest: bool) -> None:
    """The places of extremes along an axis that is not the fastest: of all lines at once, element by element."""
    best = cx.alloc(y.dtype, where.shape, hint="best")

    def element(i: Expr, ix: Index) -> Expr:
        return y.element((*ix[:k], i, *ix[k:]))

    with cx.map(where.shape) as ix:
        cx.emit(nodes.Tasklet(best.at(ix), element(const(0), ix)))
        cx.emit(nodes.Tasklet(where.at(ix), const(0)))
    with cx.loop(y.shape[k], start=const(1)) as i, cx.map(where.shape) as ix:
        new = cx.let(element(i, ix), "x")
        old = cx.let(best.element(ix), "old")
        better = cx.let(_is_better(y.dtype, new, old, largest), "better")
        cx.emit(nodes.Tasklet(best.at(ix), Op("select", (better, new, old), y.dtype)))
        cx.emit(nodes.Tasklet(where.at(ix), Op("select", (better, i, where.element(ix)), i64)))


def _by_pieces(
    cx: Lowering,
    t: DType,
    element: Callable[[Expr], Expr],
    n: Expr,
    largest: bool,
    best: str,
    where: str,
    consider: Callable[[Expr, Expr], None],
) -> None:
    pieces = symbolic.floordiv(symbolic.add(n, const(_PIECE - 1)), const(_PIECE))
    with cx.loop(pieces) as p:
        first = cx.let(symbolic.mul(p, const(_PIECE)), "first")
        length = cx.let(symbolic.minimum(symbolic.sub(n, first), const(_PIECE)), "length")
        found = cx.scalar(t, "found")
        cx.write(found, element(first))
        with cx.map([length]) as (offset,):
            cx.write(found, element(symbolic.add(first, offset)), "max" if largest else "min")
        consider(cx.let(cx.read(found), "x"), first)
    first = cx.let(cx.read(where), "first")
    extreme = cx.let(cx.read(best), "extreme")
    place = cx.scalar(i64, "place")
    cx.write(place, const(_PIECE))
    with cx.map([cx.let(symbolic.minimum(symbolic.sub(n, first), const(_PIECE)), "length")]) as (offset,):
        here = element(symbolic.add(first, offset))
        same: Expr = Op("eq", (here, extreme), b1)
        if t.is_float:
            same = Op("lor", (same, op("isnan", here)), b1)
        cx.write(place, Op("select", (same, offset, const(_PIECE)), i64), "min")
    cx.write(where, symbolic.add(first, cx.read(place)))


def _arg_extreme(
    cx: Lowering, a: Value, axis: Value | None, out: Value | None, keepdims: Value | None, name: str
) -> Value:
    x = as_array(cx, a)
    if given(out) and (not isinstance(out, Arr) or out.dtype is not i64):
        raise cx.unsupported(f"np.{name} with out= of another type")
    ndim = x.ndim
    kept = flag_of(cx, keepdims)
    k = axis_of(cx, axis, x.ndim) if given(axis) else None
    if k is None and x.ndim != 1:
        x = ravel(cx, materialize(cx, x))
        k = 0
    k = k or 0
    if x.ndim == 0 or x.dtype.is_complex:
        raise cx.unsupported(f"np.{name} in this form")
    n = x.shape[k]
    cx.check(symbolic.gt(n, const(0)), "ValueError", f"attempt to get {name} of an empty sequence")
    others = [m for j, m in enumerate(x.shape) if j != k]
    y = materialize(cx, x)

    by_routine = has_neighbours(cx, y, k) and routine(f"{name}:{y.dtype.numpy.char}:")

    def search(ix: Index) -> Expr:
        line = part(y, {j if j < k else j + 1: i for j, i in enumerate(ix)}) if by_routine else None
        return _place_of_extreme(cx, y.dtype, lambda i: y.element((*ix[:k], i, *ix[k:])), n, name == "argmax", line)

    if not others:
        found = Num(cx.let(search(()), name), False)
        if not kept or not ndim:
            return deliver(cx, found, out)
        return deliver(
            cx, materialize(cx, Lazy(i64, (const(1),) * ndim, lambda _: found.expr, tuple(range(ndim)))), out
        )
    result = cx.alloc(i64, others, hint=name)

    def each_alone() -> None:
        with cx.map(others) as ix:
            cx.emit(nodes.Tasklet(result.at(ix), search(ix)))

    def all_at_once() -> None:
        _line_by_line(cx, y, k, result, name == "argmax")

    wide = FALSE if k == y.rank[-1] else symbolic.ge(x.shape[y.rank[-1]], const(_WIDE))
    _either(cx, wide, all_at_once, each_alone)
    return deliver(cx, with_axes_kept(cx, result, (k,), tuple(range(x.ndim))) if kept else result, out)


@implements(np.argmax)
@method("argmax")
def argmax(
    cx: Lowering, a: Value, axis: Value | None = None, out: Value | None = None, *, keepdims: Value | None = None
) -> Value:
    """np.argmax: the first of equal maxima; the first NaN."""
    return _arg_extreme(cx, a, axis, out, keepdims, "argmax")


@implements(np.argmin)
@method("argmin")
def argmin(
    cx: Lowering, a: Value, axis: Value | None = None, out: Value | None = None, *, keepdims: Value | None = None
) -> Value:
    """np.argmin: the first of equal minima; the first NaN."""
    return _arg_extreme(cx, a, axis, out, keepdims, "argmin")
