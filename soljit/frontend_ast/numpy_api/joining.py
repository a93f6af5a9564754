"""Making one array of several or of repetitions: concatenate, the stacks, block, append, tile, repeat, roll."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.frontend_ast import promotion
from soljit.frontend_ast.calls import iterate_static
from soljit.frontend_ast.elementwise import cast_elements, copy_array, k_order, materialize, shape_text, store
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.shape_functions import array
from soljit.frontend_ast.numpy_api.shaping import ravel, reshaped
from soljit.frontend_ast.numpy_api.table import as_array, axis_of, dtype_of, given, implements, method, normal_axis, static_of
from soljit.frontend_ast.values import Arr, Array, Lazy, Num, Tup, Value
from soljit.ir import nodes, symbolic
from soljit.ir.expr import Const, Expr, Op, Sym, const, is_const
from soljit.ir.types import DType, b1, i64

Index = tuple[Expr, ...]


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
            return array(cx, first)
        for d in range(first.ndim):
            if d == axis or first.shape[d] == a.shape[d] or cx.same_size(first.shape[d], a.shape[d]):
                continue
            cx.check(
                symbolic.eq(first.shape[d], a.shape[d]),
                "ValueError",
                "all the input array dimensions except for the concatenation axis must match exactly, but along dimension "
                f"{d}, the array at index 0 has size {{0}} and the array at index {k} has size {{1}}",
                [first.shape[d], a.shape[d]],
            )
            if cx.current.done:
                return array(cx, first)
    if dtype is None:
        dtype = promotion.result_type([(a.dtype, False) for a in arrays])
    length: Expr = const(0)
    starts = []
    for a in arrays:
        starts.append(length)
        length = cx.let(symbolic.add(length, a.shape[axis]), "end")
    shape = tuple(length if k == axis else n for k, n in enumerate(first.shape))
    out = cx.alloc(dtype, shape, k_order(arrays, first.ndim), hint="joined")
    for a, start in zip(arrays, starts):
        with cx.map(a.shape, out.rank) as ix:
            at = tuple(symbolic.add(start, i) if k == axis else i for k, i in enumerate(ix))
            cx.emit(nodes.Tasklet(out.at(at), cx.cast(a.element(ix), dtype)))
    return out


def finish(cx: Lowering, result: Arr, out: Value | None) -> Value:
    """The result, or `out` filled with it."""
    if not given(out):
        return result
    if not isinstance(out, Arr) or out.ndim != result.ndim:
        raise cx.unsupported("out= of this form")
    if not all(n == m or cx.same_size(n, m) for n, m in zip(out.shape, result.shape)):
        raise cx.unsupported("out= of another or unknown shape")
    if not np.can_cast(result.dtype.numpy, out.dtype.numpy, "same_kind"):
        raise cx.unsupported("out= of a type that needs casting")
    store(cx, out, result)
    return out


@implements(np.concatenate)
def concatenate(cx: Lowering, arrays: Value, axis: Value | None = None, out: Value | None = None, *, dtype: Value | None = None,
                casting: Value | None = None) -> Value:  # fmt: skip
    """np.concatenate"""
    xs = pieces(cx, arrays)
    if given(casting):
        raise cx.unsupported("np.concatenate with casting")
    if not xs:
        cx.raise_("ValueError", "need at least one array to concatenate")
        return arrays
    t = dtype_of(cx, dtype)
    if t is not None and not all(np.can_cast(x.dtype.numpy, t.numpy, "same_kind") for x in xs):
        raise cx.unsupported("np.concatenate to a type that needs casting")
    if axis is not None and not given(axis):
        if t is None and isinstance(arrays, Tup):  # here, and only here, Python numbers adapt to the arrays' type
            t = promotion.result_type([(x.dtype, isinstance(v, Num) and v.weak) for x, v in zip(xs, arrays.items)])
        return finish(cx, join(cx, [ravel(cx, materialize(cx, x)) for x in xs], 0, t), out)
    if xs[0].ndim == 0:
        cx.raise_("ValueError", "zero-dimensional arrays cannot be concatenated")
        return arrays
    k = 0 if axis is None else axis_of(cx, axis, xs[0].ndim)
    if cx.current.done:
        return arrays
    assert k is not None
    return finish(cx, join(cx, xs, k, t), out)


@implements(np.stack)
def stack(cx: Lowering, arrays: Value, axis: Value | None = None, out: Value | None = None, *, dtype: Value | None = None) -> Value:
    """np.stack"""
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
    return finish(cx, join(cx, [widened(x, (k,)) for x in xs], k, dtype_of(cx, dtype)), out)


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
    return array(cx, result) if deep else copy_array(cx, result, result.rank)


@implements(np.append)
def append(cx: Lowering, arr: Value, values: Value, axis: Value | None = None) -> Value:
    """np.append"""
    a, b = as_array(cx, arr), as_array(cx, values)
    if given(axis):
        return concatenate(cx, Tup([a, b]), axis)
    return join(cx, [x if x.ndim == 1 else widened(x, (0,)) if x.ndim == 0 else ravel(cx, materialize(cx, x)) for x in (a, b)], 0)


# --- repetitions ------------------------------------------------------------------------------------------------------


def integer(cx: Lowering, v: Value) -> Expr:
    """An integer argument."""
    if isinstance(v, Num) and (v.dtype.is_int or v.dtype is b1):
        return cx.let(cx.cast(v.expr, i64))
    raise cx.unsupported("an argument that is not an integer")


@implements(np.tile)
def tile(cx: Lowering, A: Value, reps: Value) -> Value:
    """np.tile"""
    a = array(cx, A)
    counts = [integer(cx, r) for r in (reps.items if isinstance(reps, Tup) else [reps])]
    ndim = max(a.ndim, len(counts))
    counts = [const(1)] * (ndim - len(counts)) + counts
    shape = (*[const(1)] * (ndim - a.ndim), *a.shape)
    skip = ndim - a.ndim
    for r in counts:
        cx.check(symbolic.ge(r, const(0)), "ValueError", "negative dimensions are not allowed")
    if cx.current.done:
        return a
    out = cx.alloc(a.dtype, [symbolic.mul(r, n) for r, n in zip(counts, shape)], hint="tiled")
    repeated = [k for k in range(ndim) if not is_const(counts[k], 1)]
    with cx.map((*(counts[k] for k in repeated), *shape)) as ix:
        turn = dict(zip(repeated, ix))
        inner = ix[len(repeated) :]
        at = tuple(symbolic.add(symbolic.mul(turn[k], shape[k]), i) if k in turn else i for k, i in enumerate(inner))
        cx.emit(nodes.Tasklet(out.at(at), a.element(inner[skip:])))
    return out


@implements(np.repeat)
@method("repeat")
def repeat(cx: Lowering, a: Value, repeats: Value, axis: Value | None = None) -> Value:
    """np.repeat"""
    x = array(cx, a)
    if not given(axis):
        x = ravel(cx, x)
        k = 0
    else:
        k = normal_axis(cx, static_of(cx, axis), x.ndim)
    if cx.current.done:
        return x
    counts = as_array(cx, repeats) if not isinstance(repeats, Num) else repeats
    if not isinstance(counts, Num):
        if counts.ndim > 1 or not (counts.dtype.is_int or counts.dtype is b1):
            raise cx.unsupported("np.repeat with such counts")
        if counts.ndim == 0 or cx.decide(symbolic.eq(counts.shape[0], const(1))):
            counts = Num(cx.let(counts.element((const(0),) * counts.ndim)), False)
    if isinstance(counts, Num):
        return _repeat_evenly(cx, x, integer(cx, counts), k)
    return _repeat_each(cx, x, materialize(cx, cast_elements(counts, i64)), k)


def _spliced(ix: Index, k: int, i: Expr) -> Index:
    return (*ix[:k], i, *ix[k + 1 :])


def _repeat_evenly(cx: Lowering, x: Arr, r: Expr, k: int) -> Arr:
    cx.check(symbolic.ge(r, const(0)), "ValueError", "negative dimensions are not allowed")
    if cx.current.done:
        return x
    out = cx.alloc(x.dtype, _spliced(x.shape, k, symbolic.mul(x.shape[k], r)), hint="repeated")
    with cx.map((*x.shape[: k + 1], r, *x.shape[k + 1 :])) as ix:
        at = (*ix[:k], symbolic.add(symbolic.mul(ix[k], r), ix[k + 1]), *ix[k + 2 :])
        cx.emit(nodes.Tasklet(out.at(at), x.element((*ix[: k + 1], *ix[k + 2 :]))))
    return out


def _repeat_each(cx: Lowering, x: Arr, counts: Arr, k: int) -> Arr:
    n, m = x.shape[k], counts.shape[0]
    if not cx.same_size(n, m):
        text, operands = shape_text([(n,), (m,)])
        cx.check(symbolic.eq(n, m), "ValueError", f"operands could not be broadcast together with shape {text}", operands)
        if cx.current.done:
            return x
    starts = cx.alloc(i64, (n,), hint="starts")
    end, bad = cx.scalar(i64, "end"), cx.scalar(b1, "bad")
    cx.write(end, const(0))
    cx.write(bad, Const(False, b1))
    with cx.loop(n) as i:
        c = cx.let(counts.element((i,)), "count")
        cx.emit(nodes.Tasklet(starts.at((i,)), cx.read(end)))
        cx.write(end, Op("add", (cx.read(end), c), i64))
        cx.write(bad, Op("lt", (c, const(0)), b1), "lor")
    with cx.block() as failed:
        cx.raise_("ValueError", "repeats may not contain negative values.")
    cx.branch(cx.read(bad), failed)
    name = cx.fresh("total")
    cx.emit(nodes.Let(name, cx.read(end)))
    cx.facts = cx.facts.with_size(name)
    out = cx.alloc(x.dtype, _spliced(x.shape, k, Sym(name)), hint="repeated")
    with cx.map(x.shape) as ix:
        start, count = cx.let(starts.element((ix[k],)), "start"), cx.let(counts.element((ix[k],)), "count")
        value = cx.let(x.element(ix), "x")
        with cx.loop(count, "r") as j:
            cx.emit(nodes.Tasklet(out.at(_spliced(ix, k, Op("add", (start, j), i64))), value))
    return out


# --- rotation ---------------------------------------------------------------------------------------------------------


@implements(np.roll)
def roll(cx: Lowering, a: Value, shift: Value, axis: Value | None = None) -> Value:
    """np.roll"""
    x = as_array(cx, a)
    if not given(axis):
        flat = ravel(cx, materialize(cx, x))
        return reshaped(cx, _rolled(cx, flat, {0: integer(cx, shift)}), x.shape)
    axes: Any = static_of(cx, axis)
    axes = list(axes) if isinstance(axes, (tuple, list)) else [axes]
    shifts = shift.items if isinstance(shift, Tup) else [shift]
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    elif len(axes) == 1:
        axes = axes * len(shifts)
    elif len(axes) != len(shifts):
        raise cx.unsupported("np.roll with shifts and axes that do not go together")
    by_axis: dict[int, Expr] = {}
    for k, s in zip(axes, shifts):
        k = normal_axis(cx, k, x.ndim)
        by_axis[k] = symbolic.add(by_axis.get(k, const(0)), integer(cx, s))
    if cx.current.done:
        return x
    return _rolled(cx, x, by_axis)


def _rolled(cx: Lowering, x: Array, shifts: dict[int, Expr]) -> Arr:
    """The blocks of the array, each moved as a whole."""
    out = cx.alloc(x.dtype, x.shape, x.rank, hint="rolled")
    choices: list[list[tuple[Expr, Expr, Expr]]] = []  # per axis: (length, from, to) of the blocks
    for k, n in enumerate(x.shape):
        if k not in shifts:
            choices.append([(n, const(0), const(0))])
            continue
        s = _shift(cx, shifts[k], n)
        rest = symbolic.sub(n, s)
        choices.append([(rest, const(0), s), (s, rest, const(0))] if not is_const(s, 0) else [(n, const(0), const(0))])

    def emit(k: int, chosen: list[tuple[Expr, Expr, Expr]]) -> None:
        if k < len(choices):
            for c in choices[k]:
                emit(k + 1, [*chosen, c])
            return
        with cx.map([c[0] for c in chosen], x.rank) as ix:
            source = tuple(symbolic.add(c[1], i) for c, i in zip(chosen, ix))
            target = tuple(symbolic.add(c[2], i) for c, i in zip(chosen, ix))
            cx.emit(nodes.Tasklet(out.at(target), x.element(source)))

    emit(0, [])
    return out


def _shift(cx: Lowering, s: Expr, n: Expr) -> Expr:
    """The shift to the right, 0 <= s < n (0 if n is 0)."""
    s = symbolic.simplify(s)
    if cx.decide(symbolic.ge(s, const(0))):
        if cx.decide(symbolic.lt(s, n)):
            return s
    elif cx.decide(symbolic.lt(symbolic.neg(s), n)):
        return symbolic.add(n, s)
    name = cx.fresh("shift")
    cx.emit(nodes.Let(name, Op("mod", (s, n), i64)))
    cx.facts = cx.facts.with_range(name, const(0), symbolic.add(n, const(1)))
    return Sym(name)


