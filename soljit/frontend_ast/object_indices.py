"""Arrays indexed by Python objects of run time: by integers as by any number, by everything else as NumPy does it."""

from __future__ import annotations

from collections.abc import Callable

from soljit.base.objects import HERE
from soljit.frontend_ast.choices import choose
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.object_contents import BOOL, escape
from soljit.frontend_ast.object_operations import as_index, store
from soljit.frontend_ast.object_types import ANY
from soljit.frontend_ast.objects import call
from soljit.frontend_ast.operators import to_bool
from soljit.frontend_ast.values import Arr, Object, Value
from soljit.ir import symbolic
from soljit.ir.expr import Expr, Op, const
from soljit.ir.types import i64


def is_open(index: Object) -> bool:
    """Only the run tells whether this is an integer, or a tuple of how many."""
    return index.type.cls in (None, tuple)


def get_at(cx: Lowering, owner: Arr, index: Object, by_integer: Callable[[Value], Value]) -> Value:
    """`owner[index]`. by_integer: what it is for an integer."""

    def by_numpy() -> Value:
        escape(cx, owner)
        return call(cx, "operator.getitem", [owner, index], ANY)

    if index.type.cls is tuple:
        return by_numpy()
    which = Op("select", (_is_integer(cx, index), const(0), const(1)), i64)
    options = (lambda: by_integer(as_index(cx, index)), by_numpy)
    return choose(cx, cx.let(which, "which"), 2, lambda k: options[k](), "item")


def set_at(cx: Lowering, owner: Arr, index: Object, value: Value, by_integer: Callable[[Value], None]) -> None:
    """`owner[index] = value`. by_integer: does it for an integer."""
    if index.type.cls is tuple:
        store(cx, owner, index, value)
        return
    integer = _is_integer(cx, index)
    with cx.block(integer) as one:
        by_integer(as_index(cx, index))
    with cx.block(symbolic.negate(integer)) as other:
        store(cx, owner, index, value)
    cx.branch(integer, one, other)


def _is_integer(cx: Lowering, index: Object) -> Expr:
    return cx.let(to_bool(cx, call(cx, HERE + "is_integer", [index], BOOL)), "is_integer")
