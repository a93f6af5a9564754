"""A profile as events over time, in the format of Chrome's tracing, which Perfetto reads, too."""

from __future__ import annotations

import ctypes
import linecache
import os
from typing import Any

from soljit.runtime.profile.recorder import COMPILED, Recorder
from soljit.runtime.profile.rows import Measured, measured
from soljit.runtime.system.profile_memory import Counts
from soljit.schedule.given import first_line

_CATEGORIES = {"kernel function": "function", "call": "python"}


def trace_of(r: Recorder) -> dict[str, Any]:  # any: JSON
    """The whole file: events in the order of their beginnings, in microseconds since the profile began, a lane for each thread of Python."""
    places: dict[int, Measured] = {}
    for known in r.known:
        places |= {known.at + k * ctypes.sizeof(Counts): m for k, m in enumerate(measured(known))}
    events = [_event(r, *_of_place(places[e.place]), e.thread, e.begin, e.end) for e in r.events if e.place in places]
    at = {code: first_line(code) for code in {c.code for c in r.calls}}
    for c in r.calls:
        kind, note = c.way if c.way != COMPILED else ("call", "")
        about = {"file": c.code.co_filename, "line": at[c.code]}
        if note:
            about["why"] = note
        name = r.names[c.code]
        events.append(_event(r, name if kind == "call" else f"{name} ({kind})", kind, about, c.thread, c.begin, c.end))
    process = os.getpid()
    names = [
        {"name": "thread_name", "ph": "M", "pid": process, "tid": thread, "ts": 0, "args": {"name": name}}
        for thread, name in r.threads.items()
    ]
    events.sort(key=lambda e: (e["ts"], -e["dur"]))
    return {
        "traceEvents": [*names, *events],
        "displayTimeUnit": "ms",
        "otherData": {"lost events": r.lost},
    }


def _of_place(m: Measured) -> tuple[str, str, dict[str, Any]]:  # any: JSON
    """Name, category and details of the runs of a place."""
    kind = "numpy" if m.timed.numpy else _CATEGORIES.get(m.timed.kind, m.timed.kind)
    text = linecache.getline(m.file, m.line).strip()
    what = m.timed.name if m.timed.kind == "call" else m.function if "function" in m.timed.kind else text
    about = {"function": m.function, "file": m.file, "line": m.line, "lines": [*m.lines], "source": text}
    return f"{m.line}: {what}", kind, about


def _event(
    r: Recorder, name: str, kind: str, about: dict[str, Any], thread: int, begin: int, end: int
) -> dict[str, Any]:  # any: JSON
    return {
        "name": name,
        "cat": kind,
        "ph": "X",
        "ts": (begin - r.begin) / 1000,
        "dur": (end - begin) / 1000,
        "pid": os.getpid(),
        "tid": thread,
        "args": about,
    }
