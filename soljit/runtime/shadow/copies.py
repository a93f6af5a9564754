"""Deep copies of arguments that share memory, and are laid out, as the arguments are.

`copy.deepcopy` copies each array alone: two views of one array become strangers, read-only arrays writable and strided ones dense. So all
arrays within the arguments are sought first and copied together with the memory that they share; `deepcopy` finds them in its memo.
"""

from __future__ import annotations

import contextlib
import copy
import math
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from soljit.runtime.shadow.attributes import (
    ATOMS,
    CALLABLE,
    attributes,
    has_finalizer,
    is_jitted,
    is_known_by_name,
    type_name,
)

MOST_OBJECTS = 200_000
MOST_BYTES = 1 << 30
_COPIED_AS_BYTES = "?biufcmMSUV"  # kinds of dtypes


class NotCopied(Exception):
    """There is no copy, or it would cost too much; the text says why."""


def copied(values: tuple[Any, ...], fresh: object = None) -> tuple[Any, float]:  # any: the user's values
    """A copy of the arguments of a call, and the largest floating-point number in them; NotCopied with the reason where there is none.

    fresh: an instance that has no attributes yet."""
    memo: dict[int, Any] = {}
    if fresh is not None:
        with contextlib.suppress(TypeError):  # of a class made from one written in C
            memo[id(fresh)] = object.__new__(type(fresh))
    groups: dict[int, list[np.ndarray]] = {}
    size, largest = 0, 0.0
    for x in _within(values):
        if isinstance(x, float):
            largest = max(largest, abs(float(x))) if math.isfinite(x) else largest
        elif isinstance(x, np.ndarray):
            largest = max(largest, _largest(x))
            size += x.nbytes
            if size > MOST_BYTES:
                raise NotCopied(f"its arrays take more than {MOST_BYTES >> 20} MiB")
            if type(x) is np.ndarray and x.dtype.kind in _COPIED_AS_BYTES and not x.dtype.hasobject:
                groups.setdefault(id(root(x)), []).append(x)
        elif isinstance(x, types.ModuleType) or is_jitted(x) or is_known_by_name(x):
            memo.setdefault(id(x), x)
        elif has_finalizer(type(x)):
            raise NotCopied(f"{type_name(type(x))} has a finalizer, which would run for the copy, too")
    for group in groups.values():
        memo.update(_together(group))
    try:
        return copy.deepcopy(values, memo), largest
    except RecursionError:
        raise NotCopied("it is nested too deeply") from None
    except Exception as e:  # whatever the class says
        raise NotCopied(f"{type(e).__name__}: {str(e):.100}") from None


def _largest(x: np.ndarray) -> float:
    """The largest finite absolute value of floats, 0 of others."""
    if x.dtype.kind != "f":
        return 0.0
    sizes = np.abs(np.ndarray.view(x, np.ndarray))
    return float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))


def root(x: np.ndarray) -> Any:
    """The object whose memory it is: another array, in most cases."""
    at: Any = x
    while isinstance(at, np.ndarray) and at.base is not None:
        at = at.base
    return at


def _within(values: object) -> Iterator[Any]:
    """All that can be reached, each object once."""
    seen, left = set(), [values]
    alive = []  # what was made here, so that no number is used twice
    while left:
        x = left.pop()
        if isinstance(x, float):  # np.float64, too
            yield x
        if isinstance(x, ATOMS) or id(x) in seen:
            continue
        seen.add(id(x))
        if len(seen) > MOST_OBJECTS:
            raise NotCopied(f"it holds more than {MOST_OBJECTS} objects")
        yield x
        if isinstance(x, types.MethodType):
            left.append(x.__self__)
        if isinstance(x, CALLABLE) or is_jitted(x):
            continue
        if isinstance(x, dict):
            left += [*dict.keys(x), *dict.values(x)]
        elif isinstance(x, (list, tuple, set, frozenset)):
            left += _items(x)
        elif isinstance(x, np.ndarray) and x.dtype.kind == "O":
            left += x.ravel().tolist()
        held = list(attributes(x).values())
        alive.append(held)
        left += held


def _items(x: Any) -> list[Any]:
    """The items, whatever methods a class made from it has."""
    kind = next(k for k in (list, tuple, set, frozenset) if isinstance(x, k))
    return [*kind.__iter__(x)]


def _together(group: list[np.ndarray]) -> dict[int, np.ndarray]:
    """Copies of arrays in one piece of memory, by the numbers of their objects."""
    owner = root(group[0])
    if any(x is owner for x in group) or _is_small(owner, group):
        whole = owner.copy(order="K")
        if whole.strides == owner.strides:
            memory, start = whole.ravel(order="K").view(np.uint8), _address(owner)
            made = {id(x): whole if x is owner else _placed(x, memory, start) for x in group}
            return _with_flags(group, made)
    bounds = [np.lib.array_utils.byte_bounds(x) for x in group if x.size] or [(0, 0)]
    start = min(low for low, _ in bounds)
    size = max(high for _, high in bounds) - start
    if size > MOST_BYTES:
        raise NotCopied(f"its arrays take more than {MOST_BYTES >> 20} MiB")
    room = np.empty(size + 64, np.uint8)
    first = (start - _address(room)) % 64  # as aligned as the original
    memory = room[first : first + size]
    if size:
        memory[:] = np.asarray(_Memory(start, size))
    return _with_flags(group, {id(x): _placed(x, memory, start) for x in group})


def _is_small(owner: object, group: list[np.ndarray]) -> bool:
    """May all of the owner be copied, so that the copies are views of an array like it?"""
    plain = type(owner) is np.ndarray and not owner.dtype.hasobject and owner.dtype.kind in _COPIED_AS_BYTES
    return plain and owner.nbytes <= max(1 << 20, 4 * sum(x.nbytes for x in group))  # type: ignore[attr-defined]


def _placed(x: np.ndarray, memory: np.ndarray, start: int) -> Any:
    """The view of the copied memory that `x` is of the original."""
    if not x.size:
        return x.copy(order="K")  # it shares nothing
    return np.ndarray(x.shape, x.dtype, memory, _address(x) - start, x.strides)


def _with_flags(group: list[np.ndarray], made: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
    for x in group:
        if not x.flags.writeable:
            made[id(x)].flags.writeable = False
    return made


def _address(x: np.ndarray) -> int:
    address: int = x.__array_interface__["data"][0]
    return address


class _Memory:
    """Bytes at an address, as NumPy takes them."""

    def __init__(self, start: int, size: int) -> None:
        self.__array_interface__ = {"data": (start, True), "shape": (size,), "typestr": "|u1", "version": 3}
