"""Loops over generator functions: the generator's body is lowered in place of the loop, and the loop's body in place of each `yield`.

Around all of it stands a loop that runs once: `break` leaves it from wherever the body stands, as an exception leaves a try (`try_statements.py`).
The body itself is a loop that runs once, which `continue` leaves. Names that the body assigns are variables all the time.
"""

from __future__ import annotations

import ast
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.base.records import dataclass
from soljit.frontend_ast.calls.inlining import run_inline
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.joins.binding import bind
from soljit.frontend_ast.lowering.frames import Frame, LoopScope, Step
from soljit.frontend_ast.lowering.generator_expressions import as_generator_function
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.statements.assignments import assign
from soljit.frontend_ast.statements.loop_else import loop_else
from soljit.frontend_ast.statements.loop_fixpoint import carried, end_of_iteration, with_variables
from soljit.frontend_ast.statements.try_regions import Attempt
from soljit.frontend_ast.syntax.scopes import assigned_names, cleans_up
from soljit.frontend_ast.values.values import Generated, Generator, Object, Static, Value
from soljit.ir.core import nodes
from soljit.ir.core.expr import TRUE, const
from soljit.ir.core.types import i64
from soljit.support.objects import HERE

DEEPEST = 8


@dataclass(eq=False)
class Consumer:
    """The loop that takes what a generator yields: `scope` is its own, `attempt` the way out of the generator's loops."""

    frame: Frame
    statement: ast.For
    scope: LoopScope
    attempt: Attempt
    names: set[str]
    before: dict[str, Value]

    def take(self, cx: Lowering, value: Value) -> None:
        """The loop's body, here, with the value that is yielded."""
        fr, s = self.frame, self.statement
        loops, statement = fr.loops, fr.statement
        inside = cx.attempts[cx.attempts.index(self.attempt) + 1 :]
        if any(a.groups for a in inside):
            raise cx.unsupported("a yield inside of a try", "yield behind the try")
        fr.env = dict(self.before)
        with cx.block(TRUE) as body:
            assign(cx, fr, s.target, value)
            cx.above.run(cx, fr, s.body)
            if not cx.current.done:
                end_of_iteration(cx, fr, self.names)
                cx.emit(nodes.Break())
        cx.emit(nodes.While(TRUE, body))  # type: ignore[arg-type]
        fr.env, fr.loops, fr.statement = dict(self.before), loops, statement

    def jump(self, cx: Lowering, node: nodes.Break | nodes.Continue) -> None:
        """`break` or `continue` of the loop, from inside its body."""
        end_of_iteration(cx, self.frame, self.names, self.scope)
        if isinstance(node, nodes.Break):
            cx.write(self.attempt.state, const(1))
            self.attempt.mark(cx)
        cx.emit(nodes.Break())


def loop_over_generator(cx: Lowering, fr: Frame, s: ast.For, generator: Generator | Generated) -> None:
    """`for target in generator(...)`, or in a generator expression."""
    if isinstance(generator, Generated):
        generator = as_generator_function(generator)
    targets = assigned_names([ast.copy_location(ast.Assign([s.target], ast.Constant(None)), s)])
    names = carried(cx, fr, s, targets)
    start: Frame = generator.frame
    if _depth(fr) > DEEPEST:
        needed(cx, generator)
        raise cx.unsupported("a generator that loops over itself", "write it with a list of what is left to do")
    arguments = dict(start.env)

    def lower() -> None:
        scope = fr.loops[-1]
        state = cx.scalar(i64, "left")
        cx.write(state, const(0))
        attempt = Attempt(fr, scope, frozenset(), [], state, len(cx.blocks))
        consumer = scope.consumer = Consumer(fr, s, scope, attempt, names, dict(fr.env))
        inner = Frame(
            start.name,
            start.file,
            dict(arguments),
            start.resolve,
            start.live,
            start.locals,
            [],
            parent=start.parent,
            tree=start.tree,
            caller=start.caller,
        )
        inner.consumer = consumer
        cx.attempts.append(attempt)
        try:
            with cx.block(TRUE) as body:
                run_inline(cx, inner, generator.tree)
                if not cx.current.done:
                    cx.emit(nodes.Break())
        finally:
            cx.attempts.pop()
        cx.emit(nodes.While(TRUE, body))  # type: ignore[arg-type]
        fr.env = dict(consumer.before)

    try:
        scope = with_variables(cx, fr, names, False, lower, bool(s.orelse))
    except UnsupportedError:
        made = cx.made_at.get(id(generator))
        early = any(isinstance(n, (ast.Break, ast.Return)) for n in ast.walk(s))
        if made is not None and not (cleans_up(generator.tree) and early and not isinstance(s.iter, ast.Call)):
            cx.learned.closing.add(made[1])
            needed(cx, generator)
        raise  # Python cleans up when the last name of the generator is gone
    loop_else(cx, fr, s, scope)


def loop_and_close(cx: Lowering, fr: Frame, s: ast.For, made: Object) -> None:
    """A loop over a generator of Python's that cleans up, which nothing else holds: that happens as soon as the loop is left."""
    again = ast.copy_location(ast.For(s.target, s.iter, s.body, s.orelse), s)
    name = f"<generator {s.lineno}:{s.col_offset} {len(fr.env)}>"
    bind(cx, fr, name, made)
    again.iter = ast.copy_location(ast.Name(name, ast.Load()), s.iter)

    def close() -> None:
        call_by_name(cx, HERE + "close", [evaluate(cx, fr, again.iter)])

    last = Step(close)
    outer = ast.copy_location(ast.Try([again], [], [], [last]), s)
    after = fr.live.get(s, set()) | {name}
    for node in (again, last, outer):
        ast.fix_missing_locations(ast.copy_location(node, s))
        fr.live[node] = after
    fr.locals |= {name}
    fr.goes_on = [outer]


def _depth(fr: Frame | None) -> int:
    """How many generators stand inside one another here."""
    depth = 0
    while fr is not None:
        outer: Any = fr.consumer
        fr, depth = (outer.frame, depth + 1) if outer is not None else (fr.parent, depth)
    return depth


def yield_value(cx: Lowering, fr: Frame, node: ast.Yield | ast.YieldFrom) -> None:
    """A `yield` statement."""
    consumer: Any = fr.consumer
    if consumer is None:
        raise cx.unsupported("yield here", "loop over the generator with for")
    if isinstance(node, ast.YieldFrom):
        target = ast.copy_location(ast.Name("<yielded>", ast.Store()), node)
        read = ast.copy_location(ast.Name("<yielded>", ast.Load()), node)
        each = ast.copy_location(ast.Expr(ast.copy_location(ast.Yield(read), node)), node)
        again = ast.copy_location(ast.For(target, node.value, [each], []), node)
        ast.fix_missing_locations(again)
        fr.live[again] = fr.live.get(fr.statement, set()) if fr.statement is not None else set()
        fr.live[each] = fr.live[again]
        cx.above.run(cx, fr, [again])
        return
    value = Static(None) if node.value is None else evaluate(cx, fr, node.value)
    if not cx.current.done:
        consumer.take(cx, value)
