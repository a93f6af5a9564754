"""Check in front of a loop what comes out the same in each of its iterations, and raises in the first one or never.

    for j in range(n):                                 if 0 < n:
        s = …                                              k = x[t]
        k = x[t]                                           if k < 0 or k >= m: raise IndexError(…)
        if k < 0 or k >= m: raise IndexError(…)     →  for j in range(n):
        out[t, j] = s + e[j, k]                            s = …; k = x[t]
                                                           out[t, j] = s + e[j, k]

A loop that raises nothing may be a map.

Proof: the condition depends on nothing that the loop changes, so it holds in the first iteration or in none. What that iteration does before it cannot raise, calls no Python, ends, and writes only to
memory of the function's own, which nobody sees after it has raised. A loop without iterations checks nothing.

It must come before parallelize_loops.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import Aliases, aliases, effects
from soljit.analysis.memory.occurrences import exposed, places
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Const, Expr, Extent, Load, Op, Stride, subexpressions, symbols
from soljit.ir.core.nodes import (
    Branch,
    Copy,
    Let,
    LibraryNode,
    Loop,
    Map,
    Node,
    Program,
    Raise,
    Region,
    Return,
    Tasklet,
)
from soljit.ir.core.types import b1
from soljit.ir.walk import FreshNames, before_loops, rename_symbols, walk
from soljit.passes.manager import Context


def hoist_checks(program: Program, cx: Context) -> Program:
    """Take checks out of all loops in which they come out the same every time."""
    if not any(isinstance(n, Raise) for n in walk(program.body)):
        return program
    worker = _Hoister(program, aliases(program), exposed(program), FreshNames(program))
    body = before_loops(program.body, worker.hoisted)
    return program if body is program.body else replace(program, body=body)


@dataclass
class _Hoister:
    program: Program
    alias: Aliases
    seen: set[str]  # memory that other names stand for
    fresh: FreshNames

    def hoisted(self, loop: Loop, out: list[Node]) -> Loop:
        """The loop without checks that are the same in each iteration; `out` gets them."""
        if not any(map(_check, loop.body.nodes)):
            return loop
        written = {a.data for a in effects(loop.body).writes} | effects(loop.body).binds
        lets: dict[str, Let] = {}
        varying = {loop.var}
        kept: list[Node] = []
        checks: list[Node] = []
        harmless = True
        for n in loop.body.nodes:
            check = _check(n)
            if check is not None and harmless:
                needed = self._definitions([check.cond, *_operands(check)], lets, varying, written)
                if needed is not None:
                    checks += self._renamed([*needed, check])
                    continue
            kept.append(n)
            if isinstance(n, Let):
                lets[n.name] = n
                if symbols(n.value) & varying or not self._is_fixed(n.value, written):
                    varying.add(n.name)
            harmless = harmless and self._is_harmless(n)
        if not checks:
            return loop
        runs = Op("lt" if _is_up(loop) else "gt", (loop.span.start, loop.span.stop), b1)
        out.append(Branch(runs, Region(tuple(checks), loc=loop.loc), loc=loop.loc))
        return replace(loop, body=replace(loop.body, nodes=tuple(kept)))

    def _definitions(
        self, of: list[Expr], lets: dict[str, Let], varying: set[str], written: set[str]
    ) -> list[Let] | None:
        """The definitions of the iteration that these expressions need, in order; None if they may change."""
        if any(symbols(e) & varying or not self._is_fixed(e, written) for e in of):
            return None
        needed: set[str] = set()
        for e in of:
            needed |= symbols(e) & lets.keys()
        for name in reversed(list(lets)):
            if name in needed:
                needed |= symbols(lets[name].value) & lets.keys()
        return [x for name, x in lets.items() if name in needed]

    def _is_fixed(self, e: Expr, written: set[str]) -> bool:
        """Tell whether it reads nothing that the loop writes."""
        read = {
            x.memlet.data if isinstance(x, Load) else x.data
            for x in subexpressions(e)
            if isinstance(x, Load | Extent | Stride)
        }
        return not any(self.alias.may_alias(x, y) for x in read for y in written)

    def _is_harmless(self, n: Node) -> bool:
        """Tell whether nobody sees that it was done before something raised."""
        if not all(isinstance(x, Region | Let | Tasklet | Copy | Loop | Map | Branch) for x in walk(n)):
            return False
        e = effects(n)
        return not e.leaves and not e.python and all(map(self._is_own, {a.data for a in e.writes}))

    def _is_own(self, name: str) -> bool:
        d = self.program.data.get(name)
        if isinstance(d, Scalar):
            return True
        if not isinstance(d, Array) or not d.transient or name in self.seen:
            return False
        return all(
            p.kind != "other" or isinstance(p.node, Return | LibraryNode | Copy)
            for p in places(self.program).get(name, ())
        )

    def _renamed(self, nodes: list[Node]) -> list[Node]:
        names = {n.name: self.fresh(n.name) for n in nodes if isinstance(n, Let)}
        return [rename_symbols(n, names) for n in nodes]


def _check(n: Node) -> Branch | None:
    """The node, if it does nothing but raise under a condition."""
    if isinstance(n, Branch) and len(n.then.nodes) == 1 and not n.orelse.nodes and isinstance(n.then.nodes[0], Raise):
        return n
    return None


def _operands(check: Branch) -> tuple[Expr, ...]:
    (found,) = check.then.nodes
    assert isinstance(found, Raise)
    return found.operands


def _is_up(loop: Loop) -> bool:
    step = loop.span.step
    assert isinstance(step, Const)
    return step.value.real > 0
