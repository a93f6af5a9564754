"""Choosing elements: where, nonzero, clip, take, compress, extract and piecewise."""

from __future__ import annotations

import builtins

import numpy as np

from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.arrays.elementwise import (
    apply_ufunc,
    broadcast,
    check_weak_int,
    copy_array,
    element_of,
    materialize,
    truth,
)
from soljit.frontend_ast.arrays.operands import as_array, as_operand
from soljit.frontend_ast.arrays.widening import note_widened
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.values import numpy_versions, promotion
from soljit.frontend_ast.values.values import NONE, Arr, Array, Lazy, Num, SliceVal, Tup, Value
from soljit.frontend_ast.views.fancy_indexing import Gather, nonzero_arrays
from soljit.frontend_ast.views.fancy_indexing import compress as compress_mask
from soljit.frontend_ast.views.indexing import get_item, set_item
from soljit.frontend_ast.views.numpy_arguments import axis_of, given
from soljit.frontend_ast.views.out_arguments import deliver
from soljit.frontend_ast.views.reshaping import insert_axes, ravel
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr, Op, const
from soljit.ir.core.types import b1, i64

Index = tuple[Expr, ...]


@implements(np.where)
def where(cx: Lowering, condition: Value, x: Value | None = None, y: Value | None = None) -> Value:
    """np.where with one or three arguments."""
    if x is None and y is None:
        return nonzero(cx, condition)
    if x is None or y is None:
        cx.raise_("ValueError", "either both or neither of x and y should be given")
        return NONE
    c, a, b = (as_operand(cx, v) for v in (condition, x, y))
    dtype = promotion.result_type([(v.dtype, isinstance(v, Num) and v.weak) for v in (a, b)])
    note_widened(cx, (a, b), (dtype, dtype))
    arrays = [v for v in (c, a, b) if not isinstance(v, Num)]
    for v in (a, b) if numpy_versions.WHERE_CHECKS and dtype.is_int else ():
        if isinstance(v, Num) and v.weak and v.dtype is i64:
            check_weak_int(cx, v.expr, dtype)
    shape, maps = broadcast(cx, [() if isinstance(v, Num) else v.shape for v in (c, a, b)])
    elements = [element_of(v) for v in (c, a, b)]

    def at(ix: Index) -> Expr:
        cond, left, right = (e(m(ix)) for e, m in zip(elements, maps))
        return Op("select", (truth(cx, cond), cx.cast(left, dtype), cx.cast(right, dtype)), dtype)

    result = Lazy(dtype, shape, at, k_order(cx, arrays, len(shape)))
    return result if shape else materialize(cx, result)


@implements(np.nonzero)
@method("nonzero")
def nonzero(cx: Lowering, a: Value) -> Value:
    """np.nonzero: a tuple of index arrays."""
    x = as_array(cx, a)
    if x.ndim == 0 and numpy_versions.NUMBERS_HAVE_PLACES:
        x = insert_axes(materialize(cx, x), (0,))
    if x.ndim == 0:
        text = "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."
        if x.dtype is b1:
            text += " If the context of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`."
        cx.raise_("ValueError", text)
        return Tup([])
    return Tup(list(nonzero_arrays(cx, x, together=x.ndim > 1)))


@implements(np.flatnonzero)
def flatnonzero(cx: Lowering, a: Value) -> Value:
    """np.flatnonzero"""

    return nonzero_arrays(cx, ravel(cx, materialize(cx, as_array(cx, a))))[0]


@implements(np.argwhere)
def argwhere(cx: Lowering, a: Value) -> Value:
    """np.argwhere: one row of indices per true element."""
    x = as_array(cx, a)
    columns = nonzero_arrays(cx, x if x.ndim else insert_axes(materialize(cx, x), (0,)))
    n = columns[0].shape[0]
    columns = columns[: x.ndim]
    out = cx.alloc(i64, (n, const(len(columns))), (1, 0))
    for k, c in enumerate(columns):
        with cx.map((n,)) as ix:
            cx.emit(nodes.Tasklet(out.at((ix[0], const(k))), c.element(ix)))
    return out


@implements(np.clip)
def clip(
    cx: Lowering,
    a: Value,
    a_min: Value | None = None,
    a_max: Value | None = None,
    out: Value | None = None,
    *,
    min: Value | None = None,
    max: Value | None = None,
) -> Value:
    """np.clip: minimum(maximum(a, lo), hi), computed in the type of all three."""
    by_position, by_keyword = {a_min is not None, a_max is not None}, {min is not None, max is not None}
    if by_position != {True} and (True in by_position or by_keyword == {False}) or True in by_position & by_keyword:
        raise cx.unsupported("np.clip with bounds given in several ways, or with one alone")
    if True in by_position:
        return clipped(cx, a, a_min, a_max, out)
    return clipped(cx, a, min, max, out)


def clipped(cx: Lowering, a: Value, low: Value | None, high: Value | None, out: Value | None) -> Value:
    """An array between bounds, of which one or both may be missing."""
    low, high = low if given(low) else None, high if given(high) else None
    if low is None and high is None and numpy_versions.CLIP_NEEDS_A_BOUND is not None:
        cx.raise_("ValueError", numpy_versions.CLIP_NEEDS_A_BOUND)
        return a
    x = as_operand(cx, a)
    x = Num(x.expr, False) if isinstance(x, Num) else x  # of a Python number NumPy makes an array
    low, high = _bound(cx, x, low, lower=True), _bound(cx, x, high, lower=False)
    bounds = [as_operand(cx, v) for v in (low, high) if v is not None]
    types = [(v.dtype, isinstance(v, Num) and v.weak) for v in (x, *bounds)]
    dtype = promotion.result_type(types)
    for v in bounds:
        if isinstance(v, Num) and v.weak and v.dtype is i64 and dtype.is_int:
            check_weak_int(cx, v.expr, dtype)
    result: Value = x
    if bounds:
        ufunc = _CLIP[low is not None, high is not None]
        found = apply_ufunc(cx, ufunc, [x, *bounds], dtype, out if given(out) else None)
        assert isinstance(found, Value)
        result = found
    if isinstance(result, Arr):
        result = copy_array(cx, result, k_order(cx, [result], result.ndim))
    return deliver(cx, result, out)


_CLIP: dict[tuple[bool, bool], np.ufunc] = {
    (True, True): np._core.umath.clip,  # type: ignore[attr-defined]
    (True, False): np.maximum,
    (False, True): np.minimum,
}


def _bound(cx: Lowering, x: Num | Array, bound: Value | None, lower: bool) -> Value | None:
    """A Python int beyond the range of an integer array bounds nothing on that side."""
    if numpy_versions.CLIP_CHECKS or not (
        isinstance(bound, Num) and bound.weak and bound.dtype is i64 and x.dtype.is_int and x.dtype is not i64
    ):
        return bound
    if isinstance(x, Num) and x.weak:
        return bound
    limit = const(x.dtype.lowest if lower else builtins.min(x.dtype.highest, i64.highest))
    beyond = symbolic.le(bound.expr, limit) if lower else symbolic.ge(bound.expr, limit)
    if cx.decide(beyond):
        return None
    return Num(symbolic.maximum(bound.expr, limit) if lower else symbolic.minimum(bound.expr, limit), True)


@method("clip")
def clip_method(
    cx: Lowering, a: Value, min: Value | None = None, max: Value | None = None, out: Value | None = None
) -> Value:
    """a.clip(min, max)"""
    return clipped(cx, a, min, max, out)


@implements(np.take)
@method("take")
def take(
    cx: Lowering,
    a: Value,
    indices: Value,
    axis: Value | None = None,
    out: Value | None = None,
    mode: Value | None = None,
) -> Value:
    """np.take along an axis (flattened without one), mode "raise"."""
    if given(out) or given(mode):
        raise cx.unsupported("np.take with out or mode")
    i = as_operand(cx, indices)
    if not np.can_cast(i.dtype.numpy, np.int64, "safe") or i.dtype is b1:
        raise cx.unsupported(f"np.take with indices of type {i.dtype.numpy}")
    x = materialize(cx, as_array(cx, a))
    x = insert_axes(x, (0,)) if x.ndim == 0 and given(axis) else x
    k = axis_of(cx, axis, x.ndim)
    if k is None:
        x, k = ravel(cx, x), 0
    length = i.shape if isinstance(i, (Arr, Lazy)) else ()
    if k and cx.decide(symbolic.eq(cx.size_of(x.shape[:k]), const(0))):  # then NumPy looks at no index
        return cx.alloc(x.dtype, (*x.shape[:k], *length, *x.shape[k + 1 :]))
    count = cx.size_of(length)
    for extent in (*x.shape[:k], *x.shape[k + 1 :]):
        count = symbolic.mul(count, extent)
    fine = symbolic.disj(symbolic.ne(x.shape[k], const(0)), symbolic.eq(count, const(0)))
    cx.check(fine, "IndexError", "cannot do a non-empty take from an empty axes.")
    if cx.current.done:
        return NONE
    full = SliceVal(None, None, None)
    parts: list[Value] = [*[full] * k, i, *[full] * (x.ndim - k - 1)]
    if not isinstance(i, Num) and i.ndim:
        gather = Gather.make(cx, x, parts, unchecked=False)
        at, base = gather.at, gather.base
        taken = Lazy(x.dtype, gather.shape, lambda ix: base.element(at(ix)), tuple(range(len(gather.shape))))
        return materialize(cx, taken)
    part = get_item(cx, x, Tup(parts))
    return copy_array(cx, part) if isinstance(part, (Arr, Lazy)) else part


@implements(np.compress)
def compress(cx: Lowering, condition: Value, a: Value, axis: Value | None = None, out: Value | None = None) -> Value:
    """np.compress of a vector by a mask of the same length."""
    c, x = as_array(cx, condition), as_array(cx, a)
    if c.ndim != 1 or x.ndim != 1 or given(out) or c.dtype is not b1 or not cx.same_size(c.shape[0], x.shape[0]):
        raise cx.unsupported("np.compress in this form")
    return compress_mask(cx, x, c)


@method("compress")
def compress_method(
    cx: Lowering, a: Value, condition: Value, axis: Value | None = None, out: Value | None = None
) -> Value:
    """a.compress(condition)"""
    return compress(cx, condition, a, axis, out)


@implements(np.piecewise)
def piecewise(cx: Lowering, x: Value, condlist: Value, funclist: Value, *args: Value, **kw: Value) -> Value:
    """np.piecewise of conditions of x's shape: each function is called with the elements where its condition holds."""
    a = materialize(cx, as_array(cx, x))
    if not isinstance(condlist, Tup) or not isinstance(funclist, Tup):
        raise cx.unsupported("np.piecewise in this form")
    masks = [as_array(cx, c) for c in condlist.items]
    if any(c.dtype is not b1 or c.ndim != a.ndim for c in masks) or not masks:
        raise cx.unsupported("np.piecewise with such conditions")
    functions = list(funclist.items)
    if len(functions) == len(masks) + 1:
        masks.append(_nowhere(cx, masks))
    if len(functions) != len(masks):
        n = len(condlist.items)
        cx.raise_("ValueError", f"with {n} condition(s), either {n} or {n + 1} functions are expected")
        return a
    result = cx.alloc(a.dtype, a.shape, a.rank, zero=True)
    for mask, f in zip([materialize(cx, m) for m in masks], functions):
        if isinstance(f, (Num, Arr, Lazy)):
            set_item(cx, result, mask, f)
            continue
        chosen = compress_mask(cx, a, mask)
        any_chosen = symbolic.gt(chosen.shape[0], const(0))
        with cx.block(any_chosen) as some:
            set_item(cx, result, mask, call_value(cx, f, [chosen, *args], kw))
        cx.branch(any_chosen, some)
    return result


def _nowhere(cx: Lowering, masks: list[Array]) -> Array:
    """Where none of the masks holds."""
    elements = [m.element for m in masks]

    def at(ix: Index) -> Expr:
        some = elements[0](ix)
        for e in elements[1:]:
            some = Op("lor", (some, e(ix)), b1)
        return Op("lnot", (some,), b1)

    return Lazy(b1, masks[0].shape, at, masks[0].rank)


@implements(np.extract)
def extract(cx: Lowering, condition: Value, arr: Value) -> Value:
    """np.extract: the elements of the flattened array where the flattened condition is true."""
    c, x = as_array(cx, condition), as_array(cx, arr)
    if c.dtype is b1 and c.ndim == x.ndim and all(n == m or cx.same_size(n, m) for n, m in zip(c.shape, x.shape)):
        return compress_mask(cx, x, c)
    return take(cx, ravel(cx, materialize(cx, x)), flatnonzero(cx, c))
