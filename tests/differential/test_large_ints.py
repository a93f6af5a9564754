"""Python's ints grow: where one leaves 64 bits before anything was done that a caller could see, the call runs again in plain Python."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import IDENTITY, TARGET, check

compiled_only = pytest.mark.skipif(IDENTITY or bool(TARGET), reason="about the dispatcher in C")


def factorial(n: int) -> int:
    r = 1
    for k in range(2, n + 1):
        r *= k
    return r


def recursive_factorial(n: int) -> int:
    return 1 if n < 2 else n * recursive_factorial(n - 1)


def powers_of_numbers(a: int, b: int) -> tuple[int, int, int]:
    return a**b, 1 << b, 10**19 + 2**63 - a


def squares(x: np.ndarray) -> tuple[Any, int]:
    out = np.zeros(len(x))
    total = 0
    for k in range(len(x)):
        out[k] = x[k]  # memory of the function's own: nobody sees it
        total += int(x[k]) * int(x[k])
    return out, total


def of_a_call(n: int) -> tuple[int, int]:
    return math.comb(n, n // 2), int("9" * n)


def grows_and_is_caught(n: int) -> Any:
    try:
        return factorial(n) * 2
    except OverflowError:
        return "Python raises no such error"


def test_results_are_pythons_ints() -> None:
    check(factorial, 20)
    check(factorial, 25, also=[(5,), (30,), (3,)], plainly=True)
    check(recursive_factorial, 25, also=[(5,)], plainly=True)
    check(powers_of_numbers, 3, 50, plainly=True)
    check(powers_of_numbers, 10, 19, plainly=True)
    check(squares, np.full(4, 2**40), also=[(np.arange(4),)], plainly=True)
    check(of_a_call, 70, also=[(4,)], plainly=True)


def test_no_handler_sees_an_error_that_python_would_not_raise() -> None:
    check(grows_and_is_caught, 25, also=[(5,)], plainly=True)


def keeps(x: np.ndarray, n: int) -> int:
    x[0] = 1.0
    return factorial(n)


def test_what_was_written_into_arrays_is_taken_back() -> None:
    check(keeps, np.zeros(2), 20, also=[(np.zeros(2), 25), (np.zeros(8)[::3], 30)], plainly=True)


def changes_later(x: np.ndarray, n: int) -> int:
    r = factorial(n)
    x += 1.0
    return r


def prints(n: int) -> int:
    print("so far:", n)
    return factorial(n)


def draws(n: int) -> tuple[Any, int]:
    x = np.random.random()
    return x, factorial(n)


def test_everything_happens_once() -> None:
    check(changes_later, np.zeros(3), 25, plainly=True)
    check(prints, 25, also=[(5,)])
    for n in (25, 5):
        np.random.seed(3)
        want = draws(n), np.random.random()
        np.random.seed(3)
        assert (sol.jit(draws, strict=True, target=TARGET)(n), np.random.random()) == want


def steps_down(n: int, out: np.ndarray) -> int:
    """A function of the program that writes and then grows."""
    if n < 2:
        return 1
    out[0] += 1.0
    return n * steps_down(n - 1, out)


def twice(n: int, out: np.ndarray) -> int:
    a = recursive_factorial(n - 10)
    out[0] = a
    return recursive_factorial(n) + a


def test_functions_that_call_themselves() -> None:
    for f in (steps_down, twice):
        check(f, 15, np.zeros(1), also=[(25, np.zeros(1))], plainly=True)


def of_negative(x: np.ndarray) -> Any:
    return float(x[0]) ** 0.5


@pytest.mark.skipif(IDENTITY, reason="about compiled code")
def test_other_limits() -> None:
    f = sol.jit(of_negative, target=TARGET)
    assert f(np.array([4.0])) == 2.0
    with pytest.warns(sol.FallbackWarning, match="this call runs again in plain Python"):
        for _ in range(2):  # of which one may run in plain Python at once
            assert f(np.array([-4.0])) == (-4.0) ** 0.5
    with pytest.raises(sol.UnsupportedError, match="fractional power"):
        sol.jit(of_negative, target=TARGET, strict=True)(np.array([-4.0]))


@compiled_only
def test_one_warning_at_the_users_line_that_names_the_place() -> None:
    f = sol.jit(factorial)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [f(n) for n in (25, 26, 3, 27)]
    assert results == [math.factorial(n) for n in (25, 26, 3, 27)]
    (w,) = caught
    assert w.category is sol.FallbackWarning and w.filename == __file__
    assert "r *= k\n" in str(w.message) and "an int does not fit 64 bits here" in str(w.message)


def multiple(n: int) -> int:
    return 2**62 * n


@compiled_only
def test_a_variant_that_gives_up_again_and_again_lets_calls_run_in_python_at_once() -> None:
    f = sol.jit(multiple, strict=True)
    assert f(1) == 2**62
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [f(k) for k in range(2, 102)] == [2**62 * k for k in range(2, 102)]
    assert "7 calls ran again in plain Python" in f.explain()  # 4, then one after 8, 16 and 32 that did not try
    assert "93 ran there at once" in f.explain()
    assert [f(1) for _ in range(100)] == [2**62] * 100
    assert "120 ran there at once" in f.explain()  # then compiled code had a number that it could do
    assert [f(1) for _ in range(100)] == [2**62] * 100
    assert "120 ran there at once" in f.explain()


def squared_distance(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    return (a - b) ** 2 + (c - d) ** 2, (a - b) * (a - b) - (c + d) * (c + d)


def test_sums_of_squares_up_to_the_end_of_64_bits() -> None:
    most = (1 << 31) - 1
    ends = [
        (most, 0, 0, most),
        (0, most, most, 0),
        (most, -most - 1, 5, 3),
        (most, -most - 1, -most - 1, most),
        (1, 2, 3, 4),
    ]
    check(squared_distance, 7, -2, 3, 1, also=ends, plainly=True)
    check(squared_distance, most, 0, 0, most, also=ends, plainly=True)
    check(squared_distance, 1 << 40, 3, 5, 1 << 20, also=ends, plainly=True)
