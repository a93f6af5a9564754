"""Deep copies of a call's arguments that keep what compiled code may depend on.

Equal in the copy: values, dtypes, strides, memory order, alignment, writeability, which arrays are the same object,
which overlap and how. Each copied block of memory may be surrounded by guard bytes, and the gaps of strided arrays
are copied too, so that a stray write is seen wherever it lands.
"""

from __future__ import annotations

import copy
import ctypes
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from soljit.base.python.names import whose
from tests.compare import attributes_of, items_of

GUARD = 256  # bytes before and behind every block, a multiple of any alignment that matters


class Copies:
    """One consistent set of copies of `values` (a tree of containers)."""

    def __init__(self, values: Any, guarded: bool = False) -> None:
        self.guarded = guarded
        self.blocks: list[np.ndarray] = []  # the raw memory of each block, guards included
        self._memo: dict[int, Any] = {}
        self._keep: list[Any] = []  # what the memo's ids belong to
        self._place = _blocks_of([a for a in leaves(values) if type(a) is np.ndarray and a.dtype.kind != "O"])
        self._raw: dict[int, tuple[np.ndarray, int]] = {}
        self.values = self._copy(values)

    def memory(self) -> list[bytes]:
        """The bytes of every block now (to be compared between two runs)."""
        return [b.tobytes() for b in self.blocks]

    def _copy(self, x: Any) -> Any:
        if id(x) in self._memo:
            return self._memo[id(x)]
        out = self._fresh(x)
        self._memo[id(x)] = out
        self._keep.append(x)
        return out

    def _fresh(self, x: Any) -> Any:
        if type(x) is np.ndarray and x.dtype.kind == "O":
            out = np.empty_like(x)
            out.flat = [self._copy(i) for i in x.flat]
            out.flags.writeable = x.flags.writeable
            return out
        if type(x) is np.ndarray:
            return self._array(x)
        if isinstance(x, tuple):
            items = [self._copy(i) for i in items_of(x)]
            made: Any = tuple.__new__(type(x), items) if hasattr(x, "_fields") else tuple(items)
            if hasattr(made, "__dict__"):
                vars(made).update({k: self._copy(v) for k, v in vars(x).items()})
            return made
        if type(x) is list:
            return [self._copy(i) for i in x]
        if type(x) is dict:
            return {k: self._copy(v) for k, v in x.items()}
        if dataclasses.is_dataclass(x) and not isinstance(x, type):
            out = copy.copy(x)
            names = {f.name for f in dataclasses.fields(x)} | getattr(x, "__dict__", {}).keys()
            for name in sorted(names):
                object.__setattr__(out, name, self._copy(getattr(x, name)))
            return out
        if is_plain_instance(x):
            return self._instance(x)
        if callable(x) or isinstance(x, type):
            return x
        return copy.deepcopy(x)

    def _instance(self, x: Any) -> Any:
        out = object.__new__(type(x))
        self._memo[id(x)] = out  # it may hold itself
        for name, v in attributes_of(x).items():
            object.__setattr__(out, name, self._copy(v))
        return out

    def _array(self, a: np.ndarray) -> np.ndarray:
        lo, hi, shared = self._place[id(a)]
        if a.flags.owndata and not shared and not self.guarded:
            out = a.copy(order="K")
            if out.strides == a.strides:
                out.flags.writeable = a.flags.writeable
                self.blocks.append(_raw(out))
                return out
        if lo not in self._raw:
            self._raw[lo] = self._block(lo, hi)
        block, start = self._raw[lo]
        offset = a.__array_interface__["data"][0] - lo + start if a.size else start
        out = np.ndarray(a.shape, a.dtype, buffer=block, offset=offset, strides=a.strides)
        out.flags.writeable = a.flags.writeable
        return out

    def _block(self, lo: int, hi: int) -> tuple[np.ndarray, int]:
        """Fresh memory for the addresses lo..hi, with the same address modulo 64, and where `lo` lies in it."""
        block = np.full(hi - lo + 2 * GUARD + 128, 0xA5, np.uint8)
        start = GUARD + (lo - block.__array_interface__["data"][0] - GUARD) % 64
        if hi > lo:
            block[start : start + hi - lo] = np.frombuffer((ctypes.c_ubyte * (hi - lo)).from_address(lo), np.uint8)
        self.blocks.append(block[start - GUARD : start + hi - lo + GUARD])
        return block, start


def _raw(a: np.ndarray) -> np.ndarray:
    """The bytes of an array that owns dense memory."""
    dense = a.transpose(sorted(range(a.ndim), key=lambda k: -a.strides[k])) if a.ndim else a
    return dense.reshape(-1).view(np.uint8) if dense.size else np.empty(0, np.uint8)


def _blocks_of(arrays: list[np.ndarray]) -> dict[int, tuple[int, int, bool]]:
    """For each array (by id) the extent of the block of overlapping memory it lies in, and whether others lie there."""
    spans = sorted((*_bounds(a), id(a)) for a in {id(a): a for a in arrays}.values())
    out: dict[int, tuple[int, int, bool]] = {}
    group: list[int] = []
    lo = hi = -1
    for start, stop, key in [*spans, (1 << 80, 1 << 80, 0)]:
        if group and start >= hi:
            for g in group:
                out[g] = (lo, hi, len(group) > 1)
            group = []
        lo, hi = (min(lo, start), max(hi, stop)) if group else (start, stop)
        group.append(key)
    return out


def _bounds(a: np.ndarray) -> tuple[int, int]:
    address = a.__array_interface__["data"][0]
    return np.lib.array_utils.byte_bounds(a) if a.size else (address, address)


def is_plain_instance(x: Any) -> bool:
    """Is this an instance of a class of the test's, and nothing but its attributes?"""
    cls = type(x)
    made = (
        cls.__flags__ & 1 << 9 and cls.__new__ is object.__new__ and cls.__reduce_ex__ is object.__reduce_ex__
    )  # Py_TPFLAGS_HEAPTYPE
    copied = hasattr(cls, "__deepcopy__") or hasattr(cls, "__reduce__") and cls.__reduce__ is not object.__reduce__
    return bool(made) and not copied and whose(cls.__module__) == "program"


def leaves(x: Any, inside: frozenset[int] = frozenset()) -> Iterator[Any]:
    """The values in a tree of tuples, lists, dicts and instances, in order. inside: the instances that hold it"""
    if isinstance(x, (tuple, list)):
        for i in items_of(x):
            yield from leaves(i, inside)
    elif isinstance(x, dict):
        for i in x.values():
            yield from leaves(i, inside)
    elif dataclasses.is_dataclass(x) and not isinstance(x, type):
        if id(x) not in inside:
            for f in dataclasses.fields(x):
                yield from leaves(getattr(x, f.name), inside | {id(x)})
    elif is_plain_instance(x):
        if id(x) not in inside:
            for i in attributes_of(x).values():
                yield from leaves(i, inside | {id(x)})
    else:
        yield x
