"""functools.reduce, and the functions of `operator`."""

from __future__ import annotations

import ast
import functools
import operator
from typing import Any

import numpy as np

from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.generator_calls import consume
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.iteration.folds import as_generator, fold
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.joins.unions import act
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.numbers.operators import binary, to_bool, unary
from soljit.frontend_ast.objects.iterators import settled
from soljit.frontend_ast.values.values import (
    NONE,
    Arr,
    Generated,
    Lazy,
    Num,
    OneShot,
    RangeVal,
    Static,
    Tup,
    Value,
    taken,
)
from soljit.frontend_ast.views.indexing import delete_item, get_item, set_item
from soljit.ir import symbolic
from soljit.ir.core.expr import Const
from soljit.ir.core.types import i64

# --- functools --------------------------------------------------------------------------------------------------------


def _reduce(function: Any, sequence: Any, initial: Any) -> Any:
    """functools.reduce with a start, in Python: this is compiled."""
    value = initial
    for item in sequence:
        value = function(value, item)
    return value


def _reduce_from_first(function: Any, sequence: Any, empty: Any) -> Any:
    """functools.reduce without a start, of a sequence that has items."""
    value = sequence[0]
    for k in range(1, len(sequence)):
        value = function(value, sequence[k])
    return value


@implements(functools.reduce)
def reduce(cx: Lowering, function: Value, iterable: Value, initial: Value | None = None) -> Value:
    """functools.reduce"""
    text = "reduce() of empty iterable with no initial value"
    no_sequence = isinstance(iterable, Static) and not hasattr(iterable.obj, "__iter__")
    if isinstance(iterable, Num) or no_sequence or (isinstance(iterable, (Arr, Lazy)) and not iterable.ndim):
        cx.raise_("TypeError", "reduce() arg 2 must support iteration")
        return NONE
    if isinstance(iterable, (Tup, OneShot)):
        items = list(iterable.steps if isinstance(iterable, OneShot) else iterable.items)
        if initial is None and not items:
            cx.raise_("TypeError", text)
            return NONE
        value = taken(items.pop(0)) if initial is None else initial
        for x in items:
            value = pin(cx, calls.call_value(cx, function, [value, taken(x)]))
        return value
    if isinstance(iterable, Generated) and not iterable.is_list:
        stepped: Value | None = consume(
            cx, functools.reduce, [function, as_generator(cx, iterable), *([] if initial is None else [initial])]
        )
        if stepped is not None:
            return stepped
    if not isinstance(iterable, (Arr, Lazy, RangeVal)) and (initial is None or isinstance(initial, Num)):
        source = settled(cx, iterable)
        return fold(cx, source, initial, lambda a, b: calls.call_value(cx, function, [a, b]), "reduce")
    if initial is not None:
        return inline_function(cx, _reduce, [function, iterable, initial], {})  # type: ignore[arg-type]
    length = calls.call_object(cx, len, [iterable])
    assert isinstance(length, Num)
    cx.check(symbolic.gt(length.expr, Const(0, i64)), "TypeError", text)
    return inline_function(cx, _reduce_from_first, [function, iterable, Static(None)], {})  # type: ignore[arg-type]


# --- operator ---------------------------------------------------------------------------------------------------------

_BINARY: dict[str, type[ast.AST]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod, "pow": ast.Pow,
    "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor, "lshift": ast.LShift, "rshift": ast.RShift, "eq": ast.Eq, "ne": ast.NotEq,
    "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE,
}  # fmt: skip
_UNARY: dict[str, type[ast.AST]] = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert, "inv": ast.Invert}


def _binary(kind: type[ast.AST], function: object) -> None:
    @implements(function)
    def handler(cx: Lowering, a: Value, b: Value) -> Value:
        return binary(cx, kind, a, b)


def _unary(kind: type[ast.AST], function: object) -> None:
    @implements(function)
    def handler(cx: Lowering, a: Value) -> Value:
        return unary(cx, kind, a)


for _name, _kind in _BINARY.items():
    _binary(_kind, getattr(operator, _name))
for _name, _kind in _UNARY.items():
    _unary(_kind, getattr(operator, _name))


@implements(operator.matmul)
def matmul(cx: Lowering, a: Value, b: Value) -> Value:
    """operator.matmul"""
    return calls.call_numpy(cx, np.matmul, [a, b])


@implements(operator.not_)
def not_(cx: Lowering, a: Value) -> Value:
    """operator.not_"""
    return Num(symbolic.negate(to_bool(cx, a)), True)


@implements(operator.truth)
def truth(cx: Lowering, a: Value) -> Value:
    """operator.truth"""
    return Num(to_bool(cx, a), True)


@implements(operator.abs)
def absolute(cx: Lowering, a: Value) -> Value:
    """operator.abs"""
    return calls.call_object(cx, abs, [a])


@implements(operator.getitem)
def getitem(cx: Lowering, a: Value, b: Value) -> Value:
    """operator.getitem"""
    return get_item(cx, a, b)


@implements(operator.setitem)
def setitem(cx: Lowering, a: Value, b: Value, c: Value) -> Value:
    """operator.setitem"""
    act(cx, [a, b, c], lambda vs: set_item(cx, *vs))
    return Static(None)


@implements(operator.delitem)
def delitem(cx: Lowering, a: Value, b: Value) -> Value:
    """operator.delitem"""
    act(cx, [a, b], lambda vs: delete_item(cx, *vs))
    return Static(None)
