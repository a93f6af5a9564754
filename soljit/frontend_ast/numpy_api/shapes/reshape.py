"""reshape, ravel and flatten, as functions and as methods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.arrays.elementwise import copy_array
from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.arrays.strides import is_contiguous
from soljit.frontend_ast.iteration.static_items import iterate_static
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Object, Static, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import given
from soljit.frontend_ast.views.reshaping import flattened, ravel, reshaped, reversed_axes, shaped_view, transposed
from soljit.frontend_ast.views.shape_arguments import new_shape
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Op, const
from soljit.ir.core.types import i64


def order_of_call(cx: Lowering, order: Value | None, a: Arr) -> str:
    """An `order` argument as "C", "F" or "K" ("A": Fortran if the array is contiguous so, and not in C order, too)."""
    named = static_of(cx, order) if given(order) else "C"
    o = named.upper() if isinstance(named, str) else named
    if o in ("C", "F"):
        return str(o)
    if o not in ("A", "K"):
        cx.raise_("ValueError", f"order must be one of 'C', 'F', 'A', or 'K' (got '{named}')")
        return "C"
    c, f = is_contiguous(cx, a), is_contiguous(cx, reversed_axes(a))
    if not isinstance(c, bool) or not isinstance(f, bool):
        raise cx.unsupported(f"order='{o}' of an array whose layout is not known at compile time")
    if o == "A":
        return "F" if f and not c else "C"
    if c or f:
        return "C" if c else "F"
    return "K"


def in_order(cx: Lowering, a: Arr, order: str) -> Arr:
    """The view whose C order is this order of `a`."""
    return transposed(a, k_order(cx, [a], a.ndim)) if order == "K" else reversed_axes(a) if order == "F" else a


def reshape_to(cx: Lowering, a: Arr, items: Sequence[Value], order: Value | None, copy: Value | None) -> Arr:
    """a.reshape(items, order=order, copy=copy)"""
    how = order_of_call(cx, order, a)
    if given(order) and str(static_of(cx, order)).upper() == "K":
        cx.raise_("ValueError", "order 'K' is not permitted for reshaping")
        return a
    shape = new_shape(cx, a, items)
    if shape is None:
        return a
    copies = static_of(cx, copy) if given(copy) else None
    if copy is not None and not numpy_versions.RESHAPE_TAKES_COPY:
        raise cx.unsupported("reshape with copy")
    if isinstance(copies, str):
        cx.raise_("ValueError", "strings are not allowed for 'copy' keyword. Use True/False/None instead.")
        return a
    x = reversed_axes(a) if how == "F" else a
    shape = shape[::-1] if how == "F" else shape
    if copies is None:
        out = reshaped(cx, x, shape)
    elif copies:
        out = reshaped(cx, copy_array(cx, x), shape)
    else:
        view = shaped_view(cx, x, shape)
        out = view or reshaped(cx, x, shape)
        if view is None and isinstance(cx.data[out.data], Ref):
            raise cx.unsupported("reshape with copy=False of an array whose layout is not known at compile time")
        if view is None:
            cx.raise_("ValueError", "Unable to avoid creating a copy while reshaping.")
    return reversed_axes(out) if how == "F" else out


def sizes_of(cx: Lowering, shape: Value) -> Sequence[Value]:
    """The items of a shape argument: a tuple or list, or one integer."""
    if isinstance(shape, Tup):
        return shape.items
    if isinstance(shape, (Arr, Lazy)) and shape.ndim == 1:
        return iterate_static(cx, shape)
    if isinstance(shape, Object):
        raise cx.unsupported("a shape whose number of dimensions is not known at compile time")
    if isinstance(shape, Num) and not shape.dtype.is_int:
        cx.raise_("TypeError", "expected a sequence of integers or a single integer, got '{0}'", [shape.expr])
        return [Num(const(1), True)]
    return [shape]


def _check_given(cx: Lowering, shape: Value) -> None:
    if isinstance(shape, Static) and shape.obj is None:
        raise cx.unsupported("reshape(None)")


@implements(np.reshape)
def reshape(
    cx: Lowering,
    a: Value,
    shape: Value | None = None,
    order: Value | None = None,
    *,
    newshape: Value | None = None,
    copy: Value | None = None,
) -> Value:
    """np.reshape; what is `shape` was `newshape` once."""
    shape = newshape if shape is None else shape
    assert shape is not None
    _check_given(cx, shape)
    return scalar_again(a, reshape_to(cx, in_memory(cx, a), sizes_of(cx, shape), order, copy))


@method("reshape")
def reshape_method(
    cx: Lowering, a: Value, *shape: Value, order: Value | None = None, copy: Value | None = None
) -> Value:
    """a.reshape"""
    if not shape:
        cx.raise_("TypeError", "reshape() takes exactly 1 argument (0 given)")
        return a
    _check_given(cx, shape[0])
    items = sizes_of(cx, shape[0]) if len(shape) == 1 else shape
    return scalar_again(a, reshape_to(cx, in_memory(cx, a), items, order, copy))


def scalar_again(a: Value, result: Value) -> Value:
    """The result of a method: 0-d ones of NumPy scalars are scalars again."""
    return a if isinstance(a, Num) and not a.weak and isinstance(result, Arr) and result.ndim == 0 else result


@implements(np.ravel)
@method("ravel")
def ravel_function(cx: Lowering, a: Value, order: Value | None = None) -> Value:
    """np.ravel"""
    x = in_memory(cx, a)
    x = in_order(cx, x, order_of_call(cx, order, x))
    contiguous = is_contiguous(cx, x)
    if x.writable or isinstance(contiguous, bool):
        return ravel(cx, x)

    def option(k: int) -> Arr:
        return ravel(cx, copy_array(cx, x) if k else x)

    return choose(cx, Op("select", (contiguous, const(0), const(1)), i64), 2, option, "raveled")  # a copy is writable


@method("flatten")
def flatten(cx: Lowering, a: Value, order: Value | None = None) -> Value:
    """a.flatten(): always a copy."""
    x = in_memory(cx, a)
    return flattened(cx, in_order(cx, x, order_of_call(cx, order, x)))
