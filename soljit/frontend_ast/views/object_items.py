"""Items of Python objects, read, stored and deleted; objects as indices of arrays and as items stored there. Python does that when the program runs."""

from __future__ import annotations

import ast
import operator

import numpy as np

from soljit.frontend_ast.joins.unions import act
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import characters
from soljit.frontend_ast.objects.container_methods import fields_of, items_of, join_items
from soljit.frontend_ast.objects.contents import INT, TEXT, is_float_of_either, item_of, put, write_into
from soljit.frontend_ast.objects.iterators import refuse_iterators, settled
from soljit.frontend_ast.objects.objects import call_by_name, call_like, make_object
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.values.object_types import Element, ObjectType
from soljit.frontend_ast.values.python_operators import name_of_operator
from soljit.frontend_ast.values.values import Arr, Flat, Num, Object, SliceVal, Static, Tup, Value
from soljit.frontend_ast.views.subscripts import integer_index, position
from soljit.ir.core.expr import const
from soljit.ir.core.types import b1
from soljit.support.limits import NOT_RAISED
from soljit.support.objects import HERE, index_array


def raise_at_run_time(cx: Lowering, name: str, args: list[Value]) -> None:
    """Raise an exception of this dotted name, whose arguments only the run tells."""
    call_by_name(cx, HERE + "throw", [Static(name), *args])
    cx.raise_("SystemError", NOT_RAISED)


# --- subscripts and attributes --------------------------------------------------------------------------------------------


def get_object_item(cx: Lowering, owner: Object, index: Value) -> Value:
    """`owner[index]`."""
    cls = owner.type.cls
    part = isinstance(index, SliceVal)
    if not part and (read := _read_code(cx, owner, cls, index)) is not None:
        return read
    if cls in (list, tuple, str, bytes, bytearray) or (part and cls is None and owner.type.item is not None):
        found = Element("object", object=owner.type) if part else item_of(cx, owner)
    elif cls is np.ndarray and isinstance(index, Num) and index.dtype.is_int and owner.type.items is not None:
        found = owner.type.items()
    elif owner.type.item is not None:
        found = item_of(cx, owner)
        if cls is not None and hasattr(cls, "__missing__"):  # reading may put a key into the dict
            put(cx, owner.type.key, index)
    else:
        found = result_of(cx, operator.getitem, [owner, index])
    return call_by_name(cx, "operator.getitem", [owner, index], found)


def _read_code(cx: Lowering, owner: Object | Static, cls: type | None, index: Value) -> Value | None:
    """An item of a text whose codes are known; None: Python reads it."""
    if not (isinstance(index, Num) and (index.dtype.is_int or index.dtype is b1 and index.weak)):
        return None
    codes = characters.codes_of(cx, owner)
    if codes is None:
        return None
    text = "index out of range" if cls is bytes else "string index out of range"
    return characters.item(cx, owner, codes, position(cx, integer_index(cx, index), codes.shape[0], 0, text))


def get_text_item(cx: Lowering, text: Static, index: Value) -> Value:
    """`text[index]` of a text that is known."""
    if (read := _read_code(cx, text, type(text.obj), index)) is not None:
        return read
    if not isinstance(text.obj, str):
        return get_object_item(cx, make_object(cx, text), index)
    return call_by_name(cx, "operator.getitem", [text, index], TEXT)


def set_object_item(cx: Lowering, owner: Object, index: Value, value: Value) -> None:
    """`owner[index] = value`."""
    if is_float_of_either(value):
        act(cx, [value], lambda vs: set_object_item(cx, owner, index, vs[0]))
        return
    write_into(cx, owner)
    if isinstance(index, SliceVal):
        value = settled(cx, value)
        join_items(cx, owner.type, value)
    else:
        refuse_iterators(cx, value)
        put(cx, owner.type.key, index)
        put(cx, owner.type.item, value)
    call_by_name(cx, "operator.setitem", [owner, index, value], changes=owner.type.cls is None)


def unpack_object(cx: Lowering, v: Object, count: int, star: int) -> list[Value]:
    """The items of an object for `count` targets."""
    rest = Element("object", object=ObjectType(list, v.type.item))
    parts = fields_of(cx, v) if star < 0 else ()
    if len(parts) != count:
        parts = tuple(rest if k == star else items_of(cx, v) for k in range(count))
    found = call_by_name(
        cx, HERE + "unpack", [v, *(Num(const(k), True) for k in (count, star))], Element("tuple", items=parts)
    )
    assert isinstance(found, Tup)
    return found.items


def store_object(cx: Lowering, owner: Arr | Flat, index: Value, value: Value) -> None:
    """`owner[index] = value` for an array or its `flat`, as NumPy converts the object."""
    function, a = (HERE + "set_flat", owner.array) if isinstance(owner, Flat) else ("operator.setitem", owner)
    _whole_window(cx, a)
    call_by_name(cx, function, [a, index, value], changes=True)


def update_array(cx: Lowering, kind: type[ast.AST], target: Arr, value: Value) -> None:
    """`target <op>= value` for an array."""
    _whole_window(cx, target)
    call_by_name(cx, HERE + "in_place", [Static(name_of_operator(kind, in_place=True)), target, value], changes=True)


def _whole_window(cx: Lowering, a: Arr) -> None:
    if a.window() is None or not a.writable:
        raise cx.unsupported("storing an object in an array that is read-only or repeats elements")


def delete_object_item(cx: Lowering, owner: Object, index: Value) -> None:
    """`del owner[index]`."""
    call_by_name(cx, "operator.delitem", [owner, index])


def as_index(cx: Lowering, v: Object) -> Value:
    """An object as an index of an array: an integer, or what Python finds it to be."""
    if v.type.cls in (list, tuple):
        return call_like(cx, HERE + "index_array", index_array, [v])
    return call_by_name(cx, "operator.index", [v], INT)
