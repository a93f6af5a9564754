"""Find the first iteration of a loop that raises before any of them runs, so that the loop itself raises nothing.

    for i in range(n):                                first = n
        t = x[i]                                      for i in map(range(n)): first = min(first, i if t < 0 or t >= m else n)
        if t < 0 or t >= m: raise IndexError(…)   →   for i in range(first):
        h[t] = h[t] + 1                                   t = x[i]
                                                          h[t] = h[t] + 1
                                                      if first < n: t = x[first]; if …: raise IndexError(…)

The loops that remain may run on a device, where nothing can raise. All iterations before the one that raises have run then, as in Python. Of a nest of
loops it is the first iteration of the outermost one that counts; that one then runs as it stood.

Proof: what the checks look at nothing in the loop writes, so they come out the same before it; in each iteration they stand in front of everything
that it writes. Only loops whose iterations are independent without the checks are changed. It must come before parallelize_loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.cost.work import known
from soljit.analysis.memory.accesses import aliases, effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import FALSE, ONE, Expr, Load, Memlet, Op, Range, Sym, symbols
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Raise, Region, Tasklet, While
from soljit.ir.core.types import i64
from soljit.ir.symbolic import disj, lt
from soljit.ir.walk import (
    FreshNames,
    loads_of,
    on_regions,
    same,
    substitute,
    substitute_in,
    walk,
)
from soljit.passes.loops.parallelize_loops import parallelized_with
from soljit.passes.manager import Context


def lift_checks(program: Program, cx: Context) -> Program:
    """Take the checks out of loops that are independent without them."""
    lifter = _Lifter(program, cx, dict(program.data), FreshNames(program))
    body = lifter.region(program.body, False)
    return program if body is program.body else replace(program, body=body, data=lifter.data)


@dataclass
class _Lifter:
    program: Program
    cx: Context
    data: dict[str, Data]
    fresh: FreshNames

    def region(self, region: Region, nested: bool) -> Region:
        """nested: the region is nothing but this loop, the body of another one"""
        out = [x for n in region.nodes for x in self.node(n, nested)]
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def node(self, n: Node, nested: bool) -> tuple[Node, ...]:
        match n:
            case Loop():
                lifted = None if nested else self.loop(n)
                if lifted is not None:
                    return lifted
                alone = all(isinstance(x, (Let, Loop)) for x in n.body.nodes)
                body = self.region(n.body, alone)
                return (n if body is n.body else replace(n, body=body),)
            case Map():
                return (n,)
            case Region():
                return (self.region(n, nested),)
            case While() | Branch():
                return (on_regions(n, lambda r: self.region(r, False)),)
            case _:
                return (n,)

    def loop(self, loop: Loop) -> tuple[Node, ...] | None:
        """What stands for a loop, or a nest of loops, whose checks can be lifted."""
        nest = [loop]
        while len(nest[-1].body.nodes) == 1 and isinstance(inside := nest[-1].body.nodes[0], Loop):
            nest.append(inside)
        nodes = nest[-1].body.nodes
        last = max((k for k, n in enumerate(nodes) if _is_check(n)), default=-1)
        head, rest = nodes[: last + 1], nodes[last + 1 :]
        if last < 0 or any(x.span.step != ONE or not all(map(known, x.span.children)) for x in nest):
            return None
        if not all(_is_check(n) or isinstance(n, Let) for n in head) or not self._apart(head, Region(rest)):
            return None
        first, end, stop = self.fresh("first"), self.fresh("first"), loop.span.stop
        lets = tuple(n for n in head if isinstance(n, Let))
        bare = replace(nest[-1].body, nodes=(*lets, *rest))
        for x in reversed(nest[1:]):
            bare = replace(x.body, nodes=(replace(x, body=bare),))
        inner = replace(loop, span=Range(loop.span.start, Sym(end), ONE), body=bare)
        if not self._independent(loop, inner):
            return None
        self.cx.note(loop.loc, "looked for before")
        self.data[first] = Scalar(i64)
        names = {x.var: self.fresh(x.var) for x in nest}
        found = Op("select", (_raises(head, names), Sym(names[loop.var]), stop), i64)
        search = Tasklet(Memlet(first, wcr="min"), found, loc=loop.loc)
        spans = tuple(substitute(x.span, {k: Sym(v) for k, v in names.items()}) for x in nest)
        return (
            Tasklet(Memlet(first), stop, loc=loop.loc),
            Map(tuple(names.values()), spans, Region((search,), loc=loop.loc), loc=loop.loc),
            Let(end, Load(Memlet(first), i64), loc=loop.loc),
            inner,
            Branch(
                lt(Sym(end), stop), self._again(head if len(nest) == 1 else loop.body.nodes, loop, end), loc=loop.loc
            ),
        )

    def _apart(self, head: tuple[Node, ...], rest: Region) -> bool:
        """Tell whether nothing in the rest changes what the checks look at, or leaves the loop."""
        e, alias = effects(rest), aliases(self.program)
        if e.leaves or e.python or e.binds or not rest.nodes:
            return False
        asked: set[str] = set()
        for n in reversed(head):
            if isinstance(n, Let) and n.name not in asked:
                continue  # in front of a check, but of no interest to it
            value = n.value if isinstance(n, Let) else n.cond if isinstance(n, Branch) else FALSE
            asked |= symbols(value)
            if any(alias.may_alias(w.data, m.data) for w in e.writes for m in loads_of((value,))):
                return False
        return True

    def _independent(self, loop: Loop, inner: Loop) -> bool:
        """Tell whether the loop becomes a map without its checks."""
        guess = (Let(inner.span.stop.name, loop.span.stop),) if isinstance(inner.span.stop, Sym) else ()
        program = replace(self.program, body=replace(self.program.body, nodes=(*guess, *self.program.body.nodes)))
        after = parallelized_with(program, loop, inner, self.cx)
        return any(isinstance(n, Map) and n.spans[0].stop == inner.span.stop for n in walk(after.body))

    def _again(self, nodes: tuple[Node, ...], loop: Loop, at: str) -> Region:
        """What raises in iteration `at`, under other names."""
        return substitute_in(self.fresh.other_symbols(Region(nodes, loc=loop.loc)), {loop.var: Sym(at)})


def _raises(head: tuple[Node, ...], names: Mapping[str, str]) -> Expr:
    """Tell whether an iteration raises, with these names for its loop variables. A later check is only looked at where the earlier ones let pass."""
    values: dict[str, Expr] = {k: Sym(v) for k, v in names.items()}
    condition: Expr = FALSE
    for n in head:
        if isinstance(n, Let):
            values[n.name] = substitute(n.value, values)
        else:
            assert isinstance(n, Branch)
            condition = disj(condition, substitute(n.cond, values))
    return condition


def _is_check(n: Node) -> bool:
    """Tell whether it is a condition under which an exception is raised, and nothing else."""
    return (
        isinstance(n, Branch)
        and not n.orelse.nodes
        and bool(n.then.nodes)
        and isinstance(n.then.nodes[-1], Raise)
        and all(isinstance(x, (Let, Raise)) for x in n.then.nodes)
    )
