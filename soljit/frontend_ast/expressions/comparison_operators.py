"""Python's comparison operators on any values: `==` and `<`, `is`, `in`."""

from __future__ import annotations

import ast
import operator

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge import pure
from soljit.frontend_ast.arrays.object_identity import same_object
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.classes.special_methods import call_special
from soljit.frontend_ast.expressions.displays import static_object
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.joins.unions import of_either_type
from soljit.frontend_ast.lowering.emission import HELD
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.user_methods import says_what_is_equal
from soljit.frontend_ast.numbers.always_raises import raised
from soljit.frontend_ast.numbers.object_operators import contains_item, is_same_object
from soljit.frontend_ast.numbers.operators import MIRRORED, binary, equal_item, to_bool
from soljit.frontend_ast.objects import characters, iterators
from soljit.frontend_ast.objects.objects import make_object
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Flat,
    Func,
    Lazy,
    Num,
    Object,
    OneShot,
    RangeVal,
    Static,
    Tup,
    Value,
)
from soljit.frontend_ast.views import flat_elements
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, TRUE, Const, Expr, Op, Sym
from soljit.ir.core.types import b1, c128, f64


def compare(cx: Lowering, op: ast.cmpop, left: Value, right: Value, only_truth: bool = False) -> Value:
    """One comparison. only_truth: Python's bool and NumPy's are the same to its user."""
    iterators.refuse_iterators(cx, left, *([] if isinstance(op, (ast.In, ast.NotIn)) else [right]))
    if not isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        left, right = of_either_type(cx, left), of_either_type(cx, right)
    return unions.operate(cx, type(op), left, right, lambda a, b: _compare_values(cx, op, a, b), only_truth)


def _compare_values(cx: Lowering, op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(left, Func) and isinstance(right, Func) and isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        return Num(TRUE if (left is right) == isinstance(op, (ast.Is, ast.Eq)) else FALSE, True)
    match op:
        case ast.Is() | ast.IsNot():
            if isinstance(left, Object) or isinstance(right, Object):
                found = is_same_object(cx, left, right)
                return found if isinstance(op, ast.Is) else Num(symbolic.negate(to_bool(cx, found)), True)
            if isinstance(left, Arr) and isinstance(right, Arr):
                held = [HELD in cx.roots_of(v.data) for v in (left, right)]
                if any(held) and same_object(cx, left, right) != TRUE:
                    cx.learned.identity = True
                    if cx.learned.views:
                        raise cx.unsupported(
                            "'is' between arrays one of which was in a list or dict of views", "use np.shares_memory"
                        )
                if all(held) and left.whole and right.whole:
                    found = is_same_object(cx, left, right)
                    return found if isinstance(op, ast.Is) else Num(symbolic.negate(to_bool(cx, found)), True)
            same = _identical(cx, left, right)
            return Num(same if isinstance(op, ast.Is) else symbolic.negate(same), True)
        case ast.In() | ast.NotIn():
            found = _contains(cx, right, left)
            return found if isinstance(op, ast.In) else Num(symbolic.negate(to_bool(cx, found)), True)
    left, right = (flat_elements.elements(cx, v) if isinstance(v, Flat) else v for v in (left, right))
    if isinstance(left, Tup) and isinstance(right, (Arr, Lazy)) and type(op) in MIRRORED:
        return binary(cx, MIRRORED[type(op)], right, left)  # lists leave the comparison to the array
    return binary(cx, type(op), left, right)


def _identical(cx: Lowering, a: Value, b: Value) -> Expr:
    if isinstance(a, Arr) and isinstance(b, Arr):
        same = same_object(cx, a, b)
        if same is not None:
            return same
        raise cx.unsupported("'is' between arrays that may or may not be one object", "use np.shares_memory")
    if isinstance(a, Num) and isinstance(b, Num):
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            return FALSE
        if a.weak and a.dtype in (f64, c128) and a.expr == b.expr and isinstance(a.expr, Sym):
            return TRUE
        if a.dtype is b1 and a.weak:  # there is one True and one False
            return cx.let(Op("eq", (a.expr, b.expr), b1), "same")
    if any(isinstance(v, Lazy) for v in (a, b)) or isinstance(a, Arr) != isinstance(b, Arr):
        return FALSE  # an array without a name, or an array and something else
    return TRUE if _identical_static(cx, a, b) else FALSE


def _identical_static(cx: Lowering, a: Value, b: Value) -> bool:
    if isinstance(a, Static) and isinstance(b, Static):
        return a.obj is b.obj
    if isinstance(a, Static) or isinstance(b, Static):
        return False
    if isinstance(a, Tup) and isinstance(b, Tup) and a is not b and not (a.mutable or b.mutable):
        if a.cls is not b.cls or len(a.items) != len(b.items):
            return False
        if any(_may_be_one(cx, x, y) for x, y in zip(a.items, b.items)):
            if not cx.learned.tuples and any(s.element and s.element.form == "tuple" for s in cx.learned.slots):
                cx.learned.tuples = True
                raise Restart
            raise cx.unsupported("'is' between tuples that may or may not be one object", "compare with ==")
        return not a.items
    if isinstance(a, (Tup, Dict)) or isinstance(b, (Tup, Dict)):
        return a is b or (_is_empty_tuple(a) and _is_empty_tuple(b))
    raise cx.unsupported(f"'is' between {describe(a)} and {describe(b)}", "compare with ==")


def _may_be_one(cx: Lowering, a: Value, b: Value) -> bool:
    """Tell whether these may be one object."""
    try:
        return _identical(cx, a, b) != FALSE
    except UnsupportedError:
        return True


def _is_empty_tuple(v: Value) -> bool:
    """Tell whether this is (), of which there is one."""
    return isinstance(v, Tup) and not (v.items or v.mutable or v.cls)


def _contains(cx: Lowering, container: Value, item: Value) -> Value:
    special: Value | None = call_special(cx, container, "__contains__", item)
    if special is not None:
        return Num(to_bool(cx, special), True)
    if isinstance(container, Dict):
        container = calls.iterated(cx, container)
    if not isinstance(container, (Arr, Lazy, Tup)) and raised(cx, operator.contains, [container, item]):
        return Num(FALSE, True)
    known = characters.among(cx, item, container)
    if known is not None:
        return known
    match container:
        case Object():
            return contains_item(cx, container, item)
        case Static() | Tup() | OneShot() if isinstance(item, Object):
            return contains_item(cx, make_object(cx, container), item)
        case Tup() | OneShot() if any(isinstance(x, Object) for x in container.items) or (
            container.items and says_what_is_equal(cx, item, *container.items)
        ):
            return contains_item(cx, make_object(cx, container), item)
        case Tup() | OneShot():
            found: Expr = FALSE
            for x in container.items:
                found = symbolic.disj(found, equal_item(cx, item, x))
            return Num(found, True)
        case Dict() if container.cls is not None:
            cx.raise_("TypeError", f"argument of type '{container.cls.__name__}' is not iterable")
            return Num(FALSE, True)
        case Dict():
            try:
                key = static_object(item)
            except KeyError:
                return contains_item(cx, make_object(cx, container), item)
            return Num(Const(key in container.items, b1), True)
        case Static() if isinstance(item, Static):
            try:
                return constant(pure.attempt(operator.contains, (container.obj, item.obj)))
            except pure.Impure:
                return contains_item(cx, make_object(cx, container), item)
        case RangeVal() if isinstance(item, Num) and item.dtype.is_int:
            e = cx.let(item.expr, "x")
            inside = symbolic.conj(symbolic.ge(e, container.start), symbolic.lt(e, container.stop))
            step = cx.static_step(container.step)
            if step == 1:
                return Num(inside, True)
        case Arr() | Lazy():
            found_any = calls.call_numpy(cx, np.any, [binary(cx, ast.Eq, container, item)])
            return Num(to_bool(cx, found_any), True)
    return contains_item(cx, container, item)
