"""Sorting with NumPy's own routines: sort and argsort, along any axis, each line in place."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast.arrays.axis_order import copy_order
from soljit.frontend_ast.arrays.elementwise import copy_array, materialize, store
from soljit.frontend_ast.arrays.memlets import has_neighbours, part
from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values.values import NONE, Arr, Array, Value
from soljit.frontend_ast.views.numpy_arguments import axis_of, given
from soljit.frontend_ast.views.reshaping import ravel
from soljit.ir.core import nodes
from soljit.ir.core.types import DType, i64
from soljit.support.numpy_routines import KINDS, routine


def _kind_of(cx: Lowering, kind: Value | None, stable: Value | None, order: Value | None) -> str:
    """NumPy's name of the algorithm."""
    if given(order):
        raise cx.unsupported("sorting by fields")
    name = static_of(cx, kind) if given(kind) else None
    if given(stable):
        if name is not None:
            raise cx.unsupported("sorting with kind and stable")
        return "stable" if static_of(cx, stable) else "quicksort"
    name = {None: "quicksort", "mergesort": "stable"}.get(name, name)
    if name not in KINDS:
        raise cx.unsupported(f"sorting with kind={name!r}")
    return str(name)


def _need(cx: Lowering, op: str, t: DType, kind: str) -> None:
    if not routine(f"{op}:{t.numpy.char}:{kind}"):
        raise cx.unsupported("sorting with another NumPy than 2")


def _along(cx: Lowering, a: Value, axis: Value | None) -> tuple[Array, int]:
    """The array and the axis; all elements in a row for axis=None."""
    x = as_array(cx, a)
    if axis is None:
        axis_number: int | None = -1 if x.ndim else None
    elif not given(axis):
        x, axis_number = ravel(cx, materialize(cx, x)), 0
    else:
        axis_number = axis_of(cx, axis, x.ndim)
    if x.ndim == 0 or axis_number is None:
        raise cx.unsupported("sorting a 0-d array")
    return x, axis_number % x.ndim


def _sort_lines(cx: Lowering, a: Arr, k: int, kind: str) -> None:
    """Sort along axis `k`, whose elements are neighbours in memory."""
    others = [axis for axis in range(a.ndim) if axis != k]
    with cx.map([a.shape[axis] for axis in others]) as index:
        line = part(a, dict(zip(others, index)))
        cx.emit(nodes.LibraryNode("sort", (line,), (), {"kind": kind}))


def _sorted(cx: Lowering, x: Array, k: int, kind: str) -> Arr:
    """A sorted copy in the memory order of `x`."""
    _need(cx, "sort", x.dtype, kind)
    rank = copy_order(cx, x)
    if rank[-1] == k:
        out = copy_array(cx, x, rank, "sorted")
        _sort_lines(cx, out, k, kind)
        return out
    lines = _with_neighbours(cx, x, k)
    _sort_lines(cx, lines, k, kind)
    return copy_array(cx, lines, rank, "sorted")


def _with_neighbours(cx: Lowering, x: Array, k: int) -> Arr:
    """A copy in which the elements along axis `k` are neighbours."""
    return copy_array(cx, x, (*(axis for axis in range(x.ndim) if axis != k), k), "lines")


@implements(np.sort, remark="NumPy's own sorting routines")
def sort(
    cx: Lowering,
    a: Value,
    axis: Value | None = None,
    kind: Value | None = None,
    order: Value | None = None,
    *,
    stable: Value | None = None,
) -> Value:
    """np.sort: a sorted copy."""
    name = _kind_of(cx, kind, stable, order)
    x, k = _along(cx, a, axis)
    return x if cx.current.done else _sorted(cx, x, k, name)


@implements(np.argsort, remark="NumPy's own sorting routines")
def argsort(
    cx: Lowering,
    a: Value,
    axis: Value | None = None,
    kind: Value | None = None,
    order: Value | None = None,
    *,
    stable: Value | None = None,
) -> Value:
    """np.argsort: the indices that would sort, in C order."""
    name = _kind_of(cx, kind, stable, order)
    x, k = _along(cx, a, axis)
    if cx.current.done:
        return x
    _need(cx, "argsort", x.dtype, name)
    lines = x if isinstance(x, Arr) and has_neighbours(cx, x, k) else _with_neighbours(cx, x, k)
    others = [axis for axis in range(x.ndim) if axis != k]
    out = cx.alloc(i64, x.shape, (*others, k), hint="order")
    with cx.map([x.shape[axis] for axis in others]) as index:
        fixed = dict(zip(others, index))
        cx.emit(nodes.LibraryNode("argsort", (part(out, fixed),), (part(lines, fixed),), {"kind": name}))
    return out if k == x.ndim - 1 else copy_array(cx, out)


@method("sort")
def sort_in_place(
    cx: Lowering,
    a: Value,
    axis: Value | None = None,
    kind: Value | None = None,
    order: Value | None = None,
    *,
    stable: Value | None = None,
) -> Value:
    """a.sort()"""
    if not isinstance(a, Arr):
        raise cx.unsupported("a.sort() of something that is not an array in memory")
    if axis is not None and not given(axis):
        cx.raise_("TypeError", "'NoneType' object cannot be interpreted as an integer")
        return NONE
    name = _kind_of(cx, kind, stable, order)
    _, k = _along(cx, a, axis)
    if not a.writable:
        cx.raise_("ValueError", "sort array is read-only")
    if cx.current.done:
        return NONE
    if has_neighbours(cx, a, k):
        _need(cx, "sort", a.dtype, name)
        _sort_lines(cx, a, k, name)
    else:
        store(cx, a, _sorted(cx, a, k, name))
    return NONE
