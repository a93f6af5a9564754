"""Events of devices as people look at them: a table in text, in which repetitions stand once, and a picture with a lane for each kind of work."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

KINDS = (
    "upload",
    "download",
    "poke",
    "fetch",
    "launch",
    "fill",
    "allocate",
    "free",
    "wait",
    "gemm",
    "no upload",
    "update",
)  # as in device_api.h
_LANES = {
    "upload": ("upload", "update", "poke"),
    "kernels": ("launch", "gemm", "fill"),
    "download": ("download", "fetch"),
    "host": ("allocate", "free", "wait", "no upload"),
}
_WORK = {"launch": "thread", "gemm": "multiplication"}  # and what its amount counts
_WAITING = ("download", "fetch", "wait")  # the host goes on when all that was queued before is done
_MANY = {"launch": "launches", "fetch": "fetches", "allocate": "allocations"}
_LONGEST = 16  # events of a repetition
_TURNS = 3  # from which on one stands for all
_NAMES = 14  # in the legend of a picture
_QUEUE = 1  # the lane of kernels
_OF_HOST = {"allocate": "#9a9a9a", "free": "#c4c4c4", "wait": "#555555"}
_COLOURS = (
    "#4878a8",
    "#e0843b",
    "#5a9e5a",
    "#c65353",
    "#8d6cab",
    "#8c6d5c",
    "#d77fb3",
    "#7f7f7f",
    "#b0ab2e",
    "#3fa7b5",
)


class Event(NamedTuple):
    """Something that happened on a device. kind: "upload" and "download" of arrays, "poke" and "fetch" of a few bytes, "launch", "fill", "allocate",
    "free", "wait", "gemm" for products by cuBLAS. name: of the array, the kernel or cuBLAS's function, "" if it has none. bytes: of a launch the number of
    threads, of a product that of multiplications. failed: CUDA's error, 0 for none.
    begin, end: when the host called and went on, in seconds since the trace began; what was only queued is done later.
    """

    kind: str
    name: str
    bytes: int
    failed: int
    device: int  # 0 for the one that was used first
    begin: float = 0.0
    end: float = 0.0


def table(events: Sequence[Event]) -> str:
    """One line an event: when it began, what it took of the host's time, what, of which array or kernel, how much. Then the sums."""
    width = max((len(e.name) for e in events), default=0)
    several = len({e.device for e in events}) > 1
    lines = []
    for first, length, turns in _repetitions(events):
        for e in events[first : first + length]:
            line = (
                f"{e.begin * 1e6:10.1f} µs {(e.end - e.begin) * 1e6:9.1f} µs  {e.kind:8} {e.name:{width}} {_amount(e)}"
            )
            line += f"  on device {e.device}" if several else ""
            line += f"  failed: {e.failed}" if e.failed else ""
            lines.append(line.rstrip() + (f"  │ {turns} times" if turns > 1 else ""))
    return "\n".join([*lines, summary(events)])


def summary(events: Sequence[Event]) -> str:
    """How many events there are of each kind, their bytes, and the time from the first to the last."""
    parts = []
    for kind in KINDS:
        of = [e for e in events if e.kind == kind]
        if of:
            amount = "" if kind in (*_WORK, "wait") else f" of {_bytes(sum(e.bytes for e in of))}"
            parts.append(f"{len(of)} {kind if len(of) == 1 else _MANY.get(kind, f'{kind}s')}{amount}")
    if not parts:
        return "nothing"
    return f"{', '.join(parts)}; {(max(e.end for e in events) - events[0].begin) * 1e6:.1f} µs"


def _amount(e: Event) -> str:
    if e.kind == "wait":
        return ""
    return _bytes(e.bytes) if e.kind not in _WORK else f"{e.bytes} {_WORK[e.kind]}{'s' if e.bytes != 1 else ''}"


def _bytes(n: int) -> str:
    return f"{n} byte{'s' if n != 1 else ''}"


def _repetitions(events: Sequence[Event]) -> Iterator[tuple[int, int, int]]:
    """The events in pieces: where a piece begins, how long it is, and how many times it comes, one after the other."""
    same = [e[:5] for e in events]
    k = 0
    while k < len(same):
        length, turns = 1, 1
        for n in range(1, min(_LONGEST, (len(same) - k) // _TURNS) + 1):
            m = 1
            while same[k + m * n : k + (m + 1) * n] == same[k : k + n]:
                m += 1
            if m >= _TURNS and m * n > length * turns:
                length, turns = n, m
        yield k, length, turns
        k += length * turns


# --- the picture ----------------------------------------------------------------------------------------------------------


def plot(events: Sequence[Event], file: str | None) -> Any:  # any: matplotlib's Figure
    """Draw the events over time, and write the picture to `file`, whose end says in which format. ImportError without matplotlib."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'soljit[bench]'") from error
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    axes = figure.subplots()
    colours = _colours(events)
    least = 0.003 * max((e.end for e in events), default=0.0)  # what can be seen
    for lane, kinds in enumerate(_LANES.values()):
        own = [e for e in events if e.kind in kinds]
        if lane == _QUEUE:
            work = [(a * 1e6, (b - a) * 1e6) for a, b in _at_work(events)]
            axes.broken_barh(work, (lane - 0.3, 0.6), color="#dddddd")
        for of in dict.fromkeys(_of(e) for e in own):
            bars = [(e.begin * 1e6, max(e.end - e.begin, least) * 1e6) for e in own if _of(e) == of]
            axes.broken_barh(bars, (lane - 0.3, 0.6), color=colours[of], linewidth=0)
    axes.set_yticks(range(len(_LANES)), [*_LANES])
    axes.invert_yaxis()
    axes.set_xlabel("microseconds of the host; grey: kernels are queued or run, until the host has waited for them")
    axes.set_title("\n".join(textwrap.wrap(summary(events), 110)), fontsize=8)
    axes.grid(axis="x", linewidth=0.3)
    _legend(axes, events, colours)
    if file is not None:
        with rc_context({"svg.hashsalt": "soljit", "svg.fonttype": "none"}):  # the same events, the same file
            figure.savefig(file, metadata={"Date": None} if file.endswith((".svg", ".pdf")) else None)
    return figure


def _of(e: Event) -> str:
    """What an event is about: the array, the kernel, or its kind."""
    return e.name or e.kind


def _colours(events: Sequence[Event]) -> dict[str, str]:
    names = [*dict.fromkeys(_of(e) for e in events if e.kind not in _LANES["host"])]
    found = {name: _COLOURS[k % len(_COLOURS)] for k, name in enumerate(names)}
    return found | {kind: _OF_HOST[kind] for kind in _LANES["host"] if any(e.kind == kind for e in events)}


def _at_work(events: Sequence[Event]) -> list[tuple[float, float]]:
    """From when to when a device may be at work: from a launch until the host has next waited for that device."""
    out, open_since = [], dict[int, float]()
    for e in events:
        if e.kind in _LANES["kernels"]:
            open_since.setdefault(e.device, e.begin)
        elif e.kind in _WAITING and e.device in open_since:
            out.append((open_since.pop(e.device), e.end))
    last = max((e.end for e in events), default=0.0)
    return out + [(since, last) for since in open_since.values()]


def _legend(axes: Any, events: Sequence[Event], colours: dict[str, str]) -> None:
    """What each colour is: name, how often, and how many bytes were moved."""
    from matplotlib.patches import Patch

    shown = []
    for name, colour in [*colours.items()][:_NAMES]:
        own = [e for e in events if _of(e) == name]
        moved = sum(e.bytes for e in own if e.kind not in (*_WORK, "allocate", "free"))
        shown.append(Patch(color=colour, label=f"{name}  ×{len(own)}" + (f"  {_bytes(moved)}" if moved else "")))
    if len(colours) > _NAMES:
        shown.append(Patch(color="none", label=f"and {len(colours) - _NAMES} more"))
    if shown:
        axes.legend(handles=shown, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7, frameon=False)
