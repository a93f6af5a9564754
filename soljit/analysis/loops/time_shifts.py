"""By how many rows the sweeps of a time loop must be shifted, so that blocks of its steps can run a few rows at a time: `time_shifts(loop, …)`.

    for t in range(T):
        for i, j in map(…): b[i, j] = a[i - 1, j] + a[i, j] + a[i + 1, j]          # sweep 0, shift 0
        for i, j in map(…): a[i, j] = b[i - 1, j] + b[i, j] + b[i + 1, j]          # sweep 1, shift 1;   2 rows a step

The body is a sequence of *sweeps*: maps of which one variable walks the rows of the arrays that the loop writes. Each access to such an array is to row
`i + c` of one of its dimensions, where i is the sweep's row and c a constant; a statement about one row, `a[0, :] = 0`, is a sweep whose only row is 0.
Row i of sweep k in step t is an *instance* (t, k, i), and stands at position

    p(t, k, i) = i + shift[k] + step * (t - t0)

**Theorem.** Let instances run in the order of their positions, cut into blocks of positions, in each block as the source has them: by (t, k), then i.
Then each array element gets the same values in the same order, if for all sweeps k, m and accesses to one array, at rows i + c in k and i + d in m, one of them a write, with e = d - c,

    shift[m] - shift[k] >= e               if k < m                                (1)
    shift[m] - shift[k] + step >= e        for all k and m, also k = m             (2)      and step >= 0.

Proof. Let (t, k, i) come before (t', m, j) in the source and touch one element. Then i + c = j + d, so i = j + e. If t = t', then k < m (the iterations of one map are
independent), and p(t', m, j) - p(t, k, i) = shift[m] - shift[k] - e >= 0 by (1). If t' > t, it is shift[m] - shift[k] + step * (t' - t) - e >= 0 by (2), as t' - t >= 1 and step >= 0. So
the second one is in the same block of positions or in a later one, and in the same block it comes second, because that has the order of the source. ∎

The *mirrored* shifts are those for rows that are counted downwards: (1) and (2) with -e. Both together are what trapezoids need (`passes/scheduling/skew_loops.py`).

For a given step, (1) and (2) are difference constraints; the smallest shifts are the longest paths from a source (Bellman and Ford), and the smallest step is
the first one for which no cycle is positive. There is one, since (1) has no cycles and (2) yields to a large step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace

from soljit.analysis.loops.legality import inner_privates, substituted, written_out
from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import affine, names_in
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import ONE, Expr, Extent, Load, Range, Stride, loads, subexpressions
from soljit.ir.core.nodes import Alloc, Branch, Break, Continue, Let, Loop, Map, Node, Region, Tasklet, While
from soljit.ir.symbolic import add, difference
from soljit.ir.walk import walk

_MOST = 16  # sweeps
_FARTHEST = 64  # rows between what two sweeps touch
Overlap = Callable[[str, str], bool]
_PLAIN = (Region, Map, Loop, While, Branch, Let, Tasklet, Alloc, Break, Continue)


@dataclass(frozen=True)
class Sweep:
    """One map, with the rows that it walks. variable: the one of the map that does; None: the map is about one row. uses: array → rows from `variable` that it reads, and that it writes"""

    map: Map
    rows: Range
    variable: str | None
    reads: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    writes: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Shifts:
    """Of each sweep, and from one step to the next."""

    of: tuple[int, ...]
    step: int


@dataclass(frozen=True)
class TimeShifts:
    """What the body of a time loop is, for blocks of its steps.

    lets:   what it defines in front of the sweeps
    rows:   the dimension of each array that the loop writes in which its rows follow each other
    reach:  the most rows between what two sweeps touch of one element
    """

    lets: tuple[Let, ...]
    sweeps: tuple[Sweep, ...]
    rows: Mapping[str, int]
    shifts: Shifts
    mirrored: Shifts
    reach: int


def time_shifts(
    loop: Loop, data: Mapping[str, Data], overlap: Overlap, moving: Mapping[str, Sequence[str]] | None = None
) -> TimeShifts | Said:
    """The sweeps of the loop and their shifts, or why there are none.

    overlap: tells whether two arrays may share memory
    moving:  array variables that stand for one of several arrays in each step (`rotations.py`): all of them count as one array
    """
    moving = moving or {}
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
    found = _Rows(frozenset(effects(loop.body).defines | {loop.var}), written, groups).sweeps(maps)
    if isinstance(found, Said):
        return found
    sweeps, rows = found
    gaps = _gaps(sweeps)
    if any(abs(e) > _FARTHEST for pair in gaps.values() for e in pair):
        return said("far rows")
    most = {pair: e[0] for pair, e in gaps.items()}
    least = {pair: -e[1] for pair, e in gaps.items()}
    reach = max((abs(x) for e in gaps.values() for x in e), default=0)
    rows = {x: d for group, d in rows.items() for x in groups.members([group])}
    return TimeShifts(lets, sweeps, rows, _smallest(len(sweeps), most), _smallest(len(sweeps), least), reach)


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
    others = sorted({y for x in touched for y in moving.get(x, (x,))})
    for a in sorted({y for x in written for y in moving.get(x, (x,))}):
        other = next((b for b in others if b != a and overlap(a, b)), None)
        if other is not None:
            return said("overlap", name=a, other=other)
    return None


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
    own = [x for m in maps if not m.vars for x in m.body.nodes if isinstance(x, Let)]
    for x in (*waiting, *own):
        users = sum(x.name in effects(n).uses for n in (*lets, *maps))
        if x in waiting or users > 1:
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
    _dims: dict[str, int] = field(default_factory=dict)

    def sweeps(self, maps: Sequence[Map]) -> tuple[tuple[Sweep, ...], Mapping[str, int]] | Said:
        """From the map with the most loops to those that have arrays in common with it."""
        found: dict[int, Sweep] = {}
        left = sorted(range(len(maps)), key=lambda k: -len(maps[k].vars))
        while left:
            k = next((k for k in left if any(a.data in self._dims for a in self._accesses(maps[k]))), left[0])
            sweep = self._sweep(maps[k])
            if isinstance(sweep, Said):
                return sweep
            found[k] = sweep
            left.remove(k)
        return tuple(found[k] for k in range(len(maps))), self._dims

    def _accesses(self, m: Map) -> list[Access]:
        lets = written_out(m.body)
        found = (replace(a, data=self.groups.of(a.data)) for a in dict.fromkeys(effects(m).accesses))
        return [substituted(a, lets) for a in found if a.data in self.written]

    def _sweep(self, m: Map) -> Sweep | Said:
        accesses = self._accesses(m)
        for a in accesses:
            if a.wcr is not None or not a.subset or any(isinstance(s, Range) for s in a.subset):
                return said("row by row", name=a.data)
        if not m.vars and not any(a.data in self._dims for a in accesses):
            self._dims[accesses[0].data] = 0  # no sweep over rows touches it
        placed = [a for a in accesses if a.data in self._dims]
        first = placed[0].subset[self._dims[placed[0].data]] if placed else None
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

    def _one_row(self, m: Map, accesses: list[Access], row: Expr) -> Sweep | Said:
        if not self._stays(row):
            return said("rows change")
        return self._offsets(m, Range(row, add(row, ONE), ONE), None, accesses)

    def _offsets(self, m: Map, span: Range, var: str | None, accesses: list[Access]) -> Sweep | Said:
        uses: tuple[dict[str, tuple[int, int]], dict[str, tuple[int, int]]] = {}, {}
        for a in accesses:
            dims = [self._dims[a.data]] if a.data in self._dims else range(len(a.subset) if var is not None else 0)
            where = next(((d, c) for d in dims if (c := _offset(a, d, span, var)) is not None), None)
            if where is None:
                return said("row by row", name=a.data)
            self._dims[a.data], c = where
            known = uses[a.write].get(a.data, (c, c))
            uses[a.write][a.data] = min(c, known[0]), max(c, known[1])
        return Sweep(m, span, var, *uses)

    def _stays(self, e: Expr) -> bool:
        """Tell whether the expression has one value, known in front of the loop."""
        moving = any(isinstance(x, Load | Extent | Stride) for x in subexpressions(e))
        return not moving and names_in(e).isdisjoint(self.changing)


def _offset(a: Access, dim: int, span: Range, var: str | None) -> int | None:
    """How many rows from the sweep's row the access is; None if that is no constant."""
    if dim >= len(a.subset):
        return None
    s = a.subset[dim]
    assert isinstance(s, Expr)
    if var is None:
        return difference(s, span.start)
    form = affine(s, (var,))
    return form.rest.const if form is not None and form.of(var) == 1 and form.rest.is_const else None


# --- shifts -----------------------------------------------------------------------------------------------------------


def _gaps(sweeps: Sequence[Sweep]) -> dict[tuple[int, int], tuple[int, int]]:
    """For each pair of sweeps that touch an element which one of them writes: the largest and the smallest e."""
    out: dict[tuple[int, int], tuple[int, int]] = {}
    for k, first in enumerate(sweeps):
        for m, second in enumerate(sweeps):
            pairs = ((first.writes, second.reads), (first.reads, second.writes), (first.writes, second.writes))
            met = [(x[n], y[n]) for x, y in pairs for n in x.keys() & y.keys()]
            if met:
                out[k, m] = max(d[1] - c[0] for c, d in met), min(d[0] - c[1] for c, d in met)
    return out


def _smallest(count: int, gaps: Mapping[tuple[int, int], int]) -> Shifts:
    """The smallest step, and the smallest shifts with it."""
    step = 0
    while (found := _longest(count, gaps, step)) is None:
        step += 1
    return Shifts(found, step)


def _longest(count: int, gaps: Mapping[tuple[int, int], int], step: int) -> tuple[int, ...] | None:
    shifts = [0] * count
    for _ in range(count + 1):
        before = list(shifts)
        for (k, m), e in gaps.items():
            least = shifts[k] + (e if k < m else e - step)
            if k == m and least > shifts[k]:
                return None
            shifts[m] = max(shifts[m], least)
        if shifts == before:
            return tuple(shifts)
    return None
