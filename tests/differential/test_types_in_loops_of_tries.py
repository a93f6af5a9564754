"""Variables that get more types in loops inside `try`: what is known of their types in an attempt that is given up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check


def _raises_from_a_loop(a: Any, n: Any) -> Any:
    y = 0
    z = 1
    log = []
    try:
        for i in range(n):
            try:
                y = y + i
                if i == 2:
                    y = a[0] * 2.0
                if i == 3:
                    y = np.int64(7)
                if i > 4:
                    raise KeyError("k")
                z = y
            except KeyError:
                log.append(i)
                y = 3
            finally:
                z = z + 1
        y = a[n + 5]
    except IndexError:
        log.append(-1)
    return y, z, log


@pytest.mark.parametrize("n", [0, 2, 3, 4, 5, 7])
def test_types_of_attempts(n: int) -> None:
    check(_raises_from_a_loop, np.array([1.5, 2.0, 3.0]), n)
    check(_raises_from_a_loop, np.array([1, 2, 3]), n)


def _one_variable_through_three_tries(a: Any, n: Any) -> Any:
    y = 0
    z = 2
    k = n
    try:
        try:
            y = a[k]
            z = a[k + 1] * 0.5
        except LookupError:
            y = k
        print("at", k, y, z)
    except AssertionError:
        k += 1
    except BaseException:
        k -= 1
    finally:
        if a[0] > 2:
            return y, z, k  # noqa: B012
        print("x", y)
    return y, k


@pytest.mark.parametrize("first", [1, 3])
def test_a_variable_through_three_tries(first: int) -> None:
    for dtype in (int, float):
        for n in (0, 1, 2, 3):
            check(_one_variable_through_three_tries, np.array([first, 2, 0], dtype), n)
