"""Subscripts of any value, read, written and deleted; those of tuples, ranges and dicts. Arrays: `array_indexing.py`."""

from __future__ import annotations

import dataclasses
import enum
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base import pure
from soljit.base.classes import writes
from soljit.base.errors import UnsupportedError
from soljit.base.messages import escape
from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.joins.binding import named, pin
from soljit.frontend_ast.joins.type_lattice import exact_when_widened
from soljit.frontend_ast.joins.unions import act
from soljit.frontend_ast.lowering.class_dependencies import depend_on_members_of_enum
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import READ_ITEM, STORE_ITEM
from soljit.frontend_ast.numbers.always_raises import raised
from soljit.frontend_ast.numbers.operators import MOST_STATIC_ITEMS
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import describe, py_type
from soljit.frontend_ast.values.object_types import ANY, Element
from soljit.frontend_ast.values.values import (
    ITERATORS,
    Arr,
    Choice,
    CompileTime,
    Dict,
    Flat,
    Lazy,
    Num,
    Object,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.frontend_ast.values.variables import Kind
from soljit.frontend_ast.views.array_indexing import get_array, set_array
from soljit.frontend_ast.views.subscripts import in_parts, integer_index, slice_of
from soljit.ir import symbolic
from soljit.ir.expr import Const, Expr, Op, const
from soljit.ir.types import b1, f64, i64

_MAKERS = tuple({type(x) for x in (np.mgrid, np.r_, np.c_, np.s_)})  # of their subscripts


def get_item(cx: Lowering, owner: Value, index: Value) -> Value:
    """`owner[index]`."""
    index = in_parts(cx, index)
    special: Value | None = cx.special.call_special(cx, owner, "__getitem__", index)
    if special is not None:
        return special
    if isinstance(owner, Object):
        held: Value | None = cx.objects.item_outside(cx, owner, index)
        if held is None and isinstance(index, Object) and owner.type.cls in (list, tuple):
            part = Element("object", object=owner.type)
            held = cx.objects.item_or_slice(cx, owner, index, part, lambda: cx.objects.get_item(cx, owner, index))
        return held or cx.objects.get_item(cx, owner, index)
    if _is_a_sequence(owner):
        index = cx.special.index_of(cx, index)
    if isinstance(owner, (Arr, Lazy)) and cx.objects.has_objects(index):
        return cx.objects.get_at(cx, materialize(cx, owner), index, lambda i: get_array(cx, owner, i))  # type: ignore[no-any-return]
    if isinstance(index, Object) and not (isinstance(owner, Static) and isinstance(owner.obj, _MAKERS)):
        if isinstance(owner, Static) and isinstance(owner.obj, str):
            return cx.objects.get_in_text(cx, owner, index)  # type: ignore[no-any-return]
        if isinstance(owner, (Dict, Static)):
            return cx.objects.get_item(cx, cx.objects.make(cx, owner), index)  # type: ignore[no-any-return]
        number = index
        if isinstance(owner, (Tup, RangeVal)):
            return cx.objects.item_or_slice(  # type: ignore[no-any-return]
                cx, owner, index, ANY, lambda: get_item(cx, owner, cx.objects.as_index(cx, number))
            )
        index = cx.objects.as_index(cx, index)
    plain = (
        isinstance(owner, (Arr, Lazy))
        or isinstance(owner, (Tup, RangeVal))
        and isinstance(index, Num)
        and index.dtype is i64
    )
    if not plain and raised(cx, operator.getitem, [owner, index]):
        return Static(None)
    if isinstance(owner, Dict) and dataclasses.is_dataclass(owner.cls):
        cx.raise_("TypeError", f"'{owner.cls.__name__}' object is not subscriptable")
        return Static(None)
    match owner:
        case Arr() | Lazy():
            return get_array(cx, owner, index)
        case Tup():
            return _get_tuple(cx, owner, index)
        case Flat():
            return READ_ITEM[Flat](cx, owner, index)
        case Dict():
            try:
                key = _static_key(cx, index)
            except UnsupportedError:
                if owner.cls is not None:
                    raise
                cx.objects.grow(cx, owner)
            if isinstance(index, SliceVal):
                cx.raise_like(pure.error_of(hash, (key,)) or KeyError(key))  # before Python 3.12 slices have no hash
                return Static(None)
            if key not in owner.items:
                if isinstance(key, str):
                    cx.raise_("KeyError", escape(key))
                else:
                    cx.objects.throw(cx, "builtins.KeyError", [index])
                return Static(None)
            return owner.items[key]
        case Static() if isinstance(owner.obj, CompileTime):
            return owner.obj.item(cx, index)
        case Static() if isinstance(owner.obj, (str, bytes, dict, enum.EnumMeta)):
            try:
                return constant(_item_now(cx, owner.obj, _static_key(cx, index)))
            except (UnsupportedError, pure.Impure):
                if isinstance(owner.obj, str):
                    return cx.objects.get_in_text(cx, owner, index)  # type: ignore[no-any-return]
                return cx.objects.get_item(cx, cx.objects.make(cx, owner), index)  # type: ignore[no-any-return]
            except (IndexError, TypeError) as e:
                cx.raise_(type(e).__name__, str(e))
                return Static(None)
            except KeyError:
                cx.objects.throw(cx, "builtins.KeyError", [index])
                return Static(None)
        case Static() if hasattr(owner.obj, "__class_getitem__") or hasattr(owner.obj, "__getitem__"):
            return READ_ITEM[Static](cx, owner, index)
        case RangeVal():
            return _get_range(cx, owner, index)
        case Num() if not owner.weak:
            return _get_scalar(cx, owner, index)
        case Num() | Static(obj=None):
            cx.raise_("TypeError", f"'{py_type(owner)}' object is not subscriptable")
            return Static(None)
    raise cx.unsupported(f"indexing {describe(owner)}")


def _get_scalar(cx: Lowering, x: Num, index: Value) -> Value:
    """A NumPy scalar with a subscript that would do for an array without dimensions."""
    parts = index.items if isinstance(index, Tup) and not index.mutable else [index]
    ellipses = sum(isinstance(p, Static) and p.obj is Ellipsis for p in parts)
    if ellipses < 2 and all(_takes_nothing(p) for p in parts):
        return get_array(cx, Lazy(x.dtype, (), lambda _: x.expr, ()), index)
    cx.raise_("IndexError", "invalid index to scalar variable.")
    return x


def _takes_nothing(part: Value) -> bool:
    """Does this part of a subscript stand for no dimension?"""
    if isinstance(part, Static):
        return part.obj is None or part.obj is Ellipsis
    return isinstance(part, (Num, Arr, Lazy)) and part.dtype is b1 and (isinstance(part, Num) or part.ndim == 0)


def _is_a_sequence(owner: Value) -> bool:
    """Is it indexed by numbers?"""
    if isinstance(owner, Static):
        return isinstance(owner.obj, (str, bytes))
    return isinstance(owner, (Arr, Lazy, Flat, Tup, RangeVal, Num))


def set_item(cx: Lowering, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`."""
    index = in_parts(cx, index)
    if cx.special.call_special(cx, owner, "__setitem__", index, value) is not None:
        return
    owner = pin(cx, owner) if isinstance(owner, Lazy) else owner
    if isinstance(owner, Object):
        cx.objects.set_item(cx, owner, index, value)
        return
    if _is_a_sequence(owner):
        index = cx.special.index_of(cx, index)
    if isinstance(owner, Arr) and cx.objects.has_objects(index):
        cx.objects.set_at(cx, owner, index, value, lambda i: set_item(cx, owner, i, value))
        return
    if isinstance(index, Object) and not isinstance(owner, Dict):
        index = cx.objects.as_index(cx, index)
    if not isinstance(owner, (Arr, Dict, Flat)) and raised(cx, operator.setitem, [owner, index, value]):
        return
    match owner:
        case Tup() | Dict() if isinstance(value, ITERATORS):
            cx.objects.refuse_iterators(cx, value)
        case Arr() | Flat() if _has_object(value):
            cx.objects.store(cx, owner, index, value)
        case Arr():
            set_array(cx, owner, index, value)
        case Tup() if owner.mutable:
            refuse_argument(cx, owner)
            i = None if isinstance(index, SliceVal) else _known_index(cx, owner, index)
            if i is None or not cx.is_within(owner.home):
                if not _uniform_numbers(owner):
                    cx.unroll_short_loops()
                cx.objects.grow(cx, owner)
            assert i is not None
            if not -len(owner.items) <= i < len(owner.items):
                cx.raise_("IndexError", "list assignment index out of range")
                return
            cx.objects.grow_if_held(cx, owner, value)
            owner.items[i] = named(cx, value, "item")
        case Flat():
            act(cx, [index, value], lambda v: STORE_ITEM[Flat](cx, owner, *v))
        case Dict() if owner.cls is not None and hasattr(owner.cls, "__setitem__"):
            raise cx.unsupported(f"storing an item of {describe(owner)}")
        case Dict() if owner.cls is not None:
            cx.raise_("TypeError", f"'{owner.cls.__name__}' object does not support item assignment")
        case Dict():
            if owner.argument:
                cx.objects.grow(cx, owner)
            try:
                place = _static_key(cx, index)
            except UnsupportedError:
                cx.objects.grow(cx, owner)
            if not cx.is_within(owner.home):
                cx.objects.grow(cx, owner)
            cx.objects.grow_if_held(cx, owner, value)
            try:
                hash(place)
            except TypeError as e:  # a slice, before Python 3.12
                cx.raise_("TypeError", str(e))
                return
            owner.items[place] = named(cx, value, "item")
        case Tup() | Num() | Static(obj=None):
            cx.raise_("TypeError", f"'{py_type(owner)}' object does not support item assignment")
        case _:
            raise cx.unsupported(f"item assignment to {describe(owner)}")


def _has_object(v: Value) -> bool:
    """Is this an object of run time, or a sequence with one in it?"""
    return isinstance(v, Object) or isinstance(v, Tup) and any(map(_has_object, v.items))


def delete_item(cx: Lowering, owner: Value, index: Value) -> None:
    """`del owner[index]`."""
    if not isinstance(owner, (Arr, Lazy)) and raised(cx, operator.delitem, [owner, index]):
        return
    match owner:
        case Object():
            cx.objects.delete_item(cx, owner, index)
        case Arr() | Lazy():
            cx.raise_("ValueError", "cannot delete array elements")
        case Tup() if not owner.mutable:
            cx.raise_("TypeError", f"'{py_type(owner)}' object doesn't support item deletion")
        case Tup() | Dict() if owner.cls is None:
            cx.objects.grow(cx, owner)
        case _:
            raise cx.unsupported(f"del of an item of {describe(owner)}")


MOST_AXES = 8  # of an array: a list of at most so many numbers may be about its axes


def _known_index(cx: Lowering, owner: Tup, index: Value) -> int | None:
    """Which item is meant; lists of slices, of lengths and of axes are worth a variant of their own."""
    e = integer_index(cx, index)
    if isinstance(e, Const):
        return int(e.value.real)
    if _uniform_numbers(owner) and len(owner.items) > MOST_AXES:
        return None
    cx.unroll_for(e)
    return cx.static_int(e)


def refuse_argument(cx: Lowering, owner: Tup) -> None:
    """Lists that are arguments were taken apart: who changes one needs the object itself."""
    if owner.home is None:
        cx.objects.grow(cx, owner)


def _item_now(cx: Lowering, owner: Any, key: Any) -> Any:  # a text or dict that is known, or an Enum
    """`owner[key]`, if no code of the program decides it."""
    if isinstance(owner, enum.EnumMeta) and not writes(type(owner), "__getitem__") and type(key) is str:
        depend_on_members_of_enum(cx, owner)
        return owner[key]
    return pure.attempt(operator.getitem, (owner, key))


def _static_key(cx: Lowering, v: Value) -> object:
    match v:
        case Static() if not writes(type(v.obj), "__hash__", "__eq__"):
            return v.obj
        case Num():
            if isinstance(v.expr, Const):
                return v.expr.value
            i = cx.static_int(v.expr) if v.dtype is i64 else None
            if i is not None:
                return i
        case Tup():
            return tuple(_static_key(cx, x) for x in v.items)
        case SliceVal():
            return slice(*[None if p is None else _static_key(cx, p) for p in (v.start, v.stop, v.step)])
    raise cx.unsupported("a key that is not known at compile time")


def _get_tuple(cx: Lowering, owner: Tup, index: Value) -> Value:
    if isinstance(index, SliceVal):
        try:
            s = _static_key(cx, index)
        except UnsupportedError:
            if not owner.mutable or owner.site is None:
                return cx.objects.get_item(cx, cx.objects.make(cx, owner), index)  # type: ignore[no-any-return]
            cx.objects.grow(cx, owner)
        assert isinstance(s, slice)
        try:
            items = owner.items[s]
        except (TypeError, ValueError) as error:
            cx.raise_like(error)
            return Static(None)
        return cx.objects.list_of(cx, items) if owner.mutable else Tup(items)
    e = integer_index(cx, index)
    i = e.value if isinstance(e, Const) else None
    if i is None:
        i = cx.static_int(e) if not _uniform_numbers(owner) or _may_be_axes(owner) else None
        if i is None:
            return _pick(cx, owner, e)
    i = int(i.real)
    if not -len(owner.items) <= i < len(owner.items):
        cx.raise_("IndexError", f"{'list' if owner.mutable else 'tuple'} index out of range")
        return Static(None)
    return owner.items[i]


def _may_be_axes(owner: Tup) -> bool:
    return (
        owner.mutable
        and len(owner.items) <= MOST_AXES
        and all(isinstance(x, Num) and x.dtype is i64 for x in owner.items)
    )


def _uniform_numbers(owner: Tup) -> bool:
    kinds = {(x.dtype, x.weak) if isinstance(x, Num) else None for x in owner.items}
    return len(kinds) == 1 and None not in kinds


def _pick(cx: Lowering, owner: Tup, e: Expr) -> Value:
    """An item of a tuple of equal types at a run-time index."""
    many = len(owner.items) > MOST_STATIC_ITEMS
    uniform = _uniform_numbers(owner)
    if not owner.items or many or not (uniform or _ints_and_floats(cx, owner)):
        if owner.mutable and owner.site is not None:
            cx.objects.grow(cx, owner)
        return cx.objects.get_item(cx, cx.objects.make(cx, owner), Num(e, True))  # type: ignore[no-any-return]
    n = len(owner.items)
    text = f"{'list' if owner.mutable else 'tuple'} index out of range"
    cx.check(symbolic.conj(symbolic.ge(e, const(-n)), symbolic.lt(e, const(n))), "IndexError", text)
    e = cx.let(symbolic.select(symbolic.lt(e, const(0)), symbolic.add(e, const(n)), e), "k")
    numbers = [x for x in owner.items if isinstance(x, Num)]
    if uniform:
        return Num(_selected(e, [x.expr for x in numbers]), numbers[0].weak)
    tag = _selected(e, [const(x.dtype is f64) for x in numbers])
    wide = _selected(e, [cx.cast(x.expr, f64) for x in numbers])
    return Choice(tag, (Kind("scalar", i64, True), Kind("scalar", f64, True)), wide=wide)


def _selected(e: Expr, items: Sequence[Expr]) -> Expr:
    """The item number `e`."""
    result = items[-1]
    for k in range(len(items) - 2, -1, -1):
        result = Op("select", (symbolic.eq(e, const(k)), items[k], result), result.dtype)
    return result


def _ints_and_floats(cx: Lowering, owner: Tup) -> bool:
    """Are these Python's ints and floats, each of them exact as a float?"""
    return all(
        isinstance(x, Num) and x.weak and x.dtype in (i64, f64) and exact_when_widened(cx, x) for x in owner.items
    )


def _get_range(cx: Lowering, r: RangeVal, index: Value) -> Value:
    n = cx.range_length(r.start, r.stop, r.step)
    if isinstance(index, SliceVal):
        start, step, count = slice_of(cx, index, n)
        first = symbolic.add(r.start, symbolic.mul(r.step, start))
        s = symbolic.mul(r.step, step)
        return RangeVal(first, symbolic.add(first, symbolic.mul(s, count)), s)
    e = integer_index(cx, index)
    cx.check(
        symbolic.conj(symbolic.ge(e, symbolic.neg(n)), symbolic.lt(e, n)),
        "IndexError",
        "range object index out of range",
    )
    e = symbolic.select(symbolic.lt(e, const(0)), symbolic.add(e, n), e)
    return Num(symbolic.add(r.start, symbolic.mul(r.step, e)), True)
