"""Types of variables are joined: the smallest type that holds several."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from soljit.base.errors import InternalError
from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import container, element_of_kind, grow
from soljit.frontend_ast.values import learned
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.learned import join_slots, join_types
from soljit.frontend_ast.values.object_types import CHARACTER, CHARACTERS, LATIN, ObjectType
from soljit.frontend_ast.values.values import Dict, Func, MaybeUnbound, Num, Static, Tup, Union, Value
from soljit.frontend_ast.values.variables import Kind, Narrowed, ScalarVar, TupleVar, UnionVar
from soljit.ir.core.expr import Const, Sym, subexpressions
from soljit.ir.core.types import PYTHON_CLASSES, PYTHON_NAMES, DType, b1, f64, i64, promote

MAX_OPTIONS = 6  # how many types a variable can have


class CannotMerge(Exception):
    """Two values have no common representation."""

    def __init__(self, text: str) -> None:
        self.text = text


def option_of(cx: Lowering, kinds: Sequence[Kind], v: Value) -> int:
    """Which of the types that a variable can hold a value has."""
    want = kind_of(cx, v)
    for k, kind in enumerate(kinds):
        with contextlib.suppress(CannotMerge):
            if join_kinds(cx, kind, want) == kind:
                return k
    raise InternalError(f"a value of type {_say(want)} does not fit its variable")


def fitting(cx: Lowering, kind: Kind, v: Value) -> Kind:
    """The type of a variable for several numbers: not a shared one, if that does not hold this value exactly."""
    if kind.form == "union" and kind.wide and not exact_when_widened(cx, v, wide_dtype(kind)):
        return replace(kind, wide=False)
    held = v.value if isinstance(v, MaybeUnbound) else v
    if kind.form == "tuple" and isinstance(held, (Tup, TupleVar)) and len(held.items) == len(kind.items):
        return replace(kind, items=tuple(fitting(cx, k, x) for k, x in zip(kind.items, held.items)))
    return kind


def wide_dtype(kind: Kind) -> DType:
    """The dtype that holds the numbers of a union's types."""
    return functools.reduce(promote, [k.dtype for k in kind.items if k.dtype is not None])


def exact_when_widened(cx: Lowering, v: Value, wide: DType = f64) -> bool:
    """Tell whether the number is the same in that dtype, to which its own promotes."""
    match v:
        case Num():
            if v.dtype is wide or not (v.dtype.is_int and v.dtype.size == 8):
                return True
            if isinstance(v.expr, Const):
                return abs(v.expr.value) <= 1 << 53
            low, high = cx.facts.bounds(v.expr) if v.dtype is i64 else (None, None)
            return low is not None and high is not None and low >= -(1 << 53) and high <= 1 << 53
        case ScalarVar():
            return v.dtype is wide or not (v.dtype.is_int and v.dtype.size == 8)
        case Union():
            return v.wide is not None and exact_when_widened(cx, Num(v.wide, True), wide)
        case UnionVar():
            return v.wide is not None and (v.wide.dtype is wide or not v.wide.dtype.is_int)
        case Narrowed():
            return exact_when_widened(cx, v.var, wide)
        case MaybeUnbound():
            return exact_when_widened(cx, v.value, wide)
    return False


def kind_outside(kind: Kind, is_outside: Callable[[str], bool]) -> Kind:
    """The type without lengths that are known only where its value was made: all their symbols must be outside of that place."""
    if kind.form in ("tuple", "union"):
        return replace(kind, items=tuple(kind_outside(k, is_outside) for k in kind.items))
    known = kind.shape is None or all(
        is_outside(x.name) for n in kind.shape for x in subexpressions(n) if isinstance(x, Sym)
    )
    return kind if known else replace(kind, shape=None)


def join_kinds(cx: Lowering, a: Kind, b: Kind) -> Kind:
    """The smallest type that holds both."""
    if a == b:
        return a
    if any(isinstance(k.value, Tup) for k in (a, b)):
        _make_objects(cx, a, b)
    if (
        isinstance(a.value, Dict)
        and (isinstance(b.value, Dict) or b.form == "object")
        or (isinstance(b.value, Dict) and a.form == "object")
    ):
        _make_objects(cx, a, b)
    if any(isinstance(k.value, Func) for k in (a, b)) and all(k.form in ("static", "object") for k in (a, b)):
        known = next((k for k in (a, b) if k.form == "object" and k.object.cls is None), None)  # type: ignore[union-attr]
        return known or Kind("object", object=ObjectType(None))  # different functions: Python calls the one that it is
    texts = (as_text(a), as_text(b))
    if texts[0] is not None and texts[1] is not None:
        return Kind("object", object=_join_texts(cx, texts[0], texts[1]))
    if "union" in (a.form, b.form):
        return widen(cx, a, b)
    for x, y in ((a, b), (b, a)):
        if x.object is not None and x.object.gathers and _is_tuple(y):
            return Kind("object", object=join_types(cx.learned, x.object, y.object)) if y.object else x
        if x.object is not None and _may_be_number(x.object) and y.form == "scalar":
            return Kind("object", object=join_types(cx.learned, x.object, _as_object(y)))
    if a.form != b.form:
        raise CannotMerge(f"{_say(a)} and {_say(b)}")
    if a.form == "scalar":
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            raise CannotMerge(f"{_say(a)} and {_say(b)}")
        return a
    if a.form == "array":
        if (a.dtype, a.ndim, a.walk, a.writable) != (b.dtype, b.ndim, b.walk, b.writable):
            raise CannotMerge(f"{_say(a)} and {_say(b)}")
        same = (
            a.shape is not None
            and b.shape is not None
            and all(x == y or cx.same_size(x, y) for x, y in zip(a.shape, b.shape))
        )
        order = a.order if a.order == b.order or a.ndim < 2 and "A" not in (a.order, b.order) else "A"
        return Kind(
            "array",
            a.dtype,
            ndim=a.ndim,
            order=order,
            walk=a.walk,
            shape=a.shape if same else None,
            origins=a.origins | b.origins,
            objects=a.objects | b.objects,
            writable=a.writable,
        )
    if a.form == "tuple":
        if len(a.items) != len(b.items) or a.cls is not b.cls:
            raise CannotMerge(f"{_say(a)} and {_say(b)}")
        return Kind("tuple", items=tuple(join_kinds(cx, x, y) for x, y in zip(a.items, b.items)), cls=a.cls)
    if a.form == "static" and a.value is b.value or (isinstance(a.value, Static) and a.value == b.value):
        return a
    raise CannotMerge(f"{_say(a)} and {_say(b)}")


def _may_be_number(t: ObjectType) -> bool:
    """Tell whether Python computes with such an object as with a number anyway: one of no class that is known, or an int of any length."""
    return t.cls is int or t.cls is None and t.item is None and t.items is None


def _as_object(k: Kind) -> ObjectType:
    """The type of a number that is made an object."""
    return ObjectType(int if k.weak and k.dtype is i64 else None)


def widen(cx: Lowering, a: Kind, b: Kind) -> Kind:
    """The smallest type that holds both, a union if there is no other."""
    if "union" not in (a.form, b.form):
        with contextlib.suppress(CannotMerge):
            return join_kinds(cx, a, b)
        if (items := _item_by_item(cx, a, b)) is not None:
            return items
    options = list(a.items if a.form == "union" else (a,))
    for k in b.items if b.form == "union" else (b,):
        for n, have in enumerate(options):
            with contextlib.suppress(CannotMerge):
                options[n] = join_kinds(cx, have, k)
                break
        else:
            options.append(k)
    if len(options) > MAX_OPTIONS or not all(map(_can_be_chosen, options)):
        _make_objects(cx, *options)
        tuples = [k for k in options if _is_tuple(k)]
        others = [k for k in options if not _is_tuple(k)]
        if len(tuples) > 1 and len(others) < MAX_OPTIONS and all(map(_can_be_chosen, others)):
            gathered = Kind("object", object=_tuple_of_kinds(cx, tuples))
            return Kind("union", items=(*others, gathered), wide=False) if others else gathered
        raise CannotMerge(" and ".join(map(_say, options)))
    return Kind("union", items=tuple(options), wide=a.wide and b.wide and all(map(_is_number, options)))


def _is_number(k: Kind) -> bool:
    return k.form == "scalar" and k.dtype is not None and k.dtype.kind in "biuf"


def _item_by_item(cx: Lowering, a: Kind, b: Kind) -> Kind | None:
    """The type of tuples that differ in nothing but the types of numbers; None for others."""
    if not (a.form == b.form == "tuple" and a.cls is b.cls and len(a.items) == len(b.items)):
        return None
    if a.cls is not None and not hasattr(a.cls, "_fields"):
        return None
    items = []
    for x, y in zip(a.items, b.items):
        if all(map(_is_number, (*(x.items or (x,)), *(y.items or (y,))))):
            items.append(widen(cx, x, y))
            continue
        try:
            items.append(join_kinds(cx, x, y))
        except CannotMerge:
            nested = _item_by_item(cx, x, y)
            if nested is None:
                return None
            items.append(nested)
    return Kind("tuple", items=tuple(items), cls=a.cls)


def without_held(cx: Lowering, kind: Kind) -> Kind:
    """A type of several without those that one in front of them holds, too: no value would be said to be of these."""
    if kind.form != "union":
        return kind
    kept: list[Kind] = []
    for k in kind.items:
        if not any(_holds(cx, x, k) for x in kept):
            kept.append(k)
    return kept[0] if len(kept) == 1 else replace(kind, items=tuple(kept))


def _holds(cx: Lowering, kind: Kind, other: Kind) -> bool:
    """Tell whether a variable of one type can hold what is of the other."""
    with contextlib.suppress(CannotMerge):
        return join_kinds(cx, kind, other) == kind
    return False


def _make_objects(cx: Lowering, *kinds: Kind) -> None:
    """Different lists or dicts under one name are Python objects: lower again with that in mind, if they can be."""
    for k in kinds:
        v = k.value
        if (
            isinstance(v, (Tup, Dict))
            and (v.cls is None or isinstance(v, Dict))
            and (v.site is not None or any(g is v for g, _ in cx.containers))
        ):
            grow(cx, v)


def _is_tuple(k: Kind) -> bool:
    if k.form == "object":
        return k.object is not None and k.object.cls is tuple
    return k.form == "tuple" and k.cls is None


def _can_be_chosen(k: Kind) -> bool:
    """Tell whether a value of this type can be one of several. Compile-time values must be constants, lists must be of one type."""
    if k.form == "tuple":
        return all(map(_can_be_chosen, k.items))
    return k.form != "static" or isinstance(k.value, Static)


def as_text(k: Kind) -> ObjectType | None:
    """The type of an object or of a string that is known."""
    if k.form == "object":
        return k.object
    if k.form == "static" and isinstance(k.value, Static) and isinstance(k.value.obj, str):
        text = k.value.obj
        return ObjectType(str) if type(text) is not str or len(text) > 1 else CHARACTER if text > "\xff" else LATIN
    return None


def _join_texts(cx: Lowering, a: ObjectType, b: ObjectType) -> ObjectType:
    """The type of objects or texts of either type."""
    if a in CHARACTERS and b in CHARACTERS:
        return a if a is b else CHARACTER
    return join_types(cx.learned, *(ObjectType(str) if t in CHARACTERS else t for t in (a, b)))


def join_numbers(a: tuple[DType, bool], b: tuple[DType, bool]) -> tuple[DType, bool]:
    """Common type of two numbers: Python types widen; a NumPy scalar makes the result a NumPy scalar."""
    order = [*PYTHON_CLASSES]
    if a[1] and b[1]:
        if (a[0] is b1) != (b[0] is b1):
            raise CannotMerge("bool and a number")
        return max(a[0], b[0], key=order.index), True
    if a[1] != b[1]:
        weak, strong = (a[0], b[0]) if a[1] else (b[0], a[0])
        if weak is b1 and strong is not b1:
            raise CannotMerge("bool and a number")
        if order.index(weak) <= order.index(strong.python):
            return strong, False
        return promote(weak, strong), False
    if (a[0] is b1) != (b[0] is b1):
        raise CannotMerge("bool and a number")
    return promote(a[0], b[0]), False


def _say(k: Kind) -> str:
    if k.form in ("scalar", "array") and k.dtype is None:  # of an empty list
        return f"{k.form} of unknown type"
    if k.form == "scalar":
        assert k.dtype is not None
        return PYTHON_NAMES[k.dtype] if k.weak else f"np.{k.dtype.numpy.name}"
    if k.form == "array":
        assert k.dtype is not None
        order = "" if k.walk == tuple(range(k.ndim)) else ", in another memory order"
        return f"array({k.dtype.numpy.name}, {k.ndim}d{order})"
    if k.form == "union":
        return " or ".join(map(_say, k.items))
    if k.form == "tuple":
        name = {slice: "slice", range: "range", np.flatiter: "a.flat", types.MethodType: "method"}.get(k.cls, "tuple")  # type: ignore[arg-type]
        return f"{name} of " + ", ".join(map(_say, k.items))
    return describe(k.value) if k.value is not None else "nothing"


def without_type(v: Value) -> Value:
    """A variable without what is known of its type."""
    match v:
        case Narrowed():
            return v.var
        case MaybeUnbound(value=Narrowed() as held):
            return replace(v, value=held.var)
    return v


def with_type(v: Value, k: int | None) -> Value:
    """A variable for several types that holds the one numbered k, or any of them (None).

    Where a loop is to be lowered again with a variable of more types, the number may be of that one: then nothing is known of the variable at hand.
    """
    plain = without_type(v)
    match plain:
        case UnionVar() if k is not None and k < len(plain.kinds):
            return Narrowed(plain, k)
        case MaybeUnbound(value=UnionVar() as var) if k is not None and k < len(var.kinds):
            return replace(plain, value=Narrowed(var, k))
    return plain


def type_number(v: Value | None) -> int | None:
    """Which of its types a variable is known to hold."""
    held = v.value if isinstance(v, MaybeUnbound) else v
    return held.k if isinstance(held, Narrowed) else None


def _tuple_of_kinds(cx: Lowering, kinds: Sequence[Kind]) -> ObjectType:
    """The type of a tuple whose length only the run tells."""
    made = replace(container(cx, tuple), gathers=True)
    assert made.item is not None
    for k in kinds:
        if k.form == "object":
            assert k.object is not None and k.object.item is not None
            join_slots(cx.learned, made.item, k.object.item)
        else:
            for x in k.items:
                learned.widen(cx.learned, made.item, element_of_kind(cx, x))
    return made
