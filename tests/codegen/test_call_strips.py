"""Functions without vector instructions, computed a strip of iterations at a time: the same values whatever stands around them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import IDENTITY

N = 600  # two strips and a part of one


def mixed(x: Any, y: Any) -> Any:
    return y * np.tanh(x**3) + np.arctan(y)


def in_place(x: Any, y: Any) -> None:
    x[:] = np.tanh(x) * np.cbrt(y)


def only_a_loop(x: Any, y: Any) -> Any:
    return np.tanh(x)


def loops(x: Any, y: Any) -> Any:
    out = np.empty(len(x))
    for i in range(len(x)):
        a = np.tanh(x[i])
        b = np.arctan(a * y[i])
        out[i] = np.log1p(b * b) + a
    return out


def stored_before(x: Any, y: Any) -> Any:
    """What the second function is of, the first statement writes."""
    out = np.empty_like(x)
    for i in range(len(x)):
        x[i] = np.tanh(x[i]) + y[i]
        out[i] = np.tanh(x[i]) + np.cbrt(x[i])
    return out


def shifted(x: Any, y: Any) -> Any:
    out = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        out[i] = np.tanh(x[i - 1]) * np.arcsinh(x[i + 1])
    return out


def along(x: Any, y: Any) -> Any:
    """Not independent: each iteration reads what the one before wrote."""
    for i in range(1, len(x)):
        x[i] = np.tanh(x[i - 1]) + np.cbrt(y[i])
    return x


def chosen(x: Any, y: Any) -> Any:
    return np.where(x > 0.5, np.tanh(x), np.expm1(y)) + np.tanh(y)


def under_a_condition(x: Any, y: Any) -> Any:
    out = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] > 0.5:
            out[i] = np.tanh(x[i]) + np.arctan(x[i])
    return out


def summed(x: Any, y: Any) -> Any:
    return (y * np.tanh(x)).sum(), np.tanh(x * y).max(), (np.cbrt(x) * np.arctan(y)).mean()


def rows(x: Any, y: Any) -> Any:
    a, b = x[:598].reshape(23, 26), y[:598].reshape(23, 26)
    return (np.tanh(a) * np.expm1(b)).sum(axis=1), np.tanh(a.T) + np.arctan(b.T), np.tanh(a).sum()


def backwards(x: Any, y: Any) -> Any:
    return np.tanh(x[::-1]) + np.sinh(y[::2][: len(x)]).sum()


def steps(x: Any, y: Any) -> Any:
    out = np.zeros_like(x)
    out[::3] = np.tanh(x[::3]) + np.arctan(y[::3])
    out[1::3][::-1] = np.tanh(y[1::3])
    return out


def powers(x: Any, y: Any) -> Any:
    return np.arctan2(x, y) ** y + np.log(x**3) + np.exp(-(y**1.5)) + np.sin(x) * np.cos(y)


def gelu(x: Any, y: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x: Any, y: Any) -> Any:
    e = np.exp(x - x.max()) + np.tanh(y)
    return e / e.sum()


def twice(x: Any, y: Any) -> Any:
    return np.tanh(x) * np.tanh(x) + np.tanh(np.tanh(x) + np.arctan(np.tanh(x)))


PROGRAMS = (mixed, in_place, only_a_loop, loops, stored_before, shifted, along, chosen, under_a_condition, summed, rows)
PROGRAMS += (backwards, steps, powers, gelu, softmax, twice)
IN_PLACE = (in_place, stored_before, along, shifted)
pytestmark = pytest.mark.skipif(IDENTITY, reason="about compiled code")


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same_values(f: Callable[..., Any], dtype: str) -> None:
    rng = np.random.default_rng(5)
    a = rng.random((4, N)).astype(dtype) + dtype_of(dtype, 0.01)
    arguments = [(a[0], a[1])]
    if f in IN_PLACE:  # what may overlap is another variant each
        arguments += [(a[2], a[2]), (a[0, 1:], a[0, :-1])]
    if f is not rows:
        arguments += [(a[0, :n].copy(), a[1, :n].copy()) for n in (1, 255, 256, 257)]
    with sol.settings(vectors=256, wait_seconds=0):
        compiled = sol.jit(strict=True)(f)
        for given in arguments:
            expected_of, got_of = copy.deepcopy(given), copy.deepcopy(given)
            expected, got = f(*expected_of), compiled(*got_of)
            tolerance = 3e-6 if dtype == "f4" else 4e-15
            compare = {"rtol": tolerance, "atol": tolerance}
            for x, y in zip(leaves((expected, expected_of)), leaves((got, got_of)), strict=True):
                assert np.asarray(x).dtype == np.asarray(y).dtype
                np.testing.assert_allclose(y, x, **compare)  # type: ignore[arg-type]


def dtype_of(dtype: str, x: float) -> Any:
    return np.dtype(dtype).type(x)


def leaves(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [] if x is None else [x]


@pytest.mark.parametrize("values", [(np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, 5e-324)])
def test_special_values(values: tuple[float, ...]) -> None:
    x = np.array(values * 50)
    with np.errstate(all="ignore"), sol.settings(vectors=256, wait_seconds=0):
        got, expected = sol.jit(strict=True)(mixed)(x, x), mixed(x, x)
    np.testing.assert_allclose(got, expected, rtol=4e-15)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))


def test_strips_are_used() -> None:
    """Where vectors have no such function: one loop for each call, and NumPy's own loop where there is one."""
    with sol.settings(vectors=256, wait_seconds=0):
        compiled = sol.jit(strict=True)(mixed)
        compiled(np.ones(9), np.ones(9))
        text = compiled.source()
        alone = sol.jit(strict=True)(stored_before)
        alone(np.ones(9), np.ones(9))
    assert "pow_values" in text and "arctan_values" in text
    assert text.count("SOL_STRIP") >= 1
    assert "tanh_values[k] =" not in alone.source().split("out")[-1]


def test_explained() -> None:
    """What vectors do not compute is named; nothing of it where they do."""
    with sol.settings(vectors=256, wait_seconds=0):
        compiled = sol.jit(strict=True)(mixed)
        compiled(np.ones(9), np.ones(9))
        assert (
            "arctan, pow and tanh: no vector instruction; the rest is vector code, up to 4 float64"
            in compiled.explain()
        )
        plain = sol.jit(strict=True)(scaled)
        plain(np.ones(9))
        assert "no vector instruction" not in plain.explain()


def scaled(x: Any) -> Any:
    return 2 * np.sqrt(x)
