"""The memory of device arrays: on the device, and at a place in host memory that nobody touches before somebody looks.

Which side is current is known to the layer above the driver (`native/device/owned.h`). Here are the objects that hold both, and views of
the host's memory: as long as one of them lives, what its holder may write or see counts.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from soljit.base.errors import DeviceError
from soljit.runtime.devices.device import Device

NdArray = np.ndarray[Any, Any]


class State(NamedTuple):
    """Addresses of the first byte on both sides (0: not on the device yet), which side is current, and how many views of the host's
    memory there are. outside: other libraries may write the device's memory.
    """

    lo: int
    at: int
    host: bool
    device: bool
    writers: int
    viewers: int
    outside: bool


class Memory:
    """Memory of arrays that are views of each other. host: the array in whose memory all of them lie; its elements may be old. size: bytes"""

    __slots__ = ("__weakref__", "_entry", "device", "host", "lo", "size")

    def __init__(self, device: Device, host: NdArray, current: bool) -> None:
        """current: does the host have what counts? Else the device will get it. Memory that a call has kept for it is taken over."""
        self.device, self.host = device, host
        self.lo, hi = byte_bounds(host) if host.size else (host.ctypes.data, host.ctypes.data)
        self.size = hi - self.lo
        lib, ffi = device.layer.lib, device.layer.ffi
        self._entry = lib.sol_owned_new(device.gpu, ffi.cast("char*", self.lo), self.size, current)
        if self._entry == ffi.NULL:
            raise MemoryError
        known[id(host)] = self

    @classmethod
    def outside(cls, device: Device, at: int, size: int) -> Memory:
        """Memory of another library on the device."""
        self = cls.__new__(cls)
        self.device, self.size = device, size
        self._entry = device.layer.lib.sol_owned_outside(device.gpu, at, size)
        if self._entry == device.layer.ffi.NULL:
            raise MemoryError
        self.lo = self.state().lo
        self.host = np.asarray(_Reserved(self.lo, size, self._entry))
        known[id(self.host)] = self
        return self

    def __del__(self) -> None:
        if getattr(self, "_entry", None) is not None:
            self.device.layer.lib.sol_owned_free(self._entry)

    def state(self) -> State:
        """What the layer knows now."""
        facts = self.device.layer.ffi.new("sol_owned_facts*")
        self.device.layer.lib.sol_owned_describe(self._entry, facts)
        return State(
            facts.lo, facts.at, bool(facts.host), bool(facts.device), facts.writers, facts.viewers, bool(facts.outside)
        )

    def ask(self, name: str, *args: Any) -> None:
        """Call a function `sol_owned_…` of the layer; DeviceError or MemoryError if it fails."""
        lib = self.device.layer.lib
        failed = getattr(lib, f"sol_owned_{name}")(self._entry, *args)
        if failed == _OUT_OF_MEMORY:
            raise MemoryError(f"there is no memory for an array of {self.host.nbytes} bytes on the device")
        if failed:
            reason = self.device.layer.text(lib.sol_layer_failure)
            raise DeviceError(f"what this array holds is on the device '{self.device.text}' only: {reason}")

    def read(self, window: NdArray) -> NdArray:
        """A copy of the elements of a part of `host`, in C order; nothing else changes."""
        out = np.empty(window.shape, window.dtype)
        lo, hi = byte_bounds(window) if window.size else (0, 0)
        if not window.flags.c_contiguous and 0 < hi - lo <= _MOST_APART * window.nbytes:  # all at once
            whole = np.empty(hi - lo, np.uint8)
            self.ask("read", lo - self.lo, hi - lo, self._bytes(whole))
            out[...] = np.ndarray(window.shape, window.dtype, whole, window.ctypes.data - lo, window.strides)
        elif window.size:
            for a, b in _rows(window, out):
                self.ask("read", a.ctypes.data - self.lo, a.nbytes, self._bytes(b))
        return out

    def write(self, window: NdArray, values: NdArray) -> None:
        """Give a part of `host` other elements, on the sides that are current. Both are contiguous in the same order."""
        if window.size:
            self.ask("write", window.ctypes.data - self.lo, window.nbytes, self._bytes(values))

    def write_back(self, window: NdArray) -> None:
        """What the host has written of memory of another library goes there."""
        if window.size:
            for a, _ in _rows(window, window):
                self.write(a, a)

    def _bytes(self, a: NdArray) -> Any:
        return self.device.layer.ffi.cast("char*", a.ctypes.data)


class _Reserved:
    """Addresses as NumPy takes them. They are given back with the memory, which every array over them keeps alive."""

    def __init__(self, lo: int, size: int, entry: object) -> None:
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (lo, False)}


class View:
    """What a view of the host's memory holds on to. `array`, and all that is made of it, keeps this alive."""

    def __init__(self, memory: Memory, window: NdArray, writer: bool) -> None:
        self._memory, self._window, self._writer = memory, window, writer
        lo, hi = byte_bounds(window) if window.size else (memory.lo, memory.lo)
        self._is_open = False
        memory.ask("open", lo - memory.lo, hi - lo, writer)
        self._is_open = True
        interface = dict(window.__array_interface__)
        interface |= {"data": (interface["data"][0], not writer), "strides": window.strides}
        self.__array_interface__ = interface

    def array(self) -> NdArray:
        """The view."""
        return np.asarray(self)

    def __del__(self) -> None:
        if self._is_open:
            if self._writer and self._memory.state().outside:
                self._memory.write_back(self._window)
            self._memory.device.layer.lib.sol_owned_close(self._memory._entry, self._writer)


def view(memory: Memory, window: NdArray, writer: bool) -> NdArray:
    """A view of the host's memory, which is made current; a writer may write it as long as the view lives, or any that is made of it."""
    return View(memory, window, writer and window.flags.writeable).array()


def memory_of(a: NdArray) -> Memory | None:
    """The memory that an array of hidden host memory lies in."""
    while type(a.base) is np.ndarray:
        a = a.base
    found = known.get(id(a))
    return found if found is not None and found.host is a else None


def viewed_memory(a: NdArray) -> Memory | None:
    """The memory of which an array is a view that somebody was given."""
    while type(a.base) is np.ndarray:
        a = a.base
    return a.base._memory if type(a.base) is View else None


def _rows(a: NdArray, b: NdArray) -> Iterator[tuple[NdArray, NdArray]]:
    """Pieces of an array that are contiguous, in C order of the elements, with the same pieces of another one of its shape."""
    if a.flags.c_contiguous:
        yield a, b
    elif a.ndim == 1:
        for k in range(len(a)):
            yield a[k : k + 1], b[k : k + 1]
    else:
        for one, other in zip(a, b):
            yield from _rows(one, other)


_OUT_OF_MEMORY = 2
_MOST_APART = 16  # bytes that are fetched for one byte of elements
known: weakref.WeakValueDictionary[int, Memory] = weakref.WeakValueDictionary()  # by the id of `host`
