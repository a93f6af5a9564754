"""The bytes of arrays seen as another type: a.view(dtype)."""

from __future__ import annotations

from dataclasses import replace

from soljit.frontend_ast.arrays.array_variables import order_of
from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.arrays.strides import linear_access
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import method
from soljit.frontend_ast.objects.contents import escape
from soljit.frontend_ast.objects.foreign_results import note_called_back
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.object_types import Element
from soljit.frontend_ast.values.values import Arr, Num, Static, Value, full_view
from soljit.frontend_ast.views.numpy_arguments import dtype_of
from soljit.ir import symbolic
from soljit.ir.core.data import View
from soljit.ir.core.expr import Expr, const
from soljit.ir.core.types import DType, b1


@method("view")
def view(cx: Lowering, a: Value, dtype: Value | None = None) -> Value:
    """a.view(), a.view(dtype): the same memory."""
    t = dtype_of(cx, dtype)
    x = in_memory(cx, a)
    if t is None or t is x.dtype:
        return a if isinstance(a, Num) else replace(x, whole=False, made="")
    if t.is_complex and t.real is x.dtype:
        return _in_groups(cx, x, t)
    if t is b1 or x.dtype is b1 or x.dtype.is_complex and t.size > x.dtype.real.size:
        raise cx.unsupported(f"a view of {x.dtype.numpy.name} as {t.numpy.name}")
    if t.size > x.dtype.size:
        made_here = getattr(cx.data[x.data], "transient", False)
        return _in_groups(cx, x, t) if made_here else _by_numpy(cx, x, t)
    found = _seen_as(cx, x, t)
    return Num(cx.let(found.element(())), False) if isinstance(a, Num) and found.ndim == 0 else found


def _in_groups(cx: Lowering, x: Arr, t: DType) -> Arr:
    """The view of elements as the larger ones that they are the parts of: of floats as complex numbers, of bytes as integers."""
    if x.ndim == 0:
        cx.raise_("ValueError", "Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        return x
    parts = const(t.size // x.dtype.size)
    offset, strides = linear_access(cx, x)
    last = x.shape[-1]
    text = "To change to a dtype of a different size, the last axis must be contiguous"
    few = symbolic.disj(symbolic.eq(last, const(1)), symbolic.eq(cx.size_of(x.shape), const(0)))
    cx.check(symbolic.disj(symbolic.eq(strides[-1], const(1)), few), "ValueError", text)
    text = "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of the array."
    cx.check(symbolic.eq(symbolic.mod(last, parts), const(0)), "ValueError", text)
    if cx.current.done:
        return x
    whole = [cx.let(symbolic.floordiv(e, parts), "whole") for e in (offset, last, *strides[:-1])]
    for e in (offset, *strides[:-1]):
        if not cx.prove(symbolic.eq(symbolic.mod(e, parts), const(0))):
            if not cx.decide(symbolic.eq(symbolic.mod(e, parts), const(0))):
                raise cx.unsupported(f"a view as {t.numpy.name} of elements that begin between two of them")
    name = cx.fresh(f"{x.data}_groups")
    shape, steps = (*x.shape[:-1], whole[1]), (*whole[2:], const(1))
    cx.data[name] = View(x.data, t, whole[0], shape, steps)
    if x.data in cx.overlapping:
        cx.overlapping.add(name)
    return replace(full_view(name, t, shape, x.rank, x.writable), whole=False)


def _by_numpy(cx: Lowering, x: Arr, t: DType) -> Value:
    """The view of memory of others as larger elements; it may begin anywhere, so NumPy says whether they lie where such elements may."""
    escape(cx, x)
    note_called_back(cx, "numpy.ndarray.view")
    order = order_of(cx, x)
    found = Element("array", t, ndim=x.ndim, order=order, rank=x.rank, writable=x.writable)
    return call_by_name(cx, "numpy.ndarray.view", [x, Static(t.numpy)], found)


def _seen_as(cx: Lowering, x: Arr, t: DType) -> Arr:
    """The view as a type of the same size, or a smaller one, of which the last axis has more."""
    ratio = x.dtype.size // t.size
    offset, strides = linear_access(cx, x)
    shape = list(x.shape)
    steps: list[Expr] = [symbolic.mul(s, const(ratio)) for s in strides]
    if ratio > 1:
        if not shape:
            text = "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
            cx.raise_("ValueError", text)
            return x
        text = "To change to a dtype of a different size, the last axis must be contiguous"
        single = symbolic.eq(shape[-1], const(1))
        cx.check(symbolic.disj(symbolic.eq(strides[-1], const(1)), single), "ValueError", text)
        if cx.current.done:
            return x
        steps[-1] = const(1)
        shape[-1] = cx.let(symbolic.mul(shape[-1], const(ratio)), "n")
    name = cx.fresh(f"{x.data}_bits")
    cx.data[name] = View(x.data, t, symbolic.mul(offset, const(ratio)), tuple(shape), tuple(steps))
    if x.data in cx.overlapping:
        cx.overlapping.add(name)
    return replace(full_view(name, t, tuple(shape), x.rank, x.writable), whole=False)
