"""Arguments for tests: awkward numbers of every dtype, and every memory layout of an array."""

from __future__ import annotations

import numpy as np

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
DTYPES = ("bool", *INTS, *FLOATS, *COMPLEX)


def special(dtype: str, n: int = 24, seed: int = 0) -> np.ndarray:
    """`n` values of `dtype`: the awkward ones first (extremes, ±0, ±inf, NaN, denormals), then random ones."""
    t = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if t.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if t.kind in "iu":
        i = np.iinfo(t)
        first = [0, 1, i.max, i.min, i.max - 1, 2, 3, 7, i.max // 2 + 1]
        if t.kind == "i":
            first += [-1, -2, -7, i.min + 1]
        rest = rng.integers(-20 if t.kind == "i" else 0, 100, max(0, n - len(first)))
        return np.array([int(x) for x in [*first, *rest][:n]], t)
    if t.kind == "f":
        i = np.finfo(t)
        first = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            np.nan,
            np.inf,
            -np.inf,
            i.tiny,
            i.smallest_subnormal,
            i.max,
            -i.max,
            i.eps,
            0.5,
            -2.5,
            3.5,
        ]
        return np.array([*first, *rng.normal(0, 10, max(0, n - len(first)))][:n], t)
    half = special(t.type(0).real.dtype.name, n, seed)
    out = np.empty(n, t)
    out.real, out.imag = half, np.roll(half, 1 + seed % 5)
    return out


def plain(dtype: str, shape: int | tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Ordinary values: no NaN, no overflow in simple arithmetic, no zeros."""
    rng = np.random.default_rng(seed)
    t = np.dtype(dtype)
    if t.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if t.kind in "iu":
        return rng.integers(1, 9, shape).astype(t)
    if t.kind == "f":
        return (rng.random(shape) + 0.5).astype(t)
    return (rng.random(shape) + 0.5 + 1j * (rng.random(shape) - 0.5)).astype(t)


def grid(*shape: int, dtype: str = "float64") -> np.ndarray:
    """0, 1, 2, … in this shape."""
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


def layouts(a: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays equal to `a` (at least one dimension) in every memory layout that compiled code must tell apart."""
    wide = np.full(tuple(2 * n + 1 for n in a.shape), 77).astype(a.dtype)
    strided = wide[tuple(slice(1, 2 * n + 1, 2) for n in a.shape)]
    strided[...] = a
    padded = np.full(tuple(n + 3 for n in a.shape), 55).astype(a.dtype)[tuple(slice(2, n + 2) for n in a.shape)]
    padded[...] = a
    backward = np.ascontiguousarray(a[(slice(None, None, -1),) * a.ndim])[(slice(None, None, -1),) * a.ndim]
    first_back = np.ascontiguousarray(a[::-1])[::-1]
    readonly = a.copy()
    readonly.flags.writeable = False
    bytes_ = np.zeros(a.nbytes + 1, np.uint8)[1:]
    unaligned = np.ndarray(a.shape, a.dtype, buffer=bytes_.data)
    unaligned[...] = a
    out = {
        "C": np.ascontiguousarray(a).copy(),
        "F": np.asfortranarray(a.copy()),
        "strided": strided,
        "padded": padded,
        "backward": backward,
        "first axis backward": first_back,
        "read-only": readonly,
        "unaligned": unaligned,
    }
    if a.ndim >= 2:
        out["last axis first"] = np.moveaxis(np.ascontiguousarray(np.moveaxis(a, -1, 0)), 0, -1)
        out["F strided"] = np.asfortranarray(np.repeat(a, 2, axis=0))[::2]
    return out
