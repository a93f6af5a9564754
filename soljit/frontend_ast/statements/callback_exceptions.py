"""Exceptions of calls back into Python inside try statements: the call reports which handler its exception is for (`support/pending.py`)."""

from __future__ import annotations

from dataclasses import replace

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.statements.try_regions import Attempt
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import const
from soljit.support import pending


def guard_callback(cx: Lowering, node: nodes.Callback) -> tuple[nodes.Callback, str]:
    """The call with a status that tells which handler its exception is for; "": nothing catches any."""
    catches = [a.groups[group] for a, group in _reached(cx)]
    if not catches:
        return node, ""
    if node.target.startswith("param:"):
        raise cx.unsupported("calling an object in a try", "call it before the try")
    status = cx.attempts[-1].slot(cx)
    target = pending.guarded(node.target, status, catches)
    return replace(node, target=target, outs=(*node.outs, status)), status


def _reached(cx: Lowering) -> list[tuple[Attempt, int]]:
    """The handlers that an exception of unknown class may come to: from inside, up to one that takes all."""
    out: list[tuple[Attempt, int]] = []
    for a in reversed(cx.attempts):
        for k, classes in enumerate(a.groups):
            out.append((a, k))
            if BaseException in classes:
                return out
    return out


def after_callback(cx: Lowering, status: str) -> None:
    """Go to the handler that the status names."""
    value = cx.let(cx.read(status), "status")
    with cx.block() as failed:
        for k, (a, group) in enumerate(_reached(cx)):
            with cx.block() as this:
                a.leave(cx, a.called_back(cx, group, status))
            cx.branch(symbolic.eq(value, const(k + 1)), this)
    cx.branch(symbolic.ne(value, const(0)), failed)
