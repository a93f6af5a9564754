"""Let a loop run inside the map that is its body.

    for k in range(1, n):                                 for i, j in map(…):
        for i, j in map(…):                        →          for k in range(1, n):
            c[i, j, k] = c[i, j, k - 1] * a[i, j]                 c[i, j, k] = c[i, j, k - 1] * a[i, j]

Proof: accesses of which one is a write touch the same memory only with equal map variables, whatever the loop
variable is; so no iteration of the map depends on another one, in any turn of the loop.

If neighbours in memory are neighbours in the map, its innermost loop stays inside: the loop then works on one row, which
stays in the cache, turn after turn. Otherwise neighbours in memory are neighbours in the loop: columns that are swept
one by one. After it there is one parallel region instead of one for each turn, and fuse_maps can join the maps of
several sweeps, whose columns contract_temporaries then keeps in registers. fuse_equal_maps must come earlier, so that a
loop's body is one map.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.memory.accesses import Aliases, aliases, effects
from soljit.analysis.memory.affine import FAR, mentions, step
from soljit.analysis.memory.overlap import meet_only_in_same_iteration
from soljit.base.sentences import Plain, Said, said
from soljit.ir.core.data import Array, Data, View
from soljit.ir.core.expr import Extent, Load, Memlet, Range, Stride, subexpressions
from soljit.ir.core.nodes import Let, Loop, Map, Node, Program, Region
from soljit.ir.symbolic import linear
from soljit.ir.walk import rewrite, symbols_of
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice

_SHORTEST_ROW = 16


def move_loops_inward(program: Program, cx: Context) -> Program:
    """Exchange every loop with the map that is all of its body, where that is right and pays."""
    alias = aliases(program)

    def fn(node: Node) -> Node | None:
        return _exchanged(node, program.data, alias, cx) if isinstance(node, Loop) else None

    return rewrite(program, fn)


def _exchanged(loop: Loop, data: Mapping[str, Data], alias: Aliases, cx: Context) -> Map | None:
    """The map with the loop inside, or None."""
    *lets, inner = loop.body.nodes
    if not isinstance(inner, Map) or inner.schedule or not all(isinstance(n, Let) for n in lets):
        return None

    def by_default() -> Choice | None:
        if _pays(inner, loop.var, data):
            return YES
        return None if len(inner.vars) == 1 or _is_short(inner.spans[-1]) else Choice(options={"rows": True})

    def why_not(choice: Choice) -> Said | str | None:
        if choice.options.get("rows") and len(inner.vars) == 1:
            return said("no rows")
        return why_not_exchange(loop, inner, lets, alias)

    choice = cx.policy.decide("inward", (loop,), by_default, why_not, lambda: (YES, Choice(options={"rows": True})))
    if not isinstance(choice, Choice):
        if choice is not None:
            cx.note(loop.loc, "stays outside", why=choice)
        return None
    along = not choice.options.get("rows")
    cx.note(loop.loc, "goes inside", how=Plain("along the memory" if along else "row by row"))
    if along:
        body = replace(loop, body=Region((*lets, *inner.body.nodes), loc=inner.body.loc))
        return replace(inner, body=Region((body,), loc=inner.body.loc), loc=loop.loc)
    row = replace(inner, vars=inner.vars[-1:], spans=inner.spans[-1:])
    body = replace(loop, body=Region((*lets, row), loc=inner.body.loc))
    rows = Region((body,), loc=inner.body.loc)
    return Map(inner.vars[:-1], inner.spans[:-1], rows, loc=loop.loc)


def _pays(inner: Map, var: str, data: Mapping[str, Data]) -> bool:
    """Tell whether the innermost variable of the map jumps through more arrays than the loop does."""
    return len(_jumps(inner, inner.vars[-1], data)) > len(_jumps(inner, var, data))


def _jumps(inner: Map, var: str, data: Mapping[str, Data]) -> set[str]:
    """The arrays in which neighbouring values of `var` touch elements that are far apart."""
    out = set()
    for a in effects(inner).accesses:
        if isinstance(data.get(a.data), (Array, View)) and any(mentions(s, var) for s in a.subset):
            if abs(step(data, Memlet(a.data, a.subset), var)) >= FAR:
                out.add(a.data)
    return out


def _is_short(span: Range) -> bool:
    """Too short a row to be worth a loop of its own."""
    length = linear(span.stop) - linear(span.start)
    return length.is_const and length.const < _SHORTEST_ROW


def why_not_exchange(loop: Loop, inner: Map, lets: list[Node], alias: Aliases) -> Said | None:
    """Why the loop must stay outside; None if it can go inside."""
    fixed = {loop.var} | {n.name for n in lets if isinstance(n, Let)}
    if any(not fixed.isdisjoint(symbols_of(s)) for s in inner.spans):
        return said("range depends")
    for n in lets:
        assert isinstance(n, Let)
        if any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(n.value)):
            return said("reads memory")
    for e in (*loop.span.children, *(c for s in inner.spans for c in s.children)):
        if any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(e)):
            return said("range from memory")
    body = effects(inner.body)
    if body.binds or body.leaves or body.python:
        return said("leaves")
    own = body.allocs | body.private | frozenset(inner.private)
    accesses = [a for a in dict.fromkeys(body.accesses) if a.data not in own]
    writes = [a for a in accesses if a.write]
    unstable = fixed | body.defines
    for p in writes:
        for q in accesses:
            if not alias.may_alias(p.data, q.data) or (p.wcr is not None and p.wcr == q.wcr and p.data == q.data):
                continue
            if p.data != q.data:
                return said("overlap", name=p.data, other=q.data)
            if not meet_only_in_same_iteration(p, q, inner.vars, unstable):
                return said("others write", name=q.data)
    return None
