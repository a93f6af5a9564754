"""Python's operators on objects of run time."""

from __future__ import annotations

import ast
import collections
import operator

import numpy as np

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import characters
from soljit.frontend_ast.objects.container_methods import join_items, join_mapping
from soljit.frontend_ast.objects.contents import BOOL, container, write_into
from soljit.frontend_ast.objects.iterators import settled
from soljit.frontend_ast.objects.objects import call_by_name, call_like
from soljit.frontend_ast.objects.results import always_raises, result_of
from soljit.frontend_ast.values.descriptions import is_numpys
from soljit.frontend_ast.values.object_types import ANY, Element
from soljit.frontend_ast.values.python_operators import name_of_operator
from soljit.frontend_ast.values.values import NONE, Dict, Num, Object, Static, Tup, Value, is_lazy
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, TRUE, const
from soljit.ir.core.types import i64
from soljit.support.limits import NOT_RAISED
from soljit.support.objects import HERE

_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}
_UNCHANGING = (str, bytes, tuple, frozenset, range)
_SEQUENCES: tuple[type, ...] = (list, tuple, set, frozenset)
_COMPARED_AS_A_WHOLE = (str, bytes, list, tuple, set, frozenset, dict)


def cls_of(v: Value) -> type | None:
    """The class of a value at run time, if it is that of an object."""
    match v:
        case Object():
            return v.type.cls
        case Tup() if v.cls is None:
            return list if v.mutable else tuple
        case Dict() if v.cls is None:
            return dict
        case Static():
            return type(v.obj)
    return None


def binary(cx: Lowering, kind: type[ast.AST], left: Value, right: Value, in_place: bool = False) -> Value:
    """`left <op> right` (`left <op>= right`, where left is nothing that changes) where one of them is an object."""
    called, name = name_of_operator(kind, in_place), name_of_operator(kind)
    if _is_of_none(cx, left, right) and always_raises(cx, getattr(operator, name), [left, right]):
        call_by_name(cx, f"operator.{called}", [left, right])
        cx.raise_("SystemError", NOT_RAISED)
        return NONE
    known = characters.compared(cx, name, left, right)
    return known or call_by_name(cx, f"operator.{called}", [left, right], _result(cx, name, left, right))


def _is_of_none(cx: Lowering, left: Value, right: Value) -> bool:
    """Tell whether one operand is None, and the other one a NumPy scalar or an array that has elements. (Nothing is done with those of an empty one.)"""
    others = [v for v in (left, right) if v != NONE]
    if len(others) != 1 or not is_numpys(*others):
        return False
    return all(cx.decide(symbolic.eq(n, const(0))) is False for v in others for n in getattr(v, "shape", ()))


def _result(cx: Lowering, name: str, left: Value, right: Value) -> Element:
    a, b = cls_of(left), cls_of(right)
    if name in _COMPARISONS and a in _COMPARED_AS_A_WHOLE and b in _COMPARED_AS_A_WHOLE:
        return BOOL
    if a is b and a in _SEQUENCES and (name == "add" or a in (set, frozenset)):
        kind = container(cx, a)
        for v in (left, right):
            join_items(cx, kind, v)
        return Element("object", object=kind)
    if name == "mul" and (a in (list, tuple) or b in (list, tuple)):
        sequence, other = (left, right) if a in (list, tuple) else (right, left)
        if not _counts(other):
            return result_of(cx, operator.mul, [left, right])
        kind = container(cx, list if cls_of(sequence) is list else tuple)
        join_items(cx, kind, sequence)
        return Element("object", object=kind)
    if name == "pow" and all(_counts(v) for v in (left, right)) and not _is_natural(cx, right):
        return ANY  # an int, or a float
    return result_of(cx, getattr(operator, name), [left, right])


def _is_natural(cx: Lowering, v: Value) -> bool:
    return isinstance(v, Num) and cx.prove(symbolic.ge(cx.cast(v.expr, i64), const(0))) is True


def _counts(v: Value) -> bool:
    """Tell whether this is an integer, so that a list or tuple times it repeats the items."""
    if isinstance(v, Num):
        return v.dtype.kind in "biu"
    cls = cls_of(v)
    return cls is not None and issubclass(cls, (int, np.integer))


def unary(cx: Lowering, kind: type[ast.AST], v: Value) -> Value:
    """`-v`, `+v`, `~v` of an object."""
    name = name_of_operator(kind)
    return call_like(cx, f"operator.{name}", getattr(operator, name), [v])


def in_place(cx: Lowering, kind: type[ast.AST], left: Object, right: Value) -> Value:
    """`left <op>= right`: the object itself where Python changes it."""
    name, cls = name_of_operator(kind, in_place=True), left.type.cls
    if cls in _UNCHANGING:
        return binary(cx, kind, left, right, True)
    if cls in (list, collections.deque) and kind is ast.Add and is_lazy(right):
        cx.above.call_object_method(cx, left, "extend", [right], {})
        return left
    right = settled(cx, right)
    if cls is list and is_numpys(right) and not (kind is ast.Mult and isinstance(right, Num)):
        return binary(cx, kind, left, right, True)  # NumPy answers, and the list stays as it is
    if isinstance(right, (Tup, Dict)) or (isinstance(right, Object) and right.type.item is not None):
        write_into(cx, left)
    if left.type.key is not None:
        join_mapping(cx, left, right)
    elif kind is not ast.Mult:
        join_items(cx, left.type, right)
    itself = cls in (list, set, dict) or cls is not None and issubclass(cls, np.ndarray)
    found = ANY if cls is None else result_of(cx, getattr(operator, name), [left, right])
    if itself or (found.object is not None and found.object.cls is cls):
        found = Element("object", object=left.type)
    made = call_by_name(cx, f"operator.{name}", [left, right], found, changes=cls is None)
    return left if itself else made


def is_same_object(cx: Lowering, a: Value, b: Value) -> Value:
    """`a is b`."""
    for x, y in ((a, b), (b, a)):
        may_be = isinstance(y, Object) and (y.type.cls is None or issubclass(y.type.cls, tuple))
        if may_be and isinstance(x, Tup) and not x.mutable and x.items:
            raise cx.unsupported("'is' between tuples that may or may not be one object", "compare with ==")
    if isinstance(a, Object) and isinstance(b, Object) and a.data == b.data:
        return Num(TRUE, True)
    if any(isinstance(v, Object) and v.code is not None for v in (a, b)) and any(
        isinstance(v, Static) and v.obj is None for v in (a, b)
    ):
        return Num(FALSE, True)
    return call_by_name(cx, HERE + "is_same", [a, b], BOOL)


def contains_item(cx: Lowering, owner: Value, item: Value) -> Value:
    """`item in owner`."""
    return call_by_name(cx, "operator.contains", [owner, item], BOOL)
