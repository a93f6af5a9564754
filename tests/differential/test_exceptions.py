"""raise and assert: type, message, and the effects before them and none after. PYTEST_DONT_REWRITE (the asserts)"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check
from tests.values import grid


def raises_value(a: np.ndarray, n: int) -> np.ndarray:
    if n < 0:
        raise ValueError("n must not be negative")
    if n > 10:
        raise ValueError(f"n is {n}, more than {10}")
    if n == 7:
        raise RuntimeError
    if n == 8:
        raise KeyError("eight")
    a[0] = n
    return a


def test_raise() -> None:
    check(raises_value, grid(3), 5)
    check(raises_value, grid(3), -1, raises=ValueError)
    check(raises_value, grid(3), 12, raises=ValueError)
    check(raises_value, grid(3), 7, raises=RuntimeError)
    check(raises_value, grid(3), 8, raises=KeyError)


def asserts(a: np.ndarray, n: int) -> float:
    assert n > 0
    assert a.ndim == 1, "one dimension"
    assert a[0] >= 0, f"negative: {a[0]}"
    return a[0] * n


def test_assert() -> None:
    check(asserts, grid(3), 1)
    check(asserts, grid(3), 0, raises=AssertionError)
    check(asserts, grid(3) - 2.5, 2, raises=AssertionError)


def stops_in_loop(a: np.ndarray) -> float:
    s = 0.0
    for i in range(len(a)):
        if a[i] < 0:
            raise ValueError("negative entry")
        s += np.sqrt(a[i])
        a[i] = s
    return s


def two_loops(a: np.ndarray, b: np.ndarray) -> None:
    for i in range(len(a)):
        a[i] += 1
    for i in range(len(a)):
        if b[i] > 2:
            raise OverflowError(i)
        b[i] = a[i]


def from_helper(a: np.ndarray) -> float:
    a[0] = 5
    return stops_in_loop(a[1:]) + 1


def test_effects_before() -> None:
    check(stops_in_loop, grid(4), rtol=1e-15)
    check(stops_in_loop, np.array([1.0, 4.0, -1.0, 9.0]), raises=ValueError)
    check(two_loops, grid(4), grid(4), raises=OverflowError)
    check(two_loops, grid(2), grid(2))
    check(from_helper, np.array([1.0, 4.0, -1.0, 9.0]), raises=ValueError)


def first_of_many(a: np.ndarray) -> None:
    """A parallel loop must not report a later iteration's error, nor keep its effects."""
    for i in range(a.shape[0]):
        if a[i] == 13.0:
            raise ValueError(f"at {i}")
        a[i] = a[i] * 2


@pytest.mark.parametrize("n", [20, 100_000])
def test_the_first_error_counts(n: int) -> None:
    a = np.ones(n)
    a[n // 3 :: 7] = 13.0
    check(first_of_many, a, raises=ValueError)
    check(first_of_many, np.ones(n))


def returns_or_raises(flag: int) -> Any:
    if flag == 0:
        return 1.0
    elif flag == 1:
        raise NotImplementedError("later")
    else:
        raise TypeError("no")


def test_try() -> None:
    check(returns_or_raises, 0)
    check(returns_or_raises, 1, raises=NotImplementedError)
    check(returns_or_raises, 2, raises=TypeError)


def context_manager(a: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        b = 1 / a
    return b


def test_errstate() -> None:
    check(context_manager, np.array([0.0, 1.0, -0.0]))


def reduced_when_empty(a: np.ndarray) -> Any:
    if a.max() <= 3:
        a[0] = 1
    return -a.min() + a.sum()


def test_an_error_of_an_empty_array_in_a_condition() -> None:
    for dtype in (np.float64, np.complex128, np.int32):
        check(reduced_when_empty, np.zeros(0, dtype), raises=ValueError)
        check(reduced_when_empty, np.ones(3, dtype))


def of_numpy(n: int) -> int:
    if n == 1:
        raise np.linalg.LinAlgError("singular", n)
    if n == 2:
        raise np.exceptions.AxisError(n, 1)
    return n


def test_exceptions_of_numpy_with_several_arguments() -> None:
    check(of_numpy, 0, also=[(1,), (2,)], settings={"target": "interpreter"})


def filled(a: np.ndarray, x: float, wrap: bool = False) -> None:
    np.fill_diagonal(a, x, wrap)


def test_flags_given_through_parameters() -> None:
    check(filled, np.zeros((7, 3)), 2.0, also=[(np.zeros((7, 3)), 1.5, True)], settings={"target": "null"})
