"""Attributes of arrays and NumPy scalars."""

from __future__ import annotations

from typing import Any

from soljit.frontend_ast.attributes import dtype_value
from soljit.frontend_ast.elementwise import materialize
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.table import attribute
from soljit.frontend_ast.strides import linear_access
from soljit.frontend_ast.values import Arr, Lazy, Num, Static, Tup, Value, full_view
from soljit.ir import symbolic
from soljit.ir.data import View
from soljit.ir.expr import const


def size_of(cx: Lowering, a: Arr | Lazy | Num) -> Num:
    """Number of elements, a Python int."""
    return Num(cx.size_of(() if isinstance(a, Num) else a.shape), True)


@attribute("shape")
def shape(cx: Lowering, a: Any) -> Value:
    """Lengths as Python ints."""
    return Tup([] if isinstance(a, Num) else [Num(n, True) for n in a.shape])


@attribute("ndim")
def ndim(cx: Lowering, a: Any) -> Value:
    """Number of dimensions."""
    return Num(const(0 if isinstance(a, Num) else a.ndim), True)


@attribute("size")
def size(cx: Lowering, a: Any) -> Value:
    """Number of elements."""
    return size_of(cx, a)


@attribute("dtype")
def dtype(cx: Lowering, a: Any) -> Value:
    """The dtype object."""
    return dtype_value(a.dtype)


@attribute("itemsize")
def itemsize(cx: Lowering, a: Any) -> Value:
    """Bytes of an element."""
    return Num(const(a.dtype.size), True)


@attribute("nbytes")
def nbytes(cx: Lowering, a: Any) -> Value:
    """Bytes of all elements."""
    return Num(symbolic.mul(size_of(cx, a).expr, const(a.dtype.size)), True)


@attribute("device")
def device(cx: Lowering, a: Any) -> Value:
    """Where the memory is."""
    return Static("cpu")


def component_view(cx: Lowering, x: Arr, part: int) -> Arr:
    """The real or imaginary parts of a complex array, as a view."""
    offset, strides = linear_access(cx, x)
    name = cx.fresh(f"{x.data}_{'im' if part else 're'}")
    double = tuple(symbolic.mul(s, const(2)) for s in strides)
    start = symbolic.add(symbolic.mul(offset, const(2)), const(part))
    cx.data[name] = View(x.data, x.dtype.real, start, x.shape, double)
    view = full_view(name, x.dtype.real, x.shape, x.rank, x.writable)
    return Arr(name, view.dtype, view.shape, view.dims, view.rank, False, x.writable)


@attribute("strides")
def strides_of(cx: Lowering, a: Any) -> Value:
    """Strides in bytes."""
    if isinstance(a, Num):
        return Tup([])
    x = materialize(cx, a)
    made = getattr(cx.data[x.data], "transient", False) and len(x.dims) == x.ndim
    if made and cx.decide(symbolic.eq(cx.size_of(x.shape), const(0))):
        return Tup([Num(const(0), True)] * x.ndim)  # NumPy makes arrays without elements so
    _, s = linear_access(cx, x)
    return Tup([Num(symbolic.mul(e, const(x.dtype.size)), True) for e in s])
