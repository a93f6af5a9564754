"""Exceptions that leave the body of a try, and the one that a handler deals with."""

from __future__ import annotations

from collections.abc import Sequence

from soljit.base.python.names import find
from soljit.base.records import dataclass
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import CompileTime
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Expr, const
from soljit.ir.core.types import DType
from soljit.support.limits import NOTHING_TO_RAISE


@dataclass(frozen=True, eq=False)
class Signature:
    """One kind of exception that leaves the body of a try: `number` stands for it at run time.

    group:    which handler takes it
    operands: scalars that receive the operands of the message, with their containers
    slot:     where the exception of a call back into Python waits (a scalar, which is the only operand); "" for a raise of compiled code
    """

    number: int
    group: int
    exception: str
    message: str | None
    dtypes: tuple[DType, ...]
    operands: tuple[str, ...] = ()
    containers: tuple[Scalar, ...] = ()
    slot: str = ""

    def is_there(self, cx: Lowering) -> bool:
        """Tell whether its scalars still exist. What made it may have been lowered anew."""
        return all(cx.data.get(n) is d for n, d in zip(self.operands, self.containers))


class Caught(CompileTime):
    """The exception that a handler deals with: one of `signatures`, `number` tells which."""

    def __init__(self, signatures: Sequence[Signature], number: Expr) -> None:
        self.signatures, self.number = tuple(signatures), number

    def raise_again(self, cx: Lowering) -> None:
        """`raise` of this exception."""
        *others, last = self.signatures
        for s in others:
            cond = symbolic.eq(self.number, const(s.number))
            with cx.block() as this:
                _raise_signature(cx, s)
            cx.branch(cond, this)
        _raise_signature(cx, last)

    def only(self, cx: Lowering) -> Signature:
        """What it is, where that is known at compile time."""
        if len(self.signatures) > 1 or self.signatures[0].slot:
            raise cx.unsupported(
                "looking at an exception that NumPy or Python raised", "handle it without using the exception itself"
            )
        return self.signatures[0]

    def text(self, cx: Lowering) -> tuple[str, list[Expr]]:
        """`str` of it, as a template and its operands."""
        s = self.only(cx)
        cls = find(s.exception)
        if cls.__str__ is not BaseException.__str__:
            raise cx.unsupported(f"the text of a {cls.__name__}")
        return s.message or "", [cx.let(cx.read(n), n) for n in s.operands]


def _raise_signature(cx: Lowering, s: Signature) -> None:
    if s.slot:
        cx.emit(nodes.Callback("soljit.support.pending.raise_again", (), (), (s.slot,)))
        cx.raise_("SystemError", NOTHING_TO_RAISE)
        return
    cx.raise_(s.exception, s.message, [cx.let(cx.read(n), n) for n in s.operands])
