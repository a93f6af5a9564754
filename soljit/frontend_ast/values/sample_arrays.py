"""Arrays as examples of what a program's arrays are: with their order in memory and their gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def sample_array(
    dtype: np.dtype[Any], ndim: int, order: str, rank: Sequence[int], writable: bool, n: int, k: int
) -> np.ndarray[Any, Any]:  # of any dtype
    """An array with lengths `n` in this memory order; of order "A" one with gaps, so that its views have them, too.

    It holds 1, 2, ..., but integers, which may be positions, 1, 1 + k, 1 + 2 k, ...
    """
    if order == "A":
        with_gaps = np.ones((2 * n,) * ndim, dtype)[(slice(None, None, 2),) * ndim]
        made: np.ndarray[Any, Any] = with_gaps.transpose(np.argsort(rank))
    else:
        made = np.empty((n,) * ndim, dtype, "F" if order == "F" else "C")
    step = 1 if dtype.kind in "fc" else k
    made[...] = 1 + step * np.arange(made.size).reshape(made.shape)
    made.flags.writeable = writable
    return made
