"""Strides of array values, in elements of their containers."""

from __future__ import annotations

from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.values import Arr
from soljit.ir import symbolic
from soljit.ir.data import Array as Allocated
from soljit.ir.data import Ref, View
from soljit.ir.expr import Expr, Extent, Stride, const, is_const


def linear_access(cx: Lowering, x: Arr) -> tuple[Expr, tuple[Expr, ...]]:
    """Offset of the first element and strides of the view's axes, in elements of the container."""
    base = base_strides(cx, x.data)
    offset: Expr = const(0)
    strides: list[Expr] = [const(0)] * x.ndim
    for d, s in zip(x.dims, base):
        offset = symbolic.add(offset, symbolic.mul(d.offset, s))
        if d.axis >= 0:
            strides[d.axis] = symbolic.add(strides[d.axis], symbolic.mul(d.step, s))
    named = {d.axis for d in x.dims}
    for axis, s in x.units:
        if axis < x.ndim and axis not in named and is_const(x.shape[axis], 1):
            strides[axis] = s
    return offset, tuple(strides)


def base_strides(cx: Lowering, name: str) -> tuple[Expr, ...]:
    """Strides of a container in elements; of a Ref, its present ones."""
    d = cx.data[name]
    if isinstance(d, Ref) and d.order == "A":
        return tuple(cx.measure(Stride(name, k), "stride") for k in range(d.ndim))
    if isinstance(d, View) or (isinstance(d, Allocated) and d.strides is not None):
        assert d.strides is not None
        return d.strides
    if isinstance(d, Ref):
        shape: tuple[Expr, ...] = tuple(cx.measure(Extent(name, k)) for k in range(d.ndim))
    else:
        assert isinstance(d, Allocated)
        shape = d.shape
    out: list[Expr] = []
    step: Expr = const(1)
    order = shape if isinstance(d, Ref) and d.order == "F" else shape[::-1]
    for n in order:
        out.append(step)
        step = symbolic.mul(step, n)
    return tuple(out) if isinstance(d, Ref) and d.order == "F" else tuple(out[::-1])
