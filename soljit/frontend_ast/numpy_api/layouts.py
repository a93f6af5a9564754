"""Memory layouts and further views: ascontiguousarray, asfortranarray, real, imag, unstack, sliding_window_view."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from soljit.frontend_ast.indexing import get_item
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api import creation
from soljit.frontend_ast.numpy_api.attributes import linear_access
from soljit.frontend_ast.numpy_api.shape_functions import array, integer, reverse
from soljit.frontend_ast.numpy_api.shaping import described, insert_axes, is_contiguous, laid_out, pinned, transposed
from soljit.frontend_ast.numpy_api.table import (
    ATTRIBUTES,
    as_operand,
    attribute,
    axes_of,
    flag_of,
    given,
    implements,
    normal_axis,
    static_of,
)
from soljit.frontend_ast.values import Arr, Dict, Num, Tup, Value
from soljit.ir import symbolic
from soljit.ir.expr import FALSE, TRUE, Expr, const


def _contiguous(cx: Lowering, a: Value, dtype: Value | None, fortran: bool) -> Value:
    x = array(cx, creation.asarray(cx, a, dtype))
    return insert_axes(x, (0,)) if x.ndim == 0 else laid_out(cx, x, fortran)


@implements(np.ascontiguousarray)
def ascontiguousarray(cx: Lowering, a: Value, dtype: Value | None = None) -> Value:
    """np.ascontiguousarray"""
    return _contiguous(cx, a, dtype, False)


@implements(np.asfortranarray)
def asfortranarray(cx: Lowering, a: Value, dtype: Value | None = None) -> Value:
    """np.asfortranarray"""
    return _contiguous(cx, a, dtype, True)


class Flags:
    """Stands for the class of `a.flags`, whose fields are known at compile time or computed."""


@attribute("flags")
def flags(cx: Lowering, a: Any) -> Value:
    """a.flags, without what only the memory's owner knows."""
    x = array(cx, a)
    c, f = _contiguity(cx, x), _contiguity(cx, reverse(x))
    values = {
        "c_contiguous": c,
        "contiguous": c,
        "f_contiguous": f,
        "fortran": f,
        "fnc": symbolic.conj(f, symbolic.negate(c)),
        "forc": symbolic.disj(f, c),
        "writeable": TRUE if x.writable else FALSE,
        "aligned": TRUE,
    }
    found: dict[Any, Value] = {}
    for name, e in values.items():
        found[name] = found[name.upper()] = Num(e, True)
    return Dict(found | {"C": found["c_contiguous"], "F": found["f_contiguous"], "W": found["writeable"]}, Flags)


def _contiguity(cx: Lowering, a: Arr) -> Expr:
    """As the flag says it: arrays without elements are contiguous, too."""
    found = is_contiguous(cx, a)
    if found is True:
        return TRUE
    empty = symbolic.eq(cx.size_of(a.shape), const(0))
    if cx.decide(empty):
        return TRUE
    known = FALSE if found is False else found
    assert isinstance(known, Expr)
    return known if cx.prove(empty) is False else symbolic.disj(empty, known)


@implements(np.real)
def real(cx: Lowering, val: Value) -> Value:
    """np.real"""
    return ATTRIBUTES["real"](cx, as_operand(cx, val))


@implements(np.imag)
def imag(cx: Lowering, val: Value) -> Value:
    """np.imag"""
    return ATTRIBUTES["imag"](cx, as_operand(cx, val))


@implements(np.unstack)
def unstack(cx: Lowering, x: Value, *, axis: Value | None = None) -> Value:
    """np.unstack: a tuple of views."""
    a = array(cx, x)
    if a.ndim == 0:
        cx.raise_("ValueError", "Input array must be at least 1-d.")
        return Tup([])
    k = normal_axis(cx, static_of(cx, axis) if axis is not None else 0, a.ndim)
    n = cx.static_int(a.shape[k])
    if n is None or n > 64:
        raise cx.unsupported("np.unstack into a number of parts that is large or not known at compile time")
    front = transposed(a, [k, *(j for j in range(a.ndim) if j != k)])
    return Tup([get_item(cx, front, Num(const(i), True)) for i in range(n)])


@implements(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(
    cx: Lowering,
    x: Value,
    window_shape: Value,
    axis: Value | None = None,
    *,
    subok: Value | None = None,
    writeable: Value | None = None,
) -> Value:
    """np.lib.stride_tricks.sliding_window_view: overlapping windows of the array's own memory."""
    a = pinned(cx, array(cx, x))
    windows = [integer(cx, w) for w in (window_shape.items if isinstance(window_shape, Tup) else [window_shape])]
    axes = axes_of(cx, axis, a.ndim) if given(axis) else tuple(range(a.ndim))
    assert axes is not None
    if len(windows) != len(axes):
        raise cx.unsupported("sliding_window_view with another number of lengths than of axes")
    shape = list(a.shape)
    for k, w in zip(axes, windows):
        cx.check(symbolic.ge(w, const(0)), "ValueError", "`window_shape` cannot contain negative values")
        fits = symbolic.ge(shape[k], w)
        cx.check(fits, "ValueError", "window shape cannot be larger than input array shape")
        if cx.current.done:
            return a
        shape[k] = cx.let(symbolic.add(symbolic.sub(shape[k], w), const(1)), "n")
    offset, strides = linear_access(cx, a)
    rank = (*a.rank, *range(a.ndim, a.ndim + len(axes)))
    view = described(cx, a, (*shape, *windows), offset, (*strides, *(strides[k] for k in axes)), rank)
    return replace(view, writable=a.writable and flag_of(cx, writeable))
