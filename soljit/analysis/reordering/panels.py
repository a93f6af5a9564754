"""Whether steps of a loop that updates an array by one of its rows can be delayed, so that an element takes several of them at once: `panels(loop, …)`.

    for k in range(n):
        for i, j in map(…): a[i, j] = f(a[i, j], a[i, k], a[k, j])

The body is a sequence of *parts*: loops of which one variable walks the rows of the arrays that they write, and statements about row k alone, the *pivot*. An iteration of a part
is about one row i. It consists of numbers, of statements about single elements, and of *sweeps*, loops over the elements of row i, and touches of what the loop changes only

    (1) row i: in a sweep its own element (i, j), where the sweep writes; otherwise the element (i, k); of arrays of one dimension the element i;
    (2) row k, which it reads; arrays that only statements about row k write count as part of it.

**Theorem.** Let [K, L) be steps that follow each other, a panel. The loop gives the same values, each by the same operations in the same order, if for each panel

    (a) its steps run in order, all parts only for rows in [K, L), and what later rows read of row k is put aside when they would have read it;
    (b) then for each other row, in any order of the rows: the steps in order, all sweeps only for columns in [K, L), with the row k that was put aside; what sweeps read of row i beside
        their own element is put aside as well;
    (c) then for each element (i, j) of these rows outside of [K, L): the sweeps of all steps in order.

Proof. (a) Rows in [K, L) read themselves and rows k of the panel, by (1) and (2), so no other row changes what they get. A row i < K reads row k as it was in front of the part, and a row i >= L as
it is behind it if the part's iterations run in order, else as it was in front, too; both are put aside. (b) What single elements and columns in [K, L) of row i get needs, by (1), nothing of other
columns. A sweep reads (i, k) as it was in front of the sweep for columns j < k, and for j > k as it is behind it if its iterations run in order; likewise. (c) By (1), element (i, j) needs nothing
of row i but itself and what was put aside. Which rows and columns a part or a sweep has may depend on the step, if only it has, outside of [K, L), the same ones in all steps of the panel: a
bound is the same in all steps, or k, or k + 1, or the larger or the smaller one of such bounds. As K <= k <= k + 1 <= L, the same numbers outside of [K, L) are below it. ∎

If a sweep has the same columns in all steps, no iteration reads what another one wrote, and only it writes its array, then (c) may be done for all columns, those in [K, L) included,
from the elements as they were in front of (b): the same operations once more.

Rows may be columns in memory: what counts is that one dimension of an array has index i or k.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from soljit.analysis.loops.affine_region import region_of, why_overlapping
from soljit.analysis.memory.accesses import Aliases, effects
from soljit.analysis.memory.affine import affine, names_in
from soljit.analysis.reordering.panel_parts import Part, PartFinder
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import ONE, Expr, Load, Op, Sym, loads, subexpressions
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import difference, simplify
from soljit.ir.walk import descriptor_exprs, substitute, walk


@dataclass(frozen=True)
class Panels:
    """The body of the loop. rows: the dimension of each array in which its rows follow each other; given: arrays that statements about row k write"""

    steps: tuple[Node | Part, ...]
    rows: Mapping[str, int]
    given: Collection[str]

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(x for x in self.steps if isinstance(x, Part))


def panels(loop: Loop, program: Program, alias: Aliases) -> Panels | Said:
    """The parts of the loop, or why it is none of that kind."""
    reason = _why_no_parts(loop, program.data, alias)
    if reason is not None:
        return reason
    e = effects(loop.body)
    lets = Region(tuple(n for n in loop.body.nodes if isinstance(n, Let)), loc=loop.loc)
    finder = PartFinder(
        program, alias, loop.var, frozenset(a.data for a in e.writes), frozenset(e.defines), region_of(lets).lets
    )
    found = finder.steps(loop.body.nodes)
    return found if isinstance(found, Said) else _Checks(finder).checked(found)


def _why_no_parts(loop: Loop, data: Mapping[str, Data], alias: Aliases) -> Said | None:
    e = effects(loop.body)
    if e.python or e.leaves or e.binds:
        return said("leaves")
    below = list(walk(loop.body))
    plain = all(isinstance(n, Region | Map | Loop | Let | Tasklet | Branch | Alloc) for n in below)
    if loop.span.step != ONE or not plain or any(n.schedule for n in below if isinstance(n, Map)):
        return said("no panels")
    written = {a.data for a in e.writes}
    scalars = sorted(n for n in written if isinstance(data.get(n), Scalar))
    if scalars:
        return said("carries", name=scalars[0])
    if any(a.wcr is not None for a in e.writes):
        return said("no panels")
    return why_overlapping(written, region_of(loop.body).touched, alias.may_alias)


@dataclass
class _Checks:
    """What must hold for all parts together."""

    finder: PartFinder

    def checked(self, steps: Sequence[Node | Part]) -> Panels | Said:
        """The parts, if each other statement is about row k and bounds are the same for all rows and columns outside of a panel."""
        parts, f = [x for x in steps if isinstance(x, Part)], self.finder
        swept = [s for x in parts for s in x.sweeps]
        arrays = [s.out.data for s in swept]
        passed = {y.memlet.data for s in swept for y in loads(s.value)} | set(arrays)
        private = {n for x in parts for m in x.nodes for n in effects(m).private}
        if len(set(arrays)) < len(arrays) or not f.passing.isdisjoint(passed) or private - f.passing:
            return said("no panels")
        lengths = [n for g in f.given for n in descriptor_exprs(f.program.data[g])]
        if any(affine(n, (f.k,)) is None or not names_in(n).isdisjoint(f.changing) for n in lengths):
            return said("no panels")
        for x in steps:
            reason = self._why_not_part(x) if isinstance(x, Part) else self._why_not_pivot(x)
            if reason is not None:
                return reason
        rows = {n: d for n, d in f.rows.items() if n not in f.passing}
        return Panels(tuple(steps), rows, sorted(f.given))

    def _why_not_part(self, x: Part) -> Said | None:
        bounds = [substitute(x.row, {x.var: b}) for b in (x.span.start, x.span.stop)]
        bounds += [substitute(s.column, {s.var: b}) for s in x.sweeps for b in (s.span.start, s.span.stop)]
        if not all(map(self._stays_outside, map(simplify, bounds))):
            return said("rows change")
        written = next((a.data for n in x.nodes for a in effects(n).writes if a.data in self.finder.given), None)
        return None if written is None else said("by the pivot", name=written)

    def _stays_outside(self, bound: Expr) -> bool:
        """Tell whether the bound is the same in all steps, or k or k + 1."""
        if isinstance(bound, Op) and bound.name in ("min", "max"):
            return all(map(self._stays_outside, bound.args))
        if any(isinstance(y, Load) and y.memlet.data in self.finder.written for y in subexpressions(bound)):
            return False
        if not names_in(bound).isdisjoint(self.finder.changing):
            return False
        return self.finder.k not in names_in(bound) or difference(bound, Sym(self.finder.k)) in (0, 1)

    def _why_not_pivot(self, n: Node) -> Said | None:
        lets = {**self.finder.index, **region_of(Region((n,), loc=n.loc)).lets}
        for a in effects(n).accesses:
            if a.data in self.finder.rows and a.data not in self.finder.passing:
                s = a.subset[self.finder.rows[a.data]] if a.subset else None
                if not isinstance(s, Expr) or not self.finder.is_k(substitute(s, lets)):
                    return said("by the pivot", name=a.data)
        return None
