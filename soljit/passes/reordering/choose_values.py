"""Choose values of one iteration, instead of storing them under a condition.

    with map(i=range(0, n), j=range(0, n)), private(r):      with map(i=range(0, n), j=range(0, n)):
        r = d[i, j] + h                                          r = d[i, j] + h
        if c:                                          →         r_1 = r ** -1.5 if c else r
            r = r ** -1.5                                        there = m[i]
        b[i, j] = r * m[i] if i < j else 0.0                     b[i, j] = r_1 * there if i < j else 0.0

Calls of mathematical functions under conditions run by vectors where all that they need is known by name (`codegen/loops/call_strips.py`); a number that is stored has none. What is loaded
from one place in each iteration of a vector loop is loaded in any case: of loads under masks compilers make vectors only where they walk.

Proof. The number belongs to one iteration, so nobody else sees that it is stored where the condition does not hold, and there it gets what it has. An arm of a choice is computed only
where the condition says so, as the arm of the branch was. The condition is a name, whose value no store changes. An element that is there, by lengths and ranges, may be loaded
whatever the condition says, directly in front of the statement that may want it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from soljit.base.records import dataclass
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Expr, Load, Memlet, Op, Sym, subexpressions, symbols, zero_of
from soljit.ir.core.nodes import Branch, Let, Map, Node, Program, Region, Tasklet
from soljit.ir.core.ops import LIBM
from soljit.ir.symbolic import Facts
from soljit.ir.walk import FreshNames, exprs, map_exprs, same
from soljit.passes.manager import Context
from soljit.passes.reordering.flatten_branches import is_there
from soljit.passes.reordering.straight_maps import on_straight_maps
from soljit.passes.simplify.promote_scalars import promote_scalars

_FUNCTIONS = frozenset(LIBM.values())
_LAZY = ("select", "land", "lor")  # all but the first operand may not be wanted


def choose_values(program: Program, cx: Context) -> Program:
    """Give names to what vector loops compute by functions under conditions, and load there from one place in any case."""
    body = on_straight_maps(program.body, cx.facts(program), _Chooser(program, FreshNames(program)).body)
    return program if body is program.body else promote_scalars(replace(program, body=body), cx)


@dataclass
class _Chooser:
    program: Program
    fresh: FreshNames

    def body(self, m: Map, facts: Facts) -> Region:
        """The body of the map."""
        nodes: list[Node] = []
        inner = {m.vars[-1]} | {n.name for n in m.body.nodes if isinstance(n, Let)}
        own: set[str] = set()  # numbers of the iteration that have a value
        for n in m.body.nodes:
            for x in self.chosen(n, own):
                nodes += self.loaded(x, inner, facts)
            if isinstance(n, Tasklet) and n.out.data in m.private:
                own.add(n.out.data)
        return m.body if same(nodes, m.body.nodes) else replace(m.body, nodes=tuple(nodes))

    def loaded(self, n: Node, inner: set[str], facts: Facts) -> tuple[Node, ...]:
        """The statement behind loads from one place, which it did under conditions. inner: names of one iteration."""
        found: dict[Memlet, Load] = {}
        for e in exprs(n) if isinstance(n, Let | Tasklet) else ():
            for x in _guarded(e):
                if isinstance(x, Load) and x.memlet.subset and is_there(self.program.data, facts, x.memlet):
                    if symbols(x).isdisjoint(inner):
                        found[x.memlet] = x
        if not found:
            return (n,)
        lets = {m: Let(self.fresh("there"), x, loc=n.loc) for m, x in found.items()}
        names = {m: Sym(let.name, let.value.dtype) for m, let in lets.items()}
        new = map_exprs(n, lambda e: names.get(e.memlet) if isinstance(e, Load) else None)
        return (*lets.values(), new)

    def chosen(self, n: Node, own: set[str]) -> tuple[Node, ...]:
        """The branch without a branch; itself if it does something else, too. own: what belongs to the iteration, and has a value."""
        if not isinstance(n, Branch) or not isinstance(n.cond, Sym) or not _has_functions(n):
            return (n,)
        if not all(self.is_value(x, own) for x in (*n.then.nodes, *n.orelse.nodes)):
            return (n,)
        return (*self.values(n.then, n.cond), *self.values(n.orelse, Op("lnot", (n.cond,), n.cond.dtype)))

    def is_value(self, n: Node, own: set[str]) -> bool:
        """Tell whether this defines a name, or a number of the iteration."""
        match n:
            case Let():
                return n.value.dtype.kind in "biuf"
            case Tasklet() if n.out.data in own:
                d = self.program.data[n.out.data]
                return isinstance(d, Scalar) and n.out.wcr is None and n.code.dtype == d.dtype
        return False

    def values(self, arm: Region, cond: Expr) -> Iterator[Node]:
        """What an arm defines, where its condition holds."""
        for n in arm.nodes:
            if isinstance(n, Let):
                yield replace(n, value=Op("select", (cond, n.value, zero_of(n.value.dtype)), n.value.dtype))
            elif isinstance(n, Tasklet):
                old = Load(n.out, n.code.dtype)
                yield replace(n, code=Op("select", (cond, n.code, old), n.code.dtype))


def _guarded(e: Expr) -> Iterator[Expr]:
    """What may not be computed in `e`."""
    for k, x in enumerate(e.children):
        yield from subexpressions(x) if isinstance(e, Op) and e.name in _LAZY and k else _guarded(x)


def _has_functions(n: Branch) -> bool:
    ops = (x for e in exprs(n) for x in subexpressions(e) if isinstance(x, Op))
    return any(x.name in _FUNCTIONS and x.dtype.kind == "f" for x in ops)
