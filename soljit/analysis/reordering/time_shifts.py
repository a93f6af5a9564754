"""By how many rows the sweeps of a time loop must be shifted, so that blocks of its steps can run a few rows at a time: `time_shifts(loop, …)`.

    for t in range(T):
        for i, j in map(…): b[i, j] = a[i - 1, j] + a[i, j] + a[i + 1, j]          # sweep 0, shift 0
        for i, j in map(…): a[i, j] = b[i - 1, j] + b[i, j] + b[i + 1, j]          # sweep 1, shift 1;   2 rows a step

The body is a sequence of *sweeps* (`sweeps.py`): each access to an array that the loop writes is to row `i + c`, where i is the sweep's row and c a constant.
Row i of sweep k in step t is an *instance* (t, k, i), and stands at position

    p(t, k, i) = i + shift[k] + step * (t - t0)

**Theorem.** Let instances run in the order of their positions, cut into blocks of positions, in each block as the source has them: by (t, k), then i.
Then each array element gets the same values in the same order, if for all sweeps k, m and accesses to one array, at rows i + c in k and i + d in m, one of them a write, with e = d - c,

    shift[m] - shift[k] >= e               if k < m                                (1)
    shift[m] - shift[k] + step >= e        for all k and m, also k = m             (2)      and step >= 0.

Proof. Let (t, k, i) come before (t', m, j) in the source and touch one element. Then i + c = j + d, so i = j + e. If t = t', then k < m (the iterations of one map are
independent), and p(t', m, j) - p(t, k, i) = shift[m] - shift[k] - e >= 0 by (1). If t' > t, it is shift[m] - shift[k] + step * (t' - t) - e >= 0 by (2), as t' - t >= 1 and step >= 0. So
the second one is in the same block of positions or in a later one, and in the same block it comes second, because that has the order of the source. ∎

The *mirrored* shifts are those for rows that are counted downwards: (1) and (2) with -e. Both together are what trapezoids need (`passes/reordering/skew_loops.py`).

Where rows form a ring, i + c and j + d are equal modulo its length; blocks of positions exist only in pieces of it (`skew_loops.py`), to which the theorem applies as above.

For a given step, (1) and (2) are difference constraints; the smallest shifts are the longest paths from a source (Bellman and Ford), and the smallest step is
the first one for which no cycle is positive. There is one, since (1) has no cycles and (2) yields to a large step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from soljit.analysis.loops.affine_region import Overlap
from soljit.analysis.reordering.sweeps import Sweep, sweeps_of
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Data
from soljit.ir.core.expr import Expr
from soljit.ir.core.nodes import Let, Loop

FARTHEST = 64  # rows between what two sweeps touch


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
    ring:   the number of rows of the ring that they form, if they do
    reach:  the most rows between what two sweeps touch of one element
    """

    lets: tuple[Let, ...]
    sweeps: tuple[Sweep, ...]
    rows: Mapping[str, int]
    ring: Expr | None
    shifts: Shifts
    mirrored: Shifts
    reach: int


def time_shifts(
    loop: Loop, data: Mapping[str, Data], overlap: Overlap, moving: Mapping[str, Sequence[str]] | None = None
) -> TimeShifts | Said:
    """The sweeps of the loop and their shifts, or why there are none. overlap, moving: see `sweeps_of`"""
    body = sweeps_of(loop, data, overlap, moving or {})
    if isinstance(body, Said):
        return body
    gaps = gaps_of(body.of)
    if any(abs(e) > FARTHEST for pair in gaps.values() for e in pair):
        return said("far rows")
    most = {pair: e[0] for pair, e in gaps.items()}
    least = {pair: -e[1] for pair, e in gaps.items()}
    reach = max((abs(x) for e in gaps.values() for x in e), default=0)
    count = len(body.of)
    return TimeShifts(body.lets, body.of, body.rows, body.ring, _smallest(count, most), _smallest(count, least), reach)


# --- shifts -----------------------------------------------------------------------------------------------------------


def gaps_of(sweeps: Sequence[Sweep]) -> dict[tuple[int, int], tuple[int, int]]:
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
