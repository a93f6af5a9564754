"""Python functions applied to parts of arrays: apply_along_axis, apply_over_axes and vectorize."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from soljit.frontend_ast import iteration
from soljit.frontend_ast.elementwise import broadcast, element_of, k_order, store
from soljit.frontend_ast.fancy_indexing import nest_loops
from soljit.frontend_ast.indexing import get_item
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api import flat
from soljit.frontend_ast.numpy_api.numpy_scalars import as_element
from soljit.frontend_ast.numpy_api.shape_functions import array
from soljit.frontend_ast.numpy_api.shaping import insert_axes, transposed
from soljit.frontend_ast.numpy_api.table import as_array, called, given, implements, normal_axis, static_of
from soljit.frontend_ast.values import Arr, Iteration, Num, Static, Tup, Value
from soljit.ir import nodes, symbolic
from soljit.ir.expr import TRUE, Expr, const
from soljit.ir.types import DType, b1, c128, f64, from_numpy, i64, u64


@implements(np.apply_along_axis)
def apply_along_axis(cx: Lowering, func1d: Value, axis: Value, arr: Value, *args: Value, **kwargs: Value) -> Value:
    """np.apply_along_axis: the first result tells type and shape of all."""
    x = array(cx, arr)
    k = normal_axis(cx, static_of(cx, axis), x.ndim)
    lines = transposed(x, [*(d for d in range(x.ndim) if d != k), k])
    outer = lines.shape[:-1]
    total = cx.let(cx.size_of(outer), "count")
    empty = "Cannot apply_along_axis when any iteration dimensions are 0"
    cx.check(symbolic.gt(total, const(0)), "ValueError", empty)
    if cx.current.done:
        return x

    def result(index: tuple[Expr, ...]) -> Value:
        line = get_item(cx, lines, Tup([Num(i, True) for i in index])) if index else lines
        return cx.call(cx, func1d, [line, *args], dict(kwargs))  # type: ignore[no-any-return]

    first = result(tuple(const(0) for _ in outer))
    value = first if isinstance(first, Num) else as_array(cx, first)
    inner = () if isinstance(value, Num) else value.shape
    out = cx.alloc(value.dtype, (*outer, *inner), zero=True, hint="applied")
    _put(cx, out, tuple(const(0) for _ in outer), value)
    rest = Iteration(symbolic.sub(total, const(1)), lambda i: Num(symbolic.add(i, const(1)), True))
    with iteration.counted(cx, rest, "line") as (body, step):
        assert isinstance(step, Num)
        index = flat.index_in(cx, outer, step.expr)
        _put(cx, out, index, result(index))
    n = len(outer)
    return transposed(out, [*range(k), *range(n, n + len(inner)), *range(k, n)])


def _put(cx: Lowering, out: Arr, index: tuple[Expr, ...], value: Value) -> None:
    if isinstance(value, Num) and out.ndim == len(index):
        cx.emit(nodes.Tasklet(out.at(index), cx.cast(value.expr, out.dtype)))
        return
    place = get_item(cx, out, Tup([Num(i, True) for i in index])) if index else out
    if not isinstance(place, Arr):
        raise cx.unsupported("a function that gives arrays of different dimensions")
    store(cx, place, value if isinstance(value, Num) else as_array(cx, value))


@implements(np.apply_over_axes)
def apply_over_axes(cx: Lowering, func: Value, a: Value, axes: Value) -> Value:
    """np.apply_over_axes: one axis after the other."""
    value: Value = array(cx, a)
    assert isinstance(value, Arr)
    ndim = value.ndim
    named = static_of(cx, axes)
    for axis in named if isinstance(named, (tuple, list)) else (named,):
        k = axis + ndim if axis < 0 else axis
        res: Value = cx.call(cx, func, [value, Num(const(k), True)])
        made = array(cx, res)
        made = made if made.ndim == value.ndim else insert_axes(made, (k,))
        if made.ndim != value.ndim:
            cx.raise_("ValueError", "function is not returning an array of the correct shape")
            return value
        value = made
    return value


# --- vectorize --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Vectorized:
    """`np.vectorize(function)`"""

    function: Value
    types: tuple[Any, ...] | None  # what NumPy takes for a dtype


@implements(np.vectorize)
def vectorize(
    cx: Lowering,
    pyfunc: Value,
    otypes: Value | None = None,
    doc: Value | None = None,
    excluded: Value | None = None,
    cache: Value | None = None,
    signature: Value | None = None,
) -> Value:
    """np.vectorize: a function of arrays."""
    if given(excluded) or given(cache) or given(signature):
        raise cx.unsupported("np.vectorize with excluded, cache or signature")
    return Static(Vectorized(pyfunc, tuple(static_of(cx, otypes)) if given(otypes) else None))


def _of_object(cx: Lowering, f: np.vectorize) -> Vectorized:
    """A vectorized function that was made outside."""
    if f.signature or f.excluded or f.cache:
        raise cx.unsupported("np.vectorize with excluded, cache or signature")
    return Vectorized(Static(f.pyfunc), tuple(f.otypes) if f.otypes else None)


@called(Vectorized, np.vectorize)
def call_vectorized(cx: Lowering, f: Vectorized | np.vectorize, *args: Value) -> Value:
    """The function of each element, as a Python number; the first element's result tells the types."""
    f = f if isinstance(f, Vectorized) else _of_object(cx, f)
    operands = [array(cx, a) for a in args]
    if any(x.dtype is u64 for x in operands):
        raise cx.unsupported("np.vectorize on uint64")
    for x in operands if f.types is None else ():
        cx.check(symbolic.gt(cx.size_of(x.shape), const(0)), "ValueError", _NO_ELEMENTS)
        if cx.current.done:
            return x
    shape, maps = broadcast(cx, [x.shape for x in operands])
    elements = [element_of(x) for x in operands]

    def call(index: tuple[Expr, ...], weak: bool) -> list[Value]:
        numbers: list[Value] = []
        for x, m, e in zip(operands, maps, elements):
            kind = {"b": b1, "i": i64, "u": i64, "f": f64, "c": c128}[x.dtype.kind] if weak else x.dtype
            numbers.append(Num(cx.let(cx.cast(e(m(index)), kind)), weak))
        made: Value = cx.call(cx, f.function, numbers)
        return list(made.items) if isinstance(made, Tup) and not made.mutable else [made]

    if f.types is None:
        plain = all(x.dtype in (b1, i64, f64, c128) for x in operands)  # Python's numbers have the same types
        types = _tried(cx, lambda: [_type(cx, v) for v in call(tuple(const(0) for _ in shape), plain)])
        many = len(types) > 1
    else:
        types, many = [_named(cx, t) for t in f.types], len(f.types) > 1
    outs = [cx.alloc(t, shape, k_order(operands, len(shape)), hint="vectorized") for t in types]

    def body(index: tuple[Expr, ...]) -> None:
        for out, v in zip(outs, call(index, True)):
            if not isinstance(v, Num):
                raise cx.unsupported("np.vectorize of a function whose result is not a number")
            cx.emit(nodes.Tasklet(out.at(index), as_element(cx, v, out.dtype)))

    nest_loops(cx, shape, body)
    return Tup(list(outs)) if many else outs[0]


_NO_ELEMENTS = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


def _tried(cx: Lowering, compute: Callable[[], list[DType]]) -> list[DType]:
    """What lowering something tells, without what it emits."""
    mark = cx.snapshot()
    with cx.block(TRUE):
        found = compute()
    cx.restore(mark)
    return found


def _type(cx: Lowering, v: Value) -> DType:
    if not isinstance(v, Num):
        raise cx.unsupported("np.vectorize of a function whose result is not a number")
    return v.dtype


def _named(cx: Lowering, t: Any) -> DType:
    found = from_numpy(np.dtype(t))
    if found is None:
        raise cx.unsupported(f"np.vectorize with type {t!r}")
    return found
