"""Strides of array values, in elements of their containers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from soljit.frontend_ast.arrays.array_variables import new_ref
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Arr, full_view
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.data import Array as Allocated
from soljit.ir.core.data import Ref, View
from soljit.ir.core.expr import Expr, Extent, Stride, const, is_const


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


def is_contiguous(cx: Lowering, a: Arr, order: Sequence[int] | None = None) -> bool | Expr:
    """Tell whether the view is contiguous in C order (or: with these axes from slowest to fastest). A condition if only the run can tell."""
    strides = linear_access(cx, a)[1]
    axes = order if order is not None else range(a.ndim)
    step: Expr = const(1)
    unknown: list[Expr] = []
    for n, stride in ((a.shape[k], strides[k]) for k in reversed(axes)):
        here = symbolic.eq(stride, step)
        if not (is_const(n, 1) or cx.prove(here)):
            answer = cx.decide(here)
            if answer is False:
                one = cx.decide(symbolic.eq(n, const(1)))
                if one is False:
                    return False
                answer = one
                here = symbolic.eq(n, const(1))
            if answer is None:
                unknown.append(symbolic.disj(here, symbolic.eq(n, const(1))))
        step = symbolic.mul(step, n)
    return symbolic.disj(symbolic.conj(*unknown), symbolic.eq(cx.size_of(a.shape), const(0))) if unknown else True


def strided(cx: Lowering, a: Arr) -> Arr:
    """The same view under a descriptor of its own: it has a window even if it repeats elements or is a diagonal."""
    a = pinned(cx, a)
    offset, strides = linear_access(cx, a)
    return described(cx, a, a.shape, offset, strides, a.rank)


def described(
    cx: Lowering, a: Arr, shape: tuple[Expr, ...], offset: Expr, strides: tuple[Expr, ...], rank: tuple[int, ...]
) -> Arr:
    """The view with these strides; a View looks at the memory itself, not at another View of the same type."""
    of = a.data
    d = cx.data[of]
    if isinstance(d, View) and getattr(cx.data[d.of], "dtype", None) is a.dtype:
        of, offset = d.of, symbolic.add(d.offset, offset)
    name = cx.fresh(f"{of}_view")
    cx.data[name] = View(of, a.dtype, offset, shape, strides)
    if a.data in cx.overlapping:
        cx.overlapping.add(name)
    return replace(full_view(name, a.dtype, shape, rank, a.writable), whole=False)


def pinned(cx: Lowering, a: Arr) -> Arr:
    """The same memory under a name that nothing binds again."""
    d = cx.data[a.data]
    if not isinstance(d, Ref) or a.data not in cx.rebindable:
        return a
    name = new_ref(cx, d.dtype, d.ndim, d.order, cx.alias_of(a.data), a.data)
    lengths = tuple(cx.measure(Extent(a.data, k)) for k in range(d.ndim))
    window = full_view(a.data, d.dtype, lengths, tuple(range(d.ndim))).window()
    assert window is not None
    cx.emit(nodes.Bind(name, window))
    cx.lengths[name] = lengths
    return replace(a, data=name)
