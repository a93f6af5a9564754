"""`a.flat`: the elements in C order, whatever the layout. Reading a part of it copies; writing goes to the array."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.conversion import as_element, only_element
from soljit.frontend_ast.arrays.elementwise import copy_array, materialize, store
from soljit.frontend_ast.arrays.literals import array_of
from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.arrays.strides import is_contiguous
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import CONVERSIONS, READ_ITEM, STORE_ITEM
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.constants import member_number
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Arr, Dim, Flat, Lazy, Num, RangeVal, SliceVal, Static, Tup, Value
from soljit.frontend_ast.views.fancy_indexing import check_indices, nonzero_arrays, wrapped
from soljit.frontend_ast.views.indexing import get_item
from soljit.frontend_ast.views.reshaping import flattened, shaped_view, transposed
from soljit.frontend_ast.views.subscripts import in_parts, position, slice_of
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import FALSE, TRUE, Const, Expr, Memlet, Op, const
from soljit.ir.core.types import DType, b1, i64

OUTSIDE = "index {0} is out of bounds for size {1}"


def elements(cx: Lowering, f: Flat, dtype: DType | None = None) -> Lazy:
    """The elements as NumPy's functions get them."""
    n = size(cx, f)
    array = f.array if f.array.ndim == 1 else flattened(cx, f.array)
    return Lazy(array.dtype, (n,), array.element, (0,))


CONVERSIONS[Flat] = elements


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


_TOO_MANY = "too many indices for flat iterator: flat iterator is 1-dimensional, but {n} were indexed"
_BOOLEAN = (
    "boolean indices for iterators are not supported because of previous behavior that was confusing "
    "(valid boolean indices are expected to work in the future)"
)
_WRONG_MASK = (
    "boolean index did not match indexed flat iterator along axis 0; size of axis is {0} but size of corresponding "
    "boolean axis is {1}"
)
_ALL = SliceVal(None, None, None)
_SINGLE = ("ValueError", "Error setting single item of array.")


def _chosen(cx: Lowering, f: Flat, index: Value, outside: str = OUTSIDE) -> Num | SliceVal | Arr:
    """What a subscript means: a checked position, a slice, or an array of positions.

    outside: what is said of a number out of bounds
    """
    if not numpy_versions.FLAT_CHECKS_MASKS and _is_odd(index):
        raise cx.unsupported(f"a.flat with a subscript of type {describe(index)}", "take another version of NumPy")
    if isinstance(index, Tup) and not index.mutable:
        if len(index.items) != 1:
            return _all(cx, index.items)
        index = index.items[0]
        if isinstance(index, Num) and index.dtype is b1:
            return _wrong(cx, _BOOLEAN)
    index = in_parts(cx, index)
    if isinstance(index, (Tup, RangeVal)):
        items = index.items if isinstance(index, Tup) else [index]
        if items and all(isinstance(x, Num) and x.dtype is b1 for x in items):
            return _wrong(cx, _BOOLEAN)
        positions = array_of(cx, index, None if items else i64)
        return positions if positions.dtype.is_int else copy_array(cx, positions, dtype=i64)
    match index:
        case SliceVal():
            return index
        case Static() if index.obj is Ellipsis:
            return _ALL
        case Num() if index.dtype is b1:
            if not index.weak:
                return _wrong(cx, _BOOLEAN)
            first = cx.decide(index.expr)
            if first is None:
                raise cx.unsupported("a bool of run time as subscript of a.flat")
            return Num(position(cx, const(0), size(cx, f), 0, OUTSIDE), True) if first else cx.alloc(i64, (const(0),))
        case Num() if index.dtype.is_int or (index.dtype.is_float and numpy_versions.FLAT_TAKES_FLOATS):
            return Num(position(cx, cx.cast(index.expr, i64), size(cx, f), 0, outside), True)
        case Num() if index.dtype.is_float:
            return _wrong(cx, numpy_versions.FLAT_NO_INDEX)
        case Arr() | Lazy():
            return _positions(cx, f, index)
        case Static() if isinstance(index.obj, int):
            cx.raise_("OverflowError", "Python int too large to convert to C long")
            return Num(const(0), True)
        case Static():
            return _wrong(cx, numpy_versions.FLAT_NO_INDEX)
    raise cx.unsupported(f"a.flat with a subscript of type {describe(index)}")


def _is_odd(index: Value) -> bool:
    """Bools, tuples and ranges, whose meaning differs between versions of NumPy."""
    match index:
        case Tup():
            nested = len(index.items) != 1 or isinstance(index.items[0], Tup)
            return (nested and not index.mutable) or any(
                _is_odd(x) or isinstance(x, Num) and x.dtype is b1 for x in index.items
            )
        case Num():
            return index.dtype is b1 and not index.weak
        case RangeVal():
            return True
    return False


def _all(cx: Lowering, parts: list[Value]) -> SliceVal | Num:
    """Subscripts of no part or of several."""
    if not parts:
        return _ALL
    ellipses = sum(isinstance(p, Static) and p.obj is Ellipsis for p in parts)
    if ellipses > 1:
        return _wrong(cx, "an index can only have a single ellipsis ('...')")
    strange = any(isinstance(p, Static) and not isinstance(p.obj, slice) for p in parts)
    return _wrong(cx, numpy_versions.FLAT_NO_INDEX if strange else _TOO_MANY.format(n=len(parts)))


def _wrong(cx: Lowering, text: str) -> Num:
    """What stands for a subscript that raises."""
    cx.raise_("IndexError", text)
    return Num(const(0), True)


def _positions(cx: Lowering, f: Flat, index: Arr | Lazy) -> Num | Arr:
    """An array of positions, or those where a mask holds."""
    if index.ndim == 0 and index.dtype is b1:
        raise cx.unsupported("a bool of run time as subscript of a.flat")
    if index.ndim == 0 and index.dtype.is_int:
        return Num(position(cx, cx.cast(index.element(()), i64), size(cx, f), 0, OUTSIDE), True)
    if index.dtype is b1:
        whole = index.ndim == 1 and cx.decide(symbolic.eq(size(cx, f), index.shape[0]))
        if not whole and not numpy_versions.FLAT_CHECKS_MASKS:
            raise cx.unsupported("a.flat with a mask of another shape", "take another version of NumPy")
        if index.ndim > 1:
            return _wrong(cx, _TOO_MANY.format(n=index.ndim))
        n, m = size(cx, f), index.shape[0]
        if not cx.same_size(n, m):
            cx.check(symbolic.eq(n, m), "IndexError", _WRONG_MASK, [n, m])
        return nonzero_arrays(cx, index)[0]
    if not index.dtype.is_int:
        return _wrong(cx, "arrays used as indices must be of integer (or boolean) type")
    return materialize(cx, index)


def get(cx: Lowering, f: Flat, index: Value, outside: str = numpy_versions.FLAT_OUTSIDE) -> Value:
    """`a.flat[index]`: a number or a copy."""
    where = _chosen(cx, f, index, outside)
    if cx.current.done:
        return Num(cx.cast(const(0), f.array.dtype), False)
    if isinstance(where, Num):
        return element(cx, f, where.expr)
    view = shaped_view(cx, f.array, (size(cx, f),))
    if view is None:
        view = flattened(cx, f.array)
    if isinstance(where, SliceVal):
        value = get_item(cx, view, where)
        return copy_array(cx, value) if isinstance(value, Arr) else value
    at, positions = view, where
    n = size(cx, f)
    checked = check_indices(cx, positions, n, 0, OUTSIDE)
    assert isinstance(checked, Arr)
    taken = Lazy(
        at.dtype, positions.shape, lambda ix: at.element((wrapped(cx, cx.cast(checked.element(ix), i64), n),)), ()
    )
    return copy_array(cx, taken)


READ_ITEM[Flat] = get


def put(cx: Lowering, f: Flat, index: Value, value: Value) -> None:
    """`a.flat[index] = value`: one element after the other, so that an index out of bounds leaves those before it changed."""
    a = f.array
    if not a.writable:
        cx.raise_("ValueError", "underlying array is read-only")
        return
    if isinstance(index, Tup) and not index.mutable and all(x == Static(Ellipsis) for x in index.items[:2]):
        cx.raise_("IndexError", "Assigning to a flat iterator with a 0-D index is not supported")
        return
    where = _chosen(cx, f, index)
    if cx.current.done:
        return
    if isinstance(where, Num):
        _put_one(cx, a, where.expr, value)
        return
    source = source_of(cx, a, value)
    if source is None or cx.current.done:
        return
    n = size(cx, f)
    view = shaped_view(cx, a, (n,))

    def target(k: Expr) -> Memlet:
        return view.at((k,)) if view is not None else a.at(_index(cx, a, k))

    if isinstance(where, SliceVal):
        start, step, count = slice_of(cx, where, n)
        count = source.turns(cx, count)
        with source.steps(cx, count) as j:
            value_at = source.value(cx, j, count)
            cx.emit(nodes.Tasklet(target(symbolic.add(start, symbolic.mul(step, j))), value_at))
        return
    count = source.turns(cx, cx.let(cx.size_of(where.shape), "count"))
    # NumPy takes each position when its turn has come: it may have been written just before
    positions = where if where.dtype is i64 else copy_array(cx, where, dtype=i64)
    with cx.loop(count) as j:
        k = position(cx, positions.element(_index(cx, positions, j)), n, 0, OUTSIDE)
        cx.emit(nodes.Tasklet(target(k), source.value(cx, j, None)))


STORE_ITEM[Flat] = put


def _put_one(cx: Lowering, a: Arr, k: Expr, value: Value) -> None:
    """One element; NumPy says the same of everything that does not fit."""
    if a.dtype is b1 and isinstance(value, Tup):
        value = Num(TRUE if value.items else FALSE, True)
    value = member_number(value)
    if isinstance(value, Static):
        converted = _of_object(cx, a.dtype, value.obj, 0)
        if converted is None:
            return
        value = converted
    if isinstance(value, (Arr, Lazy)) and value.ndim == 0:
        value = Num(cx.let(value.element(())), False)
    if numpy_versions.LINES_ARE_NUMBERS and isinstance(value, (Arr, Lazy)) and a.dtype is not b1:
        only = only_element(cx, value, a.dtype, _SINGLE)
        if only is None:
            return
        value = only
    if not isinstance(value, Num):
        if a.dtype is b1 or not isinstance(value, (Tup, Arr, Lazy, RangeVal)):
            raise cx.unsupported(f"storing {describe(value)} in an element of a.flat")
        cx.raise_(*_SINGLE)
        return
    store(cx, _point(a, _index(cx, a, k)), Num(as_element(cx, value, a.dtype, _SINGLE), False))


def _of_object(cx: Lowering, dtype: DType, obj: object, index: int | slice) -> Num | None:
    """What NumPy stores for None or text, as an example tells; None after an exception."""
    example = np.zeros(1, dtype.numpy)
    try:
        example.flat[index] = obj
    except RecursionError:
        raise
    except Exception as e:
        cx.raise_like(e)
        return None
    return Num(Const(example[0].item(), dtype), False)


@dataclass(frozen=True)
class Source:
    """The values that are stored in turn, from the start again when there are too few; surplus values are left over.

    dtype:  the type of the target
    in_turn: NumPy reads each value when its turn has come: they share memory with the target
    """

    value_of: Num | Arr
    dtype: DType
    in_turn: bool = False

    def turns(self, cx: Lowering, count: Expr) -> Expr:
        """How many elements are stored: none if there are no values."""
        if isinstance(self.value_of, Num):
            return count
        some = symbolic.gt(cx.size_of(self.value_of.shape), const(0))
        if cx.decide(some):
            return count
        return cx.let(symbolic.select(some, count, const(0)), "count")

    @contextmanager
    def steps(self, cx: Lowering, count: Expr) -> Iterator[Expr]:
        """A loop over the elements to be stored."""
        if self.in_turn:
            with cx.loop(count) as j:
                yield j
        else:
            with cx.map((count,)) as (j,):
                yield j

    def value(self, cx: Lowering, j: Expr, count: Expr | None) -> Expr:
        """What is stored at step `j` of `count`."""
        x = self.value_of
        if isinstance(x, Num):
            return x.expr
        m = cx.size_of(x.shape)
        enough = count is not None and (m == count or cx.decide(symbolic.ge(m, count)))
        k = j if enough else cx.let(Op("mod", (j, m), i64), "k")
        return cx.cast(x.element(_index(cx, x, k)), self.dtype)


def source_of(cx: Lowering, a: Arr, value: Value) -> Source | None:
    """The values to be stored in `a`; None after an exception."""
    if isinstance(value, Static):
        converted = _of_object(cx, a.dtype, value.obj, slice(None))
        return None if converted is None else Source(converted, a.dtype)
    if isinstance(value, Num):
        # NumPy's own numbers are arrays here
        e = as_element(cx, value, a.dtype) if value.weak else cx.cast(value.expr, a.dtype)
        return Source(Num(cx.let(e, "value"), False), a.dtype)
    if isinstance(value, Flat):
        value = value.array
    if isinstance(value, (Tup, RangeVal)):
        value = array_of(cx, value, a.dtype)
    x = materialize(cx, as_array(cx, value))
    return Source(x, a.dtype, x.data in cx.alias_of(a.data))


def _point(a: Arr, index: tuple[Expr, ...]) -> Arr:
    """One element as a 0-d view."""
    dims = tuple(
        d if d.axis < 0 else Dim(symbolic.add(d.offset, symbolic.mul(d.step, index[d.axis])), const(1), -1)
        for d in a.dims
    )
    return replace(a, shape=(), dims=dims, rank=(), whole=False, made="")


def assign_all(cx: Lowering, a: Arr, value: Value) -> None:
    """`a.flat = value`: the values in turn, from the start again when there are too few."""
    if not a.writable:
        cx.raise_("ValueError", "array is read-only")
        return
    if isinstance(value, Arr) and value.data in cx.alias_of(a.data):
        ours, theirs = (is_contiguous(cx, transposed(x, range(x.ndim)[::-1])) for x in (a, value))
        if ours is not False and theirs is not True:
            if ours is not True or theirs is not False:
                raise cx.unsupported(
                    "a.flat = b of memory that overlaps, in a layout not known at compile time", "copy it"
                )
            value = copy_array(cx, value)  # NumPy makes it an array in Fortran order first
    put(cx, Flat(a), _ALL, value)
