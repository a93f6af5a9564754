"""Dependencies of a variant → the rows that `native/captured.h` checks at each call.

A row is (kind, container, key, value, present). Rows of one dict stand together: while nothing in it has changed, one look is enough for all of
them, as it is for all members of one class. No row runs code of the program: what decides how an attribute is found is checked before it.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from typing import Any

from soljit.base.python.dependency import (
    MISSING,
    Dependency,
    Path,
    attribute_of_plain,
    builtins_of,
    cell_of,
    resolve,
    step,
    unwrap,
)
from soljit.runtime.system.fingerprint import same_value

Row = tuple[Any, ...]  # any: numbers and objects, as the C side expects them
DICT, CELL, ATTRIBUTE, CLASS_OF, CLASS, FUNCTION = range(6)
_OF_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__")
_ASKED = ("contents", "keys", "subclass")  # steps that only Python can take
_WITHOUT = (
    "static",
    "class",
    "item",
    "same",
)  # steps that lead to the same object as long as the one before does, whose rows compare objects


class Unchanged:
    """What a variant relied on and only Python can find out: steps from one object, with what they gave."""

    def __init__(self, owner: object) -> None:
        self.owner, self.steps = owner, dict[tuple[str, str], object]()

    @property
    def unchanged(self) -> bool:
        """Tell whether they still give that."""
        return all(same_value(step(self.owner, *s), then) for s, then in self.steps.items())


def captured_rows(function: Any, captured: Sequence[Dependency], statics: Sequence[object]) -> list[Row]:
    """Checks of captured values, for every step of every path once."""
    rows: dict[tuple[int, str | None], Row] = {}
    for d in captured:
        owner: Any = function
        for k, (kind, name) in enumerate(d.path):
            last = k == len(d.path) - 1
            value = d.value if last else step(owner, kind, name, statics)
            if kind not in _WITHOUT and not _is_fixed(owner, name):
                _add(rows, owner, kind, name, value)
            owner = value
    groups: dict[tuple[int, int], list[Row]] = {}
    for n, row in enumerate(rows.values()):
        groups.setdefault((DICT, id(row[1])) if row[0] == DICT else (n, -1), []).append(row)
    return [_of_function(row) if row[0] == FUNCTION else row for group in groups.values() for row in group]


def _of_function(row: Row) -> Row:
    """The parts of a function that matter, and which these are."""
    kind, owner, key, parts, _ = row
    return kind, owner, key, tuple(parts), sum(1 << k for k, x in enumerate(parts) if x is not MISSING)


def _add(rows: dict[tuple[int, str | None], Row], owner: Any, kind: str, name: str, value: object) -> None:
    """The rows of one step."""
    if kind in ("member", "special") or kind in _ASKED:
        key = id(owner), "a class" if kind not in _ASKED else f"{kind} {name}"
        new = Unchanged(owner)
        row = (CLASS, new, "unchanged", owner, 1) if kind not in _ASKED else (ATTRIBUTE, new, "unchanged", True, 1)
        rows.setdefault(key, row)[1].steps[kind, name] = value
    elif kind == "type":
        rows.setdefault((id(owner), "its class"), (CLASS_OF, owner, None, value, 1))
    elif kind == "attr" and isinstance(owner, types.FunctionType) and name in _OF_FUNCTIONS:
        parts = rows.setdefault((id(owner), "its parts"), (FUNCTION, owner, None, [MISSING] * 3, 1))[3]
        parts[_OF_FUNCTIONS.index(name)] = value
    else:
        for row in _looks(owner, kind, name, value):
            rows.setdefault((id(row[1]), row[2]), row)


def _looks(owner: Any, kind: str, name: str, value: object) -> list[Row]:
    """Where a step looks: dicts, a cell or an object, the key in it, and whether the value is found there."""
    if kind == "global":
        space, names = unwrap(owner).__globals__, builtins_of(owner)
        here = name in space
        found = [_row(DICT, space, name, value if here else MISSING)]
        return found if here else [*found, _row(DICT, names, name, value)]
    if kind in ("module", "loaded"):
        return [_row(DICT, sys.modules, name, value)]
    if kind == "cell":
        return [_row(CELL, cell_of(owner, name), None, value)]
    if kind == "key":
        return [_row(DICT, owner, name, value)] if type(owner) is dict else []
    if isinstance(owner, types.ModuleType) and (name in vars(owner) or value is MISSING):
        return [_row(DICT, vars(owner), name, value)]
    return [_row(ATTRIBUTE, owner, name, value)]


def _row(kind: int, container: object, key: str | None, value: object) -> Row:
    present = value is not MISSING
    return kind, container, key, value if present else None, int(present)


def _is_fixed(owner: Any, name: str) -> bool:
    """Tell whether it is the function, or the object, in a jitted function or bound method, which stay what they are."""
    if isinstance(owner, (types.MethodType, staticmethod, classmethod, property)):
        return name in ("__func__", "__self__", "fget", "fset")
    return name != "" and name == attribute_of_plain(owner)


def fetched_row(function: Any, path: Path, statics: Sequence[object]) -> Row:
    """Where a captured array or object is found at each call."""
    owner = resolve(function, path[:-1], statics)
    kind, name = path[-1]
    if kind in ("static", "item", "member", "type"):  # the variant is for this value
        return _row(DICT, {name: step(owner, kind, name, statics)}, name, MISSING)
    return _looks(owner, kind, name, None)[-1]


def captured_hold(captured: Sequence[Dependency], function: types.FunctionType, leaves: Sequence[object]) -> bool:
    """Tell whether captured values are what they were, for a call with these leaves."""
    return all(same_value(resolve(function, d.path, leaves), d.value) for d in captured)


def twins_hold(twins: Sequence[tuple[Path, Path]], function: types.FunctionType, leaves: Sequence[object]) -> bool:
    """Tell whether the paths of each pair still lead to one array."""
    return all(resolve(function, path, leaves) is resolve(function, of, leaves) for path, of in twins)
