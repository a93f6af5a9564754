"""Arrays as examples of what a program's arrays are: of all of a type, with the gaps that some have, and of one whose lengths are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

_IRRATIONAL = 0.6180339887498949


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


def array_like(
    dtype: np.dtype[Any], shape: Sequence[int], rank: Sequence[int], still: frozenset[int], writable: bool, lowest: int
) -> np.ndarray[Any, Any]:  # of any dtype
    """An array of this shape without gaps, whose axes `still` have stride 0. Unlike those of `sample_array` its numbers suit linear algebra.

    They are positive and distinct, and well conditioned as matrices. lowest: 0 makes integers 0
    """
    count = math.prod(shape)
    x: Any = np.arange(1, count + 1).reshape(shape)
    if dtype.kind == "b":
        x = x % 2 == 1
    if dtype.kind in "iu":
        x *= lowest
    if dtype.kind in "fc":
        x = x / (count + 1.0)
        if count and len(shape) >= 2 and shape[-1] == shape[-2]:
            m = x.reshape(-1, shape[-2], shape[-1])
            x = (m + m.swapaxes(1, 2) + 10 * np.eye(shape[-1])).reshape(shape)
        elif len(shape) > 2:  # `np.linalg.tensorinv` and its like make a matrix of it, whose rows must be independent
            x = np.arange(1, count + 1).reshape(shape) ** 2 * _IRRATIONAL % 1 + 0.1
    made: np.ndarray[Any, Any] = np.array(x.transpose(rank), dtype, order="C").transpose(np.argsort(rank))
    if still:
        once = tuple(slice(1) if k in still else slice(None) for k in range(len(shape)))
        strides = [0 if k in still else s for k, s in enumerate(made.strides)]
        made = np.lib.stride_tricks.as_strided(made[once], shape, strides)
    if not writable:
        made.flags.writeable = False
    return made
