"""Methods of lists, tuples and dicts of static structure."""

from __future__ import annotations

import ast
from typing import Any

from soljit.frontend_ast import calls
from soljit.frontend_ast.frames import pin
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.table import static_of
from soljit.frontend_ast.operators import binary, to_bool
from soljit.frontend_ast.python_numbers import constant
from soljit.frontend_ast.values import NONE, Dict, Num, Tup, Value
from soljit.ir.expr import Const, const


def _same_path(cx: Lowering, home: int) -> None:
    if cx.conditional > home:
        raise cx.unsupported(
            "a list or dict changes its length under a condition or in a loop", "fill a NumPy array of known size"
        )


def append(cx: Lowering, a: Tup, x: Value) -> Value:
    """list.append"""
    _same_path(cx, a.home)
    a.items.append(pin(cx, x))
    return NONE


def extend(cx: Lowering, a: Tup, xs: Value) -> Value:
    """list.extend"""
    _same_path(cx, a.home)
    a.items.extend(pin(cx, x) for x in calls.iterate_static(cx, xs))
    return NONE


def insert(cx: Lowering, a: Tup, k: Value, x: Value) -> Value:
    """list.insert"""
    _same_path(cx, a.home)
    a.items.insert(static_of(cx, k), pin(cx, x))
    return NONE


def pop(cx: Lowering, a: Tup, k: Value | None = None) -> Value:
    """list.pop"""
    _same_path(cx, a.home)
    i = -1 if k is None else static_of(cx, k)
    if not a.items:
        cx.raise_("IndexError", "pop from empty list")
        return NONE
    if not -len(a.items) <= i < len(a.items):
        cx.raise_("IndexError", "pop index out of range")
        return NONE
    return a.items.pop(i)


def reverse(cx: Lowering, a: Tup) -> Value:
    """list.reverse"""
    _same_path(cx, a.home)
    a.items.reverse()
    return NONE


def copy(cx: Lowering, a: Tup) -> Value:
    """list.copy"""
    return Tup(list(a.items), a.cls, a.mutable, cx.conditional)


def clear(cx: Lowering, a: Tup) -> Value:
    """list.clear"""
    _same_path(cx, a.home)
    a.items.clear()
    return NONE


def count(cx: Lowering, a: Tup, x: Value) -> Value:
    """tuple.count and list.count"""
    total: Value = Num(const(0), True)
    for y in a.items:
        total = binary(cx, ast.Add, total, Num(cx.cast(to_bool(cx, binary(cx, ast.Eq, y, x)), const(0).dtype), True))
    return total


def index(cx: Lowering, a: Tup, x: Value) -> Value:
    """tuple.index and list.index of constants."""
    for k, y in enumerate(a.items):
        same = to_bool(cx, binary(cx, ast.Eq, y, x))
        if not isinstance(same, Const):
            raise cx.unsupported("index of a value that is not known at compile time")
        if same.value:
            return Num(const(k), True)
    cx.raise_("ValueError", "tuple.index(x): x not in tuple")
    return NONE


def get(cx: Lowering, d: Dict, key: Value, default: Value = NONE) -> Value:
    """dict.get"""
    return d.items.get(static_of(cx, key), default)


def items(cx: Lowering, d: Dict) -> Value:
    """dict.items"""
    return Tup([Tup([constant(cx, k), v]) for k, v in d.items.items()])


def keys(cx: Lowering, d: Dict) -> Value:
    """dict.keys"""
    return Tup([constant(cx, k) for k in d.items])


def values(cx: Lowering, d: Dict) -> Value:
    """dict.values"""
    return Tup(list(d.items.values()))


def update(cx: Lowering, d: Dict, other: Value) -> Value:
    """dict.update"""
    _same_path(cx, 0)
    if not isinstance(other, Dict):
        raise cx.unsupported("dict.update of something that is not a dict")
    d.items.update(other.items)
    return NONE


_LIST: dict[str, Any] = {
    "append": append, "extend": extend, "insert": insert, "pop": pop, "reverse": reverse, "copy": copy, "clear": clear,
    "count": count, "index": index,
}  # fmt: skip
_DICT: dict[str, Any] = {"get": get, "items": items, "keys": keys, "values": values, "update": update}
for _n, _h in _LIST.items():
    calls.CONTAINER_METHODS[Tup, _n] = _h
for _n, _h in _DICT.items():
    calls.CONTAINER_METHODS[Dict, _n] = _h
