"""Remarks that are true several times, told once: with the calls of a helper for which they are true, with counts, with all sizes from which threads pay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from soljit.analysis.explain.lines import Lines, Spot, spot
from soljit.analysis.explain.program_remarks import Told


def each_once(found: Sequence[Told], source: Lines) -> list[Told]:
    """Each remark once; with the lines of the calls, if it is true of some calls of a helper only."""
    calls: dict[tuple[str, int], set[Spot]] = {}
    for s in source.chains:
        calls.setdefault(s[0], set()).add(s[1:])
    groups: dict[tuple[str, str, Spot], tuple[Told, dict[Spot, int]]] = {}
    for t in found:
        _, callers = groups.setdefault((t.kind, t.text, _lines(t)), (t, {}))
        caller = spot(t.places[0])[1:]
        callers[caller] = callers.get(caller, 0) + 1
    by_caller: dict[tuple[object, ...], list[tuple[Told, dict[Spot, int]]]] = {}
    for t, callers in groups.values():
        over = t.text.partition(", where ")[0] if t.kind == "threads" and t.facts.get("where") else None
        key = (_lines(t), over, tuple(sorted(callers))) if over else (id(t),)
        by_caller.setdefault(key, []).append((t, callers))
    return [
        _with_callers(_with_count(_one([t for t, _ in same]), same[0][1].values()), same[0][1], calls)
        for same in by_caller.values()
    ]


def _lines(t: Told) -> Spot:
    return tuple((x.file, x.line) for x in t.places)


def _one(same: Sequence[Told]) -> Told:
    """Loops of one line that run on threads over the same, from several sizes on."""
    first, *more = same
    if not more:
        return first
    if len(more) == 1:
        text = f"{first.text}; another loop where {more[0].facts['where']}"
    else:
        text = f"{first.text}; {len(more)} other loops from sizes of their own on"
    return replace(first, text=text, facts={**first.facts, "count": len(same)})


def _with_count(t: Told, counts: Iterable[int]) -> Told:
    """Calls of Python of one kind in a line are counted."""
    count = max(counts)
    if t.kind != "python" or t.done or count == 1:
        return t
    return replace(t, text=f"{t.text} ({count} times)", facts={**t.facts, "count": count})


def _with_callers(t: Told, callers: Iterable[Spot], calls: dict[tuple[str, int], set[Spot]]) -> Told:
    here, callers = t.places[0], set(callers)
    lines = sorted({c[0][1] for c in callers if c})
    if lines and calls.get((here.file, here.line), set()) - callers:
        listed = ", ".join(map(str, lines))
        t = replace(t, text=f"called at line{'s' if len(lines) > 1 else ''} {listed}: {t.text}")
    return t
