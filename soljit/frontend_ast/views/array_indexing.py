"""Subscripts of arrays, read and written: integers, slices, newaxis, Ellipsis, masks and integer arrays, in any mixture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.arrays.conversion import as_element, only_element
from soljit.frontend_ast.arrays.elementwise import (
    Index,
    broadcast_into,
    copy_array,
    drop_leading_ones,
    materialize,
    store,
)
from soljit.frontend_ast.arrays.literals import array_of
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.operators import to_bool
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.constants import member_number
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Arr, Array, Dict, Lazy, Num, RangeVal, SliceVal, Static, Tup, Value
from soljit.frontend_ast.views.fancy_indexing import Gather, compress, nest_loops, private, store_masked
from soljit.frontend_ast.views.subscripts import basic_view, in_parts
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import FALSE, TRUE, Const, const
from soljit.ir.core.types import DType, b1, i64, u64


def _as_numeric(cx: Lowering, value: Value, dtype: DType) -> Num | Array:
    value = member_number(value)
    if isinstance(value, (Num, Arr, Lazy)):
        return value
    if isinstance(value, (Tup, RangeVal)):
        return array_of(cx, value, dtype)
    if isinstance(value, Static) and (value.obj is None or isinstance(value.obj, (str, bytes))):
        return _converted(cx, value.obj, dtype)
    raise cx.unsupported(f"storing {describe(value)} in an array")


def _converted(cx: Lowering, value: str | bytes | None, dtype: DType) -> Num:
    """What NumPy stores for None or a string."""
    example = np.zeros(1, dtype.numpy)
    try:
        example[0] = value
    except (TypeError, ValueError) as e:
        cx.raise_like(e)
    return Num(Const(example[0].item(), dtype), False)


def expand(cx: Lowering, index: Value, ndim: int) -> list[Value]:
    """The parts of a subscript, with Ellipsis and missing dimensions replaced by full slices."""
    given = list(index.items) if isinstance(index, Tup) and not index.mutable else [index]
    parts = [_index_array(cx, p) if isinstance(p, (Tup, RangeVal)) else member_number(p) for p in given]
    out: list[Value] = []
    used = sum(_consumes(p) for p in parts)
    if sum(1 for p in parts if isinstance(p, Static) and p.obj is Ellipsis) > 1:
        cx.raise_("IndexError", "an index can only have a single ellipsis ('...')")
    full = SliceVal(None, None, None)
    if any(isinstance(p, Static) and type(p.obj) is int and i64.highest < p.obj <= u64.highest for p in parts):
        cx.raise_("OverflowError", "Python int too large to convert to C long")  # NumPy has made a uint64 of it
        return [full] * ndim
    wrong = _what_is_no_index(parts, given)
    if wrong is None and used > ndim:
        wrong = f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed"
    if wrong is not None:
        cx.raise_("IndexError", wrong)
        return [full] * ndim
    seen = False
    for p in parts:
        if isinstance(p, Static) and p.obj is Ellipsis:
            if not seen:
                out.extend([full] * (ndim - used) or [p])  # even for no axis it keeps index arrays apart
            seen = True
            continue
        out.append(in_parts(cx, p))
    if not seen:
        out.extend([full] * (ndim - used))
    return out


def _what_is_no_index(parts: list[Value], given: list[Value]) -> str | None:
    """What NumPy says of the first part of a subscript that is none; of a list it says what it says of a number."""
    for p, written in zip(parts, given):
        known = isinstance(p, Static) and not (p.obj is None or p.obj is Ellipsis or isinstance(p.obj, slice))
        number = isinstance(p, Num) or isinstance(p, (Arr, Lazy)) and isinstance(written, (Tup, RangeVal))
        if isinstance(p, Dict) or known or number and not p.dtype.is_int and p.dtype is not b1:  # type: ignore[attr-defined]
            return "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
        if isinstance(p, (Arr, Lazy)) and p.dtype is not b1 and not p.dtype.is_int:
            return "arrays used as indices must be of integer (or boolean) type"
    return None


def _index_array(cx: Lowering, p: Tup | RangeVal) -> Array:
    a = array_of(cx, p, i64 if isinstance(p, RangeVal) else None)
    return a if isinstance(p, RangeVal) or p.items else Lazy(i64, a.shape, lambda _: const(0), a.rank)


def _consumes(p: Value) -> int:
    if isinstance(p, Static) and (p.obj is None or p.obj is Ellipsis) or isinstance(p, Num) and p.dtype is b1:
        return 0
    if isinstance(p, (Arr, Lazy)) and p.dtype is b1:
        return p.ndim
    return 1


def _is_array_index(p: Value) -> bool:
    return isinstance(p, (Arr, Lazy)) and not (p.ndim == 0 and p.dtype.is_int) or isinstance(p, Num) and p.dtype is b1


def get_array(cx: Lowering, a: Array, index: Value) -> Value:
    parts = expand(cx, index, a.ndim)
    if cx.current.done:
        return Num(cx.cast(Const(0, i64), a.dtype), False)
    if not any(_is_array_index(p) for p in parts):
        view = basic_view(cx, materialize(cx, a), parts)
        if view.ndim == 0 and not any(isinstance(p, Static) for p in parts) and not _has_ellipsis(index):
            return Num(view.element(()), False)
        if any(isinstance(p, (Arr, Lazy)) for p in parts):  # an integer that is an array makes a copy
            return copy_array(cx, view, k_order(cx, [view], view.ndim))
        return view
    if len(parts) == 1 and isinstance(parts[0], (Arr, Lazy)) and parts[0].dtype is b1 and a.ndim == parts[0].ndim:
        return compress(cx, a, parts[0])
    a = materialize(cx, a)
    gather = Gather.make(cx, a, parts)
    shape, element, arr = gather.shape, gather.at, gather.base
    return materialize(cx, Lazy(a.dtype, shape, lambda ix: arr.element(element(ix)), gather.rank))


def _has_ellipsis(index: Value) -> bool:
    parts = index.items if isinstance(index, Tup) else [index]
    return any(isinstance(p, Static) and p.obj is Ellipsis for p in parts)


def set_array(cx: Lowering, a: Arr, index: Value, value: Value) -> None:
    if not a.writable:
        cx.raise_("ValueError", "assignment destination is read-only")
        return
    parts = expand(cx, index, a.ndim)
    if cx.current.done:
        return
    if not any(_is_array_index(p) for p in parts):
        view = basic_view(cx, a, parts)
        if not cx.current.done:
            element = view.ndim == 0 and not any(isinstance(p, Static) for p in parts) and not _has_ellipsis(index)
            _store_in_view(cx, view, value, element)
        return
    value = _as_numeric(cx, value, a.dtype)
    if isinstance(value, Num) and value.weak:
        value = Num(as_element(cx, value, a.dtype), False)
    parts = [private(cx, a, p) if isinstance(p, Arr) else p for p in parts]
    if (
        a.ndim == 0 and len(parts) == 1 and isinstance(parts[0], Num) and parts[0].dtype is b1
    ):  # a mask of its one element
        chosen = parts[0].expr
        parts = [Lazy(b1, (), lambda _: chosen, ())]
    if len(parts) == 1 and isinstance(parts[0], (Arr, Lazy)) and parts[0].dtype is b1 and a.ndim == parts[0].ndim:
        store_masked(cx, a, parts[0], value)
        return
    found: list[tuple[Index, Callable[[Index], Index]]] = []
    stored = value

    def fit(target: Index) -> None:
        if isinstance(stored, Num):
            return
        text = "shape mismatch: value array of shape {0} could not be broadcast to indexing result of shape {1}"
        shape = drop_leading_ones(cx, stored.shape, target, text, stored.shape)
        fits = broadcast_into(cx, shape, target, text, stored.shape)
        if fits is not None:
            found.append(((const(0),) * (stored.ndim - len(shape)), fits))

    gather = Gather.make(cx, a, parts, fit)
    if not isinstance(value, Num):
        if not found:
            return
        value = private(cx, a, value)
        skip, fits = found[0]
    at, base = gather.at, gather.base

    def body(ix: Index) -> None:
        if isinstance(value, Num):
            code = value.expr
        else:
            code = value.element((*skip, *fits(ix)))
        cx.emit(nodes.Tasklet(base.at(at(ix)), cx.cast(code, a.dtype)))

    nest_loops(cx, gather.shape, body)


def _element_of(cx: Lowering, value: Value, dtype: DType) -> Value | None:
    """What is put into one element; None if it raises, as an example tells."""
    if isinstance(value, (Arr, Lazy)) and value.ndim == 0 or not isinstance(value, (Arr, Lazy, Tup, RangeVal)):
        return value
    if dtype is b1 and isinstance(value, RangeVal):
        return Num(symbolic.gt(cx.range_length(value.start, value.stop, value.step), const(0)), True)
    if dtype is b1 and not isinstance(value, RangeVal):  # its truth value
        if isinstance(value, Tup):
            return Num(TRUE if value.items else FALSE, True)
        size = cx.size_of(value.shape)
        fine = symbolic.le(size, const(1)) if numpy_versions.EMPTY_IS_FALSE else symbolic.eq(size, const(1))
        cx.check(fine, *_SEQUENCE)
        return Num(to_bool(cx, value), False)
    if numpy_versions.LINES_ARE_NUMBERS and isinstance(value, (Arr, Lazy)):
        return only_element(
            cx, value, dtype, ("TypeError", numpy_versions.NO_NUMBER) if dtype.is_complex else _SEQUENCE
        )
    example = np.zeros(1, dtype.numpy)
    kinds: dict[bool, Any] = {True: [1], False: (1,)}
    try:
        sequence = kinds[value.mutable] if isinstance(value, Tup) else np.ones(1)
        example[0] = range(3) if isinstance(value, RangeVal) else sequence
    except (TypeError, ValueError) as e:
        cx.raise_(type(e).__name__, str(e))
    return None


_SEQUENCE = ("ValueError", "setting an array element with a sequence.")


def _has_shape(cx: Lowering, value: Value, shape: Index) -> bool:
    """Tell whether this is certainly the shape of an array made of a nested sequence."""
    match value:
        case Num():
            return not shape
        case Arr() | Lazy():
            same = (n == m or cx.same_size(n, m) is True for n, m in zip(value.shape, shape))
            return value.ndim == len(shape) and all(same)
        case Tup(items=[]):
            return len(shape) == 1 and cx.decide(symbolic.eq(shape[0], const(0))) is True
        case Tup() if shape and cx.decide(symbolic.eq(shape[0], const(len(value.items)))):
            return all(_has_shape(cx, x, shape[1:]) for x in value.items)
    return False


def _settled(cx: Lowering, value: Value) -> Value:
    """The items of a nested sequence as they are now."""
    if isinstance(value, Tup):
        return Tup([_settled(cx, x) for x in value.items])
    return Num(cx.let(value.expr), value.weak) if isinstance(value, Num) else value


def _store_items(cx: Lowering, view: Arr, value: Value) -> None:
    """A nested sequence of the view's own shape: NumPy stores one item after the other, and reads arrays among them only then."""
    if isinstance(value, Tup):
        for k, x in enumerate(value.items):
            _store_items(
                cx, basic_view(cx, view, [Num(const(k), True), *[SliceVal(None, None, None)] * (view.ndim - 1)]), x
            )
    elif isinstance(value, Num):
        store(cx, view, Num(as_element(cx, value, view.dtype), False))
    elif isinstance(value, (Arr, Lazy)):
        store(cx, view, value)


def _store_in_view(cx: Lowering, view: Arr, value: Value, element: bool) -> None:
    """`view[...] = value`; what does not fit a single element raises otherwise than what does not fit an array."""
    sequence = isinstance(value, (Tup, RangeVal))
    if isinstance(value, RangeVal) and not element:
        value = array_of(cx, value)
    if element and not isinstance(value, Num):
        converted = _element_of(cx, value, view.dtype)
        if converted is None:
            return
        value = converted
    if isinstance(value, Tup) and view.writable and _has_shape(cx, value, view.shape):
        _store_items(cx, view, _settled(cx, value))
        return
    x = _as_numeric(cx, value, view.dtype)
    if isinstance(x, Num):
        x = Num(as_element(cx, x, view.dtype), False)
    elif sequence and x.ndim > view.ndim:
        text = f"setting an array element with a sequence. The requested array would exceed the maximum number of dimension of {view.ndim}."
        cx.raise_("ValueError", text)
        return
    store(cx, view, x)
