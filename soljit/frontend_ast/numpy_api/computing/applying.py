"""Python functions applied to parts of arrays, compiled along: apply_along_axis, apply_over_axes and vectorize."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.elementwise import Index, broadcast, copy_array, element_of, materialize, store
from soljit.frontend_ast.arrays.operands import as_array, as_operand, in_memory
from soljit.frontend_ast.calls.attribute_reads import attribute_of
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.calls.object_calls import call_python_object
from soljit.frontend_ast.iteration import counted_loops
from soljit.frontend_ast.joins.unions import act
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import called, implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.lowering.written_since import written_since
from soljit.frontend_ast.objects import captured_attributes
from soljit.frontend_ast.objects.functions import as_library_argument
from soljit.frontend_ast.objects.objects import call_by_name, make_object
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import (
    NONE,
    Arr,
    CompileTime,
    Iteration,
    Lazy,
    Num,
    Object,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.frontend_ast.views import flat_elements
from soljit.frontend_ast.views.fancy_indexing import nest_loops
from soljit.frontend_ast.views.indexing import get_item
from soljit.frontend_ast.views.numpy_arguments import given, normal_axis
from soljit.frontend_ast.views.reshaping import insert_axes, transposed
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, const
from soljit.ir.core.types import DType, f64, from_numpy, u64


@implements(np.apply_along_axis)
def apply_along_axis(cx: Lowering, func1d: Value, axis: Value, arr: Value, *args: Value, **kwargs: Value) -> Value:
    """np.apply_along_axis: the first result tells type and shape of all."""
    x = in_memory(cx, arr)
    k = normal_axis(cx, static_of(cx, axis), x.ndim)
    if cx.current.done:
        return x
    lines = transposed(x, [*(d for d in range(x.ndim) if d != k), k])
    outer = lines.shape[:-1]
    total = cx.let(cx.size_of(outer), "count")
    empty = "Cannot apply_along_axis when any iteration dimensions are 0"
    cx.check(symbolic.gt(total, const(0)), "ValueError", empty)
    if cx.current.done:
        return x

    def result(index: tuple[Expr, ...]) -> Value:
        line = get_item(cx, lines, Tup([Num(i, True) for i in index])) if index else lines
        return call_value(cx, func1d, [line, *args], dict(kwargs))

    first = result(tuple(const(0) for _ in outer))
    value = first if isinstance(first, Num) else as_array(cx, first)
    inner = () if isinstance(value, Num) else value.shape
    out = cx.alloc(value.dtype, (*outer, *inner), zero=True, hint="applied")
    _put(cx, out, tuple(const(0) for _ in outer), value)
    rest = Iteration(symbolic.sub(total, const(1)), lambda i: Num(symbolic.add(i, const(1)), True))
    with counted_loops.counted(cx, rest, "line") as (body, step):
        assert isinstance(step, Num)
        index = flat_elements.index_in(cx, outer, step.expr)
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
    value: Value = in_memory(cx, a)
    assert isinstance(value, Arr)
    ndim = value.ndim
    named = static_of(cx, axes)
    for axis in named if isinstance(named, (tuple, list)) else (named,):
        try:
            before = axis < 0
        except TypeError as e:
            cx.raise_like(e)
            return value
        k = axis + ndim if before else axis  # which may still be negative, or an axis that is not there
        res: Value = call_value(cx, func, [value, constant(k)])
        if cx.current.done:
            return value
        made = in_memory(cx, res)
        if made.ndim != value.ndim:
            place = normal_axis(cx, k, made.ndim + 1)
            if cx.current.done:
                return value
            made = insert_axes(made, (place,))
        if made.ndim != value.ndim:
            cx.raise_("ValueError", "function is not returning an array of the correct shape")
            return value
        value = made
    return value


# --- vectorize --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Vectorized(CompileTime):
    """What np.vectorize makes of a function. given: its other arguments; `dtypes`: those of its results, if they are given."""

    cls = np.vectorize
    is_callable = True
    function: Value
    dtypes: tuple[DType, ...] | None
    given: dict[str, Value]
    site: Loc | None = None

    def attribute(self, cx: Lowering, name: str) -> Value:
        """An attribute of the object, which Python then makes."""
        return attribute_of(cx, make_object(cx, Static(self)), name)


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
    names = {"otypes": otypes, "doc": doc, "excluded": excluded, "cache": cache, "signature": signature}
    kept = {k: v for k, v in names.items() if v is not None}
    return Static(Vectorized(pyfunc, _dtypes(static_of(cx, otypes)) if given(otypes) else None, kept, cx.loc))


def _of_object(cx: Lowering, made: np.vectorize) -> Vectorized:
    """The same for an object that exists already."""
    read = {
        n: captured_attributes.attribute(cx, made, n) for n in ("pyfunc", "otypes", "excluded", "signature", "cache")
    }
    if made.excluded or made.signature is not None or made.cache:
        raise cx.unsupported("np.vectorize with excluded, cache or signature")
    dtypes = None if made.otypes is None else _dtypes(made.otypes)
    if dtypes == ():
        raise cx.unsupported(f"np.vectorize with otypes={made.otypes!r}")
    return Vectorized(read["pyfunc"], dtypes, {})


def _dtypes(otypes: str | Sequence[type]) -> tuple[DType, ...]:
    """The types of the results; none if one of them is not of numbers."""
    found = [from_numpy(t) for t in otypes]
    return () if None in found else tuple(t for t in found if t is not None)


@called(Vectorized, np.vectorize)
def call_vectorized(cx: Lowering, made: Vectorized | np.vectorize, *args: Value, **kwargs: Value) -> Value:
    """Call what np.vectorize made: the function is compiled along where its results are numbers."""
    v = made if isinstance(made, Vectorized) else _of_object(cx, made)
    mark = cx.snapshot()
    try:
        if v.dtypes == () or any(k in v.given for k in ("excluded", "cache", "signature")):
            raise cx.unsupported("np.vectorize of this kind")
        return _compiled(cx, v, args, kwargs)
    except UnsupportedError:
        cx.restore(mark)
        by_numpy = call_by_name(cx, "numpy.vectorize", [as_library_argument(cx, v.function)], ANY, v.given)
        assert isinstance(by_numpy, Object)
        return call_python_object(cx, by_numpy, list(args), kwargs)


def _compiled(cx: Lowering, v: Vectorized, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The function called on Python numbers made of the elements; the types are those of its results for the first elements."""
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
    rank = k_order(cx, [a for a in arrays if not isinstance(a, Num)], len(shape))
    outs = [cx.alloc(t, shape, rank) for t in dtypes]

    mark, before = cx.snapshot(), len(cx.current.items)
    _fill(cx, v.function, arrays, maps, outs)
    if any(isinstance(a, Arr) and written_since(cx, before, a.data) for a in arrays):  # NumPy has converted them before
        cx.restore(mark)
        _fill(cx, v.function, [copy_array(cx, a) if isinstance(a, Arr) else a for a in arrays], maps, outs)
    return outs[0] if len(outs) == 1 else Tup(list(outs))


def _fill(
    cx: Lowering,
    function: Value,
    arrays: Sequence[Num | Arr],
    maps: Sequence[Callable[[Index], Index]],
    outs: list[Arr],
) -> None:
    """The results of the function for the elements, one after the other."""
    elements = [element_of(a) for a in arrays]

    def body(ix: Index) -> None:
        numbers: list[Value] = []
        for a, element, place in zip(arrays, elements, maps):
            e = cx.let(element(place(ix)), "x")
            numbers.append(Num(cx.cast(e, a.dtype.python), True))

        def put(results: list[Value]) -> None:
            for out, x in zip(outs, _numbers(cx, results[0], len(outs))):
                cx.emit(nodes.Tasklet(out.at(ix), as_element(cx, x, out.dtype)))

        act(cx, [call_value(cx, function, numbers)], put)

    nest_loops(cx, outs[0].shape, body)


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
    result = call_value(cx, function, firsts)
    return tuple(_dtype_of(cx, x) for x in (result.items if isinstance(result, Tup) else [result]))


def _dtype_of(cx: Lowering, x: Value) -> DType:
    found = {k.dtype for k in x.kinds} if isinstance(x, Union) else {_numbers(cx, x, 1)[0].dtype}
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
