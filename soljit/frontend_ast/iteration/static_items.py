"""The items of an iterable that are written down one by one: their number is known, and not large."""

from __future__ import annotations

import enum
from collections.abc import Callable

from soljit.base.python.names import whose
from soljit.frontend_ast.lowering.class_dependencies import depend_on_members_of_enum
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import describe, py_type
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Flat,
    Iteration,
    Lazy,
    Num,
    OneShot,
    RangeVal,
    Static,
    Tup,
    Value,
)
from soljit.frontend_ast.views import flat_elements
from soljit.frontend_ast.views.indexing import get_item
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, const

FEW = 64  # so many items are written down one by one


def iterates_by_subscripts(cx: Lowering, v: Value) -> None:
    """An instance whose items Python finds by subscripts, up to an IndexError, must be an object: Python does it."""
    if not isinstance(v, Dict) or v.cls is None:
        return
    if not hasattr(v.cls, "__iter__") and hasattr(v.cls, "__getitem__"):
        grow(cx, v)


def _is_flag(x: object) -> bool:
    """Tell whether there are flags in it (from Python 3.11 on)."""
    return isinstance(x, enum.Flag) and hasattr(x, "__iter__")


def cannot_iterate(cls: type) -> bool:
    """Tell whether a value of this class has no items, whatever else it is: None, a number, a function, a class, a module.

    Classes of the program may get other methods, and those of soljit stand for others.
    """
    shipped = whose(cls.__module__) in ("python", "numpy")
    return shipped and not any("__iter__" in vars(c) or "__getitem__" in vars(c) for c in cls.__mro__)


def counted_items(cx: Lowering, v: Value) -> tuple[Expr, Callable[[int], Value]] | None:
    """How many items something has that computes them, and the item at a place; None: another value."""
    match v:
        case RangeVal():
            return cx.range_length(v.start, v.stop, v.step), lambda k: Num(
                symbolic.add(v.start, symbolic.mul(v.step, const(k))), True
            )
        case Arr() | Lazy() if v.ndim > 0:
            return v.shape[0], lambda k: get_item(cx, v, Num(const(k), True))
        case Flat():
            return cx.size_of(v.array.shape), lambda k: flat_elements.element(cx, v, const(k))
        case Iteration():
            return v.length, lambda k: v.item(const(k))
    return None


def are_many(cx: Lowering, v: Value) -> bool:
    """Tell whether only the run knows how many items there are, or there are too many to write each down."""
    counted = counted_items(cx, v)
    return counted is not None and _few(cx, counted[0]) is None


def _few(cx: Lowering, n: Expr) -> int | None:
    """The number of items if there are few; where there are many, the program does not depend on how many."""
    now = cx.value_now(n)
    known = cx.static_int(n) if now is None or now <= FEW else None
    return known if known is not None and known <= FEW else None


def iterate_static(cx: Lowering, v: Value) -> list[Value]:
    """The items of an iterable whose length is known at compile time."""
    iterates_by_subscripts(cx, v)
    match v:
        case Tup() | OneShot():
            return list(v.items)
        case Dict() if v.cls is None:
            return [constant(k) for k in v.items]
        case Static() if type(v.obj) is enum.EnumMeta:
            depend_on_members_of_enum(cx, v.obj)
            members: list[object] = list(v.obj)
            return [constant(x) for x in members]
        case Static() if type(v.obj) in (str, bytes, range, frozenset) or _is_flag(v.obj):
            return [constant(x) for x in v.obj]
    if (counted := counted_items(cx, v)) is not None and (n := _few(cx, counted[0])) is not None:
        return [counted[1](k) for k in range(n)]
    no_iterable = isinstance(v, Dict) and v.cls is not None and not hasattr(v.cls, "__iter__")
    if isinstance(v, Num) or (isinstance(v, Static) and cannot_iterate(type(v.obj))) or no_iterable:
        cx.raise_("TypeError", f"'{py_type(v)}' object is not iterable")
        return []
    if isinstance(v, (Arr, Lazy)) and v.ndim == 0:
        cx.raise_("TypeError", "iteration over a 0-d array")
        return []
    raise cx.unsupported(f"iterating over {describe(v)} here: its length is not known at compile time")


def steps_in(cx: Lowering, v: Value) -> list[Value]:
    """The items of what has a known number of them, some to be computed later."""
    return v.steps if isinstance(v, OneShot) else iterate_static(cx, v)


def static_steps(cx: Lowering, v: Value) -> Iteration:
    """Stepping through the items of what has a known number of them."""
    items = Tup(iterate_static(cx, v))
    return Iteration(const(len(items.items)), lambda k: get_item(cx, items, Num(k, True)))
