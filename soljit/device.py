"""Devices: `soljit.device.set("cuda")`, what is done there: `stats()`, `trace()`, `memory()`, and what stays there: `invalidate()`, `empty_cache()`."""

from __future__ import annotations

from soljit.runtime.devices.control import Memory, Trace, empty_cache, memory, set, stats, synchronize, trace
from soljit.runtime.devices.events import Event
from soljit.runtime.devices.promises import freeze, invalidate

__all__ = [
    "Event",
    "Memory",
    "Trace",
    "empty_cache",
    "freeze",
    "invalidate",
    "memory",
    "set",
    "stats",
    "synchronize",
    "trace",
]
