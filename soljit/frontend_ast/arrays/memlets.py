"""Array values as memory that one memlet describes: what callbacks, other programs and libraries are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from soljit.frontend_ast.arrays.elementwise import copy_array, materialize
from soljit.frontend_ast.arrays.strides import strided
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Arr, Array, Dim
from soljit.ir.core import data
from soljit.ir.core.expr import Expr, Memlet, const, is_const
from soljit.ir.symbolic import add, mul


def in_window(cx: Lowering, value: Array) -> tuple[Arr, Memlet]:
    """The value as an array in memory that a memlet can describe, and that memlet."""
    return _described(cx, value, copy_array)


def as_it_is(cx: Lowering, value: Array) -> tuple[Arr, Memlet]:
    """The same for those who take any strides: elements that are repeated stay repeated."""
    return _described(cx, value, strided)


def _described(cx: Lowering, value: Array, otherwise: Callable[[Lowering, Arr], Arr]) -> tuple[Arr, Memlet]:
    """The array and its memlet; where there is none, those of what `otherwise` makes of it."""
    a = materialize(cx, value)
    window = a.window()
    if window is None:
        a = otherwise(cx, a)
        window = a.window()
        assert window is not None
    return a, window


def part(a: Arr, index: Mapping[int, Expr]) -> Memlet:
    """The part of an array where these axes have these indices: a line, a matrix of a stack. The array repeats nothing."""
    kept = [k for k in range(a.ndim) if k not in index]
    dims = []
    for d in a.dims:
        if d.axis in index:
            dims.append(Dim(add(d.offset, mul(d.step, index[d.axis])), const(1), -1))
        else:
            dims.append(d if d.axis < 0 else Dim(d.offset, d.step, kept.index(d.axis)))
    rank = tuple(kept.index(r) for r in a.rank if r in kept)
    window = replace(a, shape=tuple(a.shape[k] for k in kept), dims=tuple(dims), rank=rank, whole=False).window()
    assert window is not None
    return window


def has_neighbours(cx: Lowering, a: Arr, k: int) -> bool:
    """Tell whether the elements along axis `k` are certainly neighbours in memory."""
    d = cx.data[a.data]
    if not isinstance(d, data.Array) or a.window() is None:
        return False
    for place, dim in enumerate(a.dims):
        if dim.axis == k and is_const(dim.step, 1):
            return place == len(a.dims) - 1 if d.strides is None else is_const(d.strides[place], 1)
    return False
