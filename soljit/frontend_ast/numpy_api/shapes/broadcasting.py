"""Broadcast views: broadcast_to and broadcast_arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from soljit.frontend_ast.arrays.elementwise import broadcast, shape_text
from soljit.frontend_ast.arrays.operands import in_memory as array_of
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.values import Arr, Dim, Num, Tup, Value
from soljit.frontend_ast.views.shape_arguments import shape_of
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, Op, const, is_const
from soljit.ir.core.types import i64

Shape = tuple[Expr, ...]


def stretched(cx: Lowering, a: Arr, shape: Shape) -> Arr:
    """A read-only view that repeats `a` along new axes and axes of length 1; the lengths are known to fit."""
    first = len(shape) - a.ndim
    keep: dict[int, int] = {}
    for k, n in enumerate(a.shape):
        if n == shape[first + k] or cx.same_size(n, shape[first + k]):
            keep[k] = first + k
    dims = tuple(
        d if d.axis < 0 else Dim(d.offset, d.step, keep[d.axis]) if d.axis in keep else Dim(d.offset, const(1), -1)
        for d in a.dims
    )
    rank = [keep[r] for r in a.rank if r in keep]
    rank += [k for k in range(len(shape)) if k not in rank]
    return replace(a, shape=shape, dims=dims, rank=tuple(rank), whole=False, made="", writable=False)


@implements(np.broadcast_to)
def broadcast_to(cx: Lowering, array: Value, shape: Value, subok: Value | None = None) -> Value:
    """np.broadcast_to"""
    x = array_of(cx, array)
    for length in shape.items if isinstance(shape, Tup) else ():
        if isinstance(length, Num) and length.dtype.is_int:
            text = "all elements of broadcast shape must be non-negative"
            cx.check(symbolic.ge(cx.cast(length.expr, i64), const(0)), "ValueError", text)
    target = shape_of(cx, shape)
    if x.ndim and not target:
        cx.raise_("ValueError", "cannot broadcast a non-scalar to a scalar array")
        return x
    if len(target) < x.ndim:
        cx.raise_("ValueError", "input operand has more dimensions than allowed by the axis remapping")
        return x
    first = len(target) - x.ndim
    texts, operands = shape_text([x.shape, target])
    old, _, new = texts.partition(" ")
    text = "operands could not be broadcast together with remapped shapes [original->remapped]: "
    undecided = []
    for k, (n, m) in enumerate(zip(x.shape, target[first:])):
        if n == m or is_const(n, 1) or cx.same_size(n, m) or cx.decide(symbolic.eq(n, const(1))):
            continue
        same = symbolic.eq(n, m)
        if cx.decide(same) is None:
            undecided.append(k)
        fits = symbolic.disj(same, symbolic.eq(n, const(1)))
        cx.check(fits, "ValueError", text + f"{old}  and requested shape {new}", operands)
        if cx.current.done:
            return x
    return _stretched_along(cx, x, target, undecided)


def _stretched_along(cx: Lowering, x: Arr, shape: Shape, undecided: Sequence[int]) -> Value:
    """`stretched`, where only the run tells which of these axes are repeated: the strides depend on the path."""
    if not undecided:
        return stretched(cx, x, shape)
    at, *others = undecided
    length = shape[len(shape) - x.ndim + at]

    def option(k: int) -> Value:
        n = const(1) if k else length
        return _stretched_along(cx, replace(x, shape=(*x.shape[:at], n, *x.shape[at + 1 :])), shape, others)

    same = symbolic.eq(x.shape[at], length)
    return choose(cx, Op("select", (same, const(0), const(1)), i64), 2, option, "broadcast")


def _check_together(cx: Lowering, xs: Sequence[Arr]) -> None:
    """Raise, as np.broadcast does, if the shapes do not go together."""
    ndim = max((x.ndim for x in xs), default=0)
    for k in range(ndim):
        first: tuple[int, Expr] | None = None
        for j, x in enumerate(xs):
            n = x.shape[k - ndim] if x.ndim >= ndim - k else const(1)
            if is_const(n, 1) or cx.decide(symbolic.eq(n, const(1))):
                continue
            if first is None:
                first = (j, n)
            elif n != first[1] and not cx.same_size(n, first[1]):
                i = first[0]
                operands = [*xs[i].shape, *x.shape]
                names = [f"{{{m}}}" for m in range(len(operands))]
                left, right = (
                    ", ".join(p) + ("," if len(p) == 1 else "") for p in (names[: xs[i].ndim], names[xs[i].ndim :])
                )
                text = f"arg {i} with shape ({left}) and arg {j} with shape ({right})."
                both = symbolic.eq(n, first[1])
                cx.check(
                    both,
                    "ValueError",
                    f"shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between {text}",
                    operands,
                )
                if cx.current.done:
                    return


@implements(np.broadcast_arrays)
def broadcast_arrays(cx: Lowering, *args: Value, subok: Value | None = None) -> Value:
    """np.broadcast_arrays"""
    xs = [array_of(cx, v) for v in args]
    _check_together(cx, xs)
    if cx.current.done:
        return Tup(list(xs))
    shape, _ = broadcast(cx, [x.shape for x in xs])
    same = [
        len(x.shape) == len(shape) and all(n == m or cx.same_size(n, m) for n, m in zip(x.shape, shape)) for x in xs
    ]
    if not numpy_versions.BROADCAST_KEEPS_ARRAYS:
        same = [all(same)] * len(xs)
    return Tup([x if s else replace(stretched(cx, x, shape), writable=True) for x, s in zip(xs, same)])
