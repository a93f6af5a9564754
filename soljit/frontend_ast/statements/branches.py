"""`if` statements, and what names stand for after them.

Names to which the arms give values of different types hold either from there on, with a tag (`joins/unions.py`). Where that cannot be, or the rest is short
and the types differ in more than who made the number, the branch is lowered again with the rest of the block copied into both arms.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.expressions.conditionals import condition
from soljit.frontend_ast.joins.phi import branch_that_leaves, merge_envs
from soljit.frontend_ast.joins.type_lattice import CannotMerge
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import NONE, Num, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, Sym, subexpressions

MAX_DEPTH = 48  # of branches that stand in one another, because what follows them went into their arms
OF_CHOICE = 400  # nodes of the source that are lowered in copies, where names of several types would do
OF_NEED = 4_000  # and where nothing else does


def may_return(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return) for s in body for n in ast.walk(s))


def returns_inline(fr: Frame, s: ast.If) -> bool:
    """Tell whether an inlined function returns from inside this statement, so that the rest has to go into its branches."""
    return fr.returns is not None and not fr.loops and (may_return(s.body) or may_return(s.orelse))


def _open_ends(block: Sequence[ast.stmt]) -> int:
    """How many paths go on behind a block, of those that a return tells apart."""
    ends = 1
    for s in block:
        if isinstance(s, (ast.Return, ast.Raise)):
            return 0
        if isinstance(s, ast.If) and (may_return(s.body) or may_return(s.orelse)):
            ends *= _open_ends(s.body) + _open_ends(s.orelse)
    return ends


def _as_loop(cx: Lowering, fr: Frame, body: Sequence[ast.stmt]) -> bool:
    """What is left of an inlined function, as a loop that runs once: a return leaves it. True if that is done."""
    mark, env, sites = cx.snapshot(), dict(fr.env), len(fr.returns or ())
    saved, fr.after = fr.after, ()
    try:
        cx.above.share(cx, fr, set(), (*body, *saved))
    except UnsupportedError:
        cx.restore(mark)
        fr.env, fr.loops = env, []
        del (fr.returns or [])[sites:]
        return False
    finally:
        fr.after = saved
    if not cx.current.done:
        fr.left(cx.current, NONE)
        cx.current.finish()
    return True


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
    ends = 2
    if returns_inline(fr, s):
        ends = _open_ends((s,))
        too_much = ends > 1 and not _may_copy(cx, fr, rest, OF_CHOICE, ends)
        if (too_much or fr.copies >= MAX_DEPTH) and _as_loop(cx, fr, (s, *rest)):
            return True
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
        mark, env_before = cx.snapshot(), dict(fr.env)
        done = _joined_here(cx, fr, s, rest, fact, cond)
        if done is not None:
            return done
        cx.restore(mark)
        fr.env = env_before
        known = cx.decide(fact)
        if known is not None:
            with fr.followed_by(rest):
                cx.above.run(cx, fr, s.body if known else s.orelse)
            return False
    return _with_copies(cx, fr, s, rest, fact, cond, max(ends, 1))


def _joined_here(cx: Lowering, fr: Frame, s: ast.If, rest: Sequence[ast.stmt], fact: Expr, cond: Expr) -> bool | None:
    """Lower the arms and merge the names behind them. What `lower_if` returns; None: the rest is to be copied into the arms."""
    sites = 0 if fr.returns is None else len(fr.returns)
    with fr.followed_by(rest):
        arms = lower_arm(cx, fr, fact, s.body), lower_arm(cx, fr, symbolic.negate(fact), s.orelse)
    (then, env_then), (orelse, env_else) = arms
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
    live = fr.live.get(s, set())
    failure = ""
    apart = not fr.loops and bool(rest)
    for alike in (True, False) if apart else (False,):
        if apart and not alike and (cx.is_decided(fact) or _may_copy(cx, fr, rest, OF_CHOICE)):
            return None
        failure = _merge(cx, fr, live, cond, arms, alike)
        if not failure:
            return False
    if cx.is_decided(fact) or (rest and _may_copy(cx, fr, rest, OF_NEED)):
        return None
    raise cx.unsupported(
        f"after this if, {failure}, depending on the branch", "give the name the same type in both branches"
    )


def _merge(
    cx: Lowering,
    fr: Frame,
    live: set[str],
    cond: Expr,
    arms: tuple[tuple[Block, dict[str, Value]], tuple[Block, dict[str, Value]]],
    alike: bool = False,
) -> str:
    """Emit a branch, and go on with its names merged; "" if that is done, else why it cannot be, and nothing is. alike: as for `merge_envs`"""
    mark, lengths = cx.snapshot(), [len(block.items) for block, _ in arms]
    try:
        with cx.aside() as holder:
            merged = merge_envs(cx, live, *arms, alike)
    except CannotMerge as e:
        cx.restore(mark)
        for (block, _), n in zip(arms, lengths):
            del block.items[n:]
        return e.text
    cx.branch(cond, arms[0][0], arms[1][0])
    cx.append(holder)
    fr.env = merged
    return ""


def _may_copy(cx: Lowering, fr: Frame, rest: Sequence[ast.stmt], most: int, ends: int = 2) -> bool:
    """Tell whether the rest of a block may be copied to all ends of a branch: so much is made of it then, with the copies around it."""
    behind = rest if fr.returns is None or fr.loops else (*rest, *fr.after)
    return ends * cx.copied * sum(1 for s in behind for _ in ast.walk(s)) <= most


def _with_copies(
    cx: Lowering, fr: Frame, s: ast.If, rest: Sequence[ast.stmt], fact: Expr, cond: Expr, ends: int
) -> bool:
    """Lower the arms, each with the rest of the block behind it, which has so many ends. What `lower_if` returns."""
    env, copied = fr.env, cx.copied
    arms = []
    fr.copies += 1
    if fr.copies > MAX_DEPTH:
        raise cx.unsupported("too many branches whose rest had to be copied", "return once, at the end of the function")
    cx.copied *= ends
    try:
        for block, facts in ((s.body, fact), (s.orelse, symbolic.negate(fact))):
            fr.env = dict(env)
            with cx.block(facts) as b:
                with fr.followed_by(rest):
                    cx.above.run(cx, fr, block)
                if not cx.current.done:
                    run_to_the_end(cx, fr, rest)
            arms.append((b, fr.env))
    finally:
        cx.copied = copied
        fr.copies -= 1
    (then, env_then), (orelse, env_else) = arms
    if then.done or orelse.done:
        fr.env = env_else if then.done else env_then
        branch_that_leaves(cx, cond, then, orelse)
        return True
    failure = _merge(cx, fr, fr.live_behind(rest or (s,)), cond, (arms[0], arms[1]))
    if failure:
        raise cx.unsupported(
            f"after this if, {failure}, depending on the branch", "give the name the same type in both branches"
        )
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
