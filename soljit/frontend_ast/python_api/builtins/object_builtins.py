"""Python's builtin functions on objects of run time: which have a meaning of their own, and what the others give."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable, Sized
from typing import Any

from soljit.base.knowledge.pure import known
from soljit.base.python.names import owner_of
from soljit.frontend_ast.arrays.elementwise import copy_array
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.generator_calls import MAPPED, chosen_items
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.calls.object_methods import call_object_method, keys_of
from soljit.frontend_ast.expressions.object_displays import made_of
from soljit.frontend_ast.iteration.object_lists import empty_list, list_of_results
from soljit.frontend_ast.lowering.caught import Caught
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.objects import characters
from soljit.frontend_ast.objects.container_methods import items_of, join_items
from soljit.frontend_ast.objects.contents import BOOL, FLOAT, INT, TEXT, container, element_of, escape
from soljit.frontend_ast.objects.functions import is_compiled_along
from soljit.frontend_ast.objects.iterators import settled
from soljit.frontend_ast.objects.objects import call_by_name, exception_of, make_object
from soljit.frontend_ast.objects.results import is_any_float, of_any_float, result_of, unless_opaque
from soljit.frontend_ast.objects.text import print_values, text_function
from soljit.frontend_ast.python_api.library.library_objects import heapify, puts, ranked, takes
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.object_types import ANY, Element, ObjectType, iterator_over
from soljit.frontend_ast.values.values import Arr, Dict, Lazy, Num, Object, Static, Tup, Value
from soljit.ir.core.expr import Const
from soljit.ir.core.types import b1, c128
from soljit.support.objects import HERE

COMPLEX = Element("number", c128, True)


_GIVEN = {"text": TEXT, "int": INT, "float": FLOAT, "bool": BOOL, "complex": COMPLEX}
CONTAINERS = (list, tuple, set, frozenset)


def always_given(cx: Lowering, function: Any) -> Element | None:
    """What a builtin function, or a clock, gives whatever its arguments are; None: that depends on them."""
    facts = known(function) if getattr(function, "__module__", "") in ("builtins", "time") else None
    found = None if facts is None or isinstance(owner_of(function), type) else _GIVEN.get(facts.gives)
    return None if found is None else unless_opaque(cx, function, found)


def _maker(cls: type) -> Callable[..., Value]:
    def run(cx: Lowering, v: Value | None = None) -> Value:
        return made_of(cx, cls, v)

    return run


def _dict(cx: Lowering, v: Value | None = None, /, **kwargs: Value) -> Value:
    made = make_object(cx, Dict({}, site=cx.loc))
    if v is not None or kwargs:
        if v is not None:
            call_object_method(cx, made, "update", [v], {})
        if kwargs:
            call_object_method(cx, made, "update", [], kwargs)
    return made


def _gives_items_once(v: Value) -> bool:
    """Tell whether this object is, or may be, an iterator."""
    return isinstance(v, Object) and (v.type.cls is None or not issubclass(v.type.cls, Sized))


def _with_keys(cx: Lowering, v: Value, key: Value) -> tuple[Value, Value]:
    """The items, and the list of their keys. An item of an array is what it was before its key was asked for, which may change the array."""
    if not (isinstance(v, (Arr, Lazy)) and v.ndim == 1 or _gives_items_once(v)):
        return v, keys_of(cx, v, key)
    items = empty_list(cx, "value")

    def key_of(x: Value) -> Value:
        call_object_method(cx, items, "append", [x], {})
        return calls.call_value(cx, key, [x])

    return items, list_of_results(cx, v, key_of)


def _sorted(cx: Lowering, v: Value, **kwargs: Value) -> Value:
    kind = container(cx, list)
    join_items(cx, kind, v)
    if is_compiled_along(kwargs.get("key")):
        if isinstance(v, (Arr, Lazy)) and v.ndim == 1:  # the key may change the array
            v = copy_array(cx, v, v.rank)
        if _gives_items_once(v):
            v = call_by_name(cx, "builtins.list", [v], Element("object", object=kind))
        keys = keys_of(cx, v, kwargs.pop("key"))
        return call_by_name(cx, HERE + "ordered", [v, keys], Element("object", object=kind), kwargs)
    return call_by_name(cx, "builtins.sorted", [v], Element("object", object=kind), kwargs)


def _enumerate(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    found = iterator_over(lambda: Element("tuple", items=(INT, items_of(cx, v))))
    escape(cx, v)
    return call_by_name(cx, "builtins.enumerate", [v, *([start] if start is not None else [])], found)


def _zip(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
    found = iterator_over(lambda: Element("tuple", items=tuple(items_of(cx, v) for v in vs)))
    for v in vs:
        escape(cx, v)
    return call_by_name(cx, "builtins.zip", list(vs), found, kwargs)


def _reversed(cx: Lowering, v: Value) -> Value:
    escape(cx, v)
    return call_by_name(cx, "builtins.reversed", [v], iterator_over(lambda: items_of(cx, v)))


def _iter(cx: Lowering, v: Value) -> Value:
    escape(cx, v)
    return call_by_name(cx, "builtins.iter", [v], iterator_over(lambda: items_of(cx, v)))


def _next(cx: Lowering, v: Value, *default: Value) -> Value:
    found = items_of(cx, v)
    if default and element_of(cx, default[0]) != found:
        found = ANY
    for x in default:
        escape(cx, x)
    return call_by_name(cx, "builtins.next", [v, *default], found)


def _map(cx: Lowering, f: Value, *vs: Value) -> Value:
    if not isinstance(f, Static) or is_compiled_along(f):
        if len(vs) > len(MAPPED):
            raise cx.unsupported("map over so many objects", "write a loop")
        return inline_function(cx, MAPPED[len(vs) - 1], [f, *vs], {})  # type: ignore[arg-type]
    function = f.obj
    kind = container(cx, function) if function in CONTAINERS and len(vs) == 1 else None

    def item() -> Element:
        given = [_example(items_of(cx, v)) for v in vs]
        if kind is not None and given[0].type.cls is not None:
            join_items(cx, kind, given[0])
            return Element("object", object=kind)
        return always_given(cx, function) or result_of(cx, function, given)

    return call_by_name(cx, "builtins.map", [f, *vs], iterator_over(item))


def _example(found: Element) -> Object:
    """A value of this kind, for what only wants to know its type."""
    return Object("", found.object if found.object is not None else ObjectType(None, make=found.sample))


def _filter(cx: Lowering, f: Value, v: Value) -> Value:
    if not is_compiled_along(f):
        escape(cx, v)
        return call_by_name(cx, "builtins.filter", [f, v], iterator_over(lambda: items_of(cx, v)))
    return inline_function(cx, chosen_items, [f, v], {})  # type: ignore[arg-type]


def _extreme(name: str) -> Callable[..., Value]:
    def run(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
        items = vs[0] if len(vs) == 1 else Tup(list(vs))
        found = items_of(cx, items)
        if "default" in kwargs and element_of(cx, kwargs["default"]) != found:
            found = ANY
        if is_compiled_along(kwargs.get("key")):
            items, keys = _with_keys(cx, items, kwargs.pop("key"))
            return call_by_name(cx, HERE + ("largest" if name == "max" else "smallest"), [items, keys], found, kwargs)
        return call_by_name(cx, f"builtins.{name}", list(vs), found, kwargs)

    return run


def _sum(cx: Lowering, v: Value, *start: Value, **kwargs: Value) -> Value:
    item = items_of(cx, v)
    sample = Object("", ObjectType(None, make=lambda n: [item.sample(n)] * n))
    found = result_of(cx, sum, [sample, *start], kwargs)
    return call_by_name(
        cx, "builtins.sum", [v, *start], of_any_float(cx, found) if is_any_float(item) else found, kwargs
    )


def _type(cx: Lowering, v: Value) -> Value:
    if isinstance(v, Static) and isinstance(v.obj, Caught):
        return call_by_name(cx, "builtins.type", [exception_of(cx, v.obj)], Element("object", object=ObjectType(type)))
    if not isinstance(v, Object):
        raise cx.unsupported(f"the type of {describe(v)}")
    if v.type.cls is None:
        return call_by_name(cx, "builtins.type", [v], ANY)
    return Static(v.type.cls)


def _isinstance(cx: Lowering, v: Value, classes: Value) -> Value:
    """isinstance of an object, whose class is known or looked at."""
    if isinstance(v, Object) and v.type.cls is not None:
        return Num(Const(issubclass(v.type.cls, static_of(cx, classes)), b1), True)
    return call_by_name(cx, "builtins.isinstance", [v, classes], BOOL)


def _ord(cx: Lowering, v: Value) -> Value:
    def by_python() -> Value:
        return call_by_name(cx, "builtins.ord", [v], INT)

    return characters.as_code(cx, v, by_python) or by_python()


def _len(cx: Lowering, v: Value) -> Value:
    known = characters.length_of(cx, v)
    return call_by_name(cx, "builtins.len", [v], INT) if known is None else Num(known, True)


BUILTINS: dict[Any, Callable[..., Value]] = {
    ord: _ord,
    chr: characters.of_code,
    len: _len,
    isinstance: _isinstance,
    print: print_values,
    str: text_function("str", str),
    repr: text_function("repr", repr),
    **{c: _maker(c) for c in CONTAINERS},
    dict: _dict,
    sorted: _sorted,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    iter: _iter,
    next: _next,
    map: _map,
    filter: _filter,
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
