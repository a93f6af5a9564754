"""Instances that Python code was given: it may set their attributes, which then are not what compiled code knows of them."""

from __future__ import annotations

from collections.abc import Iterable

from soljit.base.knowledge.pure import known_by_name
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Dict, Object, Tup, Value
from soljit.support.objects import HERE


def _may_do_anything(target: str) -> bool:
    """Tell whether it runs functions that nobody looks at. Python's own containers and operators do not."""
    facts = known_by_name(target)
    return (
        target.startswith(HERE)
        and facts is not None
        and "calls" in facts
        or target.partition(".")[0] not in ("builtins", "operator", "math", "soljit")
    )


def expose(cx: Lowering, target: str, values: Iterable[Value]) -> None:
    """A function of this dotted name is given these values: attributes of the class may be hidden by those of the instance then."""
    if not _may_do_anything(target):
        return
    for v in values:
        match v:
            case Tup():
                expose(cx, target, v.items)
            case Dict():
                expose(cx, target, v.items.values())
            case Object() if v.type.fields is not None and v.type.cls is not None:
                _learn(cx, cx.learned.exposed, v.type.cls)


def open_up(cx: Lowering, cls: type) -> None:
    """The `__dict__` of an instance of this class is taken: any attribute may be set by it."""
    _learn(cx, cx.learned.opened, cls)


def _learn(cx: Lowering, classes: set[type], cls: type) -> None:
    if cls not in classes:
        classes.add(cls)
        cx.learned.changed = True
