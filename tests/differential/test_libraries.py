# ruff: noqa: E402 (SciPy may be missing)
"""SciPy and pandas in compiled functions: they are called as they are, with functions, arrays that they write into, and objects from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.oracle import compiled

pytest.importorskip("scipy")

import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.sparse
import scipy.special
from scipy.linalg import solve

between = scipy.interpolate.interp1d(np.arange(5.0), np.arange(5.0) ** 2)
identity = scipy.sparse.csr_matrix(np.eye(3))


def lorenz(t: float, y: Any, s: float, r: float, b: float) -> list[float]:
    return [s * (y[1] - y[0]), y[0] * (r - y[2]) - y[1], y[0] * y[1] - b * y[2]]


def differential_equation(n: int) -> Any:
    r = scipy.integrate.solve_ivp(lorenz, (0, 0.1), [1.0, 1.0, 1.0], args=(10.0, 28.0, 8 / 3))
    return r.y[:, -1], len(r.t), r.success


def integrals(n: int) -> Any:
    out = np.zeros(n)
    for i in range(n):
        out[i] = scipy.integrate.quad(lambda x, i=i: np.exp(-i * x), 0, 1)[0] + scipy.special.erf(i)
    return out


def linear_systems(n: int) -> Any:
    m, b = np.eye(3) * n, np.arange(3.0)
    x = solve(m, b)
    return x + 1, x.sum(), x[0], np.dot(x, b), [v * 2 for v in x], scipy.linalg.lu_solve(scipy.linalg.lu_factor(m), b)


def written_into(n: int) -> Any:
    a, out = np.arange(9.0).reshape(3, 3), np.zeros((3, 3))
    np.testing.assert_equal(out.sum(), 0.0)
    scipy.ndimage.gaussian_filter(a, n, output=out)
    return out, out.sum()


def with_a_memory(n: int) -> Any:
    calls = [0]

    def f(x: float) -> float:
        calls[0] += 1
        return (x - n) ** 2

    r = scipy.optimize.minimize_scalar(f)
    return round(r.x, 6), calls[0], scipy.optimize.brentq(lambda x: x**3 - n, 0, n)


def from_outside(n: int) -> Any:
    a = np.arange(3.0)
    made = scipy.sparse.csr_matrix(np.diag(a))
    return between(1.5), between(np.array([0.5, 2])), between.x, identity @ a, a @ identity, made @ a, made.toarray()


def imported_inside(n: int) -> Any:
    from scipy.stats import norm

    return norm.cdf(n), norm(1, 2).pdf(np.arange(3)), scipy.special.roots_legendre(n)[0].sum()


FUNCTIONS = [
    differential_equation,
    integrals,
    linear_systems,
    written_into,
    with_a_memory,
    from_outside,
    imported_inside,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_scipy(f: Callable[[int], Any]) -> None:
    for target in ("null", "sequential"):
        assert repr(compiled(f, target=target)(2)) == repr(f(2))


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})

    def f(given: Any) -> Any:
        first = given["a"].sum(), (given["a"] * 2).to_list(), len(given), given.shape
        return first, frame.a.values + 1, frame.mean().to_numpy(), frame["b"].to_numpy() @ frame["a"].to_numpy()

    assert repr(compiled(f, target="null")(frame)) == repr(f(frame))
