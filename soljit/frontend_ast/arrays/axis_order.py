"""The memory order of results: the axes of an array from slowest to fastest, as NumPy chooses them for what it computes, copies and joins."""

from __future__ import annotations

from collections.abc import Sequence

from soljit.frontend_ast.arrays.array_variables import walked_axes
from soljit.frontend_ast.arrays.strides import is_contiguous, linear_access
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Arr, Array, Lazy
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, const, is_const


def places_in_memory(cx: Lowering, a: Array) -> dict[int, int]:
    """For each axis its place among all from slowest to fastest; axes of one stride have the same place."""
    place = {axis: p for p, axis in enumerate(a.rank)}
    if isinstance(a, Arr) and a.data in cx.overlapping:
        strides = linear_access(cx, a)[1]
        long = [k for k in a.rank if not is_const(a.shape[k], 1)]
        for slower, faster in zip(long, long[1:]):
            s, t = strides[slower], strides[faster]
            if is_const(s, 0) or is_const(t, 0):
                continue
            if cx.decide(symbolic.eq(s, t)) or cx.decide(symbolic.eq(s, symbolic.neg(t))):
                place[faster] = place[slower]
    return place


def _of_length_one(cx: Lowering, a: Array) -> set[int]:
    """The axes of length 1 (or 0), which have no say in the order of the others; where that is C order as it is, this call is not asked."""
    in_order = a.rank == tuple(range(a.ndim))

    def is_one(n: Expr) -> bool:
        if is_const(n, 1) or cx.prove(symbolic.le(n, const(1))):
            return True
        return not in_order and cx.decide(symbolic.eq(n, const(1))) is True

    return {k for k, n in enumerate(a.shape) if is_one(n)}


def k_order(cx: Lowering, operands: Sequence[Array], ndim: int) -> tuple[int, ...]:
    """Axes of the result from slowest to fastest: NumPy's K order (operands of lower rank are aligned right)."""
    if all(a.rank == tuple(range(a.ndim)) for a in operands):
        return tuple(range(ndim))
    shapes = {a.shape for a in operands}
    if len(shapes) == 1 and any(_of_length_one(cx, a) for a in operands if a.rank != tuple(range(ndim))):
        for order in (tuple(range(ndim)), tuple(range(ndim))[::-1]):
            if all(_lies_in(cx, a, order) for a in operands):
                return order
    return order_of_stacks(cx, operands, [0] * len(operands), ndim)


def order_of_stacks(cx: Lowering, operands: Sequence[Array], core: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Axes of a stack of results from slowest to fastest; core: how many axes at the end of each operand belong to what is stacked."""
    ranks: list[dict[int, int]] = []
    for a, inner in zip(operands, core):
        outer = a.ndim - inner
        place = places_in_memory(cx, a)
        walked = walked_axes(cx, a)
        ones = _of_length_one(cx, a)
        heard = [axis for axis in range(outer) if axis in walked and axis not in ones]  # a stride of 0 has no say
        ranks.append({axis + ndim - outer: place[axis] for axis in heard})
    return axes_by_stride(ranks, ndim)


def copy_order(cx: Lowering, a: Array) -> tuple[int, ...]:
    """Axes of a copy in order "K" from slowest to fastest: as in memory, those that repeat elements last, in C order."""
    every = tuple(range(a.ndim))
    walked = walked_axes(cx, a)
    if a.rank == every and len(walked) == a.ndim:
        return every
    for order in (every, every[::-1]):
        if _lies_in(cx, a, order):
            return order
    if len(walked) == a.ndim:
        place = places_in_memory(cx, a)
        return tuple(sorted(a.rank, key=lambda k: (place[k], k)))
    order = (*(k for k in a.rank if k in walked), *(k for k in every if k not in walked))
    long = [k for k in order if k not in _of_length_one(cx, a)]
    return every if long == sorted(long) else order


def _lies_in(cx: Lowering, a: Array, order: tuple[int, ...]) -> bool:
    """Tell whether the array is contiguous with these axes from slowest to fastest."""
    ones = _of_length_one(cx, a)
    long = [k for k in a.rank if k in walked_axes(cx, a) and k not in ones]
    if long != [k for k in order if k in long]:
        return False
    return isinstance(a, Lazy) or is_contiguous(cx, a, order) is True


def axes_by_stride(places: Sequence[dict[int, int]], ndim: int) -> tuple[int, ...]:
    """Axes from slowest to fastest, as NumPy's iterator sorts them; for each operand: which place each of its axes has."""
    return tuple(reversed(_sorted_axes([{k: -p for k, p in place.items()} for place in places], range(ndim)[::-1])))


def axes_of_joined(cx: Lowering, arrays: Sequence[Array]) -> tuple[int, ...]:
    """Axes from slowest to fastest, as np.concatenate sorts them: from the first axis on, and a stride of 0 has a say."""
    ndim = arrays[0].ndim
    if all(a.rank == tuple(range(ndim)) for a in arrays):
        return arrays[0].rank

    def is_one(n: Expr) -> bool:
        return is_const(n, 1) or cx.decide(symbolic.eq(n, const(1))) is True

    places = [{k: p for k, p in places_in_memory(cx, a).items() if not is_one(a.shape[k])} for a in arrays]
    return tuple(_sorted_axes(places, range(ndim)))


def _sorted_axes(places: Sequence[dict[int, int]], axes: Sequence[int]) -> list[int]:
    """NumPy's insertion sort: an axis moves in front of others where all operands that know both agree; else they stay as they are."""
    order: list[int] = []

    def goes_before(x: int, y: int) -> bool | None:
        answer = None
        for place in places:
            if x in place and y in place:
                if place[x] >= place[y]:
                    return False
                answer = True
        return answer

    for axis in axes:
        at = len(order)
        for k in reversed(range(len(order))):
            answer = goes_before(axis, order[k])
            if answer is False:
                break
            if answer:
                at = k
        order.insert(at, axis)
    return order
