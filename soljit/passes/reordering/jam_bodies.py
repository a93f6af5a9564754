"""Several runs of one piece of a program, none of which needs another one, statement by statement in turns: `jam(copies)`.

    for j in range(1, m):                  for j in range(1, m):
        a[i, j] = (a[i, j - 1] + r[j]) / 9     →     a[i, j] = (a[i, j - 1] + r[j]) / 9
    for j in range(1, m):                      a[i - 2, j] = (a[i - 2, j - 1] + r_1[j]) / 9
        a[i - 2, j] = (a[i - 2, j - 1] + r_1[j]) / 9

Loops in order that have the same range in all copies become one loop. What one of its iterations writes and the next one reads, or that after the next, is kept in a scalar (`carried`):

                                           last = a[i, 0]
    for j in range(1, m):                  for j in range(1, m):
        a[i, j] = (a[i, j - 1] + r[j]) / 9     →     new = (last + r[j]) / 9
                                               a[i, j] = new
                                               last = new

since the compiler does not see that the other copies write other elements. Proof for that: all writes of the copy to `a` have the same subscripts S(j), and each iteration does
just one of them; what it reads at S(j - 1) was written by the iteration before, or, in the first one, stands in memory; likewise S(j - 2), if each reads S(j - 1), too.
In between only other copies and later iterations
write, and these write other elements: the copies by what is asked of them (none needs another one, and none writes what another one writes), the iterations as one of them
writes S(j) alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import affine, names_in
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import (
    ONE,
    Const,
    Expr,
    Extent,
    Load,
    Memlet,
    Op,
    Range,
    Stride,
    Sym,
    const,
    subexpressions,
    zero_of,
)
from soljit.ir.core.nodes import Branch, Loop, Node, Region, Tasklet
from soljit.ir.core.types import b1
from soljit.ir.symbolic import equal, mul, sub
from soljit.ir.walk import FreshNames, map_exprs, rewrite, substitute, substitute_in, walk

_MOST = 2  # iterations ago


@dataclass
class Jam:
    """Makes one text of several copies; `made` gets the scalars that it needs."""

    data: Mapping[str, Data]
    fresh: FreshNames
    made: dict[str, Data] = field(default_factory=dict)

    def nodes(self, copies: Sequence[Sequence[Node]]) -> list[Node]:
        """The copies, of the same form, statement by statement."""
        out: list[Node] = []
        for same in zip(*copies, strict=True):
            loops = [n for n in same if isinstance(n, Loop)]
            if can_be_one(loops, len(copies)):
                var = loops[0].var
                bodies = [_over(x, var) for x in loops]
                out += self.loop(loops[0], [b.nodes for b in bodies])
            else:
                out += same
        return out

    def loop(self, loop: Loop, bodies: Sequence[Sequence[Node]]) -> list[Node]:
        """The loop over all of these bodies, in which its variable has the same name, and what comes in front of it."""
        before: list[Node] = []
        kept: list[list[Node]] = []
        for nodes in bodies:
            first, nodes = self.carried(loop.var, loop.span, nodes, loop.loc)
            before += first
            kept.append(nodes)
        return [*before, replace(loop, body=replace(loop.body, nodes=tuple(self.nodes(kept))))]

    # --- values that an iteration leaves to the next ------------------------------------------------------------------

    def carried(self, var: str, span: Range, nodes: Sequence[Node], loc: Loc) -> tuple[list[Node], list[Node]]:
        """What comes in front of the loop, and the body with scalars for what the iterations before have written."""
        before: list[Node] = []
        out = list(nodes)
        if span.step not in (ONE, const(-1)):
            return before, out
        comes = "lt" if span.step == ONE else "gt"
        runs = Op(comes, (span.start, span.stop), b1)
        for name in sorted({a.data for n in nodes for a in effects(n).writes}):
            target = self._target(name, nodes, var)
            if target is None:
                continue
            reads = [
                a.subset for n in nodes for a in effects(n).accesses if a.certain and not a.write and a.data == name
            ]
            dtype = self.data[name].dtype
            kept: list[tuple[Memlet, str]] = []  # what was written so many iterations ago
            for k in range(1, _MOST + 1):
                past = mul(const(k), span.step)
                back = substitute(target, {var: sub(Sym(var), past)})
                if not any(_same(s, back) for s in reads):
                    break
                last = self.fresh("last")
                first = Load(substitute(target, {var: sub(span.start, past)}), dtype)
                before.append(Tasklet(Memlet(last), Op("select", (runs, first, zero_of(dtype)), dtype), loc=loc))
                kept.append((back, last))
            if not kept:
                continue
            new = self.fresh("new")
            names = [last for _, last in kept]
            self.made |= dict.fromkeys((*names, new), Scalar(dtype))
            region = Region(tuple(out))
            for back, last in kept:
                region = _through(region, back, Load(Memlet(last), dtype))
            out = [*_stored(region, name, new).nodes]
            for to, of in zip(reversed(names), reversed([new, *names[:-1]])):
                out.append(Tasklet(Memlet(to), Load(Memlet(of), dtype), loc=loc))
        return before, out

    def _target(self, name: str, nodes: Sequence[Node], var: str) -> Memlet | None:
        """The element of the container that each iteration writes just once; None if there is no such."""
        d = self.data.get(name)
        stores = [n for m in nodes for n in walk(m) if isinstance(n, Tasklet) and n.out.data == name]
        if not stores or d is None or isinstance(d, Scalar) or not stores[0].out.subset:
            return None
        first = stores[0].out
        if any(s.out.wcr or s.code.dtype != d.dtype or not _same(s.out.subset, first) for s in stores):
            return None
        return first if _moves(first, var, nodes) and _runs_of(name, nodes) == 1 else None


def _moves(m: Memlet, var: str, nodes: Sequence[Node]) -> bool:
    """Tell whether the element is another one for each value of `var`, on which alone it depends."""
    defined = frozenset().union(*(effects(n).defines for n in nodes))
    moving = False
    for s in m.subset:
        if not isinstance(s, Expr):
            return False
        form = affine(s, (var,))
        if form is None or any(isinstance(x, Load | Extent | Stride) for x in subexpressions(s)):
            return False
        if not names_in(s).isdisjoint(defined):
            return False
        moving |= form.of(var) != 0
    return moving


def can_be_one(loops: Sequence[Loop], copies: int) -> bool:
    """Tell whether these are loops over the same range, one of each copy."""
    first = loops[0].span if loops else None
    return (
        len(loops) == copies
        and first is not None
        and isinstance(first.step, Const)
        and all(x.span == first for x in loops)
    )


def _over(loop: Loop, var: str) -> Region:
    return loop.body if loop.var == var else substitute_in(loop.body, {loop.var: Sym(var)})


def _same(subset: tuple[Expr | Range, ...], m: Memlet) -> bool:
    return len(subset) == len(m.subset) and all(
        isinstance(s, Expr) and isinstance(t, Expr) and equal(s, t) for s, t in zip(subset, m.subset)
    )


def _runs_of(name: str, nodes: Sequence[Node]) -> int:
    """How often the container is written in one run of the nodes; -1 if that depends on something."""
    count = 0
    for n in nodes:
        match n:
            case Tasklet():
                count += n.out.data == name
            case Branch():
                arms = {_runs_of(name, arm.nodes) for arm in (n.then, n.orelse)}
                if len(arms) > 1 or -1 in arms:
                    return -1
                count += arms.pop()
            case _ if any(a.data == name for a in effects(n).writes):
                return -1
    return count


def _through(region: Region, m: Memlet, value: Expr) -> Region:
    """The region with `value` for what is loaded from there."""
    return map_exprs(
        region,
        lambda e: value if isinstance(e, Load) and e.memlet.data == m.data and _same(e.memlet.subset, m) else None,
    )


def _stored(region: Region, name: str, new: str) -> Region:
    """The region, in which what is written to the container is in the scalar `new`, too."""

    def both(n: Node) -> tuple[Node, ...] | None:
        if not isinstance(n, Tasklet) or n.out.data != name:
            return None
        value = Load(Memlet(new), n.code.dtype)
        return Tasklet(Memlet(new), n.code, loc=n.loc), replace(n, code=value)

    return rewrite(region, both)
