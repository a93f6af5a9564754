"""Random elements of arrays, and arrays in random order, that compiled code chooses and shuffles itself, as NumPy does."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.compare import Tolerance, differences
from tests.differential.test_random_arrays import generator, legacy
from tests.differential.test_random_numbers import BIT_GENERATORS, compare, natively, state
from tests.oracle import function

COMMON = """
    r.choice(n)
    r.choice(v)
    r.choice(v[::2])
    r.choice(b)
    r.choice([0.5, 1, x])
    r.choice((-1, 1))
    r.choice(n, m)
    r.choice(n, (m, 2))
    r.choice(v, m)
    r.choice(v, size=(2, m))
    r.choice([-1, 1], n)
    r.choice(n, p=p)
    r.choice(v, p=p)
    r.choice(n, m, p=p)
    r.choice(v, (m, 3), p=p)
    r.choice([1, 2], p=[0.3, 0.7])
    r.choice([1.5, 2.5], size=n, p=[0.3, 0.7])
    r.choice(n, 2, replace=False)
    r.choice(v, n, False)
    r.choice(n + 50, (2, n), replace=False)
    r.permutation(n)
    r.permutation(v)
    r.permutation(b)
    (r.shuffle(v), v.copy())[1]
    (r.shuffle(v[::2]), v.copy())[1]
    (r.shuffle(w), w.copy())[1]
    (r.shuffle(w.T), w.copy())[1]
    (r.shuffle(b), b.copy())[1]
    r.random()
"""


def arguments(n: int, m: int) -> tuple[Any, ...]:
    """Lengths, numbers, and arrays."""
    p = np.arange(1.0, n + 1)
    return n, m, 2.5, np.arange(n) * 1.5, np.arange(2.0 * n).reshape(n, 2), np.arange(n) % 3 == 1, p / p.sum()


def choosing(expressions: str) -> Callable[..., Any]:
    """A function that gives what all these give."""
    draws = ", ".join(line.strip() for line in expressions.strip().splitlines())
    return function(f"def f(r, n, m, x, v, w, b, p):\n    v, w, b = v.copy(), w.copy(), b.copy()\n    return {draws}\n")


f = choosing(COMMON)
jitted = sol.jit(strict=True)(f)


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_choices_and_orders_of_generators(bits: type) -> None:
    for n, m in ((12, 3), (2, 1), (150, 70)):
        compare(f, jitted, lambda: generator(bits), *arguments(n, m))


def test_choices_and_orders_are_compiled() -> None:
    compare(f, jitted, lambda: generator(np.random.PCG64), *arguments(5, 2))
    natively(jitted)
    compare(f, jitted, lambda: legacy(np.random.PCG64), *arguments(5, 2))
    natively(jitted)


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_choices_and_orders_of_random_states(bits: type) -> None:
    for n, m in ((12, 3), (2, 1), (150, 70)):
        compare(f, jitted, lambda: legacy(bits), *arguments(n, m))


@pytest.mark.slow
@pytest.mark.parametrize("make", [generator, legacy])
def test_a_million_choices(make: Callable[[type], Any]) -> None:
    for bits in BIT_GENERATORS:
        compare(f, jitted, lambda b=bits: make(b), *arguments(1000, 300_000))


@pytest.mark.parametrize(
    "draw",
    """
    r.choice(n - 3)
    r.choice(-n)
    r.choice(a[:0])
    r.choice(a[:0], 0)
    r.choice(n, -1)
    r.choice(n, n + 1, replace=False)
    r.choice(a, n, replace=False)
    r.choice(a, p=a)
    r.choice(n, p=a / a.sum())
    r.choice(a, p=a[::-1] - 1.0)
    r.choice(a, p=a * np.nan)
    r.choice(a, p=np.array([0.5, 0.5, 1e-7, -1e-7]))
    r.choice(a, p=np.array([0.5, 0.4, 0.1, 0.0]), size=n)
    r.choice(a, p=np.array([0.5, 0.4, 0.1, 0.0]) + 1e-9)
    r.choice(a.reshape(2, 2))
    r.choice(a.reshape(2, 2), 3)
    r.permutation(-n)
    r.permutation(0)
    r.permutation(1)
    r.permutation(a.reshape(2, 2))
    r.permutation((n, n))
    r.permutation((n,))
    r.shuffle(np.broadcast_to(a, (2, 4)))
    r.shuffle(a[:0])
    r.shuffle(a[:1])
    r.shuffle(np.zeros((3, 0)))
    r.shuffle(a.reshape(2, 2, 1))
    """.split("\n")[1:-1],
)
@pytest.mark.parametrize("make", [generator, legacy])
def test_unusual_choices_and_orders(draw: str, make: Callable[[type], Any]) -> None:
    g = function(f"def f(r, n, a):\n    x = r.random()\n    return x, {draw.strip()}, r.random(), a.copy()")
    compare(g, sol.jit(strict=True, target="null")(g), lambda: make(np.random.PCG64), 3, np.arange(1.0, 5.0))


def test_unusual_choices_in_compiled_code() -> None:
    def g(r: Any, k: int, n: int, a: np.ndarray, p: np.ndarray) -> Any:
        if k == 0:
            return r.choice(n)
        if k == 1:
            return r.choice(a)
        if k == 2:
            return r.choice(a, p=p)
        if k == 3:
            return r.choice(n, 2, replace=False)[0]
        return r.permutation(n)[0]

    compiled = sol.jit(strict=True)(g)
    chances = (
        np.array([0.2, 0.3, 0.5]),
        np.array([0.2, 0.3, -0.5]),
        np.array([0.2, 0.3, np.nan]),
        np.zeros(3),
        np.ones(2) / 2,
    )
    for make in (generator, legacy):
        for k in range(5):
            for n in (3, 1, 0, -1):
                for p in chances if k == 2 else chances[:1]:
                    compare(g, compiled, lambda m=make: m(np.random.PCG64), k, n, np.arange(float(max(n, 0))), p)


def test_arguments_are_shuffled_in_place() -> None:
    def g(r: Any, a: np.ndarray) -> Any:
        r.shuffle(a)
        return a[0]

    rows = sol.jit(strict=True)(g)
    for make in (generator, legacy):
        for a in (np.arange(9), np.arange(9)[::-2], np.arange(12.0).reshape(6, 2), np.arange(12.0).reshape(2, 6).T):
            r, q, b = make(np.random.PCG64), make(np.random.PCG64), a.copy()
            want, got = g(r, b), rows(q, a)
            assert np.array_equal(want, got) and np.array_equal(a, b) and state(r) == state(q)
    frozen = np.arange(4)
    frozen.flags.writeable = False
    for make in (generator, legacy):
        compare(g, rows, lambda m=make: m(np.random.PCG64), frozen)
    same = np.lib.stride_tricks.as_strided(np.arange(6.0), (4, 3), (8, 8))
    other = same.copy()
    compare(g, rows, lambda: generator(np.random.PCG64), np.zeros(0))
    assert np.array_equal(same, other)


def test_a_walk_of_chosen_steps() -> None:
    def g(r: Any, n: int) -> Any:
        steps = np.array([-1, 1])
        x, path = 0, np.zeros(n, np.int64)
        order = r.permutation(n)
        for i in range(n):
            x += r.choice(steps) * r.choice([1, 2])
            path[order[i]] = x
            if x > 5:
                r.shuffle(order[i + 1 :])
        return path

    compiled = sol.jit(strict=True)(g)
    for make in (generator, legacy):
        compare(g, compiled, lambda m=make: m(np.random.MT19937), 200)
    natively(compiled)


def pick(r: Any, items: Any, n: int) -> Any:
    """Items at random, and what is drawn then."""
    out = []
    for _ in range(n):
        out.append(r.choice(items))
    return out, r.random()


@pytest.mark.parametrize(
    "items",
    [[1, 2, 3], [1, 2.5, "a", None], (1, 2, 3), (1.5, "b"), "text", np.arange(5.0), np.arange(6).reshape(3, 2), [], (), "", np.zeros(0)],
    ids=str,
)  # fmt: skip
def test_choice_of_pythons_generators(items: Any) -> None:
    compare(pick, sol.jit(strict=True, target="null")(pick), lambda: random.Random(3), items, 9)


def test_choice_of_pythons_generators_in_compiled_code() -> None:
    compiled = sol.jit(strict=True)(pick)
    for items in ([1, 2, 3], ["a", 2, None], [], np.arange(4), np.zeros(0)):
        compare(pick, compiled, lambda: random.Random(3), items, 50)


def test_choice_of_the_module_random() -> None:
    def g(n: int, words: list[str]) -> Any:
        total, text = 0.0, ""
        for k in range(n):
            total += random.choice([0.5, 1.5, 2.5]) * random.choice((-1, 1)) + random.choice(range(0, k + 5, 3))
            total += random.randrange(0, 100, 5)
            text += random.choice(words)
        return total, text

    compiled = sol.jit(strict=True)(g)
    before = random.getstate()
    try:
        random.seed(5)
        want, after = g(40, ["a", "bc"]), random.getstate()
        random.seed(5)
        assert compiled(40, ["a", "bc"]) == want and random.getstate() == after
        with pytest.raises(IndexError) as one:
            g(1, [])
        with pytest.raises(IndexError) as two:
            compiled(1, [])
        assert str(one.value) == str(two.value)
    finally:
        random.setstate(before)


def test_parameters_that_samples_do_not_fit() -> None:
    """Draws after the first, since a call that has drawn cannot be made again when a result turns out to be of another type."""

    def g(p: np.ndarray, v: np.ndarray, n: int) -> Any:
        r = np.random.default_rng(n)
        np.random.seed(n)
        x = np.random.random() + r.random()
        chosen = (
            np.random.choice(3, p=p),
            np.random.choice(v, n, True, p),
            r.choice(3, p=p),
            r.choice([1, 2], n, p=[0.5, 0.5]),
        )
        counts = np.random.multinomial(10, p), r.multinomial(n, p), np.random.hypergeometric(n, n, 2 * n)
        return x, chosen, counts, np.random.triangular(n, n + 1, 2 * n + 2), r.triangular(n, n, 2 * n)

    before = np.random.get_state()
    try:
        want = g(np.array([0.2, 0.3, 0.5]), np.arange(3.0), 4)
        got = sol.jit(strict=True, target="null")(g)(np.array([0.2, 0.3, 0.5]), np.arange(3.0), 4)
        assert not list(differences("result", want, got, Tolerance()))
    finally:
        np.random.set_state(before)


@pytest.mark.parametrize("draw", ["r.shuffle(np.broadcast_to(a, (6,)))", "r.shuffle(np.broadcast_to(a, (2, 6)))"])
@pytest.mark.parametrize("make", [generator, legacy])
def test_read_only_views_of_arguments_are_not_shuffled(draw: str, make: Callable[[type], Any]) -> None:
    g = function(f"def f(r, a):\n    r.random()\n    {draw}\n    return a")
    compare(g, sol.jit(strict=True)(g), lambda: make(np.random.PCG64), np.arange(6.0))
