"""Subscripts that go round (`np.roll`, `% n`, -1) and conditions about the ends of a loop: the middle runs without them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check, function


def waves(u, c):
    return u - c * (u - np.roll(u, 1)) + 0.5 * c * (np.roll(u, -1) + np.roll(u, 2) - np.roll(u, -3))


def diffuse(u, k):
    return u + k * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)


def rolled_twice(u):
    return np.roll(np.roll(u, 1, 0), -2, 1) + np.roll(u, (1, -1), (0, 1))


def by_any(u, s, t):
    return np.roll(u, s, 0) * 2 + np.roll(u, t, -1)


def flat(u, s):
    return np.roll(u, s) + u


def shifted_sums(u):
    return np.roll(u, 1, -1).sum(axis=0), (np.roll(u, 1, 0) * u).sum()


def remainders(u, v):
    n, m = u.shape
    for i in range(n):
        for j in range(m):
            v[i, j] = (
                u[(i + 1) % n, j]
                + 2 * u[i - 1, j]
                + 3 * u[i, (j + 1) % m]
                + 5 * u[i, (j - 1) % m]
                + 7 * u[i - 1, j - 1]
            )
    return v


def far_remainders(u, v, d):
    n = u.shape[0]
    for i in range(n):
        v[i] = u[(i + d) % n] - u[(i + n - 1) % n] + u[(2 * i) % n]
    return v


def borders(u, v):
    n = u.shape[0]
    for i in range(n):
        left = u[i - 1] if i > 0 else u[0]
        right = u[i + 1] if i < n - 1 else 0 * u[0]
        v[i] = left + right if i != 2 else left
    return v


TWO, ONE_AXIS = [(1, 1), (1, 7), (2, 2), (3, 2), (5, 9), (40, 33)], [1, 2, 3, 5, 64]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.complex128])
def test_rolled(dtype: type) -> None:
    rng = np.random.default_rng(0)
    for shape in TWO:
        u = (rng.standard_normal(shape) * 9).astype(dtype)
        for x in (u, np.asfortranarray(u), u[::-1], np.repeat(u, 2, 1)[:, ::2]):
            check(diffuse, x, 2)
            check(rolled_twice, x)
            check(shifted_sums, x)
            for s, t in ((0, 1), (-1, 5), (17, -40)):
                check(by_any, x, s, t)
                check(flat, x, s)
    for n in ONE_AXIS:
        check(waves, (rng.standard_normal(n) * 9).astype(dtype), 2)


def test_in_loops() -> None:
    rng = np.random.default_rng(1)
    for shape in TWO:
        u = rng.random(shape)
        check(remainders, u, np.zeros(shape))
        check(remainders, u, u)
        check(remainders, np.asfortranarray(u), np.zeros(shape))
    for n in ONE_AXIS:
        u = rng.integers(0, 99, n)
        check(borders, np.r_[u, u, u], np.zeros(3 * n, int))
        for d in (0, 1, -1, n, 3 * n + 1, -5):
            check(far_remainders, u, np.zeros(n, int), d)


def random_conditions(rng: random.Random) -> str:
    """A loop whose body has conditions on its variable, in subscripts and elsewhere."""
    lines = [
        "def f(u, v, c):",
        "    n = u.shape[0]",
        f"    for i in range({rng.choice(('', '1, ', '2, '))}n{rng.choice(('', ' - 1'))}):",
    ]
    for k in range(rng.randint(1, 3)):
        left = rng.choice(("i", "i", "i + 1", "n - i", "2 - i"))
        right = rng.choice(("0", "1", "2", "n", "n - 1", "n - 3", "c", "c - 1", "n // 2"))
        test = f"{left} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {right}"
        a, b = (rng.choice(("i", "i - 1", "(i + 1) % n", "(i - 2) % n", "n - 1 - i", "0", "-1")) for _ in "ab")
        form = rng.choice((f"u[{a} if {test} else {b}]", f"(u[{a}] if {test} else u[{b}])", f"({test}) * u[{b}]"))
        lines.append(f"        x{k} = {form}")
    lines.append(f"        v[i] = {' + '.join(f'{k + 1} * x{k}' for k in range(len(lines) - 3))}")
    return "\n".join([*lines, "    return v"])


@pytest.mark.parametrize("seed", range(30))
def test_random_conditions(seed: int) -> None:
    rng = random.Random(seed)
    f = function(random_conditions(rng))
    for n in (3, 4, 5, 9, 30):
        check(f, np.arange(n) ** 2, np.zeros(n, int), rng.randint(-2, n + 2))


def test_the_middle_has_no_conditions() -> None:
    u = np.random.default_rng(2).random((20, 30))
    for f, args in ((diffuse, (u, 0.1)), (remainders, (u, u.copy()))):
        compiled = sol.jit(f, strict=True)
        compiled(*args)
        assert "peel(" in str(compiled.schedule(0))
        assert "the ends of the loop over" in str(compiled.explain())
