"""Arrays indexed by Python objects of run time: by integers as by any number, by everything else as NumPy does it."""

from __future__ import annotations

import functools
from collections.abc import Callable

from soljit.base.objects import HERE
from soljit.frontend_ast.choices import choose
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.object_contents import BOOL, escape
from soljit.frontend_ast.object_operations import as_index, store
from soljit.frontend_ast.object_types import ANY
from soljit.frontend_ast.objects import call
from soljit.frontend_ast.operators import to_bool
from soljit.frontend_ast.values import Arr, Object, Tup, Value
from soljit.ir import symbolic
from soljit.ir.expr import Expr, Op, const
from soljit.ir.types import b1, i64


def is_open(index: Value) -> bool:
    """Only the run tells whether this is an integer, or a tuple of how many; or it is a tuple with such a part."""
    if isinstance(index, Tup):
        return not index.mutable and any(isinstance(x, Object) and is_open(x) for x in index.items)
    return isinstance(index, Object) and index.type.cls in (None, tuple)


def get_at(cx: Lowering, owner: Arr, index: Object | Tup, by_integers: Callable[[Value], Value]) -> Value:
    """`owner[index]`. by_integers: what it is if the open parts of the index are integers."""

    def by_numpy() -> Value:
        escape(cx, owner)
        return call(cx, "operator.getitem", [owner, index], ANY)

    if any(x.type.cls is tuple for x in _open_parts(index)):
        return by_numpy()
    which = Op("select", (_has_integers(cx, index), const(0), const(1)), i64)
    options = (lambda: by_integers(_with_integers(cx, index)), by_numpy)
    return choose(cx, cx.let(which, "which"), 2, lambda k: options[k](), "item")


def set_at(cx: Lowering, owner: Arr, index: Object | Tup, value: Value, by_integers: Callable[[Value], None]) -> None:
    """`owner[index] = value`. by_integers: does it if the open parts of the index are integers."""
    if any(x.type.cls is tuple for x in _open_parts(index)):
        store(cx, owner, index, value)
        return
    integers = _has_integers(cx, index)
    with cx.block(integers) as one:
        by_integers(_with_integers(cx, index))
    with cx.block(symbolic.negate(integers)) as other:
        store(cx, owner, index, value)
    cx.branch(integers, one, other)


def _open_parts(index: Object | Tup) -> list[Object]:
    parts = index.items if isinstance(index, Tup) else [index]
    return [x for x in parts if isinstance(x, Object) and is_open(x)]


def _has_integers(cx: Lowering, index: Object | Tup) -> Expr:
    """Are the open parts integers?"""
    asked = [to_bool(cx, call(cx, HERE + "is_integer", [x], BOOL)) for x in _open_parts(index)]
    return cx.let(functools.reduce(lambda a, b: Op("land", (a, b), b1), asked), "is_integer")


def _with_integers(cx: Lowering, index: Object | Tup) -> Value:
    """The index, its open parts as integers."""
    if isinstance(index, Object):
        return as_index(cx, index)
    return Tup([as_index(cx, x) if isinstance(x, Object) and is_open(x) else x for x in index.items])
