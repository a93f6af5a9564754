"""Repetition and rotation: tile, repeat, roll."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.axis_order import copy_order
from soljit.frontend_ast.arrays.elementwise import cast_elements, copy_array, materialize, shape_text
from soljit.frontend_ast.arrays.operands import as_array, in_memory
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import given, integer_of, normal_axis
from soljit.frontend_ast.views.reshaping import insert_axes, ravel, reshaped
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Op, Sym, const, is_const
from soljit.ir.core.types import b1, i64, u64

Index = tuple[Expr, ...]


@implements(np.tile)
def tile(cx: Lowering, A: Value, reps: Value) -> Value:
    """np.tile"""
    a = in_memory(cx, A)
    counts = [integer_of(cx, r) for r in (reps.items if isinstance(reps, Tup) else [reps])]
    ndim = max(a.ndim, len(counts))
    counts = [const(1)] * (ndim - len(counts)) + counts
    shape = (*[const(1)] * (ndim - a.ndim), *a.shape)
    skip = ndim - a.ndim
    if isinstance(A, (Arr, Lazy)) and _all_one(cx, counts, a):
        return insert_axes(copy_array(cx, a, copy_order(cx, a)), range(skip))
    if any(cx.decide(symbolic.lt(r, const(0))) for r in counts):
        raise cx.unsupported("np.tile with a negative number of repetitions")
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


def _all_one(cx: Lowering, counts: list[Expr], a: Arr) -> bool:
    """Tell whether nothing is repeated, and that makes a difference: `a` lies in another order than C."""
    if a.rank == tuple(range(a.ndim)) or any(isinstance(r, Const) and r != const(1) for r in counts):
        return False
    return cx.decide(symbolic.conj(*(symbolic.eq(r, const(1)) for r in counts))) is True


@implements(np.repeat)
@method("repeat")
def repeat(cx: Lowering, a: Value, repeats: Value, axis: Value | None = None) -> Value:
    """np.repeat"""
    x = in_memory(cx, a)
    if not given(axis):
        x = ravel(cx, x)
        k = 0
    else:
        x = insert_axes(x, (0,)) if x.ndim == 0 else x
        k = normal_axis(cx, static_of(cx, axis), x.ndim)
    if cx.current.done:
        return x
    counts = as_array(cx, repeats) if not isinstance(repeats, Num) else repeats
    if not isinstance(counts, Num):
        if counts.ndim > 1 or not (counts.dtype.is_int or counts.dtype is b1):
            raise cx.unsupported("np.repeat with such counts")
        if counts.dtype is u64 and isinstance(repeats, (Arr, Lazy)):
            what = "array data" if counts.ndim else "scalar"
            cx.raise_(
                "TypeError", f"Cannot cast {what} from dtype('uint64') to dtype('int64') according to the rule 'safe'"
            )
            return x
        if counts.ndim == 0 or cx.decide(symbolic.eq(counts.shape[0], const(1))):
            counts = Num(cx.let(counts.element((const(0),) * counts.ndim)), False)
    if isinstance(counts, Num):
        return _repeat_evenly(cx, x, integer_of(cx, counts), k)
    return _repeat_each(cx, x, materialize(cx, cast_elements(counts, i64)), k)


def _spliced(ix: Index, k: int, i: Expr) -> Index:
    return (*ix[:k], i, *ix[k + 1 :])


def _repeat_evenly(cx: Lowering, x: Arr, r: Expr, k: int) -> Arr:
    n = symbolic.mul(x.shape[k], r)
    cx.check(symbolic.ge(n, const(0)), "ValueError", "negative dimensions are not allowed")
    if cx.current.done:
        return x
    out = cx.alloc(x.dtype, _spliced(x.shape, k, n), hint="repeated")
    with cx.map((*x.shape[: k + 1], r, *x.shape[k + 1 :])) as ix:
        at = (*ix[:k], symbolic.add(symbolic.mul(ix[k], r), ix[k + 1]), *ix[k + 2 :])
        cx.emit(nodes.Tasklet(out.at(at), x.element((*ix[: k + 1], *ix[k + 2 :]))))
    return out


def _repeat_each(cx: Lowering, x: Arr, counts: Arr, k: int) -> Arr:
    n, m = x.shape[k], counts.shape[0]
    same = cx.same_size(n, m)
    only = symbolic.eq(m, const(1))  # one count that is meant for all
    if not same:
        text, operands = shape_text([(n,), (m,)])
        fits = symbolic.disj(symbolic.eq(n, m), only)
        cx.check(fits, "ValueError", f"operands could not be broadcast together with shape {text}", operands)
        if cx.current.done:
            return x

    def count_at(i: Expr) -> Expr:
        return cx.let(counts.element((i if same else symbolic.select(only, const(0), i),)), "count")

    starts = cx.alloc(i64, (n,), hint="starts")
    end, bad = cx.scalar(i64, "end"), cx.scalar(b1, "bad")
    cx.write(end, const(0))
    cx.write(bad, Const(False, b1))
    with cx.loop(n) as i:
        c = count_at(i)
        cx.emit(nodes.Tasklet(starts.at((i,)), cx.read(end)))
        cx.write(end, Op("add", (cx.read(end), c), i64))
        cx.write(bad, Op("lt", (c, const(0)), b1), "lor")
    if not same:
        all_negative = symbolic.conj(only, cx.read(bad))
        cx.check(symbolic.negate(all_negative), "ValueError", "negative dimensions are not allowed")
    cx.check(symbolic.negate(cx.read(bad)), "ValueError", "repeats may not contain negative values.")
    name = cx.fresh("total")
    cx.emit(nodes.Let(name, cx.read(end)))
    cx.facts = cx.facts.with_size(name)
    out = cx.alloc(x.dtype, _spliced(x.shape, k, Sym(name)), hint="repeated")
    with cx.map(x.shape) as ix:
        start, count = cx.let(starts.element((ix[k],)), "start"), count_at(ix[k])
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
        return reshaped(cx, _rolled(cx, flat, {0: integer_of(cx, shift)}), x.shape)
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
        by_axis[k] = symbolic.add(by_axis.get(k, const(0)), integer_of(cx, s))
    if cx.current.done:
        return x
    return _rolled(cx, x, by_axis)


def _rolled(cx: Lowering, x: Array, shifts: dict[int, Expr]) -> Arr:
    """Each element comes from a place further left, or, at the beginning of an axis, from its end."""
    lengths = dict(enumerate(x.shape))
    amounts = {k: _shift(cx, s, lengths[k]) for k, s in shifts.items()}
    out = cx.alloc(x.dtype, x.shape, copy_order(cx, x), hint="rolled")
    with cx.map(x.shape, x.rank) as ix:
        at = list(ix)
        for k, s in amounts.items():
            if not is_const(s, 0):
                behind, before = symbolic.sub(ix[k], s), symbolic.add(ix[k], symbolic.sub(lengths[k], s))
                at[k] = symbolic.select(symbolic.lt(ix[k], s), before, behind)
        cx.emit(nodes.Tasklet(out.at(ix), x.element(tuple(at))))
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
