"""What default schedules decide by: sizes of the caches, and what operations cost. One record of the machine, found at run time, which settings may change.

The defaults are those of a machine that tells nothing. Sizes never decide what compiled code computes, only how long it takes; costs do so for last places of sums that threads add up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from soljit.base.records import dataclass


@dataclass(frozen=True, slots=True)
class MachineModel:
    """Sizes in bytes, costs in simple operations (additions of floats).

    l1:        the first cache for data, of one core: narrow rows in blocks of time steps, tables that subscripts from memory look up, rows of tiles, pieces that sums read together
    l2:        the second cache, of one core: rows on their way through a block of time steps, temporaries of statements over rows, arrays from which on sums read them together
    l3:        what one core may take of a larger cache that cores share: blocks of a few time steps over wide rows
    line:      a line of the caches: columns of tiles
    parallel:  operations for which threads pay, some 20 µs; many of them go into one vector instruction
    trip:      what it costs to write an element of a temporary to memory and read it again: less is computed twice
    function:  what a value of a function of the C library costs: from five times as much on, a table of values pays
    per_cycle: operations that a core begins in a cycle: a chain of operations that takes longer leaves room for several rows side by side
    """

    l1: int = 1 << 15
    l2: int = 1 << 20
    l3: int = 1 << 22
    line: int = 64
    parallel: int = 500_000
    trip: int = 24
    function: int = 40
    per_cycle: float = 2.5

    def changed(self, text: str) -> MachineModel:
        """With other values for the fields that `text` names, as `read` takes it."""
        return replace(self, **read(text)) if text else self  # type: ignore[arg-type]  # each field in its type

    def __str__(self) -> str:
        return ", ".join(f"{name}={spelled(name, getattr(self, name))}" for name in FIELDS)


FIELDS = tuple(MachineModel.__dataclass_fields__)
SIZES = ("l1", "l2", "l3", "line")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_MOST = 1 << 40


def read(text: str) -> Mapping[str, int | float]:
    """The fields that a text such as `l2=256K, parallel=0` gives; a ValueError says what is wrong with another one."""
    found: dict[str, int | float] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, _, value = (x.strip() for x in part.partition("="))
        if name not in FIELDS:
            raise ValueError(f"machine is made of {', '.join(FIELDS)}, not {name!r}")
        found[name] = _number(name, value)
    return found


def _number(name: str, text: str) -> int | float:
    least = 1 if name in SIZES else 0
    if name == "per_cycle" and re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", text):
        return float(text)
    parts = re.fullmatch(r"([0-9]{1,15})([KMG]?)(i?B)?", text)
    number = int(parts[1]) * _UNITS[parts[2]] if parts and name != "per_cycle" else -1
    if not least <= number <= _MOST:
        raise ValueError(f"machine is a text such as 'l2=256K, parallel=0', not {name}={text!r}")
    return number


def spelled(name: str, value: float) -> str:
    """A field's value as `read` takes it."""
    unit = next((u for u in "GMK" if name in SIZES and value and value % _UNITS[u] == 0), "")
    return f"{value // _UNITS[unit]:d}{unit}" if isinstance(value, int) else f"{value:g}"


def settled(text: str) -> str:
    """The same text as everybody would write it, fields in their order; "" for none."""
    given = read(text)
    return ", ".join(f"{name}={spelled(name, given[name])}" for name in FIELDS if name in given)
