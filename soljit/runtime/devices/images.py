"""Compiled kernels of one program for one device: the image that a driver loads, and what its compiler says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resources:
    """What one kernel takes: registers of a thread; bytes of a thread that are spilled, written and read, and of its stack; bytes of a block."""

    registers: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    stack: int = 0
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Image:
    """What the driver loads, the compiler's log, and what each kernel takes, by name."""

    data: bytes
    log: str
    resources: Mapping[str, Resources]
