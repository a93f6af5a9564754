"""`target op= value`: in place for arrays, binding again for everything else."""

from __future__ import annotations

import ast
import collections
import types

import numpy as np

from soljit.base.python.members import written_member
from soljit.frontend_ast.arrays.elementwise import apply_ufunc, shape_text, store
from soljit.frontend_ast.arrays.powers import fast_power
from soljit.frontend_ast.calls.attribute_reads import attribute_of
from soljit.frontend_ast.calls.callbacks.callback import call_back
from soljit.frontend_ast.calls.classes.special_methods import binary_special, in_place_special
from soljit.frontend_ast.expressions.expressions import binary_operation, evaluate
from soljit.frontend_ast.iteration.static_containers import extend
from soljit.frontend_ast.joins.binding import bind, pin
from soljit.frontend_ast.joins.operands import point, taken_before
from soljit.frontend_ast.joins.unions import act, of_either_type, split
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.object_operators import in_place
from soljit.frontend_ast.numbers.operators import UFUNCS, as_array_beside
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.statements.assignments import assign_attribute, store_item
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.descriptions import is_numpys
from soljit.frontend_ast.values.values import Arr, Dict, Lazy, Num, Object, Tup, Union, Value
from soljit.frontend_ast.views.indexing import get_item
from soljit.frontend_ast.views.mixed_indices import read_item
from soljit.frontend_ast.views.object_items import update_array
from soljit.ir import symbolic


def lower_augmented(cx: Lowering, fr: Frame, s: ast.AugAssign) -> None:
    """`target op= value`: in place for arrays (NumPy's `out=` with same-kind casting), rebinding otherwise."""
    match s.target:
        case ast.Name():
            old = evaluate(cx, fr, ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target))
            new = evaluate(cx, fr, s.value)
            made = _operated(cx, s, old, new)
            if not isinstance(old, Arr):
                bind(cx, fr, s.target.id, made)
        case ast.Subscript():
            owner = of_either_type(cx, evaluate(cx, fr, s.target.value))
            index = pin(cx, evaluate(cx, fr, s.target.slice))
            old = read_item(cx, owner, index, lambda *vs: get_item(cx, *vs))
            if isinstance(old, Num) and may_have_effects(s.value):
                old = pin(cx, old)
            then = point(cx)
            new = evaluate(cx, fr, s.value)
            if isinstance(old, Num):
                (old,) = taken_before(cx, then, [old])
            owner = pin(cx, owner) if isinstance(owner, Lazy) else owner
            if isinstance(old, Arr) and isinstance(owner, Arr) and old.data == owner.data:
                _in_place(cx, s, old, new)
                return
            if isinstance(old, Arr) and isinstance(owner, Arr):  # a copy of chosen elements
                array, copy = owner, old
                act(cx, [new], lambda vs: _update_chosen(cx, s, array, index, copy, vs[0]))
                return
            made = _operated(cx, s, old, new)
            if not (made is old and _keeps(owner)):
                store_item(cx, owner, index, made)
        case ast.Attribute():
            owner = evaluate(cx, fr, s.target.value)
            old = of_either_type(cx, attribute_of(cx, owner, s.target.attr))
            if isinstance(old, Num) and may_have_effects(s.value):
                old = pin(cx, old)
            then = point(cx)
            new = evaluate(cx, fr, s.value)
            if isinstance(old, Num):
                (old,) = taken_before(cx, then, [old])
            made = _operated(cx, s, old, new)
            if not (made is old and _keeps_attribute(owner, s.target.attr)):
                assign_attribute(cx, fr, s.target, owner, made)
        case _:
            raise cx.unsupported("this augmented assignment")


def _operated(cx: Lowering, s: ast.AugAssign, old: Value, new: Value) -> Value:
    """What `old op= new` gives, which is then stored where `old` was found."""
    if isinstance(old, Union) and old.wide is None:
        return split(cx, [old], lambda vs: _operated(cx, s, vs[0], new))
    if isinstance(old, Arr):
        _in_place(cx, s, old, new)
        return old
    special: Value | None = in_place_special(cx, type(s.op), old, new)
    if special is None and isinstance(old, Object):
        special = binary_special(cx, type(s.op), old, new, True)
    if special is not None:
        return special
    if isinstance(old, Object):
        return in_place(cx, type(s.op), old, new)
    if isinstance(old, Tup) and old.mutable and isinstance(s.op, ast.Add) and not is_numpys(new):
        extend(cx, old, new)
        return old
    if isinstance(old, Tup) and old.mutable and isinstance(s.op, ast.Mult) and isinstance(new, (Num, Object)):
        grow(cx, old)
    if isinstance(old, Dict) and old.cls is None and isinstance(s.op, ast.BitOr):
        grow(cx, old)
    return _combine(cx, s.op, old, new)


def _keeps(owner: Value) -> bool:
    """Tell whether nothing is to be seen of storing an item where it is already."""
    match owner:
        case Tup() | Dict():
            return owner.cls is None and (isinstance(owner, Dict) or owner.mutable)
        case Object():
            return owner.type.cls in (list, dict, collections.deque, collections.defaultdict)
    return isinstance(owner, Arr)


def _keeps_attribute(owner: Value, name: str) -> bool:
    """Tell whether nothing is to be seen of setting an attribute to what it is already."""
    cls = owner.type.cls if isinstance(owner, Object) else owner.cls if isinstance(owner, Dict) else None
    if isinstance(owner, Arr):
        return name in ("real", "imag")
    if cls is None or written_member(cls, "__setattr__") is not object.__setattr__:
        return False
    return isinstance(written_member(cls, name), (types.NoneType, types.MemberDescriptorType))


def _combine(cx: Lowering, op: ast.operator, a: Value, b: Value) -> Value:
    return binary_operation(cx, op, a, b, in_place=True)


def _in_place(cx: Lowering, s: ast.AugAssign, target: Arr, value: Value) -> None:
    act(cx, [value], lambda vs: _in_place_by(cx, s, target, vs[0]))


def _in_place_by(cx: Lowering, s: ast.AugAssign, target: Arr, value: Value) -> None:
    if cx.current.done:  # the value raises
        return
    if isinstance(value, Object) or (cx.raising and target.writable):
        update_array(cx, type(s.op), target, value)
        return
    if not target.writable:
        cx.raise_("ValueError", "output array is read-only")
        return
    result = _updated(cx, s, target, value)
    if result is not None:
        store(cx, target, result)


def _update_chosen(cx: Lowering, s: ast.AugAssign, owner: Arr, index: Value, copy: Arr, value: Value) -> None:
    """`owner[index] op= value` where the index makes a copy, which is changed and put back."""
    if cx.current.done:
        return
    if cx.raising:
        update_array(cx, type(s.op), copy, value)
        store_item(cx, owner, index, copy)
        return
    result = _combine(cx, s.op, copy, value) if isinstance(value, Object) else _updated(cx, s, copy, value)
    if result is not None:
        store_item(cx, owner, index, result)


def _updated(cx: Lowering, s: ast.AugAssign, target: Arr, value: Value) -> Num | Arr | Lazy | None:
    """What `target op= value` stores in the target; None if it raises."""
    value = as_array_beside(cx, value, target)
    if isinstance(s.op, ast.MatMult):
        if not isinstance(value, (Arr, Lazy)) or value.ndim < 2 or target.ndim < 1 or not _keeps_type(target, value):
            update_array(cx, type(s.op), target, value)  # which raises
            return None
        result = _combine(cx, s.op, target, value)
        assert isinstance(result, (Arr, Lazy))
        same = all(cx.same_size(n, m) for n, m in zip(result.shape, target.shape)) and result.ndim == target.ndim
        if not same or not np.can_cast(result.dtype.numpy, target.dtype.numpy, "same_kind"):
            call_back(cx, np.matmul, [target, value], {"out": target})  # which raises
            return None
    else:
        if not isinstance(value, (Num, Arr, Lazy)):
            update_array(cx, type(s.op), target, value)
            return None
        fast = fast_power(cx, target, value) if isinstance(s.op, ast.Pow) else None
        ufunc, operands = (UFUNCS[type(s.op)], [target, value]) if fast is None else (fast, [target])
        found = apply_ufunc(cx, ufunc, operands, out=target)
        assert isinstance(found, (Num, Lazy))
        if cx.current.done:
            return None
        if isinstance(found, Lazy) and not _fits_in_place(cx, target, found):
            return None
        result = found
    assert isinstance(result, (Num, Arr, Lazy))
    return result


def _keeps_type(target: Arr, value: Arr | Lazy) -> bool:
    """Tell whether what NumPy computes with the two fits into the first one's type."""
    return np.can_cast(np.result_type(target.dtype.numpy, value.dtype.numpy), target.dtype.numpy, "same_kind")


def _fits_in_place(cx: Lowering, target: Arr, result: Lazy) -> bool:
    """The result of an in-place operation must have the target's own shape."""
    text, operands = shape_text([target.shape, result.shape])
    first, _, second = text.partition(" ")
    message = f"non-broadcastable output operand with shape {first} doesn't match the broadcast shape {second}"
    if result.ndim != target.ndim:
        cx.raise_("ValueError", message, operands)
        return False
    for n, m in zip(target.shape, result.shape):
        if n != m:
            cx.check(symbolic.eq(n, m), "ValueError", message, operands)
    return not cx.current.done
