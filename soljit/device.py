"""Devices: `soljit.device.set("cuda")`, and what is done there: `stats()`, `trace()`, `memory()`."""

from __future__ import annotations

from soljit.runtime.devices.control import Memory, Trace, empty_cache, memory, set, stats, synchronize, trace
from soljit.runtime.devices.events import Event

__all__ = ["Event", "Memory", "Trace", "empty_cache", "memory", "set", "stats", "synchronize", "trace"]
