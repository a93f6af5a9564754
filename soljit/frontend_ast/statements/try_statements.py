"""try statements: the body becomes a loop that runs once, which an exception leaves by `break`.

A raise inside the body that a handler catches (known at compile time, for the class of the exception is) writes which exception it
is and its operands into scalars, and breaks out of the loops up to the body's own. Behind it the handlers follow as branches. Names that a
handler may read are variables, as names that a loop carries are. What leaves through a `finally` runs a copy of it.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence

from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.joins.binding import assign_if_bound, frozen_var, narrow
from soljit.frontend_ast.joins.new_variables import make_var
from soljit.frontend_ast.joins.type_lattice import kind_outside, type_number, with_type
from soljit.frontend_ast.lowering.caught import Caught, Signature
from soljit.frontend_ast.lowering.frames import Frame, Step
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.objects.objects import exception_of
from soljit.frontend_ast.statements.branches import OF_CHOICE, branch_on
from soljit.frontend_ast.statements.jumps import after_returns
from soljit.frontend_ast.statements.loop_fixpoint import unbind, with_variables
from soljit.frontend_ast.statements.raising import HANDLED, classes_of, is_text_read, set_handled
from soljit.frontend_ast.statements.statements import WITH_REST
from soljit.frontend_ast.statements.try_regions import Attempt
from soljit.frontend_ast.syntax.scopes import (
    assigned_names,
    captured_names,
    names_deleted,
    names_of_changed_objects,
    names_read,
)
from soljit.frontend_ast.values.values import Dict, Generated, Iteration, MaybeUnbound, Static, Union, Value
from soljit.frontend_ast.values.variables import VARIABLES
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import TRUE, Expr, const
from soljit.ir.core.types import b1, i64

MAX_COPIES = 12  # of a handler that wants the text of its exception, one for each kind of message


def _may_copy(body: Sequence[ast.stmt], copies: int) -> bool:
    """Tell whether so many copies of a handler or a finally clause may be made: none of one with such a statement in it, whose copies would be copied."""
    nodes = [n for s in body for n in ast.walk(s)]
    nested = any(isinstance(n, (ast.Try, ast.With)) for n in nodes)
    return copies == 1 or copies <= MAX_COPIES and not nested and copies * len(nodes) <= OF_CHOICE


def _raises_again(body: Sequence[ast.stmt]) -> bool:
    """Tell whether statements raise the exception that is handled where they begin."""
    for s in body:
        inner = [x for f in ("body", "orelse", "finalbody") for x in getattr(s, f, ()) if isinstance(x, ast.stmt)]
        if isinstance(s, ast.Raise) and s.exc is None or not isinstance(s, ast.FunctionDef) and _raises_again(inner):
            return True
    return False


# --- the statement ----------------------------------------------------------------------------------------------------


def try_statement(cx: Lowering, fr: Frame, s: ast.Try, rest: Sequence[ast.stmt]) -> Sequence[ast.stmt] | None:
    """`try`: its body. The statements that are left to lower, with the rest of the block; None: none is."""
    if s.finalbody and s.handlers:
        inner = ast.copy_location(ast.Try(s.body, s.handlers, s.orelse, []), s)
        around = {n for scope in fr.loops for n in scope.names}
        fr.live[inner] = fr.live.get(s, set()) | names_read(s.finalbody) | around
        outer = ast.copy_location(ast.Try([inner], [], [], s.finalbody), s)
        fr.live[outer] = fr.live.get(s, set())
        return try_statement(cx, fr, outer, rest)
    groups = [classes_of(cx, fr, h.type) for h in s.handlers] or [(BaseException,)]
    return lower_try(cx, fr, s, groups, rest)


def lower_try(
    cx: Lowering, fr: Frame, s: ast.Try, groups: list[tuple[type[BaseException], ...]], rest: Sequence[ast.stmt]
) -> Sequence[ast.stmt] | None:
    """A try whose handlers are for these classes."""
    return _Statement(cx, fr, s, groups).lower(rest)


def share(cx: Lowering, fr: Frame, names: set[str], body: Sequence[ast.stmt]) -> None:
    """Statements to the end of a block during which names are variables, because nested functions assign them."""
    s = ast.copy_location(ast.Try(list(body), [], [], []), body[0])
    fr.live[s] = fr.live_behind(body)
    statement = _Statement(cx, fr, s, [])
    statement.names = names
    cx.above.run(cx, fr, statement.lower([]) or ())


class _Statement:
    """One try statement with either handlers or a finally clause."""

    def __init__(self, cx: Lowering, fr: Frame, s: ast.Try, groups: list[tuple[type[BaseException], ...]]) -> None:
        self.cx, self.fr, self.s, self.groups = cx, fr, s, groups
        assigned = assigned_names(s.body) | names_of_changed_objects(s.body)
        caught: set[str] = set(names_read(s.finalbody))
        for h in s.handlers:
            caught |= fr.live.get(h, set()) - {h.name}  # which it binds
        for a in cx.attempts:
            if a.frame is fr:
                caught |= a.names
        self.names = assigned & caught
        after = fr.live.get(s, set()) | names_read(s.orelse) | names_read(s.finalbody)
        self.after = assigned & after
        self.attempt: Attempt | None = None
        self.handled = fr.env.get(HANDLED)  # by the handler around the statement
        self.ends = False  # does control reach the end of the body?
        self.found: dict[str, Value] = {}  # names bound in the body, at its end
        self.lost: set[str] = set()  # and those deleted there
        self.types: dict[str, int | None] = {}  # which of its types a variable is known to have there

    def lower(self, rest: Sequence[ast.stmt]) -> Sequence[ast.stmt] | None:
        """The body. The statements that are left to lower, with the rest of the block; None: none is."""
        cx, fr = self.cx, self.fr
        scope = with_variables(cx, fr, self.names, False, self.body, once=True)
        attempt = self.attempt
        assert attempt is not None
        for node in scope.jumps:
            self._jump(attempt, node)
        follows = [*self._dispatch(attempt, rest), *rest]
        if not fr.left_by_return:
            return follows
        fr.left_by_return = False
        after_returns(cx, fr, follows)
        return None

    def body(self) -> None:
        """The body, as a loop that runs once."""
        cx, fr, s = self.cx, self.fr, self.s
        scope = fr.loops[-1]
        state = cx.scalar(i64, "raised")
        cx.write(state, const(0))
        names = frozenset(self.names)
        attempt = Attempt(fr, scope, names, self.groups, state, len(cx.blocks), s.finalbody, self.handled)
        scope.attempt, self.attempt = attempt, attempt
        cx.attempts.append(attempt)
        try:
            with cx.block(TRUE) as body:
                cx.above.run(cx, fr, s.body)
                self.ends = not cx.current.done
                if self.ends:
                    self.found = self._keep()
                    cx.emit(nodes.Break())
        finally:
            cx.attempts.pop()
        if attempt.signatures or scope.jumps or scope.returns or body.attempts:
            cx.emit(nodes.While(TRUE, body))  # type: ignore[arg-type]
            return
        for n in body.items[:-1] if self.ends else body.items:
            cx.emit(n)

    def _keep(self) -> dict[str, Value]:
        """Variables for the names that are read behind the statement, whose values would be lost with the loop."""
        cx, out = self.cx, {}
        self.types = {}
        self.lost = {n for n in self.after | self.names if n not in self.fr.env}
        for n in sorted(self.after | self.names):
            v = self.fr.env.get(n)
            held = v.value if isinstance(v, MaybeUnbound) else v
            if isinstance(held, VARIABLES):
                self.types[n] = type_number(v)
                continue
            if v is None:
                continue
            if isinstance(held, Dict):
                grow(cx, held)
            if isinstance(held, (Generated, Iteration)):
                raise cx.unsupported(f"'{n}' made in a try and used behind it", "make it before the try")
            assert held is not None
            var = make_var(cx, kind_outside(kind_of(cx, held), self.fr.loops[-1].outside.__contains__), n)
            assign_if_bound(cx, var, v)
            if isinstance(v, MaybeUnbound):
                flag = cx.scalar(b1, f"{n}_bound")
                cx.write(flag, v.bound)
                var = MaybeUnbound(var, cx.read(flag))
            out[n] = var
        return out

    def _jump(self, attempt: Attempt, node: nodes.Break | nodes.Continue) -> None:
        """A break or continue of a loop around the statement, from inside the body."""
        cx, outer = self.cx, self.fr.loops[-1]
        code = const(JUMPS[type(node)])
        with cx.block() as out:
            cx.emit(nodes.Break() if outer.attempt is not None else node)
        cx.branch(symbolic.eq(cx.read(attempt.state), code), out)

    # --- behind the body ---

    def _dispatch(self, attempt: Attempt, rest: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements: the else clause or the handlers, as branches."""
        cx, s = self.cx, self.s
        number = cx.let(cx.read(attempt.state), "raised")
        normal = [self._step(self._enter_normally), *s.orelse, *s.finalbody]
        if self.ends and self._is_shared():
            return self._finally_once(attempt, number)
        arms: list[tuple[Expr, list[ast.stmt]]] = []
        for group in range(len(self.groups)):
            found = [x for x in attempt.signatures if x.group == group and x.is_there(cx)]
            for some in self._copies(group, found):
                arms.append((_any_of(number, some), self._handler(group, some, number)))
        if not arms:
            return normal if self.ends else [self._step(lambda: cx.current.finish())]
        _, tail = arms[-1]
        for cond, arm in reversed(arms[:-1]):
            tail = [self._if(cond, arm, tail)]
        if not self.ends:
            return tail
        return [self._if(symbolic.eq(number, const(0)), normal, tail)]

    def _is_shared(self) -> bool:
        """Tell whether the finally clause is lowered once, whether or not an exception comes to it: one that is copied must be short."""
        last = self.s.finalbody
        return bool(last) and not _may_copy(last, 2) and not _raises_again(last)

    def _finally_once(self, attempt: Attempt, number: Expr) -> list[ast.stmt]:
        """Statements: the finally clause, after which an exception is raised again."""
        cx, fr, last = self.cx, self.fr, self.s.finalbody
        found = [x for x in attempt.signatures if x.is_there(cx)]
        if not found:
            return [self._step(self._enter_normally), *last]
        before = dict(fr.env)
        changed = assigned_names(last) | names_of_changed_objects(last)

        def end() -> None:
            with cx.block(symbolic.ne(number, const(0))) as again:
                Caught(found, number).raise_again(cx)
            cx.branch(symbolic.ne(number, const(0)), again)
            kept = {n: fr.env.pop(n) for n in changed if n in fr.env}
            for n in self.lost | self.found.keys() | self.types.keys():
                fr.env.pop(n, None)
                if n in before:
                    fr.env[n] = before[n]
            self._enter_normally()
            for n in changed:
                fr.env.pop(n, None)
            fr.env.update(kept)

        begin = self._if(symbolic.eq(number, const(0)), [self._step(self._enter_normally)], [])
        around = {n for scope in fr.loops for n in scope.names} | {
            n for a in cx.attempts if a.frame is fr for n in a.names
        }
        fr.live[begin] = names_read(last) | (changed & fr.live.get(self.s, set())) | around
        return [begin, *last, self._step(end)]

    def _copies(self, group: int, found: list[Signature]) -> list[list[Signature]]:
        """The signatures that share one copy of the handler."""
        h = self.s.handlers[group] if self.s.handlers else None
        if h is None or not self._is_read(h) or not is_text_read(h) or not _may_copy(h.body, len(found)):
            return [found] if found else []
        return [[x] for x in found]

    def _handler(self, group: int, found: list[Signature], number: Expr) -> list[ast.stmt]:
        cx, fr, s = self.cx, self.fr, self.s
        caught = Caught(found, number)
        if not s.handlers:  # a finally clause

            def begin() -> None:
                set_handled(fr, Static(caught))

            def again() -> None:
                caught.raise_again(cx)

            return [self._step(begin), *s.finalbody, self._step(again)]
        h = s.handlers[group]
        name = h.name

        def enter() -> None:
            for n in sorted(names_deleted(h)):
                unbind(cx, fr, n)
            error: Value = Static(caught)
            if name in fr.shared:
                raise cx.unsupported(
                    f"'{name}', an exception's name that a nested function assigns", "name it otherwise"
                )
            if name is not None and self._is_read(h):
                if len(found) > 1 or not is_text_read(h) or name not in names_read(h.body):
                    error = exception_of(cx, caught)
                if name in fr.env:
                    fr.env[f"<{name} outside>"] = fr.env[name]  # a variable, without a value now
                fr.env[name] = error
            set_handled(fr, error)

        def leave() -> None:
            set_handled(fr, self.handled)
            if name is not None:
                fr.env.pop(name, None)
                if f"<{name} outside>" in fr.env:
                    fr.env[name] = fr.env.pop(f"<{name} outside>")

        return [self._step(enter), *h.body, self._step(leave)]

    def _is_read(self, h: ast.ExceptHandler) -> bool:
        """Tell whether the handler, or a function that it calls, may look at its exception by name."""
        body = self.fr.tree.body if isinstance(self.fr.tree, ast.FunctionDef) else []
        return h.name is not None and (h.name in names_read(h.body) or h.name in captured_names(body))

    def _enter_normally(self) -> None:
        """Bind names to what they are at the end of the body."""
        cx, env = self.cx, self.fr.env
        for n in self.lost:
            env.pop(n, None)
        for n, v in self.found.items():
            if isinstance(v, MaybeUnbound):
                env[n] = MaybeUnbound(frozen_var(cx, v.value, n), cx.let(v.bound, f"{n}_bound"))
            else:
                env[n] = frozen_var(cx, v, n)
        for n, k in self.types.items():
            v = env[n]
            env[n] = narrow(cx, v, k) if isinstance(v, Union) and k is not None else with_type(v, k)

    def _step(self, action: Callable[[], None]) -> ast.stmt:
        step, s = ast.copy_location(Step(action), self.s), self.s
        self.fr.live[step] = self.fr.live.get(s, set()) | names_read(s.orelse) | names_read(s.finalbody)
        return step

    def _if(self, cond: Expr, then: list[ast.stmt], orelse: list[ast.stmt]) -> ast.If:
        return branch_on(self.fr, self.s, cond, then, orelse)


JUMPS: dict[type[nodes.Node], int] = {nodes.Break: -1, nodes.Continue: -2}


def _any_of(number: Expr, found: Sequence[Signature]) -> Expr:
    """Tell whether it is one of these. They are in order; those that follow each other are asked for together."""
    conditions: list[Expr] = []
    numbers = {s.number for s in found}
    for first in sorted(n for n in numbers if n - 1 not in numbers):
        last = next(n for n in itertools.count(first) if n + 1 not in numbers)
        bounds = symbolic.ge(number, const(first)), symbolic.le(number, const(last))
        conditions.append(symbolic.conj(*bounds) if last > first else symbolic.eq(number, const(first)))
    return symbolic.disj(*conditions)


WITH_REST[ast.Try] = try_statement
