"""Lowering of statements: `run(cx, fr, statements)` lowers a block, each statement by the handler of its class.

Assignments, branches, loops and jumps have files of their own; they lower the blocks inside them by `cx.above.run`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.calls.classes.local_classes import lower_class
from soljit.frontend_ast.calls.imports import lower_import, lower_import_from
from soljit.frontend_ast.expressions.conditionals import condition
from soljit.frontend_ast.expressions.expressions import evaluate, make_function
from soljit.frontend_ast.joins.binding import bind
from soljit.frontend_ast.lowering.blocks import Unreachable
from soljit.frontend_ast.lowering.frames import Frame, Step, place
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.statements import array_mutation, raising
from soljit.frontend_ast.statements.assignments import lower_annotated, lower_assignment, lower_delete
from soljit.frontend_ast.statements.augmented_assignments import lower_augmented
from soljit.frontend_ast.statements.branches import lower_if, lower_if_alone, returns_inline
from soljit.frontend_ast.statements.generator_loops import yield_value
from soljit.frontend_ast.statements.jumps import after_returns, lower_break, lower_continue, lower_return
from soljit.frontend_ast.statements.loops import lower_for, lower_while
from soljit.frontend_ast.statements.split_by_type import by_type, has_types
from soljit.frontend_ast.syntax.scopes import names_shared
from soljit.frontend_ast.values.values import Value
from soljit.ir import symbolic


def run(cx: Lowering, fr: Frame, statements: Sequence[ast.stmt]) -> None:
    """Lower a block of statements."""
    loops = list(fr.loops)
    try:
        _run(cx, fr, statements)
    except Unreachable:
        fr.loops = loops
        cx.current.finish()
    except UnsupportedError:
        if not cx.current.done:  # else it is about code behind a raise, which is never run
            raise
        fr.loops = loops


def _run(cx: Lowering, fr: Frame, statements: Sequence[ast.stmt]) -> None:
    todo, k = statements, 0
    while k < len(todo):
        if cx.current.done:
            return
        s, rest = todo[k], todo[k + 1 :]
        k += 1
        cx.work.step(cx.learned.changed)
        cx.loc, fr.statement, fr.region = place(fr, s), s, cx.region
        if isinstance(s, ast.FunctionDef) and (shared := (names_shared(s) & fr.locals) - fr.shared):
            with _sharing(fr, shared):
                cx.above.share(cx, fr, shared, [s, *rest])
            return
        with_rest = WITH_REST.get(type(s))
        if with_rest is not None:
            if isinstance(s, ast.If) and not returns_inline(fr, s) and has_types(cx, fr, s):
                with fr.followed_by(rest):
                    by_type(cx, fr, s, lower_if_alone)
                continue
            follows = with_rest(cx, fr, s, rest)
            if follows is None:
                return
            if follows is not rest:
                todo, k = follows, 0
            continue
        handler = _HANDLERS.get(type(s))
        if handler is None:
            raise cx.unsupported(f"{type(s).__name__} statements are not supported")
        with fr.followed_by(rest):
            by_type(cx, fr, s, handler)
        if fr.left_by_return or fr.goes_on:
            goes_on, fr.goes_on = [*fr.goes_on, *rest], []
            if not fr.left_by_return:
                todo, k = goes_on, 0
                continue
            fr.left_by_return = False
            after_returns(cx, fr, goes_on)
            return


@contextmanager
def _sharing(fr: Frame, names: set[str]) -> Iterator[None]:
    """Nested functions assign these names of the frame."""
    fr.shared |= names
    try:
        yield
    finally:
        fr.shared -= names


def _expr(cx: Lowering, fr: Frame, s: ast.Expr) -> None:
    if isinstance(s.value, ast.Constant):
        return
    if isinstance(s.value, (ast.Yield, ast.YieldFrom)):
        yield_value(cx, fr, s.value)
        return
    if isinstance(s.value, ast.Call) and array_mutation.call_on_object(cx, fr, s.value):
        return
    evaluate(cx, fr, s.value)


def _pass(cx: Lowering, fr: Frame, s: ast.stmt) -> None:
    return


def _declaration(cx: Lowering, fr: Frame, s: ast.Global | ast.Nonlocal) -> None:
    if isinstance(s, ast.Global):
        fr.globals |= set(s.names)
    else:
        fr.outside |= set(s.names)


def _function(cx: Lowering, fr: Frame, s: ast.FunctionDef) -> None:
    decorators = [evaluate(cx, fr, d) for d in s.decorator_list]
    made: Value = make_function(cx, fr, s)
    for d in reversed(decorators):
        made = call_value(cx, d, [made])
    if not cx.current.done:
        bind(cx, fr, s.name, made)


def _assert(cx: Lowering, fr: Frame, s: ast.Assert) -> None:
    if not __debug__:
        return
    cond = condition(cx, fr, s.test)
    known = cx.prove(cond)
    if known is True:
        return
    with cx.block(symbolic.negate(cond)) as failed:
        raising.raise_assertion(cx, fr, s.msg)
    cx.branch(symbolic.negate(cond), failed)
    cx.facts = cx.facts.assume(cond)


def _raise(cx: Lowering, fr: Frame, s: ast.Raise) -> None:
    raising.raise_statement(cx, fr, s)


def _step(cx: Lowering, fr: Frame, s: Step) -> None:
    s.action()


_HANDLERS: dict[type[ast.stmt], Callable[[Lowering, Frame, Any], None]] = {
    ast.Assign: lower_assignment,
    ast.AnnAssign: lower_annotated,
    ast.AugAssign: lower_augmented,
    ast.Return: lower_return,
    ast.For: lower_for,
    ast.While: lower_while,
    ast.Break: lower_break,
    ast.Continue: lower_continue,
    ast.Expr: _expr,
    ast.Pass: _pass,
    ast.FunctionDef: _function,
    ast.ClassDef: lower_class,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Import: lower_import,
    ast.ImportFrom: lower_import_from,
    ast.Delete: lower_delete,
    Step: _step,
    ast.Global: _declaration,
    ast.Nonlocal: _declaration,
}


def _if(cx: Lowering, fr: Frame, s: ast.If, rest: Sequence[ast.stmt]) -> Sequence[ast.stmt] | None:
    return None if lower_if(cx, fr, s, rest) else rest


# Statements whose lowering may take in the rest of the block: (…, the statements behind) -> those that are left to lower; None: none is
WITH_REST: dict[type[ast.stmt], Callable[[Lowering, Frame, Any, Sequence[ast.stmt]], Sequence[ast.stmt] | None]] = {
    ast.If: _if
}
