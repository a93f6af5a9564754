"""Permuted axes: transpose, swapaxes, moveaxis, rollaxis and their relatives, also along axes that only the run tells."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from soljit.base.messages import escape
from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import attribute, implements, method
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numpy_api.shapes.reshape import scalar_again
from soljit.frontend_ast.values.descriptions import py_type
from soljit.frontend_ast.values.values import Arr, Num, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import computed_now, given
from soljit.frontend_ast.views.reshaping import transposed
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, const

_MOST_AXES = 3  # that only the run tells
_NO_AXIS = 97  # of any array
_AXIS_ERROR = "numpy.exceptions.AxisError"


def permuted(cx: Lowering, a: Arr, f: Callable[[Any], Any]) -> Arr:
    """The view that NumPy function `f` makes by permuting axes: read off what it does to distinct lengths."""
    found = computed_now(cx, lambda: f(_distinct(a)).shape)
    return a if found is None else transposed(a, found)


def _distinct(a: Arr) -> Any:
    return np.broadcast_to(np.int8(0), tuple(range(a.ndim)))


def permuted_by(cx: Lowering, a: Arr, axes: Sequence[Value], f: Callable[..., Any]) -> Value:
    """The view that `f(array, *axes)` makes: for axes that only the run tells one of those that there can be."""
    of_run = [e for v in axes for e in _of_run(cx, v)]
    if not 0 < len(of_run) <= min(_MOST_AXES, a.ndim):
        known = [static_of(cx, v) for v in axes]
        return permuted(cx, a, lambda x: f(x, *known))

    def tried(numbers: Sequence[int]) -> Any:
        """The order of the axes that these numbers make, or the exception."""
        left = iter(numbers)
        try:
            return f(_distinct(a), *[_with_numbers(cx, v, of_run, left) for v in axes]).shape
        except RecursionError:
            raise
        except Exception as e:  # whatever NumPy says of such axes
            return e

    n = const(a.ndim)
    for k, e in enumerate(of_run):
        outside = tried([_NO_AXIS if k == at else at for at in range(len(of_run))])
        inside = symbolic.conj(symbolic.ge(e, symbolic.neg(n)), symbolic.lt(e, n))
        cx.check(inside, _AXIS_ERROR, escape(str(outside)).replace(str(_NO_AXIS), "{0}"), [e])
    places = [cx.let(symbolic.select(symbolic.lt(e, const(0)), symbolic.add(e, n), e), "axis") for e in of_run]
    found: dict[str, Any] = {}
    tag: Expr = const(0)
    for numbers in itertools.product(range(a.ndim), repeat=len(places)):
        order = tried(numbers)
        found.setdefault(repr(order), order)
        here = symbolic.conj(*[symbolic.eq(p, const(k)) for p, k in zip(places, numbers)])
        tag = symbolic.select(here, const(list(found).index(repr(order))), tag)
    orders = list(found.values())

    def option(k: int) -> Value:
        if isinstance(orders[k], Exception):
            cx.raise_like(orders[k])
            return a
        return transposed(a, orders[k])

    return choose(cx, cx.let(tag, "order"), len(orders), option, "permuted")


def _of_run(cx: Lowering, v: Value) -> list[Expr]:
    """The integers in an argument that nothing tells while compiling; a short loop that counts them is unrolled."""
    if isinstance(v, Tup):
        return [e for x in v.items for e in _of_run(cx, x)]
    if not isinstance(v, Num) or not v.dtype.is_int or cx.static_int(v.expr) is not None:
        return []
    cx.unroll_for(v.expr)
    return [v.expr]


def _with_numbers(cx: Lowering, v: Value, of_run: Sequence[Expr], numbers: Iterator[int]) -> Any:
    """The argument with these numbers for those of the run."""
    if isinstance(v, Tup):
        items = [_with_numbers(cx, x, of_run, numbers) for x in v.items]
        return items if v.mutable else tuple(items)
    return next(numbers) if isinstance(v, Num) and v.expr in of_run else static_of(cx, v)


@implements(np.transpose)
def transpose(cx: Lowering, a: Value, axes: Value | None = None) -> Value:
    """np.transpose"""
    order = [axes] if axes is not None and given(axes) else []
    return scalar_again(a, permuted_by(cx, in_memory(cx, a), order, np.transpose))


@method("transpose")
def transpose_method(cx: Lowering, a: Value, *axes: Value) -> Value:
    """a.transpose"""
    return scalar_again(a, permuted_by(cx, in_memory(cx, a), axes, np.ndarray.transpose))


@implements(np.swapaxes)
@method("swapaxes")
def swapaxes(cx: Lowering, a: Value, axis1: Value, axis2: Value) -> Value:
    """np.swapaxes"""
    return permuted_by(cx, in_memory(cx, a), [axis1, axis2], np.swapaxes)


@implements(np.moveaxis)
def moveaxis(cx: Lowering, a: Value, source: Value, destination: Value) -> Value:
    """np.moveaxis"""
    return permuted_by(cx, in_memory(cx, a), [source, destination], np.moveaxis)


@implements(np.rollaxis)
def rollaxis(cx: Lowering, a: Value, axis: Value, start: Value | None = None) -> Value:
    """np.rollaxis: `start` must be known while compiling"""
    at = static_of(cx, start) if start is not None else 0
    return permuted_by(cx, in_memory(cx, a), [axis], lambda x, k: np.rollaxis(x, k, at))


@attribute("mT")
def matrix_transpose(cx: Lowering, a: Any) -> Value:
    """The transpose of the last two axes."""
    if isinstance(a, Num):
        cx.raise_("AttributeError", f"'{py_type(a)}' object has no attribute 'mT'")
        return a
    return permuted(cx, in_memory(cx, a), lambda x: x.mT)


@implements(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose_function(cx: Lowering, x: Value) -> Value:
    """np.matrix_transpose"""
    return permuted(cx, in_memory(cx, x), np.matrix_transpose)
