"""What came of comparing calls with the undecorated functions: kept in memory, told when the process ends."""

from __future__ import annotations

import statistics
import threading
import time
import types
from collections import Counter
from typing import Any, NamedTuple

from soljit.base.texts import show
from soljit.runtime.shadow.differences import Difference

CALLS = 50  # calls of a function with arguments of the same types that are checked; then each whose number is a power of two
MOST = 2000  # checked calls of a function
SECONDS, SHARE = (
    1.0,
    0.5,
)  # checks of a function take no longer than one second, or than half of the time since its first call
MOST_KINDS = 30  # differences of a function, and reasons, that are told apart


class Found(NamedTuple):
    """A difference. kind: see `shadow/differences.py`; arguments: the types; call: file and line of the first such call; often: of how many."""

    kind: str
    where: str
    text: str
    arguments: str
    call: str
    often: int


class CheckedFunction(NamedTuple):
    """What is known of one function. unchecked: why how many calls were not compared; plain, compiled: seconds of a call, in the median
    of the later half, 0 where too few were compiled; is_compiled: whether any call was compiled; notes: what checked calls held of which nothing can be told.
    """

    name: str
    file: str
    line: int
    calls: int
    checked: int
    differences: tuple[Found, ...]
    unchecked: dict[str, int]
    plain: float
    compiled: float
    is_compiled: bool
    notes: dict[str, int]


class ShadowReport(NamedTuple):
    """All functions that were called; `print` shows it as a table."""

    functions: tuple[CheckedFunction, ...]

    @property
    def differences(self) -> tuple[Found, ...]:
        """Those of all functions."""
        return tuple(d for f in self.functions for d in f.differences)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # any: IPython's printer
        show(self, printer, cycle)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


class Row:
    """One function while the program runs. All that changes is changed under the lock."""

    def __init__(self, function: types.FunctionType) -> None:
        code = function.__code__
        self.name, self.file, self.line = (
            f"{function.__module__}.{function.__qualname__}",
            code.co_filename,
            code.co_firstlineno,
        )
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.began, self.spent = time.perf_counter(), 0.0
        self.calls = self.checked = 0
        self.kinds: Counter[object] = Counter()
        self.unchecked: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self.found: dict[tuple[str, str], Found] = {}
        self.times: list[tuple[float, float]] = []
        self.is_compiled = False

    def begin(self, kind: object) -> bool:
        """Count a call; is it to be checked? kind: the types of its arguments."""
        with _lock:
            self.calls += 1
            if self.calls == 1:
                self.began = time.perf_counter()
            if len(self.kinds) < MOST:
                self.kinds[kind] += 1
            n = self.kinds[kind]
            if self.checked >= MOST or (n > CALLS and n & (n - 1)):
                self.unchecked["calls beyond the number that is checked"] += 1
            elif self.spent > max(SECONDS, SHARE * (time.perf_counter() - self.began)):
                self.unchecked["checks took their share of the time"] += 1
            else:
                return True
            return False

    def skip(self, reason: str, seconds: float) -> None:
        """A call that could not be checked."""
        with _lock:
            self.spent += seconds
            known = reason in self.unchecked or len(self.unchecked) < MOST_KINDS
            self.unchecked[reason if known else "other reasons"] += 1

    def note(self, what: str) -> None:
        """Something in a checked call that nothing could be told of."""
        with _lock:
            if what in self.notes or len(self.notes) < MOST_KINDS:
                self.notes[what] += 1

    def end(self, seconds: float, times: tuple[float, float] | None) -> None:
        """A call that was checked. seconds: what that cost; times: of the undecorated and of the compiled call, if it returned."""
        with _lock:
            self.checked += 1
            self.spent += seconds
            if times is not None:
                self.times.append(times)

    def add(self, d: Difference, arguments: str, call: str) -> None:
        """A difference; of those of one kind in one place the first is kept."""
        with _lock:
            before = self.found.get((d.kind, d.where))
            if before is None and len(self.found) < MOST_KINDS:
                self.found[d.kind, d.where] = Found(*d, arguments, call, 1)
            elif before is not None:
                self.found[d.kind, d.where] = before._replace(often=before.often + 1)

    def told(self) -> CheckedFunction:
        """What is known now."""
        late = self.times[len(self.times) // 2 :] if self.is_compiled and len(self.times) >= 4 else []
        plain, compiled = (statistics.median(t[k] for t in late) if late else 0.0 for k in (0, 1))
        return CheckedFunction(
            self.name,
            self.file,
            self.line,
            self.calls,
            self.checked,
            tuple(self.found.values()),
            dict(self.unchecked),
            plain,
            compiled,
            self.is_compiled,
            dict(self.notes),
        )


_lock = threading.Lock()
_rows: dict[types.CodeType, Row] = {}


def row_of(function: types.FunctionType) -> Row:
    """The row of a function; closures of one definition share it."""
    with _lock:
        return _rows.setdefault(function.__code__, Row(function))


def report(clear: bool = False) -> ShadowReport:
    """What is known now. clear: and forget it."""
    with _lock:
        rows = [r for r in _rows.values() if r.calls]
        told = ShadowReport(tuple(r.told() for r in sorted(rows, key=lambda r: (r.file, r.line))))
        for r in rows if clear else ():
            r.forget()
    return told


def _lines(r: ShadowReport) -> list[str]:
    rows = r.functions
    calls, checked = sum(f.calls for f in rows), sum(f.checked for f in rows)
    small = sum(d.kind == "last places" for d in r.differences)
    large = len(r.differences) - small
    counts = [f"{large} difference{'s' * (large != 1)}"] if large else []
    counts += [f"{small} in the last places"] if small else []
    told = " and ".join(counts) or "no differences"
    lines = [f"soljit checked {checked} of {calls} calls of {len(rows)} function{'s' * (len(rows) != 1)}: {told}"]
    if not rows:
        return lines
    lines.append(
        "   calls  checked   speed  function (speed: time in plain Python / time compiled, for the later half of the calls)"
    )
    for f in rows:
        speed = f"{f.plain / f.compiled:.2g} x" if f.compiled else "plain" if f.checked and not f.is_compiled else ""
        lines.append(f"{f.calls:8d} {f.checked:8d} {speed:>7s}  {f.name} ({f.file}:{f.line})")
        for d in f.differences:
            often = f", {d.often} times" if d.often > 1 else ""
            lines.append(f"{'':27s}{d.kind.upper()} {d.where}: {d.text}; f({d.arguments}) at {d.call}{often}")
        lines += [f"{'':27s}not checked: {n} ({reason})" for reason, n in f.unchecked.items()]
        lines += [f"{'':27s}{what}, in {n} calls" for what, n in f.notes.items()]
    return lines
