"""What the result of a call of Python may hold of its arguments: arrays, lists and dicts in them stay what other names know."""

from __future__ import annotations

from collections.abc import Iterable

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import escape
from soljit.frontend_ast.values.object_types import Element
from soljit.frontend_ast.values.values import Arr, Dict, Tup, Value

_HOLDING_NOTHING = (str, bytes, range, slice, complex)


def held_by_result(cx: Lowering, result: Element, fresh: bool, args: Iterable[Value]) -> None:
    """Let escape what stands in containers among the arguments, as far as such a result may hold it. fresh: arrays in the result are new"""
    lists = _may_hold_lists(result)
    if lists or _may_hold_arrays(result, fresh):
        for a in args:
            _escape_items(cx, a, lists)


def _may_hold_arrays(e: Element, fresh: bool) -> bool:
    """Tell whether arrays may be seen through such a result."""
    return e.form == "object" or (e.form == "array" and not fresh) or any(_may_hold_arrays(x, fresh) for x in e.items)


def _may_hold_lists(e: Element) -> bool:
    """Tell whether lists and dicts may be seen through such a result."""
    if e.form == "list":
        return True
    return (e.form == "object" and (e.object is None or e.object.cls not in _HOLDING_NOTHING)) or any(
        map(_may_hold_lists, e.items)
    )


def _escape_items(cx: Lowering, v: Value, lists: bool) -> None:
    """The arrays in a list, tuple or dict that is made for a call, and with `lists` the lists and dicts in it: what it gives may hold them."""
    for x in v.items if isinstance(v, Tup) else v.items.values() if isinstance(v, Dict) else ():
        if isinstance(x, Arr) or (lists and (isinstance(x, Dict) or isinstance(x, Tup) and x.mutable)):
            escape(cx, x)
        _escape_items(cx, x, lists)
