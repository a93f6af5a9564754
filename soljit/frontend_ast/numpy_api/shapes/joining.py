"""Making one array of several: concatenate, the stacks, block, append."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from soljit.frontend_ast.arrays.axis_order import axes_of_joined
from soljit.frontend_ast.arrays.elementwise import copy_array, materialize
from soljit.frontend_ast.arrays.operands import as_array, in_memory
from soljit.frontend_ast.arrays.widening import note_widened
from soljit.frontend_ast.iteration.static_items import iterate_static
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import axis_of, dtype_of, given, normal_axis
from soljit.frontend_ast.views.out_arguments import deliver
from soljit.frontend_ast.views.reshaping import ravel
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr, const
from soljit.ir.core.types import DType


def pieces(cx: Lowering, v: Value) -> list[Array]:
    """The arrays of a sequence argument."""
    if not isinstance(v, (Tup, Arr, Lazy)):
        raise cx.unsupported("a sequence of arrays that is not a tuple, list or array")
    return [as_array(cx, x) for x in iterate_static(cx, v)]


def widened(a: Array, axes: Sequence[int]) -> Array:
    """The array, deferred or not, with new axes of length 1 at these positions of the result."""
    if not axes:
        return a
    ndim = a.ndim + len(axes)
    kept = [k for k in range(ndim) if k not in axes]
    lengths = iter(a.shape)
    shape = tuple(const(1) if k in axes else next(lengths) for k in range(ndim))
    element = a.element
    rank = tuple(kept[r] for r in a.rank)
    rank = tuple(range(ndim)) if rank == tuple(kept) else (*axes, *rank)
    return Lazy(a.dtype, shape, lambda ix: element(tuple(ix[k] for k in kept)), rank)


def join(cx: Lowering, arrays: Sequence[Array], axis: int, dtype: DType | None = None) -> Arr:
    """np.concatenate of arrays with at least one dimension along a normalized axis."""
    first = arrays[0]
    for k, a in enumerate(arrays[1:], 1):
        if a.ndim != first.ndim:
            cx.raise_(
                "ValueError",
                "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{first.ndim} dimension(s) and the array at index {k} has {a.ndim} dimension(s)",
            )
            return in_memory(cx, first)
        for d in range(first.ndim):
            if d == axis or first.shape[d] == a.shape[d] or cx.same_size(first.shape[d], a.shape[d]):
                continue
            cx.check(
                symbolic.eq(first.shape[d], a.shape[d]),
                "ValueError",
                "all the input array dimensions except for the concatenation axis must match exactly, but along "
                f"dimension {d}, the array at index 0 has size {{0}} and the array at index {k} has size {{1}}",
                [first.shape[d], a.shape[d]],
            )
            if cx.current.done:
                return in_memory(cx, first)
    if dtype is None:
        dtype = promotion.result_type([(a.dtype, False) for a in arrays])
        note_widened(cx, arrays, [dtype] * len(arrays))
    elif not all(np.can_cast(a.dtype.numpy, dtype.numpy, "same_kind") for a in arrays):
        raise cx.unsupported("joining arrays in a type that needs casting")
    length: Expr = const(0)
    starts = []
    for a in arrays:
        starts.append(length)
        length = cx.let(symbolic.add(length, a.shape[axis]), "end")
    shape = tuple(length if k == axis else n for k, n in enumerate(first.shape))
    out = cx.alloc(dtype, shape, axes_of_joined(cx, arrays), hint="joined")
    for a, start in zip(arrays, starts):
        with cx.map(a.shape, out.rank) as ix:
            at = tuple(symbolic.add(start, i) if k == axis else i for k, i in enumerate(ix))
            cx.emit(nodes.Tasklet(out.at(at), cx.cast(a.element(ix), dtype)))
    return out


@implements(np.concatenate)
def concatenate(
    cx: Lowering,
    arrays: Value,
    axis: Value | None = None,
    out: Value | None = None,
    *,
    dtype: Value | None = None,
    casting: Value | None = None,
) -> Value:
    """np.concatenate"""
    xs = pieces(cx, arrays)
    if given(casting):
        raise cx.unsupported("np.concatenate with casting")
    if not xs:
        cx.raise_("ValueError", "need at least one array to concatenate")
        return arrays
    t = dtype_of(cx, dtype)
    if t is not None and given(out):
        raise cx.unsupported("np.concatenate with both dtype and out")
    if axis is not None and not given(axis):
        if t is None and isinstance(arrays, Tup):  # here, and only here, Python numbers adapt to the arrays' type
            t = promotion.result_type([(x.dtype, isinstance(v, Num) and v.weak) for x, v in zip(xs, arrays.items)])
        return deliver(cx, join(cx, [ravel(cx, materialize(cx, x)) for x in xs], 0, t), out)
    if xs[0].ndim == 0:
        cx.raise_("ValueError", "zero-dimensional arrays cannot be concatenated")
        return arrays
    k = 0 if axis is None else axis_of(cx, axis, xs[0].ndim)
    if cx.current.done:
        return arrays
    assert k is not None
    return deliver(cx, join(cx, xs, k, t), out)


@implements(np.stack)
def stack(
    cx: Lowering, arrays: Value, axis: Value | None = None, out: Value | None = None, *, dtype: Value | None = None
) -> Value:
    """np.stack"""
    if given(dtype) and given(out):
        raise cx.unsupported("np.stack with both dtype and out")
    xs = pieces(cx, arrays)
    if not xs:
        cx.raise_("ValueError", "need at least one array to stack")
        return arrays
    for x in xs[1:]:
        same = [symbolic.eq(n, m) for n, m in zip(x.shape, xs[0].shape) if n != m and not cx.same_size(n, m)]
        text = "all input arrays must have the same shape"
        if x.ndim != xs[0].ndim:
            cx.raise_("ValueError", text)
        elif same:
            cx.check(symbolic.conj(*same), "ValueError", text)
        if cx.current.done:
            return arrays
    k = normal_axis(cx, static_of(cx, axis) if axis is not None else 0, xs[0].ndim + 1)
    return deliver(cx, join(cx, [widened(x, (k,)) for x in xs], k, dtype_of(cx, dtype)), out)


def _padded(a: Array, ndim: int) -> Array:
    """np.atleast_1d, 2d or 3d of an array, deferred or not."""
    if a.ndim >= ndim:
        return a
    if ndim == 3 and a.ndim:
        return widened(a, (2,) if a.ndim == 2 else (0, 2))
    return widened(a, range(ndim - a.ndim))


def _stacked(cx: Lowering, tup: Value, ndim: int, axis: int, dtype: Value | None) -> Value:
    xs = [_padded(x, ndim) for x in pieces(cx, tup)]
    if not xs:
        cx.raise_("ValueError", "need at least one array to concatenate")
        return tup
    if ndim == 1 and xs[0].ndim == 1:
        axis = 0
    return join(cx, xs, axis, dtype_of(cx, dtype))


@implements(np.vstack)
def vstack(cx: Lowering, tup: Value, *, dtype: Value | None = None) -> Value:
    """np.vstack"""
    return _stacked(cx, tup, 2, 0, dtype)


@implements(np.hstack)
def hstack(cx: Lowering, tup: Value, *, dtype: Value | None = None) -> Value:
    """np.hstack"""
    return _stacked(cx, tup, 1, 1, dtype)


@implements(np.dstack)
def dstack(cx: Lowering, tup: Value) -> Value:
    """np.dstack"""
    return _stacked(cx, tup, 3, 2, None)


@implements(np.column_stack)
def column_stack(cx: Lowering, tup: Value) -> Value:
    """np.column_stack"""
    xs = [widened(x, range(1, 2) if x.ndim == 1 else range(2)) if x.ndim < 2 else x for x in pieces(cx, tup)]
    if not xs:
        cx.raise_("ValueError", "need at least one array to concatenate")
        return tup
    return join(cx, xs, 1)


@implements(np.block)
def block(cx: Lowering, arrays: Value) -> Value:
    """np.block of nested lists of equal depth."""

    def depth(v: Value) -> int:
        if not isinstance(v, Tup):
            return 0
        depths = {depth(x) for x in v.items}
        if not v.mutable or len(depths) != 1:
            raise cx.unsupported("np.block of lists of different depth")
        return 1 + depths.pop()

    def leaves(v: Value) -> list[Array]:
        return [x for y in v.items for x in leaves(y)] if isinstance(v, Tup) else [as_array(cx, v)]

    deep = depth(arrays)
    ndim = max([deep, *(x.ndim for x in leaves(arrays))])

    def build(v: Value, level: int) -> Array:
        if isinstance(v, Tup):
            return join(cx, [build(x, level + 1) for x in v.items], ndim - (deep - level))
        a = as_array(cx, v)
        return widened(a, range(ndim - a.ndim))

    result = build(arrays, 0)
    return in_memory(cx, result) if deep else copy_array(cx, result)


@implements(np.append)
def append(cx: Lowering, arr: Value, values: Value, axis: Value | None = None) -> Value:
    """np.append"""
    a, b = as_array(cx, arr), as_array(cx, values)
    if given(axis):
        return concatenate(cx, Tup([a, b]), axis)
    return join(
        cx,
        [x if x.ndim == 1 else widened(x, (0,)) if x.ndim == 0 else ravel(cx, materialize(cx, x)) for x in (a, b)],
        0,
    )
