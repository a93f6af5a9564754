"""Python functions that NumPy applies to elements or rows: np.vectorize and np.apply_along_axis, compiled along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from soljit.frontend_ast.choices import act
from soljit.frontend_ast.elementwise import Index, broadcast, element_of, k_order, materialize, store
from soljit.frontend_ast.fancy_indexing import nest_loops
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.numpy_scalars import as_element
from soljit.frontend_ast.numpy_api.shaping import transposed
from soljit.frontend_ast.numpy_api.table import as_array, as_operand, axis_of, given, implements, static_of
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.python_numbers import constant
from soljit.frontend_ast.subscripts import basic_view
from soljit.frontend_ast.values import NONE, Arr, Choice, Lazy, Num, SliceVal, Static, Tup, Value
from soljit.ir import nodes, symbolic
from soljit.ir.expr import Const, Expr, Op, const
from soljit.ir.types import DType, b1, c128, f64, from_numpy, i64, u64

_PYTHON = {"b": b1, "i": i64, "u": i64, "f": f64, "c": c128}


@dataclass(frozen=True, eq=False)
class Vectorized:
    """What np.vectorize makes of a function; `dtypes`: those of its results, if they are given."""

    function: Value
    dtypes: tuple[DType, ...] | None


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
    """np.vectorize"""
    if given(excluded) or given(signature) or given(cache):
        raise cx.unsupported("np.vectorize with excluded, cache or signature")
    return Static(Vectorized(pyfunc, _dtypes(cx, static_of(cx, otypes)) if given(otypes) else None))


def of_object(cx: Lowering, made: np.vectorize) -> Vectorized:
    """The same for an object that exists already."""
    if made.excluded or made.signature is not None or made.cache:
        raise cx.unsupported("np.vectorize with excluded, cache or signature")
    return Vectorized(constant(cx, made.pyfunc), None if made.otypes is None else _dtypes(cx, made.otypes))


def _dtypes(cx: Lowering, otypes: str | Sequence[type]) -> tuple[DType, ...]:
    found = [from_numpy(t) for t in otypes]
    if None in found:
        raise cx.unsupported(f"np.vectorize with otypes={otypes!r}")
    return tuple(t for t in found if t is not None)


def call_vectorized(cx: Lowering, v: Vectorized, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call the function on Python numbers made of the elements; the types are those of its results for the first elements."""
    if kwargs or not args:
        raise cx.unsupported("calling what np.vectorize made with keywords, or without arguments")
    operands = [as_operand(cx, a) for a in args]
    arrays = [materialize(cx, a) if isinstance(a, Lazy) else a for a in operands]
    if any(a.dtype is u64 for a in arrays):
        raise cx.unsupported("np.vectorize on arrays of uint64")
    dtypes = v.dtypes or _types_of_first(cx, v.function, arrays)
    if dtypes is None or cx.current.done:
        return NONE
    shape, maps = broadcast(cx, [() if isinstance(a, Num) else a.shape for a in arrays])
    elements = [element_of(a) for a in arrays]
    rank = k_order([a for a in arrays if not isinstance(a, Num)], len(shape))
    outs = [cx.alloc(t, shape, rank) for t in dtypes]

    def body(ix: Index) -> None:
        numbers: list[Value] = []
        for a, element, place in zip(arrays, elements, maps):
            e = cx.let(element(place(ix)), "x")
            numbers.append(Num(cx.cast(e, _PYTHON[a.dtype.kind]), True))

        def put(results: list[Value]) -> None:
            for out, x in zip(outs, _numbers(cx, results[0], len(outs))):
                cx.emit(nodes.Tasklet(out.at(ix), as_element(cx, x, out.dtype)))

        act(cx, [cx.call(cx, v.function, numbers)], put)

    nest_loops(cx, shape, body)
    return outs[0] if len(outs) == 1 else Tup(list(outs))


def _types_of_first(cx: Lowering, function: Value, arrays: list[Num | Arr]) -> tuple[DType, ...] | None:
    """The types of the results for the first elements, by a call as NumPy makes it, too."""
    firsts: list[Value] = []
    for a in arrays:
        if isinstance(a, Num):
            firsts.append(Num(a.expr, False))
            continue
        some = symbolic.gt(cx.size_of(a.shape), const(0))
        cx.check(some, "ValueError", "cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        if cx.current.done:
            return None
        firsts.append(Num(cx.let(a.element((const(0),) * a.ndim), "x"), False))
    result = cx.call(cx, function, firsts)
    return tuple(_dtype_of(cx, x) for x in (result.items if isinstance(result, Tup) else [result]))


def _dtype_of(cx: Lowering, x: Value) -> DType:
    found = {k.dtype for k in x.kinds} if isinstance(x, Choice) else {_numbers(cx, x, 1)[0].dtype}
    if len(found) > 1 or not all(isinstance(t, DType) for t in found):
        text = "np.vectorize of a function whose result has one type or another"
        raise cx.unsupported(text, "return numbers of one type, or give otypes")
    return found.pop()


def _numbers(cx: Lowering, result: Value, count: int) -> list[Num]:
    items = result.items if isinstance(result, Tup) else [result]
    numbers = [Num(x.element(()), False) if isinstance(x, (Arr, Lazy)) and x.ndim == 0 else x for x in items]
    found = [x for x in numbers if isinstance(x, Num)]
    if len(found) != len(items) or len(found) != count:
        if cx.current.done:  # it always raises
            return [Num(Const(0.0, f64), True)] * count
        raise cx.unsupported(f"np.vectorize of a function that returns {describe(result)}")
    return found


@implements(np.apply_along_axis)
def apply_along_axis(cx: Lowering, func1d: Value, axis: Value, arr: Value, *args: Value, **kwargs: Value) -> Value:
    """np.apply_along_axis: the function sees each row along the axis; its results are put in the row's place."""
    x = materialize(cx, as_array(cx, arr))
    k = axis_of(cx, axis, x.ndim)
    if k is None or x.ndim == 0:
        raise cx.unsupported("np.apply_along_axis in this form")
    others = [j for j in range(x.ndim) if j != k]
    shape = tuple(x.shape[j] for j in others)
    text = "Cannot apply_along_axis when any iteration dimensions are 0"
    cx.check(symbolic.gt(cx.size_of(shape), const(0)), "ValueError", text)
    if cx.current.done:
        return NONE

    def row(ix: Index) -> Arr:
        parts: list[Value] = [Num(i, True) for i in ix]
        parts.insert(k, SliceVal(None, None, None))
        return basic_view(cx, x, parts)

    first = as_operand(cx, cx.call(cx, func1d, [row((const(0),) * len(shape)), *args], kwargs))
    inner: Index = () if isinstance(first, Num) else first.shape
    first = materialize(cx, first) if isinstance(first, Lazy) else first
    out = cx.alloc(first.dtype, (*shape, *inner), zero=True)
    whole: list[Value] = [SliceVal(None, None, None)] * len(inner)

    def put(ix: Index, value: Num | Arr | Lazy) -> None:
        if value.dtype is not first.dtype and not isinstance(value, Num):
            raise cx.unsupported("np.apply_along_axis of a function whose results have several types")
        if isinstance(value, Num):
            value = Num(as_element(cx, value, out.dtype), False)
        store(cx, basic_view(cx, out, [*(Num(i, True) for i in ix), *whole]), value)

    def body(ix: Index) -> None:
        with cx.block() as again:
            act(cx, [cx.call(cx, func1d, [row(ix), *args], kwargs)], lambda vs: put(ix, as_operand(cx, vs[0])))
        with cx.block() as already:
            put(ix, first)
        cx.branch(_is_first(ix), already, again)

    nest_loops(cx, shape, body)
    if not inner:
        return out
    n, m = len(shape), len(inner)
    return transposed(out, (*range(k), *range(n, n + m), *range(k, n)))


def _is_first(ix: Index) -> Expr:
    found: Expr = Const(True, b1)
    for i in ix:
        found = Op("land", (found, Op("eq", (i, const(0)), b1)), b1)
    return found
