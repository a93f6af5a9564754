"""try statements: the body becomes a loop that runs once, which an exception leaves by `break`.

A raise inside the body that a handler catches (known at compile time, for the class of the exception is) writes which exception it
is and its operands into scalars, and breaks out of the loops up to the body's own. Behind it the handlers follow as branches. Names that a
handler may read are variables, as names that a loop carries are. What leaves through a `finally` runs a copy of it. A call
back into Python inside a try reports which handler its exception is for (`ir/pending.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from soljit.frontend_ast.exceptions import Caught, Signature, class_of, classes_of, suppressed, with_statement
from soljit.frontend_ast.frames import (
    VARIABLES,
    Frame,
    Kind,
    LoopScope,
    assign_var,
    frozen_var,
    kind_of,
    kind_outside,
    make_var,
    read_name,
)
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.names import assigned_names, names_read
from soljit.frontend_ast.statements import (
    WITH_REST,
    Step,
    after_returns,
    end_of_iteration,
    with_variables,
)
from soljit.frontend_ast.values import Dict, Generated, Iteration, MaybeUnbound, Num, Static, Value
from soljit.ir import nodes, pending, symbolic
from soljit.ir.data import Data, Scalar
from soljit.ir.expr import FALSE, TRUE, Expr, Load, Op, const
from soljit.ir.types import b1, i64

MAX_COPIES = 12  # of a handler that looks at its exception, one for each kind of message
LIMITS = ("Python int does not fit 64 bits",)  # raised where Python would go on: no handler may hide it


@dataclass(eq=False)
class State:
    """What the names that do not keep one type are at a raise: their types, and variables that hold them for the handler."""

    kinds: dict[str, Kind]
    variables: dict[str, Value]
    containers: list[tuple[str, Data]]


class Split(Exception):
    """A name gets a value of another type in the body of a try: the try is lowered again with the name split."""

    def __init__(self, attempt: Attempt, name: str) -> None:
        self.attempt, self.name = attempt, name


@dataclass(eq=False)
class Attempt:
    """A try statement whose body is being lowered.

    groups: the classes of each handler; finalbody: what runs on every way out (then there is one group, of all exceptions)
    depth:  how many blocks are open around the loop's body
    split:  names that do not keep one type: an exception takes along what they are where it is raised
    """

    frame: Frame
    scope: LoopScope
    names: frozenset[str]
    groups: list[tuple[type[BaseException], ...]]
    state: str
    depth: int
    finalbody: Sequence[ast.stmt] = ()
    split: frozenset[str] = frozenset()
    signatures: list[Signature] = field(default_factory=list)
    states: list[State] = field(default_factory=list)

    def catch(self, cx: Lowering, exception: str, message: str | None, operands: Sequence[Expr]) -> bool:
        """Leave the body with this exception if a handler takes it."""
        cls = class_of(exception)
        if message in LIMITS or exception.startswith("soljit."):
            return False
        for k, classes in enumerate(self.groups):
            if issubclass(cls, classes):
                s = self._signature(cx, k, exception, message, operands)
                for name, e in zip(s.operands, operands):
                    cx.write(name, e)
                self.leave(cx, s)
                return True
        return False

    def leave(self, cx: Lowering, s: Signature) -> None:
        """Emit the way from here to the handlers."""
        fr = self.frame
        end_of_iteration(cx, fr, self.names, self.scope)
        for n, var in self.states[s.state].variables.items():
            v = fr.env[n]
            if isinstance(v, MaybeUnbound) and isinstance(var, MaybeUnbound):
                assert isinstance(var.bound, Load)
                cx.write(var.bound.memlet.data, v.bound)
                v, var = v.value, var.value
            assign_var(cx, var, read_name(cx, v))
        cx.write(self.state, const(s.number))
        self.mark(cx)
        cx.emit(nodes.Break())

    def _state(self, cx: Lowering) -> int:
        """The number of the state of the split names here."""
        env, kinds = self.frame.env, {}
        for n in sorted(self.split & env.keys()):
            kinds[n] = kind_outside(kind_of(cx, env[n]), self.scope.outside)
        maybe = {n for n in kinds if isinstance(env[n], MaybeUnbound)}
        for k, state in enumerate(self.states):
            unsure = {n for n, v in state.variables.items() if isinstance(v, MaybeUnbound)}
            if (state.kinds, unsure) == (kinds, maybe) and all(cx.data.get(n) is d for n, d in state.containers):
                return k
        before = set(cx.data)
        variables = {n: make_var(cx, kind, n) for n, kind in kinds.items()}
        for n in maybe:
            variables[n] = MaybeUnbound(variables[n], cx.read(cx.scalar(b1, f"{n}_bound")))
        made = [(n, d) for n, d in cx.data.items() if n not in before]
        self.states.append(State(kinds, variables, made))
        return len(self.states) - 1

    def mark(self, cx: Lowering) -> None:
        """The loops between here and the body are left by an exception."""
        for b in cx.blocks[self.depth + 1 :]:
            if self not in b.attempts:
                b.attempts.append(self)

    def pass_on(self, cx: Lowering) -> None:
        """Behind a loop that an exception may have left: leave the loop around it, too."""
        raised = Op("ne", (cx.read(self.state), const(0)), b1)
        with cx.block() as out:
            cx.emit(nodes.Break())
        cx.branch(raised, out)

    def _signature(
        self, cx: Lowering, group: int, exception: str, message: str | None, operands: Sequence[Expr]
    ) -> Signature:
        dtypes = tuple(e.dtype for e in operands)
        state = self._state(cx)
        for s in self.signatures:
            known = (s.group, s.exception, s.message, s.dtypes, s.state)
            if known == (group, exception, message, dtypes, state):
                if all(cx.data.get(n) is d for n, d in zip(s.operands, s.containers)):
                    return s
        names = [cx.scalar(t, "operand") for t in dtypes]
        containers: list[Scalar] = [cx.data[n] for n in names]  # type: ignore[misc]
        number = len(self.signatures) + 1
        s = Signature(number, group, exception, message, dtypes, state, tuple(names), tuple(containers))
        self.signatures.append(s)
        return s

    def called_back(self, cx: Lowering, group: int, slot: str) -> Signature:
        """The exception of a call back into Python, which `slot` keeps."""
        cls, number = self.groups[group][0], len(self.signatures) + 1
        s = Signature(number, group, f"{cls.__module__}.{cls.__qualname__}", None, (), self._state(cx), slot=slot)
        self.signatures.append(s)
        return s

    def split_name(self, name: str) -> None:
        """Lower the statement again: this name does not keep its type in the body."""
        raise Split(self, name)

    def run_finally(self, cx: Lowering) -> None:
        """A copy of the finally clause, here."""
        cx.run(cx, self.frame, self.finalbody)


def guard_callback(cx: Lowering, node: nodes.Callback) -> tuple[nodes.Callback, str]:
    """The call with a status that tells which handler its exception is for."""
    if node.target.startswith("param:"):
        raise cx.unsupported("calling an object in a try", "call it before the try")
    catches = [group for a in reversed(cx.attempts) for group in a.groups]
    status = cx.scalar(i64, "status")
    target = pending.guarded(node.target, status, catches)
    return replace(node, target=target, outs=(*node.outs, status)), status


def after_callback(cx: Lowering, status: str) -> None:
    """Go to the handler that the status names."""
    value = cx.let(cx.read(status), "status")
    with cx.block() as failed:
        k = 0
        for a in reversed(list(cx.attempts)):
            for group in range(len(a.groups)):
                k += 1
                with cx.block() as this:
                    a.leave(cx, a.called_back(cx, group, status))
                cx.branch(symbolic.eq(value, const(k)), this)
    cx.branch(symbolic.ne(value, const(0)), failed)


# --- the statement ----------------------------------------------------------------------------------------------------


def try_statement(cx: Lowering, fr: Frame, s: ast.Try, rest: Sequence[ast.stmt]) -> bool:
    """`try`; True: the rest of the block was lowered along with it."""
    if s.finalbody and s.handlers:
        inner = ast.copy_location(ast.Try(s.body, s.handlers, s.orelse, []), s)
        around = {n for scope in fr.loops for n in scope.names}
        fr.live[inner] = fr.live.get(s, set()) | names_read(s.finalbody) | around
        outer = ast.copy_location(ast.Try([inner], [], [], s.finalbody), s)
        fr.live[outer] = fr.live.get(s, set())
        return try_statement(cx, fr, outer, rest)
    groups = [classes_of(cx, fr, h.type) for h in s.handlers] or [(BaseException,)]
    return _Statement(cx, fr, s, groups).lower(rest)


def with_(cx: Lowering, fr: Frame, s: ast.With, rest: Sequence[ast.stmt]) -> bool:
    """`with contextlib.suppress(...)` is a try; other context managers are statements."""
    classes = suppressed(cx, fr, s)
    if classes is None:
        with_statement(cx, fr, s)
        return False
    handler = ast.ExceptHandler(None, None, [ast.copy_location(ast.Pass(), s)])
    again = ast.copy_location(ast.Try(s.body, [handler], [], []), s)
    fr.live[again] = fr.live[handler] = fr.live.get(s, set())
    return _Statement(cx, fr, again, [classes]).lower(rest)


class _Statement:
    """One try statement with either handlers or a finally clause."""

    def __init__(self, cx: Lowering, fr: Frame, s: ast.Try, groups: list[tuple[type[BaseException], ...]]) -> None:
        self.cx, self.fr, self.s, self.groups = cx, fr, s, groups
        assigned = assigned_names(s.body)
        caught: set[str] = set(names_read(s.finalbody))
        for h in s.handlers:
            caught |= fr.live.get(h, set())
        for a in cx.attempts:
            if a.frame is fr:
                caught |= a.names
        self.names = assigned & caught
        after = fr.live.get(s, set()) | names_read(s.orelse) | names_read(s.finalbody)
        self.after = assigned & after
        self.split = {n for n in self.names if isinstance(fr.env.get(n), Static)}
        self.attempt: Attempt | None = None
        self.ends = False  # does control reach the end of the body?
        self.found: dict[str, Value] = {}  # names bound in the body, at its end

    def lower(self, rest: Sequence[ast.stmt]) -> bool:
        """The whole statement; True: with the rest of the block."""
        cx, fr = self.cx, self.fr
        scope = self._lower_body()
        attempt = self.attempt
        assert attempt is not None
        for node in scope.jumps:
            self._jump(attempt, node)
        tail = self._dispatch(attempt, rest)
        if fr.left_by_return:
            fr.left_by_return = False
            after_returns(cx, fr, [*tail, *rest])
        else:
            cx.run(cx, fr, [*tail, *rest])
        return True

    def _lower_body(self) -> LoopScope:
        """The body, again whenever a name turns out to change its type."""
        cx, fr = self.cx, self.fr
        mark, env = cx.snapshot(), dict(fr.env)
        while True:
            open_ = (list(fr.loops), list(cx.attempts))
            try:
                return with_variables(cx, fr, self.names - self.split, False, self.body)
            except Split as found:
                if found.attempt is not self.attempt:
                    raise
                self.split.add(found.name)
            cx.restore(mark)
            fr.env, fr.loops, cx.attempts = dict(env), *open_

    def body(self) -> None:
        """The body, as a loop that runs once."""
        cx, fr, s = self.cx, self.fr, self.s
        scope = fr.loops[-1]
        state = cx.scalar(i64, "raised")
        cx.write(state, const(0))
        split = frozenset(self.split)
        names = frozenset(self.names) - split
        attempt = Attempt(fr, scope, names, self.groups, state, len(cx.blocks), s.finalbody, split)
        scope.attempt, self.attempt = attempt, attempt
        cx.attempts.append(attempt)
        try:
            with cx.block(TRUE) as body:
                cx.run(cx, fr, s.body)
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
        for n in sorted(self.after | self.names):
            v = self.fr.env.get(n)
            held = v.value if isinstance(v, MaybeUnbound) else v
            if v is None or isinstance(held, VARIABLES):
                continue
            if isinstance(held, (Dict, Generated, Iteration)):
                raise cx.unsupported(f"'{n}' made in a try and used behind it", "make it before the try")
            assert held is not None
            var = make_var(cx, kind_outside(kind_of(cx, held), self.fr.loops[-1].outside), n)
            assign_var(cx, var, read_name(cx, held))
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
        arms: list[tuple[Expr, list[ast.stmt]]] = []
        for group in range(len(self.groups)):
            found = [x for x in attempt.signatures if x.group == group]
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

    def _copies(self, group: int, found: list[Signature]) -> list[list[Signature]]:
        """The signatures that share one copy of the handler."""
        h = self.s.handlers[group] if self.s.handlers else None
        if h is not None and h.name is not None and h.name in names_read(h.body):
            out = [[x] for x in found]
        else:
            out = [[x for x in found if x.state == state] for state in sorted({x.state for x in found})]
        if len(out) > MAX_COPIES:
            raise self.cx.unsupported("a handler for exceptions from so many different places", "put less into the try")
        return out

    def _handler(self, group: int, found: list[Signature], number: Expr) -> list[ast.stmt]:
        cx, fr, s = self.cx, self.fr, self.s
        caught = Caught(found, number)
        assert self.attempt is not None
        variables = self.attempt.states[found[0].state].variables
        if not s.handlers:  # a finally clause

            def again() -> None:
                caught.raise_again(cx)

            return [self._step(lambda: self._take(variables)), *s.finalbody, self._step(again)]
        h = s.handlers[group]
        name = h.name

        def enter() -> None:
            self._take(variables)
            for n in _bare_raises(h.body):
                fr.caught[n] = caught
            if name is not None:
                fr.env[name] = Static(caught)

        def leave() -> None:
            if name is not None:
                fr.env.pop(name, None)

        return [self._step(enter), *h.body, self._step(leave)]

    def _enter_normally(self) -> None:
        self._take(self.found)

    def _take(self, variables: dict[str, Value]) -> None:
        """Bind names to what their variables hold."""
        for n, v in variables.items():
            if isinstance(v, MaybeUnbound):
                flag = self.cx.let(v.bound, f"{n}_bound")
                self.fr.env[n] = MaybeUnbound(frozen_var(self.cx, v.value, n), flag)
            else:
                self.fr.env[n] = frozen_var(self.cx, v, n)

    def _step(self, action: Callable[[], None]) -> ast.stmt:
        return ast.copy_location(Step(action), self.s)

    def _if(self, cond: Expr, then: list[ast.stmt], orelse: list[ast.stmt]) -> ast.If:
        fr = self.fr
        name = f"<raised {len(fr.env)} {id(then)}>"
        fr.env[name] = Num(cond, True)
        node = ast.copy_location(ast.If(ast.copy_location(ast.Name(name, ast.Load()), self.s), then, orelse), self.s)
        fr.live[node] = fr.live.get(self.s, set())
        return node


JUMPS: dict[type[nodes.Node], int] = {nodes.Break: -1, nodes.Continue: -2}


def _any_of(number: Expr, found: Sequence[Signature]) -> Expr:
    cond: Expr = FALSE
    for s in found:
        cond = symbolic.disj(cond, symbolic.eq(number, const(s.number)))
    return cond


def _bare_raises(body: Sequence[ast.stmt]) -> list[ast.Raise]:
    """`raise` without an exception, of this handler."""
    out: list[ast.Raise] = []
    stack: list[ast.AST] = list(body)
    while stack:
        n = stack.pop()
        if isinstance(n, ast.Raise) and n.exc is None:
            out.append(n)
        if not isinstance(n, (ast.FunctionDef, ast.Lambda, ast.ExceptHandler)):
            stack.extend(ast.iter_child_nodes(n))
    return out


WITH_REST[ast.Try] = try_statement
WITH_REST[ast.With] = with_
