"""Diagonals: diagonal, diag, diagflat, trace, fill_diagonal; and the matrices tri and vander."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.arrays.ufunc_kernels import scalar_op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numpy_api.computing.reductions import sum_
from soljit.frontend_ast.values.values import NONE, Arr, Dim, Flat, Lazy, Num, SliceVal, Value
from soljit.frontend_ast.views import flat_elements
from soljit.frontend_ast.views.numpy_arguments import dtype_of, flag_of, given, integer_of
from soljit.frontend_ast.views.reshaping import ravel
from soljit.frontend_ast.views.shape_arguments import shape_of
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr, Op, const
from soljit.ir.core.types import f64, i64, promote


def smaller(cx: Lowering, a: Expr, b: Expr) -> Expr:
    """min(a, b)"""
    if a == b or cx.decide(symbolic.le(a, b)):
        return a
    return b if cx.decide(symbolic.le(b, a)) else cx.let(symbolic.minimum(a, b), "n")


def diagonal_view(cx: Lowering, a: Arr, offset: Expr, axis1: int, axis2: int, writable: bool = False) -> Arr:
    """The diagonal as last axis: both axes are walked together."""
    up = cx.decide(symbolic.ge(offset, const(0)))
    if up is None:
        raise cx.unsupported("a diagonal whose side is not known at compile time")
    start = (const(0), offset) if up else (symbolic.neg(offset), const(0))
    kept = [k for k in range(a.ndim) if k not in (axis1, axis2)]
    last = len(kept)
    left, right = (symbolic.sub(a.shape[k], s) for k, s in zip((axis1, axis2), start))
    n = smaller(cx, left, right)
    if not cx.decide(symbolic.ge(n, const(0))):
        n = cx.facts.maximum(n, const(0))
    dims = []
    for d in a.dims:
        if d.axis in (axis1, axis2):
            s = start[0] if d.axis == axis1 else start[1]
            dims.append(Dim(symbolic.add(d.offset, symbolic.mul(d.step, s)), d.step, last))
        else:
            dims.append(d if d.axis < 0 else replace(d, axis=kept.index(d.axis)))
    rank = [kept.index(r) for r in a.rank if r in kept]
    where = min(a.rank.index(axis1), a.rank.index(axis2))
    rank.insert(sum(1 for r in a.rank[:where] if r in kept), last)
    shape = (*(a.shape[k] for k in kept), n)
    return replace(
        a, shape=shape, dims=tuple(dims), rank=tuple(rank), whole=False, made="", writable=writable and a.writable
    )


@implements(np.diagonal)
@method("diagonal")
def diagonal(
    cx: Lowering, a: Value, offset: Value | None = None, axis1: Value | None = None, axis2: Value | None = None
) -> Value:
    """np.diagonal: a read-only view."""
    x = in_memory(cx, a)
    axes = [static_of(cx, v) if v is not None else k for k, v in enumerate((axis1, axis2))]
    if not all(isinstance(v, (int, np.integer)) for v in axes):
        raise cx.unsupported("a diagonal along axes that are not integers")
    if x.ndim < 2:
        cx.raise_("ValueError", "diag requires an array of at least two dimensions")
        return x
    for k, v in enumerate(axes):
        if not -x.ndim <= v < x.ndim:
            cx.raise_(
                "numpy.exceptions.AxisError", f"axis{k + 1}: axis {v} is out of bounds for array of dimension {x.ndim}"
            )
            return x
    i, j = (v % x.ndim for v in axes)
    if i == j:
        cx.raise_("ValueError", "axis1 and axis2 cannot be the same")
        return x
    return diagonal_view(cx, x, integer_of(cx, offset) if offset is not None else const(0), i, j)


@implements(np.linalg.diagonal)
def last_diagonal(cx: Lowering, x: Value, *, offset: Value | None = None) -> Value:
    """np.linalg.diagonal: of the last two axes."""
    return diagonal(cx, x, offset, Num(const(-2), True), Num(const(-1), True))


@implements(np.diag)
def diag(cx: Lowering, v: Value, k: Value | None = None) -> Value:
    """np.diag: a vector becomes a matrix, a matrix gives its diagonal."""
    x = in_memory(cx, v)
    if x.ndim == 2:
        return diagonal(cx, x, k)
    if x.ndim != 1:
        cx.raise_("ValueError", "Input must be 1- or 2-d.")
        return x
    offset = integer_of(cx, k) if k is not None else const(0)
    up = cx.decide(symbolic.ge(offset, const(0)))
    if up is None:
        raise cx.unsupported("a diagonal whose side is not known at compile time")
    row, col = (const(0), offset) if up else (symbolic.neg(offset), const(0))
    n = symbolic.add(x.shape[0], symbolic.add(row, col))
    out = cx.alloc(x.dtype, (n, n), zero=True, hint="diag")
    with cx.map(x.shape) as ix:
        at = (symbolic.add(ix[0], row), symbolic.add(ix[0], col))
        cx.emit(nodes.Tasklet(out.at(at), x.element(ix)))
    return out


@implements(np.diagflat)
def diagflat(cx: Lowering, v: Value, k: Value | None = None) -> Value:
    """np.diagflat"""
    return diag(cx, ravel(cx, in_memory(cx, v)), k)


@implements(np.trace)
@method("trace")
def trace(
    cx: Lowering,
    a: Value,
    offset: Value | None = None,
    axis1: Value | None = None,
    axis2: Value | None = None,
    dtype: Value | None = None,
    out: Value | None = None,
) -> Value:
    """np.trace: the sum of a diagonal."""
    d = diagonal(cx, a, offset, axis1, axis2)
    return d if cx.current.done else sum_(cx, d, Num(const(-1), True), dtype, out)


@implements(np.fill_diagonal)
def fill_diagonal(cx: Lowering, a: Value, val: Value, wrap: Value | None = None) -> Value:
    """np.fill_diagonal: what is assigned to a part of `a.flat`."""
    if not isinstance(a, Arr):
        raise cx.unsupported("np.fill_diagonal of something that is not an array")
    if a.ndim < 2:
        cx.raise_("ValueError", "array must be at least 2-d")
        return NONE
    if a.ndim > 2:
        same = symbolic.conj(*(symbolic.eq(n, a.shape[0]) for n in a.shape[1:]))
        cx.check(same, "ValueError", "All dimensions of input must be of equal length")
        if cx.current.done:
            return NONE
    if not a.writable:
        cx.raise_("ValueError", "underlying array is read-only")
        return NONE
    if a.ndim == 2 and flag_of(cx, wrap):
        step = Num(symbolic.add(a.shape[1], const(1)), True)
        flat_elements.put(cx, Flat(a), SliceVal(None, None, step), val)
        return NONE
    n = smaller(cx, a.shape[0], a.shape[1]) if a.ndim == 2 else a.shape[0]
    values = flat_elements.source_of(cx, a, val)
    if values is None or cx.current.done:
        return NONE
    count = values.turns(cx, n)
    with values.steps(cx, count) as i:
        cx.emit(nodes.Tasklet(a.at((i,) * a.ndim), values.value(cx, i, count)))
    return NONE


@implements(np.tri)
def tri(cx: Lowering, N: Value, M: Value | None = None, k: Value | None = None, dtype: Value | None = None) -> Value:
    """np.tri: ones at and below diagonal k."""
    n = cx.facts.maximum(integer_of(cx, N), const(0))
    m = cx.facts.maximum(integer_of(cx, M), const(0)) if given(M) and M is not None else n
    shift = integer_of(cx, k) if k is not None else const(0)
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    one, zero = cx.cast(const(1), t), cx.cast(const(0), t)
    below = Lazy(
        t, (n, m), lambda ix: Op("select", (symbolic.le(ix[1], symbolic.add(ix[0], shift)), one, zero), t), (0, 1)
    )
    return materialize(cx, below, "tri")


@implements(np.vander)
def vander(cx: Lowering, x: Value, N: Value | None = None, increasing: Value | None = None) -> Value:
    """np.vander: powers as running products."""
    a = in_memory(cx, x)
    if a.ndim != 1:
        cx.raise_("ValueError", "x must be a one-dimensional array or sequence.")
        return a
    m = shape_of(cx, N)[0] if given(N) and N is not None else a.shape[0]
    t = promote(a.dtype, i64)
    out = cx.alloc(t, (a.shape[0], m), hint="vander")
    rising = flag_of(cx, increasing)
    with cx.map((a.shape[0],)) as (i,):
        power = cx.scalar(t, "power")
        value = cx.let(cx.cast(a.element((i,)), t), "x")
        cx.write(power, cx.cast(const(1), t))
        with cx.loop(m, "j") as j:
            at: Any = j if rising else symbolic.sub(symbolic.sub(m, const(1)), j)
            cx.emit(nodes.Tasklet(out.at((i, at)), cx.read(power)))
            first = symbolic.eq(j, const(0))  # whose product with infinity would be no number
            cx.write(power, Op("select", (first, value, scalar_op("mul", cx.read(power), value)), t))
    return out
