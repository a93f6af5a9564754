"""Builtin functions and classes on Python objects of run time, and text made of values."""

from __future__ import annotations

import bisect
import heapq
import time
import types
from collections.abc import Callable, Hashable
from typing import Any

from soljit.base.objects import class_name
from soljit.frontend_ast import calls, instances
from soljit.frontend_ast.exceptions import Caught
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.library_objects import CHANGING, construct, heapify, name_of, puts, ranked, takes
from soljit.frontend_ast.numpy_api.table import implements
from soljit.frontend_ast.numpy_api.text import formatted, is_plain, print_values, text_function, text_method
from soljit.frontend_ast.object_contents import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    container,
    element_of,
    escape,
    grow,
    item_of,
    type_of_container,
)
from soljit.frontend_ast.object_methods import items_of, join_items
from soljit.frontend_ast.object_operations import (
    adopt,
    as_index,
    as_number,
    attribute,
    binary,
    contains,
    delete_item,
    dict_of,
    get_item,
    hold,
    identical,
    in_place,
    length,
    list_of,
    list_of_results,
    list_of_steps,
    method,
    new_holder,
    sample_text,
    set_item,
    settled,
    steps,
    store,
    throw,
    truth,
    tuple_of_kinds,
    type_like,
    unary,
    unpack,
    update_array,
    visit_any,
)
from soljit.frontend_ast.object_types import ANY, NOTHING, Element, ObjectType, widen
from soljit.frontend_ast.objects import HERE, call, exception_of, make, result_of, view_of
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.values import Dict, Func, Method, Object, SliceVal, Static, Tup, Value
from soljit.ir.types import c128

COMPLEX = Element("number", c128, True)
_ALWAYS: dict[Any, Element] = {
    time.time: FLOAT, time.perf_counter: FLOAT, time.monotonic: FLOAT, time.process_time: FLOAT,
    str: TEXT, repr: TEXT, format: TEXT, ascii: TEXT, bin: TEXT, hex: TEXT, oct: TEXT, chr: TEXT, ord: INT, hash: INT,
    int: INT, float: FLOAT, bool: BOOL, complex: COMPLEX, len: INT, isinstance: BOOL, any: BOOL, all: BOOL, callable: BOOL,
}  # fmt: skip


def involved(args: list[Value], kwargs: dict[str, Value]) -> bool:
    """Does an argument hold an object of run time?"""
    return any(_has_object(v) for v in (*args, *kwargs.values()))


def _has_object(v: Value) -> bool:
    match v:
        case Object():
            return True
        case Tup():
            return any(map(_has_object, v.items))
        case Dict() if v.cls is None:
            return any(map(_has_object, v.items.values()))
    return False


def call_function(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """The call of a builtin or library function or class, where some arguments are objects or the result is one; None: not one of those."""
    args, kwargs = [settled(cx, a) for a in args], {k: settled(cx, v) for k, v in kwargs.items()}
    handler = _HANDLERS.get(function) if isinstance(function, Hashable) else None
    if handler is not None:
        made: Value = handler(cx, *args, **kwargs)
        return made
    name = name_of(function)
    if name is None and isinstance(function, Hashable) and function in _ALWAYS:
        name = class_name(function)  # type: ignore[arg-type]
    if name is None or any(isinstance(a, Func) or _is_python(a) for a in (*args, *kwargs.values())):
        return None
    if name.partition(".")[0] in CHANGING:
        for a in args:
            if isinstance(a, Dict) or (isinstance(a, Tup) and a.mutable):
                cx.objects.grow(cx, a)
    if isinstance(function, type) and function not in _ALWAYS:
        return construct(cx, function, args, kwargs)
    found = _ALWAYS[function] if function in _ALWAYS else result_of(cx, function, args, kwargs)
    for a in (*args, *kwargs.values()):
        if found.form == "object" and found is not TEXT:
            escape(cx, a)
    plain = all(v.type.cls in (list, tuple, str, set) for v in (*args, *kwargs.values()) if isinstance(v, Object))
    return call(cx, name, args, found, kwargs, changes="out" in kwargs, fresh=plain and name.startswith("numpy."))


make_instance = instances.make


# --- text -------------------------------------------------------------------------------------------------------------


def call_it(cx: Lowering, f: Object, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call an object."""
    args = [settled(cx, a) for a in args]
    found = result_of(cx, lambda o, *rest, **named: o(*rest, **named), [f, *args], kwargs)
    for a in (*args, *kwargs.values()):
        escape(cx, a)
    return call(cx, "operator.call", [f, *args], found, kwargs, changes=True)


def call_with(cx: Lowering, f: Value, args: Object, kwargs: dict[str, Value]) -> Value:
    """`f(*args)` for a list whose length only the run tells."""
    name = name_of(f.obj) if isinstance(f, Static) else None
    if name is None or not isinstance(f, Static) or _is_python(f):
        raise cx.unsupported(f"calling {describe(f)} with a number of arguments that is not known at compile time")
    found = ANY
    if f.obj is zip:
        found = _iterator(lambda: _column(cx, item_of(cx, args)))
    elif f.obj is print:
        found = NOTHING
    elif f.obj in (min, max) and not kwargs:
        found = item_of(cx, args)
    return call(cx, HERE + "call", [Static(name), args], found, {"kwargs": Dict(dict(kwargs))} if kwargs else None)


def _column(cx: Lowering, row: Element) -> Element:
    """What `zip(*rows)` gives."""
    if row.form == "object" and row.object is not None and row.object.item is not None:
        return Element("object", object=ObjectType(tuple, row.object.item))
    kind = container(cx, tuple)
    assert kind.item is not None
    for x in row.items if row.form == "tuple" else (ANY,):
        widen(cx.learned, kind.item, x)
    return Element("object", object=kind)


# --- containers -------------------------------------------------------------------------------------------------------


def made_of(cx: Lowering, cls: type, v: Value | None) -> Value:
    """`cls(v)` for list, tuple, set and frozenset."""
    kind = container(cx, cls)
    if v is not None:
        escape(cx, v)
        join_items(cx, kind, v)
    return call(cx, f"builtins.{cls.__name__}", [] if v is None else [v], Element("object", object=kind))


def set_of(cx: Lowering, items: list[Value]) -> Value:
    """A set display."""
    kind = container(cx, set, items)
    return call(cx, "builtins.set", [Tup(items)], Element("object", object=kind))


def _maker(cls: type) -> Callable[..., Value]:
    def run(cx: Lowering, v: Value | None = None) -> Value:
        return made_of(cx, cls, v)

    return run


def _dict(cx: Lowering, v: Value | None = None, **kwargs: Value) -> Value:
    made = make(cx, Dict({}, site=cx.loc))
    if v is not None or kwargs:
        if isinstance(v, Object) and v.type.key is None or isinstance(v, Tup):
            pair = items_of(cx, v)
            if pair.form != "tuple" or len(pair.items) != 2 or made.type.key is None or made.type.item is None:
                raise cx.unsupported("a dict of items that are no pairs")
            widen(cx.learned, made.type.key, pair.items[0])
            widen(cx.learned, made.type.item, pair.items[1])
            call(cx, "builtins.dict.update", [made, v])
        elif v is not None:
            method(cx, made, "update", [v], {})
        if kwargs:
            method(cx, made, "update", [], kwargs)
    return made


def _is_python(f: Value | None) -> bool:
    """Is this a function that is compiled along?"""
    return isinstance(f, Func) or (
        isinstance(f, Static) and isinstance(f.obj, types.FunctionType) and not name_of(f.obj)
    )


def is_library(f: Value) -> bool:
    """Is this a function that Python calls by its name, or a method of an object?"""
    return isinstance(f, (Static, Method)) and not _is_python(f)


def keys_of(cx: Lowering, v: Value, key: Value) -> Value:
    """The list of the keys of the items."""
    return cx.objects.list_of_results(cx, v, lambda x: calls.call_value(cx, key, [x]))  # type: ignore[no-any-return]


def sort_by(cx: Lowering, owner: Object, key: Value, reverse: Value | None) -> Value:
    """list.sort with a key that is a Python function."""
    given = {} if reverse is None else {"reverse": reverse}
    made = call(cx, HERE + "ordered", [owner, keys_of(cx, owner, key)], Element("object", object=owner.type), given)
    call(cx, "operator.setitem", [owner, SliceVal(None, None, None), made])
    return Static(None)


def _sorted(cx: Lowering, v: Value, **kwargs: Value) -> Value:
    kind = container(cx, list)
    join_items(cx, kind, v)
    if _is_python(kwargs.get("key")):
        keys = keys_of(cx, v, kwargs.pop("key"))
        return call(cx, HERE + "ordered", [v, keys], Element("object", object=kind), kwargs)
    return call(cx, "builtins.sorted", [v], Element("object", object=kind), kwargs)


def _iterator(item: Callable[[], Element]) -> Element:
    return Element("object", object=ObjectType(None, items=item))


def _enumerate(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    found = _iterator(lambda: Element("tuple", items=(INT, items_of(cx, v))))
    return call(cx, "builtins.enumerate", [v, *([start] if start is not None else [])], found)


def _zip(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
    found = _iterator(lambda: Element("tuple", items=tuple(items_of(cx, v) for v in vs)))
    for v in vs:
        escape(cx, v)
    return call(cx, "builtins.zip", list(vs), found, kwargs)


def _reversed(cx: Lowering, v: Value) -> Value:
    return call(cx, "builtins.reversed", [v], _iterator(lambda: items_of(cx, v)))


def _iter(cx: Lowering, v: Value) -> Value:
    return call(cx, "builtins.iter", [v], _iterator(lambda: items_of(cx, v)))


def _next(cx: Lowering, v: Value, *default: Value) -> Value:
    found = items_of(cx, v)
    if default and element_of(cx, default[0]) != found:
        found = ANY
    return call(cx, "builtins.next", [v, *default], found)


def _map(cx: Lowering, f: Value, *vs: Value) -> Value:
    if not isinstance(f, Static) or _is_python(f):
        if len(vs) != 1:
            raise cx.unsupported("map over several objects")
        return keys_of(cx, vs[0], f)
    function = f.obj

    def item() -> Element:
        given = [Object("", ObjectType(None, make=items_of(cx, v).sample)) for v in vs]
        return _ALWAYS[function] if function in _ALWAYS else result_of(cx, function, given)

    return call(cx, "builtins.map", [f, *vs], _iterator(item))


def _extreme(name: str) -> Callable[..., Value]:
    def run(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
        items = vs[0] if len(vs) == 1 else Tup(list(vs))
        found = items_of(cx, items)
        if _is_python(kwargs.get("key")):
            keys = keys_of(cx, items, kwargs.pop("key"))
            if kwargs:
                raise cx.unsupported(f"{name} with key and default", "test for the empty list before")
            return call(cx, HERE + ("largest" if name == "max" else "smallest"), [items, keys], found)
        if "default" in kwargs and element_of(cx, kwargs["default"]) != found:
            found = ANY
        return call(cx, f"builtins.{name}", list(vs), found, kwargs)

    return run


def _sum(cx: Lowering, v: Value, *start: Value, **kwargs: Value) -> Value:
    item = items_of(cx, v)
    sample = Object("", ObjectType(None, make=lambda n: [item.sample(n)] * n))
    return call(cx, "builtins.sum", [v, *start], result_of(cx, sum, [sample, *start], kwargs), kwargs)


def _type(cx: Lowering, v: Value) -> Value:
    if isinstance(v, Static) and isinstance(v.obj, Caught):
        return call(cx, "builtins.type", [exception_of(cx, v.obj)], Element("object", object=ObjectType(type)))
    if not isinstance(v, Object):
        raise cx.unsupported(f"the type of {describe(v)}")
    if v.type.cls is None:
        return call(cx, "builtins.type", [v], ANY)
    return Static(v.type.cls)


_HANDLERS: dict[Any, Callable[..., Value]] = {
    print: print_values,
    str: text_function("str", str),
    repr: text_function("repr", repr),
    **{c: _maker(c) for c in (list, tuple, set, frozenset)},
    dict: _dict,
    sorted: _sorted,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    iter: _iter,
    next: _next,
    map: _map,
    min: _extreme("min"),
    max: _extreme("max"),
    sum: _sum,
    type: _type,
    heapq.heappush: puts("heapq.heappush", False),
    heapq.heappushpop: puts("heapq.heappushpop", True),
    heapq.heapreplace: puts("heapq.heapreplace", True),
    heapq.heappop: takes,
    heapq.heapify: heapify,
    heapq.nlargest: ranked("nlargest"),
    heapq.nsmallest: ranked("nsmallest"),
    bisect.insort: puts("bisect.insort", False),
    bisect.insort_left: puts("bisect.insort_left", False),
    bisect.insort_right: puts("bisect.insort_right", False),
}


@implements(set)
def set_(cx: Lowering, v: Value | None = None) -> Value:
    """set"""
    return made_of(cx, set, None if v is None else settled(cx, v))


@implements(frozenset)
def frozenset_(cx: Lowering, v: Value | None = None) -> Value:
    """frozenset"""
    return made_of(cx, frozenset, None if v is None else settled(cx, v))


# --- objects of the library ---------------------------------------------------------------------------------------------


__all__ = [  # what `Lowering.objects` offers to the modules below
    "adopt",
    "as_index",
    "call_with",
    "delete_item",
    "as_number",
    "attribute",
    "binary",
    "contains",
    "dict_of",
    "get_item",
    "formatted",
    "grow",
    "hold",
    "identical",
    "in_place",
    "is_plain",
    "length",
    "list_of",
    "list_of_results",
    "list_of_steps",
    "make",
    "make_instance",
    "name_of",
    "new_holder",
    "sample_text",
    "set_item",
    "steps",
    "store",
    "text_method",
    "throw",
    "truth",
    "tuple_of_kinds",
    "type_like",
    "type_of_container",
    "unary",
    "unpack",
    "update_array",
    "view_of",
    "visit_any",
]
