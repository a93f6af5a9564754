"""Calls with unaligned arrays: they run on aligned copies of the same strides, which are copied back afterwards.

What the result shares with a copy is made to share the same window of the original. Arrays that overlap others, that
are nested in tuples, or whose strides are no multiples of the element size stay refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base.python.arrays import is_writable
from soljit.runtime.values.alias_groups import alias_groups, extent

Array = np.ndarray[Any, Any]  # any: every dtype comes here


class Realigned:
    """`arguments` are those of the call with copies in the place of unaligned arrays; `pairs` are originals and
    copies.
    """

    def __init__(self, arguments: tuple[object, ...], pairs: list[tuple[Array, Array]]) -> None:
        self.arguments, self.pairs = arguments, pairs

    def give_back(self) -> None:
        """What was written to the copies, also if the call ended with an exception."""
        for original, copy in self.pairs:
            if is_writable(original):
                original[...] = copy

    def restore(self, result: Any) -> Any:  # any: what the user's function returns
        """The result with views of the originals for those of the copies."""
        if isinstance(result, np.ndarray):
            for original, copy in self.pairs:
                if result is copy:
                    return original
                if (result.base is not None and result.base is copy.base) or np.may_share_memory(result, copy):
                    return _window(result, original, copy)
            return result
        if type(result) in (tuple, list):
            return type(result)(self.restore(x) for x in result)
        if type(result) is dict:
            return {k: self.restore(x) for k, x in result.items()}
        if isinstance(result, tuple) and hasattr(result, "_make"):
            return type(result)._make(self.restore(x) for x in result)
        return result


def realign(arguments: Sequence[object]) -> Realigned | None:
    """The call on aligned copies; None if there is nothing to realign, or it cannot be done."""
    arrays = [x for x in arguments if type(x) is np.ndarray]
    groups = dict(zip(map(id, arrays), alias_groups(arrays)))
    pairs: list[tuple[Array, Array]] = []
    copies: dict[int, Array] = {}
    out: list[object] = []
    for x in arguments:
        if type(x) is not np.ndarray or x.flags.aligned:
            out.append(x)
            continue
        if id(x) in copies:
            out.append(copies[id(x)])
            continue
        if groups[id(x)] is not None or x.dtype.hasobject or any(s % x.itemsize for s in x.strides):
            return None
        pairs.append((x, _copy(x)))
        out.append(copies.setdefault(id(x), pairs[-1][1]))
    return Realigned(tuple(out), pairs) if pairs else None


def _copy(a: Array) -> Array:
    """An aligned array of the same strides and elements, a view of a block of bytes of its own."""
    lo, hi = extent(a)
    block = np.zeros(hi - lo + a.itemsize, np.uint8)
    start = a.__array_interface__["data"][0] - lo
    copy: Array = np.ndarray(a.shape, a.dtype, block, start, a.strides)
    copy[...] = a
    copy.flags.writeable = a.flags.writeable
    return copy


def _window(view: Array, original: Array, copy: Array) -> Array:
    """The window of `original` that `view` is of `copy`."""
    distance = view.__array_interface__["data"][0] - copy.__array_interface__["data"][0]
    interface = dict(original.__array_interface__, shape=view.shape, typestr=view.dtype.str, strides=view.strides)
    interface["data"] = (interface["data"][0] + distance, not view.flags.writeable)
    holder = _Holder(interface, original)
    return np.asarray(holder)


class _Holder:
    """Lets NumPy make an array over memory that `owner` keeps alive."""

    def __init__(self, interface: dict[str, Any], owner: Array) -> None:
        self.__array_interface__, self.owner = interface, owner
