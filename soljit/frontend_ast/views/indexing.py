"""Subscripts of any value, read, written and deleted. Arrays: `array_indexing.py`; tuples and ranges: `static_subscripts.py`."""

from __future__ import annotations

import dataclasses
import enum
import operator

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge import pure
from soljit.base.messages import escape
from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.joins.binding import named, pin
from soljit.frontend_ast.joins.unions import act
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import READ_ITEM, STORE_ITEM
from soljit.frontend_ast.numbers.always_raises import raised
from soljit.frontend_ast.objects.captured_contents import item_outside
from soljit.frontend_ast.objects.contents import grow, grow_if_held
from soljit.frontend_ast.objects.iterators import refuse_iterators
from soljit.frontend_ast.objects.objects import make_object
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import describe, py_type
from soljit.frontend_ast.values.object_types import ANY, Element
from soljit.frontend_ast.values.values import (
    ITERATORS,
    Arr,
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
from soljit.frontend_ast.views.array_indexing import get_array, set_array
from soljit.frontend_ast.views.object_indices import get_at, has_objects, item_or_slice, set_at
from soljit.frontend_ast.views.object_items import (
    as_index,
    delete_object_item,
    get_object_item,
    get_text_item,
    raise_at_run_time,
    set_object_item,
    store_object,
)
from soljit.frontend_ast.views.static_subscripts import (
    _item_now,
    _uniform_numbers,
    get_range_item,
    get_tuple_item,
    known_index,
    refuse_argument,
    static_key,
)
from soljit.frontend_ast.views.subscripts import in_parts, index_of
from soljit.ir.core.types import b1, i64

_MAKERS = tuple({type(x) for x in (np.mgrid, np.r_, np.c_, np.s_)})  # of their subscripts


def get_item(cx: Lowering, owner: Value, index: Value) -> Value:
    """`owner[index]`."""
    index = in_parts(cx, index)
    special: Value | None = cx.above.call_special(cx, owner, "__getitem__", index)
    if special is not None:
        return special
    if isinstance(owner, Object):
        return _get_from_object(cx, owner, index)
    if _is_a_sequence(owner):
        index = index_of(cx, index)
    if isinstance(owner, (Arr, Lazy)) and has_objects(index):
        return get_at(cx, materialize(cx, owner), index, lambda i: get_array(cx, owner, i))
    if isinstance(owner, Num) and has_objects(index):
        return get_object_item(cx, make_object(cx, owner), index)
    if isinstance(index, Object) and not (isinstance(owner, Static) and isinstance(owner.obj, _MAKERS)):
        found = _get_by_object(cx, owner, index)
        if found is not None:
            return found
        index = as_index(cx, index)
    if not _cannot_raise(owner, index) and raised(cx, operator.getitem, [owner, index]):
        return Static(None)
    if isinstance(owner, Dict) and dataclasses.is_dataclass(owner.cls):
        cx.raise_("TypeError", f"'{owner.cls.__name__}' object is not subscriptable")
        return Static(None)
    match owner:
        case Arr() | Lazy():
            return get_array(cx, owner, index)
        case Tup():
            return get_tuple_item(cx, owner, index)
        case Flat():
            return READ_ITEM[Flat](cx, owner, index)
        case Dict():
            return _get_from_dict(cx, owner, index)
        case Static() if owner.obj is not None:
            return _get_from_static(cx, owner, index)
        case RangeVal():
            return get_range_item(cx, owner, index)
        case Num() if not owner.weak:
            return _get_scalar(cx, owner, index)
        case Num() | Static(obj=None):
            cx.raise_("TypeError", f"'{py_type(owner)}' object is not subscriptable")
            return Static(None)
    raise cx.unsupported(f"indexing {describe(owner)}")


def _get_from_object(cx: Lowering, owner: Object, index: Value) -> Value:
    """An item of an object of run time."""
    held: Value | None = item_outside(cx, owner, index)
    if held is None and isinstance(index, Object) and owner.type.cls in (list, tuple):
        part = Element("object", object=owner.type)
        held = item_or_slice(cx, owner, index, part, lambda: get_object_item(cx, owner, index))
    return held or get_object_item(cx, owner, index)


def _get_by_object(cx: Lowering, owner: Value, index: Object) -> Value | None:
    """An item whose subscript is an object of run time; None if it has to be taken for a number."""
    if isinstance(owner, Static) and isinstance(owner.obj, str):
        return get_text_item(cx, owner, index)
    if isinstance(owner, (Dict, Static)):
        return get_object_item(cx, make_object(cx, owner), index)
    if isinstance(owner, (Tup, RangeVal)):
        return item_or_slice(cx, owner, index, ANY, lambda: get_item(cx, owner, as_index(cx, index)))
    return None


def _cannot_raise(owner: Value, index: Value) -> bool:
    """Tell whether reading such an item checks the subscript by itself."""
    if isinstance(owner, (Arr, Lazy)):
        return True
    return isinstance(owner, (Tup, RangeVal)) and isinstance(index, Num) and index.dtype is i64


def _get_from_dict(cx: Lowering, owner: Dict, index: Value) -> Value:
    """An item of a dict whose keys are known."""
    try:
        key = static_key(cx, index)
    except UnsupportedError:
        if owner.cls is not None:
            raise
        grow(cx, owner)
    if isinstance(index, SliceVal):
        cx.raise_like(pure.error_of(hash, (key,)) or KeyError(key))  # before Python 3.12 slices have no hash
        return Static(None)
    if key not in owner.items:
        if isinstance(key, str):
            cx.raise_("KeyError", escape(key))
        else:
            raise_at_run_time(cx, "builtins.KeyError", [index])
        return Static(None)
    return owner.items[key]


def _get_from_static(cx: Lowering, owner: Static, index: Value) -> Value:
    """An item of an object that is known while compiling."""
    if isinstance(owner.obj, CompileTime):
        return owner.obj.item(cx, index)
    if isinstance(owner.obj, (str, bytes, dict, enum.EnumMeta, np.dtype)):
        return _get_constant(cx, owner, index)
    if hasattr(owner.obj, "__class_getitem__") or hasattr(owner.obj, "__getitem__"):
        return READ_ITEM[Static](cx, owner, index)
    raise cx.unsupported(f"indexing {describe(owner)}")


def _get_constant(cx: Lowering, owner: Static, index: Value) -> Value:
    """An item of a text or dict that is known while compiling: computed now, if the subscript is known, too."""
    try:
        return constant(_item_now(cx, owner.obj, static_key(cx, index)))
    except (UnsupportedError, pure.Impure):
        if isinstance(owner.obj, (str, bytes)):
            return get_text_item(cx, owner, index)
        return get_object_item(cx, make_object(cx, owner), index)
    except (IndexError, TypeError) as e:
        cx.raise_(type(e).__name__, str(e))
        return Static(None)
    except KeyError:
        raise_at_run_time(cx, "builtins.KeyError", [index])
        return Static(None)


def _get_scalar(cx: Lowering, x: Num, index: Value) -> Value:
    """A NumPy scalar with a subscript that would do for an array without dimensions."""
    parts = index.items if isinstance(index, Tup) and not index.mutable else [index]
    ellipses = sum(isinstance(p, Static) and p.obj is Ellipsis for p in parts)
    if ellipses < 2 and all(_takes_nothing(p) for p in parts):
        return get_array(cx, Lazy(x.dtype, (), lambda _: x.expr, ()), index)
    cx.raise_("IndexError", "invalid index to scalar variable.")
    return x


def _takes_nothing(part: Value) -> bool:
    """Tell whether this part of a subscript stands for no dimension."""
    if isinstance(part, Static):
        return part.obj is None or part.obj is Ellipsis
    return isinstance(part, (Num, Arr, Lazy)) and part.dtype is b1 and (isinstance(part, Num) or part.ndim == 0)


def _is_a_sequence(owner: Value) -> bool:
    """Tell whether it is indexed by numbers."""
    if isinstance(owner, Static):
        return isinstance(owner.obj, (str, bytes))
    return isinstance(owner, (Arr, Lazy, Flat, Tup, RangeVal, Num))


def set_item(cx: Lowering, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`."""
    index = in_parts(cx, index)
    if cx.above.call_special(cx, owner, "__setitem__", index, value) is not None:
        return
    owner = pin(cx, owner) if isinstance(owner, Lazy) else owner
    if isinstance(owner, Object):
        set_object_item(cx, owner, index, value)
        return
    if _is_a_sequence(owner):
        index = index_of(cx, index)
    if isinstance(owner, Arr) and has_objects(index):
        set_at(cx, owner, index, value, lambda i: set_item(cx, owner, i, value))
        return
    if isinstance(index, Object) and not isinstance(owner, Dict):
        index = as_index(cx, index)
    if not isinstance(owner, (Arr, Dict, Flat)) and raised(cx, operator.setitem, [owner, index, value]):
        return
    match owner:
        case Tup() | Dict() if isinstance(value, ITERATORS):
            refuse_iterators(cx, value)
        case Arr() | Flat() if _has_object(value):
            store_object(cx, owner, index, value)
        case Arr():
            set_array(cx, owner, index, value)
        case Tup() if owner.mutable:
            _set_list_item(cx, owner, index, value)
        case Flat():
            act(cx, [index, value], lambda v: STORE_ITEM[Flat](cx, owner, *v))
        case Dict() if owner.cls is not None and hasattr(owner.cls, "__setitem__"):
            raise cx.unsupported(f"storing an item of {describe(owner)}")
        case Dict() if owner.cls is not None:
            cx.raise_("TypeError", f"'{owner.cls.__name__}' object does not support item assignment")
        case Dict():
            _set_dict_item(cx, owner, index, value)
        case Tup() | Num() | Static(obj=None):
            cx.raise_("TypeError", f"'{py_type(owner)}' object does not support item assignment")
        case _:
            raise cx.unsupported(f"item assignment to {describe(owner)}")


def _set_list_item(cx: Lowering, owner: Tup, index: Value, value: Value) -> None:
    """`owner[index] = value` of a list whose items are known."""
    refuse_argument(cx, owner)
    i = None if isinstance(index, SliceVal) else known_index(cx, owner, index)
    if i is None or not cx.is_within(owner.home):
        if not _uniform_numbers(owner):
            cx.unroll_short_loops()
        grow(cx, owner)
    assert i is not None
    if not -len(owner.items) <= i < len(owner.items):
        cx.raise_("IndexError", "list assignment index out of range")
        return
    grow_if_held(cx, owner, value)
    owner.items[i] = named(cx, value, "item")


def _set_dict_item(cx: Lowering, owner: Dict, index: Value, value: Value) -> None:
    """`owner[index] = value` of a dict whose keys are known."""
    if owner.argument:
        grow(cx, owner)
    try:
        place = static_key(cx, index)
    except UnsupportedError:
        grow(cx, owner)
    if not cx.is_within(owner.home):
        grow(cx, owner)
    grow_if_held(cx, owner, value)
    try:
        hash(place)
    except TypeError as e:  # a slice, before Python 3.12
        cx.raise_("TypeError", str(e))
        return
    owner.items[place] = named(cx, value, "item")


def _has_object(v: Value) -> bool:
    """Tell whether this is an object of run time, or a sequence with one in it."""
    return isinstance(v, Object) or isinstance(v, Tup) and any(map(_has_object, v.items))


def delete_item(cx: Lowering, owner: Value, index: Value) -> None:
    """`del owner[index]`."""
    if not isinstance(owner, (Arr, Lazy)) and raised(cx, operator.delitem, [owner, index]):
        return
    match owner:
        case Object():
            delete_object_item(cx, owner, index)
        case Arr() | Lazy():
            cx.raise_("ValueError", "cannot delete array elements")
        case Tup() if not owner.mutable:
            cx.raise_("TypeError", f"'{py_type(owner)}' object doesn't support item deletion")
        case Tup() | Dict() if owner.cls is None:
            grow(cx, owner)
        case _:
            raise cx.unsupported(f"del of an item of {describe(owner)}")
