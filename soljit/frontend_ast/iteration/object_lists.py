"""Lists that Python makes of what is stepped through."""

from __future__ import annotations

from collections.abc import Callable

from soljit.frontend_ast.iteration.folds import visit_any
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.learned import new_slot
from soljit.frontend_ast.values.object_types import Element, ObjectType
from soljit.frontend_ast.values.values import ENDLESS, Generated, Iteration, Object, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import const
from soljit.support.objects import HERE


def empty_list(cx: Lowering, part: str) -> Object:
    """A new list for what a call needs on its way. part: which of them; it does not hold what a list that is made here holds"""
    kind = ObjectType(list, new_slot(cx.learned, cx.loc, part))
    made = call_by_name(cx, HERE + "same", [Tup([], None, True)], Element("object", object=kind))
    assert isinstance(made, Object)
    return made


def list_of_results(cx: Lowering, v: Value, f: Callable[[Value], Value]) -> Object:
    """A Python list of what `f` gives for each item."""
    made = empty_list(cx, "result")
    visit_any(cx, v, lambda x: cx.above.call_object_method(cx, made, "append", [f(x)], {}))
    return made


def list_of_steps(cx: Lowering, v: Value) -> Object:
    """A Python list of what an iteration gives."""
    source = v.source if isinstance(v, Generated) and not v.is_list else v
    if isinstance(source, Iteration) and cx.prove(symbolic.ge(source.length, const(ENDLESS))):
        needed(cx, v)
        raise cx.unsupported("all items of an iterator that has no end", "use it in a for loop that is left by break")
    return list_of_results(cx, v, lambda x: x)
