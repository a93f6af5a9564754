"""Use what an iteration of a loop has stored, instead of loading it.

    for j in range(1, n):                            for j in range(1, n):
        a[i, j] = a[i, j] + a[i, j - 1]                  stored = a[i, j] + a[i, j - 1]
        a[i, j] = a[i, j] / 9.0                →         a[i, j] = stored / 9.0

A loop in order waits for each store that the next step loads. The C++ compiler keeps such values in registers, too, but not where it stores to other rows in between, as it does
where several rows run side by side (interleave_loops, which comes later and wants one store an iteration).

Proof. Between a store and the load nothing stores to memory that may be the array's, so the element has the value that was stored, of the same type. A store
that another one to the same element follows, with nothing in between that loads from memory that may be the array's, or leaves, is seen by nobody.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import Aliases, aliases
from soljit.base.records import dataclass
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Const, Expr, Extent, Load, Memlet, Stride, Sym, subexpressions
from soljit.ir.core.nodes import Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.walk import FreshNames, map_exprs, on_regions, same, values
from soljit.ir.walk.effects import loads_of
from soljit.passes.manager import Context


def forward_stores(program: Program, cx: Context) -> Program:
    """Forward within the bodies of all loops in order."""
    forwarder = _Forwarder(program, aliases(program), FreshNames(program))
    body = forwarder.region(program.body, False)
    return program if body is program.body else replace(program, body=body)


@dataclass
class _Forwarder:
    program: Program
    alias: Aliases
    fresh: FreshNames

    def region(self, region: Region, in_order: bool) -> Region:
        """in_order: it is the body of a loop in order."""
        nodes = [self.node(n) for n in region.nodes]
        if in_order:
            nodes = self.forwarded(nodes)
        return region if same(nodes, region.nodes) else replace(region, nodes=tuple(nodes))

    def node(self, n: Node) -> Node:
        """The node with loops in it done."""
        if isinstance(n, Map):
            body = self.region(n.body, False)
            return n if body is n.body else replace(n, body=body)
        return on_regions(n, lambda r: self.region(r, isinstance(n, Loop)))

    def forwarded(self, nodes: list[Node]) -> list[Node]:
        """A body without the loads whose values it has stored."""
        out: list[Node] = []
        stored: dict[Memlet, Expr] = {}  # elements and their values
        unseen: dict[Memlet, Node] = {}  # elements and the stores to them that nothing has looked at
        for k, n in enumerate(nodes):
            if not isinstance(n, (Let, Tasklet)):
                stored, unseen = {}, {}
                out.append(n)
                continue
            if stored:
                n = map_exprs(n, lambda e, known=stored: known.get(e.memlet) if isinstance(e, Load) else None)  # type: ignore[misc]
            read = {m.data for m in loads_of(values(n))}
            unseen = {m: x for m, x in unseen.items() if not self.alias.any_alias(read, [m.data])}
            if isinstance(n, Tasklet):
                last = unseen.get(n.out) if self.is_plain(n) else None
                if last is not None:
                    out = [x for x in out if x is not last]
                others = [m for m in {*stored, *unseen} if not self.alias.may_alias(m.data, n.out.data)]
                stored = {m: e for m, e in stored.items() if m in others}
                unseen = {m: x for m, x in unseen.items() if m in others}
                if self.is_plain(n):
                    if self.is_loaded(n.out, nodes[k + 1 :]):
                        if not isinstance(n.code, (Sym, Const)):
                            name = self.fresh("stored")
                            out.append(Let(name, n.code, loc=n.loc))
                            n = replace(n, code=Sym(name, n.code.dtype))
                        stored[n.out] = n.code
                    unseen[n.out] = n
            out.append(n)
        return out

    def is_plain(self, n: Tasklet) -> bool:
        """Tell whether this stores a value of the array's type in one element, whose place stays the same."""
        d = self.program.data.get(n.out.data)
        parts = [x for s in n.out.subset if isinstance(s, Expr) for x in subexpressions(s)]
        if (
            not isinstance(d, Array)
            or not n.out.subset
            or n.out.wcr
            or d.dtype != n.code.dtype
            or d.dtype.kind not in "iuf"
        ):
            return False
        return all(isinstance(s, Expr) for s in n.out.subset) and not any(
            isinstance(x, Load | Extent | Stride) for x in parts
        )

    def is_loaded(self, m: Memlet, later: list[Node]) -> bool:
        """Tell whether the element is loaded before something else may store it."""
        for n in later:
            if not isinstance(n, (Let, Tasklet)):
                return False
            if any(x == m for x in loads_of(values(n))):
                return True
            if isinstance(n, Tasklet) and self.alias.may_alias(n.out.data, m.data):
                return False
        return False
