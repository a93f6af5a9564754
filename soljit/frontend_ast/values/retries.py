"""What attempts at lowering a loop, or a function in place, have found out: kept for the next attempt, and for attempts at what stands around it.

A loop whose variables need other types is lowered again, and with it the loops inside it. These begin with what they had found before;
so each finding costs one more attempt at one loop, not one at every depth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.frontend_ast.values.values import MaybeUnbound, Num, Value
from soljit.frontend_ast.values.variables import Kind, Narrowed, ScalarVar, UnionVar

Place = tuple[Loc, str, int]  # where it stands, on which way there, and which of several copies of it


@dataclass(eq=False)
class Found:
    """What attempts have found out.

    kinds:   types that variables need; of a function: of its result
    deleted: names that a loop deletes; apart: lengths that do not stay equal (`statements/equal_lengths.py`)
    start:   the types of names that were known when the first attempt began
    inside:  the same of what stands inside; met: how many copies of it the present attempt has come to
    """

    start: Mapping[str, Kind] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    apart: set[tuple[str, int]] = field(default_factory=set)
    inside: dict[Place, Found] = field(default_factory=dict)
    met: dict[tuple[Loc, str], int] = field(default_factory=dict)

    def at(self, place: Loc, way: str, start: Mapping[str, Kind]) -> Found:
        """What was found of this place when what stands around it was lowered before; nothing, if types are others now than they may become."""
        number = self.met[place, way] = self.met.get((place, way), 0) + 1
        here = (place, way, number)
        known = self.inside.get(here)
        if known is None or not all(covers(start[n], k) for n, k in known.start.items() if n in start):
            known = self.inside[here] = Found(start)
        return known


class Again(Exception):
    """A loop must be lowered again, with what was found; caught by that loop."""

    def __init__(self, owner: object) -> None:
        self.owner = owner


def numbers_of(env: Mapping[str, Value]) -> dict[str, Kind]:
    """The types of the numbers among variables."""
    found = {}
    for n, v in env.items():
        match v.value if isinstance(v, MaybeUnbound) else v:
            case Num(expr=e, weak=weak):
                found[n] = Kind("scalar", e.dtype, weak)
            case ScalarVar() as x:
                found[n] = Kind("scalar", x.dtype, x.weak)
            case UnionVar() as x:
                found[n] = Kind("union", items=x.kinds)
            case Narrowed() as x:
                found[n] = Kind("union", items=x.var.kinds)
    return found


def covers(new: Kind, old: Kind) -> bool:
    """Tell whether variables of the type `new` can hold all that those of the type `old` can."""
    if new == old:
        return True
    if new.form == "union":
        return all(any(covers(x, y) for x in new.items) for y in (old.items if old.form == "union" else (old,)))
    if new.form == old.form == "array":
        return (new.dtype, new.ndim, new.walk, new.writable) == (old.dtype, old.ndim, old.walk, old.writable)
    if new.form == old.form == "tuple":
        same = new.cls is old.cls and len(new.items) == len(old.items)
        return same and all(covers(x, y) for x, y in zip(new.items, old.items))
    return False
