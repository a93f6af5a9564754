"""Builtin and library functions and classes called with Python objects of run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.python.classes import is_of_the_user
from soljit.base.python.object_names import class_name
from soljit.base.python.signatures import takes
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.calls.object_calls import call_python_object
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import characters
from soljit.frontend_ast.objects.contents import INT, TEXT, grow_all, is_growing
from soljit.frontend_ast.objects.foreign_results import escape_into, result_for
from soljit.frontend_ast.objects.functions import as_library_argument, is_compiled_along, of_the_library
from soljit.frontend_ast.objects.iterators import is_maker, looks_at_it, needed, refuse_iterators, settled
from soljit.frontend_ast.objects.library_names import CHANGING_ARGUMENTS, name_of
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.python_api.builtins.lazy_arguments import handed_on
from soljit.frontend_ast.python_api.builtins.object_builtins import BUILTINS, always_given
from soljit.frontend_ast.python_api.library import python_random
from soljit.frontend_ast.python_api.library.library_objects import construct
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import Flat, Num, Object, Static, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import const
from soljit.ir.core.types import f64


def call_function(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """The call of a builtin or library function or class, where some arguments are objects or the result is one; None: not one of those."""
    if not isinstance(function, type) and is_of_the_user(type(function)):
        return None
    if looks_at_it(function) or function is next or function is iter:
        refuse_iterators(cx, *args)
    if _is_known_elsewhere(function, args):
        return None
    if is_maker(function):
        args = _iterators_handed_on(cx, function, args)
    args, kwargs = [settled(cx, a) for a in args], {k: settled(cx, v) for k, v in kwargs.items()}
    handler = BUILTINS.get(function) if _hashable(function) else None
    if any(function is m for m in (map, filter)) and cx.loc in cx.learned.dynamic and is_compiled_along(args[0]):
        handler = None
    if handler is not None and not takes(handler, cx, *args, **kwargs):  # Python says so
        return call_by_name(cx, class_name(function), args, ANY, kwargs)
    if handler is not None:
        made: Value = handler(cx, *args, **kwargs)
        return made
    name = name_of(function)
    always = always_given(cx, function)
    if name is None and always is not None:
        name = class_name(function)
    if name is None:
        return None
    args, kwargs = _as_the_library_takes(cx, name, args, kwargs)
    # the scalar types of NumPy make arrays of arrays
    if isinstance(function, type) and always is None and not issubclass(function, np.generic):
        return construct(cx, function, args, kwargs)
    found = always or result_for(function, args, result_of(cx, function, args, kwargs))
    if found.form == "object" and found is not TEXT:
        escape_into(cx, found, (*args, *kwargs.values()))
    plain = all(v.type.cls in (list, tuple, str, set) for v in (*args, *kwargs.values()) if isinstance(v, Object))
    fresh = plain and name.startswith("numpy.")

    def called() -> Value:
        return call_by_name(cx, name, args, found, kwargs, changes="out" in kwargs, fresh=fresh)

    if function in (np.array, np.asarray, np.asanyarray) and len(args) == 1 and not kwargs:
        (v,) = args
        if isinstance(v, Object) and v.type.cls is list:
            return array_of_list(cx, v, called)
    digit = (
        characters.as_digit(cx, args[0], called)
        if found is INT and function is int and len(args) == 1 and not kwargs
        else None
    )
    return digit or called()


def _is_known_elsewhere(function: Any, args: list[Value]) -> bool:
    """Tell whether the tables of handlers know this call."""
    if args and isinstance(args[0], Flat) and (function is type or function is isinstance):
        return True
    return function is object.__setattr__


def _iterators_handed_on(cx: Lowering, function: Any, args: list[Value]) -> list[Value]:
    """The arguments of a function that gives an iterator over them."""
    for a in args:
        if isinstance(a, Flat):  # a list of its elements would not show what is changed before they are taken
            needed(cx, a)
    return [handed_on(cx, function, a) for a in args]


def _as_the_library_takes(
    cx: Lowering, name: str, args: list[Value], kwargs: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a library's function: functions of the program as objects, containers that it may change as well."""
    if any(is_compiled_along(a) for a in (*args, *kwargs.values())):  # Python calls them
        args = [as_library_argument(cx, a) for a in args]
        kwargs = {k: as_library_argument(cx, v) for k, v in kwargs.items()}
    if name.partition(".")[0] in CHANGING_ARGUMENTS:
        grow_all(cx, [a for a in args if is_growing(a)])
    return args, kwargs


def _hashable(function: object) -> bool:
    """Tell whether it can be a key. Its class may say so and yet not be (pointers to functions of `ctypes`)."""
    try:
        hash(function)
    except RecursionError:
        raise
    except Exception:
        return False
    return True


def call_of_the_library(cx: Lowering, obj: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A call of a function of `random`, or of one that a decorator of Python's library has made; None: another one."""
    drawn = python_random.drawn(cx, obj, args, kwargs)
    if drawn is not None:
        return drawn
    there = of_the_library(cx, obj)
    return None if there is None else call_python_object(cx, there, args, kwargs)


def array_of_list(cx: Lowering, v: Object, made: Callable[[], Value]) -> Value:
    """np.array of a list of run time: of floats if it is empty, whatever it may hold, else what `made` gives."""
    length = call_value(cx, Static(len), [v])
    assert isinstance(length, Num)
    tag = symbolic.select(symbolic.gt(cx.let(length.expr, "length"), const(0)), const(0), const(1))

    def option(k: int) -> Value:
        if k == 1:
            return cx.alloc(f64, (const(0),), hint="items")
        return made()

    return choose(cx, tag, 2, option, "items")
