"""The else clause of loops."""

from __future__ import annotations

import ast

from soljit.frontend_ast.joins.phi import merge_envs
from soljit.frontend_ast.joins.type_lattice import (
    CannotMerge,
)
from soljit.frontend_ast.lowering.frames import Frame, LoopScope
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.statements.branches import branch_on, lower_arm, may_return
from soljit.ir import symbolic


def loop_else(cx: Lowering, fr: Frame, s: ast.For | ast.While, scope: LoopScope) -> None:
    """The else clause, which runs unless the loop was left by a break or return."""
    if s.orelse:
        left, fr.left_by_return = fr.left_by_return, False
        _loop_else(cx, fr, s, scope)
        fr.left_by_return |= left


def _loop_else(cx: Lowering, fr: Frame, s: ast.For | ast.While, scope: LoopScope) -> None:
    assert scope.broke is not None
    env = dict(fr.env)
    cond = cx.let(cx.read(scope.broke), "broke")
    if fr.returns is not None and not fr.loops and may_return(s.orelse):
        fr.goes_on = [branch_on(fr, s, symbolic.negate(cond), s.orelse, [])]
        return
    with cx.block() as nothing:
        pass
    orelse, env_else = lower_arm(cx, fr, symbolic.negate(cond), s.orelse)
    if orelse.done:
        cx.branch(symbolic.negate(cond), orelse, nothing)
        return
    try:
        with cx.aside() as holder:
            merged = merge_envs(cx, fr.live.get(s, set()), (orelse, env_else), (nothing, env))
    except CannotMerge as e:
        raise cx.unsupported(f"after this loop, {e.text}") from None
    cx.branch(symbolic.negate(cond), orelse, nothing)
    cx.append(holder)
    fr.env = merged
