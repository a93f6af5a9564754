"""Arrays of random numbers that compiled code fills itself: NumPy's own, bit for bit, and the states that NumPy leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.compare import Tolerance, differences
from tests.differential.test_random_numbers import BIT_GENERATORS, compare, natively, state
from tests.oracle import function

NEW = """
    r.random(n)
    r.random((n, m))
    r.random(size=(2, n, 1))
    r.random([n])
    r.random(3)
    r.random(n, dtype=np.float32)
    r.random((m, n), np.float64)
    r.uniform(size=n)
    r.uniform(-1.5, x, (n, m))
    r.standard_normal(n)
    r.standard_normal(a.shape)
    r.standard_normal((n, m), dtype=np.float32)
    r.normal(size=n)
    r.normal(x, 2.5, n)
    r.normal(scale=x, size=(m, n))
    r.standard_exponential(n)
    r.standard_exponential(n, np.float32)
    r.exponential(x, n)
    r.integers(7, size=n)
    r.integers(-5, k, n)
    r.integers(0, 2**32, (n, m))
    r.integers(0, 2**32 - 1, n)
    r.integers(0, 2**40, n)
    r.integers(-2**63, 2**63 - 1, n, endpoint=True)
    r.integers(0, k, n, endpoint=True)
    r.integers(3, 4, n)
    r.integers(0, k, n, dtype=np.int32)
    r.integers(-2**31, 2**31, n, np.int32)
    r.integers(0, 2**32, n, dtype=np.uint32)
    r.integers(-k, k, n, dtype=np.int16)
    r.integers(0, 2**16, n, dtype=np.uint16)
    r.integers(-100, k, n, dtype=np.int8)
    r.integers(0, 255, (n, m), dtype=np.uint8, endpoint=True)
    r.integers(0, 2, n, dtype=bool)
    r.integers(1, 2**62, n, dtype=np.uint64)
    r.integers(0, k, dtype=np.int32)
    r.integers(0, 200, dtype=np.uint8)
    r.integers(0, k, endpoint=True)
    r.poisson(x, n)
    r.poisson(50 * x, (n, m))
    r.binomial(k, 0.3, n)
    r.binomial(1000 * k, 0.7, n)
    r.geometric(0.4, n)
    r.standard_gamma(x, n)
    r.gamma(0.5, x, n)
    r.beta(x, 0.5, n)
    r.chisquare(k, n)
    r.standard_t(k, n)
    r.standard_cauchy(n)
    r.laplace(x, 2, n)
    r.gumbel(scale=x, size=n)
    r.lognormal(x, 0.5, n)
    r.rayleigh(x, n)
    r.weibull(x, n)
    r.wald(x, 2, n)
    r.triangular(-1, x, 100, n)
    r.vonmises(0.5, x, n)
"""
OLD = """
    r.random(n)
    r.random_sample((n, m))
    r.rand(n)
    r.rand(n, 2, m)
    r.randn(n, m)
    r.uniform(size=n)
    r.uniform(-1.5, x, (n, m))
    r.standard_normal(n)
    r.normal(x, 2.5, (n, m))
    r.normal(size=n)
    r.standard_exponential(n)
    r.exponential(x, n)
    r.randint(7, size=n)
    r.randint(-5, k, (n, m))
    r.randint(0, 2**32, n)
    r.randint(0, 2**32 - 1, n)
    r.randint(0, 2**40, n)
    r.randint(3, 4, n)
    r.randint(0, k, n, dtype=np.int32)
    r.randint(0, 2**32, n, dtype=np.uint32)
    r.randint(-k, k, n, np.int16)
    r.randint(0, 2**16, n, dtype=np.uint16)
    r.randint(-100, k, n, dtype=np.int8)
    r.randint(0, 255, (n, m), dtype=np.uint8)
    r.randint(0, 2, n, dtype=bool)
    r.randint(1, 2**62, n, dtype=np.uint64)
    r.randint(0, k, dtype=np.int32)
    r.randint(0, 200, dtype=np.uint8)
    r.poisson(x, n)
    r.binomial(k, 0.3, n)
    r.laplace(x, 2, n)
    r.logistic(size=n)
    r.triangular(-1, x, 100, n)
"""


def drawing(expressions: str) -> Callable[..., Any]:
    """A function that gives all these arrays."""
    draws = ", ".join(line.strip() for line in expressions.strip().splitlines())
    return function(f"def f(r, n, m, x, k, a):\n    return {draws}\n")


def arguments(n: int, m: int) -> tuple[Any, ...]:
    """Lengths and parameters."""
    return n, m, 0.25 + n % 9, 3 + n % 20, np.zeros((m, n))


new, old = drawing(NEW), drawing(OLD)
jitted_new, jitted_old = (sol.jit(strict=True)(f) for f in (new, old))


def generator(bits: type) -> np.random.Generator:
    return np.random.Generator(bits(5))  # type: ignore[call-arg]


def legacy(bits: type) -> np.random.RandomState:
    return np.random.RandomState(bits(5))  # type: ignore[call-arg]


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_arrays_of_every_distribution_of_generators(bits: type) -> None:
    for n, m in ((301, 3), (3, 1), (2, 40), (0, 3), (5, 0)):
        compare(new, jitted_new, lambda: generator(bits), *arguments(n, m))
    natively(jitted_new)


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_arrays_of_every_distribution_of_random_states(bits: type) -> None:
    for n, m in ((301, 3), (3, 1), (2, 40), (0, 3), (5, 0)):
        compare(old, jitted_old, lambda: legacy(bits), *arguments(n, m))
    natively(jitted_old)


@pytest.mark.slow
@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_arrays_of_a_million_numbers_of_every_distribution(bits: type) -> None:
    compare(new, jitted_new, lambda: generator(bits), *arguments(1_000_000, 1))
    compare(old, jitted_old, lambda: legacy(bits), *arguments(1_000_000, 1))


@pytest.mark.parametrize(
    "draw",
    """
    r.random(n - 9)
    r.random((n, n - 9))
    r.normal(0, -x, n)
    r.normal(0, -x, 0)
    r.normal(0, -0.0, n)
    r.exponential(-x, (n, n))
    r.uniform(x, -x, n)
    r.uniform(-1e308, 1e308 * x, n)
    r.integers(5, n, n)
    r.integers(n, n, 0)
    r.integers(0, 300, n, dtype=np.uint8)
    r.integers(-1, 3, n, dtype=np.uint64)
    r.integers(0, 2**31 + n, n, dtype=np.int32)
    r.integers(0, 3, n, dtype=bool)
    r.integers(5, n, n, endpoint=True)
    r.poisson(-x, n)
    r.binomial(n, x, n)
    r.binomial(-n, 0.5, n)
    r.geometric(0.0 * x, n)
    """.split("\n")[1:-1],
)
def test_parameters_out_of_range_raise_as_in_numpy(draw: str) -> None:
    f = function(f"def f(r, x, n):\n    a = r.random(n)\n    return a, {draw.strip()}, r.random()")
    compare(f, sol.jit(strict=True)(f), lambda: np.random.default_rng(4), 3.0, 3)


def test_no_memory_for_an_array_is_numpys_error() -> None:
    def f(r: Any, n: int) -> Any:
        return r.random((n, n, n)).sum()

    jitted = sol.jit(strict=True)(f)
    for n in (3, 1 << 20, 1 << 22):
        compare(f, jitted, lambda: np.random.default_rng(4), n)


def test_arrays_that_nobody_uses_are_drawn() -> None:
    def f(r: Any, q: Any, n: int) -> Any:
        r.random(n)
        for i in range(n):
            x = q.normal(0.0, 1.0, (i, 2))
            r.integers(0, 9, i)
        return r.random()

    jitted = sol.jit(strict=True)(f)
    a, b, c, d = (
        np.random.default_rng(4),
        np.random.default_rng(4),
        np.random.RandomState(3),
        np.random.RandomState(3),
    )
    assert f(a, c, 30) == jitted(b, d, 30) and state(a) == state(b) and state(c) == state(d)


def test_arrays_drawn_in_loops_and_branches_keep_their_order() -> None:
    def f(r: Any, n: int) -> Any:
        total = np.zeros(3)
        kept = r.random(3)
        for i in range(n):
            v = r.normal(0.0, 1.0, 3)
            if v[0] > 0.0:
                w = r.random(3)
            elif v[1] > 0.0:
                w = r.exponential(1.0, 3)
            else:
                w = kept
            total += v * w + r.random()
            kept = v
        return total, kept, w

    jitted = sol.jit(strict=True)(f)
    compare(f, jitted, lambda: np.random.default_rng(4), 50)
    compare(f, jitted, lambda: np.random.RandomState(4), 51)
    natively(jitted)


def test_memory_of_old_numbers_is_used_again_only_where_nobody_has_it() -> None:
    def f(r: Any, n: int) -> Any:
        x = r.random(4)
        kept, last, out = x, x[1:], []
        for i in range(n):
            if i % 3 == 0:
                kept = x
            if i % 4 == 1:
                last = x[2:]
            if i % 5 == 2:
                out.append(x)
            try:
                x = r.normal(0.0, 1.0 - (i % 7 == 6) * 2.0, 4 if i % 6 else 3)
            except ValueError:
                x[0] = 7.0
            x = r.choice(x, 4) + x[0]
        return x, kept, last, out

    jitted = sol.jit(strict=True)(f)
    compare(f, jitted, lambda: np.random.default_rng(4), 40)
    compare(f, jitted, lambda: np.random.RandomState(4), 41)


def test_arrays_that_are_filled() -> None:
    def f(r: Any, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Any:
        x = r.random(out=a)
        y = r.standard_normal(out=b[1:]).sum()
        r.standard_exponential(out=b[:2])
        r.random(dtype=np.float32, out=c)
        total = x[0] + y
        r.standard_gamma(x[1], out=a)
        return total, x, a, b.copy(), c.sum()

    jitted = sol.jit(strict=True)(f)
    r, q = np.random.default_rng(5), np.random.default_rng(5)
    a, b, c = np.zeros(5), np.zeros(7), np.zeros(4, np.float32)
    want = f(r, a, b, c)
    x, y, z = np.zeros(5), np.zeros(7), np.zeros(4, np.float32)
    got = jitted(q, x, y, z)
    assert not list(differences("result", want, got, Tolerance())) and state(r) == state(q)
    assert np.array_equal(a, x) and np.array_equal(b, y) and np.array_equal(c, z) and got[1] is x and got[2] is x
    natively(jitted)


@pytest.mark.parametrize(
    "out", ["a[::2]", "a[:0]", "a[::-1]", "a.reshape(2, 3)", "np.zeros(3, np.float32)", "np.broadcast_to(a, (6,))"]
)
def test_arrays_that_are_filled_in_unusual_ways(out: str) -> None:
    f = function(
        f"def f(r, n, a):\n    r.random()\n    r.random(out={out})\n    r.random(n, out=a)\n    return a, r.random()"
    )
    for n in (6, 5):
        compare(f, sol.jit(strict=True, target="null")(f), lambda: np.random.default_rng(4), n, np.zeros(6))


def test_a_vector_drawn_at_each_step_of_a_walk() -> None:
    def f(n: int) -> Any:
        path = np.zeros((n, 2))
        for i in range(1, n):
            path[i] = path[i - 1] + np.random.normal(0.0, 1.0, 2)
            path[i, 0] += np.random.randint(-1, 2, size=2)[1]
            path[i] *= np.random.rand(2) + np.random.randn(2)
        return path

    jitted = sol.jit(strict=True)(f)
    before = np.random.get_state()
    try:
        np.random.seed(1)
        want, after = f(40), np.random.get_state()
        np.random.seed(1)
        assert np.array_equal(jitted(40), want) and repr(np.random.get_state()) == repr(after)
    finally:
        np.random.set_state(before)
    natively(jitted)
