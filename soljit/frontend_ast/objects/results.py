"""What functions give, found by calling them on examples of their arguments where they have no effect (`base/knowledge/pure.py`)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge import pure
from soljit.base.knowledge.table import named
from soljit.base.python.names import whose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import INT, element_like, element_of, is_float_of_either, sample_of
from soljit.frontend_ast.values.learned import widen
from soljit.frontend_ast.values.object_types import ANY, Element, ObjectType, Unknown
from soljit.frontend_ast.values.values import Num, Object, Static, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import const
from soljit.ir.core.types import f64, i64


def result_of(cx: Lowering, function: Any, args: Sequence[Value], kwargs: dict[str, Value] | None = None) -> Element:
    """What the function gives for arguments like these; any object if that cannot be found out."""
    grown = any(isinstance(a, Object) and a.type.cls is int for a in args)  # of any length, as what is made of it
    found = unless_opaque(cx, function, _result_of_examples(cx, function, args, kwargs), grown)
    if any(map(_holds_any_float, (*args, *(kwargs or {}).values()))):
        return of_any_float(cx, found)
    return found


_OF_64_BITS = {
    "bit_count", "bit_length", "count", "find", "hash", "index", "len", "ord", "randint", "randrange", "rfind", "rindex",
}  # fmt: skip


def unless_opaque(cx: Lowering, function: Any, found: Element, grown: bool = False) -> Element:
    """What the function gives if it gives `found` for examples: ints of any length, and dtypes, are objects where nothing else could be done
    if they were not what was guessed. grown: it is given an int that is such an object
    """
    name, facts = getattr(function, "__name__", ""), pure.known(function)
    drawn = facts is not None and "draws" in facts and name != "getrandbits"  # by NumPy, which draws 64 bits at most
    if not _may_differ(found) or name in _OF_64_BITS or drawn:
        return found
    if grown or cx.loc in cx.learned.opaque:
        return _opened(found)
    cx.guessed.add(cx.loc)
    return found


def _may_differ(e: Element) -> bool:
    if e.form == "object":
        return e.object is not None and e.object.cls is not None and issubclass(e.object.cls, np.dtype)
    return e.form == "number" and e.dtype is i64 and e.weak is True or any(map(_may_differ, e.items))


def _opened(e: Element) -> Element:
    if e.items and e.form != "object":
        return replace(e, items=tuple(map(_opened, e.items)))
    return e if not _may_differ(e) else ANY if e.form == "object" else Element("object", object=ObjectType(int))


def _holds_any_float(v: Value) -> bool:
    """Tell whether there are floats in it of which only the run tells whether they are Python's or NumPy's. In examples they are Python's."""
    if isinstance(v, Tup):
        return any(map(_holds_any_float, v.items))
    slots = (v.type.item, v.type.key) if isinstance(v, Object) else ()
    return is_float_of_either(v) or any(s is not None and is_any_float(s.root.element) for s in slots)


def is_any_float(e: Element | None) -> bool:
    """Tell whether there are floats in it of which only the run tells whether they are Python's or NumPy's."""
    return e is not None and (e.form == "number" and e.weak is None or any(map(is_any_float, e.items)))


def of_any_float(cx: Lowering, e: Element) -> Element:
    """The same, with floats of which only the run tells that."""
    if e.form == "number" and e.dtype is f64:
        return replace(e, weak=None)
    if e.form == "tuple":
        return replace(e, items=tuple(of_any_float(cx, x) for x in e.items))
    if e.form == "object" and e.items:
        return ANY
    for slot in (e.object.item, e.object.key) if e.object is not None else ():
        if slot is not None and slot.root.element is not None:
            widen(cx.learned, slot, of_any_float(cx, slot.root.element))
    return e


def _result_of_examples(
    cx: Lowering, function: Any, args: Sequence[Value], kwargs: dict[str, Value] | None = None
) -> Element:
    args, named = _without_chances(function, args, kwargs or {})
    every = (*args, *named.values())
    listed = any(isinstance(a, Tup) or (isinstance(a, Object) and a.type.item is not None) for a in every)
    seen: Element | None = None
    for n, apart, rising in (3, False, 0), (2, False, 0), (1, False, 0), (2, True, 0), (2, False, 1):
        if rising and seen is not None:
            break
        try:
            positional = [sample_of(cx, a, n + k * rising, apart) for k, a in enumerate(args)]  # such as low and high
            keywords = {k: sample_of(cx, v, n, apart) for k, v in named.items()}
        except Unknown:
            return ANY
        try:
            found = _of_example(cx, function, positional, keywords)
            if found is None:
                continue
            by_text = _by_text(cx, function, positional, keywords, found)
        except Unknown:
            return ANY
        if by_text or found.form in ("number", "none") and _may_be_masked(args, named):
            return ANY
        if not listed:
            return found
        if (seen is None and n == 1) or (seen is not None and seen.declaration != found.declaration):
            return ANY  # the result's type depends on what a list holds
        seen = seen or found  # the longest tells the memory order
    if seen is not None and any(isinstance(a, Object) and a.type.item is not None for a in every):
        empty = _of_example(
            cx, function, [sample_of(cx, a, 0) for a in args], {k: sample_of(cx, v, 0) for k, v in named.items()}
        )
        if empty is not None and empty.declaration != seen.declaration:  # as sums of floats and of nothing
            if cx.loc in cx.learned.opaque:
                return ANY
            cx.guessed.add(cx.loc)
    return ANY if seen is None else seen


def result_of_object(cx: Lowering, f: Object, args: Sequence[Value], kwargs: dict[str, Value]) -> Element:
    """What calling an object gives; any object where it is none of Python's or NumPy's own that has no effect."""
    try:
        function = f.type.sample(1)
    except Unknown:
        return ANY
    return result_of(cx, function, args, kwargs)


def given_by(cx: Lowering, function: Value) -> Element:
    """What a function without arguments gives, which Python will call: of one that is compiled along, what its body says."""
    if isinstance(function, Static) and pure.is_pure(function.obj):
        return result_of(cx, function.obj, [])
    mark = cx.snapshot()
    try:
        return element_of(cx, cx.above.call(cx, function, []))
    except UnsupportedError:
        return ANY
    finally:
        cx.restore(mark)


def always_raises(cx: Lowering, function: Any, args: Sequence[Value]) -> bool:
    """Tell whether the function raises for each example."""
    try:
        return all(_of_example(cx, function, [sample_of(cx, a, n) for a in args], {}) is None for n in (3, 2, 1))
    except Unknown:
        return False


def member_result(cx: Lowering, owner: Object, name: str, args: Sequence[Value], kwargs: dict[str, Value]) -> Element:
    """What an attribute of an object of NumPy or of Python's library is, or a method gives."""
    cls = owner.type.cls
    assert cls is not None
    if name in ("roots", "r") and whose(cls.__module__) == "numpy":
        return ANY  # the roots of a polynomial are real or complex as its coefficients are
    if not pure.is_known_class(cls):
        return ANY
    if cls is random.Random and f"random.Random.{name}" in named("gives=int"):
        bits = args[0] if args and name == "getrandbits" else None
        few = isinstance(bits, Num) and cx.decide(symbolic.le(bits.expr, const(63))) is True
        return INT if few else unless_opaque(cx, getattr(cls, name), INT)
    function = getattr(cls, name, None)
    if callable(function):
        return result_of(cx, function, [owner, *args], kwargs)
    found = result_of(cx, getattr, [owner, Static(name)])
    return (
        replace(found, order="A") if found.form == "array" and found.ndim else found
    )  # it may show any part of the object


def _without_chances(
    function: Any, args: Sequence[Value], kwargs: dict[str, Value]
) -> tuple[Sequence[Value], dict[str, Value]]:
    """What decides which type `choice` of NumPy gives: not the chances, and those of an example would not add up to 1."""
    methods = (np.random.Generator.choice, np.random.RandomState.choice)
    if function not in methods and function != np.random.choice:
        return args, kwargs
    most = 3 if function in methods else 2  # itself, `a`, `size`
    return args[:most], {k: v for k, v in kwargs.items() if k in ("a", "size", "axis")}


def _of_example(cx: Lowering, function: Any, args: list[Any], named: dict[str, Any]) -> Element | None:
    """What the function gives for these; None: it raises. `Unknown`: it may have an effect."""
    try:
        made = pure.attempt(function, args, named)
        return _with_order(cx, element_like(cx, made), made, (*args, *named.values()))
    except pure.Impure as e:
        raise Unknown from e
    except RecursionError:
        raise
    except Exception:  # whatever the function says of this example
        return None


def _with_order(cx: Lowering, e: Element, made: Any, given: Sequence[Any]) -> Element:
    """Views are of any memory order: the run's may show one field of records, and what is written into a copy would be lost."""
    if e.form == "tuple" and len(e.items) == len(made):
        return replace(e, items=tuple(_with_order(cx, x, m, given) for x, m in zip(e.items, made)))
    if type(made) is list and e.object is not None and e.object.item is not None:
        for x in made:
            widen(cx.learned, e.object.item, _with_order(cx, element_like(cx, x), x, given))
    if e.form != "array" or not e.ndim:
        return e
    view = made.base is not None or any(made is x or isinstance(x, np.ma.MaskedArray) for x in given)  # of a mask
    return replace(e, order="A") if view else e


def _by_text(cx: Lowering, function: Any, args: list[Any], named: dict[str, Any], found: Element) -> bool:
    """Tell whether the type of the result depends on what a text says, as on the name of a dtype."""
    if not any(type(x) is str for x in (*args, *named.values())):
        return False

    def other(x: Any) -> Any:
        return "f8" if type(x) is str else x

    again = _of_example(cx, function, [other(x) for x in args], {k: other(x) for k, x in named.items()})
    return again is not None and again.declaration != found.declaration


def _may_be_masked(args: Sequence[Value], named: dict[str, Value]) -> bool:
    """Tell whether one of them is a masked array. What should be a number of it may be np.ma.masked."""
    classes = [v.type.cls for v in (*args, *named.values()) if isinstance(v, Object)]
    return any(cls is not None and issubclass(cls, np.ma.MaskedArray) for cls in classes)
