"""Subscripts of tuples, lists and ranges of static structure."""

from __future__ import annotations

import enum
import operator
from collections.abc import Sequence
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge import pure
from soljit.base.python.classes import writes
from soljit.frontend_ast.joins.type_lattice import exact_when_widened
from soljit.frontend_ast.lowering.class_dependencies import depend_on_members_of_enum
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.operators import MOST_STATIC_ITEMS
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.objects.objects import list_of, make_object
from soljit.frontend_ast.values.values import Num, RangeVal, SliceVal, Static, Tup, Union, Value
from soljit.frontend_ast.values.variables import Kind
from soljit.frontend_ast.views.object_items import get_object_item
from soljit.frontend_ast.views.subscripts import integer_index, slice_of
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.types import f64, i64

MOST_AXES = 8  # of an array: a list of at most so many numbers may be about its axes


def known_index(cx: Lowering, owner: Tup, index: Value) -> int | None:
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
        grow(cx, owner)


def get_tuple_item(cx: Lowering, owner: Tup, index: Value) -> Value:
    if isinstance(index, SliceVal):
        try:
            s = static_key(cx, index)
        except UnsupportedError:
            if not owner.mutable or owner.site is None:
                return get_object_item(cx, make_object(cx, owner), index)
            grow(cx, owner)
        assert isinstance(s, slice)
        try:
            items = owner.items[s]
        except (TypeError, ValueError) as error:
            cx.raise_like(error)
            return Static(None)
        return list_of(cx, items) if owner.mutable else Tup(items)
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
            grow(cx, owner)
        return get_object_item(cx, make_object(cx, owner), Num(e, True))
    n = len(owner.items)
    text = f"{'list' if owner.mutable else 'tuple'} index out of range"
    cx.check(symbolic.conj(symbolic.ge(e, const(-n)), symbolic.lt(e, const(n))), "IndexError", text)
    e = cx.let(symbolic.select(symbolic.lt(e, const(0)), symbolic.add(e, const(n)), e), "k")
    numbers = [x for x in owner.items if isinstance(x, Num)]
    if uniform:
        return Num(_selected(e, [x.expr for x in numbers]), numbers[0].weak)
    tag = _selected(e, [const(x.dtype is f64) for x in numbers])
    wide = _selected(e, [cx.cast(x.expr, f64) for x in numbers])
    return Union(tag, (Kind("scalar", i64, True), Kind("scalar", f64, True)), wide=wide)


def _selected(e: Expr, items: Sequence[Expr]) -> Expr:
    """The item number `e`."""
    result = items[-1]
    for k in range(len(items) - 2, -1, -1):
        result = Op("select", (symbolic.eq(e, const(k)), items[k], result), result.dtype)
    return result


def _ints_and_floats(cx: Lowering, owner: Tup) -> bool:
    """Tell whether these are Python's ints and floats, each of them exact as a float."""
    return all(
        isinstance(x, Num) and x.weak and x.dtype in (i64, f64) and exact_when_widened(cx, x) for x in owner.items
    )


def get_range_item(cx: Lowering, r: RangeVal, index: Value) -> Value:
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


def _item_now(cx: Lowering, owner: Any, key: Any) -> Any:  # a text or dict that is known, or an Enum
    """`owner[key]`, if no code of the program decides it."""
    if isinstance(owner, enum.EnumMeta) and not writes(type(owner), "__getitem__") and type(key) is str:
        depend_on_members_of_enum(cx, owner)
        return owner[key]
    return pure.attempt(operator.getitem, (owner, key))


def static_key(cx: Lowering, v: Value) -> object:
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
            return tuple(static_key(cx, x) for x in v.items)
        case SliceVal():
            return slice(*[None if p is None else static_key(cx, p) for p in (v.start, v.stop, v.step)])
    raise cx.unsupported("a key that is not known at compile time")
