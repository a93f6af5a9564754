"""`x op= y` works in place on arrays (same memory, same dtype) and rebinds numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, function
from tests.values import grid, plain

A = np.arange(1.0, 7.0)


def in_place(a: np.ndarray) -> np.ndarray:
    b = a
    b += 1
    b *= 2.0
    b -= a / 4
    b /= 3
    b **= 2
    b //= 0.5
    b %= 7
    return b


def rebinding(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    b = a
    b = b + 1
    b += 1
    return a, b


def number(x: float, n: int) -> tuple[float, float, int]:
    y = x
    y += 1
    n *= 3
    n -= 1
    n //= 2
    n <<= 2
    n |= 1
    n ^= 6
    n &= 15
    n %= 9
    return x, y, n


def test_basics() -> None:
    check(in_place, A)
    check(rebinding, A)
    check(number, 1.5, 10)


def view_updated(a: np.ndarray) -> np.ndarray:
    tail = a[2:]
    tail += 10
    tail[0] *= 3
    a[:2] -= tail[:2]
    a[::2] *= -1
    return tail


def element(a: np.ndarray, i: int) -> None:
    a[i] += 1
    a[i] *= a[i]
    a[-1] -= a[0]


def rows(m: np.ndarray) -> None:
    m[0] += m[1]
    m[:, 0] *= 2
    m[1, 1:] -= m[0, :-1]
    m += m[0]
    m -= m.T
    m += m[::-1]


def test_parts_of_arrays() -> None:
    check(view_updated, A)
    check(element, A, 2)
    check(rows, np.arange(9.0).reshape(3, 3) + 1)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float32", "complex64"])
def test_dtype_stays(dtype: str) -> None:
    f = function(
        """
def f(a, b):
    a += 1
    a *= 3
    a -= b
    c = a
    c += c
    return c
"""
    )
    check(f, plain(dtype, 6), plain(dtype, 6, 1))


def add_into(a: np.ndarray, b: Any) -> np.ndarray:
    a += b
    return a


def divide_into(a: np.ndarray, b: Any) -> np.ndarray:
    a /= b
    return a


def test_casts_that_numpy_refuses() -> None:
    ints = np.arange(4)
    check(add_into, ints, 1.5, raises=np._core._exceptions._UFuncOutputCastingError)
    check(add_into, ints, np.ones(4), raises=np._core._exceptions._UFuncOutputCastingError)
    check(divide_into, ints, 2, raises=np._core._exceptions._UFuncOutputCastingError)
    check(add_into, np.ones(4, np.float32), np.ones(4))
    check(add_into, np.arange(4, dtype=np.int32), np.arange(4))
    check(add_into, np.ones(4), np.arange(4))


def test_shapes_that_do_not_fit() -> None:
    check(add_into, np.ones(3), np.ones((2, 3)), raises=ValueError)
    check(add_into, np.ones(3), np.ones(2), raises=ValueError)
    check(add_into, np.ones(1), np.ones(2), raises=ValueError)
    check(
        add_into,
        np.ones((2, 3)),
        np.ones(3),
        also=[(np.ones((2, 3)), np.ones((2, 1))), (np.ones((2, 3)), np.ones((1, 1)))],
    )


def accumulate_in_loop(a: np.ndarray, n: int) -> np.ndarray:
    out = np.zeros_like(a)
    for k in range(n):
        out += a * k
        out[k % 2 :] -= 1.0
    return out


def list_extends(n: int) -> list[int]:
    x = [1]
    y = x
    x += [2, 3]
    x.append(n)
    return y


def tuple_extends(n: int) -> Any:
    x = (1,)
    y = x
    x += (n,)
    return x, y


def test_other_targets() -> None:
    check(accumulate_in_loop, A, 4)
    check(list_extends, 4)
    check(tuple_extends, 4)


def test_python_numbers_that_have_no_such_operator() -> None:
    """The text names the operator as it is written."""
    for op in ("<<", ">>", "|", "&", "^"):
        f = function(f"def f(x, y):\n    x {op}= y\n    return x\n")
        check(f, 5, 2, also=[(True, False)], settings={"target": "interpreter"})
        check(f, 5.0, 2, raises=TypeError, settings={"target": "interpreter"})
        check(f, 5, 2j, raises=TypeError, settings={"target": "interpreter"})


def with_what_is_no_number(a: Any, b: Any) -> Any:
    print("begun")
    try:
        a[:2] += None
    except TypeError as e:
        print(e)
    for _ in range(2):
        a //= min(len(b), 2)
        b = np.squeeze(b)
    return a


def test_values_that_raise_or_are_no_numbers() -> None:
    check(with_what_is_no_number, np.arange(5.0), np.ones(3), also=[(np.arange(5), np.ones((1, 1)))])


def of_a_row_or_a_number(m: np.ndarray, n: int) -> Any:
    for k in range(n):
        for row in range(n):
            pass
        for row in m:  # type: ignore[assignment]
            m[k, k] += 1
    row += 3
    return row, m


def of_items_and_attributes(m: np.ndarray, n: int) -> Any:
    table = {"a": m[1] if n else 2.5}
    table["a"] -= 1
    items = [m[2] if n else 7]
    items[0] *= 2
    last = m[3] if n else 4
    same = last
    last += m[0] if n else 3
    return m, table, items, last, same


def test_what_may_be_an_array_is_changed_in_place_if_it_is_one() -> None:
    for f in (of_a_row_or_a_number, of_items_and_attributes):
        check(f, grid(4, 3), 3, settings={"target": "interpreter"})
    check(of_a_row_or_a_number, np.zeros((0, 3)), 3, settings={"target": "interpreter"})
    check(of_a_row_or_a_number, grid(4, 3), 0, raises=UnboundLocalError, settings={"target": "interpreter"})
    check(of_items_and_attributes, grid(4, 3), 0, settings={"target": "interpreter"})
