"""Methods of lists, tuples and dicts of static structure."""

from __future__ import annotations

import ast
import collections
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.base.python.classes import writes
from soljit.frontend_ast.iteration.static_items import iterate_static
from soljit.frontend_ast.joins.binding import dict_view, items_of, named, pin
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import CONTAINER_METHODS
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.lowering.user_methods import says_what_is_equal
from soljit.frontend_ast.numbers.operators import binary, equal_item
from soljit.frontend_ast.objects.contents import INT, grow, grow_if_held
from soljit.frontend_ast.objects.iterators import refuse_iterators
from soljit.frontend_ast.objects.objects import call_by_name, dict_of, list_of, make_object
from soljit.frontend_ast.values.object_types import Element
from soljit.frontend_ast.values.values import NONE, Dict, Num, Object, OneShot, SliceVal, Static, Tup, Value, taken
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, Const, Expr, Op, const
from soljit.ir.core.types import i64


def _same_path(cx: Lowering, a: Tup | Dict, *values: Value) -> None:
    """A list that changes under a condition or in a loop, or that gets into itself by one of the values, becomes a Python object."""
    if not cx.is_within(a.home):
        grow(cx, a)
    grow_if_held(cx, a, *values)


def _static(cx: Lowering, a: Tup, v: Value) -> Any:
    """The constant that an operation on a static list needs; a list for which it is none becomes a Python object."""
    if isinstance(v, Num) and isinstance(v.expr, Const):
        return v.expr.value
    return grow(cx, a)


def slice_indices(cx: Lowering, s: SliceVal, n: Value) -> Value:
    """slice.indices"""
    return call_by_name(cx, "builtins.slice.indices", [s, n], Element("tuple", items=(INT, INT, INT)))


def append(cx: Lowering, a: Tup, x: Value) -> Value:
    """list.append"""
    refuse_iterators(cx, x)
    _same_path(cx, a, x)
    a.items.append(named(cx, pin(cx, x), str(len(a.items))))
    return NONE


def extend(cx: Lowering, a: Tup, xs: Value) -> Value:
    """list.extend"""
    _same_path(cx, a)
    if isinstance(xs, OneShot):
        for x in map(taken, xs.one_by_one):
            grow_if_held(cx, a, x)
            a.items.extend(items_of(cx, [x]))
        return NONE
    try:
        items = iterate_static(cx, xs)
    except UnsupportedError:
        grow(cx, a)
    grow_if_held(cx, a, *items)
    a.items.extend(items_of(cx, items))
    return NONE


def insert(cx: Lowering, a: Tup, k: Value, x: Value) -> Value:
    """list.insert"""
    refuse_iterators(cx, x)
    _same_path(cx, a, x)
    a.items.insert(_static(cx, a, k), named(cx, pin(cx, x), str(len(a.items))))
    return NONE


def pop(cx: Lowering, a: Tup, k: Value | None = None) -> Value:
    """list.pop"""
    _same_path(cx, a)
    i = -1 if k is None else _static(cx, a, k)
    if not a.items:
        cx.raise_("IndexError", "pop from empty list")
        return NONE
    if not -len(a.items) <= i < len(a.items):
        cx.raise_("IndexError", "pop index out of range")
        return NONE
    return a.items.pop(i)


def reverse(cx: Lowering, a: Tup) -> Value:
    """list.reverse"""
    _same_path(cx, a)
    a.items.reverse()
    return NONE


def copy(cx: Lowering, a: Tup) -> Value:
    """list.copy"""
    return list_of(cx, a.items)


def clear(cx: Lowering, a: Tup) -> Value:
    """list.clear"""
    _same_path(cx, a)
    a.items.clear()
    return NONE


def count(cx: Lowering, a: Tup, x: Value) -> Value:
    """tuple.count and list.count"""
    total: Value = Num(const(0), True)
    for y in a.items:
        total = binary(cx, ast.Add, total, Num(cx.cast(equal_item(cx, y, x), const(0).dtype), True))
    return total


def index(cx: Lowering, a: Tup, x: Value, *bounds: Value) -> Value:
    """tuple.index and list.index"""
    asked = any(isinstance(v, Object) for v in (x, *a.items))  # whether it is equal: only up to the first that is
    if bounds or asked or says_what_is_equal(cx, x, *a.items):
        return cx.above.call_object_method(cx, make_object(cx, a), "index", [x, *bounds], {})
    equal = [equal_item(cx, y, x) for y in a.items]
    found = symbolic.disj(*equal)
    if found != FALSE:
        with cx.block(symbolic.negate(found)) as missing:
            cx.above.call_object_method(cx, make_object(cx, a), "index", [x], {})  # raises
        cx.branch(symbolic.negate(found), missing)
        at: Expr = const(len(equal))
        for k, same in reversed(list(enumerate(equal))):
            at = Op("select", (same, const(k), at), i64)
        return Num(symbolic.simplify(at), True)
    shown = sample_text(cx, x)
    cx.raise_("ValueError", f"{shown} is not in list" if a.mutable else "tuple.index(x): x not in tuple")
    return NONE


def get(cx: Lowering, d: Dict, key: Value, default: Value = NONE) -> Value:
    """dict.get"""
    try:
        known = static_of(cx, key)
        if writes(type(known), "__hash__", "__eq__"):
            raise cx.unsupported("a key that says itself what it is equal to")
        return d.items.get(known, default)
    except UnsupportedError:
        grow(cx, d)
        raise


def _view(name: str) -> Any:
    """dict.keys, dict.values, dict.items"""
    return lambda cx, d: dict_view(cx, d, name)


def update(cx: Lowering, d: Dict, other: Value = NONE, /, **kwargs: Value) -> Value:
    """dict.update"""
    _same_path(cx, d, *(other.items.values() if isinstance(other, Dict) else ()), *kwargs.values())
    if isinstance(other, Dict):
        d.items.update(other.items)
    elif other is not NONE:
        grow(cx, d)
    d.items.update({k: named(cx, pin(cx, v), k) for k, v in kwargs.items()})
    return NONE


def _has_own_items(a: Tup) -> bool:
    """Tell whether the class says itself what its items are. The methods of named tuples ask it."""
    cls: Any = a.cls or tuple
    return (cls.__iter__, cls.__len__) != (tuple.__iter__, tuple.__len__)


_NOTHING: Any = collections.namedtuple("_NOTHING", ())()  # without fields


def replaced(cx: Lowering, a: Tup, /, **kwargs: Value) -> Value:
    """_replace of a named tuple."""
    if _has_own_items(a):
        return cx.above.call_object_method(cx, make_object(cx, a), "_replace", [], kwargs)
    fields: tuple[str, ...] = getattr(a.cls, "_fields", ())
    if unknown := [n for n in kwargs if n not in fields]:
        try:
            _NOTHING._replace(**dict.fromkeys(unknown))
        except (TypeError, ValueError) as e:  # which one depends on the version of Python
            cx.raise_like(e)
        return NONE
    return Tup(items_of(cx, [kwargs.get(n, x) for n, x in zip(fields, a.items)]), a.cls)


def as_dict(cx: Lowering, a: Tup) -> Value:
    """_asdict of a named tuple."""
    if _has_own_items(a):
        return cx.above.call_object_method(cx, make_object(cx, a), "_asdict", [], {})
    return dict_of(cx, dict(zip(getattr(a.cls, "_fields", ()), a.items)))


def through_object(name: str) -> Any:
    """A method that makes a Python object of the list or dict, unless it is one already."""

    def run(cx: Lowering, a: Tup | Dict, /, *args: Value, **kwargs: Value) -> Value:
        grow(cx, a)

    return run


_LIST: dict[str, Any] = {
    **{n: through_object(n) for n in ("sort", "remove")},
    "append": append, "extend": extend, "insert": insert, "pop": pop, "reverse": reverse, "copy": copy, "clear": clear,
    "count": count, "index": index, "_replace": replaced, "_asdict": as_dict,
}  # fmt: skip
_DICT: dict[str, Any] = {
    **{n: through_object(n) for n in ("copy", "pop", "setdefault", "popitem", "clear")},
    **{n: _view(n) for n in ("items", "keys", "values")},
    "get": get,
    "update": update,
}
CONTAINER_METHODS[SliceVal, "indices"] = slice_indices
for _n, _h in _LIST.items():
    CONTAINER_METHODS[Tup, _n] = _h
for _n, _h in _DICT.items():
    CONTAINER_METHODS[Dict, _n] = _h


def sample_text(cx: Lowering, v: Value) -> str:
    """How a message shows a value that is known."""
    match v:
        case Num() if isinstance(v.expr, Const):
            return repr(v.expr.value)
        case Static():
            return repr(v.obj)
    raise cx.unsupported("a message about a value that is not known at compile time")
