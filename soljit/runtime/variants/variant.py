"""A compiled variant: its record, which the cache keeps as JSON, and the variant linked into this process.

The record says everything that is needed to run the library without the compiler: parameters, results and their tree,
the tables of raises and callbacks, what must still hold of captured values. Places are relative to the function's first
line, so that the record stays right when code above the function changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from soljit.base.python.dependency import Dependency, Path
from soljit.ir.core.signature import ArgType
from soljit.runtime.system.library import Library
from soljit.runtime.values.arguments import type_text, without
from soljit.runtime.values.same_types import same_types

Json = Any  # what json.loads gives


class Place(NamedTuple):
    """An expression of the user's source; `file` is "" for the file of the jitted function, then `line` counts from its
    first.
    """

    file: str
    line: int
    function: str
    lines: int = 0  # further lines of the expression
    col: int = 0
    end_col: int = 0  # 0: unknown
    callers: tuple[Place, ...] = ()  # where the function is called that holds it, if that was compiled into its caller
    above: int = 0  # lines from that of the function's `def` to this one


class RaiseRecord(NamedTuple):
    """One place that raises; dtypes of the operands by name. again: as in `codegen.source.RaiseEntry`."""

    exception: str
    message: str | None
    operands: tuple[str, ...]
    place: Place
    again: bool = False


class LeafRecord(NamedTuple):
    """A parameter, result, or operand or result of a callback. kind: "array", "scalar", "python", "object", "drop".

    base, same: for results that live in a parameter's memory: that parameter's name. order: declared order of a
    callback's result. writable: False for a result that is read-only. itself: as in
    `nodes.Result`.
    """

    kind: str
    dtype: str | None = None
    ndim: int = 0
    name: str = ""
    base: str | None = None
    same: str | None = None
    order: str = "C"
    writable: bool = True
    itself: int | None = None


class CallbackTable(NamedTuple):
    """One call back into Python: what `Callback` of the IR says."""

    target: str
    args: tuple[Json, ...]
    kwargs: dict[str, Json]
    ins: tuple[LeafRecord, ...]
    outs: tuple[LeafRecord, ...]
    effects: tuple[int, ...] = ()
    result: Json = None
    site: tuple[str, int, int] = ("", 0, 0)  # file ("": that of the function, lines from its first), line and column
    again: bool = False  # nothing that a caller could see happens before it
    place: Place = Place("", 0, "")


class RemarkRecord(NamedTuple):
    """A remark (`base/remarks.py`) with its places, files and lines as in `Place`; so count the lines in its text."""

    kind: str
    text: str
    places: tuple[tuple[str, int], ...]
    done: bool = True
    cure: str = ""
    facts: dict[str, Json] = {}


class TimedRecord(NamedTuple):
    """A place of which profiled code takes the time: `codegen.source.Timed`; lines: files and lines, as in `Place`."""

    kind: str
    place: Place
    lines: tuple[tuple[str, int], ...]
    name: str = ""
    numpy: bool = False
    moves: bool = False
    inside: int = -1


class Record(NamedTuple):
    """See the head of this file. `writes`: the program writes memory that a caller can see, so overlap matters.
    `identity`: it asks which of the arguments are one array object. `changes_objects`: what objects hold matters, too.
    """

    name: str
    library: str  # file name in the cache folder
    load: str = ""  # "module:class" that makes it callable; "" for a shared library
    params: tuple[LeafRecord, ...] = ()
    results: tuple[LeafRecord, ...] = ()
    structure: Json = None
    raises: tuple[RaiseRecord, ...] = ()
    callbacks: tuple[CallbackTable, ...] = ()
    writes: bool = True
    guards: tuple[str, ...] = ()
    remarks: tuple[RemarkRecord, ...] = ()
    steps: tuple[tuple[str, float], ...] = ()
    captured: tuple[tuple[Path, str], ...] = ()  # path and fingerprint
    fetched: tuple[tuple[Path, str], ...] = ()  # captured arrays that are passed: path and fingerprint of the type
    texts: tuple[tuple[str, str], ...] = ()  # kind of text → file name in the cache folder
    identity: bool = False
    changes_objects: bool = False
    python_work: str = ""  # plain Python may be as fast: "whole", "part" or "short" (`analysis/cost/python_work.py`)
    twins: tuple[tuple[Path, Path], ...] = ()  # other ways to captured arrays, and the path in `fetched`
    image: str = ""  # the number of the kernels' image, in 16 hexadecimal digits; "" if there are none
    kernels: tuple[tuple[str, str, int], ...] = ()  # their names, files and lines, as in `Place`
    device_libraries: tuple[str, ...] = ()  # of the device, "cublas"
    features: tuple[tuple[str, bool], ...] = ()  # of the device that passes asked for, and whether they were there
    put_back: tuple[str, ...] = ()  # arrays of the caller's, as they were before a call that is made again
    calls: tuple[Place, ...] = ()  # of functions of the program: what exceptions leave
    renamed: dict[str, dict[str, str]] = {}  # what the source calls otherwise, in the program, "", and in its functions
    schedule: Json = ()  # the steps that its passes took, `schedule.recipe.Recipe.to_json`
    made_at: tuple[
        tuple[str, str, int], ...
    ] = ()  # names in these steps, and where they come from: file and line, as in `Place`
    timed: tuple[TimedRecord, ...] = ()  # places whose times are taken, by their numbers


def to_json(record: Record) -> Json:
    """Plain lists and dicts; a named tuple becomes the list of its fields."""
    return record._asdict()


def from_json(data: Json) -> Record:
    """The record again; an exception of Python's if the data are no record."""
    data = dict(data)
    for name, make in _FIELDS.items():
        data[name] = tuple(make(x) for x in data[name])
    return Record(**data)


def _leaf(x: Json) -> LeafRecord:
    return LeafRecord(*x)


def _raise(x: Json) -> RaiseRecord:
    exception, message, operands, place, again = x
    return RaiseRecord(exception, message, tuple(operands), _place(place), again)


def _place(x: Json) -> Place:
    file, line, function, lines, col, end_col, callers, above = x
    return Place(file, line, function, lines, col, end_col, tuple(_place(c) for c in callers), above)


def _callback(x: Json) -> CallbackTable:
    target, args, kwargs, ins, outs, effects, result, site, again, place = x
    operands, leaves = tuple(_leaf(i) for i in ins), tuple(_leaf(o) for o in outs)
    return CallbackTable(
        target, tuple(args), kwargs, operands, leaves, tuple(effects), result, tuple(site), again, _place(place)
    )


def _remark(x: Json) -> RemarkRecord:
    kind, text, places, done, cure, facts = x
    return RemarkRecord(kind, text, tuple((file, line) for file, line in places), done, cure, facts)


def _timed(x: Json) -> TimedRecord:
    kind, place, lines, *rest = x
    return TimedRecord(kind, _place(place), tuple((file, line) for file, line in lines), *rest)


def _path(x: Json) -> Path:
    return tuple((kind, name) for kind, name in x)


def _path_and_text(x: Json) -> tuple[Path, str]:
    path, text = x
    return _path(path), text


def _two_paths(x: Json) -> tuple[Path, Path]:
    path, other = x
    return _path(path), _path(other)


_FIELDS: dict[str, Callable[[Json], Any]] = {
    "params": _leaf,
    "results": _leaf,
    "raises": _raise,
    "callbacks": _callback,
    "calls": _place,
    "guards": str,
    "put_back": str,
    "remarks": _remark,
    "steps": tuple,
    "captured": _path_and_text,
    "fetched": _path_and_text,
    "twins": _two_paths,
    "texts": tuple,
    "kernels": tuple,
    "device_libraries": str,
    "features": tuple,
    "made_at": tuple,
    "timed": _timed,
}


class Variant:
    """A record with its library, ready to run: the types it is for, and the captured values it relies on.

    captured: dependencies with the values of this process
    fetched:  captured arrays that every call passes after its arguments: path and type
    index:    its number in the dispatcher, -1 before it is added
    device:   address of the table of the device that it runs on (`include/soljit/device.h`), 0 for none
    resources: what its kernels take on that device, by name
    reports:  which reports of floating-point errors keep calls from it: 1 those by NumPy's state, 2 those by warnings, too
    tried:    may calls run in plain Python where that is faster?
    """

    def __init__(
        self,
        types: tuple[ArgType, ...],
        record: Record,
        library: Library,
        captured: tuple[Dependency, ...],
        fetched: tuple[tuple[Path, ArgType], ...] = (),
        origin: str = "compiled",
    ) -> None:
        self.types, self.record, self.library, self.captured, self.fetched = types, record, library, captured, fetched
        self.origin = origin  # or "beside", without waiting for it, or "cache"
        self.index = -1
        self.tried = False
        self.changes = 0  # of functions among the arguments
        self.device = 0
        self.resources: Mapping[
            str, Any
        ] = {}  # any: `devices.images.Resources`, which variants without kernels do not load
        self.reports = 2
        self.alike: Mapping[int, tuple[Any, ...]] = {}  # functions among the leaves that may be others: `made_anew.py`
        self._asked = self._of_interest(types)

    def _of_interest(self, types: Sequence[ArgType]) -> tuple[ArgType, ...]:
        """Overlap matters only where something is written, and which arrays are one object only where that is asked."""
        return tuple(without(t, not self.record.writes, not self.record.identity) for t in types)

    def takes(self, types: Sequence[ArgType]) -> bool:
        """Tell whether the variant is for these types."""
        return same_types(self._asked, self._of_interest(types), bool(self.alike))

    def signature(self) -> str:
        """The argument types as text."""
        return "(" + ", ".join(type_text(t) for t in self.types) + ")"

    def is_now_for(self, types: tuple[ArgType, ...]) -> int:
        """Functions among the arguments may be others now, made from the same code; how often they were."""
        if not same_types(self.types, types):
            self.changes += 1
        self.types, self._asked = types, self._of_interest(types)
        return self.changes
