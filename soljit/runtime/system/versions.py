"""Numbers by which CPython's dicts and classes tell that they have changed: whether they are where they are looked for, and every change counts.

CPython keeps such numbers for its own caches, at places that differ between its versions, and newer ones have given up those of dicts. So the
question is settled by trying all ways to change a dict or a class; where a number does not tell, every row is looked up at each call.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

_STORES = """
def store(value):
    global name
    name = value
def delete():
    global name
    del name
def put(module, value):
    module.name = value
"""
_TIMES = 20  # so often that the interpreter has specialized what it does


def of_dicts(version: Callable[[dict[str, Any]], int]) -> bool:
    """Tell whether `version(dict)` changes with every change of a dict's items, and with nothing else."""
    module = types.ModuleType("tried")
    space = vars(module)
    exec(_STORES, space)  # noqa: S102 (the text above)
    seen = [version(space)]

    def changed() -> bool:
        seen.append(version(space))
        return seen[-1] not in (0, *seen[:-1])

    for k in range(_TIMES):
        if not (space["store"](object()), changed())[1] or not (space["put"](module, object()), changed())[1]:
            return False
        if k % 2 and not (space["delete"](), changed())[1]:
            return False
    changes: tuple[Callable[[], object], ...] = (
        lambda: space.update(a=1, b=2),
        lambda: space.__setitem__("a", 2),
        lambda: setattr(module, "b", 3),
        lambda: space.setdefault("c", 1),
        lambda: space.pop("c"),
        lambda: space.__ior__({"b": 5}),
        lambda: delattr(module, "a"),
        lambda: space.popitem(),
        lambda: space.clear(),
    )
    still: tuple[Callable[[], object], ...] = (
        lambda: space.get("a"),
        lambda: list(space),
        lambda: space.copy(),
        space.keys,
    )
    for change in changes:
        change()
        if not changed():
            return False
        for look in still:
            look()
            if version(space) != seen[-1]:
                return False
    return version({}) != version({"a": 1})


def of_classes(version: Callable[[type], int]) -> bool:
    """Tell whether `version(class)` changes, once an attribute was looked up, with every change of the class or one of its bases, and with nothing else."""
    first = type("First", (), {"a": 1})
    other = type("Other", (first,), {"a": 1})
    base: Any = type("Base", (first,), {"a": 1})
    cls: Any = type("Class", (base,), {"b": 2})
    seen = []

    def look() -> int:
        for _ in range(3):
            _ = cls.a, cls.b, cls().a
        return version(cls)

    changes: tuple[Callable[[], object], ...] = (
        lambda: setattr(cls, "b", 3),
        lambda: setattr(base, "a", 3),
        lambda: setattr(cls, "c", 3),
        lambda: delattr(cls, "c"),
        lambda: setattr(cls, "__len__", len),
        lambda: setattr(first, "__add__", len),
        lambda: setattr(cls, "__bases__", (other,)),
        lambda: type.__setattr__(cls, "b", 4),
    )
    for change in changes:
        seen.append(look())
        if look() != seen[-1] or 0 in seen or len({*seen}) != len(seen):
            return False
        change()
        if version(cls) == seen[-1]:
            return False
    return True
