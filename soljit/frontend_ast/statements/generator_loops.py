"""Loops over generator functions: the generator's body is lowered in place of the loop, and the loop's body in place of each `yield`.

Around all of it stands a loop that runs once: `break` leaves it from wherever the body stands, as an exception leaves a try (`try_statements.py`).
The body itself is a loop that runs once, which `continue` leaves. Names that the body assigns are variables all the time.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass, replace
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.base.objects import HERE
from soljit.frontend_ast.calls.inlining import inline_function, run_inline
from soljit.frontend_ast.expressions.comprehensions import bind_target
from soljit.frontend_ast.joins.binding import bind
from soljit.frontend_ast.lowering.frames import Frame, LoopScope, Step
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.statements.assignments import assign
from soljit.frontend_ast.statements.loop_fixpoint import carried, end_of_iteration, with_variables
from soljit.frontend_ast.statements.loops import loop_else
from soljit.frontend_ast.statements.try_statements import Attempt
from soljit.frontend_ast.syntax.liveness import live_after
from soljit.frontend_ast.syntax.scopes import assigned_names, cleans_up, local_names
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import (
    NONE,
    Dict,
    Generated,
    Generator,
    Iteration,
    Num,
    Object,
    OneShot,
    Static,
    Value,
)
from soljit.ir import nodes
from soljit.ir.expr import TRUE, const
from soljit.ir.types import i64

DEEPEST = 8
NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


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
            cx.run(cx, fr, s.body)
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


def loop(cx: Lowering, fr: Frame, s: ast.For, generator: Generator | Generated) -> None:
    """`for target in generator(...)`, or in a generator expression."""
    if isinstance(generator, Generated):
        generator = of_expression(generator)
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


def closed(cx: Lowering, fr: Frame, s: ast.For, made: Object) -> None:
    """A loop over a generator of Python's that cleans up, which nothing else holds: that happens as soon as the loop is left."""
    again = ast.copy_location(ast.For(s.target, s.iter, s.body, s.orelse), s)
    name = f"<generator {s.lineno}:{s.col_offset} {len(fr.env)}>"
    bind(cx, fr, name, made)
    again.iter = ast.copy_location(ast.Name(name, ast.Load()), s.iter)

    def close() -> None:
        cx.objects.call(cx, HERE + "close", [cx.evaluate(cx, fr, again.iter)])

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


def _listed(items: Any) -> Any:
    """What a generator yields, in Python: this is compiled."""
    out = []
    for item in items:
        out.append(item)  # noqa: PERF402
    return out


def comprehension(cx: Lowering, fr: Frame, node: ast.ListComp, generator: Generator) -> Value:
    """A list comprehension over a generator; `fr` is the comprehension's own frame."""
    fr.env["<items>"] = generator
    add = ast.Attribute(ast.Name("<list>", ast.Load()), "append", ast.Load())
    start = ast.Assign([ast.Name("<list>", ast.Store())], ast.List([], ast.Load()))
    body = _nested(node, ast.Expr(ast.Call(add, [node.elt], [])))
    cx.run(cx, fr, [ast.fix_missing_locations(ast.copy_location(start, node)), body])
    return NONE if cx.current.done else fr.env["<list>"]


def _nested(node: ast.ListComp | ast.GeneratorExp, body: ast.stmt) -> ast.stmt:
    """The loops and conditions of a comprehension around a statement; the first loop runs over "<items>"."""
    for k, g in reversed(list(enumerate(node.generators))):
        for test in reversed(g.ifs):
            body = ast.If(test, [body], [])
        body = ast.For(g.target, g.iter if k else ast.Name("<items>", ast.Load()), [body], [])
    return ast.fix_missing_locations(ast.copy_location(body, node))


def of_expression(v: Generated) -> Generator:
    """A generator expression as the generator function that it stands for."""
    return expression(v.frame, v.node, v.source)


def generated_item(cx: Lowering, v: Generated, item: Value) -> Value:
    """What a generator expression without conditions yields for one item of what it runs over."""
    bind_target(cx, v.frame, v.node.generators[0].target, item)
    return cx.evaluate(cx, v.frame, v.node.elt)


def expression(fr: Frame, node: Any, items: Value) -> Generator:
    """A generator expression over these items; `fr` is its own frame."""
    body = _nested(node, ast.Expr(ast.Yield(node.elt)))
    tree = ast.copy_location(ast.FunctionDef("<genexpr>", NO_ARGUMENTS, [body], []), node)
    own = replace(fr, env={"<items>": items}, live=live_after(tree), locals=local_names(tree), returns=[])
    return Generator(own, tree)


def _numbered(items: Any, start: Any) -> Any:
    """enumerate of what a generator yields, in Python: this is compiled."""
    number = start
    for item in items:
        yield number, item
        number += 1


def numbered(cx: Lowering, generator: Generator, start: Value | None = None) -> Value:
    """enumerate of a generator"""
    first = Num(const(0), True) if start is None else start
    return inline_function(cx, _numbered, [generator, first], {})  # type: ignore[arg-type]


def _any(items: Any) -> bool:
    """any, in Python: this is compiled, as the following are."""
    for x in items:  # noqa: SIM110
        if x:
            return True
    return False


def _all(items: Any) -> bool:
    for x in items:  # noqa: SIM110
        if not x:
            return False
    return True


def _next(items: Any) -> Any:
    for x in items:
        return x
    raise StopIteration


def _next_or(items: Any, default: Any) -> Any:
    for x in items:
        return x
    return default


def _zip_first(items: Any, others: Any) -> Any:
    k = 0
    for x in items:
        if k >= len(others):
            return
        yield x, others[k]
        k += 1  # noqa: SIM113 (this is compiled)


def _zip_second(others: Any, items: Any) -> Any:
    k = 0
    if k < len(others):
        for x in items:
            yield others[k], x
            k += 1
            if k >= len(others):
                return


def _sum(items: Any, start: Any) -> Any:
    total = start
    for x in items:
        total = total + x
    return total


def _reduce(function: Any, items: Any) -> Any:
    value, some = None, False
    for x in items:
        if some:
            value = function(value, x)
        else:
            value, some = x, True
    if not some:
        raise TypeError("reduce() of empty iterable with no initial value")
    return value


def _reduce_from(function: Any, items: Any, value: Any) -> Any:
    for x in items:
        value = function(value, x)
    return value


def _folded(cx: Lowering, function: Any, args: list[Value], items: Value) -> Value | None:
    """A fold over a generator. Where that cannot be compiled the items may be gathered first if nobody can tell."""
    mark = cx.snapshot()
    try:
        return inline_function(cx, function, args, {})
    except UnsupportedError:
        if not isinstance(items, Generator) or may_have_effects(items.tree):
            raise
        cx.restore(mark)
        return None


def _is_sequence(v: Value) -> bool:
    """Does this have a length, and items by their numbers?"""
    if isinstance(v, Object):
        return v.type.cls in (list, tuple, str)
    return not isinstance(v, (Iteration, Generated, OneShot, Dict))


def consume(cx: Lowering, function: Any, args: list[Value]) -> Value | None:
    """A builtin that steps through a generator; None: not one of those that are known."""
    where = [k for k, a in enumerate(args) if isinstance(a, Generator)]
    match [*args]:
        case [Generator()] if function in (any, all, next):
            return inline_function(cx, {any: _any, all: _all, next: _next}[function], args, {})  # type: ignore[arg-type]
        case [Generator(), _] if function is next:
            return inline_function(cx, _next_or, args, {})  # type: ignore[arg-type]
        case [Generator(), *_] if function is sum:
            return _folded(cx, _sum, args if len(args) > 1 else [*args, Num(const(0), True)], args[0])
        case [_, Generator()] if function is functools.reduce:
            return _folded(cx, _reduce, args, args[1])
        case [_, Generator(), _] if function is functools.reduce:
            return _folded(cx, _reduce_from, args, args[1])
        case [a, b] if function is zip and len(where) == 1:
            if _is_sequence(b if where == [0] else a):
                return inline_function(cx, _zip_second if where == [1] else _zip_first, args, {})  # type: ignore[arg-type]
    return None


def listed(cx: Lowering, generator: Generator) -> Value:
    """A list of all that a generator yields."""
    return inline_function(cx, _listed, [generator], {})  # type: ignore[arg-type]


def give(cx: Lowering, fr: Frame, node: ast.Yield | ast.YieldFrom) -> None:
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
        cx.run(cx, fr, [again])
        return
    value = Static(None) if node.value is None else cx.evaluate(cx, fr, node.value)
    if not cx.current.done:
        consumer.take(cx, value)
