"""NumPy functions written in Python and NumPy: `written_out.py` compiles these texts where the functions are called.

Each gives the bits that NumPy's own gives, for the types that its handler lets through.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_BLOCK = 65536  # np.histogram adds weights up in blocks of so many
_FEW = 64  # numbers that are sorted as quickly as partitioned
_FITS = 2**16  # numbers that stay in the second cache


def end(v: Any, a: Any, axis: int) -> Any:
    """What np.diff puts before or behind an array: a number stands for one layer of it."""
    v = np.asanyarray(v)
    if v.ndim == 0:
        v = np.broadcast_to(v, a.shape[:axis] + (1,) + a.shape[axis + 1 :])
    return v


def neighbours(a: Any, axis: int) -> Any:
    """All elements but the first along an axis, and all but the last."""
    before = (slice(None),) * axis
    upper, lower = (*before, slice(1, None)), (*before, slice(None, -1))
    return a[upper], a[lower]


def difference(a: Any, axis: int) -> Any:
    """One step of np.diff."""
    upper, lower = neighbours(a, axis)
    return upper - lower


def change(a: Any, axis: int) -> Any:
    """One step of np.diff of truth values."""
    upper, lower = neighbours(a, axis)
    return upper != lower


def bincount(x: Any, minlength: int) -> Any:
    """np.bincount of integers."""
    n = x.size
    length = minlength
    if n > 0:
        if np.min(x) < 0:
            raise ValueError("'list' argument must have no negative elements")
        length = max(length, int(np.max(x)) + 1)
    counts = np.zeros(length, np.intp)
    for k in range(n):
        counts[x[k]] += 1
    return counts


def weighted_bincount(x: Any, weights: Any, minlength: int) -> Any:
    """np.bincount with weights."""
    n = x.size
    length = minlength
    if n > 0:
        if np.min(x) < 0:
            raise ValueError("'list' argument must have no negative elements")
        length = max(length, int(np.max(x)) + 1)
    if weights.size != n:
        raise ValueError("The weights and list don't have the same length.")
    counts = np.zeros(length, np.float64)
    for k in range(n):
        counts[x[k]] += weights[k]
    return counts


def range_of(a: Any) -> Any:
    """The outer edges that np.histogram finds by itself."""
    if a.size == 0:
        return np.float64(0.0), np.float64(1.0)
    first, last = np.min(a), np.max(a)
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    if first == last:
        first = first - 0.5
        last = last + 0.5
    return first, last


def edges_of(first: Any, last: Any, bins: int) -> Any:
    """The edges of so many equal bins."""
    edges = np.linspace(first, last, bins + 1)
    if np.any(edges[:-1] >= edges[1:]):
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    return edges


def width_of(a: Any, first: Any, last: Any, bins: int) -> Any:
    """What lies between the outer edges. Numbers that lie infinitely far behind the first one have no bin."""
    width = last - first
    if np.isinf(width) and np.any((a <= last) & (a - first == np.inf)):
        raise IndexError(f"index {-(2**63)} is out of bounds for axis 0 with size {bins + 1}")
    return width


def bin_of(x: Any, first: Any, width: Any, step: Any, bins: int) -> Any:
    """The bin of a number between the outer edges, corrected where rounding put it next to it.

    The edges are computed as np.linspace computes them, not looked up; the step is no zero if they grow. Bins are floats as long as possible, of which vectors hold more.
    No number lies below the first edge or above the last: that the bin is one of `bins` changes nothing, and proves that it is a place in an array.
    """
    j = np.trunc((x - first) / width * bins)
    j = j - (j == bins)
    j = j - (x < j * step + first)
    j = j + ((x >= (j + 1) * step + first) & (j != bins - 1))
    return np.minimum(np.maximum(j.astype(np.int32).astype(np.intp), 0), bins - 1)


def histogram(a: Any, bins: int, first: Any, last: Any) -> Any:
    """np.histogram with equal bins over the range of the numbers."""
    edges = edges_of(first, last, bins)
    width = width_of(a, first, last, bins)
    step = width / bins
    counts = np.zeros(bins, np.intp)
    for k in range(a.size):
        counts[bin_of(a[k], first, width, step, bins)] += 1
    return counts, edges


def histogram_within(a: Any, bins: int, first: Any, last: Any) -> Any:
    """np.histogram with equal bins over a given range."""
    edges = edges_of(first, last, bins)
    width = width_of(a, first, last, bins)
    step = width / bins
    counts = np.zeros(bins, np.intp)
    for k in range(a.size):
        x = a[k]
        if x >= first and x <= last:
            counts[bin_of(x, first, width, step, bins)] += 1
    return counts, edges


def weighted_histogram(a: Any, weights: Any, bins: int, first: Any, last: Any) -> Any:
    """np.histogram with equal bins and weights over the range of the numbers: sums of blocks, added up in order."""
    if weights.size != a.size:
        raise ValueError("weights should have the same shape as a.")
    edges = edges_of(first, last, bins)
    width = width_of(a, first, last, bins)
    step = width / bins
    counts = np.zeros(bins, np.float64)
    blocks = (a.size + _BLOCK - 1) // _BLOCK
    rows = _FITS // bins + 1
    parts = np.empty((rows, bins), np.float64)
    for turn in range((blocks + rows - 1) // rows):
        start = turn * rows
        for b in range(min(rows, blocks - start)):
            parts[b] = 0.0
            for k in range((start + b) * _BLOCK, min((start + b + 1) * _BLOCK, a.size)):
                parts[b, bin_of(a[k], first, width, step, bins)] += weights[k]
        for b in range(min(rows, blocks - start)):
            counts += parts[b]
    return counts, edges


def place_left(a: Any, x: Any) -> int:
    """np.searchsorted of one number: in front of its equals."""
    low, high = 0, a.size
    while low < high:
        middle = low + ((high - low) >> 1)
        y = a[middle]
        if y < x or (x != x and y == y):
            low = middle + 1
        else:
            high = middle
    return low


def place_right(a: Any, x: Any) -> int:
    """np.searchsorted of one number: behind its equals."""
    low, high = 0, a.size
    while low < high:
        middle = low + ((high - low) >> 1)
        y = a[middle]
        if x < y or (y != y and x == x):
            high = middle
        else:
            low = middle + 1
    return low


def last_not_greater(xp: Any, x: Any, n: int) -> int:
    """Where np.interp finds a number that is not outside: as NumPy looks for it, which matters where points are NaN or not sorted."""
    if n <= 4:
        k = 1
        while k < n and x >= xp[k]:
            k += 1
        return k - 1
    if x < xp[1]:
        return 0
    if x < xp[2]:
        return 1
    if x < xp[3]:
        return 2
    low, high = 3, n
    if n > 10 and x < xp[9]:
        high = 9
    while low < high:
        middle = low + ((high - low) >> 1)
        if x >= xp[middle]:
            low = middle + 1
        else:
            high = middle
    return low - 1


def interpolated(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    """np.interp of one number."""
    n = xp.size
    if n == 1:
        return left if x < xp[0] else right if x > xp[0] else fp[0]
    if x != x:
        return x
    if x > xp[n - 1]:
        return right
    if x < xp[0]:
        return left
    j = last_not_greater(xp, x, n)
    if j == n - 1 or xp[j] == x:
        return fp[j]
    slope = (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j])
    result = slope * (x - xp[j]) + fp[j]
    if result != result:
        result = slope * (x - xp[j + 1]) + fp[j + 1]
        if result != result and fp[j] == fp[j + 1]:
            result = fp[j]
    return result


def trapezoid(y: Any, dx: Any, axis: int) -> Any:
    """np.trapezoid with equal distances."""
    upper, lower = neighbours(y, axis)
    return (dx * (upper + lower) / 2.0).sum(axis)


def trapezoid_between(y: Any, x: Any) -> Any:
    """np.trapezoid of a vector over given points."""
    d = x[1:] - x[:-1]
    return (d * (y[1:] + y[:-1]) / 2.0).sum(-1)


def gradient(f: Any, h: Any, axis: int) -> Any:
    """np.gradient along one axis."""
    if f.shape[axis] < 2:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."
        )
    out = np.empty_like(f)
    a, b = np.moveaxis(f, axis, 0), np.moveaxis(out, axis, 0)
    b[1:-1] = (a[2:] - a[:-2]) / (2.0 * h)
    b[0] = (a[1] - a[0]) / h
    b[-1] = (a[-1] - a[-2]) / h
    return out


def polyval(p: Any, x: Any) -> Any:
    """np.polyval of one number."""
    y = np.float64(0.0)
    for c in p:
        y = y * x + c
    return y


def median(a: Any) -> Any:
    """np.median of a vector. Where zeros of both signs may be in the middle, the one that NumPy's partition finds."""
    n = a.size
    h = n // 2
    if n <= _FEW:
        s = np.sort(a)
        if s[n - 1] != s[n - 1]:
            return s[n - 1]
        middle = s[h] if n % 2 else (s[h - 1] + s[h]) / 2
        if middle != 0:
            return middle
    if n % 2:
        part = np.partition(a, [h, n - 1])
    else:
        part = np.partition(a, [h - 1, h, n - 1])
    if part[n - 1] != part[n - 1]:
        return part[n - 1]
    return np.mean(part[h - (n + 1) % 2 : h + 1])


def given_range(first: Any, last: Any) -> Any:
    """The outer edges of np.histogram as the caller wants them."""
    if first > last:
        raise ValueError("max must be larger than min in range parameter.")
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    if first == last:
        first = first - 0.5
        last = last + 0.5
    return np.float64(first), np.float64(last)
