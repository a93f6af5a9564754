"""Functions as arguments that the program makes anew from the same code: a variant takes all that are alike in everything it relied on.

What it relied on are the code, the defaults and variables around the function, which `native/match.h` compares; and which object it is only where the
object itself is used, which then comes from the argument. A variant that relied on more of a function, or that knows another function of the same
code, with which the program might compare it, is for that very one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from soljit.base.python.dependency import MISSING, Dependency, Path
from soljit.ir.core.signature import StaticArg
from soljit.runtime.values.arguments import leaf_types
from soljit.runtime.variants.variant import Variant

Row = tuple[Any, ...]  # any: objects, as the C side expects them
LEAF, LEAF_CELL = 6, 7  # looks of `native/captured.h`
_PARTS = ("__code__", "__defaults__")


def likenesses(v: Variant) -> dict[int, Row]:
    """What other functions have to have in common with those among the arguments, by the number of the leaf: (code, defaults or None, globals, cells)."""
    found = {}
    for k, t in enumerate(leaf_types(v.types)):
        if isinstance(t, StaticArg) and type(t.value) is FunctionType and not t.value.__kwdefaults__:
            row = _likeness(k, t.value, v)
            if row is not None:
                found[k] = row
    return found


def _likeness(k: int, f: FunctionType, v: Variant) -> Row | None:
    start, cells = ("static", str(k)), []
    for d in v.captured:
        if d.path[0] != start:
            if d.path[-1][0] == "same" and _first(d.path[-1][1]) == start:
                return None
            continue
        match d.path[1:]:
            case (("attr", name),) if name in _PARTS:
                pass
            case (("attr", "__defaults__"), ("item", _)) if not isinstance(d.value, (tuple, FunctionType)):
                pass
            case (("cell", name),):
                cells.append(_cell(f, name, d))
            case _:
                return None
    others = [path for path, _ in v.fetched if path[0] == start and len(path) > 1]
    if any(len(path) > 2 or path[1][0] != "cell" for path in others):
        return None
    if any(path[0] == start for pair in v.record.twins for path in pair):
        return None
    return f.__code__, f.__defaults__, f.__globals__, tuple(cells)


def _first(text: str) -> tuple[str, str]:
    kind, name = json.loads(text)[0]
    return kind, name


def _cell(f: FunctionType, name: str, d: Dependency) -> Row:
    """The number of a variable around the function, its value, and whether it has one."""
    is_there = d.value is not MISSING
    return f.__code__.co_freevars.index(name), d.value if is_there else None, int(is_there)


def is_of(path: Path, alike: dict[int, Row]) -> bool:
    """Tell whether what is there is compared together with a function among the arguments."""
    return path[0][0] == "static" and int(path[0][1]) in alike


def fetched_from(path: Path, leaves: Sequence[object], alike: dict[int, Row]) -> Row | None:
    """Where an array or object of a function among the arguments is found at each call; None: not in such a function."""
    if not is_of(path, alike):
        return None
    k = int(path[0][1])
    if len(path) == 1:
        return LEAF, None, None, -1, k
    f: Any = leaves[k]
    return LEAF_CELL, None, None, f.__code__.co_freevars.index(path[1][1]), k
