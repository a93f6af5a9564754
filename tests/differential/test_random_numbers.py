"""Random numbers that compiled code draws itself: NumPy's own, bit for bit, and the states that NumPy leaves."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.compare import Tolerance, differences
from tests.oracle import function

BIT_GENERATORS = [getattr(np.random, name) for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")]

NEW = """
    r.random()
    r.uniform()
    r.uniform(-1.5, x)
    r.uniform(low=1, high=5)
    r.standard_normal()
    r.normal()
    r.normal(x, 2.5)
    r.normal(scale=x)
    r.standard_exponential()
    r.exponential()
    r.exponential(x)
    r.integers(7)
    r.integers(-5, k)
    r.integers(0, high=1)
    r.integers(2**40)
    r.integers(-2**63, 2**63 - 1)
    r.poisson()
    r.poisson(x)
    r.poisson(50 * x)
    r.binomial(k, 0.3)
    r.binomial(1000 * k, 0.7)
    r.binomial(n=5, p=1)
    r.geometric(0.4)
    r.geometric(0.01)
    r.standard_gamma(x)
    r.gamma(0.5, x)
    r.gamma(3)
    r.beta(x, 0.5)
    r.chisquare(k)
    r.f(x, 3)
    r.standard_t(k)
    r.standard_cauchy()
    r.laplace(x, 2)
    r.logistic()
    r.gumbel(scale=x)
    r.lognormal(x, 0.5)
    r.rayleigh(x)
    r.weibull(x)
    r.power(x)
    r.pareto(x)
    r.wald(x, 2)
    r.triangular(-1, x, 100)
    r.vonmises(0.5, x)
"""
OLD = """
    r.random()
    r.random_sample()
    r.rand()
    r.randn()
    r.uniform()
    r.uniform(-1.5, x)
    r.standard_normal()
    r.normal()
    r.normal(x, 2.5)
    r.normal(scale=x)
    r.standard_exponential()
    r.exponential()
    r.exponential(x)
    r.randint(7)
    r.randint(-5, k)
    r.randint(low=0, high=1)
    r.randint(2**40)
    r.randint(-2**63, 2**63 - 1)
    r.poisson()
    r.poisson(x)
    r.poisson(50 * x)
    r.binomial(k, 0.3)
    r.binomial(1000 * k, 0.7)
    r.laplace(x, 2)
    r.logistic()
    r.gumbel(scale=x)
    r.triangular(-1, x, 100)
"""

PYTHON = """
    r.random()
    r.uniform(-1.5, x)
    r.uniform(k, 2)
    r.uniform(1e300, x)
    r.randint(1, 6)
    r.randint(-k, k)
    r.randint(0, 0)
    r.randint(-2**62, 2**62)
    r.randint(1, 2**32)
    r.randrange(k)
    r.randrange(-3, k)
    r.randrange(2**40)
    r.randrange(0, k, 2)
    r.randrange(k, -k, -3)
    r.randrange(3, 3 + k, 1)
    r.choice([1, 2, 3])
    r.choice((0.5, x))
    r.choice(range(3, 30, k))
    r.getrandbits(1)
    r.getrandbits(k)
    r.getrandbits(40 + i % 24)
    r.expovariate(x)
    r.expovariate(-3)
    r.normalvariate(x, 2)
    r.gauss(k, x)
    r.gauss(0.0, 1.0)
    r.gauss(x, 3)
"""


def drawing(expressions: str) -> Callable[..., Any]:
    """A function that draws from the generator `r` in `n` rounds: an array with one row a round."""
    draws = [line.strip() for line in expressions.strip().splitlines()]
    lines = [f"        out[i, {k}] = {e}" for k, e in enumerate(draws)]
    return function(
        f"def f(r, n):\n    out = np.zeros((n, {len(draws)}))\n    for i in range(n):\n"
        "        x = 0.25 + i % 9\n        k = 3 + i % 20\n" + "\n".join(lines) + "\n    return out"
    )


def state(r: Any) -> str:
    """All that decides what is drawn next."""
    if isinstance(r, random.Random):
        return repr(r.getstate())
    return repr(r.get_state(legacy=False) if isinstance(r, np.random.RandomState) else r.bit_generator.state)


def compare(f: Callable[..., Any], jitted: Callable[..., Any], make: Callable[[], Any], *args: Any) -> None:
    """Same result, or same exception, and same state of the generator."""
    a, b = make(), make()
    try:
        want, error = f(a, *args), None
    except Exception as e:
        want, error = None, e
    if error is None:
        got = jitted(b, *args)
        assert not list(differences("result", want, got, Tolerance()))
    else:
        with pytest.raises(type(error)) as raised:
            jitted(b, *args)
        assert str(raised.value) == str(error)
    assert state(a) == state(b)


def natively(jitted: Any) -> None:
    """Is every draw of the function made by compiled code?"""
    text = jitted.source("c++")
    assert text.count("sol_is_open") == text.count("services->callback") > 0


new, old, python = drawing(NEW), drawing(OLD), drawing(PYTHON)
jitted_new, jitted_old, jitted_python = (sol.jit(strict=True)(f) for f in (new, old, python))


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_every_distribution_of_generators(bits: type) -> None:
    compare(new, jitted_new, lambda: np.random.Generator(bits(5)), 300)  # type: ignore[call-arg]
    natively(jitted_new)


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_every_distribution_of_random_states(bits: type) -> None:
    compare(old, jitted_old, lambda: np.random.RandomState(bits(5)), 301)  # type: ignore[call-arg]
    natively(jitted_old)


def test_every_distribution_of_pythons_generators() -> None:
    compare(python, jitted_python, lambda: random.Random(6), 1000)
    if sys.version_info >= (3, 11):  # before, Python's `choice` of an empty sequence raised what the sequence raised
        natively(jitted_python)


@pytest.mark.slow
@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_a_million_numbers_of_every_distribution(bits: type) -> None:
    a, b = np.random.Generator(bits(3)), np.random.RandomState(bits(3))  # type: ignore[call-arg]
    c, d = np.random.Generator(bits(3)), np.random.RandomState(bits(3))  # type: ignore[call-arg]
    for _ in range(10):  # a million rounds at once would need a gigabyte
        assert np.array_equal(new(a, 100_000), jitted_new(c, 100_000), equal_nan=True) and state(a) == state(c)
        assert np.array_equal(old(b, 100_000), jitted_old(d, 100_000), equal_nan=True) and state(b) == state(d)


@pytest.mark.slow
def test_a_million_numbers_of_every_distribution_of_pythons_generators() -> None:
    a, b = random.Random(3), random.Random(3)
    for _ in range(10):
        assert np.array_equal(python(a, 100_000), jitted_python(b, 100_000)) and state(a) == state(b)
