"""What `soljit.device` offers: choosing a device, waiting for it, and seeing what was done on it."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, NamedTuple

from soljit.base.errors import DeviceError
from soljit.base.settings import checked, current, settings
from soljit.base.texts import show
from soljit.runtime.devices.device import Device, find_device
from soljit.runtime.devices.events import KINDS, Event, plot, table
from soljit.runtime.devices.layer import Layer, declared, layer, loaded

_KEYWORDS = ("offload", "cuda_driver", "cublas", "results", "device_cache", "tracker")


class Memory(NamedTuple):
    """Bytes that soljit uses on a device now, and the most it has used at once; bytes that are left there, and all there are.

    kept: those of `used` that are copies of arrays for later calls. tracker: "on", or "off, because …": is it known which arrays have been changed?
    """

    used: int
    most: int
    kept: int
    left: int
    total: int
    tracker: str


class Trace:
    """What happens on all devices inside of `with trace() as t`."""

    _open = 0  # how many there are

    def __init__(self) -> None:
        self._layer: Layer | None = None
        self._first = 0
        self._since = 0  # nanoseconds
        self._seen: list[Event] | None = None

    def __enter__(self) -> Trace:
        self._layer = loaded() or layer(current())
        if not Trace._open:
            self._layer.lib.sol_layer_trace(1)
        Trace._open += 1
        self._first = self._layer.lib.sol_layer_events(self._layer.ffi.NULL, 0, 0)
        self._since = self._layer.lib.sol_layer_now()
        self._seen = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._seen = self.events
        Trace._open -= 1
        if not Trace._open and self._layer is not None:
            self._layer.lib.sol_layer_trace(0)

    @property
    def events(self) -> list[Event]:
        """All events so far, in order."""
        if self._seen is not None or self._layer is None:
            return self._seen or []
        ffi, lib = self._layer.ffi, self._layer.lib
        count = max(0, lib.sol_layer_events(ffi.NULL, 0, 0) - self._first)
        rows = ffi.new(f"sol_gpu_event[{count}]")
        lib.sol_layer_events(rows, self._first, count)
        number = self._layer.used.index
        return [
            Event(KINDS[r.kind], ffi.string(r.name).decode(), r.bytes, r.failed, number(r.gpu), *self._times(r))
            for r in rows
        ]

    def _times(self, row: Any) -> tuple[float, float]:  # any: cffi has no types
        return (row.begin - self._since) / 1e9, (row.end - self._since) / 1e9

    _repr_pretty_ = show

    def __str__(self) -> str:
        return table(self.events)

    def plot(self, file: str | os.PathLike[str] | None = None) -> Any:  # any: matplotlib's Figure
        """Draw what happened over time, with a lane for uploads, kernels, downloads and the host, and write the picture to `file`
        ("transfers.svg", "transfers.png"). The figure is returned. It needs matplotlib.
        """
        return plot(self.events, None if file is None else os.fspath(file))


def set(kind: str, number: int = 0, **options: Any) -> None:  # noqa: A001 (any: the settings' types)
    """Let functions run on this device from now on: `set("cuda", 1)`, `set("cpu")`. The keywords are settings: offload, cuda_driver, cublas,
    results, device_cache, tracker.

    DeviceError, in a whole sentence, if it cannot be used; the settings are then as they were.
    """
    chosen = checked(
        {"device": f"{kind}:{number}" if number else kind, **options}, ("device", *_KEYWORDS), "device.set()"
    )
    if chosen["device"] != "cpu":
        find_device(chosen["device"], current()._replace(**chosen))
    settings(**chosen)


def synchronize() -> None:
    """Wait until every device that was used has done what it was told; DeviceError if something failed there."""
    for known, gpu in _used():
        known.check(known.lib.sol_gpu_synchronize(gpu))


def stats(reset: bool = False) -> dict[str, int]:
    """Counts of what this process has done on devices since it began, or since `reset`: transfers and their bytes, launches, waits, allocations."""
    total = {name: 0 for name, _ in declared().typeof("sol_gpu_counts").fields}
    for known, gpu in _used():
        counts = known.ffi.new("sol_gpu_counts*")
        known.lib.sol_gpu_count(gpu, counts)
        if reset:
            known.lib.sol_gpu_reset_counts(gpu)
        total = {name: n + getattr(counts, name) for name, n in total.items()}
    return total


def trace() -> Trace:
    """Write down what happens on devices: `with trace() as t`, then `t.events`, `print(t)` or `t.plot("transfers.svg")`."""
    return Trace()


def memory() -> Memory:
    """Memory of the device that is set."""
    device = _device_of_now()
    found = device.layer.ffi.new("sol_gpu_memory*")
    device.layer.check(device.layer.lib.sol_gpu_memory_now(device.gpu, found))
    return Memory(found.used, found.most, found.kept, found.left, found.total, tracker(device.layer))


def tracker(known: Layer) -> str:
    """Tell whether it is known which arrays have been changed between calls. "on", or "off, because …"."""
    reason = known.text(known.lib.sol_layer_tracker)
    return f"off, because {reason}" if reason else "on"


def empty_cache() -> None:
    """Give memory that is kept for later back to the system, on every device that was used: copies of arrays, and what was free."""
    for known, gpu in _used():
        known.check(known.lib.sol_gpu_empty_cache(gpu))


def _used() -> list[tuple[Layer, Any]]:
    """Every device that was used, with the layer."""
    known = loaded()
    return [(known, gpu) for gpu in known.used] if known else []


def _device_of_now() -> Device:
    if current().device == "cpu":
        raise DeviceError("no device is set: soljit.device.set('cuda') sets one")
    return find_device(current().device)
