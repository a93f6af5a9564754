"""Functions and classes called with Python objects of run time; everything that is done with such objects, as `cx.objects`."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from soljit.base.classes import is_of_the_user
from soljit.base.objects import HERE, class_name
from soljit.base.signatures import takes
from soljit.frontend_ast.calls.classes import dataclass_init, instances
from soljit.frontend_ast.joins.unions import choose, has_choice, held_choice, split
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.object_operators import binary, in_place, unary
from soljit.frontend_ast.objects.captured_assignments import assign_global, is_assigned, read_attribute, read_global
from soljit.frontend_ast.objects.captured_contents import item_outside, steps_outside
from soljit.frontend_ast.objects.contents import (
    TEXT,
    container,
    escape,
    grow,
    grow_if_held,
    is_list_argument,
    item_of,
    type_of_array,
    type_of_container,
)
from soljit.frontend_ast.objects.foreign_arrays import call_for_object, escape_into, result_for
from soljit.frontend_ast.objects.functions import defined, fetched, function_object, of_the_library, outside
from soljit.frontend_ast.objects.iterators import is_maker, needed, refuse_iterators
from soljit.frontend_ast.objects.objects import (
    call,
    dict_of,
    exception_of,
    hold,
    length,
    list_of,
    make,
    new_holder,
    truth,
    view_of,
)
from soljit.frontend_ast.objects.results import result_of, result_of_object
from soljit.frontend_ast.python_api.builtins.folds import visit_any
from soljit.frontend_ast.python_api.builtins.lazy_arguments import handed_on
from soljit.frontend_ast.python_api.builtins.object_builtins import (
    ALWAYS,
    BUILTINS,
    constant_set,
    is_library,
    is_python,
    iterator,
    made_of,
    over_generator,
    set_of,
    sort_by,
)
from soljit.frontend_ast.python_api.builtins.text import formatted, is_plain, text_method
from soljit.frontend_ast.python_api.library import random_functions
from soljit.frontend_ast.python_api.library.library_objects import CHANGING, construct, name_of
from soljit.frontend_ast.python_api.object_indices import as_far_as_known, get_at, has_objects, item_or_slice, set_at
from soljit.frontend_ast.python_api.object_operations import (
    adopt,
    as_index,
    attribute,
    contains,
    delete_item,
    empty_list,
    get_in_text,
    get_item,
    identical,
    list_of_results,
    list_of_steps,
    method,
    sample_text,
    set_item,
    settled,
    steps,
    store,
    throw,
    tuple_of_kinds,
    unpack,
    update_array,
)
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.findings import widen
from soljit.frontend_ast.values.object_types import ANY, NOTHING, Element, ObjectType
from soljit.frontend_ast.values.values import (
    CompileTime,
    Dict,
    Flat,
    Func,
    Method,
    Num,
    Object,
    OneShot,
    Static,
    Tup,
    Value,
)
from soljit.ir import symbolic
from soljit.ir.expr import const
from soljit.ir.types import f64


def involved(args: list[Value], kwargs: dict[str, Value]) -> bool:
    """Does an argument hold an object of run time?"""
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


_OF_THE_OBJECT = (len, str, repr, format, type, isinstance, next, iter, hash, id, hasattr, getattr)  # not of its items


def call_function(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """The call of a builtin or library function or class, where some arguments are objects or the result is one; None: not one of those."""
    if not isinstance(function, type) and is_of_the_user(type(function)):
        return None
    if _hashable(function) and function in _OF_THE_OBJECT:
        refuse_iterators(cx, *args)
    if args and isinstance(args[0], Flat) and (function is type or function is isinstance):
        return None
    if function is object.__setattr__:
        return None
    if is_maker(function) or any(function is f for f in (itertools.tee, heapq.merge)):
        for a in args:
            if isinstance(a, Flat):  # a list of its elements would not show what is changed before they are taken
                needed(cx, a)
        args = [handed_on(cx, function, a) for a in args]
    args, kwargs = [settled(cx, a) for a in args], {k: settled(cx, v) for k, v in kwargs.items()}
    handler = BUILTINS.get(function) if _hashable(function) else None
    if any(function is m for m in (map, filter)) and cx.loc in cx.learned.dynamic and is_python(args[0]):
        handler = None
    if handler is not None and not takes(handler, cx, *args, **kwargs):  # Python says so
        return call(cx, class_name(function), args, ANY, kwargs)
    if handler is not None:
        made: Value = handler(cx, *args, **kwargs)
        return made
    name = name_of(function)
    if name is None and _hashable(function) and function in ALWAYS:
        name = class_name(function)
    if name is None:
        return None
    if any(is_python(a) for a in (*args, *kwargs.values())):  # Python calls them
        args, kwargs = [as_object(cx, a) for a in args], {k: as_object(cx, v) for k, v in kwargs.items()}
    if name.partition(".")[0] in CHANGING:
        for a in args:
            if isinstance(a, Dict) or (isinstance(a, Tup) and a.mutable):
                cx.objects.grow(cx, a)
    # the scalar types of NumPy make arrays of arrays
    if isinstance(function, type) and function not in ALWAYS and not issubclass(function, np.generic):
        return construct(cx, function, args, kwargs)
    found = (
        ALWAYS[function] if function in ALWAYS else result_for(function, args, result_of(cx, function, args, kwargs))
    )
    if found.form == "object" and found is not TEXT:
        escape_into(cx, found, (*args, *kwargs.values()))
    plain = all(v.type.cls in (list, tuple, str, set) for v in (*args, *kwargs.values()) if isinstance(v, Object))
    fresh = plain and name.startswith("numpy.")

    def called() -> Value:
        return call(cx, name, args, found, kwargs, changes="out" in kwargs, fresh=fresh)

    if function in (np.array, np.asarray, np.asanyarray) and len(args) == 1 and not kwargs:
        (v,) = args
        if isinstance(v, Object) and v.type.cls is list:
            return array_of_list(cx, v, called)
    return called()


def _hashable(function: object) -> bool:
    """Can it be a key? Its class may say so and yet not be (pointers to functions of `ctypes`)."""
    try:
        hash(function)
    except RecursionError:
        raise
    except Exception:
        return False
    return True


def as_object(cx: Lowering, v: Value) -> Value:
    """A function that is compiled along as the object that a library is given."""
    return make(cx, v) if is_python(v) else v


make_instance = instances.make
make_dataclass = instances.make_dataclass
initialized = dataclass_init.initialized
set_plainly = dataclass_init.set_plainly


def call_of_the_library(cx: Lowering, obj: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A call of a function of `random`, or of one that a decorator of Python's library has made; None: another one."""
    drawn = random_functions.drawn(cx, obj, args, kwargs)
    if drawn is not None:
        return drawn
    there = of_the_library(cx, obj)
    return None if there is None else call_it(cx, there, args, kwargs)


def call_it(cx: Lowering, f: Object, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call an object."""
    args = [settled(cx, a) for a in args]
    found = result_of_object(cx, f, args, kwargs)
    for a in (*args, *kwargs.values()):
        escape(cx, a)
    return call(cx, HERE + "call_it", [f, *args], found, kwargs, changes=True)


def make_exception(cx: Lowering, cls: type[BaseException], args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`cls(...)` of an exception class: an object, which Python makes."""
    there = outside(cx, cls)
    if there is None:
        raise cx.unsupported(f"making a {cls.__name__}", "define the class in the module")
    return call_it(cx, there, args, kwargs)


def call_with(cx: Lowering, f: Value, args: Value, kwargs: dict[str, Value], more: Sequence[Value]) -> Value:
    """`f(*args, **kwargs, **more[0], …)` for a list whose length, or a dict whose keys, only the run tells."""
    if has_choice(f):
        return split(cx, [f], lambda vs: call_with(cx, vs[0], args, kwargs, more))
    name = name_of(f.obj) if isinstance(f, Static) else None
    if name is None or not isinstance(f, Static) or is_python(f) or more:
        return _called_by_python(cx, f, args, kwargs, more)
    found = ANY
    if f.obj is zip:
        found = iterator(lambda: _column(cx, item_of(cx, args)))  # type: ignore[arg-type]
    elif f.obj is print:
        found = NOTHING
    elif f.obj in (min, max) and not kwargs:
        found = item_of(cx, args)  # type: ignore[arg-type]
    return call(cx, HERE + "call", [Static(name), args], found, {"kwargs": Dict(dict(kwargs))} if kwargs else None)


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
    for v in (args, *kwargs.values(), *more):
        escape(cx, v)
    return call(cx, HERE + "call_with", given, ANY, changes=True)


def _column(cx: Lowering, row: Element) -> Element:
    """What `zip(*rows)` gives."""
    if row.form == "object" and row.object is not None and row.object.item is not None:
        return Element("object", object=ObjectType(tuple, row.object.item))
    kind = container(cx, tuple)
    assert kind.item is not None
    for x in row.items if row.form == "tuple" else (ANY,):
        widen(cx.learned, kind.item, x)
    return Element("object", object=kind)


__all__ = [  # what `Lowering.objects` offers to the modules below
    "adopt",
    "as_far_as_known",
    "as_index",
    "as_object",
    "assign_global",
    "attribute",
    "binary",
    "call",
    "call_for_object",
    "call_function",
    "call_it",
    "call_of_the_library",
    "call_with",
    "constant_set",
    "contains",
    "defined",
    "delete_item",
    "dict_of",
    "empty_list",
    "escape",
    "exception_of",
    "fetched",
    "formatted",
    "function_object",
    "get_at",
    "get_in_text",
    "get_item",
    "grow",
    "grow_if_held",
    "has_objects",
    "held_choice",
    "hold",
    "identical",
    "in_place",
    "initialized",
    "involved",
    "is_assigned",
    "is_library",
    "is_list_argument",
    "is_plain",
    "is_python",
    "item_or_slice",
    "item_outside",
    "length",
    "list_of",
    "list_of_results",
    "list_of_steps",
    "made_of",
    "make",
    "make_dataclass",
    "make_exception",
    "make_instance",
    "method",
    "name_of",
    "new_holder",
    "outside",
    "over_generator",
    "read_attribute",
    "read_global",
    "refuse_iterators",
    "result_of",
    "sample_text",
    "set_at",
    "set_item",
    "set_of",
    "set_plainly",
    "settled",
    "sort_by",
    "steps",
    "steps_outside",
    "store",
    "text_method",
    "throw",
    "truth",
    "tuple_of_kinds",
    "type_of_array",
    "type_of_container",
    "unary",
    "unpack",
    "update_array",
    "view_of",
    "visit_any",
]


def array_of_list(cx: Lowering, v: Object, made: Callable[[], Value]) -> Value:
    """np.array of a list of run time: of floats if it is empty, whatever it may hold, else what `made` gives."""
    length = cx.call(cx, Static(len), [v])
    assert isinstance(length, Num)
    tag = symbolic.select(symbolic.gt(cx.let(length.expr, "length"), const(0)), const(0), const(1))

    def option(k: int) -> Value:
        if k == 1:
            return cx.alloc(f64, (const(0),), hint="items")
        return made()

    return choose(cx, tag, 2, option, "items")
