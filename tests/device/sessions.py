"""Sessions as generated code has them, opened from Python: the table of device.h, called through cffi."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base.settings import current
from soljit.runtime.build.toolchain import toolchain
from soljit.runtime.devices import emulated
from soljit.runtime.devices.device import Device, find_device
from soljit.runtime.store.cache import open_cache

KERNELS = """
#include "soljit/kernel.h"
extern "C" __global__ void __launch_bounds__(256) scale(double* __restrict__ x, const int64_t n, const double by) {
  const int64_t i = sol_thread_x();
  if (i < n) x[i] *= by;
}
extern "C" __global__ void __launch_bounds__(256) shift(double* __restrict__ x, const int64_t n, const double by) {
  const int64_t i = sol_thread_x();
  if (i < n) x[i] += by;
}
"""

DEVICE = (
    os.environ.get("ORACLE_DEVICE") or "emulated"
)  # what tests run on that need no emulator: ORACLE_DEVICE=cuda takes a GPU


def device() -> Device:
    """The emulated device."""
    return find_device("emulated")


def driver() -> str:
    """The path of the fake driver, which is a fake cuBLAS, too."""
    return emulated.driver(open_cache(current()), current())


def controls() -> emulated.Controls:
    """What tests ask of the fake driver below it."""
    return emulated.Controls(driver(), open_cache(current()))


@functools.cache
def made_image() -> bytes:
    """An image with the kernels of this file."""
    return emulated.compile_kernels(KERNELS, "strict", toolchain(), open_cache(current())).data


class Session:
    """A session: `failed` is what `begin` said. Arrays are mirrored by `mirrors`, and then called by their number.

    written: kernels may write the copies, which are forgotten at the end then, unless they were settled
    """

    def __init__(self, on: Device, image: int | None = None, kernels: Sequence[str] = (), written: bool = True) -> None:
        self.layer, self.written = on.layer, written
        self.ffi = ffi = on.layer.ffi
        self.table = ffi.cast("sol_device_services*", on.services)
        services = ffi.new("sol_services*", {"device": self.table})
        frame = ffi.new("sol_frame*", {"services": services})
        names = [ffi.new("char[]", k.encode()) for k in kernels]
        self.image, self.kept = ffi.NULL, [services, frame, names]
        if image is not None:
            listed = ffi.new("char*[]", names)
            self.image = ffi.new("sol_image*", {"id": image, "count": len(names), "names": listed})
            self.kept.append(listed)
        code = ffi.new("int32_t*")
        self.at = self.table.begin(frame, self.image, code)
        self.failed: int = code[0]

    def __enter__(self) -> Session:
        assert not self.failed, (self.failed, self.failure())
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        self.table.end(self.at)

    def mirrors(self, *arrays: np.ndarray[Any, Any], names: Sequence[str] = ()) -> list[int]:
        """Places on the device; the failure in a list of one negative number."""
        self.spans = [self._span(a, *names[k : k + 1]) for k, a in enumerate(arrays)]
        self.arrays = arrays
        rows, self.places = (
            self.ffi.new("sol_span[]", [s[0] for s in self.spans]),
            self.ffi.new(f"uint64_t[{len(arrays)}]"),
        )
        failed = self.table.mirrors(self.at, len(arrays), rows, self.places)
        return [-failed] if failed else list(self.places)

    def _span(self, a: np.ndarray[Any, Any], name: str = "") -> Any:
        lo, hi = np.lib.array_utils.byte_bounds(a) if a.size else (a.ctypes.data, a.ctypes.data)
        text = self.ffi.new("char[]", name.encode()) if name else self.ffi.NULL
        span = {"lo": self.ffi.cast("char*", lo), "hi": self.ffi.cast("char*", hi), "writable": a.flags.writeable}
        self.kept.append(text)
        return self.ffi.new("sol_span*", {**span, "name": text, "written": self.written})

    def arrive(self, k: int) -> int:
        return int(self.table.arrive(self.at, self.places[k], self.spans[k]))

    def leave(self, k: int) -> int:
        a = self.arrays[k]
        walk = {"dims": a.ndim, "item": a.itemsize, "shape": list(a.shape), "strides": list(a.strides)}
        return int(self.table.leave(self.at, self.places[k], self.spans[k], self.ffi.new("sol_walk*", walk)))

    def settle(self, k: int) -> None:
        """Nothing has written this copy since it arrived or left."""
        self.table.settle(self.at, self.places[k], self.spans[k])

    def put(self, at: int, data: bytes) -> int:
        """Bytes to the device, as a poke."""
        return int(self.table.poke(self.at, at, data, len(data)))

    def get(self, at: int, size: int) -> bytes:
        """Bytes of the device, as a fetch."""
        room = self.ffi.new(f"char[{size}]")
        assert self.table.fetch(self.at, room, at, size) == 0
        return bytes(self.ffi.buffer(room))

    def launch(self, kernel: int, geometry: Sequence[int], *arguments: tuple[str, Any], shared: int = 0) -> int:
        """arguments: types in C, and values"""
        held = [self.ffi.new(f"{t}*", x) for t, x in arguments]
        pointers = self.ffi.new("void*[]", [self.ffi.cast("void*", h) for h in held])
        return int(self.table.launch(self.at, kernel, self.ffi.new("uint32_t[]", list(geometry)), shared, pointers))

    def failure(self) -> str:
        """What the layer says of the last failure."""
        return self.layer.text(self.layer.lib.sol_layer_failure)


_live_before = [0]


def remember_live(fake: emulated.Controls) -> None:
    """What lives on the device now is no business of the test that begins."""
    _live_before[0] = fake.counters()["live"]


def live(fake: emulated.Controls) -> int:
    """How many allocations live that the test has made."""
    return fake.counters()["live"] - _live_before[0]
