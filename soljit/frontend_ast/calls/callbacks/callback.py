"""Calls that go back into NumPy from inside the compiled function.

What has no handler of its own is called back: the result's types are found by calling the function once, while compiling, on small
arrays of the operands' types, if it is known to have no effect (`base/knowledge/pure.py`); what others give is any object. The compiled code
checks that the real result has the types found and raises if not.
"""

from __future__ import annotations

import inspect
import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge.pure import Impure, known
from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.calls.callbacks.callback_emission import emit
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.foreign_results import call_for_object
from soljit.frontend_ast.objects.library_names import dotted_name
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.object_types import Unknown
from soljit.frontend_ast.values.values import Lazy, Num, Tup, Value

OF_THE_OBJECT = {"setflags", "resize"}  # they change the array object, of which a call back gets another one


def call_back(
    cx: Lowering,
    function: Any,
    args: list[Value],
    kwargs: dict[str, Value],
    why: UnsupportedError | None = None,
) -> Value:
    """Emit a call back to `function`; its result types are those of a call on samples. why: it was refused to be compiled"""
    target = dotted_name(function)
    if target is None:
        raise cx.unsupported(f"calling {getattr(function, '__name__', function)!r}")
    args, kwargs = _out_by_name(function, args, kwargs)
    return _call(cx, function, target, args, kwargs, _writes(function), why)


def _writes(function: Any) -> bool:
    """Does this change an argument, whatever else it is given?"""
    facts = known(function)
    return facts is not None and facts.changes in ("0", "1")


def _out_by_name(function: Any, args: list[Value], kwargs: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """The arguments with `out`, and what stands behind it, as keywords."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function that does not tell
        return args, kwargs
    named = itertools.takewhile(lambda p: p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD), parameters)
    names = [p.name for p in named][: len(args)]
    k = names.index("out") if "out" in names else len(args)
    return args[:k], {**dict(zip(names[k:], args[k:])), **kwargs}


def call_method(
    cx: Lowering,
    owner: Value,
    name: str,
    args: list[Value],
    kwargs: dict[str, Value],
    why: UnsupportedError | None = None,
) -> Value:
    """Emit a call of a method of an array or a NumPy scalar."""
    cls: Any = owner.dtype.numpy.type if isinstance(owner, Num) else np.ndarray
    function = getattr(cls, name, None)
    if function is None or not callable(function) or name in OF_THE_OBJECT:
        raise cx.unsupported(f"method '{name}' of {describe(owner)}")
    writes = name == "__setitem__" or _writes(function)
    return _call(cx, function, f"numpy.{cls.__name__}.{name}", [owner, *args], kwargs, writes, why)


def _call(
    cx: Lowering,
    function: Any,
    target: str,
    args: list[Value],
    kwargs: dict[str, Value],
    writes: bool,
    why: UnsupportedError | None,
) -> Value:
    """The call, whose result is one of numbers, or an array of something else, which is a Python object."""
    kwargs = {k: _made(cx, v) if k == "out" else v for k, v in kwargs.items()}
    mark = cx.snapshot()
    try:
        return emit(cx, function, target, args, kwargs, writes, why)
    except (UnsupportedError, Unknown, Impure) as e:
        cx.restore(mark)
        opaque = isinstance(e, Impure)
        made: Value | None = call_for_object(cx, function, target, args, kwargs, writes, opaque, why)
        if made is None and isinstance(e, Unknown):
            raise cx.unsupported(f"{target} of an object of which only the run tells what it is") from None
        if made is None:
            raise
        return made


def _made(cx: Lowering, out: Value) -> Value:
    """What the function writes into and may give back."""
    if isinstance(out, Tup):
        return replace(out, items=[_made(cx, x) for x in out.items])
    return materialize(cx, out) if isinstance(out, Lazy) else out
