"""Views that run backwards: flip, fliplr, flipud, rot90."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values.values import Tup, Value
from soljit.frontend_ast.views.indexing import get_item
from soljit.frontend_ast.views.numpy_arguments import axes_of, computed_now
from soljit.frontend_ast.views.reshaping import flipped, transposed


@implements(np.flip)
def flip(cx: Lowering, m: Value, axis: Value | None = None) -> Value:
    """np.flip"""
    x = in_memory(cx, m)
    axes = axes_of(cx, axis, x.ndim, "repeated axis")
    if x.ndim == 0 and not cx.current.done:
        return get_item(cx, x, Tup([]))
    return flipped(x, range(x.ndim) if axes is None else axes)


def _flip_one(cx: Lowering, m: Value, axis: int) -> Value:
    x = in_memory(cx, m)
    if x.ndim <= axis:
        cx.raise_("ValueError", f"Input must be >= {axis + 1}-d.")
        return x
    return flipped(x, (axis,))


@implements(np.flipud)
def flipud(cx: Lowering, m: Value) -> Value:
    """np.flipud"""
    return _flip_one(cx, m, 0)


@implements(np.fliplr)
def fliplr(cx: Lowering, m: Value) -> Value:
    """np.fliplr"""
    return _flip_one(cx, m, 1)


@implements(np.rot90)
def rot90(cx: Lowering, m: Value, k: Value | None = None, axes: Value | None = None) -> Value:
    """np.rot90"""
    x = in_memory(cx, m)
    turns = static_of(cx, k) if k is not None else 1
    plane = static_of(cx, axes) if axes is not None else (0, 1)
    dummy = np.broadcast_to(np.int8(0), tuple(range(x.ndim)))
    if computed_now(cx, lambda: np.rot90(dummy, turns, plane)) is None:
        return x
    i, j = plane
    i, j, turns = i % x.ndim, j % x.ndim, turns % 4
    if turns == 0:
        return replace(x, whole=False, made="")
    if turns == 2:
        return flipped(x, (i, j))
    swap = list(range(x.ndim))
    swap[i], swap[j] = j, i
    return transposed(flipped(x, (j,)), swap) if turns == 1 else flipped(transposed(x, swap), (j,))
