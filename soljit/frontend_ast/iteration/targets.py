"""Targets of comprehensions and generator expressions, bound to one item."""

from __future__ import annotations

import ast

from soljit.frontend_ast.iteration.static_items import iterate_static
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Generated, Object, Value
from soljit.frontend_ast.views.object_items import unpack_object


def bind_target(cx: Lowering, fr: Frame, target: ast.expr, value: Value) -> None:
    """Bind the target of a generator."""
    if isinstance(target, ast.Name):
        fr.env[target.id] = pin(cx, value, target.id)
        return
    if isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(t, ast.Starred) for t in target.elts):
        items = unpack_object(cx, value, len(target.elts), -1) if isinstance(value, Object) else None
        for t, x in zip(target.elts, iterate_static(cx, value) if items is None else items):
            bind_target(cx, fr, t, x)
        return
    cx.above.assign(cx, fr, target, value)


def generated_item(cx: Lowering, v: Generated, item: Value) -> Value:
    """What a generator expression without conditions yields for one item of what it runs over."""
    bind_target(cx, v.frame, v.node.generators[0].target, item)
    return cx.above.evaluate(cx, v.frame, v.node.elt)
