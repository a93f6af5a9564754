"""Calls that Python makes: of objects that exist when the program runs, of exception classes, and with arguments whose number only the run tells."""

from __future__ import annotations

from collections.abc import Sequence

from soljit.frontend_ast.joins.unions import holds_union, split
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import container, hand_over, item_of
from soljit.frontend_ast.objects.functions import is_compiled_along, of_the_library, outside
from soljit.frontend_ast.objects.iterators import settled
from soljit.frontend_ast.objects.library_names import name_of
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import result_of_object
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.learned import widen
from soljit.frontend_ast.values.object_types import ANY, NOTHING, Element, ObjectType, iterator_over
from soljit.frontend_ast.values.values import CompileTime, Dict, Func, Method, Object, OneShot, Static, Tup, Value
from soljit.support.objects import HERE


def involves_objects(args: list[Value], kwargs: dict[str, Value]) -> bool:
    """Tell whether an argument holds an object of run time."""
    return any(_has_object(v) for v in (*args, *kwargs.values()))


def _has_object(v: Value) -> bool:
    match v:
        case Object():
            return True
        case Tup():
            return any(map(_has_object, v.items))
        case OneShot():
            return any(map(_has_object, v.steps))
        case Dict() if v.cls is None:
            return any(map(_has_object, v.items.values()))
    return False


def call_python_object(cx: Lowering, f: Object, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call an object."""
    args = [settled(cx, a) for a in args]
    found = result_of_object(cx, f, args, kwargs)
    hand_over(cx, (*args, *kwargs.values()))
    return call_by_name(cx, HERE + "call_it", [f, *args], found, kwargs, changes=True)


def make_exception(cx: Lowering, cls: type[BaseException], args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`cls(...)` of an exception class: an object, which Python makes."""
    there = outside(cx, cls)
    if there is None:
        raise cx.unsupported(f"making a {cls.__name__}", "define the class in the module")
    return call_python_object(cx, there, args, kwargs)


def call_with_unknown_arguments(
    cx: Lowering, f: Value, args: Value, kwargs: dict[str, Value], more: Sequence[Value]
) -> Value:
    """`f(*args, **kwargs, **more[0], …)` for a list whose length, or a dict whose keys, only the run tells."""
    if holds_union(f):
        return split(cx, [f], lambda vs: call_with_unknown_arguments(cx, vs[0], args, kwargs, more))
    name = name_of(f.obj) if isinstance(f, Static) else None
    if name is None or not isinstance(f, Static) or is_compiled_along(f) or more:
        return _called_by_python(cx, f, args, kwargs, more)
    found = ANY
    if f.obj is zip:
        found = iterator_over(lambda: _column(cx, item_of(cx, args)))  # type: ignore[arg-type]
    elif f.obj is print:
        found = NOTHING
    elif f.obj in (min, max) and not kwargs:
        found = item_of(cx, args)  # type: ignore[arg-type]
    return call_by_name(
        cx, HERE + "call", [Static(name), args], found, {"kwargs": Dict(dict(kwargs))} if kwargs else None
    )


def _called_by_python(cx: Lowering, f: Value, args: Value, kwargs: dict[str, Value], more: Sequence[Value]) -> Value:
    there: Value | None = None
    if isinstance(f, (Object, Func, Method)):
        there = f
    elif isinstance(f, Static) and isinstance(f.obj, CompileTime):
        there = f.obj.as_object(cx)
    elif isinstance(f, Static):
        there = f if name_of(f.obj) is not None else outside(cx, f.obj) or of_the_library(cx, f.obj)
    if there is None:
        raise cx.unsupported(f"calling {describe(f)} with a number of arguments that is not known at compile time")
    given = [there, args, Dict(dict(kwargs)), *more]
    hand_over(cx, (args, *kwargs.values(), *more))
    return call_by_name(cx, HERE + "call_with", given, ANY, changes=True)


def _column(cx: Lowering, row: Element) -> Element:
    """What `zip(*rows)` gives."""
    if row.form == "object" and row.object is not None and row.object.item is not None:
        return Element("object", object=ObjectType(tuple, row.object.item))
    kind = container(cx, tuple)
    assert kind.item is not None
    for x in row.items if row.form == "tuple" else (ANY,):
        widen(cx.learned, kind.item, x)
    return Element("object", object=kind)
