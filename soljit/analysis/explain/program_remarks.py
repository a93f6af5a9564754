"""Remarks with places of the program, before they are kept with the lines of a file (`base/remarks.py`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.ir.core.expr import Expr
from soljit.ir.core.nodes import Program


@dataclass(frozen=True)
class Told:
    """A remark with the places that it is about, the one under which it stands first; the fields are those of `Remark`."""

    kind: str
    text: str
    places: tuple[Loc, ...]
    done: bool = True
    cure: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Origin:
    """What the front end knows of a program.

    program:  as it was lowered
    asked_at: guards → the place that asked for them
    names:    of the variables in the source
    grown:    where lists and dicts are made that are Python objects → the place that showed it
    spellings: parameters that are parts of arguments, and arrays → what the source calls them
    """

    program: Program
    asked_at: Mapping[Expr, Loc] = field(default_factory=dict)
    names: Collection[str] = frozenset()
    grown: Mapping[Loc, Loc] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)


def home_first(places: Collection[Loc]) -> list[Loc]:
    """The places, first the last one of the function itself (not of helpers that it calls), if there is one."""
    return sorted(places, key=lambda x: (len(x.chain()), -x.line))
