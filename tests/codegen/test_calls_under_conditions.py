"""Functions that vectors compute, under conditions: NumPy's bits where a value is wanted, nothing loaded where it is not, vector code in any case."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.codegen.harness import features
from tests.codegen.test_call_strips import leaves
from tests.oracle import IDENTITY, check

N = 600  # two strips and a part of one
pytestmark = pytest.mark.skipif(IDENTITY, reason="about compiled code")


def masked(x: Any, y: Any) -> Any:
    y[x > 0] = np.exp(x[x > 0]) * 2
    return y


def masked_own(x: Any, y: Any) -> Any:
    r = x * x + y
    r[r > 0.5] = r[r > 0.5] ** -1.5
    return r * y, (r * x).sum()


def chosen(x: Any, y: Any) -> Any:
    return np.where(x > 0, np.log(x), y) + np.where(y > x, y, np.cbrt(x))


def arms(x: Any, y: Any) -> Any:
    """The same call in both arms is wanted in both."""
    out = np.empty_like(x)
    for i in range(len(x)):
        if x[i] > y[i]:
            out[i] = np.exp2(x[i]) + np.arctan2(y[i], x[i])
        else:
            out[i] = np.exp2(x[i]) - np.arcsinh(y[i])
    return out


def guarded(x: Any, y: Any) -> Any:
    """What the condition guards is not there otherwise."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        if i > 0 and i < len(x) - 1:
            left = x[i - 1] * 2
            if left > 0:
                out[i] = np.log1p(left) + np.expm1(x[i + 1])
    return out


def nested(x: Any, y: Any) -> Any:
    out = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] > -0.5:
            out[i] = np.sinh(x[i])
            if y[i] > 0 and np.exp(y[i]) > 1.5:
                out[i] += np.cosh(np.tan(x[i]) * y[i])
        elif y[i] < 0:
            out[i] = np.arctan(x[i]) * 2
    return out


def domains(x: Any, y: Any) -> Any:
    """Where it is not wanted, the argument may lie outside of what the function is for."""
    a = np.where(np.abs(x) < 1, np.arctanh(x), 0.0) + np.where(x >= 1, np.arccosh(x), 1.0)
    return a + np.where(np.abs(y) <= 1, np.arcsin(y), np.arccos(1 / y))


def sums(x: Any, y: Any) -> Any:
    s = t = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s += np.exp(-x[i])
        if y[i] > x[i]:
            t = max(t, np.log2(y[i] - x[i]))
    return s, t


def of_a_row(x: Any, y: Any) -> Any:
    a, b = x[:576].reshape(24, 24), y[:24]
    out = np.empty_like(a)
    for i in range(24):
        for j in range(24):
            out[i, j] = np.log(a[i, j] + 2) * b[i] if i < j else b[j]
    return out


def stored_before(x: Any, y: Any) -> Any:
    """What the second function is of, the first statement writes."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        x[i] = x[i] * 0.5
        if x[i] > 0:
            out[i] = np.exp(x[i])
    return out


def never_set(x: Any, y: Any) -> Any:
    """A number that has no value unless the condition holds."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] > 0:
            r = np.exp(y[i])
        if x[i] > 0.5:
            out[i] = r
    return out


PROGRAMS = (masked, masked_own, chosen, arms, guarded, nested, domains, sums, of_a_row, stored_before, never_set)


def arguments(dtype: str, share: float, n: int) -> tuple[Any, Any]:
    """Two arrays, of whose elements about so many are positive."""
    rng = np.random.default_rng(7)
    return tuple((rng.random(n) * 2 - 2 + 2 * share).astype(dtype) for _ in range(2))  # type: ignore[return-value]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same_values(f: Callable[..., Any], dtype: str) -> None:
    calls = [arguments(dtype, share, N) for share in (0.5, 0.0, 0.01, 1.0)]
    if f is not of_a_row:
        calls += [arguments(dtype, 0.5, n) for n in (1, 255, 256, 257)]
    tolerance = {"f4": 1e-5, "f8": 1e-14}[dtype] if f in (sums, masked_own) else 0.0
    with np.errstate(all="ignore"):
        check(f, *calls[0], also=calls[1:], rtol=tolerance)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same_values_in_narrow_vectors(f: Callable[..., Any]) -> None:
    with sol.settings(vectors=256, wait_seconds=0), np.errstate(all="ignore"):
        given = arguments("f8", 0.5, N)
        expected_of, got_of = copy.deepcopy(given), copy.deepcopy(given)
        expected, got = f(*expected_of), sol.jit(strict=True)(f)(*got_of)
    for x, y in ((expected, got), (expected_of, got_of)):
        for want, found in zip(leaves(x), leaves(y), strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("f", [masked, masked_own, chosen, arms, guarded, domains, of_a_row], ids=lambda f: f.__name__)
def test_vectors_compute_them(f: Callable[..., Any]) -> None:
    """A call in a strip of its own, by the function that takes a mask."""
    if not features().avx512 or not features().svml:
        pytest.skip("this machine has no AVX-512")
    with np.errstate(all="ignore"):
        compiled = sol.jit(strict=True)(f)
        compiled(*arguments("f8", 0.5, N))
    assert "sol_w_" in compiled.source()
