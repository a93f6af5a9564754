"""`if` statements, and what names stand for after them.

A branch whose arms leave names with values that have no common type is lowered again with the rest of the block copied into both arms.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from soljit.frontend_ast.expressions.conditionals import condition
from soljit.frontend_ast.joins.phi import branch_that_leaves, merge_envs
from soljit.frontend_ast.joins.type_lattice import CannotMerge
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import NONE, Num, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, Sym, subexpressions

MAX_COPIES = 6


def may_return(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return) for s in body for n in ast.walk(s))


def returns_inline(fr: Frame, s: ast.If) -> bool:
    """Tell whether an inlined function returns from inside this statement, so that the rest has to go into its branches."""
    return fr.returns is not None and not fr.loops and (may_return(s.body) or may_return(s.orelse))


def run_to_the_end(cx: Lowering, fr: Frame, rest: Sequence[ast.stmt]) -> None:
    """The rest of a block. In an inlined function, outside of loops: to the function's end, for its caller goes on only there."""
    if fr.returns is None or fr.loops:
        cx.above.run(cx, fr, rest)
        return
    saved, fr.after = fr.after, ()
    try:
        cx.above.run(cx, fr, (*rest, *saved))
    finally:
        fr.after = saved
    if not cx.current.done:
        fr.left(cx.current, NONE)
        cx.current.finish()


def branch_on(fr: Frame, at: ast.stmt, cond: Expr, then: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> ast.If:
    """An `if` on a condition that no source spells, in the place of statement `at`."""
    name = f"<condition {len(fr.env)} {id(then)}>"
    fr.env[name] = Num(cond, True)
    node = ast.copy_location(ast.If(ast.copy_location(ast.Name(name, ast.Load()), at), list(then), list(orelse)), at)
    fr.live[node] = fr.live.get(at, set())
    return node


def lower_if(cx: Lowering, fr: Frame, s: ast.If, rest: Sequence[ast.stmt]) -> bool:
    """Lower an `if`; True if the rest of the block was lowered along with it."""
    cond = condition(cx, fr, s.test)
    if cx.current.done:
        return True
    known = cx.prove(cond)
    if known is None and _about_sizes(cx, cond):
        known = cx.decide(cond)
    if known is not None:
        with fr.followed_by(rest):
            cx.above.run(cx, fr, s.body if known else s.orelse)
        return False
    fact = cond
    cond = cx.let(cond, "cond")
    if not returns_inline(fr, s):
        exact = not fr.loops and bool(rest) and fr.copies < MAX_COPIES
        mark, env_before = cx.snapshot(), dict(fr.env)
        sites = 0 if fr.returns is None else len(fr.returns)
        with fr.followed_by(rest):
            then, env_then = lower_arm(cx, fr, fact, s.body)
            orelse, env_else = lower_arm(cx, fr, symbolic.negate(fact), s.orelse)
        if then.done or orelse.done:
            fr.env = env_else if then.done else env_then
            if (
                fr.returns is not None and len(fr.returns) > sites
            ):  # what follows went into an arm, so it does into the other
                stays = orelse if then.done else then
                if not stays.done:
                    with cx.reopen(stays):
                        run_to_the_end(cx, fr, rest)
                    stays.finish()
                cx.branch(cond, then, orelse)
                return True
            branch_that_leaves(cx, cond, then, orelse)
            if not (then.done and orelse.done):
                cx.facts = cx.facts.assume(symbolic.negate(fact) if then.done else fact)
            return False
        try:
            with cx.aside() as holder:
                merged = merge_envs(cx, fr.live.get(s, set()), (then, env_then), (orelse, env_else), exact)
        except CannotMerge as e:
            failure: CannotMerge | None = e
        else:
            failure = None
        if failure is None:
            cx.branch(cond, then, orelse)
            cx.append(holder)
            fr.env = merged
            return False
        cx.restore(mark)
        fr.env = env_before
        known = cx.decide(fact)
        if known is not None:
            with fr.followed_by(rest):
                cx.above.run(cx, fr, s.body if known else s.orelse)
            return False
        if fr.copies >= MAX_COPIES or not rest:
            raise cx.unsupported(
                f"after this if, {failure.text}, depending on the branch",
                "give the name the same type in both branches",
            )
    fr.copies += 1
    if fr.copies > 8 * MAX_COPIES:
        raise cx.unsupported("too many branches whose rest had to be copied", "return once, at the end of the function")
    env = fr.env
    arms = []
    for block, facts in ((s.body, fact), (s.orelse, symbolic.negate(fact))):
        fr.env = dict(env)
        with cx.block(facts) as b:
            with fr.followed_by(rest):
                cx.above.run(cx, fr, block)
            if not cx.current.done:
                run_to_the_end(cx, fr, rest)
        arms.append((b, fr.env))
    fr.copies -= 1
    (then, env_then), (orelse, env_else) = arms
    if then.done or orelse.done:
        fr.env = env_else if then.done else env_then
        branch_that_leaves(cx, cond, then, orelse)
        return True
    try:
        with cx.aside() as holder:
            fr.env = merge_envs(cx, fr.live_behind(rest or (s,)), (then, env_then), (orelse, env_else))
    except CannotMerge as e:
        raise cx.unsupported(
            f"after this if, {e.text}, depending on the branch", "give the name the same type in both branches"
        ) from None
    cx.branch(cond, then, orelse)
    cx.append(holder)
    return True


def lower_if_alone(cx: Lowering, fr: Frame, s: ast.If) -> None:
    lower_if(cx, fr, s, ())


def _about_sizes(cx: Lowering, cond: Expr) -> bool:
    names = [x.name for x in subexpressions(cond) if isinstance(x, Sym)]
    return bool(names) and cx.is_pure(cond) and all(n in cx.symbols for n in names)


def lower_arm(cx: Lowering, fr: Frame, fact: Expr, body: Sequence[ast.stmt]) -> tuple[Block, dict[str, Value]]:
    env = fr.env
    fr.env = dict(env)
    with cx.block(fact) as b:
        cx.above.run(cx, fr, body)
    result = fr.env
    fr.env = env
    return b, result
