"""Store complex numbers in every iteration of a map; the condition tells which.

    with map(i=range(0, n)):                                   with map(i=range(0, n)):
        c = abs(z[i]) < 2.0                                        c = abs(z[i]) < 2.0
        if c:                                                      if c:
            k[i] = n                                      →            k[i] = n
            z[i] = z[i] * z[i] + d[i]                              new = z[i] * z[i] + d[i]
                                                                   old = z[i]
                                                                   z[i] = new if c else old

A store of `new if c else old` is treated likewise. Processors store numbers under masks, and compilers know; of pairs of numbers they know it not, and leave the whole loop to single numbers.

Proof. The array is the program's own, and the iteration loads the element in any case, so no other iteration stores it: what it gets back, nobody misses. What is computed in any case loads
elements that are there, by lengths and ranges (`flatten_branches.py`), and traps nowhere. What stays under the condition touches nothing of it.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import Aliases, aliases, effects
from soljit.base.records import dataclass
from soljit.ir.core.expr import Expr, Op, Range, Sym, loads
from soljit.ir.core.nodes import Branch, Let, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import Facts
from soljit.ir.walk import FreshNames, same
from soljit.passes.manager import Context
from soljit.passes.reordering.flatten_branches import Flat
from soljit.passes.reordering.straight_maps import on_straight_maps


def choose_stores(program: Program, cx: Context) -> Program:
    """Make values of conditions under which vector loops store complex numbers."""
    if not any(d.dtype.is_complex for d in program.data.values()):
        return program
    chooser = _Chooser(program, aliases(program), FreshNames(program))
    body = on_straight_maps(program.body, cx.facts(program), chooser.lanes)
    return program if body is program.body else replace(program, body=body)


@dataclass
class _Chooser:
    program: Program
    alias: Aliases
    fresh: FreshNames

    def lanes(self, m: Map, facts: Facts) -> Region:
        """The body of a vector loop."""
        body = m.body
        always = [x for n in body.nodes if isinstance(n, Let) for x in loads(n.value)]
        there = {(x.memlet.data, x.memlet.subset) for x in always}
        out: list[Node] = []
        for n in body.nodes:
            found = self.chosen(n, there, facts) if isinstance(n, Branch) else self.choice(n, facts)
            out += found or (n,)
        return body if same(out, body.nodes) else replace(body, nodes=tuple(out))

    def chosen(
        self, n: Branch, there: set[tuple[str, tuple[Expr | Range, ...]]], facts: Facts
    ) -> tuple[Node, ...] | None:
        """What stays under the condition, and the stores that do not."""
        moved = [x for x in n.then.nodes if isinstance(x, Tasklet) and x.code.dtype.is_complex]
        stays = tuple(x for x in n.then.nodes if x not in moved)
        if not moved or n.orelse.nodes or not isinstance(n.cond, Sym) or not all(isinstance(x, Tasklet) for x in stays):
            return None
        for x in moved:
            if not self.alias.is_local(x.out.data) or x.out.wcr or (x.out.data, x.out.subset) not in there:
                return None
        rest, own = effects(replace(n.then, nodes=stays)), effects(replace(n.then, nodes=tuple(moved)))
        if self.alias.any_alias([a.data for a in rest.accesses], [a.data for a in own.writes]):
            return None
        if self.alias.any_alias([a.data for a in rest.writes], [a.data for a in own.accesses]):
            return None
        values = self.values(replace(n, then=replace(n.then, nodes=tuple(moved))), facts)
        under = (replace(n, then=replace(n.then, nodes=stays)),) if stays else ()
        return (*under, *values) if values else None

    def choice(self, n: Node, facts: Facts) -> tuple[Node, ...] | None:
        """A store of one of two complex numbers, of which both can be computed."""
        match n:
            case Tasklet(code=Op("select", (cond, new, old))) if old.dtype.is_complex and not n.out.wcr:
                arms = (Region((replace(n, code=x),), loc=n.loc) for x in (new, old))
                return self.values(Branch(cond, *arms, loc=n.loc), facts)
        return None

    def values(self, n: Branch, facts: Facts) -> tuple[Node, ...] | None:
        """The branch without a branch; None if it has to be one."""
        flat = Flat(self.program.data, facts, self.fresh).body(Region((n,), loc=n.loc)).nodes
        return None if n in flat else tuple(y for x in flat for y in self.in_steps(x))

    def in_steps(self, n: Node) -> tuple[Node, ...]:
        """A choice between two numbers that both have names, so that both are computed."""
        match n:
            case Tasklet(code=Op("select", (cond, new, old))):
                names = self.fresh("new"), self.fresh("old")
                lets = tuple(Let(name, x, loc=n.loc) for name, x in zip(names, (new, old)))
                choice = Op("select", (cond, *(Sym(name, old.dtype) for name in names)), old.dtype)
                return (*lets, replace(n, code=choice))
        return (n,)
