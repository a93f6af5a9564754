"""By how many iterations of the inner loop the iterations of an outer loop must follow each other, so that several of them can run at the same time: `wavefront(program, loop)`.

    for t in range(T):                  # outer: o            for i in range(1, n):               # outer: o
        for i in range(1, n - 1):       # inner: x                for j in range(1, m):           # inner: x
            for j in …: a[i, j] = …     # skew 2                      d[i, j] = min(d[i - 1, j], d[i, j - 1], …)     # skew 1

The outer loop's body is definitions, and one loop. One run of the inner loop's body is an *instance* (o, x), and stands in wave

    w(o, x) = x + skew * o

**Theorem 1.** Let skew be so large that for any two instances (o, x) and (o', x') with o < o' which touch one element that one of them writes,

    w(o', x') - w(o, x) = skew * (o' - o) + (x' - x) >= 1                                        (1)

Let O be a set of values of o that follow each other, and cut the waves at any places. If for each piece of the waves, from the first to the last, the instances of O in it run
in the order of the source, or wave by wave and in a wave in any order, even statement by statement in turns, then each element gets the same values in the same order as from
`for o in O: for x: …`.

Proof. Let (o, x) come before (o', x') in the source, and touch one element that one of them writes. If o = o', then x < x', so w < w'. If o < o', then w < w' by (1). So the
second one is in a later piece, or in a later wave of one piece, or, in a piece with the order of the source, it is later. Two instances of one wave never touch an element that
one of them writes, so that in a wave the order does not matter. ∎

**Theorem 2.** Cut the outer iterations into blocks b = 0, 1, … of `rows` iterations each, and the waves of each block, counted from its first iteration o_b by w - skew * o_b,
into tiles c = 0, 1, … of `waves` each. Tiles (b, c) with equal c + lag * b run at the same time, where lag = 1 + ceil(skew * rows / waves), and those with a smaller sum
before.

Proof. Let an instance of (b, c) come before one of (b', c') in the source and touch one element that one of them writes, and let (b, c) not be (b', c'). If b = b', then w < w'
as above, so c < c'. If b < b', then w < w' means for the waves counted in the blocks: v < v' + skew * rows * (b' - b), so c <= c' + ceil(skew * rows / waves) * (b' - b) = c' +
(lag - 1) * (b' - b) and c + lag * b < c' + lag * b'. b > b' is impossible. ∎

What an instance has for itself (scalars and arrays that it writes before it reads, and that nothing else needs) each of the iterations on the way needs for itself.

(1) is found from subscripts. Two accesses meet where all dimensions agree. A dimension with subscripts p * o + q * x + r and p * o + q * x + s, r - s a constant, agrees where
p * do + q * dx = r - s, for the distances do = o' - o and dx = x' - x. Dimensions of another kind, such as those that inner loops walk, tell nothing: they may agree. From the
equations follow do, or dx as a line of do, and from these the smallest skew for do >= 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil

from soljit.analysis.flow.liveness import exposed as read_first
from soljit.analysis.loops.affine_region import region_of, stays, substituted, why_overlapping
from soljit.analysis.loops.legality import inner_privates
from soljit.analysis.memory.accesses import Access, aliases, effects
from soljit.analysis.memory.affine import affine, names_in
from soljit.analysis.memory.coverage import written_whole
from soljit.analysis.memory.occurrences import exposed, places
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import ONE, Range, loads
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Program, Region, Tasklet, While
from soljit.ir.symbolic import Facts
from soljit.ir.walk import walk

_FARTHEST = 16  # iterations of the inner loop from one iteration of the outer one to the next
_PLAIN = (Region, Map, Loop, While, Branch, Let, Tasklet)


@dataclass(frozen=True)
class Wavefront:
    """What a loop is for several of its iterations at the same time.

    lets:   what its body defines in front of the inner loop
    inner:  that loop
    skew:   of how many iterations of the inner loop an iteration is behind the one before
    arrays, scalars: of which each iteration on the way needs its own
    level:  the range of the inner loop is the same for all iterations
    """

    lets: tuple[Let, ...]
    inner: Loop
    skew: int
    arrays: tuple[str, ...]
    scalars: tuple[str, ...]
    level: bool


def nest(loop: Loop) -> tuple[tuple[Let, ...], Loop] | None:
    """The definitions and the one loop that are all of a loop's body; None if there is more."""
    *lets, inner = loop.body.nodes or (loop,)
    if not isinstance(inner, Loop) or inner is loop:
        return None
    found = tuple(n for n in lets if isinstance(n, Let))
    return (found, inner) if len(found) == len(lets) else None


def wavefront(program: Program, loop: Loop, facts: Facts) -> Wavefront | Said:
    """The skew of the loop, or why there is none."""
    found = nest(loop)
    if found is None:
        return said("no nest")
    lets, inner = found
    reason = _why_not_plain(program, loop, inner)
    if reason is not None:
        return reason
    own = _own(program, loop, inner, facts)
    if isinstance(own, Said):
        return own
    arrays, scalars = own
    written = {a.data for a in effects(inner).writes} - {*arrays, *scalars} - inner_privates(inner.body)
    reason = _why_not_apart(program, inner, lets, written)
    if reason is not None:
        return reason
    spans = substituted(Access("", (inner.span,), False), region_of(loop.body).lets).subset
    (span,) = spans
    assert isinstance(span, Range)
    changing = effects(loop.body).defines
    if not all(stays(e, changing) for e in span.children):
        return said("range depends")
    skew = _skew(loop, inner, written)
    if isinstance(skew, Said):
        return skew
    level = all(loop.var not in names_in(e) for e in span.children)
    return Wavefront(lets, replace(inner, span=span), skew, arrays, scalars, level)


# --- what the body must be --------------------------------------------------------------------------------------------


def _why_not_plain(program: Program, loop: Loop, inner: Loop) -> Said | None:
    e = effects(loop.body)
    if e.python or e.leaves or e.binds or e.allocs:
        return said("leaves")
    if loop.span.step != ONE or inner.span.step != ONE or not all(isinstance(n, _PLAIN) for n in walk(loop.body)):
        return said("no nest")
    if "break" in effects(inner.body).leaves or any("threads" in n.schedule for n in walk(inner) if isinstance(n, Map)):
        return said("no nest")
    return None


def _own(program: Program, loop: Loop, inner: Loop, facts: Facts) -> tuple[tuple[str, ...], tuple[str, ...]] | Said:
    """Arrays and scalars that each instance writes before it reads them, and that nobody else reads."""
    arrays: list[str] = []
    scalars: list[str] = []
    below = inner_privates(inner.body)
    facts = facts.with_loop(loop.var, loop.span).with_loop(inner.var, inner.span)
    for name in sorted({a.data for a in effects(inner.body).writes} - below):
        d = program.data.get(name)
        if isinstance(d, Scalar):
            if name in read_first(inner.body) or not _only_here(program, name, inner):
                return said("carries", name=name)
            scalars.append(name)
        elif (
            isinstance(d, Array)
            and d.transient
            and d.storage == "host"
            and d.strides is None
            and name not in exposed(program)
            and any(p.kind == "alloc" for p in places(program).get(name, ()))
            and _only_here(program, name, inner)
            and written_whole(inner.body, name, d.shape, facts)
        ):
            arrays.append(name)
    return tuple(arrays), tuple(scalars)


def _only_here(program: Program, name: str, inner: Loop) -> bool:
    """Tell whether all that touches the container is in the loop, but for where its memory is made."""
    return all(inner in p.above for p in places(program).get(name, ()) if p.kind != "alloc")


def _why_not_apart(program: Program, inner: Loop, lets: tuple[Let, ...], written: set[str]) -> Said | None:
    alias = aliases(program)
    for x in (y for n in lets for y in loads(n.value)):
        other = next((a for a in sorted(written) if alias.may_alias(a, x.memlet.data)), None)
        if other is not None:
            return said("between sweeps", name=other)
    return why_overlapping(written, region_of(inner).touched, alias.may_alias)


# --- the skew ---------------------------------------------------------------------------------------------------------


def _skew(loop: Loop, inner: Loop, written: set[str]) -> int | Said:
    region = region_of(loop.body)
    accesses = region.touching(written)
    unstable = effects(inner.body).defines | (region.effects.defines - region.lets.keys() - {inner.var})
    most = Fraction(0)
    for a in accesses:
        for b in accesses:
            if a.data == b.data and (a.write or b.write):
                least = _least(list(_equations(a, b, loop.var, inner.var, unstable)))
                if least is None:
                    return said("any wave", name=a.data)
                most = max(most, least)
    return ceil(most) if most <= _FARTHEST else said("far waves")


Line = tuple[int, int, int]  # p, q, k: where p * do + q * dx = k


def _equations(a: Access, b: Access, outer: str, inner: str, unstable: frozenset[str]) -> Iterator[Line]:
    """For each dimension that tells something: how far b's iterations are from a's where both touch one element."""
    if len(a.subset) != len(b.subset):
        return
    for s, t in zip(a.subset, b.subset):
        if isinstance(s, Range) or isinstance(t, Range):
            continue
        x, y = affine(s, (outer, inner)), affine(t, (outer, inner))
        if x is None or y is None or (x.of(outer), x.of(inner)) != (y.of(outer), y.of(inner)):
            continue
        gap = x.rest - y.rest
        if gap.is_const and all(stays(e, unstable) for e, _ in x.rest.terms):
            yield x.of(outer), x.of(inner), gap.const


def _least(lines: list[Line]) -> Fraction | None:
    """The smallest skew by which the second access is in a later wave wherever it is in a later iteration of the outer loop; None if no skew is large enough."""
    if any(p == q == 0 and k for p, q, k in lines):
        return Fraction(0)  # they never meet
    slopes = [(Fraction(p, q), Fraction(k, q)) for p, q, k in lines if q]  # dx = k - p * do
    found = {Fraction(k, p) for p, q, k in lines if p and not q}  # do
    found |= {(k - m) / (p - r) for p, k in slopes for r, m in slopes if p != r}
    if len(found) > 1 or any(p == r and k != m for p, k in slopes for r, m in slopes):
        return Fraction(0)  # they never meet
    if not found:
        return min((max(p, p + 1 - k) for p, k in slopes), default=None)
    (do,) = found
    if do < 1 or do.denominator > 1:
        return Fraction(0)
    if not slopes:
        return None
    dx = slopes[0][1] - slopes[0][0] * do
    return Fraction(0) if dx.denominator > 1 else (1 - dx) / do
