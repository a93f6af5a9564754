"""Arrays that the user promises not to change, `soljit.freeze(a)`, and what is to be forgotten of arrays, `soljit.device.invalidate(a)`."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from soljit.base.errors import ArgumentError
from soljit.base.settings import current
from soljit.runtime.devices.layer import Layer, loaded, on_load


class _Promise:
    """The promise about one array; `number` is the layer's, once that is loaded."""

    __slots__ = ("bytes", "checked", "number", "of")

    def __init__(self, a: np.ndarray[Any, Any]) -> None:
        self.bytes = np.lib.array_utils.byte_bounds(a)
        self.checked = current().debug >= 1
        self.number = 0
        key = id(a)
        self.of = weakref.ref(a, lambda _: _end(key))


_promises: dict[int, _Promise] = {}  # by the identity of the array


def freeze(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Promise that `a` never changes again, and return it: once it is on a device it is not copied there again, as long as the array object lives.

    The array becomes read-only. That does not keep other views of its memory from writing; with SOL_DEBUG=1 a checksum finds out.
    """
    if not isinstance(a, np.ndarray):
        raise ArgumentError(f"freeze() takes an array, not an object of type {type(a).__name__}")
    if a.dtype.hasobject:
        raise ArgumentError("freeze() takes arrays of numbers, not of Python objects")
    lo, hi = np.lib.array_utils.byte_bounds(a)
    if hi - lo != a.nbytes and a.size:
        raise ArgumentError("freeze() takes arrays without gaps between their elements: freeze a copy of this one")
    a.flags.writeable = False
    known = _promises.get(id(a))
    if a.size and (known is None or known.of() is not a):
        made = _promises[id(a)] = _Promise(a)
        layer = loaded()
        if layer is not None:
            _tell(layer, made)
    return a


def invalidate(a: np.ndarray[Any, Any]) -> None:
    """Forget what is known of `a`: the next call copies it to the device anew. For memory that something writes which the processor does not see."""
    layer = loaded()
    if not isinstance(a, np.ndarray):
        raise ArgumentError(f"invalidate() takes an array, not an object of type {type(a).__name__}")
    if layer is not None and a.size:
        layer.lib.sol_layer_forget(*_addresses(layer, np.lib.array_utils.byte_bounds(a)))


def _addresses(layer: Layer, bounds: tuple[int, int]) -> tuple[Any, Any]:
    return layer.ffi.cast("char*", bounds[0]), layer.ffi.cast("char*", bounds[1])


def _tell(layer: Layer, promise: _Promise) -> None:
    promise.number = layer.lib.sol_layer_promise(*_addresses(layer, promise.bytes), promise.checked)


def _tell_all(layer: Layer) -> None:
    """What was promised before the layer was there."""
    for promise in list(_promises.values()):
        _tell(layer, promise)


def _end(key: int) -> None:
    """The array is gone, and its memory will be used for other things."""
    promise, layer = _promises.pop(key, None), loaded()
    if promise is not None and promise.number and layer is not None:
        layer.lib.sol_layer_end_promise(promise.number)
        layer.lib.sol_layer_forget(*_addresses(layer, promise.bytes))


on_load(_tell_all)
