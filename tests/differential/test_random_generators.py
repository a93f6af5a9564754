"""Where generators of random numbers come from, who else draws from them meanwhile, and what happens when a draw raises."""

from __future__ import annotations

import random
import textwrap
import threading
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.differential.test_random_numbers import compare, natively, state
from tests.oracle import function

SHARED = np.random.default_rng(11)


class Loud(np.random.Generator):
    """A generator of the program's own."""

    def normal(self, *args: Any, **kwargs: Any) -> Any:
        return 1000.0 + super().normal(*args, **kwargs)


def rng(seed: int = 4) -> np.random.Generator:
    return np.random.default_rng(seed)


def total(r: Any, n: int) -> Any:
    """The sum of so many draws."""
    s = 0.0
    for _ in range(n):
        s += r.random()
    return s


@pytest.mark.parametrize(
    "draw",
    """
    r.normal(0, -x)
    r.normal(0, -0.0)
    r.normal(np.nan, np.nan)
    r.normal(np.inf, 1)
    r.exponential(-x)
    r.uniform(x, -x)
    r.uniform(-1e308, 1e308 * x)
    r.uniform(np.nan, x)
    r.integers(5, n)
    r.integers(0)
    r.integers(n, n)
    r.poisson(-x)
    r.poisson(1e19 * x)
    r.binomial(-n, 0.5)
    r.binomial(n, x)
    r.binomial(n, np.nan)
    r.geometric(0.0 * x)
    r.beta(x, 0)
    r.triangular(3, 2, x)
    r.standard_gamma(-x)
    """.split("\n")[1:-1],
)
def test_parameters_out_of_range_raise_as_in_numpy(draw: str) -> None:
    f = function(
        f"def f(r, x, n):\n    s = np.zeros(4)\n    for i in range(4):\n        s[i] = r.random()\n        if i == 2:\n            s[i] = {draw.strip()}\n    return s"
    )
    jitted = sol.jit(strict=True)(f)
    compare(f, jitted, rng, 3.0, 3)


@pytest.mark.parametrize(
    "draw", ["r.normal(0, -x)", "r.randint(n, n)", "r.uniform(-1e308, 1e308 * x)", "r.poisson(-x)"]
)
def test_parameters_out_of_range_raise_in_random_states(draw: str) -> None:
    f = function(f"def f(r, x, n):\n    r.standard_normal()\n    return {draw}")
    jitted = sol.jit(strict=True)(f)
    compare(f, jitted, lambda: np.random.RandomState(3), 2.0, 3)


def test_an_exception_of_a_draw_that_is_handled() -> None:
    def f(r: Any, scales: Any) -> Any:
        out = []
        for s in scales:
            try:
                out.append(r.normal(0.0, s))
            except ValueError:
                out.append(-1.0)
        return np.array(out)

    jitted = sol.jit(strict=True)(f)
    compare(f, jitted, rng, np.array([1.0, -2.0, 3.0, np.nan, 0.0, -0.0]))
    assert "sol_is_open" in jitted.source("c++")


def test_an_exception_in_the_middle_leaves_the_state_of_that_moment() -> None:
    def f(r: Any, a: Any, n: int) -> Any:
        for i in range(n):
            a[i] = r.standard_normal()
            if a[i] > 1.0:
                raise ValueError("large")
            a[i + 1] = r.normal()
        return a

    jitted = sol.jit(strict=True)(f)
    for make in (rng, lambda: np.random.RandomState(8)):
        a, b = make(), make()
        x, y = np.zeros(20), np.zeros(20)
        with pytest.raises((ValueError, IndexError)) as one:
            f(a, x, 50)
        with pytest.raises((ValueError, IndexError)) as two:
            jitted(b, y, 50)
        assert repr(one.value) == repr(two.value) and np.array_equal(x, y) and state(a) == state(b)


def test_generators_of_other_classes_are_called() -> None:
    def f(r: Any, n: int) -> Any:
        s = 0.0
        for _ in range(n):
            s += r.normal() + r.random()
        return s

    jitted = sol.jit(strict=True)(f)
    compare(f, jitted, rng, 10)
    compare(f, jitted, lambda: Loud(np.random.PCG64(1)), 10)
    compare(f, jitted, lambda: np.random.RandomState(1), 10)


def test_a_generator_of_the_module() -> None:
    def f(n: int) -> Any:
        s = 0.0
        for _ in range(n):
            s += SHARED.random()
        return s

    SHARED.bit_generator.state = rng(6).bit_generator.state
    want, after = f(10), state(SHARED)
    SHARED.bit_generator.state = rng(6).bit_generator.state
    jitted = sol.jit(strict=True)(f)
    assert jitted(10) == want and state(SHARED) == after
    natively(jitted)


def test_generators_that_the_function_makes() -> None:
    def f(n: int) -> Any:
        r, q = np.random.default_rng(n), np.random.RandomState(n)
        out = np.zeros((n, 3))
        for i in range(n):
            other = np.random.default_rng(i)
            out[i, 0] = r.normal() + other.random()
            out[i, 1] = q.normal()
            out[i, 2] = other.exponential()
        return out

    jitted = sol.jit(strict=True)(f)
    assert np.array_equal(f(40), jitted(40))


def test_the_functions_of_numpy_share_one_state() -> None:
    def f(n: int) -> Any:
        out = np.zeros((n, 4))
        for i in range(n):
            if i % 10 == 4:
                np.random.seed(i)
            out[i, 0] = np.random.normal()
            out[i, 1] = np.random.rand()
            out[i, 2] = np.random.randint(9)
            out[i, 3] = np.random.standard_exponential()
        return out

    jitted = sol.jit(strict=True)(f)
    before = np.random.get_state()
    try:
        np.random.seed(1)
        want, after = f(33), np.random.get_state()
        np.random.seed(1)
        assert np.array_equal(jitted(33), want) and repr(np.random.get_state()) == repr(after)
        np.random.normal()  # takes the number that is kept
        kept = np.random.get_state()[3:]
        np.random.seed(1)
        f(33)
        np.random.normal()
        assert np.random.get_state()[3:] == kept
    finally:
        np.random.set_state(before)


def test_another_bit_generator_behind_the_functions_of_numpy() -> None:
    def f(n: int) -> Any:
        s = 0.0
        for _ in range(n):
            s += np.random.normal()
        return s

    jitted = sol.jit(strict=True)(f)
    jitted(3)
    before = np.random.get_bit_generator()
    try:
        np.random.set_bit_generator(np.random.PCG64(3))
        want = f(5)
        np.random.set_bit_generator(np.random.PCG64(3))
        assert jitted(5) == want
    finally:
        np.random.set_bit_generator(before)


def test_two_names_of_one_generator() -> None:
    def f(r: Any, q: Any, n: int) -> Any:
        out = np.zeros((n, 3))
        for i in range(n):
            out[i] = r.random(), q.standard_normal(), r.normal()
        return out

    jitted = sol.jit(strict=True)(f)
    a, b = rng(), rng()
    assert np.array_equal(f(a, a, 30), jitted(b, b, 30)) and state(a) == state(b)
    bits = np.random.PCG64(3), np.random.PCG64(3)
    make = [(np.random.Generator(x), np.random.RandomState(x)) for x in bits]
    assert np.array_equal(f(*make[0], 30), jitted(*make[1], 30)) and state(make[0][0]) == state(make[1][0])


def test_more_generators_than_a_call_holds() -> None:
    def f(a: Any, b: Any, c: Any, d: Any, e: Any, n: int) -> Any:
        s = 0.0
        for _ in range(n):
            s = 0.5 * s + a.random() + b.random() * c.normal() - d.random() / e.exponential()
        return s

    jitted = sol.jit(strict=True)(f)
    one, two = [[rng(k) for k in range(5)] for _ in range(2)]
    assert f(*one, 30) == jitted(*two, 30) and list(map(state, one)) == list(map(state, two))


def test_python_code_between_draws_draws_too() -> None:
    f = function(
        textwrap.dedent(
            """
            class Walker:
                def __init__(self, r):
                    self.r = r

                def __float__(self):
                    return self.r.normal()

            def f(r, n):
                w = Walker(r)
                out = np.zeros((n, 2))
                names = []
                for i in range(n):
                    out[i, 0] = r.random()
                    names.append(str(r.integers(5)))
                    out[i, 1] = np.sort(r.random(3))[1] + len(names)
                return out, names
            """
        )
    )
    jitted = sol.jit(strict=True)(f)
    a, b = rng(), rng()
    (x, names), (y, others) = f(a, 20), jitted(b, 20)
    assert np.array_equal(x, y) and names == others and state(a) == state(b)


def test_a_callable_that_draws_from_the_same_generator() -> None:
    def f(r: Any, draw: Any, n: int) -> Any:
        s = 0.0
        for _ in range(n):
            s = 0.5 * s + r.normal() + float(draw()) + r.random()
        return s

    jitted = sol.jit(strict=True)(f)
    a, b = rng(), rng()
    assert f(a, a.standard_normal, 20) == jitted(b, b.standard_normal, 20) and state(a) == state(b)


def test_locks_are_free_after_a_call_and_after_an_exception() -> None:
    def f(r: Any, q: Any, scale: float) -> Any:
        return r.random() + q.normal(0.0, scale)

    jitted = sol.jit(strict=True)(f)
    r, q = rng(), np.random.RandomState(3)
    jitted(r, q, 1.0)
    with pytest.raises(ValueError):
        jitted(r, q, -1.0)

    def lock() -> None:
        for bits in (r.bit_generator, q._bit_generator):
            free.append(bits.lock.acquire(timeout=60))
            bits.lock.release()

    free: list[bool] = []
    thread = threading.Thread(target=lock)
    thread.start()
    thread.join()
    assert free == [True, True]


def test_a_lock_that_another_thread_holds_is_waited_for() -> None:
    jitted = sol.jit(strict=True)(total)
    a, b = rng(), rng()
    jitted(rng(1), 3)
    ready, go = threading.Event(), threading.Event()

    def hold() -> None:
        with b.bit_generator.lock:
            ready.set()
            go.wait(0.05)

    thread = threading.Thread(target=hold)
    thread.start()
    ready.wait()
    assert jitted(b, 20) == total(a, 20) and state(a) == state(b)
    thread.join()


def test_threads_draw_each_number_once() -> None:
    def f(r: Any, out: Any) -> None:
        for i in range(len(out)):
            out[i] = r.integers(0, 1 << 60)

    jitted = sol.jit(strict=True)(f)
    jitted(rng(), np.zeros(3, np.int64))
    shared, outs = rng(), [np.zeros(4000, np.int64) for _ in range(4)]
    threads = [threading.Thread(target=jitted if k % 2 else f, args=(shared, o)) for k, o in enumerate(outs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    alone, all_of_them = rng(), np.zeros(16000, np.int64)
    f(alone, all_of_them)
    assert np.array_equal(np.sort(np.concatenate(outs)), np.sort(all_of_them)) and state(shared) == state(alone)


def test_loops_with_draws_stay_in_order() -> None:
    def f(r: Any, a: Any) -> Any:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] += r.random() * 2.0
        b = np.zeros(a.shape[0])
        for i in range(a.shape[0]):
            b[i] = r.random()
            r.random()
        return b

    jitted = sol.jit(strict=True)(f)
    a, b, x, y = rng(), rng(), np.ones((300, 200)), np.ones((300, 200))
    want, got = f(a, x), jitted(b, y)
    assert np.array_equal(x, y) and np.array_equal(want, got) and state(a) == state(b)


def test_the_functions_of_python_share_one_state() -> None:
    def f(n: int) -> Any:
        out = np.zeros((n, 5))
        for i in range(n):
            if i % 100 == 40:
                random.seed(i)
            out[i, 0] = random.random()
            out[i, 1] = random.gauss(0, 1)
            out[i, 2] = random.randint(1, 9)
            out[i, 3] = random.choice([5, 6, 7])
            out[i, 4] = random.betavariate(1.0, 2.0)
        return out

    jitted = sol.jit(strict=True)(f)
    before = random.getstate()
    try:
        random.seed(1)
        want, after = f(333), random.getstate()
        random.seed(1)
        assert np.array_equal(jitted(333), want) and random.getstate() == after
    finally:
        random.setstate(before)


def test_a_normal_number_that_pythons_generator_keeps() -> None:
    def f(r: Any, q: Any, n: int) -> Any:
        s = 0.0
        for _ in range(n):
            s += r.gauss(0.0, 1.0)
        if n > 4:
            raise ValueError(str(s))
        return s + q.gauss(0.0, 1.0)

    jitted = sol.jit(strict=True)(f)
    for n in (1, 2, 3, 4):
        a, b = random.Random(n), random.Random(n)
        assert f(a, a, n) == jitted(b, b, n) and a.getstate() == b.getstate()
        assert f(a, a, n) == jitted(b, b, n) and a.getstate() == b.getstate()
    for n in (5, 6):
        a, b = random.Random(n), random.Random(n)
        for g, r in ((f, a), (jitted, b)):
            with pytest.raises(ValueError):
                g(r, r, n)
        assert a.getstate() == b.getstate()


@pytest.mark.parametrize(
    "draw",
    ["r.randint(3, n)", "r.randrange(n - 2)", "r.randrange(5, n)", "r.expovariate(x - x)", "r.getrandbits(-n)", "r.getrandbits(0 * n)",
     "r.randrange(2, n, 2)", "r.randrange(n, n + 9, 0 * n)", "r.randrange(n, n + 9, -n)", "r.uniform(x, np.float64(2.0))", "r.randint(np.int64(1), 9)", "r.randrange(2, 2 + n, 2)"],
)  # fmt: skip
def test_unusual_parameters_of_pythons_generators(draw: str) -> None:
    f = function(f"def f(r, x, n):\n    a = r.random()\n    b = {draw}\n    return a, b, r.gauss(0, 1)")
    jitted = sol.jit(strict=True)(f)
    compare(f, jitted, lambda: random.Random(3), 3.0, 2)


class Counting(random.Random):
    """A generator of the program's own."""

    def random(self) -> float:
        return 0.5 * super().random()


def test_subclasses_of_pythons_generator_are_called() -> None:
    jitted = sol.jit(strict=True)(total)
    assert jitted(random.Random(1), 10) == total(random.Random(1), 10)
    assert jitted(Counting(1), 10) == total(Counting(1), 10)


def test_other_threads_of_python_run_while_a_long_loop_draws() -> None:
    jitted = sol.jit(strict=True)(total)
    jitted(random.Random(1), 10)
    ticks = [0]
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks[0] += 1
            done.wait(1e-4)

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks[0]
    jitted(random.Random(1), 20_000_000)
    during = ticks[0] - before
    done.set()
    thread.join()
    assert during > 3


class Walk:
    """A program that holds its generator."""

    def __init__(self, seed: int) -> None:
        self.rng, self.x = np.random.default_rng(seed), np.zeros(3)

    def steps(self, n: int) -> float:
        total = 0.0
        for i in range(n):
            total += self.rng.random() + self.rng.normal(0.0, 1.0, 3)[1]
            self.x[i % 3] += self.rng.integers(0, 5)
        self.rng.shuffle(self.x)
        return total


def test_generators_that_instances_hold() -> None:
    jitted = sol.jit(strict=True)(Walk.steps)
    a, b = Walk(3), Walk(3)
    for n in (40, 3):
        assert a.steps(n) == jitted(b, n) and np.array_equal(a.x, b.x) and state(a.rng) == state(b.rng)
    natively(jitted)
