"""Attributes of arrays and NumPy scalars."""

from __future__ import annotations

from typing import Any

from soljit.frontend_ast.attributes import dtype_value
from soljit.frontend_ast.elementwise import materialize
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.table import attribute
from soljit.frontend_ast.values import Arr, Lazy, Num, Static, Tup, Value, full_view
from soljit.ir import symbolic
from soljit.ir.data import Array, Ref, View
from soljit.ir.expr import Expr, Extent, Stride, const


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


def linear_access(cx: Lowering, x: Arr) -> tuple[Expr, tuple[Expr, ...]]:
    """Offset of the first element and strides of the view's axes, in elements of the container."""
    base = base_strides(cx, x.data)
    offset: Expr = const(0)
    strides: list[Expr] = [const(0)] * x.ndim
    for d, s in zip(x.dims, base):
        offset = symbolic.add(offset, symbolic.mul(d.offset, s))
        if d.axis >= 0:
            strides[d.axis] = symbolic.add(strides[d.axis], symbolic.mul(d.step, s))
    return offset, tuple(strides)


def base_strides(cx: Lowering, name: str) -> tuple[Expr, ...]:
    """Strides of a container in elements; of a Ref, its present ones."""

    d = cx.data[name]
    if isinstance(d, Ref) and d.order == "A":
        return tuple(cx.measure(Stride(name, k), "stride") for k in range(d.ndim))
    if isinstance(d, View) or (isinstance(d, Array) and d.strides is not None):
        assert d.strides is not None
        return d.strides
    if isinstance(d, Ref):
        shape: tuple[Expr, ...] = tuple(cx.measure(Extent(name, k)) for k in range(d.ndim))
    else:
        assert isinstance(d, Array)
        shape = d.shape
    out: list[Expr] = []
    step: Expr = const(1)
    order = shape if isinstance(d, Ref) and d.order == "F" else shape[::-1]
    for n in order:
        out.append(step)
        step = symbolic.mul(step, n)
    return tuple(out) if isinstance(d, Ref) and d.order == "F" else tuple(out[::-1])


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
