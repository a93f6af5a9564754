"""Assignments to names, items, attributes and several targets at once; `del`."""

from __future__ import annotations

import ast

from soljit.frontend_ast.calls.calls import call_value, iterated
from soljit.frontend_ast.calls.generator_calls import list_of_generator
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.iteration.static_items import are_many, cannot_iterate, counted_items, iterate_static
from soljit.frontend_ast.joins.binding import bind, items_of, named, narrow, pin
from soljit.frontend_ast.joins.operands import point, taken_before
from soljit.frontend_ast.joins.unions import act, of_either_type
from soljit.frontend_ast.lowering.frames import Frame, place
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.objects.functions import function_object
from soljit.frontend_ast.objects.named_iterators import check_named
from soljit.frontend_ast.objects.objects import call_by_name, list_of
from soljit.frontend_ast.statements import array_mutation, attribute_assignment
from soljit.frontend_ast.statements.loop_fixpoint import unbind
from soljit.frontend_ast.statements.split_by_type import for_each_type
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.descriptions import describe, py_type
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Flat,
    Func,
    Generator,
    Lazy,
    Num,
    Object,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.frontend_ast.views import flags
from soljit.frontend_ast.views.indexing import delete_item, set_item
from soljit.frontend_ast.views.mixed_indices import write_item
from soljit.frontend_ast.views.object_items import unpack_object
from soljit.ir import symbolic
from soljit.ir.core.expr import const


def lower_assignment(cx: Lowering, fr: Frame, s: ast.Assign) -> None:
    value = evaluate(cx, fr, s.value)
    if cx.current.done:
        return  # nothing comes back from where the value is made
    check_named(cx, fr, s, value)
    if len(s.targets) > 1:
        value = named(cx, pin(cx, value), "=")
    for t in s.targets:
        assign(cx, fr, t, value, s)


def assign(cx: Lowering, fr: Frame, target: ast.expr, value: Value, s: ast.stmt | None = None) -> None:
    """`target = value`, as a part of statement `s`."""
    match target:
        case ast.Name():
            bind(cx, fr, target.id, value)
        case ast.Tuple() | ast.List():
            _unpack(cx, fr, target.elts, value, s)
        case ast.Subscript():
            value = value if isinstance(value, Lazy) and not may_have_effects(target) else pin(cx, value)
            then = point(cx)
            owner = evaluate(cx, fr, target.value)
            index = evaluate(cx, fr, target.slice)
            (value,) = taken_before(cx, then, [value])
            cx.loc = place(fr, target)
            if (
                isinstance(owner, Static)
                and isinstance(owner.obj, flags.Flags)
                and isinstance(target.value, ast.Attribute)
            ):
                if (flag := flags.named(cx, index)) is not None:
                    array_mutation.set_flag(cx, fr, target.value.value, flag, value)
                return
            if isinstance(owner, (Tup, Dict)):
                value = pin(cx, value)
                act(cx, [owner, index], lambda vs: set_item(cx, vs[0], vs[1], value))
                return
            store_item(cx, owner, index, value)
        case ast.Attribute():
            value = pin(cx, value) if may_have_effects(target) else value
            then = point(cx)
            owner = evaluate(cx, fr, target.value)
            assign_attribute(cx, fr, target, owner, *taken_before(cx, then, [value]))
        case ast.Starred():
            assign(cx, fr, target.value, value, s)
        case _:
            raise cx.unsupported(f"assignment to {type(target).__name__}")


def assign_attribute(cx: Lowering, fr: Frame, target: ast.Attribute, owner: Value, value: Value) -> None:
    """`owner.name = value`, as `target` says."""
    if isinstance(owner, Static) and isinstance(owner.obj, flags.Flags) and isinstance(target.value, ast.Attribute):
        array_mutation.set_flag(cx, fr, target.value.value, target.attr, value)
        return
    replaced = attribute_assignment.set_attribute(cx, owner, target.attr, value)
    if replaced is not None:
        array_mutation.replace_everywhere(cx, fr, target.value, owner, replaced)


def _unpack(cx: Lowering, fr: Frame, targets: list[ast.expr], value: Value, s: ast.stmt | None) -> None:
    if isinstance(value, Union):
        union = value
        for_each_type(cx, fr, s, union, lambda k: _unpack(cx, fr, targets, narrow(cx, union, k), s))
        return
    star = [k for k, t in enumerate(targets) if isinstance(t, ast.Starred)]
    value = iterated(cx, value)
    if isinstance(value, Generator):
        value = list_of_generator(cx, value)
    if star and are_many(cx, value):
        value = call_value(cx, Static(list), [value])
    if isinstance(value, Object):
        for t, x in zip(targets, unpack_object(cx, value, len(targets), star[0] if star else -1)):
            assign(cx, fr, t, x)
        return
    if (isinstance(value, Flat) or isinstance(value, (Arr, Lazy)) and value.ndim > 0) and not star:
        counted = counted_items(cx, value if isinstance(value, Flat) else pin(cx, value))
        assert counted is not None
        n, item = counted
        cx.check(
            symbolic.ge(n, const(len(targets))),
            "ValueError",
            f"not enough values to unpack (expected {len(targets)}, got {{0}})",
            [n],
        )
        cx.check(
            symbolic.le(n, const(len(targets))), "ValueError", f"too many values to unpack (expected {len(targets)})"
        )
        items: list[Value] = [pin(cx, item(k)) for k in range(len(targets))]
    elif (
        isinstance(value, (Num, Func))
        or (isinstance(value, Static) and cannot_iterate(type(value.obj)))
        or is_closed(value)
    ):
        cx.raise_("TypeError", f"cannot unpack non-iterable {py_type(value)} object")
        return
    else:
        items = items_of(cx, iterate_static(cx, value))
    if star:
        k = star[0]
        after = len(targets) - k - 1
        if len(items) < len(targets) - 1:
            cx.raise_(
                "ValueError", f"not enough values to unpack (expected at least {len(targets) - 1}, got {len(items)})"
            )
            return
        items = [*items[:k], list_of(cx, items[k : len(items) - after]), *items[len(items) - after :]]
    if len(items) > len(targets):
        cx.raise_("ValueError", f"too many values to unpack (expected {len(targets)})")
        return
    if len(items) < len(targets):
        cx.raise_("ValueError", f"not enough values to unpack (expected {len(targets)}, got {len(items)})")
        return
    for t, x in zip(targets, items):
        assign(cx, fr, t, x, s)


def is_closed(v: Value) -> bool:
    """Tell whether this is an instance of a class that gives no items."""
    return isinstance(v, Dict) and v.cls is not None and not hasattr(v.cls, "__iter__")


def store_item(cx: Lowering, owner: Value, index: Value, value: Value) -> None:
    owner = of_either_type(cx, owner)
    if isinstance(value, Union) and value.wide is not None and isinstance(owner, Arr) and owner.dtype.is_float:
        value = Num(value.wide, False)  # whatever the number's type, it is stored as the same float
    write_item(cx, owner, index, value, lambda *vs: set_item(cx, *vs))


def lower_annotated(cx: Lowering, fr: Frame, s: ast.AnnAssign) -> None:
    if s.value is not None:
        assign(cx, fr, s.target, evaluate(cx, fr, s.value))


def lower_delete(cx: Lowering, fr: Frame, s: ast.Delete) -> None:
    for t in s.targets:
        if isinstance(t, ast.Subscript):
            found = [evaluate(cx, fr, t.value), evaluate(cx, fr, t.slice)]
            act(cx, found, lambda vs: delete_item(cx, *vs))
        elif isinstance(t, ast.Name):
            evaluate(cx, fr, ast.copy_location(ast.Name(t.id, ast.Load()), t))  # raises if it is not bound
            unbind(cx, fr, t.id)
        elif isinstance(t, ast.Attribute):
            owner = evaluate(cx, fr, t.value)
            if isinstance(owner, Dict) and owner.cls is not None:
                grow(cx, owner)
            if isinstance(owner, Func):
                owner = function_object(cx, owner)
            if not isinstance(owner, Object):
                raise cx.unsupported(f"del of an attribute of {describe(owner)}")
            call_by_name(cx, "builtins.delattr", [owner, Static(t.attr)])
        else:
            assert isinstance(t, (ast.Tuple, ast.List))
            lower_delete(cx, fr, ast.copy_location(ast.Delete(t.elts), s))
