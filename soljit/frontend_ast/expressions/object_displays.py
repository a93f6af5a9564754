"""Lists, tuples and sets that Python makes when the program runs."""

from __future__ import annotations

from types import CodeType

from soljit.base.python.dependency import Path
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.objects.container_methods import join_items
from soljit.frontend_ast.objects.contents import container, escape
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.object_types import Element
from soljit.frontend_ast.values.values import Num, Object, Static, Tup, Value
from soljit.ir.core.expr import Const


def made_of(cx: Lowering, cls: type, v: Value | None) -> Object:
    """`cls(v)` for list, tuple, set and frozenset."""
    kind = container(cx, cls)
    if v is not None:
        escape(cx, v)
        join_items(cx, kind, v)
    made = call_by_name(cx, f"builtins.{cls.__name__}", [] if v is None else [v], Element("object", object=kind))
    assert isinstance(made, Object)
    return made


def set_of(cx: Lowering, items: list[Value]) -> Object:
    """A set display."""
    kind = container(cx, set, items)
    made = call_by_name(cx, "builtins.set", [Tup(items)], Element("object", object=kind))
    assert isinstance(made, Object)
    return made


def constant_set(cx: Lowering, fr: Frame, items: list[Value]) -> Value | None:
    """The frozen set that Python's compiler made of these items, whose order is its own; None: it made none."""
    if not all(isinstance(v, Static) or isinstance(v, Num) and isinstance(v.expr, Const) for v in items):
        return None
    function = fr.resolve.function
    wanted = frozenset(static_of(cx, v) for v in items)
    found = _constant_of(function.__code__, wanted, ()) if function is not None and cx.can_follow(function) else None
    if found is None:
        return None
    code, k, steps = found
    cx.paths.setdefault(id(code.co_consts), (*cx.paths[id(function)], ("attr", "__code__"), *steps))
    held = cx.capture(code.co_consts, "item", str(k), code.co_consts[k])
    return call_by_name(cx, "builtins.frozenset", [held], Element("object", object=container(cx, frozenset, items)))


def _constant_of(code: CodeType, wanted: frozenset[object], path: Path) -> tuple[CodeType, int, Path] | None:
    """Where a code object, or one in it, has this set: the code object, the number of the constant, and the path to the constants."""
    here: Path = (*path, ("attr", "co_consts"))
    for k, c in enumerate(code.co_consts):
        if type(c) is frozenset and c == wanted and set(map(repr, c)) == set(map(repr, wanted)):
            return code, k, here
    inner = ((c, k) for k, c in enumerate(code.co_consts) if isinstance(c, CodeType))
    return next((x for c, k in inner if (x := _constant_of(c, wanted, (*here, ("item", str(k)))))), None)
