"""Objects and functions of Python's library: heaps, sorted lists, deques, counters, random generators, and classes of NumPy."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import attempt, is_pure
from soljit.base.python.object_names import class_name
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.objects.container_methods import items_of, join_items
from soljit.frontend_ast.objects.contents import INT, container, escape, grow, put, sample_of
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import given_by
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.learned import widen
from soljit.frontend_ast.values.object_types import ANY, NOTHING, Element, ObjectType
from soljit.frontend_ast.values.values import Func, Num, Object, Static, Tup, Value


def as_list(cx: Lowering, v: Value) -> Object:
    """A list that a function of the library changes."""
    if isinstance(v, Object):
        return v
    if isinstance(v, Tup) and v.mutable:
        grow(cx, v)
    raise cx.unsupported(f"{describe(v)} where a list is changed")


def puts(name: str, gives_item: bool) -> Callable[..., Value]:
    """A function that puts its second argument into the list that is the first one."""

    def run(cx: Lowering, v: Value, x: Value, *rest: Value, **kwargs: Value) -> Value:
        if kwargs:
            raise cx.unsupported(f"{name} with key")
        owner = as_list(cx, v)
        put(cx, owner.type.item, x)
        found = items_of(cx, owner) if gives_item else NOTHING
        return call_by_name(cx, name, [owner, x, *rest], found)

    return run


def takes(cx: Lowering, v: Value) -> Value:
    owner = as_list(cx, v)
    return call_by_name(cx, "heapq.heappop", [owner], items_of(cx, owner))


def heapify(cx: Lowering, v: Value) -> Value:
    return call_by_name(cx, "heapq.heapify", [as_list(cx, v)])


def ranked(name: str) -> Callable[..., Value]:
    def run(cx: Lowering, n: Value, v: Value, **kwargs: Value) -> Value:
        kind = container(cx, list)
        join_items(cx, kind, v)
        return call_by_name(cx, f"heapq.{name}", [n, v], Element("object", object=kind), kwargs)

    return run


OF_TUPLES = (
    itertools.permutations,
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.product,
)  # whose lengths depend on values


OF_OTHER_CLASSES = (np.dtype, np.object_)  # what calling them gives is seldom of the class itself


def construct(cx: Lowering, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`cls(...)` for a class of the library."""
    if cls is collections.deque:
        kind = container(cx, cls)
        if args:
            join_items(cx, kind, args[0])
    elif issubclass(cls, dict):
        kind = container(cx, cls, (), ())
        assert kind.item is not None and kind.key is not None
        if cls is collections.Counter:
            widen(cx.learned, kind.item, INT)
            if args:
                widen(cx.learned, kind.key, items_of(cx, args[0]))
        elif cls is collections.defaultdict and args and isinstance(args[0], Static):
            factory = args[0].obj
            if factory is list or factory is set:
                widen(cx.learned, kind.item, Element("object", object=container(cx, factory, part="default ")))
            elif factory is not None and is_pure(factory):
                put(cx, kind.item, constant(attempt(factory, ())))
            elif factory is not None:
                widen(cx.learned, kind.item, given_by(cx, args[0]))
        elif cls is collections.defaultdict and args and isinstance(args[0], Func):
            widen(cx.learned, kind.item, given_by(cx, args[0]))
        elif args or kwargs:
            return None
    elif cls in OF_TUPLES:
        rows = container(cx, tuple)
        for a in args:
            if not isinstance(a, Num):
                join_items(cx, rows, a)
        kind = ObjectType(None, items=lambda: Element("object", object=rows))
    else:

        def example(n: int) -> Any:
            named = {k: sample_of(cx, v, n) for k, v in kwargs.items()}
            return attempt(cls, [sample_of(cx, a, n) for a in args], named)

        kind = ObjectType(cls, make=example)
    for a in (*args, *kwargs.values()):
        escape(cx, a)
    made = ANY if cls in OF_OTHER_CLASSES else Element("object", object=kind)
    return call_by_name(cx, class_name(cls), args, made, kwargs)


@implements(np.random.default_rng)
def default_rng(cx: Lowering, seed: Value | None = None) -> Value:
    """np.random.default_rng: a generator of its own."""
    kind = ObjectType(np.random.Generator, make=lambda n: np.random.default_rng(0))
    given = [] if seed is None else [seed]
    return call_by_name(cx, "numpy.random.default_rng", given, Element("object", object=kind))
