"""Statements on values whose type depends on the path: lowered once for each type, under a branch on the value's tag."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.iteration.heads import steps_through
from soljit.frontend_ast.joins.binding import narrow, read_name
from soljit.frontend_ast.joins.phi import branch_that_leaves, merge_envs
from soljit.frontend_ast.joins.type_lattice import CannotMerge
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.frames import Frame, Given
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.statements.branches import OF_CHOICE
from soljit.frontend_ast.syntax.scopes import names_read
from soljit.frontend_ast.values.values import Arr, Union, Value
from soljit.frontend_ast.values.variables import ArrayVar, Kind, Narrowed, UnionVar
from soljit.frontend_ast.views.mixed_indices import are_many
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, const

MOST_COPIES = 16  # of a statement that is lowered for each type of names that stand in it twice


def has_types(cx: Lowering, fr: Frame, s: ast.stmt) -> list[str]:
    """Names that a statement takes values from, whose type depends on the path and is not just a number's."""
    once, several, indices = _names_in(s)
    twice = _of_several_types(fr, several)  # what stands twice is of one type at both places
    found = _of_several_types(fr, once) | (twice if _copies(twice) <= MOST_COPIES else {})
    spared = [
        name
        for name in found.keys() & indices.keys()
        if all(isinstance(fr.env.get(owner), (Arr, ArrayVar)) for owner in indices[name])
    ]
    if not (spared and (are_many(found[name] for name in spared) or _copies(found) > MOST_COPIES)):
        spared = []
    if isinstance(s, ast.If) and cx.copied * _copies(found) * _length(s) > OF_CHOICE:
        spared += [name for name in found if _decides_nothing(s, name, found[name])]
    found = {name: kinds for name, kinds in found.items() if name not in spared}
    return sorted(found)


@lru_cache(maxsize=1 << 12)  # a function is lowered several times
def _names_in(s: ast.stmt) -> tuple[frozenset[str], frozenset[str], dict[str, set[str]]]:
    """The names that a statement reads in its head; those that stand twice in its value; those that it only takes as subscripts, with whose."""
    value: ast.expr | None = None
    heads: list[ast.AST] = []
    match s:
        case ast.If():
            heads = [s.test]
        case ast.For():
            heads = [s.iter]
        case ast.AugAssign():
            heads = [s.target, s.value]
        case ast.Assign():
            heads, value = [t for t in s.targets if not isinstance(t, ast.Name)], s.value
        case ast.Expr() | ast.Return() | ast.AnnAssign():
            value = s.value
        case ast.Delete() | ast.Raise() | ast.Assert() | ast.With():
            heads = [s]
    parts = list(ast.walk(value)) if value is not None else []
    # the steps of a generator expression belong into the loop of whoever takes them
    heads += [g.iter for n in parts if isinstance(n, ast.GeneratorExp) for g in n.generators]
    names = names_read(heads) | {h.id for h in heads if isinstance(h, ast.Name)}
    count = Counter(n.id for n in parts if isinstance(n, ast.Name))
    return frozenset(names), frozenset(n for n in count if count[n] > 1), _only_indices([*heads, *parts[:1]])


def _only_indices(nodes: Iterable[ast.AST]) -> dict[str, set[str]]:
    """Names that stand here only as subscripts of names, with the latter."""
    within = [n for x in nodes for n in ast.walk(x)]
    owners: dict[str, set[str]] = {}
    count: Counter[str] = Counter()
    for n in within:
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name):
            for part in n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice]:
                for x in (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else (part,):
                    if isinstance(x, ast.Name):
                        owners.setdefault(x.id, set()).add(n.value.id)
                        count[x.id] += 1
    count.subtract(n.id for n in within if isinstance(n, ast.Name))
    return {name: of for name, of in owners.items() if not count[name]}


def _decides_nothing(s: ast.stmt, name: str, kinds: Sequence[Any]) -> bool:
    """Tell whether this is an `if` that only the run decides, whichever of these types the name has."""
    if not isinstance(s, ast.If) or any(k.form not in ("scalar", "array", "object") for k in kinds):
        return False
    return not any(_asks(n) and name in names_read(n) for n in ast.walk(s.test))


def _asks(n: ast.AST) -> bool:
    """Tell whether an expression may ask for the type of what stands in it."""
    return isinstance(n, (ast.Call, ast.Attribute)) or isinstance(n, ast.Compare) and any(map(_of_identity, n.ops))


def _of_identity(op: ast.cmpop) -> bool:
    return isinstance(op, (ast.Is, ast.IsNot))


@lru_cache(maxsize=1 << 12)
def _length(s: ast.stmt) -> int:
    return sum(1 for _ in ast.walk(s))


def _of_several_types(fr: Frame, names: Iterable[str]) -> dict[str, Sequence[Kind]]:
    """Those of the names whose type depends on the path and is not just a number's, with the types."""
    held = {n: fr.env.get(n) for n in names}
    return {n: v.kinds for n, v in held.items() if isinstance(v, (Union, UnionVar)) and v.wide is None}


def _copies(types: Mapping[str, Sequence[Kind]]) -> int:
    return math.prod(map(len, types.values()))


def by_type(cx: Lowering, fr: Frame, s: ast.stmt, lower: Callable[[Lowering, Frame, Any], None]) -> None:
    """Lower a statement, once for each type that a name in it can have."""
    names = has_types(cx, fr, s)
    if not names:
        lower(cx, fr, s)
        return
    name = names[0]
    held = fr.env[name]
    union = read_name(cx, held)
    assert isinstance(union, Union)

    copied, copies = cx.copied, len(union.kinds) if _decides_nothing(s, name, union.kinds) else 1

    def option(k: int) -> None:
        known = Narrowed(held, k) if isinstance(held, UnionVar) else narrow(cx, union, k)
        fr.env[name] = known
        cx.copied = copied * copies
        try:
            by_type(cx, fr, s, lower)
        finally:
            cx.copied = copied
        if fr.env.get(name) is known:
            fr.env[name] = held

    for_each_type(cx, fr, s, union, option)


def with_named_sources(cx: Lowering, fr: Frame, s: ast.For) -> ast.For | None:
    """`for … in enumerate(a.b)` with a name for a value whose type depends on the path: what steps through it has no type of its own.

    What was evaluated stands in the new statement as it is. None: the loop steps through something else.
    """
    names: list[str] = []

    def named(e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Call) and steps_through(cx, fr, e):
            made: ast.expr = ast.Call(e.func, [named(a) for a in e.args], [])
        elif isinstance(e, (ast.Attribute, ast.Subscript, ast.Call)):
            value = evaluate(cx, fr, e)
            if not (isinstance(value, Union) and value.wide is None):
                return ast.copy_location(Given(value), e)
            names.append(f"<source {e.lineno}:{e.col_offset} {len(fr.env)}>")
            fr.env[names[-1]] = value
            made = ast.Name(names[-1], ast.Load())
        else:
            return e
        return ast.copy_location(made, e)

    if not (isinstance(s.iter, ast.Call) and steps_through(cx, fr, s.iter)):
        return None
    again = ast.copy_location(ast.For(s.target, named(s.iter), s.body, s.orelse), s)
    fr.live[again] = fr.live.get(s, set())
    fr.locals |= set(names)
    return again


def for_each_type(cx: Lowering, fr: Frame, s: ast.stmt | None, union: Union, lower: Callable[[int], None]) -> None:
    """Lower a part of statement `s` once for each type of a value; what it assigns is merged."""
    tag = cx.let(union.tag, "type")
    before, live = fr.env, fr.live.get(s, set()) if s is not None else set(fr.locals)
    arms = []
    for k in range(len(union.kinds)):
        fr.env = dict(before)
        with cx.block(symbolic.eq(tag, const(k))) as block:
            lower(k)
        if fr.goes_on:
            raise cx.unsupported("a loop from which a function returns, over a value whose type depends on the path")
        arms.append((block, fr.env))
    otherwise = arms[-1]
    for k in reversed(range(len(arms) - 1)):
        inner = Block()
        if k:
            cx.blocks.append(inner)
        env = _merge_arms(cx, live | set(before), symbolic.eq(tag, const(k)), arms[k], otherwise)
        if k:
            cx.blocks.pop()
        otherwise = inner, env
    fr.env = otherwise[1]


def _merge_arms(
    cx: Lowering,
    live: set[str],
    cond: Expr,
    then: tuple[Block, dict[str, Value]],
    orelse: tuple[Block, dict[str, Value]],
) -> dict[str, Value]:
    """Emit a branch; the environment after it."""
    if then[0].done or orelse[0].done:
        branch_that_leaves(cx, cond, then[0], orelse[0])
        return orelse[1] if then[0].done else then[1]
    try:
        with cx.aside() as holder:
            merged = merge_envs(cx, live, then, orelse)
    except CannotMerge as e:
        raise cx.unsupported(f"after this statement, {e.text}, depending on the type of a value") from None
    cx.branch(cond, then[0], orelse[0])
    cx.append(holder)
    return merged
