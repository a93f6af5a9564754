"""Device arrays, whose elements stay on a device between calls: the class `soljit.Array`, and what makes one."""

from __future__ import annotations

from soljit.runtime.devices.arrays import Array
from soljit.runtime.devices.making import (
    asarray,
    empty,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    zeros,
    zeros_like,
)

__all__ = ["Array", "asarray", "empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"]
