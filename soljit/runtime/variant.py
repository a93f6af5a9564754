"""A compiled variant: its record, which the cache keeps as JSON, and the variant linked into this process.

The record says everything that is needed to run the library without the compiler: parameters, results and their tree, the
tables of raises and callbacks, what must still hold of captured values. Places are relative to the function's first
line, so that the record stays right when code above the function changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from soljit.base.dependency import Dependency, Path
from soljit.ir.signature import ArgType
from soljit.runtime.arguments import same_types, without_groups
from soljit.runtime.library import Library

Json = Any  # what json.loads gives


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's source; `file` is "" for the file of the jitted function, then `line` counts from its first."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class RaiseRecord:
    """One place that raises; dtypes of the operands by name."""

    exception: str
    message: str | None
    operands: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class LeafRecord:
    """A parameter, result, or operand or result of a callback. kind: "array", "scalar", "python", "object", "drop".

    base, same: for results that live in a parameter's memory: that parameter's name. order: declared order of a callback's result.
    """

    kind: str
    dtype: str | None = None
    ndim: int = 0
    name: str = ""
    base: str | None = None
    same: str | None = None
    order: str = "C"


@dataclass(frozen=True, slots=True)
class CallbackTable:
    """One call back into Python: what `Callback` of the IR says."""

    target: str
    args: tuple[Json, ...]
    kwargs: dict[str, Json]
    ins: tuple[LeafRecord, ...]
    outs: tuple[LeafRecord, ...]
    effects: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """See the head of this file. `writes`: the program writes memory that a caller can see, so overlap matters."""

    name: str
    library: str  # file name in the cache folder
    params: tuple[LeafRecord, ...] = ()
    results: tuple[LeafRecord, ...] = ()
    structure: Json = None
    raises: tuple[RaiseRecord, ...] = ()
    callbacks: tuple[CallbackTable, ...] = ()
    writes: bool = True
    guards: tuple[str, ...] = ()
    notes: tuple[tuple[str, int, str], ...] = ()
    steps: tuple[tuple[str, float], ...] = ()
    captured: tuple[tuple[Path, str], ...] = ()  # path and fingerprint
    texts: dict[str, str] = field(default_factory=dict)  # kind of text → file name in the cache folder


def to_json(record: Record) -> Json:
    """Plain lists and dicts."""
    return asdict(record)


def from_json(data: Json) -> Record:
    """The record again; KeyError, TypeError or ValueError if the data are no record."""
    data = dict(data)
    data["params"] = tuple(LeafRecord(**p) for p in data["params"])
    data["results"] = tuple(LeafRecord(**p) for p in data["results"])
    data["raises"] = tuple(
        RaiseRecord(r["exception"], r["message"], tuple(r["operands"]), Place(**r["place"])) for r in data["raises"]
    )
    data["callbacks"] = tuple(_callback(c) for c in data["callbacks"])
    data["captured"] = tuple((tuple((k, n) for k, n in path), text) for path, text in data["captured"])
    data["notes"] = tuple((f, n, t) for f, n, t in data["notes"])
    data["steps"] = tuple((n, s) for n, s in data["steps"])
    data["guards"] = tuple(data["guards"])
    return Record(**data)


def _callback(data: Json) -> CallbackTable:
    ins = tuple(LeafRecord(**p) for p in data["ins"])
    outs = tuple(LeafRecord(**p) for p in data["outs"])
    return CallbackTable(data["target"], tuple(data["args"]), data["kwargs"], ins, outs, tuple(data["effects"]))


@dataclass(eq=False)
class Variant:
    """A record with its library, ready to run: the types it is for, and the captured values it relies on.

    captured: dependencies with the values of this process. index: its number in the dispatcher, -1 before it is added.
    """

    types: tuple[ArgType, ...]
    record: Record
    library: Library
    captured: tuple[Dependency, ...]
    index: int = -1
    origin: str = "compiled"  # or "cache"

    def takes(self, types: Sequence[ArgType], bare: Sequence[ArgType]) -> bool:
        """Is the variant for these types? `bare` are the types without groups: overlap matters only where something is written."""
        if self.record.writes:
            return same_types(self.types, types)
        return same_types([without_groups(t) for t in self.types], bare)
