"""`a.flat`: the elements in C order, whatever the layout. Reading a part of it copies; writing goes to the array."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from soljit.frontend_ast.elementwise import copy_array, materialize, store
from soljit.frontend_ast.fancy_indexing import nest_loops, nonzero_arrays
from soljit.frontend_ast.indexing import get_item, set_item
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.shaping import flattened, shaped_view
from soljit.frontend_ast.numpy_api.table import CONVERSIONS, as_array, as_operand, attribute
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.subscripts import position, slice_of
from soljit.frontend_ast.values import Arr, Dim, Flat, Lazy, Num, SliceVal, Static, Tup, Value
from soljit.ir import nodes, symbolic
from soljit.ir.expr import Expr, Op, const
from soljit.ir.types import DType, b1, i64

_OUTSIDE = "index {0} is out of bounds for size {1}"


def elements(cx: Lowering, f: Flat, dtype: DType | None = None) -> Lazy:
    """The elements as NumPy's functions get them."""
    n = size(cx, f)
    array = f.array if f.array.ndim == 1 else flattened(cx, f.array)
    return Lazy(array.dtype, (n,), array.element, (0,))


CONVERSIONS[Flat] = elements


@attribute("flat")
def flat(cx: Lowering, a: Any) -> Value:
    """a.flat"""
    return Flat(materialize(cx, as_array(cx, a)))


def size(cx: Lowering, f: Flat) -> Expr:
    """Number of elements."""
    return cx.let(cx.size_of(f.array.shape), "size")


def element(cx: Lowering, f: Flat, k: Expr) -> Num:
    """Element `k`, which is in bounds, now."""
    return Num(f.array.element(_index(cx, f.array, k)), False)


def _index(cx: Lowering, a: Arr, k: Expr) -> tuple[Expr, ...]:
    """Where element `k` lies."""
    return index_in(cx, a.shape, k)


def index_in(cx: Lowering, shape: tuple[Expr, ...], k: Expr) -> tuple[Expr, ...]:
    """The indices of element `k` in C order of an array of this shape."""
    if len(shape) == 1:
        return (k,)
    out: list[Expr] = []
    for n in reversed(shape[1:]):
        out.append(cx.let(symbolic.mod(k, n), "i"))
        k = cx.let(symbolic.floordiv(k, n), "i")
    return (k, *reversed(out)) if shape else ()


def _position(cx: Lowering, f: Flat, index: Value) -> Expr | None:
    if isinstance(index, Num) and index.dtype.is_int and index.dtype is not b1:
        return position(cx, cx.cast(index.expr, i64), size(cx, f), 0, _OUTSIDE)
    return None


def get(cx: Lowering, f: Flat, index: Value) -> Value:
    """`a.flat[index]`: a number or a copy."""
    k = _position(cx, f, index)
    if k is not None:
        return element(cx, f, k)
    view = shaped_view(cx, f.array, (size(cx, f),))
    value = get_item(cx, view if view is not None else flattened(cx, f.array), index)
    return copy_array(cx, value) if isinstance(value, Arr) else value


def put(cx: Lowering, f: Flat, index: Value, value: Value) -> None:
    """`a.flat[index] = value`."""
    a = f.array
    if not a.writable:
        cx.raise_("ValueError", "underlying array is read-only")
        return
    if index == SliceVal(None, None, None) or index == Static(Ellipsis):
        assign_all(cx, a, value)
        return
    if not isinstance(value, Num):
        if isinstance(index, Tup) and index.mutable:
            index = as_array(cx, index)
        if isinstance(index, (Arr, Lazy)) and index.ndim:
            _put_chosen(cx, f, index, flattened(cx, materialize(cx, as_array(cx, value))))
            return
        if not isinstance(index, SliceVal):
            raise cx.unsupported(f"storing {describe(value)} in an element of a.flat")
        _put_slice(cx, f, index, flattened(cx, materialize(cx, as_array(cx, value))))
        return
    k = _position(cx, f, index)
    if k is not None:
        if cx.current.done:
            return
        at = _index(cx, a, k)
        store(cx, _point(a, at), value)
        return
    view = shaped_view(cx, a, (size(cx, f),))
    if view is not None:
        set_item(cx, view, index, value)
        return
    copy = flattened(cx, a)
    set_item(cx, copy, index, value)
    with cx.map(a.shape, a.rank) as ix:
        where: Expr = const(0)
        for n, i in zip(a.shape, ix):
            where = symbolic.add(symbolic.mul(where, n), i)
        cx.emit(nodes.Tasklet(a.at(ix), copy.element((where,))))


def _put_chosen(cx: Lowering, f: Flat, index: Arr | Lazy, source: Arr) -> None:
    """Likewise for an array of positions or a mask."""
    if index.dtype is b1:
        index = nonzero_arrays(cx, index)[0]
    index = flattened(cx, materialize(cx, index))
    m = source.shape[0]
    if not cx.decide(symbolic.gt(m, const(0))):
        raise cx.unsupported("storing no values in chosen elements of a.flat")
    same = cx.same_size(index.shape[0], m)
    turns = Lazy(source.dtype, index.shape, lambda ix: source.element((Op("mod", (ix[0], m), i64),)), (0,))
    view = shaped_view(cx, f.array, (size(cx, f),))
    if view is None:
        raise cx.unsupported("storing values in chosen elements of a.flat of an array that is not contiguous")
    set_item(cx, view, index, source if same else materialize(cx, turns))


def _put_slice(cx: Lowering, f: Flat, index: SliceVal, source: Arr) -> None:
    """The values in turn, from the start again when there are too few; surplus values are left over."""
    a, m = f.array, source.shape[0]
    start, step, count = slice_of(cx, index, size(cx, f))
    same = m == count or cx.decide(symbolic.ge(m, count))
    if not same and not cx.decide(symbolic.gt(m, const(0))):
        raise cx.unsupported("storing no values in a part of a.flat")
    view = shaped_view(cx, a, (size(cx, f),))
    with cx.map((count,)) as (j,):
        value = source.element((j if same else Op("mod", (j, m), i64),))
        k = symbolic.add(start, symbolic.mul(step, j))
        target = view.at((k,)) if view is not None else a.at(_index(cx, a, k))
        cx.emit(nodes.Tasklet(target, cx.cast(value, a.dtype)))


def _point(a: Arr, index: tuple[Expr, ...]) -> Arr:
    """One element as a 0-d view."""
    dims = tuple(
        d if d.axis < 0 else Dim(symbolic.add(d.offset, symbolic.mul(d.step, index[d.axis])), const(1), -1)
        for d in a.dims
    )
    return replace(a, shape=(), dims=dims, rank=(), whole=False)


def assign_all(cx: Lowering, a: Arr, value: Value) -> None:
    """`a.flat = value`: the values in turn, from the start again when there are too few."""
    v = as_operand(cx, value)
    if not a.writable:
        cx.raise_("ValueError", "array is read-only")
        return
    if isinstance(v, Num):
        store(cx, a, v)
        return
    source = flattened(cx, materialize(cx, v))
    n = source.shape[0]
    if not cx.decide(symbolic.gt(n, const(0))):
        raise cx.unsupported("a.flat = … of no values")
    k = cx.scalar(i64, "k")
    cx.write(k, const(0))

    def step(ix: tuple[Expr, ...]) -> None:
        at = Op("mod", (cx.read(k), n), i64)
        cx.emit(nodes.Tasklet(a.at(ix), cx.cast(source.element((at,)), a.dtype)))
        cx.write(k, Op("add", (cx.read(k), const(1)), i64))

    nest_loops(cx, a.shape, step)
