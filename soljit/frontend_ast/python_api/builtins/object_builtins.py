"""Python's builtin functions on objects of run time: which have a meaning of their own, and what the others give."""

from __future__ import annotations

import bisect
import heapq
import time
import types
from collections.abc import Callable, Sized
from types import CodeType
from typing import Any

from soljit.base.dependency import Path
from soljit.base.objects import HERE
from soljit.frontend_ast.arrays.elementwise import copy_array
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.lowering.caught import Caught
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.objects.contents import BOOL, FLOAT, INT, TEXT, container, element_of, escape
from soljit.frontend_ast.objects.methods import items_of, join_items
from soljit.frontend_ast.objects.objects import call, exception_of, make
from soljit.frontend_ast.objects.results import is_any_float, of_any_float, result_of
from soljit.frontend_ast.python_api.builtins.text import print_values, text_function
from soljit.frontend_ast.python_api.library.library_objects import heapify, name_of, puts, ranked, takes
from soljit.frontend_ast.python_api.object_operations import method, settled
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.object_types import ANY, Element, ObjectType
from soljit.frontend_ast.values.values import Arr, Dict, Func, Lazy, Method, Num, Object, SliceVal, Static, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import static_of
from soljit.ir.expr import Const
from soljit.ir.types import b1, c128

COMPLEX = Element("number", c128, True)


ALWAYS: dict[Any, Element] = {
    time.time: FLOAT, time.perf_counter: FLOAT, time.monotonic: FLOAT, time.process_time: FLOAT,
    str: TEXT, repr: TEXT, format: TEXT, ascii: TEXT, bin: TEXT, hex: TEXT, oct: TEXT, chr: TEXT, ord: INT, hash: INT,
    int: INT, float: FLOAT, bool: BOOL, complex: COMPLEX, len: INT, isinstance: BOOL, any: BOOL, all: BOOL, callable: BOOL,
}  # fmt: skip

CONTAINERS = (list, tuple, set, frozenset)


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


def constant_set(cx: Lowering, fr: Frame, items: list[Value]) -> Value | None:
    """The frozen set that Python's compiler made of these items, whose order is its own; None: it made none."""
    if not all(isinstance(v, Static) or isinstance(v, Num) and isinstance(v.expr, Const) for v in items):
        return None
    function = fr.resolve.function
    wanted = frozenset(static_of(cx, v) for v in items)
    found = _constant_of(function.__code__, wanted, ()) if function is not None and cx.can_follow(function) else None
    if found is None:
        return None
    code, k, steps = found
    cx.paths.setdefault(id(code.co_consts), (*cx.paths[id(function)], ("attr", "__code__"), *steps))
    held = cx.capture(code.co_consts, "item", str(k), code.co_consts[k])
    return call(cx, "builtins.frozenset", [held], Element("object", object=container(cx, frozenset, items)))


def _constant_of(code: CodeType, wanted: frozenset[object], path: Path) -> tuple[CodeType, int, Path] | None:
    """Where a code object, or one in it, has this set: the code object, the number of the constant, and the path to the constants."""
    here: Path = (*path, ("attr", "co_consts"))
    for k, c in enumerate(code.co_consts):
        if type(c) is frozenset and c == wanted and set(map(repr, c)) == set(map(repr, wanted)):
            return code, k, here
    inner = ((c, k) for k, c in enumerate(code.co_consts) if isinstance(c, CodeType))
    return next((x for c, k in inner if (x := _constant_of(c, wanted, (*here, ("item", str(k)))))), None)


def _maker(cls: type) -> Callable[..., Value]:
    def run(cx: Lowering, v: Value | None = None) -> Value:
        return made_of(cx, cls, v)

    return run


def _dict(cx: Lowering, v: Value | None = None, /, **kwargs: Value) -> Value:
    made = make(cx, Dict({}, site=cx.loc))
    if v is not None or kwargs:
        if v is not None:
            method(cx, made, "update", [v], {})
        if kwargs:
            method(cx, made, "update", [], kwargs)
    return made


def is_python(f: Value | None) -> bool:
    """Is this a function that is compiled along?"""
    return isinstance(f, Func) or (
        isinstance(f, Static) and isinstance(f.obj, types.FunctionType) and not name_of(f.obj)
    )


def is_library(f: Value) -> bool:
    """Is this a function that Python calls by its name, or a method of an object?"""
    return isinstance(f, (Static, Method)) and not is_python(f)


def keys_of(cx: Lowering, v: Value, key: Value) -> Value:
    """The list of the keys of the items."""
    return cx.objects.list_of_results(cx, v, lambda x: calls.call_value(cx, key, [x]))  # type: ignore[no-any-return]


def _gives_items_once(v: Value) -> bool:
    """Is this object, or may it be, an iterator?"""
    return isinstance(v, Object) and (v.type.cls is None or not issubclass(v.type.cls, Sized))


def _with_keys(cx: Lowering, v: Value, key: Value) -> tuple[Value, Value]:
    """The items, and the list of their keys. An item of an array is what it was before its key was asked for, which may change the array."""
    if not (isinstance(v, (Arr, Lazy)) and v.ndim == 1 or _gives_items_once(v)):
        return v, keys_of(cx, v, key)
    items = cx.objects.empty_list(cx, "value")

    def key_of(x: Value) -> Value:
        method(cx, items, "append", [x], {})
        return calls.call_value(cx, key, [x])

    return items, cx.objects.list_of_results(cx, v, key_of)


def sort_by(cx: Lowering, owner: Object, key: Value, reverse: Value | None) -> Value:
    """list.sort with a key that is a Python function."""
    given = {} if reverse is None else {"reverse": reverse}
    made = call(cx, HERE + "ordered", [owner, keys_of(cx, owner, key)], Element("object", object=owner.type), given)
    call(cx, "operator.setitem", [owner, SliceVal(None, None, None), made])
    return Static(None)


def _sorted(cx: Lowering, v: Value, **kwargs: Value) -> Value:
    kind = container(cx, list)
    join_items(cx, kind, v)
    if is_python(kwargs.get("key")):
        if isinstance(v, (Arr, Lazy)) and v.ndim == 1:  # the key may change the array
            v = copy_array(cx, v, v.rank)
        if _gives_items_once(v):
            v = call(cx, "builtins.list", [v], Element("object", object=kind))
        keys = keys_of(cx, v, kwargs.pop("key"))
        return call(cx, HERE + "ordered", [v, keys], Element("object", object=kind), kwargs)
    return call(cx, "builtins.sorted", [v], Element("object", object=kind), kwargs)


def iterator(item: Callable[[], Element]) -> Element:
    return Element("object", object=ObjectType(None, items=item))


def _enumerate(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    found = iterator(lambda: Element("tuple", items=(INT, items_of(cx, v))))
    return call(cx, "builtins.enumerate", [v, *([start] if start is not None else [])], found)


def _zip(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
    found = iterator(lambda: Element("tuple", items=tuple(items_of(cx, v) for v in vs)))
    for v in vs:
        escape(cx, v)
    return call(cx, "builtins.zip", list(vs), found, kwargs)


def _reversed(cx: Lowering, v: Value) -> Value:
    return call(cx, "builtins.reversed", [v], iterator(lambda: items_of(cx, v)))


def _iter(cx: Lowering, v: Value) -> Value:
    return call(cx, "builtins.iter", [v], iterator(lambda: items_of(cx, v)))


def _next(cx: Lowering, v: Value, *default: Value) -> Value:
    found = items_of(cx, v)
    if default and element_of(cx, default[0]) != found:
        found = ANY
    return call(cx, "builtins.next", [v, *default], found)


def _map(cx: Lowering, f: Value, *vs: Value) -> Value:
    if not isinstance(f, Static) or is_python(f):
        if len(vs) > len(_MAPPED):
            raise cx.unsupported("map over so many objects", "write a loop")
        return inline_function(cx, _MAPPED[len(vs) - 1], [f, *vs], {})  # type: ignore[arg-type]
    function = f.obj
    kind = container(cx, function) if function in CONTAINERS and len(vs) == 1 else None

    def item() -> Element:
        given = [_example(items_of(cx, v)) for v in vs]
        if kind is not None and given[0].type.cls is not None:
            join_items(cx, kind, given[0])
            return Element("object", object=kind)
        return ALWAYS[function] if function in ALWAYS else result_of(cx, function, given)

    return call(cx, "builtins.map", [f, *vs], iterator(item))


def _example(found: Element) -> Object:
    """A value of this kind, for what only wants to know its type."""
    return Object("", found.object if found.object is not None else ObjectType(None, make=found.sample))


def _filter(cx: Lowering, f: Value, v: Value) -> Value:
    if not is_python(f):
        return call(cx, "builtins.filter", [f, v], iterator(lambda: items_of(cx, v)))
    return inline_function(cx, _chosen, [f, v], {})  # type: ignore[arg-type]


def over_generator(cx: Lowering, function: Any, f: Value, items: Value) -> Value:
    """map or filter of a generator."""
    nothing = isinstance(f, Static) and f.obj is None
    step = _mapped if function is map else _true if nothing else _chosen
    return inline_function(cx, step, [f, items], {})  # type: ignore[arg-type]


def _true(f: Any, items: Any) -> Any:
    """filter(None, …), in Python: this is compiled, as the following are."""
    for x in items:
        if x:
            yield x


def _chosen(f: Any, items: Any) -> Any:
    """filter"""
    for x in items:
        if f(x):
            yield x


def _mapped(f: Any, items: Any) -> Any:
    """map"""
    for x in items:
        yield f(x)


def _mapped_two(f: Any, items: Any, others: Any) -> Any:
    for x, y in zip(items, others):
        yield f(x, y)


def _mapped_three(f: Any, items: Any, others: Any, more: Any) -> Any:
    for x, y, z in zip(items, others, more):
        yield f(x, y, z)


_MAPPED = (_mapped, _mapped_two, _mapped_three)


def _extreme(name: str) -> Callable[..., Value]:
    def run(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
        items = vs[0] if len(vs) == 1 else Tup(list(vs))
        found = items_of(cx, items)
        if "default" in kwargs and element_of(cx, kwargs["default"]) != found:
            found = ANY
        if is_python(kwargs.get("key")):
            items, keys = _with_keys(cx, items, kwargs.pop("key"))
            return call(cx, HERE + ("largest" if name == "max" else "smallest"), [items, keys], found, kwargs)
        return call(cx, f"builtins.{name}", list(vs), found, kwargs)

    return run


def _sum(cx: Lowering, v: Value, *start: Value, **kwargs: Value) -> Value:
    item = items_of(cx, v)
    sample = Object("", ObjectType(None, make=lambda n: [item.sample(n)] * n))
    found = result_of(cx, sum, [sample, *start], kwargs)
    return call(cx, "builtins.sum", [v, *start], of_any_float(cx, found) if is_any_float(item) else found, kwargs)


def _type(cx: Lowering, v: Value) -> Value:
    if isinstance(v, Static) and isinstance(v.obj, Caught):
        return call(cx, "builtins.type", [exception_of(cx, v.obj)], Element("object", object=ObjectType(type)))
    if not isinstance(v, Object):
        raise cx.unsupported(f"the type of {describe(v)}")
    if v.type.cls is None:
        return call(cx, "builtins.type", [v], ANY)
    return Static(v.type.cls)


def _isinstance(cx: Lowering, v: Value, classes: Value) -> Value:
    """isinstance of an object, whose class is known or looked at."""
    if isinstance(v, Object) and v.type.cls is not None:
        return Num(Const(issubclass(v.type.cls, static_of(cx, classes)), b1), True)
    return call(cx, "builtins.isinstance", [v, classes], BOOL)


BUILTINS: dict[Any, Callable[..., Value]] = {
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
