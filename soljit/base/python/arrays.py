"""Questions about NumPy's arrays that must have no effect."""

from __future__ import annotations

from typing import Any

import numpy as np

_WRITEABLE = 0x400  # NPY_ARRAY_WRITEABLE


def is_writable(a: np.ndarray[Any, Any]) -> bool:
    """`a.flags.writeable`, which warns when it is read of a result of `np.broadcast_arrays`."""
    return bool(a.flags.num & _WRITEABLE)
