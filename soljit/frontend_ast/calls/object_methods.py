"""Methods of Python objects: Python calls them, but for those that are compiled along."""

from __future__ import annotations

import collections
import random

import numpy as np

from soljit.base.python.classes import does_not_get_the_object, is_of_the_user
from soljit.base.python.object_names import class_name
from soljit.base.python.signatures import takes
from soljit.frontend_ast.calls.classes import instances
from soljit.frontend_ast.calls.random_choices import chosen
from soljit.frontend_ast.iteration.folds import visit_any
from soljit.frontend_ast.iteration.object_lists import list_of_results
from soljit.frontend_ast.joins.unions import holds_union, split
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.characters import asked
from soljit.frontend_ast.objects.container_methods import METHODS, keeping_methods
from soljit.frontend_ast.objects.contents import BOOL, METHODS_OF_LISTS, escape, hand_over, is_list_argument, write_into
from soljit.frontend_ast.objects.functions import is_library
from soljit.frontend_ast.objects.iterators import refuse_iterators, settled
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import member_result
from soljit.frontend_ast.values.object_types import ANY, Element
from soljit.frontend_ast.values.values import NONE, Flat, Object, OneShot, SliceVal, Static, Tup, Value, is_lazy, taken
from soljit.frontend_ast.views.object_items import set_object_item
from soljit.support.objects import HERE


def keys_of(cx: Lowering, v: Value, key: Value) -> Value:
    """The list of the keys of the items."""
    return list_of_results(cx, v, lambda x: cx.above.call(cx, key, [x]))


def sort_by(cx: Lowering, owner: Object, key: Value, reverse: Value | None) -> Value:
    """list.sort with a key that is a Python function."""
    given = {} if reverse is None else {"reverse": reverse}
    made = call_by_name(
        cx, HERE + "ordered", [owner, keys_of(cx, owner, key)], Element("object", object=owner.type), given
    )
    call_by_name(cx, "operator.setitem", [owner, SliceVal(None, None, None), made])
    return Static(None)


def call_object_method(cx: Lowering, owner: Object, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`owner.name(...)`."""
    if any(map(holds_union, args)):
        return split(cx, args, lambda values: call_object_method(cx, owner, name, values, kwargs))
    compiled = instances.method(cx, owner, name, args, kwargs)
    if compiled is not None:
        return compiled
    if owner.type.cls is random.Random and name == "choice" and len(args) == 1 and not kwargs:
        at_random = chosen(cx, lambda a: call_object_method(cx, owner, "randrange", a, {}), args[0])
        if at_random is not None:
            return at_random
    if name in keeping_methods("each"):
        refuse_iterators(cx, *args)
    if name == "shuffle" and any(isinstance(a, Flat) for a in args):
        raise cx.unsupported("shuffling a.flat", "shuffle the array")
    if len(args) == 1 and not kwargs and is_lazy(args[0]) and (owner.type.cls, name) in _ONE_BY_ONE:
        _add_each(cx, owner, name, args[0])
        return NONE
    args = [settled(cx, a) for a in args]
    if name == "sort" and "key" in kwargs and not is_library(kwargs["key"]):
        return sort_by(cx, owner, kwargs["key"], kwargs.get("reverse"))
    cls, handler = owner.type.cls, METHODS.get(name) if owner.type.item is not None else None
    if cls is not None and handler is not None and takes(handler, cx, owner, *args, **kwargs):
        return handler(cx, owner, *args, **kwargs)
    if cls is None and name in keeping_methods():
        write_into(cx, owner)
    if cls is None or is_of_the_user(cls):  # the class, or the object itself, may have another method by then
        hand_over(cx, (*args, *kwargs.values()))
        if name in METHODS_OF_LISTS and not kwargs and is_list_argument(cx, owner):
            return call_by_name(cx, f"builtins.list.{name}", [owner, *args], METHODS_OF_LISTS[name])
        return call_by_name(cx, HERE + "call_method", [owner, Static(name), *args], ANY, kwargs, changes=True)
    writes = name in ("shuffle", "bytes") or "out" in kwargs
    generator = issubclass(cls, (np.random.Generator, np.random.RandomState))
    if name == "shuffle" or cls not in (str, bytes) and not generator:
        for a in (*args, *kwargs.values()):
            escape(cx, a)
    if does_not_get_the_object(cls, name):
        alone: Value = cx.above.call(cx, Static(getattr(cls, name)), args, kwargs)
        return alone
    if not args and not kwargs:
        answer = asked(cx, owner, name, lambda: call_by_name(cx, f"builtins.str.{name}", [owner], BOOL))
        if answer is not None:
            return answer
    found = member_result(cx, owner, name, args, kwargs)
    made = call_by_name(
        cx,
        f"{class_name(cls)}.{name}",
        [owner, *args],
        found,
        kwargs,
        changes=writes,
        fresh=not issubclass(cls, np.ndarray),
    )
    return kwargs.get("out", made)


_ONE_BY_ONE: dict[tuple[type | None, str], str] = {
    (list, "extend"): "append",
    (collections.deque, "extend"): "append",
    (collections.deque, "extendleft"): "appendleft",
    (set, "update"): "add",
    (dict, "update"): "",
}


def _add_each(cx: Lowering, owner: Object, name: str, v: Value) -> None:
    """`owner.name(v)` for an iterator: each item is computed when those before it are there."""
    each = _ONE_BY_ONE[owner.type.cls, name]

    def add(x: Value) -> None:
        if each:
            call_object_method(cx, owner, each, [x], {})
        elif isinstance(x, Tup) and len(x.items) == 2:
            set_object_item(cx, owner, *x.items)
        else:
            call_object_method(cx, owner, "update", [Tup([x])], {})

    if isinstance(v, OneShot):
        for step in v.one_by_one:
            add(taken(step))
    else:
        visit_any(cx, v, add)
