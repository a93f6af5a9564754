"""Memory layouts and further views: ascontiguousarray, asfortranarray, T, real, imag, unstack, sliding_window_view, as_strided, ndarray."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.python.signatures import takes
from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.arrays.operands import as_operand, in_memory
from soljit.frontend_ast.arrays.strides import described, linear_access, pinned
from soljit.frontend_ast.arrays.ufunc_kernels import op
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import ATTRIBUTES, attribute, implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numpy_api.making import creation
from soljit.frontend_ast.numpy_api.shapes.permutations import permuted
from soljit.frontend_ast.objects.contents import escape
from soljit.frontend_ast.objects.foreign_results import call_for_object
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import py_type
from soljit.frontend_ast.values.numpy_versions import text_of
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Static, Tup, Value
from soljit.frontend_ast.views.indexing import get_item
from soljit.frontend_ast.views.numpy_arguments import axes_of, flag_of, given, integer_of
from soljit.frontend_ast.views.reshaping import component_view, insert_axes, laid_out, transposed
from soljit.frontend_ast.views.shape_arguments import shape_of
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, const, is_const
from soljit.ir.core.types import b1, i64


def _contiguous(cx: Lowering, a: Value, dtype: Value | None, fortran: bool) -> Value:
    x = in_memory(cx, creation.asarray(cx, a, dtype))
    return insert_axes(x, (0,)) if x.ndim == 0 else laid_out(cx, x, fortran)


@implements(np.ascontiguousarray)
def ascontiguousarray(cx: Lowering, a: Value, dtype: Value | None = None) -> Value:
    """np.ascontiguousarray"""
    return _contiguous(cx, a, dtype, False)


@implements(np.asfortranarray)
def asfortranarray(cx: Lowering, a: Value, dtype: Value | None = None) -> Value:
    """np.asfortranarray"""
    return _contiguous(cx, a, dtype, True)


@attribute("T")
def transpose(cx: Lowering, a: Any) -> Value:
    """The transpose."""
    if isinstance(a, Num):
        return a
    return transposed(materialize(cx, a), tuple(range(a.ndim))[::-1])


def _component(cx: Lowering, a: Any, name: str) -> Value:
    if isinstance(a, Num):
        if a.dtype.is_complex:
            return Num(op(name, a.expr), a.weak)
        return a if name == "real" else Num(cx.cast(Const(0, i64), a.dtype), a.weak)
    x = materialize(cx, a)
    if not x.dtype.is_complex:
        if name == "real":
            return x

        def zeros(fortran: int) -> Arr:
            made = cx.alloc(x.dtype, x.shape, tuple(range(x.ndim))[::-1] if fortran else None, zero=True)
            return replace(made, whole=False, writable=False)

        fortran = creation.fortran_if(cx, x)
        if isinstance(fortran, bool):
            return zeros(fortran)
        return choose(cx, Op("select", (fortran, const(1), const(0)), i64), 2, zeros, "zeros")
    return component_view(cx, x, 0 if name == "real" else 1)


@attribute("real")
def real_of(cx: Lowering, a: Any) -> Value:
    """Real parts."""
    return _component(cx, a, "real")


@attribute("imag")
def imag_of(cx: Lowering, a: Any) -> Value:
    """Imaginary parts."""
    return _component(cx, a, "imag")


def _as_number(cx: Lowering, x: Num | Arr | Lazy) -> Num | Arr | Lazy:
    """The parts of a Python bool are ints."""
    return Num(cx.cast(x.expr, i64), True) if isinstance(x, Num) and x.weak and x.dtype is b1 else x


@implements(np.real)
def real(cx: Lowering, val: Value) -> Value:
    """np.real"""
    return ATTRIBUTES["real"](cx, _as_number(cx, as_operand(cx, val)))


@implements(np.imag)
def imag(cx: Lowering, val: Value) -> Value:
    """np.imag"""
    return ATTRIBUTES["imag"](cx, _as_number(cx, as_operand(cx, val)))


def _real_if_small(a: Any, limit: Any) -> Any:
    """The real part of an array whose imaginary parts are small, else the array, in Python: this is compiled."""
    if np.all(np.absolute(a.imag) < limit):
        a = a.real
    return a


@implements(np.real_if_close)
def real_if_close(cx: Lowering, a: Value, tol: Value | None = None) -> Value:
    """np.real_if_close: the array itself or a view of its real part."""
    x = in_memory(cx, a)
    if not x.dtype.is_complex:
        return x
    limit = float(static_of(cx, tol)) if given(tol) else 100
    if limit > 1:
        limit = np.finfo(x.dtype.numpy).eps * limit
    return inline_function(cx, _real_if_small, [x, constant(limit)], {})  # type: ignore[arg-type]


@implements(getattr(np, "unstack", None))  # since NumPy 2.1
def unstack(cx: Lowering, x: Value, *, axis: Value | None = None) -> Value:
    """np.unstack: a tuple of views."""
    if isinstance(x, Tup) or isinstance(x, Num) and x.weak:
        cx.raise_("AttributeError", f"'{py_type(x)}' object has no attribute 'ndim'")
        return Tup([])
    a = in_memory(cx, x)
    if a.ndim == 0:
        cx.raise_("ValueError", "Input array must be at least 1-d.")
        return Tup([])
    k = static_of(cx, axis) if axis is not None else 0
    front = permuted(cx, a, lambda x: np.moveaxis(x, k, 0))
    n = cx.static_int(front.shape[0])
    if n is None or n > 64:
        raise cx.unsupported("np.unstack into a number of parts that is large or not known at compile time")
    return Tup([get_item(cx, front, Num(const(i), True)) for i in range(n)])


@implements(np.lib.stride_tricks.as_strided)
def as_strided(
    cx: Lowering,
    x: Value,
    shape: Value | None = None,
    strides: Value | None = None,
    subok: Value | None = None,
    writeable: Value | None = None,
) -> Value:
    """np.lib.stride_tricks.as_strided: any view of the array's memory; it is written to only if its elements lie apart."""
    a = pinned(cx, in_memory(cx, x))
    offset, own = linear_access(cx, a)
    lengths = shape_of(cx, shape) if shape is not None and given(shape) else a.shape
    steps: list[Expr] = list(own)
    if isinstance(strides, Tup):
        steps = [_in_elements(cx, integer_of(cx, s), a.dtype.size) for s in strides.items]
    elif given(strides):
        raise cx.unsupported("as_strided with strides that are not a tuple")
    if len(steps) != len(lengths):
        cx.raise_("ValueError", "mismatch in length of strides and shape")
        return a
    steps = [const(0) if cx.decide(symbolic.eq(s, const(0))) else s for s in steps]
    rank = _from_slowest(cx, lengths, steps)
    view = described(cx, a, lengths, offset, tuple(steps), rank)
    if not _apart(cx, [(lengths[k], steps[k]) for k in rank]):
        cx.overlapping.add(view.data)
    return replace(view, writable=a.writable and (writeable is None or flag_of(cx, writeable)))


def _from_slowest(cx: Lowering, lengths: Sequence[Expr], steps: Sequence[Expr]) -> tuple[int, ...]:
    """The axes from the largest step to the smallest, as far as this call tells; axes of length 1 last."""
    sizes = [symbolic.neg(s) if cx.decide(symbolic.lt(s, const(0))) else s for s in steps]
    order: list[int] = []
    for k, size in enumerate(sizes):
        at = len(order)
        while at and not is_const(lengths[k], 1) and cx.decide(symbolic.lt(sizes[order[at - 1]], size)):
            at -= 1
        order.insert(at, k)
    return tuple(order)


def _apart(cx: Lowering, axes: Sequence[tuple[Expr, Expr]]) -> bool:
    """Tell whether all elements certainly lie at different places: each axis steps over all that the faster ones reach."""
    reach: Expr = const(0)
    for n, step in reversed(axes):
        if is_const(n, 1):
            continue
        if cx.decide(symbolic.gt(step, reach)) is not True:
            return False
        reach = symbolic.add(reach, symbolic.mul(symbolic.sub(n, const(1)), step))
    return True


def _in_elements(cx: Lowering, stride: Expr, size: int) -> Expr:
    """A stride in bytes as one in elements."""
    known = symbolic.floordiv(stride, const(size))
    if symbolic.mul(known, const(size)) != stride:
        if not cx.decide(symbolic.eq(symbolic.mod(stride, const(size)), const(0))):
            raise cx.unsupported("as_strided with a stride that is not known to be a number of whole elements")
    return cx.let(known, "stride")


@implements(np.require)
def require(cx: Lowering, a: Value, dtype: Value | None = None, requirements: Value | None = None) -> Value:
    """np.require"""
    wanted = static_of(cx, requirements) if given(requirements) else ()
    names = {_REQUIREMENTS.get(str(r).upper(), "?") for r in wanted or ()} - {"E", "A"}
    if not names <= {"C", "F", "W"} or names >= {"C", "F"}:
        raise cx.unsupported("np.require with these requirements")
    order = "C" if "C" in names else "F" if "F" in names else "A"
    x = creation.asarray(cx, a, dtype, None if not names and not wanted else Static(order))
    if "W" in names and not x.writable:  # type: ignore[attr-defined]
        return creation.copy_method(cx, x, Static(order))
    return x


_REQUIREMENTS = {
    **dict.fromkeys(("C", "C_CONTIGUOUS", "CONTIGUOUS"), "C"),
    **dict.fromkeys(("F", "F_CONTIGUOUS", "FORTRAN"), "F"),
    **dict.fromkeys(("A", "ALIGNED"), "A"),
    **dict.fromkeys(("W", "WRITEABLE"), "W"),
    **dict.fromkeys(("E", "ENSUREARRAY"), "E"),
}


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
    a = pinned(cx, in_memory(cx, x))
    windows = [integer_of(cx, w) for w in (window_shape.items if isinstance(window_shape, Tup) else [window_shape])]
    for w in windows:
        cx.check(symbolic.ge(w, const(0)), "ValueError", "`window_shape` cannot contain negative values")
    axes = axes_of(cx, axis, a.ndim, None) if given(axis) else tuple(range(a.ndim))
    assert axes is not None
    if cx.current.done:
        return a
    if len(windows) != len(axes):
        like, lengths = np.zeros((1,) * a.ndim), (1,) * len(windows)
        given_axes = axes if given(axis) else None
        text = text_of(lambda: np.lib.stride_tricks.sliding_window_view(like, lengths, given_axes))
        cx.raise_("ValueError", text)
        return a
    shape = list(a.shape)
    for k, w in zip(axes, windows):
        fits = symbolic.ge(shape[k], w)
        cx.check(fits, "ValueError", "window shape cannot be larger than input array shape")
        if cx.current.done:
            return a
        shape[k] = cx.let(symbolic.add(symbolic.sub(shape[k], w), const(1)), "n")
    offset, strides = linear_access(cx, a)
    rank = [k for r in a.rank for k in (r, *(a.ndim + j for j, axis in enumerate(axes) if axis == r))]
    view = described(cx, a, (*shape, *windows), offset, (*strides, *(strides[k] for k in axes)), tuple(rank))
    cx.overlapping.add(view.data)
    return replace(view, writable=a.writable and flag_of(cx, writeable))


@implements(np.ndarray)
def ndarray(cx: Lowering, *args: Value, **kwargs: Value) -> Value:
    """np.ndarray: an empty array, or a view of a buffer, which NumPy makes"""
    if takes(_of_no_buffer, *args, **kwargs):
        return creation.empty(cx, *args, **kwargs)
    made: Value | None = call_for_object(cx, np.ndarray, "numpy.ndarray", list(args), kwargs, False)
    if made is not None:
        return made
    for v in (*args, *kwargs.values()):
        escape(cx, v)
    return call_by_name(cx, "numpy.ndarray", args, ANY, kwargs)


def _of_no_buffer(shape: object, dtype: object = None, *, order: object = None) -> None:
    """What np.ndarray takes for a new array."""
