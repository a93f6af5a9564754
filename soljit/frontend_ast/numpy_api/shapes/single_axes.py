"""Axes of length 1, made and removed: expand_dims, squeeze, atleast_1d and its relatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numpy_api.computing.reductions import axes_of_ufunc
from soljit.frontend_ast.values.values import Arr, Num, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import computed_now, given
from soljit.frontend_ast.views.reshaping import insert_axes, rearranged, with_units
from soljit.ir import symbolic
from soljit.ir.core.expr import Op, const
from soljit.ir.core.types import i64


@implements(np.expand_dims)
def expand_dims(cx: Lowering, a: Value, axis: Value) -> Value:
    """np.expand_dims"""
    x = in_memory(cx, a)
    where = static_of(cx, axis)
    found = computed_now(cx, lambda: np.expand_dims(np.broadcast_to(np.int8(0), tuple(range(2, 2 + x.ndim))), where))
    if found is None:
        return x
    return with_units(cx, insert_axes(x, [k for k, n in enumerate(found.shape) if n == 1]))


@implements(np.squeeze)
@method("squeeze")
def squeeze(cx: Lowering, a: Value, axis: Value | None = None) -> Value:
    """np.squeeze"""
    x = in_memory(cx, a)
    named = static_of(cx, axis) if given(axis) else None
    if x.ndim == 0 and (named in (None, 0, -1) or named == ()):  # NumPy lets the axes 0 and -1 pass
        return a if isinstance(a, Num) and not a.weak else x
    gone = axes_of_ufunc(cx, axis, x.ndim)
    if gone is None:
        return _without_ones(cx, x, [cx.decide(symbolic.eq(n, const(1))) for n in x.shape])
    if not gone:
        return x
    for k in gone:
        text = "cannot select an axis to squeeze out which has size not equal to one"
        cx.check(symbolic.eq(x.shape[k], const(1)), "ValueError", text)
    return _without(x, gone)


def _without_ones(cx: Lowering, x: Arr, answers: list[bool | None]) -> Value:
    """The array without its axes of length 1; what only the run tells makes its rank depend on the path."""
    if None not in answers:
        return _without(x, [k for k, yes in enumerate(answers) if yes]) if any(answers) else x
    at = answers.index(None)

    def option(k: int) -> Value:
        return _without_ones(cx, x, [*answers[:at], k == 0, *answers[at + 1 :]])

    is_one = symbolic.eq(x.shape[at], const(1))
    return choose(cx, Op("select", (is_one, const(0), const(1)), i64), 2, option, "squeezed")


def _without(x: Arr, gone: Sequence[int]) -> Arr:
    kept = [k for k in range(x.ndim) if k not in gone]
    return rearranged(x, [x.shape[k] for k in kept], kept)


def _at_least(cx: Lowering, v: Value, ndim: int) -> Arr:
    x = in_memory(cx, v)
    if x.ndim >= ndim:
        return x
    if x.ndim == 0:
        return with_units(cx, insert_axes(x, range(ndim)))
    if ndim == 3:
        return insert_axes(x, (2,) if x.ndim == 2 else (0, 2))
    return insert_axes(x, (0,))


def _each(arys: Sequence[Value], f: Callable[[Value], Value]) -> Value:
    return f(arys[0]) if len(arys) == 1 else Tup([f(v) for v in arys])


@implements(np.atleast_1d)
def atleast_1d(cx: Lowering, *arys: Value) -> Value:
    """np.atleast_1d"""
    return _each(arys, lambda v: _at_least(cx, v, 1))


@implements(np.atleast_2d)
def atleast_2d(cx: Lowering, *arys: Value) -> Value:
    """np.atleast_2d"""
    return _each(arys, lambda v: _at_least(cx, v, 2))


@implements(np.atleast_3d)
def atleast_3d(cx: Lowering, *arys: Value) -> Value:
    """np.atleast_3d"""
    return _each(arys, lambda v: _at_least(cx, v, 3))
