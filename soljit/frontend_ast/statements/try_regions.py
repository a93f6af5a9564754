"""A try statement whose body is being lowered: the ways out of it by exceptions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field

from soljit.base.python.names import find
from soljit.base.python.object_names import class_name
from soljit.base.records import dataclass
from soljit.frontend_ast.calls.classes.instance_arguments import leave_by_exception
from soljit.frontend_ast.lowering.caught import Signature
from soljit.frontend_ast.lowering.frames import Frame, LoopScope
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.statements.loop_fixpoint import end_of_iteration
from soljit.frontend_ast.statements.raising import handling
from soljit.frontend_ast.values.values import Value
from soljit.ir.core import nodes
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Expr, Op, const
from soljit.ir.core.types import b1, i64
from soljit.support.limits import is_limit


@dataclass(eq=False)
class Attempt:
    """A try statement whose body is being lowered.

    groups: the classes of each handler; finalbody: what runs on every way out (then there is one group, of all exceptions)
    depth:   how many blocks are open around the loop's body
    handled: the exception that the handler around the statement handles
    status:  where calls back in the body report exceptions, with its container
    """

    frame: Frame
    scope: LoopScope
    names: frozenset[str]
    groups: list[tuple[type[BaseException], ...]]
    state: str
    depth: int
    finalbody: Sequence[ast.stmt] = ()
    handled: Value | None = None
    signatures: list[Signature] = field(default_factory=list)
    status: tuple[str, Scalar] | None = None

    def catch(self, cx: Lowering, exception: str, message: str | None, operands: Sequence[Expr]) -> bool:
        """Leave the body with this exception if a handler takes it."""
        cls = find(exception)
        if is_limit(exception, message):  # no handler may hide them
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
        leave_by_exception(cx, self.frame, self.scope)
        end_of_iteration(cx, self.frame, self.names, self.scope)
        cx.write(self.state, const(s.number))
        self.mark(cx)
        cx.emit(nodes.Break())

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
        for s in self.signatures:
            if (
                not s.slot
                and (s.group, s.exception, s.message, s.dtypes) == (group, exception, message, dtypes)
                and s.is_there(cx)
            ):
                return s
        names = [cx.scalar(t, "operand") for t in dtypes]
        containers: list[Scalar] = [cx.data[n] for n in names]  # type: ignore[misc]
        number = len(self.signatures) + 1
        s = Signature(number, group, exception, message, dtypes, tuple(names), tuple(containers))
        self.signatures.append(s)
        return s

    def slot(self, cx: Lowering) -> str:
        """The scalar that calls back in the body report their exceptions by, under whose name these wait: a body is left by one at a time."""
        if self.status is None or cx.data.get(self.status[0]) is not self.status[1]:
            name = cx.scalar(i64, "status")
            self.status = name, cx.data[name]  # type: ignore[assignment]
        assert self.status is not None
        return self.status[0]

    def called_back(self, cx: Lowering, group: int, slot: str) -> Signature:
        """The exception of a call back into Python, which `slot` keeps."""
        for s in self.signatures:
            if s.slot == slot and s.group == group and s.is_there(cx):
                return s
        cls, number = self.groups[group][0], len(self.signatures) + 1
        container: Scalar = cx.data[slot]  # type: ignore[assignment]
        s = Signature(number, group, class_name(cls), None, (), (slot,), (container,), slot)
        self.signatures.append(s)
        return s

    def run_finally(self, cx: Lowering) -> None:
        """A copy of the finally clause, here."""
        fr = self.frame
        fr.leaving.append((self, len(fr.loops)))
        try:
            with handling(fr, self.handled):
                cx.above.run(cx, fr, self.finalbody)
        finally:
            fr.leaving.pop()
