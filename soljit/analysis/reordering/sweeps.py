"""The body of a time loop as a sequence of sweeps over rows: `sweeps_of(loop, …)`.

    for t in range(T):
        for i, j in map(…): b[i, j] = a[i - 1, j] + a[i, j] + a[i + 1, j]          # rows i - 1 to i + 1 of a are read, row i of b is written
        a[0, :] = b[n - 1, :]                                                     # a sweep over one row

A *sweep* is a map of which one variable walks the rows of the arrays that the loop writes: each access to such an array is to row `i + c` of one of its
dimensions, where i is the sweep's row and c a constant. Rows may form a *ring*: then `i + c` is meant modulo the number of its rows,

    a[i - 1 if 0 < i else i - 1 + n, j]        is row i - 1 in a ring of n rows,         a[n - 1, j], for row 0, too
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from math import ceil, floor, lcm

from soljit.analysis.loops.affine_region import Overlap, region_of, stays, why_overlapping
from soljit.analysis.loops.legality import inner_privates
from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import affine, names_in
from soljit.analysis.memory.row_places import RowPlace, row_place
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import ONE, Expr, Op, Range, loads
from soljit.ir.core.nodes import Alloc, Branch, Break, Continue, Let, Loop, Map, Node, Region, Tasklet, While
from soljit.ir.symbolic import Linear, add, linear, sub
from soljit.ir.walk import walk

_MOST = 16  # sweeps
_PLAIN = (Region, Map, Loop, While, Branch, Let, Tasklet, Alloc, Break, Continue)


@dataclass(frozen=True)
class Sweep:
    """One map, with the rows that it walks.

    variable:      the one of the map that does; None: the map is about one row
    reads, writes: array → the least and the most rows from the sweep's own that it reads, and that it writes
    rate:          of sweeps at different rates (`sweeps_over`): row i stands at position rate * i, and `reads` and `writes` are in positions
    """

    map: Map
    rows: Range
    variable: str | None
    reads: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    writes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    rate: int = 1


@dataclass(frozen=True)
class _Sweep:
    """A sweep with parts of its rows, and positions for one of them."""

    map: Map
    rows: Range
    variable: str | None
    reads: Mapping[str, tuple[Fraction, Fraction]]
    writes: Mapping[str, tuple[Fraction, Fraction]]
    rate: Fraction

    def at(self, apart: int) -> Sweep:
        """The sweep, if what was one position is so many."""
        by = self.rate * apart
        reads, writes = (
            {x: (floor(a * by), ceil(b * by)) for x, (a, b) in u.items()} for u in (self.reads, self.writes)
        )
        return Sweep(self.map, self.rows, self.variable, reads, writes, int(by))


@dataclass(frozen=True)
class Sweeps:
    """The body of a time loop.

    lets: what it defines in front of the sweeps
    rows: the dimension of each array that the loop writes in which its rows follow each other
    ring: the number of rows of the ring that they form, if they do
    """

    lets: tuple[Let, ...]
    of: tuple[Sweep, ...]
    rows: Mapping[str, int]
    ring: Expr | None


def sweeps_of(
    loop: Loop, data: Mapping[str, Data], overlap: Overlap, moving: Mapping[str, Sequence[str]]
) -> Sweeps | Said:
    """The sweeps of the loop, or why there are none.

    overlap: tells whether two arrays may share memory
    moving:  array variables that stand for one of several arrays in each step (`rotations.py`): all of them count as one array
    """
    groups = _Groups(moving)
    reason = _why_no_sweeps(loop, data, overlap, moving)
    if reason is not None:
        return reason
    written = frozenset(groups.of(a.data) for a in effects(loop.body).writes) - effects(loop.body).private
    split = _split(loop.body, groups.members(written))
    if isinstance(split, Said):
        return split
    lets, maps = split
    if not 0 < len(maps) <= _MOST:
        return said("no sweeps")
    walk = _Rows(frozenset(effects(loop.body).defines | {loop.var}), written, groups)
    found = walk.sweeps(maps)
    if isinstance(found, Said):
        return found
    rows = {x: d for group, d in walk.dims.items() for x in groups.members([group])}
    return Sweeps(lets, tuple(s.at(1) for s in found), rows, walk.ring)


def sweeps_over(
    maps: Sequence[Map], written: Collection[str]
) -> tuple[tuple[Sweep, ...], Mapping[str, int], Mapping[str, int]] | Said:
    """Maps that run once, one after the other, as sweeps over the rows of these arrays; the dimension in which the rows of each array follow each other, and its rate; or why they are none.

    A sweep may add to an element of its row: all that is added to it is added in that row. Rows may follow each other at different rates: those of `t` twice as closely as
    the sweep's in `b[i] = t[2 * i] + t[2 * i + 1]`, half as closely in `b[i] = t[i // 2]`.
    """
    walk = _Rows(frozenset(x for m in maps for x in effects(m).defines), frozenset(written), _Groups({}), once=True)
    found = walk.sweeps(maps)
    if isinstance(found, Said):
        return found
    if walk.ring is not None:
        return said("rows change")
    apart = lcm(*(x.denominator for x in walk.rates.values()), *(s.rate.denominator for s in found))
    rates = {x: int(by * apart) for x, by in walk.rates.items()}
    return tuple(s.at(apart) for s in found), walk.dims, rates


@dataclass
class _Groups:
    """Arrays that change places with each other, each group under the name of one of them."""

    _moving: Mapping[str, Sequence[str]]
    _of: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for several in self._moving.values():
            old = {self.of(x) for x in several}
            self._of |= dict.fromkeys([*several, *self.members(old)], min(old))

    def of(self, name: str) -> str:
        """The name of its group; an array that stays has its own."""
        return self._of.get(name, name)

    def members(self, groups: Collection[str]) -> frozenset[str]:
        """The arrays of these groups."""
        return frozenset(groups) | {x for x, group in self._of.items() if group in groups}


# --- what the body must be --------------------------------------------------------------------------------------------


def _why_no_sweeps(
    loop: Loop, data: Mapping[str, Data], overlap: Overlap, moving: Mapping[str, Sequence[str]]
) -> Said | None:
    e, private = effects(loop.body), inner_privates(loop.body)
    if e.python or e.leaves or e.binds or e.allocs - private:
        return said("leaves")
    if loop.span.step != ONE or not all(isinstance(n, Map | Let | Tasklet) for n in loop.body.nodes):
        return said("no sweeps")
    if not all(isinstance(n, _PLAIN) for n in walk(loop.body)) or any(
        n.schedule for n in walk(loop.body) if isinstance(n, Map)
    ):
        return said("no sweeps")
    written = {a.data for a in e.writes} - private
    scalars = sorted(n for n in written if isinstance(data.get(n), Scalar))
    if scalars:
        return said("carries", name=scalars[0])
    if e.private - private:
        return said("carries", name=min(e.private - private))
    touched = {a.data for a in e.accesses} - private
    all_written, all_touched = ({y for x in some for y in moving.get(x, (x,))} for some in (written, touched))
    return why_overlapping(all_written, all_touched, overlap)


def _split(body: Region, written: Collection[str]) -> tuple[tuple[Let, ...], list[Map]] | Said:
    """The definitions that sweeps do not change, which can all stand in front, and the sweeps.

    A statement about one element, with what it reads of arrays that sweeps change, is a map without variables: that must be all that uses what it reads.
    """
    lets: list[Let] = []
    maps: list[Map] = []
    waiting: list[Let] = []
    for n in body.nodes:
        match n:
            case Map() if not waiting:
                maps += _parts(n)
            case Let():
                changing = {x.name for x in waiting} & names_in(n.value) or any(
                    x.memlet.data in written for x in loads(n.value)
                )
                (waiting if changing else lets).append(n)
            case Tasklet():
                maps.append(Map((), (), Region((*waiting, n), loc=n.loc), loc=n.loc))
                waiting = []
            case _:
                break
    own = [(x, m) for m in maps if not m.vars for x in m.body.nodes if isinstance(x, Let)]
    for x, m in (*((x, None) for x in waiting), *own):
        if m is None or any(x.name in effects(n).uses for n in (*lets, *maps) if n is not m):
            array = next((y.memlet.data for y in loads(x.value)), x.name)
            return said("between sweeps", name=array)
    return tuple(lets), maps


def _parts(m: Map) -> Iterator[Map]:
    """The statements of a map over fewer variables than its arrays have dimensions, each as a map of its own: one may be about a row, another one about a column.

    Proof: the iterations of a map are independent, so that what two statements have in common they have in one iteration.
    """
    groups = _statements(m.body.nodes)
    if (
        groups is None
        or len(groups) < 2
        or m.private
        or all(len(a.subset) <= len(m.vars) for a in effects(m.body).accesses)
    ):
        yield m
        return
    for nodes in groups:
        yield replace(m, body=replace(m.body, nodes=nodes), loc=nodes[-1].loc)


def _statements(nodes: Sequence[Node]) -> list[tuple[Node, ...]] | None:
    """Single statements, each with the definitions that only it uses; None if there is anything else."""
    groups: list[tuple[Node, ...]] = []
    first = 0
    for k, n in enumerate(nodes):
        if isinstance(n, Tasklet) and n.out.wcr is None:
            groups.append(tuple(nodes[first : k + 1]))
            first = k + 1
        elif not isinstance(n, Let):
            return None
    for group in groups:
        defined = {n.name for n in group if isinstance(n, Let)}
        if any(defined & effects(n).uses for other in groups if other is not group for n in other):
            return None
    return groups if first == len(nodes) else None


# --- rows -------------------------------------------------------------------------------------------------------------


@dataclass
class _Rows:
    """Finds the variable of each sweep that walks rows, and the dimension of each array in which they follow each other."""

    changing: frozenset[str]  # symbols that the loop defines
    written: frozenset[str]  # arrays, and groups of them
    groups: _Groups
    dims: dict[str, int] = field(default_factory=dict)
    ring: Expr | None = None  # how many rows it has
    once: bool = (
        False  # whether sweeps run once: then they may combine values into an element, and go at different rates
    )
    rates: dict[str, Fraction] = field(default_factory=dict)  # positions of a row of each array

    def sweeps(self, maps: Sequence[Map]) -> tuple[_Sweep, ...] | Said:
        """From the map with the most loops to those that have arrays in common with it."""
        found: dict[int, _Sweep] = {}
        left = sorted(range(len(maps)), key=lambda k: -len(maps[k].vars))
        while left:
            k = next((k for k in left if any(a.data in self.dims for a in self._accesses(maps[k]))), left[0])
            sweep = self._sweep(maps[k])
            if isinstance(sweep, Said):
                return sweep
            found[k] = sweep
            left.remove(k)
        return tuple(found[k] for k in range(len(maps)))

    def _accesses(self, m: Map) -> list[Access]:
        found = (replace(a, data=self.groups.of(a.data)) for a in region_of(m).accesses)
        return [a for a in found if a.data in self.written]

    def _sweep(self, m: Map) -> _Sweep | Said:
        accesses = self._accesses(m)
        for a in accesses:
            if (a.wcr is not None and not self.once) or not a.subset or any(isinstance(s, Range) for s in a.subset):
                return said("row by row", name=a.data)
        if not m.vars and not any(a.data in self.dims for a in accesses):
            self.dims[accesses[0].data] = 0  # no sweep over rows touches it
        placed = [a for a in accesses if a.data in self.dims]
        first = placed[0].subset[self.dims[placed[0].data]] if placed else None
        walking = [v for v in m.vars if isinstance(first, Expr) and v in names_in(first)] if placed else [m.vars[0]]
        if len(walking) > 1:
            return said("row by row", name=placed[0].data)
        if not walking:
            assert isinstance(first, Expr)
            return self._one_row(m, accesses, first)
        span = m.spans[m.vars.index(walking[0])]
        if span.step != ONE or not all(map(self._stays, span.children)):
            return said("rows change")
        return self._offsets(m, span, walking[0], accesses)

    def _one_row(self, m: Map, accesses: list[Access], row: Expr) -> _Sweep | Said:
        if not self._stays(row):
            return said("rows change")
        return self._offsets(m, Range(row, add(row, ONE), ONE), None, accesses)

    def _offsets(self, m: Map, span: Range, var: str | None, accesses: list[Access]) -> _Sweep | Said:
        uses: tuple[dict[str, tuple[Fraction, Fraction]], dict[str, tuple[Fraction, Fraction]]] = {}, {}
        rate: Fraction | None = None
        for a in sorted(accesses, key=lambda a: a.data not in self.dims):
            dims = [self.dims[a.data]] if a.data in self.dims else range(len(a.subset) if var is not None else 0)
            where = next(((d, c) for d in dims if (c := self._place(a, d, span, var)) is not None), None)
            if where is None:
                return said("row by row", name=a.data)
            self.dims[a.data], c = where
            rate = rate or self.rates.get(a.data, 1 / c.rate) * c.rate
            if self.rates.setdefault(a.data, rate / c.rate) * c.rate != rate:
                return said("row by row", name=a.data)
            for write in {a.write, a.write and a.wcr is None}:  # what is combined is read, too
                known = uses[write].get(a.data, (c.least, c.most))
                uses[write][a.data] = min(c.least, known[0]), max(c.most, known[1])
        return _Sweep(m, span, var, *uses, rate or Fraction(1))

    def _stays(self, e: Expr) -> bool:
        """Tell whether the expression has one value, known in front of the loop."""
        return stays(e, self.changing)

    # --- how far from the sweep's row ---------------------------------------------------------------------------------

    def _place(self, a: Access, dim: int, span: Range, var: str | None) -> RowPlace | None:
        """Which rows the access is to; None if they do not follow those of the sweep."""
        s = a.subset[dim] if dim < len(a.subset) else None
        if self.once and var is not None and isinstance(s, Expr):
            found = row_place(s, var, [x for x in a.loops if x[0] != var])
            if found is not None:
                return found
        c = self._offset(a, dim, span, var)
        return None if c is None else RowPlace(Fraction(1), Fraction(c), Fraction(c))

    def _offset(self, a: Access, dim: int, span: Range, var: str | None) -> int | None:
        """How many rows from the sweep's row the access is; None if that is no constant."""
        if dim >= len(a.subset):
            return None
        s = a.subset[dim]
        assert isinstance(s, Expr)
        far = self._behind(s, var) if var is not None else linear(sub(s, span.start))
        if far is None or far.is_const:
            return None if far is None else far.const
        if self.ring is None and var is None:
            self._is_ring(far.shifted(-far.const))
        for around in () if self.ring is None else (linear(self.ring), linear(self.ring).scaled(-1)):
            if (far - around).is_const:
                return (far - around).const
        return None

    def _behind(self, s: Expr, var: str) -> Linear | None:
        """The row less the sweep's row, modulo the rows of the ring."""
        match s:
            case Op(name="select", args=(_, x, y)):
                a, b = self._behind(x, var), self._behind(y, var)
                if a is None or b is None or not (a == b or self._is_ring(a - b)):
                    return None
                return a if a.is_const else b
            case Op(name="mod", args=(x, n)):
                return self._behind(x, var) if self._is_ring(linear(n)) else None
            case _:
                form = affine(s, (var,))
                return form.rest if form is not None and form.of(var) == 1 else None

    def _is_ring(self, count: Linear) -> bool:
        """Tell whether so many rows further on one is at the same row again: there is only one ring. (Of a negative number of rows none would be swept in blocks.)"""
        if count.is_const or not self._stays(count.expr):
            return False
        if self.ring is None:
            self.ring = (count if count.terms[0][1] > 0 else count.scaled(-1)).expr
        ring = linear(self.ring)
        return count in (ring, ring.scaled(-1))
