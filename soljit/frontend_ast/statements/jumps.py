"""`break`, `continue` and `return`, out of loops and try statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.joins.binding import assign_var, pin, read_name
from soljit.frontend_ast.joins.type_lattice import CannotMerge, fitting, kind_outside, widen
from soljit.frontend_ast.lowering.boxing import box
from soljit.frontend_ast.lowering.frames import Frame, RetypeResult
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.statements import equal_lengths
from soljit.frontend_ast.statements.branches import run_to_the_end
from soljit.frontend_ast.statements.loop_fixpoint import end_of_iteration
from soljit.frontend_ast.statements.returns import emit_return
from soljit.frontend_ast.syntax.scopes import names_shared
from soljit.frontend_ast.values.values import NONE, Dict, Func, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import TRUE, const


def lower_return(cx: Lowering, fr: Frame, s: ast.Return) -> None:
    value = NONE if s.value is None else evaluate(cx, fr, s.value)
    attempts = [a for a in cx.attempts if a.frame is fr]
    if attempts:
        value = pin(cx, value)
    with _out_of_attempts(cx, fr, attempts):
        if not cx.current.done:
            _return_value(cx, fr, value)


def _return_value(cx: Lowering, fr: Frame, value: Value) -> None:
    if fr.returns is None:
        emit_return(cx, value)
        return
    value = pin(cx, value)
    for f in _functions(value):
        for n in sorted(names_shared(f.tree) & fr.locals) if isinstance(f.tree, ast.FunctionDef) else ():
            box(cx, fr, n)  # it goes on assigning the variable when this function is over
    if fr.loops:
        _return_from_loop(cx, fr, value)
        return
    fr.left(cx.current, value)
    cx.current.finish()


def _functions(v: Value) -> list[Func]:
    """The nested functions in a value."""
    match v:
        case Func():
            return [v]
        case Tup():
            return [f for x in v.items for f in _functions(x)]
        case Dict():
            return [f for x in v.items.values() for f in _functions(x)]
    return []


def _return_from_loop(cx: Lowering, fr: Frame, value: Value) -> None:
    """Leave the loops of an inlined function one by one: a flag tells each that it was left by a return."""
    kind = kind_outside(kind_of(cx, value), fr.loops[0].outside.__contains__)
    if fr.result_kind is None:
        raise RetypeResult(fr, kind)
    try:
        want = fitting(cx, widen(cx, fr.result_kind, kind), value)
    except CannotMerge as e:
        raise cx.unsupported(f"'{fr.name}' returns values of different types: {e.text}") from None
    if want != fr.result_kind:
        raise RetypeResult(fr, want)
    assert fr.result is not None
    assign_var(cx, fr.result, value)
    cx.write(fr.returned, TRUE)
    for scope in fr.loops:
        scope.returns = True
        if scope.broke is not None:
            cx.write(scope.broke, TRUE)
    _jump(cx, fr, nodes.Break())


def after_returns(cx: Lowering, fr: Frame, rest: Sequence[ast.stmt]) -> None:
    """The code after a loop that an inlined function may have left by a return."""
    cond = cx.let(cx.read(fr.returned), "returned")
    endless, fr.endless = fr.endless, False
    with cx.block(cond) as leave:
        if fr.loops:
            _jump(cx, fr, nodes.Break())
        else:
            assert fr.result is not None
            fr.left(cx.current, read_name(cx, fr.result))
            cx.current.finish()
    with cx.block(symbolic.negate(cond)) as stay:
        if endless:
            cx.current.finish()
        else:
            run_to_the_end(cx, fr, rest)
    cx.branch(cond, leave, stay)


def lower_break(cx: Lowering, fr: Frame, s: ast.Break) -> None:
    _leave_iteration(cx, fr, nodes.Break())


def lower_continue(cx: Lowering, fr: Frame, s: ast.Continue) -> None:
    _leave_iteration(cx, fr, nodes.Continue())


def _leave_iteration(cx: Lowering, fr: Frame, node: nodes.Break | nodes.Continue) -> None:
    """`break` or `continue` of the innermost loop, from inside try statements that stand in it."""
    running, base = fr.leaving[-1] if fr.leaving else (None, 0)  # its finally clause is run on a way out of its body
    end = len(fr.loops)
    if running is not None and all(scope.attempt is not None for scope in fr.loops[base:]):
        if base < end:
            raise cx.unsupported("break or continue in a try in a finally clause", "jump behind the inner try")
        end = fr.loops.index(running.scope) + 1
    else:
        running = None
    k = max(k for k, scope in enumerate(fr.loops[:end]) if scope.attempt is None)
    loop, crossed = fr.loops[k], fr.loops[k + 1 : end]
    with _out_of_attempts(cx, fr, [scope.attempt for scope in crossed if scope.attempt is not running]):
        if cx.current.done:
            return
        if isinstance(node, nodes.Break) and loop.broke is not None:
            cx.write(loop.broke, TRUE)
        if isinstance(node, nodes.Continue):
            equal_lengths.confirm(cx, fr)
        if not crossed:
            _jump(cx, fr, node)
            return
        if loop.consumer is not None:
            raise cx.unsupported("break or continue in a try in a loop over a generator", "make a list of its items")
        end_of_iteration(cx, fr, loop.names, loop)
        for scope in crossed:
            if not any(type(n) is type(node) for n in scope.jumps):
                scope.jumps.append(node)
            cx.write(scope.attempt.state, const(-1 if isinstance(node, nodes.Break) else -2))
        if running is not None:
            running.mark(cx)  # loops in its body are left, too
        cx.emit(nodes.Break())


@contextmanager
def _out_of_attempts(cx: Lowering, fr: Frame, attempts: Sequence[Any]) -> Iterator[None]:
    """What a jump or return does outside of try statements, after their finally clauses."""
    saved = cx.attempts
    try:
        for a in reversed(attempts):
            cx.attempts = cx.attempts[: cx.attempts.index(a)] if a in cx.attempts else cx.attempts
            if not cx.current.done and a.finalbody:
                a.run_finally(cx)
        yield
    finally:
        cx.attempts = saved


def _jump(cx: Lowering, fr: Frame, node: nodes.Break | nodes.Continue) -> None:
    """A jump ends the iteration: names bound so far that are read later need variables."""
    if fr.loops[-1].consumer is not None:
        fr.loops[-1].consumer.jump(cx, node)
        return
    end_of_iteration(cx, fr, fr.loops[-1].names)
    cx.emit(node)
