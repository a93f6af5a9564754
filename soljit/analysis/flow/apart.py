"""Which array variables stand for different memory at a place of a program, though each may stand for that of the other at another time.

    bind(u, a[0:n]); bind(new, b[0:n])            u and new are apart
    for t in range(T):                            … and so they are here, in every round: `a` and `b`, or `b` and `a`
        … new[i] = u[i - 1] + u[i + 1] …
        bind(old, u[0:n])
        bind(u, new[0:n])                         they are not, for a moment
        bind(new, old[0:n])                       again

What `Aliases` knows holds everywhere; this is told by the way that control takes. A pair holds between two accesses only if neither name is bound in between.
"""

from __future__ import annotations

from dataclasses import field

from soljit.analysis.flow.forward import Forward
from soljit.analysis.memory.accesses import Aliases, aliases, effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Ref
from soljit.ir.core.nodes import Alloc, Bind, Node, Program
from soljit.ir.symbolic import Facts
from soljit.ir.walk.spaces import base_of

MOST = 24  # array variables; what is remembered grows with their square
Pair = frozenset[str]
Pairs = frozenset[Pair]
NONE: Pairs = frozenset()


def apart(program: Program, facts: Facts) -> dict[Node, Pairs]:
    """For each node outside of maps the pairs of containers, one of them an array variable, that share no memory in front of it."""
    refs = {name for name, d in program.data.items() if isinstance(d, Ref) and d.dtype.kind != "O"}
    if not effects(program.body).bindings or not 0 < len(refs) <= MOST:
        return {}
    known = aliases(program)
    others = {base_of(program.data, x) for r in refs for x in known.homes(r) if x in program.data} - refs
    walk = _Apart(facts, program=program, alias=known, refs=refs, names=refs | others)
    given = {p.name for p in program.params}
    walk.region(program.body, frozenset(frozenset((r, x)) for r in refs - given for x in walk.names - given if x != r))
    return walk.before


@dataclass
class _Apart(Forward[Pairs]):
    program: Program = field(kw_only=True)
    alias: Aliases = field(kw_only=True)
    refs: set[str] = field(kw_only=True)
    names: set[str] = field(kw_only=True)

    def leaf(self, n: Node, state: Pairs) -> Pairs:
        if isinstance(n, Alloc) and n.data in self.names:  # new memory, whatever a variable stands for
            return state | {frozenset((r, n.data)) for r in self.refs}
        bound = effects(n).binds & self.refs
        if not bound:
            return state
        left = frozenset(p for p in state if p.isdisjoint(bound))
        if not isinstance(n, Bind):
            return left
        source = base_of(self.program.data, n.source.data)
        others = self.names - {n.ref, source}
        return left | {frozenset((n.ref, x)) for x in others if self._are_apart(source, x, state)}

    def _are_apart(self, a: str, b: str, state: Pairs) -> bool:
        return frozenset((a, b)) in state or not self.alias.may_alias(a, b)

    def both(self, a: Pairs, b: Pairs) -> Pairs:
        return a & b
