"""np.split and its relatives: lists of views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.iteration.static_items import iterate_static
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.objects.objects import list_of
from soljit.frontend_ast.values.values import Arr, Dim, Lazy, Num, SliceVal, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import normal_axis
from soljit.frontend_ast.views.subscripts import basic_view
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, const


def _slices(cx: Lowering, a: Arr, axis: int, starts: Sequence[Expr], stops: Sequence[Expr]) -> list[Value]:
    """Views of known, fitting bounds."""
    out: list[Value] = []
    for lo, hi in zip(starts, stops):
        dims = tuple(
            Dim(symbolic.add(d.offset, symbolic.mul(d.step, lo)), d.step, d.axis) if d.axis == axis else d
            for d in a.dims
        )
        n = cx.let(symbolic.sub(hi, lo), "n")
        out.append(replace(a, shape=(*a.shape[:axis], n, *a.shape[axis + 1 :]), dims=dims, whole=False, made=""))
    return out


def split_at(cx: Lowering, a: Arr, where: Value, axis: int, even: bool) -> list[Value]:
    """Into a number of sections, or at indices."""
    if isinstance(where, (Tup, Arr, Lazy)) and not (isinstance(where, (Arr, Lazy)) and where.ndim == 0):
        bounds: list[Value | None] = [None, *(pin(cx, x) for x in iterate_static(cx, where)), None]
        views: list[Value] = []
        for lo, hi in zip(bounds, bounds[1:]):
            parts: list[Value] = [SliceVal(None, None, None)] * a.ndim
            parts[axis] = SliceVal(lo if lo is not None else Num(const(0), True), hi, None)
            views.append(basic_view(cx, a, parts))
        return views
    k = static_of(cx, where)
    n = a.shape[axis]
    if not isinstance(k, (int, np.integer)):
        raise cx.unsupported("splitting in such sections")
    count = const(int(k))
    if even and k == 0:
        cx.raise_("ZeroDivisionError", _division())
    elif even:
        cx.check(
            symbolic.eq(symbolic.mod(n, count), const(0)),
            "ValueError",
            "array split does not result in an equal division",
        )
    if k < 0 or k == 0 and not even:
        cx.raise_("ValueError", "number sections must be larger than 0.")
    if cx.current.done:
        return []
    each = cx.let(symbolic.floordiv(n, count), "section")
    extra = const(0) if even else cx.let(symbolic.mod(n, count), "extra")
    points = []
    for i in range(int(k) + 1):
        few = cx.decide(symbolic.ge(extra, const(i)))
        more = const(i) if few else extra if few is False else symbolic.minimum(const(i), extra)
        points.append(cx.let(symbolic.add(symbolic.mul(const(i), each), more), "at"))
    return _slices(cx, a, axis, points[:-1], points[1:])


def _division() -> str:
    try:
        np.split(np.zeros(1), 0)
    except ZeroDivisionError as e:
        return str(e)
    return ""


@implements(np.split)
def split(cx: Lowering, ary: Value, indices_or_sections: Value, axis: Value | None = None) -> Value:
    """np.split"""
    return _along(cx, ary, indices_or_sections, axis, True)


@implements(np.array_split)
def array_split(cx: Lowering, ary: Value, indices_or_sections: Value, axis: Value | None = None) -> Value:
    """np.array_split: sections may differ by one."""
    return _along(cx, ary, indices_or_sections, axis, False)


def _along(cx: Lowering, ary: Value, where: Value, axis: Value | None, even: bool) -> Value:
    a = in_memory(cx, ary)
    k = static_of(cx, axis) if axis is not None else 0
    if not isinstance(k, int) or not -a.ndim <= k < a.ndim:
        raise cx.unsupported("splitting along an axis that does not exist")
    return list_of(cx, split_at(cx, a, where, normal_axis(cx, k, a.ndim), even))


def _named(cx: Lowering, ary: Value, where: Value, name: str, least: int, axis: int) -> Value:
    a = in_memory(cx, ary)
    if a.ndim < least:
        cx.raise_("ValueError", f"{name} only works on arrays of {least} or more dimensions")
        return list_of(cx, [])
    return list_of(cx, split_at(cx, a, where, axis, True))


@implements(np.hsplit)
def hsplit(cx: Lowering, ary: Value, indices_or_sections: Value) -> Value:
    """np.hsplit"""
    a = in_memory(cx, ary)
    return _named(cx, a, indices_or_sections, "hsplit", 1, 1 if a.ndim > 1 else 0)


@implements(np.vsplit)
def vsplit(cx: Lowering, ary: Value, indices_or_sections: Value) -> Value:
    """np.vsplit"""
    return _named(cx, ary, indices_or_sections, "vsplit", 2, 0)


@implements(np.dsplit)
def dsplit(cx: Lowering, ary: Value, indices_or_sections: Value) -> Value:
    """np.dsplit"""
    return _named(cx, ary, indices_or_sections, "dsplit", 3, 2)
