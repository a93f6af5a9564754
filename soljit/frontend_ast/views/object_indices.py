"""Arrays indexed by Python objects of run time: by integers, slices between them and lists of numbers as by any others, by everything else as NumPy does it."""

from __future__ import annotations

import functools
from collections.abc import Callable

from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.operators import to_bool
from soljit.frontend_ast.objects.contents import BOOL, escape
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.values.object_types import ANY, Element
from soljit.frontend_ast.values.values import Arr, Object, SliceVal, Tup, Value
from soljit.frontend_ast.views.object_items import as_index, store_object
from soljit.ir.core.expr import Expr, Op, const
from soljit.ir.core.types import b1, i64
from soljit.support.objects import HERE, index_array


def has_objects(index: Value) -> bool:
    """Tell whether this is an object of run time, a slice with such a bound, or a tuple with one of these in it."""
    return bool(_objects(index))


def get_at(cx: Lowering, owner: Arr, index: Value, by_numbers: Callable[[Value], Value]) -> Value:
    """`owner[index]`. by_numbers: what it is for an index of numbers and arrays."""

    def by_numpy() -> Value:
        escape(cx, owner)
        return call_by_name(cx, "operator.getitem", [owner, index], ANY)

    index = as_far_as_known(cx, index)
    if not has_objects(index):
        return by_numbers(index)
    if not _may_be_integers(index):
        return by_numpy()
    which = Op("select", (_has_integers(cx, index), const(0), const(1)), i64)
    options = (lambda: by_numbers(_with_integers(cx, index)), by_numpy)
    return choose(cx, cx.let(which, "which"), 2, lambda k: options[k](), "item")


def item_or_slice(cx: Lowering, owner: Value, index: Object, part: Element, by_number: Callable[[], Value]) -> Value:
    """`owner[index]` of a list, tuple or range: what it is for an integer, or `part`, which a slice gives."""

    def by_slice() -> Value:
        return call_by_name(cx, "operator.getitem", [owner, index], part)

    if hasattr(index.type.cls, "__index__"):
        return by_number()
    if index.type.cls is not None:
        return by_slice()
    number = to_bool(cx, call_by_name(cx, HERE + "has_index", [index], BOOL))
    which = cx.let(Op("select", (number, const(0), const(1)), i64), "which")
    return choose(cx, which, 2, lambda k: by_slice() if k else by_number(), "item")


def set_at(cx: Lowering, owner: Arr, index: Value, value: Value, by_numbers: Callable[[Value], None]) -> None:
    """`owner[index] = value`. by_numbers: does it for an index of numbers and arrays."""
    index = as_far_as_known(cx, index)
    if has_objects(index):
        store_object(cx, owner, index, value)  # which takes no longer than to ask whether they are integers
    else:
        by_numbers(index)


def _objects(index: Value) -> list[Object]:
    parts = index.items if isinstance(index, Tup) and not index.mutable else [index]
    bounds = [b for x in parts for b in ((x.start, x.stop, x.step) if isinstance(x, SliceVal) else (x,))]
    return [x for x in bounds if isinstance(x, Object)]


def as_far_as_known(cx: Lowering, index: Value) -> Value:
    """The index, objects whose types tell what NumPy makes of them as that: lists of numbers as arrays."""
    if not isinstance(index, Tup) or index.mutable:
        return index if isinstance(index, Object) and index.type.cls is tuple else _known(cx, index)
    return Tup([_known(cx, x) for x in index.items])


def _bounds(x: SliceVal, made: Callable[[Object], Value]) -> SliceVal:
    """The slice with its objects replaced."""
    return SliceVal(*(made(b) if isinstance(b, Object) else b for b in (x.start, x.stop, x.step)))


def _known(cx: Lowering, x: Value) -> Value:
    if isinstance(x, SliceVal):
        return _bounds(x, lambda b: as_index(cx, b) if hasattr(b.type.cls, "__index__") else b)
    if not isinstance(x, Object) or x.type.cls is None:
        return x
    if x.type.cls in (list, tuple):
        made = result_of(cx, index_array, [x])
        numbers = made.form == "array" and made.dtype is not None and (made.dtype.is_int or made.dtype is b1)
        return as_index(cx, x) if numbers else x
    return as_index(cx, x) if hasattr(x.type.cls, "__index__") else x


def _may_be_integers(index: Value) -> bool:
    """Only the run tells what these objects are; they may be integers."""
    return all(x.type.cls is None for x in _objects(index))


def _has_integers(cx: Lowering, index: Value) -> Expr:
    """Tell whether the objects are integers."""
    asked = [to_bool(cx, call_by_name(cx, HERE + "is_integer", [x], BOOL)) for x in _objects(index)]
    return cx.let(functools.reduce(lambda a, b: Op("land", (a, b), b1), asked), "is_integer")


def _with_integers(cx: Lowering, index: Value) -> Value:
    """The index, its objects as integers."""
    if isinstance(index, Object):
        return as_index(cx, index)
    if isinstance(index, SliceVal):
        return _bounds(index, lambda b: as_index(cx, b))
    return Tup([_with_integers(cx, x) for x in index.items]) if isinstance(index, Tup) else index
