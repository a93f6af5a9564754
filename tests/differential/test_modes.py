"""Settings change how a function runs, not what it means: threads off, floating-point modes, other targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import oracle
from tests.oracle import check
from tests.values import special

pytestmark = pytest.mark.skipif(oracle.IDENTITY, reason="needs the compiler")
X = np.cos(np.arange(3000.0)) * 3


def kernel(a: np.ndarray, n: int) -> Any:
    s = 0.0
    for i in range(1, len(a) - 1):
        s += a[i] * a[i]
        if a[i] > 2.9:
            a[i] = a[i - 1] + a[i + 1]
    b = np.where(a > 0, np.sqrt(np.abs(a)), a * n)
    return s, b, b.sum(), (b * a).max()


@pytest.mark.parametrize(
    "settings", [{"parallel": False}, {"target": "sequential"}, {"target": "interpreter"}, {"cache": False}], ids=str
)
def test_same_results(settings: dict[str, Any]) -> None:
    check(kernel, X[:400] if "interpreter" in settings.values() else X, 3, rtol=1e-13, settings=settings)


@pytest.mark.parametrize("fp", ["contract", "fast"])
def test_faster_modes_stay_close(fp: str) -> None:
    check(kernel, X, 3, rtol=1e-11, settings={"fp": fp})


def looks_for_nan(a: np.ndarray) -> Any:
    return np.isnan(a), np.isfinite(a), np.isinf(a), np.isnan(a).any(), np.nansum(np.abs(a[np.isfinite(a)]))


@pytest.mark.parametrize("fp", ["contract", "fast"])
def test_nan_is_still_found(fp: str) -> None:
    check(looks_for_nan, special("float64", 40), rtol=1e-10, settings={"fp": fp})


def test_settings_of_a_block() -> None:
    import soljit as sol

    def double(a: np.ndarray) -> np.ndarray:
        return a * 2

    with sol.settings(parallel=False, strict=True):
        assert np.array_equal(sol.jit(double)(X), X * 2)
    with sol.settings(disable=True):
        f = sol.jit(double)
        assert np.array_equal(f(X), X * 2)
        assert not f.signatures


def test_wrong_settings_are_errors() -> None:
    import soljit as sol

    for wrong in ({"fp": "sloppy"}, {"nonsense": 1}, {"parallel": "perhaps"}, {"device": "abacus"}):
        with pytest.raises((TypeError, ValueError)):
            sol.jit(**wrong)(lambda x: x)(1.0)


def test_threads_can_be_limited() -> None:
    import soljit as sol

    f = oracle.compiled(kernel)
    want = kernel(X.copy(), 3)
    for n in (1, 2, 3):
        sol.set_num_threads(n)
        got = f(X.copy(), 3)
        assert np.allclose(got[0], want[0], rtol=1e-13)
        assert np.array_equal(got[1], want[1])
    sol.set_num_threads(0)
