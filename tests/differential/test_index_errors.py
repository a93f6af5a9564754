"""Out-of-bounds accesses raise IndexError as Python does, after exactly the effects that came before."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid


def read(a: np.ndarray, i: int) -> float:
    return a[i]


def read_2d(a: np.ndarray, i: int, j: int) -> float:
    return a[i, j]


def row(a: np.ndarray, i: int) -> np.ndarray:
    return a[i]


def write(a: np.ndarray, i: int) -> None:
    a[0] = 5.0
    a[i] = 1.0


def in_place(a: np.ndarray, i: int) -> None:
    a[i] += 1.0


def test_single_elements() -> None:
    check(read, grid(3), 0, also=[(grid(3), 2), (grid(3), -1), (grid(3), -3)])
    for i in (3, -4, 100, 2**40):
        check(read, grid(3), i, raises=IndexError)
        check(write, grid(3), i, raises=IndexError)
        check(in_place, grid(3), i, raises=IndexError)
    check(read, grid(0), 0, raises=IndexError)
    check(read_2d, grid(2, 3), 1, -3)
    check(read_2d, grid(2, 3), 2, 0, raises=IndexError)
    check(read_2d, grid(2, 3), 0, 3, raises=IndexError)
    check(read_2d, grid(2, 3), -3, 5, raises=IndexError)
    check(row, grid(2, 3), -2)
    check(row, grid(2, 3), 2, raises=IndexError)


def loop_too_long(a: np.ndarray, n: int) -> float:
    s = 0.0
    for i in range(n):
        s += a[i]
        a[i] = s
    return s


def neighbour(a: np.ndarray, b: np.ndarray) -> None:
    for i in range(len(a)):
        b[i] = a[i + 1] - a[i]


def negative_wraps(a: np.ndarray, b: np.ndarray) -> None:
    for i in range(len(a)):
        b[i] = a[i - 1]


def backwards(a: np.ndarray, n: int) -> float:
    s = 0.0
    for i in range(n):
        s = s * 0.5 + a[-i - 1]
    return s


def nested(a: np.ndarray, n: int, m: int) -> None:
    for i in range(n):
        for j in range(m):
            a[i, j] = a[i, j] * 2 + i


def triangular(a: np.ndarray, n: int) -> None:
    for i in range(n):
        for j in range(i + 1):
            a[i, j] += 1


def conditional(a: np.ndarray, n: int) -> float:
    s = 0.0
    for i in range(n):
        if i < len(a):
            s += a[i]
    return s


def while_loop(a: np.ndarray, x: float) -> int:
    i = 0
    while a[i] != x:
        i += 1
    return i


def strided(a: np.ndarray, n: int) -> None:
    for i in range(0, n, 3):
        a[i] = -1.0


def test_loops() -> None:
    for n in (0, 3, 5, 6):
        check(loop_too_long, grid(5), n, raises=IndexError if n > 5 else None)
        check(backwards, grid(5), n, raises=IndexError if n > 5 else None)
        check(conditional, grid(5), n)
    check(loop_too_long, grid(5), -3)
    check(neighbour, grid(5), np.zeros(5), raises=IndexError)
    check(negative_wraps, grid(5), np.zeros(5))
    check(negative_wraps, grid(5), np.zeros(4), raises=IndexError)
    check(nested, grid(3, 4), 3, 4)
    check(nested, grid(3, 4), 4, 4, raises=IndexError)
    check(nested, grid(3, 4), 3, 5, raises=IndexError)
    check(nested, grid(3, 4), 0, 9)
    check(nested, grid(3, 4), 9, 0)
    check(triangular, grid(4, 4), 4)
    check(triangular, grid(4, 3), 4, raises=IndexError)
    check(while_loop, grid(5), 3.0)
    check(while_loop, grid(5), 9.0, raises=IndexError)
    check(strided, grid(7), 7)
    check(strided, grid(7), 10, raises=IndexError)


def long_loop(a: np.ndarray, n: int) -> None:
    for i in range(n):
        a[i] = a[i] * 2


def test_a_long_loop_keeps_the_effects_before_the_error() -> None:
    check(long_loop, np.ones(50_000), 50_001, raises=IndexError)
    check(long_loop, np.ones(50_000), 50_000)


def in_slice(a: np.ndarray, i: int) -> float:
    return a[1:][i] + a[::2][0]


def in_expression(a: np.ndarray, b: np.ndarray, i: int) -> None:
    b[0] = 7.0
    b[i - 1] = a[i] + a[i - 2]
    b[1] = 8.0


def in_argument_order(a: np.ndarray, i: int, j: int) -> float:
    return a[i] / a[j]


def test_expressions() -> None:
    check(in_slice, grid(4), 2)
    check(in_slice, grid(4), 3, raises=IndexError)
    check(in_slice, grid(4), -4, raises=IndexError)
    check(in_expression, grid(4), grid(4), 3)
    check(in_expression, grid(4), grid(4), 4, raises=IndexError)
    check(in_expression, grid(4), grid(2), 3, raises=IndexError)
    check(in_argument_order, grid(3), 5, 7, raises=IndexError)
    check(in_argument_order, grid(3), 2, -7, raises=IndexError)


def tuple_index(i: int) -> int:
    t = (1, 2, 3)
    return t[i]


def list_index(i: int) -> Any:
    x = [1.5, 2.5, 3.5]
    return x[i]


def too_many(a: np.ndarray) -> Any:
    return a[0, 0]


def test_other_containers() -> None:
    check(tuple_index, 1)
    check(tuple_index, -3)
    check(tuple_index, 3, raises=IndexError)
    check(list_index, 2)
    check(list_index, 5, raises=IndexError)
    check(too_many, grid(3), raises=IndexError)
    check(too_many, grid(3, 3))


def float_index(a: np.ndarray, x: float) -> Any:
    return a[x]


def test_indices_that_are_no_integers() -> None:
    check(float_index, grid(3), 1.0, raises=IndexError)
    check(float_index, grid(3), 1)


def in_tuple(k: Any) -> Any:
    return (1, 2, 3)[k]


def in_range(k: Any) -> Any:
    return range(5)[k]


def in_list(k: Any) -> Any:
    items = [1, 2.5, 3]
    items[k] = 4
    return items


def by_a_list(n: int) -> Any:
    rows = [[0], [1]]
    return (1, 2, 3)[rows[n]]


def test_sequences_at_what_is_no_integer() -> None:
    interpreted = {"target": "interpreter"}
    for f in (in_tuple, in_range, in_list):
        for k in ("a", 1.5, None, [0], (0,), np.float64(1), np.array([1, 2]), 1j):
            check(f, k, raises=TypeError, settings=interpreted)
        for k in (True, np.int8(1), np.array(1), np.bool_(True)):  # the last raises in newer NumPy
            check(f, k, settings=interpreted)
    check(by_a_list, 1, raises=TypeError)
