"""Reductions: sum, prod, min, max, any, all, ptp, count_nonzero and the ufuncs' own `reduce`.

Over the fastest axes a reduction is a loop nest with a scalar accumulator per result element; over slower axes whole rows are
combined into the result, so that memory is walked in order either way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.axis_order import copy_order, k_order
from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.elementwise import (
    apply_ufunc,
    broadcast_into,
    check_weak_int,
    copy_array,
    materialize,
    truth,
)
from soljit.frontend_ast.arrays.operands import as_array, mask_of
from soljit.frontend_ast.calls.ufunc_calls import METHODS
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.values import numpy_versions, promotion
from soljit.frontend_ast.values.constants import fold_cast
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, Static, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import axes_of, dtype_of, flag_of, given
from soljit.frontend_ast.views.out_arguments import check_loop, deliver
from soljit.frontend_ast.views.reshaping import insert_axes
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Memlet, const
from soljit.ir.core.types import DType, b1, i64

Index = tuple[Expr, ...]


@dataclass(frozen=True)
class Reducer:
    """A combination: its wcr, and its start value for a type (None: the first element, and empty input raises)."""

    name: str
    wcr: str
    start: Callable[[DType], Expr] | None


def _const(value: int) -> Callable[[DType], Expr]:

    return lambda t: fold_cast(Const(value, i64), t)


SUM = Reducer("add", "add", _const(0))
PROD = Reducer("multiply", "mul", _const(1))
MIN = Reducer("minimum", "min", None)
MAX = Reducer("maximum", "max", None)
ANY = Reducer("logical_or", "lor", lambda t: Const(False, b1))
ALL = Reducer("logical_and", "land", lambda t: Const(True, b1))
BY_UFUNC = {
    "add": SUM,
    "multiply": PROD,
    "minimum": MIN,
    "maximum": MAX,
    "logical_or": ANY,
    "logical_and": ALL,
    "bitwise_or": Reducer("bitwise_or", "bor", _const(0)),
    "bitwise_and": Reducer("bitwise_and", "band", _const(-1)),
    "bitwise_xor": Reducer("bitwise_xor", "bxor", _const(0)),
}


def _extreme(t: DType, largest: bool) -> Expr:
    """The identity of minimum (the largest value) or maximum."""
    if t is b1:
        return Const(largest, b1)
    if t.is_int:
        return Const(t.highest if largest else t.lowest, t)
    return Const(float("inf") if largest else float("-inf"), t)


def reduce(
    cx: Lowering, a: Array, r: Reducer, axes: tuple[int, ...] | None, dtype: DType, keepdims: bool,
    initial: Expr | None = None, where: Array | Num | None = None, out: Value | None = None,
) -> Value:  # fmt: skip
    """Combine along `axes` (None: all)."""
    axes = tuple(range(a.ndim)) if axes is None else axes
    if dtype is b1:
        r = {"add": ANY, "multiply": ALL}.get(r.name, r)  # what sums and products of truth values are
    if r.start is None and dtype.is_complex:
        raise cx.unsupported(f"np.{r.name} of complex numbers")
    if a.ndim and not axes and r.start is None and initial is None and where is None:
        result: Value = copy_array(cx, a, k_order(cx, [a], a.ndim), dtype=dtype)
        return deliver(cx, result, out)
    start = initial
    if start is None:
        if r.start is not None:
            start = r.start(dtype)
        else:
            n = cx.size_of([a.shape[k] for k in axes])
            text = f"zero-size array to reduction operation {r.name} which has no identity"
            cx.check(symbolic.gt(n, const(0)), "ValueError", text)
            start = _extreme(dtype, r.wcr == "min")
    kept = [k for k in range(a.ndim) if k not in axes]
    mask, operands = None, [a]
    if where is not None and not isinstance(where, Num):
        operands = [a, where]
        if where.ndim > a.ndim:
            raise cx.unsupported("where= of more dimensions than the array")
        fits = broadcast_into(cx, where.shape, a.shape)
        if fits is None:
            raise cx.unsupported("where= of another shape")
        element = where.element
        mask = lambda ix: element(fits(ix))  # noqa: E731 - the condition at an index
    elif isinstance(where, Num):
        cond = where.expr
        mask = lambda ix: cond  # noqa: E731

    def combine(target: Memlet, ix: Index) -> None:
        code = cx.cast(a.element(ix), dtype)
        if mask is None:
            cx.emit(nodes.Tasklet(target, code))
            return
        c = cx.let(cx.cast(mask(ix), b1), "where")
        with cx.block() as yes:
            cx.emit(nodes.Tasklet(target, code))
        cx.branch(c, yes)

    if not kept:
        name = cx.scalar(dtype, r.name.rpartition("_")[2])
        cx.write(name, start)
        with cx.map(a.shape, a.rank) as ix:
            combine(Memlet(name, (), None, r.wcr), ix)
        value = Num(cx.let(cx.read(name), r.name.rpartition("_")[2]), False)
        if keepdims and a.ndim:
            expr = value.expr
            return deliver(
                cx,
                materialize(cx, Lazy(dtype, tuple(const(1) for _ in a.shape), lambda _: expr, tuple(range(a.ndim)))),
                out,
            )
        return deliver(cx, value, out)
    order = k_order(cx, operands, a.ndim)
    rank = tuple(kept.index(k) for k in order if k in kept)
    result_array = cx.alloc(dtype, [a.shape[k] for k in kept], rank, hint=r.name.rpartition("_")[2])
    inner_last = a.rank[-1] in axes
    if inner_last:
        with cx.map(result_array.shape, result_array.rank) as outer:
            acc = cx.scalar(dtype, "acc")
            cx.write(acc, start)
            spans = [a.shape[k] for k in axes]
            walk = [axes.index(k) for k in a.rank if k in axes]
            with cx.map(spans, walk, "r") as inner:
                combine(Memlet(acc, (), None, r.wcr), _weave(a.ndim, kept, outer, axes, inner))
            cx.emit(nodes.Tasklet(result_array.at(outer), cx.read(acc)))
    else:
        with cx.map(result_array.shape, result_array.rank) as outer:
            cx.emit(nodes.Tasklet(result_array.at(outer), start))
        with cx.map(a.shape, a.rank) as ix:
            target = result_array.at(tuple(ix[k] for k in kept))
            combine(Memlet(target.data, target.subset, None, r.wcr), ix)
    if keepdims:
        return deliver(cx, with_axes_kept(cx, result_array, axes, order), out)
    return deliver(cx, result_array, out)


def with_axes_kept(cx: Lowering, result: Arr, axes: Sequence[int], rank: tuple[int, ...]) -> Arr:
    """The result of a reduction with its axes kept at length 1: strides as those of a new array in the operand's order `rank`."""
    kept = insert_axes(result, axes)
    step: Expr = const(1)
    units = []
    for k in reversed(rank):
        if k in axes:
            units.append((k, step))
        step = symbolic.mul(step, kept.shape[k])
    return replace(kept, units=tuple(units), rank=rank)


def _weave(ndim: int, kept: list[int], outer: Index, axes: tuple[int, ...], inner: Index) -> Index:
    out: list[Expr] = [const(0)] * ndim
    for k, i in zip(kept, outer):
        out[k] = i
    for k, i in zip(axes, inner):
        out[k] = i
    return tuple(out)


def _reduction(cx: Lowering, name: str, r: Reducer, a: Value, axis: Value | None, dtype: Value | None, out: Value | None,
               keepdims: Value | None, initial: Value | None, where: Value | None) -> Value:  # fmt: skip
    x = as_array(cx, a)
    t = promotion.reduction_dtype(name, x.dtype, dtype_of(cx, dtype))
    check_loop(cx, getattr(np, r.name), x.dtype, t, dtype, out)
    start = None
    if isinstance(initial, Static) and initial.obj is None:
        raise cx.unsupported("a reduction without its identity")
    if given(initial):
        if not isinstance(initial, Num):
            raise cx.unsupported("initial= that is not a number")
        if initial.weak and initial.dtype is i64 and t.is_int:
            check_weak_int(cx, initial.expr, t)
        start = as_element(cx, initial, t)
    mask = mask_of(cx, where)
    if mask is not None and r.start is None and start is None:
        raise cx.unsupported(f"np.{name} with where but without initial")
    return reduce(cx, x, r, reduced_axes(cx, axis, x.ndim), t, flag_of(cx, keepdims), start, mask, out)


def reduced_axes(cx: Lowering, axis: Value | None, ndim: int) -> tuple[int, ...] | None:
    """The axes of a reduction; a 0-d array has an axis 0 here."""
    if ndim == 0 and isinstance(axis, Num) and cx.static_int(axis.expr) in (0, -1):
        return ()
    return axes_of_ufunc(cx, axis, ndim)


def axes_of_ufunc(cx: Lowering, axis: Value | None, ndim: int) -> tuple[int, ...] | None:
    """The axes of a ufunc's reduction, which may be a tuple but not a list."""
    if isinstance(axis, Tup) and axis.mutable:
        cx.raise_("TypeError", "'list' object cannot be interpreted as an integer")
        return None
    return axes_of(cx, axis, ndim)


@implements(np.sum)
@method("sum")
def sum_(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None,
         keepdims: Value | None = None, initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.sum"""
    return _reduction(cx, "sum", SUM, a, axis, dtype, out, keepdims, initial, where)


@implements(np.prod)
@method("prod")
def prod(cx: Lowering, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None,
         keepdims: Value | None = None, initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.prod"""
    return _reduction(cx, "prod", PROD, a, axis, dtype, out, keepdims, initial, where)


@implements(np.max, np.amax)
@method("max")
def max_(cx: Lowering, a: Value, axis: Value | None = None, out: Value | None = None, keepdims: Value | None = None,
         initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.max: NaN propagates."""
    return _reduction(cx, "max", MAX, a, axis, None, out, keepdims, initial, where)


@implements(np.min, np.amin)
@method("min")
def min_(cx: Lowering, a: Value, axis: Value | None = None, out: Value | None = None, keepdims: Value | None = None,
         initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """np.min: NaN propagates."""
    return _reduction(cx, "min", MIN, a, axis, None, out, keepdims, initial, where)


@implements(np.ptp)
def ptp(
    cx: Lowering, a: Value, axis: Value | None = None, out: Value | None = None, keepdims: Value | None = None
) -> Value:
    """np.ptp: max - min."""
    x = materialize(cx, as_array(cx, a))
    if given(out) and not (isinstance(out, Arr) and out.dtype is x.dtype):
        raise cx.unsupported("np.ptp into an array of another type, in which the difference is computed")
    high, low = max_(cx, x, axis, None, keepdims), min_(cx, x, axis, None, keepdims)
    assert isinstance(high, (Num, Arr)) and isinstance(low, (Num, Arr))
    return deliver(cx, apply_ufunc(cx, np.subtract, [high, low]), out)  # type: ignore[arg-type]


def _truths(cx: Lowering, a: Value) -> Array:

    x = as_array(cx, a)
    if x.dtype is b1:
        return x
    element = x.element
    return Lazy(b1, x.shape, lambda ix: truth(cx, element(ix)), k_order(cx, [x], x.ndim))


@implements(np.any)
@method("any")
def any_(
    cx: Lowering,
    a: Value,
    axis: Value | None = None,
    out: Value | None = None,
    keepdims: Value | None = None,
    where: Value | None = None,
) -> Value:
    """np.any"""
    x = _truths(cx, a)
    return reduce(cx, x, ANY, reduced_axes(cx, axis, x.ndim), b1, flag_of(cx, keepdims), None, mask_of(cx, where), out)


@implements(np.all)
@method("all")
def all_(
    cx: Lowering,
    a: Value,
    axis: Value | None = None,
    out: Value | None = None,
    keepdims: Value | None = None,
    where: Value | None = None,
) -> Value:
    """np.all"""
    x = _truths(cx, a)
    return reduce(cx, x, ALL, reduced_axes(cx, axis, x.ndim), b1, flag_of(cx, keepdims), None, mask_of(cx, where), out)


@implements(np.count_nonzero)
def count_nonzero(cx: Lowering, a: Value, axis: Value | None = None, keepdims: Value | None = None) -> Value:
    """np.count_nonzero"""
    x = as_array(cx, a)
    order = k_order(cx, [x], x.ndim) if x.dtype is b1 else copy_order(cx, x)
    element = _truths(cx, x).element
    ones = Lazy(i64, x.shape, lambda ix: cx.cast(element(ix), i64), order)
    count = reduce(cx, ones, SUM, reduced_axes(cx, axis, x.ndim), i64, flag_of(cx, keepdims))
    return (
        Num(count.expr, True)
        if numpy_versions.COUNTS_ARE_INTS and isinstance(count, Num) and not given(axis)
        else count
    )


def _reduce_by(cx: Lowering, ufunc: np.ufunc, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None,
               keepdims: Value | None = None, initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip
    """`ufunc.reduce(a, axis=0)`."""
    r = BY_UFUNC.get(ufunc.__name__)
    if r is None:
        raise cx.unsupported(f"np.{ufunc.__name__}.reduce")
    x = _truths(cx, a) if r in (ANY, ALL) else as_array(cx, a)
    ax = axis if axis is not None else Num(const(0), True)
    if ufunc.__name__ in ("add", "multiply"):
        return _reduction(cx, "sum" if r is SUM else "prod", r, x, ax, dtype, out, keepdims, initial, where)
    t = dtype_of(cx, dtype, x.dtype) or x.dtype
    if (
        mask_of(cx, where) is not None
        or given(initial)
        or (r in (ANY, ALL) and given(dtype))
        or (r.name.startswith("bitwise") and not {x.dtype.kind, t.kind} <= {*"biu"})
    ):
        raise cx.unsupported(f"np.{ufunc.__name__}.reduce of {x.dtype.numpy}, or with where or initial")
    check_loop(cx, ufunc, x.dtype, x.dtype, dtype, out)
    return reduce(
        cx,
        x,
        r,
        reduced_axes(cx, ax, x.ndim),
        t,
        flag_of(cx, keepdims),
        None,
        None,
        out,
    )


METHODS["reduce"] = _reduce_by
