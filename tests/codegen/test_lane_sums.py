"""Sums in registers: NumPy's bits at every length of a block, for numbers of every kind, whatever stands beside them in an iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol

LENGTHS = (*range(1, 26), 63, 64, 65, 127, 128, 129, 135, 136, 137, 255, 256, 264, 1000, 1023, 8192, 8200, 20001)


def product(a: Any, b: Any) -> Any:
    return np.sum(a * b)


def several(a: Any, b: Any) -> Any:
    return np.sum(a * b), np.sum(a - b), np.sum(a * a * b)


def through_a_number(a: Any, b: Any) -> Any:
    t = a + b
    return np.sum(t * t - t)


def rows(a: Any, b: Any) -> Any:
    out = np.empty(3, a.dtype)
    for i in range(3):
        out[i] = np.sum(a[i:] * b[: len(b) - i])
    return out


def every_third(a: Any, b: Any) -> Any:
    return np.sum(a[::3] * b[::3])


def backwards(a: Any, b: Any) -> Any:
    return np.sum(a[::-1] * b)


def looked_up(a: Any, b: Any) -> Any:
    """Through subscripts from memory, and a choice."""
    at = (np.arange(len(a)) * 7) % len(a)
    return np.sum(a[at] * b), np.sum(np.where(a > 0.0, a, b))


def converted(a: Any, b: Any) -> Any:
    return np.sum(a.astype(np.float64) * 3)


PROGRAMS = (product, several, through_a_number, rows, every_third, backwards, looked_up, converted)


def numbers(n: int, dtype: str, what: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    a, b = (rng.standard_normal(n) * 10.0 ** rng.integers(-6, 6, n) for _ in range(2))
    if what == "zeros":
        a, b = np.full(n, -0.0), np.abs(b)
    if what == "special" and n > 3:
        a[rng.integers(0, n, 2)] = rng.choice([np.inf, -np.inf, np.nan, -0.0], 2)
    return a.astype(dtype), b.astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_sums_have_numpys_bits(f: Any, dtype: str) -> None:
    compiled = sol.jit(f, strict=True, parallel=False)
    for what in ("", "zeros", "special"):
        for n in LENGTHS if what == "" else LENGTHS[:30]:
            a, b = numbers(max(n, 3) if f is rows else n, dtype, what)
            with np.errstate(all="ignore"):
                want, got = f(a, b), compiled(a, b)
            for x, y in zip(np.atleast_1d(want), np.atleast_1d(got), strict=True):
                assert x.dtype == y.dtype
                assert x.tobytes() == y.tobytes() or (np.isnan(x) and np.isnan(y)), (n, what, x, y)


def test_a_sum_of_computed_numbers_needs_no_buffer() -> None:
    compiled = sol.jit(several, strict=True, parallel=False)
    compiled(*numbers(100, "float64", ""))
    text = compiled.source()
    assert text.count("_lanes[8]") >= 1
    assert "[SOL_BLOCK]" not in text
