"""Dependences that a loop carries: `Dependences.carried(a, b, …)` tells whether `a` in one iteration and `b` in another one may touch the same element.

The answers come in order of price: the same subscript with the variable in it; constant distances; a small example in
which they do meet (`witness`); ranges and remainders that never meet (`overlap`); a proof from all dimensions together,
with the iterations of both accesses as separate symbols (`Facts`); integer sets (isl), loaded only when several
variables or factors meet in a subscript, where the rational proof is weak. "May" is the answer to everything not
disproved: loads in subscripts, symbols that change in the body, views of the same memory under another name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import field, replace

from soljit.analysis.flow.program_point import Situation
from soljit.analysis.memory import integer_sets
from soljit.analysis.memory.accesses import Access, Aliases
from soljit.analysis.memory.affine import Affine, affine, names_in
from soljit.analysis.memory.overlap import disjoint, enclosed, meet_only_in_same_iteration
from soljit.analysis.memory.witness import meets
from soljit.base.records import dataclass
from soljit.ir.core.expr import Expr, Extent, Load, Range, Stride, Sym, subexpressions
from soljit.ir.symbolic import Facts, eq, le, linear, lt
from soljit.ir.walk import substitute

_PROOFS = 60  # joint proofs asked in one compilation
_SETS = 40  # integer sets built in one compilation

Bound = tuple[str, Range]
Loops = tuple[Bound, ...]


@dataclass
class Dependences:
    """Questions about one program; the expensive ones are counted and end when the budget is spent."""

    alias: Aliases
    proofs: int = _PROOFS
    sets: int = _SETS
    _known: dict[object, bool] = field(default_factory=dict)

    def settled(
        self, a: Access, b: Access, loop: Bound, situation: Situation, unstable: Collection[str]
    ) -> bool | None:
        """The answer of `carried` if it is cheap, otherwise None."""
        if a.data != b.data:
            return self.alias.may_alias(a.data, b.data)
        if not a.subset or len(a.subset) != len(b.subset):
            return True
        a, b, unstable = _steady(a, b, unstable)
        if meet_only_in_same_iteration(a, b, (loop[0],), unstable):
            return False
        if not self._depends_on(a, b, loop[0]):
            return not disjoint(enclosed(a, (loop,)), enclosed(b, (loop,)), situation.facts, unstable)
        distance = constant_distance(a, b, loop, unstable)
        if distance is not None:
            return distance.carried
        return True if meets(a, b, loop, situation.loops) else None

    def carried(self, a: Access, b: Access, loop: Bound, situation: Situation, unstable: Collection[str]) -> bool:
        """Tell whether `a` and `b` may touch one element in different iterations of `loop`.

        loops of the accesses: those inside `loop`. unstable: symbols that get other values in each iteration and are
        no variables of these loops.
        """
        cheap = self.settled(a, b, loop, situation, unstable)
        if cheap is not None:
            return cheap
        a, b, unstable = _steady(a, b, unstable)
        if disjoint(enclosed(a, (loop,)), enclosed(b, (loop,)), situation.facts, unstable):
            return False
        key = (a.subset, a.loops, b.subset, b.loops, loop, frozenset(unstable), situation)
        if key not in self._known:
            self._known[key] = not self._proved_apart(a, b, loop, situation, unstable)
        return self._known[key]

    def _depends_on(self, a: Access, b: Access, var: str) -> bool:
        """Tell whether the loop's variable can make a difference to what is touched."""
        values = [x for s in (*a.subset, *b.subset) for x in (s.children if isinstance(s, Range) else (s,))]
        values += [x for _, span in (*a.loops, *b.loops) for x in span.children]
        return any(var in names_in(x) for x in values)

    def _proved_apart(self, a: Access, b: Access, loop: Bound, situation: Situation, unstable: Collection[str]) -> bool:
        if self.proofs <= 0:
            return False
        self.proofs -= 1
        x, y = _instance(a, loop, "a"), _instance(b, loop, "b")
        pairs = list(_pairs(x, y, unstable))
        if not pairs:
            return False
        if all(_apart(x, y, pairs, situation.facts, swapped) for swapped in (False, True)):
            return True
        if self.sets <= 0 or not _needs_integers(pairs):
            return False
        self.sets -= 2
        orders = ((x.first, y.first), (y.first, x.first))
        return all(integer_sets.empty(x.loops, y.loops, pairs, order) for order in orders)


def _steady(a: Access, b: Access, unstable: Collection[str]) -> tuple[Access, Access, Collection[str]]:
    """The accesses without the loops whose spans vary in ways unknown; their variables are unstable, then."""
    moving = set(unstable)
    kept: list[Loops] = []
    for access in (a, b):
        loops: list[tuple[str, Range]] = []
        for v, span in access.loops:
            if all(_stable(x) and names_in(x).isdisjoint(moving) for x in span.children):
                loops.append((v, span))
            else:
                moving.add(v)
        kept.append(tuple(loops))
    if len(moving) == len(unstable):
        return a, b, unstable
    return replace(a, loops=kept[0]), replace(b, loops=kept[1]), moving


# --- constant distances -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Distance:
    """`a` in iteration i meets `b` in iteration i + by, if that iteration exists; None: in no other iteration."""

    by: int | None

    @property
    def carried(self) -> bool:
        return bool(self.by)


def constant_distance(a: Access, b: Access, loop: tuple[str, Range], unstable: Collection[str] = ()) -> Distance | None:
    """The one distance at which `a` and `b` meet, if their subscripts differ by constants; None if there is no such."""
    var, span = loop
    inner = {v for v, _ in (*a.loops, *b.loops)} | set(unstable)
    found: int | None = None
    for s, t in zip(a.subset, b.subset):
        if isinstance(s, Range) or isinstance(t, Range):
            return None
        x, y = affine(s, (var,)), affine(t, (var,))
        if x is None or y is None or x.of(var) != y.of(var) or not (_settled(x, inner) and _settled(y, inner)):
            return None
        gap = x.rest - y.rest
        if not gap.is_const:
            return None
        if x.of(var) == 0:
            if gap.const:
                return Distance(None)
            continue
        if gap.const % x.of(var):
            return Distance(None)
        by = gap.const // x.of(var)
        if found is not None and found != by:
            return Distance(None)
        found = by
    if found is None:
        return None
    step = linear(span.step)
    if step.is_const and step.const and found % step.const:
        return Distance(None)
    length = linear(span.stop) - linear(span.start)
    if length.is_const and abs(found) >= abs(length.const):
        return Distance(None)
    return Distance(found)


def _settled(x: Affine, inner: Collection[str]) -> bool:
    return all(names_in(a).isdisjoint(inner) and _stable(a) for a, _ in x.rest.terms)


def _stable(e: Expr) -> bool:
    return not any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(e))


# --- all dimensions together ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Instance:
    """An access with variables of its own; `first` is that of the loop in question."""

    first: Expr
    loops: Loops
    subset: tuple[Expr | Range, ...]


def _instance(a: Access, loop: tuple[str, Range], mark: str) -> _Instance:
    names: dict[str, Expr] = {}
    loops: list[tuple[str, Range]] = []
    for var, span in (loop, *a.loops):
        own = f"{var}'{mark}"
        loops.append((own, substitute(span, names)))
        names[var] = Sym(own)
    subset: list[Expr | Range] = []
    for k, s in enumerate(a.subset):
        if isinstance(s, Range):  # one of the range's members, by a variable of its own
            own = f"{k}'{mark}"
            loops.append((own, substitute(s, names)))
            subset.append(Sym(own))
        else:
            subset.append(substitute(s, names))
    return _Instance(names[loop[0]], tuple(loops), tuple(subset))


def _pairs(x: _Instance, y: _Instance, unstable: Collection[str]) -> Iterator[tuple[Expr, Expr]]:
    """Subscripts of the dimensions that can be reasoned about."""
    for s, t in zip(x.subset, y.subset):
        if isinstance(s, Expr) and isinstance(t, Expr) and _stable(s) and _stable(t):
            if names_in(s).isdisjoint(unstable) and names_in(t).isdisjoint(unstable):
                yield s, t


def _apart(x: _Instance, y: _Instance, pairs: list[tuple[Expr, Expr]], facts: Facts, swapped: bool) -> bool:
    """Tell whether there is no common element with x's iteration before y's (after it, if `swapped`)."""
    for var, span in (*x.loops, *y.loops):
        facts = facts.with_loop(var, span)
    early, late = (y.first, x.first) if swapped else (x.first, y.first)
    facts = facts.assume(lt(early, late))
    goals = [lt(s, t) for s, t in pairs] + [lt(t, s) for s, t in pairs]
    if any(facts.holds(g) for g in goals):
        return True
    if len(pairs) == 1 and not _needs_integers(pairs):
        facts = facts.assume(eq(*pairs[0]))
        return facts.holds(le(late, early))
    for s, t in pairs:
        facts = facts.assume(eq(s, t))
        if any(facts.holds(lt(p, q)) or facts.holds(lt(q, p)) for p, q in pairs if (p, q) != (s, t)):
            return True
    return facts.holds(le(late, early))


def _needs_integers(pairs: list[tuple[Expr, Expr]]) -> bool:
    """Tell whether several variables, or factors, meet in one subscript."""
    for s, t in pairs:
        for e in (s, t):
            moving = [c for a, c in linear(e).terms if any("'" in n for n in names_in(a))]
            if len(moving) > 1 or any(abs(c) > 1 for c in moving):
                return True
    return False
