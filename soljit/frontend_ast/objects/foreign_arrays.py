"""Arrays whose elements are of no numeric type, as Python objects: of objects, text, dates, records, of swapped byte order; masked arrays, too.

What is done with such an array is a call back, like everything that is done with objects. What it gives, an example tells, in which a record or a
text stands for each other one of its type; of arrays of objects only what does not depend on the objects is known.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.classes import is_of_the_user, runs_the_program
from soljit.base.pure import Anything, attempt, is_pure
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.object_types import ANY, Element, ObjectType, Unknown
from soljit.frontend_ast.values.values import Arr, Dict, Func, Method, Num, Object, Static, Tup, Value
from soljit.ir.types import from_numpy

_MAKERS = (np.array, np.asarray, np.asanyarray)


def is_foreign(sample: Any) -> bool:
    """Is this an array or a NumPy scalar of a type that soljit does not compile, or an array whose elements lie askew in memory, as in records?"""
    if isinstance(sample, np.ndarray):
        return type(sample) is not np.ndarray or from_numpy(sample.dtype) is None or not _is_regular(sample)
    return isinstance(sample, np.generic) and from_numpy(sample.dtype) is None


def _is_regular(a: np.ndarray[Any, Any]) -> bool:
    return a.flags.aligned and not any(s % a.itemsize for s in a.strides if a.itemsize)


def foreign(sample: Any, like: Callable[[Any], Element]) -> Element:
    """The element for such an array or scalar. like: the element of an example."""
    dtype = sample.dtype
    if sample is np.ma.masked:  # where an array has other masked elements, it is a number
        return ANY
    if isinstance(sample, np.void) and dtype.names:

        def record(n: int) -> Any:  # behind another one, where its fields may be unaligned
            rows = np.zeros(2, dtype)
            rows[1] = sample
            return rows[1]

        return Element("object", object=ObjectType(type(sample), make=record))
    if type(sample) is not np.ndarray:
        return Element("object", object=ObjectType(type(sample), make=lambda n: attempt(copy.copy, [sample])))

    def make(n: int) -> Any:
        made = np.empty((n,) * sample.ndim, dtype)
        if not _is_regular(sample) and not dtype.hasobject:  # one field of records: so are its views
            apart = np.dtype({"names": ["it"], "formats": [dtype], "itemsize": dtype.itemsize + 1})
            made = np.empty(made.shape, apart)["it"]
        if dtype.kind == "O":
            made.fill(Anything())
        elif sample.size:
            made[...] = np.resize(sample, made.shape)
        return made

    def items() -> Element:
        return like(make(2)[0]) if sample.ndim else ANY

    form = (dtype.kind, dtype if dtype.kind == "V" else None, sample.ndim)
    return Element("object", object=ObjectType(np.ndarray, make=make, form=form, items=items))


def some_objects() -> Element:
    """An array of objects of which not even the number of dimensions is known."""

    def make(n: int) -> Any:
        raise Unknown

    return Element("object", object=ObjectType(np.ndarray, make=make, form=("O", None, None), items=lambda: ANY))


def result_for(function: Any, args: Sequence[Value], found: Element) -> Element:
    """What the function gives, if it gives `found` for examples: what is in lists decides about the dimensions of an array of objects."""
    if found.object is None or found.object.form is None or found.object.form[0] != "O" or function not in _MAKERS:
        return found
    v = args[0]
    flat = isinstance(v, Tup) and all(
        isinstance(x, Num) or (isinstance(x, Static) and not isinstance(x.obj, (list, tuple))) for x in v.items
    )
    return found if flat or isinstance(v, Arr) else some_objects()


def escape_into(cx: Lowering, found: Element, args: Sequence[Value]) -> None:
    """A function of NumPy's that gives an object like `found` has got these values: which of them may be seen through the object?"""
    for v in args:
        if isinstance(v, (Object, Arr)):  # an array may be seen through a view
            cx.objects.escape(cx, v)
        elif isinstance(v, (Tup, Dict)) and found.object is not None:
            form = found.object.form
            if form is None:
                cx.objects.escape(cx, v)
            elif isinstance(v, Tup) and form[0] == "O":
                for x in v.items:
                    cx.objects.escape(cx, x)


def _runs_the_program(v: Value) -> bool:
    """May NumPy's functions run code of the program's, or catch what it raises, when they are given this? Then no example tells what they give."""
    match v:
        case Func() | Method():
            return True
        case Static():
            return runs_the_program(v.obj) or isinstance(v.obj, type) and issubclass(v.obj, BaseException)
        case Object():
            return v.type.cls is not None and is_of_the_user(v.type.cls)
        case Tup():
            return any(map(_runs_the_program, v.items))
        case Dict():
            return v.cls is not None or any(map(_runs_the_program, v.items.values()))
    return False


def call_for_object(
    cx: Lowering,
    function: Any,
    target: str,
    args: list[Value],
    kwargs: dict[str, Value],
    changes: bool,
    opaque: bool = False,
) -> Value | None:
    """A call of NumPy's that gives a Python object, or a view of an argument; None: one of which only the run tells what it gives.

    opaque: the call may not be tried
    """
    values = [*args, *kwargs.values()]
    effects = not is_pure(function)
    opaque = opaque or effects or any(map(_runs_the_program, values))
    if opaque:
        args = [cx.objects.as_object(cx, a) for a in args]
        kwargs = {k: cx.objects.as_object(cx, v) for k, v in kwargs.items()}
    found = ANY if opaque else cx.objects.result_of(cx, function, args, kwargs)
    # by axes or lengths in a list, or by what an attribute holds
    decided = any(isinstance(v, Object) and v.type.cls in (list, tuple, None) for v in values)
    if found is ANY and not opaque and not decided:
        return None
    if found.form != "object" and any(not v.writable for v in values if isinstance(v, Arr)):
        return None  # a view that may not be written
    found = result_for(function, args, found)
    if found.form == "array" and found.ndim > 1:  # a view: its memory order is that of the argument at run time
        found = replace(found, order="A", rank=tuple(range(found.ndim)))
    escape_into(cx, found, values)
    cx.note(f"{target} is called back")
    return cx.objects.call(cx, target, args, found, kwargs, changes=changes or effects)  # type: ignore[no-any-return]
