"""The rows of a profile: what each line of the user's functions took."""

from __future__ import annotations

import dataclasses
import linecache
import os
import types
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from soljit.runtime.profile.recorder import COMPILED, PLAIN, SEARCH, Known, Recorder, Way
from soljit.runtime.system.profile_memory import Counts
from soljit.runtime.variants.variant import Place, TimedRecord
from soljit.schedule.given import first_line

_FUNCTIONS = ("kernel function", "function")
_MOVING = ("loop", "library", "copy")
_WITHIN = "its runs are too short to be timed: their time is that of the lines that call it"
_WAITED = "the device is waited for after each kernel and each copy, so that nothing overlaps"


@dataclasses.dataclass(frozen=True)
class Row:
    """What one line took, in the functions that called it and in those that were compiled along.

    function, file: where the line is; line: its number; lines: all lines of that file whose work is in its loops; text: its source
    kind:      "compiled"; "plain Python": calls of the function that did not run as compiled code, `note` says why; "refused": calls that
               raised an error of soljit's instead; "compiling": looking for compiled code of the function, and making it, which is no part of its running
    calls:     how often it ran, a loop once for all its turns; None if that is not counted. Runs inside of loops that are too short for a clock count for the line of the loop
    ms:        milliseconds of the clock, without those of lines that have rows of their own
    share:     of the time of the profile, 0 to 1; with several threads of Python the shares may add up to more
    bytes:     of arrays that its loops read and wrote, each element once a run; None if that is not known
    gb_per_s:  these bytes over the time of these loops, in 10^9 bytes a second
    bandwidth: gb_per_s as a part of what the machine's memory gives; more than 1 if the arrays were in a cache
    threads:   the most on which a loop of it ran
    imbalance: how much longer the busiest thread worked than a thread in the mean, 0.1 for a tenth; None without threads
    python:    which part of `ms` passed in calls back into Python; numpy: in NumPy's own routines and its BLAS
    called:    what these calls are of
    note:      a sentence, if something has to be said
    """

    function: str
    file: str
    line: int
    lines: tuple[int, ...]
    text: str
    kind: str
    calls: int | None
    ms: float
    share: float
    bytes: int | None = None
    gb_per_s: float | None = None
    bandwidth: float | None = None
    threads: int = 1
    imbalance: float | None = None
    python: float = 0.0
    numpy: float = 0.0
    called: tuple[str, ...] = ()
    note: str = ""


class Measured(NamedTuple):
    """A place of compiled code with its counts; numbers of lines are those of the file. around: the numbers of the places that it is in"""

    number: int
    around: tuple[int, ...]
    file: str
    line: int
    function: str
    lines: tuple[int, ...]
    chain: tuple[object, ...]  # the calls that lead to it
    timed: TimedRecord
    counts: Counts


def rows_of(r: Recorder, bandwidth: float | None) -> list[Row]:
    """The rows, those that took longest first. bandwidth: of the machine's memory, in 10^9 bytes a second"""
    lines: dict[tuple[str, int], list[Measured]] = {}
    places: dict[types.CodeType, tuple[str, int]] = {}  # the line of each function's `def`
    for known in r.known:
        for m in measured(known):
            lines.setdefault((m.file, m.line), []).append(m)
            if m.timed.kind == "kernel function":
                places[known.code] = m.file, m.line
    for code, _ in r.sums:
        if code not in places:
            places[code] = code.co_filename, first_line(code)
    called: dict[tuple[str, int], list[types.CodeType]] = {}
    for code, way in r.sums:
        if way == COMPILED:
            called.setdefault(places[code], []).append(code)
    out = []
    for place in dict.fromkeys((*lines, *called)):
        codes = called.get(place, [])
        calls = [sum(x) for x in zip(*(r.sums[code, COMPILED] for code in codes))]
        name = r.names[codes[0]] if codes else ""
        row = _line_row(place, lines.get(place, []), calls, r, name, bandwidth)
        out += [row] if row is not None else []
    out += [_way_row(r, code, places[code], way, *sums) for (code, way), sums in r.sums.items() if way != COMPILED]
    return sorted(out, key=lambda row: (-row.ms, row.file, row.line))


def measured(known: Known) -> list[Measured]:
    """The places of compiled code."""
    code = known.code

    def at(place: Place) -> tuple[str, int]:
        return place.file or code.co_filename, place.line if place.file else place.line + code.co_firstlineno

    out = []
    for k, t in enumerate(known.timed):
        file, line = at(t.place)
        name = known.name if t.kind == "kernel function" else t.place.function or known.name
        numbers = [n if f else n + code.co_firstlineno for f, n in t.lines if (f or code.co_filename) == file]
        chain = (id(known.timed), *(at(c) for c in _callers(t.place)))
        out.append(
            Measured(
                k, tuple(_around(known.timed, t)), file, line, name, tuple(sorted(numbers)), chain, t, known.counts[k]
            )
        )
    return out


def _around(timed: Sequence[TimedRecord], t: TimedRecord) -> Iterator[int]:
    while t.inside >= 0:
        yield t.inside
        t = timed[t.inside]


def _callers(place: Place) -> list[Place]:
    return [x for c in place.callers for x in (c, *_callers(c))]


def _line_row(
    place: tuple[str, int],
    found: Sequence[Measured],
    calls: Sequence[int],
    r: Recorder,
    name: str,
    bandwidth: float | None,
) -> Row | None:
    """The row of a line; None if nothing of it ran on its own. calls: number and nanoseconds of the calls of the functions that begin there; name: of the first"""
    ran = [m for m in found if m.counts.calls]
    short = [m for m in found if m.timed.kind in ("within", "function") and not m.counts.calls]
    if not (ran or short or calls):
        return None
    own = sum(m.counts.own for m in ran) + (calls[1] if calls else 0)
    name = name or next(m.function for m in ran or short)
    spent = [(m.timed.numpy, m.counts.own) for m in ran if m.timed.kind == "call" or m.timed.numpy]
    moved, seconds = _moved(ran)
    rate = moved / seconds / 1e9 if moved is not None and seconds else None
    longest, mean = (sum(getattr(m.counts, x) for m in ran) for x in ("longest", "mean"))
    return Row(
        name,
        *place,
        tuple(sorted({n for m in ran or short for n in m.lines} | {place[1]})),
        linecache.getline(*place).strip(),
        "compiled",
        calls[0] if calls else _calls(ran) if ran else None,
        own / 1e6,
        _share(own, r),
        moved,
        rate,
        rate / bandwidth if rate is not None and bandwidth else None,
        max((m.counts.threads for m in ran), default=1),
        longest / mean - 1 if mean else None,
        _part(spent, own, False),
        _part(spent, own, True),
        tuple(dict.fromkeys(m.timed.name for m in ran if m.timed.name and m.timed.kind not in _FUNCTIONS)),
        _WITHIN if not (ran or calls) else _WAITED if any(m.timed.kind in ("kernel", "transfer") for m in ran) else "",
    )


def _calls(ran: Sequence[Measured]) -> int:
    """How often a line ran: as often as that of its places that ran most, of those in no other one of the line, for each of the calls that lead to it."""
    numbers = {(m.chain[0], m.number) for m in ran}
    chains: dict[tuple[object, ...], int] = {}
    for m in ran:
        if not any((m.chain[0], k) in numbers for k in m.around):
            chains[m.chain] = max(chains.get(m.chain, 0), m.counts.calls)
    return sum(chains.values())


def _moved(ran: Sequence[Measured]) -> tuple[int | None, float]:
    """The bytes that loops have moved, if all tell them, and the seconds of these loops. Those that were around others tell nothing, and need not."""
    loops = [m for m in ran if m.timed.kind in _MOVING and not (m.timed.moves and not m.counts.moving)]
    if not loops or not all(m.timed.moves for m in loops):
        return None, 0.0
    return sum(m.counts.bytes for m in loops), sum(m.counts.moving for m in loops) / 1e9


def _part(spent: Sequence[tuple[bool, int]], own: int, numpy: bool) -> float:
    return sum(n for is_numpy, n in spent if is_numpy == numpy) / own if own > 0 else 0.0


def _share(own: int, r: Recorder) -> float:
    return own / max(1, r.end - r.begin)


def _way_row(r: Recorder, code: types.CodeType, place: tuple[str, int], way: Way, calls: int, own: int) -> Row:
    """Calls that ran in plain Python or not at all, or searches for compiled code."""
    kind, note = way
    return Row(
        r.names[code],
        *place,
        (place[1],),
        linecache.getline(*place).strip(),
        kind,
        None if way == SEARCH else calls,
        own / 1e6,
        _share(own, r),
        python=1.0 if kind == PLAIN else 0.0,
        note=note,
    )


def short_place(row: Row) -> str:
    """File and lines of a row, for people."""
    numbers = [str(row.line)] + [f"{a}-{b}" if b > a else str(a) for a, b in _runs(set(row.lines) - {row.line})]
    return f"{os.path.basename(row.file)}:{', '.join(numbers)}"


def _runs(numbers: set[int]) -> list[tuple[int, int]]:
    """Numbers that follow one another, as first and last."""
    runs: list[tuple[int, int]] = []
    for n in sorted(numbers):
        if runs and runs[-1][1] == n - 1:
            runs[-1] = runs[-1][0], n
        else:
            runs.append((n, n))
    return runs
