"""Calls: of NumPy and builtin functions through the tables, of Python functions by lowering their bodies in place."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge import pure
from soljit.base.knowledge.pure import looks_at_the_frame
from soljit.base.other_compilers import is_prange, python_of
from soljit.base.python.classes import does_not_get_the_object, has_a_name, is_looked_up
from soljit.base.python.dependency import jitted
from soljit.base.python.members import as_written
from soljit.base.python.names import owner_of
from soljit.base.sentences import Plain
from soljit.frontend_ast.calls import iterator_arguments, numpy_calls
from soljit.frontend_ast.calls.attribute_reads import SPECIAL, attribute_of, class_of
from soljit.frontend_ast.calls.callbacks import callback
from soljit.frontend_ast.calls.classes.special_methods import builtin_special, call_special
from soljit.frontend_ast.calls.constructors import call_by_python, construct
from soljit.frontend_ast.calls.generator_calls import consume, mapped_or_filtered, numbered
from soljit.frontend_ast.calls.inlining import inline_closure, inline_function
from soljit.frontend_ast.calls.object_calls import call_python_object, involves_objects
from soljit.frontend_ast.calls.object_methods import call_object_method
from soljit.frontend_ast.calls.partials import call_partial
from soljit.frontend_ast.iteration.static_items import iterates_by_subscripts
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.joins.tagged_numbers import arguments, is_tagged
from soljit.frontend_ast.lowering import registry, static_values
from soljit.frontend_ast.lowering.class_dependencies import depend_on_member
from soljit.frontend_ast.lowering.generator_expressions import generator_of
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.user_methods import users_class, written_method
from soljit.frontend_ast.numbers.always_raises import is_builtin, method_raised, raised
from soljit.frontend_ast.numbers.number_methods import call_number_method, is_number_method
from soljit.frontend_ast.objects import library_names
from soljit.frontend_ast.objects.captured_contents import steps_outside
from soljit.frontend_ast.objects.functions import fetched
from soljit.frontend_ast.objects.iterators import is_maker, looks_at_it, refuse_iterators
from soljit.frontend_ast.objects.library_names import name_of
from soljit.frontend_ast.objects.objects import list_of
from soljit.frontend_ast.objects.text import is_plain, text_method
from soljit.frontend_ast.values.constants import as_numpy_takes, constant, member_number
from soljit.frontend_ast.values.descriptions import describe, described, py_type
from soljit.frontend_ast.values.values import (
    ITERATORS,
    NONE,
    Arr,
    Dict,
    Func,
    Generated,
    Generator,
    Lazy,
    Method,
    Num,
    Object,
    OneShot,
    SliceVal,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.frontend_ast.views import numpy_arguments
from soljit.frontend_ast.views.subscripts import in_parts

_PASS_ON: tuple[Any, ...] = (map, filter, zip, enumerate, reversed, iter, tuple, list)  # their items may be of any type
_OF_NUMBERS = (range, abs, divmod, round, pow)  # builtins that take a number of a class made from int or float as such
_PAIRED: tuple[Any, ...] = (enumerate, zip, reversed)  # a loop steps through them
TAKE_SOME: tuple[Any, ...] = (any, all, next)  # they stop where the answer is known


def is_among(obj: object, functions: Iterable[object]) -> bool:
    """Tell whether it is one of these. The `==` of a user's object is none of our business."""
    return any(obj is f for f in functions)


def _passes_on(f: Value) -> bool:
    """Tell whether items of its arguments go into the result as they are, or to another function."""
    return isinstance(f, Static) and (is_among(f.obj, _PASS_ON) or getattr(f.obj, "__module__", None) == "itertools")


def _takes_unions(f: Value) -> bool:
    """Tell whether the arguments' types can depend on the path. Functions of the user and containers take such values as they are."""
    if not isinstance(f, Static):
        return isinstance(f, Func)
    obj = jitted(f.obj) or f.obj
    held = (inspect.getattr_static(obj, n, None) for n in ("_fields", "__dataclass_fields__"))
    made = isinstance(obj, type) and any(x is not None for x in held)
    if made or is_among(obj, (range, slice, min, max, abs)):
        return True
    return isinstance(obj, types.FunctionType) and not library_names.is_numpy(obj) and registry.find(obj) is None


def call_value(cx: Lowering, f: Value, args: list[Value], kwargs: dict[str, Value] | None = None) -> Value:
    """Call a function value."""
    kwargs = kwargs or {}
    if cx.current.done:  # finding the function has raised
        return NONE
    values = [f, *args, *kwargs.values()]
    if isinstance(f, Static) and not kwargs and any(map(is_tagged, args)):
        given = arguments(cx, f.obj, args)
        if given is not None:
            return call_value(cx, f, given)
    lazily = _passes_on(f) and not any(isinstance(v, Union) for v in values)
    if not lazily and not _takes_unions(f) and any(map(unions.holds_union, values)):

        def lower(vs: list[Value]) -> Value:
            g = vs[0]
            if isinstance(f, Method) and isinstance(g, Method) and unions.holds_union(f):
                g = attribute_of(cx, g.owner, g.name)
                if cx.current.done:
                    return NONE
            return call_value(cx, g, vs[1 : len(args) + 1], dict(zip(kwargs, vs[len(args) + 1 :])))

        return unions.split(cx, values, lower)
    match f:
        case Func():
            return inline_closure(cx, f, args, kwargs)
        case Method():
            return _call_method(cx, f, args, kwargs)
        case Static():
            return call_object(cx, f.obj, args, kwargs)
    method = written_method(f, "__call__")
    if method is not None:
        cls = users_class(f)
        assert cls is not None
        depend_on_member(cx, cls, "__call__")
        return inline_function(cx, method, [f, *args], kwargs)
    if isinstance(f, Object):
        plain = python_of(cx.containers_outside.get(f.data, (None, None))[1])
        if plain is not None:
            cx.note("other compiler", function=Plain(plain.__name__))
        return call_python_object(cx, f, args, kwargs)
    cx.raise_("TypeError", f"'{py_type(f)}' object is not callable")
    return NONE


def call_object(cx: Lowering, obj: Any, args: list[Value], kwargs: dict[str, Value] | None = None) -> Value:
    """Call a Python object known at compile time."""
    kwargs = kwargs or {}
    obj = range if is_prange(obj) else jitted(obj) or obj
    if (there := _bound_outside(cx, obj)) is not None:
        return call_python_object(cx, there, args, kwargs)
    args, kwargs = _numbers_taken(obj, args, kwargs)
    if cx.loc in cx.learned.opaque and not (name_of(obj) or "numpy").startswith("numpy"):
        return call_by_python(cx, obj, args, kwargs, f"calling {obj.__name__}")
    special: Value | None = builtin_special(cx, obj, args)
    if special is not None:
        return special
    if is_among(obj, (math.fsum, math.prod)):
        args = iterator_arguments.listed(cx, obj, args, kwargs)
        args = [cx.above.call(cx, Static(list), [a]) if isinstance(a, (*ITERATORS, Generated)) else a for a in args]
    if is_builtin(obj) and raised(cx, obj, args, kwargs):
        return NONE
    if library_names.is_numpy(obj):
        args = numpy_arguments.converted(cx, obj, args, kwargs)
        if any(map(unions.holds_union, args)):
            return unions.split(cx, args, lambda vs: call_object(cx, obj, vs, kwargs))
    if looks_at_it(obj):
        refuse_iterators(cx, *args)
    if cx.loc in cx.learned.dynamic and is_maker(obj):
        lazy = cx.above.call_function(cx, obj, args, kwargs)
        assert lazy is not None
        return lazy
    args = _generators_of(obj, args)
    over = _over_generator(cx, obj, args, kwargs)
    if over is not None:
        return over
    args = iterator_arguments.listed(cx, obj, _iterated(cx, obj, args), kwargs)
    if involves_objects(args, kwargs):
        made: Value | None = cx.above.call_function(cx, obj, args, kwargs)
        if made is not None:
            return made
    return _call_by_kind(cx, obj, args, kwargs)


def _bound_outside(cx: Lowering, obj: Any) -> Object | None:
    """A method that was bound outside to an object that is looked up in each call, as an object of run time; None for all else."""
    bound = isinstance(obj, (types.MethodType, types.BuiltinMethodType)) and is_looked_up(obj.__self__)
    return fetched(cx, obj) if bound and library_names.dotted_name(obj) is None else None


def _numbers_taken(obj: Any, args: list[Value], kwargs: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """The arguments as functions of numbers take them: numbers of classes made from int or float as the numbers that they are."""
    if is_among(obj, _OF_NUMBERS) or getattr(obj, "__module__", None) in ("math", "cmath"):
        return [member_number(a, flags=True) for a in args], kwargs
    if library_names.is_numpy(obj) or (isinstance(obj, type) and issubclass(obj, np.generic)):
        return list(map(as_numpy_takes, args)), {k: as_numpy_takes(v) for k, v in kwargs.items()}
    return args, kwargs


def _generators_of(obj: Any, args: list[Value]) -> list[Value]:
    """The arguments of a function that may stop early: an expression that could be a loop of this function is stepped through."""
    if is_among(obj, TAKE_SOME) and args and isinstance(args[0], Generated):
        if obj is next or len(args[0].node.generators) > 1:
            args = [generator_of(args[0].frame, args[0].node, args[0].source), *args[1:]]
    if is_among(obj, TAKE_SOME) and args and isinstance(args[0], OneShot) and args[0].generator is not None:
        args = [args[0].generator(), *args[1:]]
    return args


def _over_generator(cx: Lowering, obj: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A function that steps through a generator of the program while it works; None if this is no such call."""
    if obj is enumerate and args and isinstance(args[0], Generator):
        return numbered(cx, args[0], *args[1:], **kwargs)
    if any(isinstance(a, Generator) for a in args) and not kwargs:
        if (stepped := consume(cx, obj, args)) is not None:
            return stepped
    if is_among(obj, (map, filter)) and not kwargs and len(args) == 2 and isinstance(args[1], Generator):
        lazily: Value = mapped_or_filtered(cx, obj, *args)
        return lazily
    return None


def _iterated(cx: Lowering, obj: Any, args: list[Value]) -> list[Value]:
    """The arguments of a function that steps through them: of instances what they give when they are iterated over, the items of short lists from outside."""
    if is_among(obj, _PAIRED):
        args = [steps_outside(cx, a) or a for a in args]
    if takes_all(obj) and getattr(obj, "__module__", "") in ("builtins", "itertools"):
        args = [iterated(cx, a) for a in args]
    return args


def _call_by_kind(cx: Lowering, obj: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call an object by what it is: a function of the tables, a ufunc, a class, a function of the program, …"""
    callable_object = registry.CALLED.get(type(obj))
    if callable_object is not None:
        return callable_object(cx, obj, *args, **kwargs)
    entry = registry.find(obj)
    if entry is not None:
        if getattr(obj, "__module__", None) not in ("builtins", "itertools"):
            return numpy_calls.call_entry(cx, obj, entry, args, kwargs)
        return _call_builtin(cx, obj, entry, args, kwargs)
    if isinstance(obj, np.ufunc):
        return numpy_calls.call_ufunc(cx, obj, args, kwargs)
    if isinstance(obj, type):
        return construct(cx, obj, args, kwargs)
    if isinstance(owner_of(obj), np.dtype):
        return constant(pure.attempt(obj, [static_values.static_of(cx, a) for a in args]))
    if isinstance(obj, (types.MethodType, types.BuiltinMethodType)) and isinstance(obj.__self__, np.ufunc):
        return numpy_calls.call_ufunc_method(cx, obj, args, kwargs)
    if library_names.is_numpy(obj):
        return callback.call_back(cx, obj, args, kwargs)
    given: Value | None = cx.above.call_of_the_library(cx, obj, args, kwargs)
    if given is not None:
        return given
    if isinstance(obj, types.FunctionType) and not looks_at_the_frame(obj.__module__, obj.__name__):
        return _call_python_function(cx, obj, args, kwargs)
    bound = as_written(obj.__func__) if isinstance(obj, types.MethodType) else None
    if isinstance(bound, types.FunctionType):
        return inline_function(cx, bound, [constant(obj.__self__), *args], kwargs)
    instance: Value | None = call_partial(cx, obj, args, kwargs)
    if instance is not None:
        return instance
    what = f"calling {obj.__name__!r}" if has_a_name(obj) else f"calling {described(obj)}"
    return call_by_python(cx, obj, args, kwargs, what, "compute it outside, or with NumPy functions")


def _call_python_function(cx: Lowering, f: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call a function written in Python: one of Python's library is not compiled along if it can be called by name."""
    if name_of(f) is not None:
        library: Value | None = cx.above.call_function(cx, f, args, kwargs)
        if library is not None:
            return library
    return inline_function(cx, f, args, kwargs)


def _call_builtin(cx: Lowering, obj: Any, entry: registry.Entry, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A builtin function: natively, or by Python."""
    mark = cx.snapshot()
    try:
        return numpy_calls.call_entry(cx, obj, entry, args, kwargs)
    except UnsupportedError:
        cx.restore(mark)
        made: Value | None = cx.above.call_function(cx, obj, args, kwargs)
        if made is None:
            raise
        return made


def call_numpy(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value] | None = None) -> Value:
    """Call a NumPy function by its object."""
    return call_object(cx, function, args, kwargs)


def _call_method(cx: Lowering, f: Method, args: list[Value], kwargs: dict[str, Value]) -> Value:
    owner = in_parts(cx, f.owner)
    if any(isinstance(a, Generator) for a in args) and isinstance(owner, (Object, Static, Tup, Dict)):
        if written_method(owner, f.name) is None:
            cls = type(owner.obj) if isinstance(owner, Static) else class_of(owner)
            args = iterator_arguments.listed_for_method(cx, cls, f.name, args, kwargs)
    if isinstance(owner, (Arr, Lazy, Num)) and f.name in ("fill", "put"):  # they store it
        args = list(map(member_number, args))
    elif isinstance(owner, (Arr, Lazy, Num)):
        args, kwargs = list(map(as_numpy_takes, args)), {k: as_numpy_takes(v) for k, v in kwargs.items()}
    match owner:
        case Arr() | Lazy():
            return numpy_calls.call_array_method(cx, owner, f.name, args, kwargs)
        case Num() if (cls := class_of(owner)) is not None and does_not_get_the_object(cls, f.name):
            return call_object(cx, getattr(cls, f.name), args, kwargs)
        case Num() if not owner.weak or f.name in registry.METHODS:
            return numpy_calls.call_array_method(cx, owner, f.name, args, kwargs)
        case Num() if is_number_method(owner, f.name) and method_raised(cx, f, args, kwargs):
            return NONE
        case Num() if is_number_method(owner, f.name):
            return call_number_method(cx, owner, f.name, args, kwargs)
        case Tup() | Dict() if written_method(owner, f.name) is not None:
            return inline_function(cx, getattr(owner.cls, f.name), [owner, *args], kwargs)
        case Tup() | Dict() | Object() if f.name in SPECIAL and hasattr(class_of(owner), f.name) and not kwargs:
            return call_object(cx, SPECIAL[f.name], [owner, *args])
        case Tup() | Dict() | Static() | SliceVal() if method_raised(cx, f, args, kwargs):
            return NONE
        case Static() if not all(map(is_plain, (*args, *kwargs.values()))):
            return text_method(cx, owner, f.name, args, kwargs)
        case Static():
            return _call_method_now(cx, owner, f.name, args, kwargs)
        case Object():
            return call_object_method(cx, owner, f.name, args, kwargs)
    if isinstance(owner, Tup) and not owner.mutable and not hasattr(owner.cls or tuple, f.name):
        cx.raise_("AttributeError", f"'{(owner.cls or tuple).__name__}' object has no attribute '{f.name}'")
        return NONE
    handler = registry.CONTAINER_METHODS.get((type(owner), f.name))
    if handler is None:
        raise cx.unsupported(f"method '{f.name}' of {describe(owner)}")
    result: Value = handler(cx, owner, *args, **kwargs)
    return result


def _call_method_now(cx: Lowering, owner: Static, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call a method of an object that is known while compiling, if it has no effect and all arguments are known, too."""
    try:
        values = [static_values.static_of(cx, a) for a in args]
        named = {k: static_values.static_of(cx, v) for k, v in kwargs.items()}
        found = pure.attempt_method(owner.obj, name, values, named)
        if type(found) is list:
            return list_of(cx, [constant(x) for x in found])
        return constant(found)
    except (UnsupportedError, RecursionError):
        raise
    except pure.Impure:
        return text_method(cx, owner, name, args, kwargs)
    except Exception as e:
        cx.raise_like(e)
        return NONE


def takes_all(function: Any) -> bool:
    """Does Python's function take all items of an iterator that it is given?"""
    facts = pure.known(function)
    return facts is not None and facts.takes in ("all", "each")


def iterated(cx: Lowering, v: Value) -> Value:
    """What an instance of the user's gives when it is iterated over, if he has written that; any other value itself."""
    iterates_by_subscripts(cx, v)
    made: Value | None = call_special(cx, v, "__iter__") if isinstance(v, (Dict, Tup, Static)) else None
    return v if made is None else made
