"""Which devices there are: `find_device("cuda:1")`, and in whole sentences why one cannot be used."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from typing import Any

from soljit.base.errors import DeviceError, ToolchainError
from soljit.base.records import dataclass
from soljit.base.settings import Settings, current
from soljit.runtime.devices.layer import Layer, layer, loaded, prepare, with_lines
from soljit.runtime.store.cache import open_cache

DRIVER = "libcuda.so.1"
OLDEST = 12000  # as drivers count: 12.0
_FORKED = "CUDA does not work in a forked process whose parent has used it; multiprocessing's start methods 'spawn' and 'forkserver' do not fork it"


@dataclass(frozen=True, slots=True)
class Device:
    """A device that can be used. arch: "sm_90", or "emulated"; memory: bytes; driver: its version, 13.0 is 13000.

    shared: bytes of memory that a block may have; processors: multiprocessors
    """

    kind: str
    number: int
    name: str
    arch: str
    memory: int
    driver: int
    shared: int
    processors: int
    layer: Layer
    gpu: Any  # sol_gpu*

    @property
    def text(self) -> str:
        """As settings name it."""
        return f"{self.kind}:{self.number}" if self.number else self.kind

    @property
    def services(self) -> int:
        """The address of its table, which a variant's kernel is offered."""
        return int(self.layer.ffi.cast("intptr_t", self.gpu))

    def provide(self, image: int, data: bytes) -> None:
        """Let compiled code find the image of this number (64 bits)."""
        self.layer.lib.sol_gpu_provide(self.gpu, image & (1 << 64) - 1, data, len(data))

    def why_without_cublas(self, path: str) -> str:
        """Let compiled code call the cuBLAS in this library, if need be; why that cannot be, "" if it can."""
        lib = self.layer.lib
        return self.layer.text(lib.sol_gpu_use_cublas, self.gpu, os.fsencode(path), self.driver // 1000)


def find_device(text: str, settings: Settings | None = None) -> Device:
    """The device that a setting names, "cuda:1" or "emulated"; DeviceError with a whole sentence if it cannot be used."""
    settings = settings or current()
    key = text, settings.cuda_driver
    known = loaded()
    if known is not None and known.forked:
        raise DeviceError(f"the device '{text}' cannot be used: {_FORKED}")
    if known is None or key not in known.found:
        device = _look_for(text, settings)
        device.layer.found[key] = device
        return device
    found: Device = known.found[key]
    _must_live(found.layer, found.gpu, text)
    return found


def _look_for(text: str, settings: Settings) -> Device:
    kind, _, given = text.partition(":")
    number = int(given or 0)
    if sys.platform != "linux":
        raise DeviceError(
            f"the device '{text}' cannot be used: this is {sys.platform}, and soljit uses GPUs on Linux only"
        )
    if loaded() is None and text.startswith("emulated"):
        prepare(settings)  # its driver is built, too
    path = _driver_of(text, settings)
    found = layer(settings)
    try:
        driver = found.open_driver(path)
    except DeviceError as e:
        raise DeviceError(_no_driver(text, path, str(e))) from None
    version, count = found.lib.sol_driver_version(driver), found.lib.sol_driver_devices(driver)
    if version < OLDEST:
        needed = f"its driver is for CUDA {dotted(version)}, and soljit needs one for {dotted(OLDEST)} or newer"
        raise DeviceError(f"the device '{text}' cannot be used: {needed}")
    if number >= count:
        numbers = f"there is one, {kind}:0" if count == 1 else f"there are {count}, {kind}:0 to {kind}:{count - 1}"
        raise DeviceError(f"there is no device '{text}': {numbers if count else 'CUDA sees no GPU'}")
    return _described(found, found.open_gpu(driver, number), text, version)


def _must_live(found: Layer, gpu: Any, text: str) -> None:
    if reason := found.text(found.lib.sol_gpu_dead, gpu):
        raise DeviceError(f"the device '{text}' cannot be used any more in this process: {with_lines(reason)}")


def _described(found: Layer, gpu: Any, text: str, version: int) -> Device:
    _must_live(found, gpu, text)
    facts = found.ffi.new("sol_gpu_facts*")
    found.check(found.lib.sol_gpu_describe(gpu, facts))
    arch = f"sm_{facts.major}{facts.minor}" if facts.major else "emulated"
    name = found.ffi.string(facts.name).decode("utf-8", "replace")
    kind, _, number = text.partition(":")
    return Device(kind, int(number or 0), name, arch, facts.memory, version, facts.shared, facts.processors, found, gpu)


def why_not(text: str, settings: Settings | None = None) -> str:
    """Why this device cannot be used, in a whole sentence; "" if it can."""
    try:
        find_device(text, settings)
    except (DeviceError, ToolchainError) as e:
        return str(e)
    return ""


def all_devices(kind: str, settings: Settings | None = None) -> Sequence[Device]:
    """Those of a kind; DeviceError if there is none."""
    first = find_device(kind, settings)
    count = first.layer.lib.sol_driver_devices(first.layer.drivers[_driver_of(kind, settings or current())])
    return [first, *(find_device(f"{kind}:{k}", settings) for k in range(1, count))]


def _driver_of(text: str, settings: Settings) -> str:
    """The path of the driver. One that cannot be loaded is found out before anything is compiled."""
    if text.startswith("emulated"):
        from soljit.runtime.devices import emulated

        try:
            return emulated.driver(open_cache(settings), settings)
        except OSError as e:
            raise DeviceError(f"the device '{text}' cannot be used: {e}") from e
    path = settings.cuda_driver or DRIVER
    try:
        ctypes.CDLL(path)
    except OSError as e:
        raise DeviceError(_no_driver(text, path, str(e))) from None
    return path


def _no_driver(text: str, path: str, reason: str) -> str:
    """The whole sentence for what the system or the driver says."""
    hint = ""
    if not reason.startswith("cuInit"):
        hint = "; NVIDIA's driver brings it, and SOL_CUDA_DRIVER names it where it is elsewhere"
        if path != DRIVER:
            hint = "; it is what the setting cuda_driver names"
    return f"the device '{text}' cannot be used: {reason}{hint}"


def dotted(version: int) -> str:
    """A version as people write it: 12040 is "12.4"."""
    return f"{version // 1000}.{version % 1000 // 10}"
