"""Statements over rows that can run a few rows at a time, all of them, with temporaries of a few rows: `row_stream(maps, …)`.

    for i, j in map(range(n), …):     t[i, j] = f(a[i, j])                  # sweep 0, shift 0
    for i, j in map(range(n - 2), …): b[i, j] = t[i, j] + t[i + 2, j]       # sweep 1, shift 2

The maps run once, one after the other: a time loop of one step (`sweeps.py`, `time_shifts.py`). With shifts for which (1) of `time_shifts` holds, row i of sweep k stands at position
i + shift[k], and blocks of positions, in each the sweeps in their order, give each element the same values in the same order.

**Buffers.** In the block of positions w to w + h - 1, sweep k touches rows i + c of an array with w <= i + shift[k] < w + h: rows from w + low to w + h - 1 + high, where low and
high are the least and the greatest c - shift[k] of all sweeps. So row r is touched in blocks with r - high - h < w <= r - low. Let R >= h + high - low. Then row r + R is touched
only in blocks with w > r + R - high - h >= r - low, behind all those of row r: both can have one place, row r modulo R of a buffer of R rows. The array's memory began as anything,
so whatever is read, the run has written.

**Pieces.** Positions are cut into pieces that threads run at the same time, each with buffers of its own. The piece from p to q runs the rows of sweep k at positions p - lead[k] to
q - 1: some rows in front of the piece again. Each row that it reads from a buffer has the value that it had, if all writes of it in front of the read are in the piece: for k < m, with
row i + c written in k and row j + d read in m, i + c = j + d, e = d - c, as in `time_shifts`,

    lead[k] >= lead[m] + shift[m] - shift[k] - e                            (3)

since i = j + e stands at position j + e + shift[k] = (j + shift[m]) - (shift[m] - shift[k] - e) >= p - lead[m] - (shift[m] - shift[k] - e), and by (1) not behind that of the read. What a
piece runs keeps its order; what it leaves out writes nothing that it reads. Arrays that others see, too, must be written once, and by the piece that reads them: sweeps that touch one have
lead 0, and touch its rows at one position, i + shift[k] = j + shift[m].

**Rates.** Where a sweep reads every second row, or each row twice, rows are further apart: row i of sweep k stands at position rate[k] * i + shift[k], row r of array x at rate[x] * r, and
what was said of rows is meant of positions. An access to row r lies at a distance rate[x] * r - rate[k] * i between a least and a most, in place of c; of two accesses, e is between the
least one of m less the most one of k, and the most one of m less the least one of k. So (1) and (3) hold with these ends. A buffer of R rows keeps what R * rate[x] positions need.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from soljit.analysis.loops.affine_region import Overlap, why_overlapping
from soljit.analysis.memory.accesses import effects
from soljit.analysis.reordering.sweeps import Sweep, sweeps_over
from soljit.analysis.reordering.time_shifts import FARTHEST, gaps_of
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.nodes import Map


@dataclass(frozen=True)
class RowStream:
    """What the maps are.

    rows:    the dimension of each array that they write in which its rows follow each other
    rates:   how many positions there are to a row of the buffers
    shifts:  how many positions each sweep stays behind
    leads:   how many positions earlier each sweep begins in a piece
    buffers: arrays of which a few rows are kept → of how many more positions than a block has
    alone:   why the rows cannot be cut into pieces
    """

    sweeps: tuple[Sweep, ...]
    rows: Mapping[str, int]
    rates: Mapping[str, int]
    shifts: tuple[int, ...]
    leads: tuple[int, ...]
    buffers: Mapping[str, int]
    alone: Said | None


def row_stream(
    maps: Sequence[Map], data: Mapping[str, Data], overlap: Overlap, local: Collection[str]
) -> RowStream | Said:
    """The maps as a stream of rows, or why they are none. overlap: tells whether two arrays may share memory; local: arrays that only these maps use, without values in front of them"""
    written = _written(maps, data, overlap)
    if isinstance(written, Said):
        return written
    found = sweeps_over(maps, written)
    if isinstance(found, Said):
        return found
    sweeps, rows, rates = found
    gaps = gaps_of(sweeps)
    fastest = max((*rates.values(), *(s.rate for s in sweeps)))
    if fastest > FARTHEST or any(abs(e) > FARTHEST * fastest for pair in gaps.values() for e in pair):
        return said("far rows")
    if any(s.variable is not None and s.variable != s.map.vars[0] for s in sweeps):
        return said("other rows")
    shifts = [0] * len(sweeps)
    for (k, m), e in sorted(gaps.items()):
        if k < m:
            shifts[m] = max(shifts[m], shifts[k] + e[0])
    kept = [x for x in sorted(rows) if x in local and _is_kept(data[x], rows[x])]
    if not any(_length(data[x]) > 1 for x in kept):
        return said("nothing kept")
    leads = _leads(sweeps, shifts, kept)
    return RowStream(
        sweeps,
        rows,
        {x: rates[x] for x in kept},
        tuple(shifts),
        leads,
        {x: _window(x, sweeps, shifts) for x in kept},
        _why_alone(sweeps, shifts, leads, rows.keys() - {*kept}),
    )


def _written(maps: Sequence[Map], data: Mapping[str, Data], overlap: Overlap) -> frozenset[str] | Said:
    """The arrays that the maps write, for others or for each other."""
    written: set[str] = set()
    touched: set[str] = set()
    for m in maps:
        e = effects(m)
        if e.python or e.leaves or e.binds or e.allocs - e.private or m.schedule:
            return said("leaves")
        written |= {a.data for a in e.writes} - e.private
        touched |= ({a.data for a in e.accesses} | e.asks) - e.private
    for x in sorted(written):
        if isinstance(data.get(x), Scalar):
            return said("carries", name=x)
        reason = why_overlapping((x,), touched, overlap)
        if reason is not None:
            return reason
    return frozenset(written)


def _is_kept(d: Data, dim: int) -> bool:
    """Tell whether a few rows of the array could be kept, each of which lies together."""
    plain = isinstance(d, Array) and d.strides is None and d.storage == "host"
    return plain and (dim < _length(d) - 1 or dim == 0)


def _length(d: Data) -> int:
    """How many dimensions an array has."""
    return len(d.shape) if isinstance(d, Array) else 0


def _window(name: str, sweeps: Sequence[Sweep], shifts: Sequence[int]) -> int:
    """The positions of rows of an array that are touched from one position."""
    at = [c - shifts[k] for k, s in enumerate(sweeps) for x in (s.reads, s.writes) for c in x.get(name, ())]
    return max(at) - min(at)


def _leads(sweeps: Sequence[Sweep], shifts: Sequence[int], kept: Collection[str]) -> tuple[int, ...]:
    leads = [0] * len(sweeps)
    for k in reversed(range(len(sweeps))):
        for m in range(k + 1, len(sweeps)):
            for x in sweeps[k].writes.keys() & sweeps[m].reads.keys() & {*kept}:
                least = sweeps[m].reads[x][0] - sweeps[k].writes[x][1]
                leads[k] = max(leads[k], leads[m] + shifts[m] - shifts[k] - least)
    return tuple(leads)


def _why_alone(
    sweeps: Sequence[Sweep], shifts: Sequence[int], leads: Sequence[int], seen: Collection[str]
) -> Said | None:
    """Why the rows cannot be cut into pieces. seen: arrays that are stored for others"""
    for x in sorted(seen):
        touching = [k for k, s in enumerate(sweeps) if x in s.reads or x in s.writes]
        at = {c - shifts[k] for k in touching for y in (sweeps[k].reads, sweeps[k].writes) for c in y.get(x, ())}
        if any(leads[k] for k in touching) or len(at) > 1:
            return said("computed twice", name=x)
    return None
