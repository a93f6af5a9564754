"""`with` statements: `__enter__` and `__exit__` around a body, written as the try statements that Python defines them by.

`with np.errstate(...)` runs its body (compiled code raises no floating-point warnings); where errors shall raise, NumPy does the arithmetic in it.
`with contextlib.suppress(...)` is a try whose handler passes.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.calls.object_methods import call_object_method
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.joins.binding import bind
from soljit.frontend_ast.lowering.class_dependencies import depend_on_member
from soljit.frontend_ast.lowering.frames import Frame, Step
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.user_methods import users_class, written_method
from soljit.frontend_ast.objects.objects import call_by_name, make_object
from soljit.frontend_ast.statements import raising
from soljit.frontend_ast.statements.branches import may_return
from soljit.frontend_ast.statements.statements import WITH_REST
from soljit.frontend_ast.statements.try_statements import lower_try, try_statement
from soljit.frontend_ast.values.descriptions import py_type
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import NONE, Num, Object, Static, Union, Value
from soljit.ir.core.expr import FALSE
from soljit.support.objects import HERE


def with_statement(cx: Lowering, fr: Frame, s: ast.With, rest: Sequence[ast.stmt]) -> Sequence[ast.stmt] | None:
    """`with`: its body. The statements that are left to lower, with the rest of the block; None: none is."""
    first, *others = s.items
    body: list[ast.stmt] = s.body
    if others:
        inner = ast.copy_location(ast.With(others, s.body), s)
        fr.live[inner] = fr.live.get(s, set())
        body = [inner]
    lower = _library(cx, fr, s, first, body) or _general
    return lower(cx, fr, s, first, body, rest)


def _library(cx: Lowering, fr: Frame, s: ast.With, item: ast.withitem, body: list[ast.stmt]) -> Any:
    """How a manager of NumPy or contextlib that has a meaning of its own is lowered; None: it is another one."""
    made = item.context_expr
    if not isinstance(made, ast.Call):
        return None
    f = evaluate(cx, fr, made.func)
    obj = f.obj if isinstance(f, Static) else None
    if obj is np.nditer and isinstance(item.optional_vars, ast.Name):
        return _with_iterator
    if obj is np.errstate:
        modes = [k.value.value if isinstance(k.value, ast.Constant) else "" for k in made.keywords]
        return None if cx.raising or made.args or not {*modes} <= {"ignore", "warn", None} else _without_errors
    return _suppressing if obj is contextlib.suppress and not made.keywords else None


Rest = Sequence[ast.stmt]


def _without_errors(
    cx: Lowering, fr: Frame, s: ast.With, item: ast.withitem, body: list[ast.stmt], rest: Rest
) -> Rest | None:
    """`with np.errstate(...)`: compiled code raises no floating-point warnings."""
    with fr.followed_by(rest):
        cx.above.run(cx, fr, body)
    return rest


def _suppressing(
    cx: Lowering, fr: Frame, s: ast.With, item: ast.withitem, body: list[ast.stmt], rest: Rest
) -> Rest | None:
    """`with contextlib.suppress(...)`."""
    assert isinstance(item.context_expr, ast.Call)
    classes = raising.classes_of_values(cx, [evaluate(cx, fr, a) for a in item.context_expr.args])
    handler = ast.ExceptHandler(None, None, [ast.copy_location(ast.Pass(), s)])
    again = ast.copy_location(ast.Try(body, [handler], [], []), s)
    fr.live[again] = fr.live[handler] = fr.live.get(s, set())
    return lower_try(cx, fr, again, [classes], rest)


def _with_iterator(
    cx: Lowering, fr: Frame, s: ast.With, item: ast.withitem, body: list[ast.stmt], rest: Rest
) -> Rest | None:
    """`with np.nditer(...) as name`: the iterator is closed at the end, which is when it writes back what it has copied."""
    assert isinstance(item.optional_vars, ast.Name)
    with fr.followed_by(rest):
        iterator = evaluate(cx, fr, item.context_expr)
        bind(cx, fr, item.optional_vars.id, iterator)
        if isinstance(iterator, Object) and may_return(body):
            raise cx.unsupported("a return out of `with np.nditer(...)`", "return behind it")
        cx.above.run(cx, fr, body)
        if isinstance(iterator, Object) and not cx.current.done:
            call_object_method(cx, iterator, "close", [], {})
    return rest


# --- any context manager ------------------------------------------------------------------------------------------------


def _general(cx: Lowering, fr: Frame, s: ast.With, item: ast.withitem, body: list[ast.stmt], rest: Rest) -> Rest | None:
    manager = evaluate(cx, fr, item.context_expr)
    if cx.current.done:
        return rest
    if isinstance(manager, Union):
        raise cx.unsupported("'with' of a value whose type depends on the path", "use it in each branch")
    before, cx.raising = cx.raising, cx.raising or _is_error_state(manager)
    try:
        return _entered(cx, fr, s, item, manager, body, rest)
    finally:
        cx.raising = before


def _is_error_state(manager: Value) -> bool:
    """Tell whether this is np.errstate, perhaps made elsewhere, of which only the run knows what it does with errors."""
    match manager:
        case Static():
            return isinstance(manager.obj, np.errstate)
        case Object():
            return manager.type.cls is not None and issubclass(manager.type.cls, np.errstate)
    return False


def _entered(
    cx: Lowering,
    fr: Frame,
    s: ast.With,
    item: ast.withitem,
    manager: Value,
    body: list[ast.stmt],
    rest: Rest,
) -> Rest | None:
    if isinstance(manager, Static):
        manager = make_object(cx, manager)
    value = _call(cx, manager, "__enter__", [])
    if cx.current.done:
        return rest
    names = {
        part: f"<{part} {s.lineno}:{s.col_offset} {len(fr.env)}>"
        for part in ("manager", "value", "left", "error", "handled")
    }
    bind(cx, fr, names["manager"], manager)
    bind(cx, fr, names["value"], value)

    def read(part: str) -> ast.expr:
        return ast.Name(names[part], ast.Load())

    def leave() -> None:
        _call(cx, evaluate(cx, fr, ast.copy_location(read("manager"), s)), "__exit__", [NONE, NONE, NONE])

    def handle() -> None:
        error = evaluate(cx, fr, ast.copy_location(read("error"), s))
        cls, trace = (
            call_by_name(cx, "builtins.type", [error], ANY),
            call_by_name(cx, "builtins.getattr", [error, Static("__traceback__")], ANY),
        )
        on = evaluate(cx, fr, ast.copy_location(read("manager"), s))
        fr.env[names["handled"]] = _call(cx, on, "__exit__", [cls, error, trace])

    def flag(value: bool) -> ast.stmt:
        return ast.Assign([ast.Name(names["left"], ast.Store())], ast.Constant(value))

    target: list[ast.stmt] = []
    if item.optional_vars is not None:
        target = [ast.Assign([item.optional_vars], read("value"))]
    looked_at = ast.Expr(read("error"))  # so that it is an object
    raised = [flag(False), looked_at, Step(handle), ast.If(read("handled"), [ast.Pass()], [ast.Raise(None, None)])]
    handler = ast.ExceptHandler(None, names["error"], raised)
    inner = ast.Try([*target, *body], [handler], [], [])
    last = ast.If(read("left"), [Step(leave)], [])
    outer = ast.Try([inner], [], [], [last])
    start = flag(True)
    after = fr.live.get(s, set()) | {names["left"], names["manager"]}
    for node in (inner, handler, outer, *raised, *target, last, start, *raised[3].body, *raised[3].orelse, *last.body):  # type: ignore[attr-defined]
        ast.fix_missing_locations(ast.copy_location(node, s))
        fr.live.setdefault(node, after)
    fr.locals |= set(names.values())
    cx.above.run(cx, fr, [start])
    return try_statement(cx, fr, outer, rest)


def _call(cx: Lowering, manager: Value, name: str, args: list[Value]) -> Value:
    """`type(manager).name(manager, …)`."""
    method = written_method(manager, name)
    if method is not None:
        cls = users_class(manager)
        assert cls is not None
        depend_on_member(cx, cls, name)
        return inline_function(cx, method, [manager, *args], {})
    if isinstance(manager, Object) and manager.type.fields is None:
        return call_by_name(cx, HERE + ("enter" if name == "__enter__" else "leave"), [manager, *args], ANY)
    if sys.version_info < (3, 11):
        cx.raise_("AttributeError", name)
        return Num(FALSE, True)
    cls = users_class(manager)
    said = py_type(manager) if cls is None else cls.__name__
    missed = " (missed __exit__ method)" if written_method(manager, "__enter__") else ""
    cx.raise_("TypeError", f"'{said}' object does not support the context manager protocol{missed}")
    return Num(FALSE, True)


WITH_REST[ast.With] = with_statement
LOADED = True
