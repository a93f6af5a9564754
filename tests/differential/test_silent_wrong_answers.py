"""Each of these is a wrong answer that some compiler of NumPy code gives without a word. Here each must be right.

PYTEST_DONT_REWRITE (asserts in jitted functions)
"""

from __future__ import annotations

import concurrent.futures
from typing import Any

import numpy as np
import pytest

from tests import oracle
from tests.oracle import check
from tests.values import grid, plain

LONG = 120_000  # long enough for threads


def shift_right(a: np.ndarray) -> None:
    a[1:] = a[:-1]


def reverse(a: np.ndarray) -> None:
    a[:] = a[::-1]


def add_shifted(a: np.ndarray) -> None:
    a[1:] += a[:-1]


def swap(a: np.ndarray) -> None:
    a[0], a[1] = a[1], a[0]


@pytest.mark.parametrize("n", [10, LONG])
def test_overlapping_slices(n: int) -> None:
    a = np.sin(np.arange(n))
    for f in (shift_right, reverse, add_shifted, swap):
        check(f, a)


def floor_division(a: int, b: int) -> Any:
    return a // b, a % b


def test_integer_division_floors() -> None:
    assert check(floor_division, -7, 2) == (-4, 1)


def either(a: Any, b: Any) -> Any:
    return a or b


def test_or_returns_an_operand() -> None:
    assert check(either, 0, 5) == 5
    assert check(either, 3, 5) == 3


def looks_left(a: np.ndarray) -> np.ndarray:
    out = np.zeros(len(a), dtype=np.bool_)
    for i in range(len(a)):
        out[i] = i > 0 and a[i - 1] > 0
    return out


def divides_if_possible(x: int, y: int) -> bool:
    return y != 0 and x / y > 1


def test_and_short_circuits() -> None:
    check(looks_left, np.array([1.0, -1.0, 2.0]))
    check(divides_if_possible, 1, 0)


def both_arms(a: np.ndarray, i: int) -> float:
    try:
        x = a[i]
    except IndexError:
        x = -1.0
        a[0] = 99.0
    return x


def test_try_except_runs_one_arm() -> None:
    for i in (1, 7):
        try:
            check(both_arms, grid(3), i)
        except oracle.Mismatch as e:
            assert e.kind == "unsupported", e


def asserts(x: int) -> int:
    assert x > 0, "positive"
    return x


def raises(x: int) -> int:
    if x < 0:
        raise ValueError("negative")
    return x


def test_assert_and_raise_count() -> None:
    check(asserts, 0, raises=AssertionError)
    check(raises, -1, raises=ValueError)


def column_sums(a: np.ndarray) -> Any:
    return a[0, 1], a.sum(axis=0), a * 2


def test_layouts_after_each_other() -> None:
    a = grid(3, 4)
    check(column_sums, a, also=[(np.asfortranarray(a),), (grid(6, 8)[::2, ::2],), (a[::-1],), (a[:, ::-1],), (a,)])


def add(a: Any, b: Any) -> Any:
    return a + b


def test_broadcast_shapes_after_each_other() -> None:
    check(
        add,
        grid(3, 5),
        grid(1, 5),
        also=[(grid(1, 5), grid(3, 5)), (grid(3, 1), grid(3, 5)), (grid(3, 5), grid(3, 5)), (grid(1, 5), grid(3, 1))],
    )
    check(add, grid(4), grid(5), raises=ValueError)
    check(add, grid(4), grid(4))
    check(add, grid(4), grid(5), raises=ValueError)


def scaled_copy(dst: np.ndarray, src: np.ndarray) -> None:
    for i in range(len(src)):
        dst[i] = src[i] * 2 + 1


def vector_copy(dst: np.ndarray, src: np.ndarray) -> None:
    dst[:] = src * 2 + 1


@pytest.mark.parametrize("n", [50, LONG])
def test_overlapping_arguments(n: int) -> None:
    block = np.arange(float(n))
    for f in (scaled_copy, vector_copy):
        check(f, np.zeros(n - 1), block[1:])
        check(f, block[1:], block[:-1])
        check(f, block[:-1], block[1:])
        check(f, block, block)


def test_a_changed_global_is_seen() -> None:
    f = oracle.function("K = 1\ndef f(x):\n    return x + K\n")
    assert check(f, 1) == 2
    f.__globals__["K"] = 10
    assert check(f, 1) == 11


def element(a: np.ndarray, i: int) -> Any:
    return a[i]


def test_out_of_bounds_raises() -> None:
    check(element, grid(3), 3, raises=IndexError)
    check(element, grid(3), -4, raises=IndexError)


def increments(x: int) -> int:
    return x + 1


def doubles_often(n: int) -> int:
    x = 1
    for _ in range(n):
        x = x * 2
    return x


def test_integers_do_not_wrap_silently() -> None:
    check(increments, 2**63 - 2)
    check(doubles_often, 62)
    check(increments, 2**63 - 1, plainly=True)
    check(doubles_often, 64, plainly=True)


def test_small_types_stay_small() -> None:
    assert check(add, plain("uint8", 3), 1).dtype == np.uint8
    assert check(add, plain("float32", 3), 2.0).dtype == np.float32
    assert check(add, np.array([2**40, 2**33 + 1]), 1)[0] == 2**40 + 1
    assert check(add, 2**40, 1) == 2**40 + 1


def falls_off(a: np.ndarray) -> None:
    a[0] = 1


def test_no_return_is_none() -> None:
    assert check(falls_off, grid(2)) is None


def negative_sqrt(n: int) -> np.ndarray:
    return np.zeros(n)


def test_an_error_does_not_abort_the_process() -> None:
    check(negative_sqrt, -3, raises=ValueError)


def countdown(n: int) -> int:
    return 0 if n == 0 else 1 + countdown(n - 1)


def test_recursion() -> None:
    assert check(countdown, 50) == 50


def mask_2d(m: np.ndarray) -> Any:
    r = m[m > 2]
    m[m > 2] = 0
    return r


def test_boolean_mask_of_two_dimensions() -> None:
    check(mask_2d, grid(3, 4))


def complex_loop(a: np.ndarray) -> Any:
    s = 0j
    for x in a:
        s = s * 0.5 + x * 1j
    return s, a * s


def test_complex() -> None:
    check(complex_loop, plain("complex128", 5))


def saxpy(a: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return a * x + y


def test_two_threads() -> None:
    f = oracle.compiled(saxpy)
    x, y = np.arange(float(LONG)), np.ones(LONG)
    want = [saxpy(float(k), x, y) for k in range(24)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda k: f(float(k), x, y), range(24)))
    assert all(np.array_equal(w, g) for w, g in zip(want, got))


def nan_in_containers(f: float, a: np.ndarray) -> Any:
    g, x = f, a[0] * f
    same = [g] == [f], [f] != [f], (1, f) < (1, f), (1, f) <= (1, f), [x] == [x], [x] == [a[0] * f], (f, 1) == (f, 2)
    b = a
    return same, f in [1.0, f], [1.0, f].index(f), [f].count(f), np.nan in [np.nan], b in [a], [a] == [b]


def test_an_object_is_the_same_item_as_itself() -> None:
    for f in (float("nan"), 2.0):
        check(nan_in_containers, f, np.arange(3.0))


def where_of_two(v: np.ndarray) -> Any:
    return np.where(v > 1, v)


def test_where_of_two_arguments() -> None:
    check(where_of_two, np.arange(3.0), raises=ValueError)


def ints_and_floats(n: int) -> Any:
    numbers = np.array([1 if i > 2 else 0.5 for i in range(n)])
    total = sum([i if i > 2 else 0.5 * i for i in range(n)])
    return numbers, total, {i: "a" if i > 2 else 2.5 for i in range(n)}, [i if i > 2 else 0.5 for i in range(n)]


def test_comprehensions_of_ints_and_floats() -> None:
    check(ints_and_floats, 5, also=[(0,), (2,)])


def views_in_lists(a: np.ndarray, n: int) -> Any:
    out: list[Any] = []
    for _ in range(n):
        a = a[1:]
        out.append(a)
    return a is out[-1]


def arrays_in_lists(a: np.ndarray, n: int) -> Any:
    out: list[Any] = []
    for k in range(n):
        a = a + k
        out.append(a)
    return a is out[-1], out[0] is out[1]


def test_identity_of_arrays_in_lists() -> None:
    check(views_in_lists, np.arange(5.0), 2, or_refused=True)
    check(arrays_in_lists, np.arange(5.0), 2)


def views_of_one_place(a: np.ndarray) -> Any:
    def tail(x: np.ndarray) -> np.ndarray:
        y = x[1:]
        return y

    p, q = tail(a), tail(a)
    out = []
    for _ in (1, 2):
        v = w = a[2:]
        out.append(v)
    return p, q, p is q, out, out[0] is out[1], v is out[1], v is w


def test_views_that_are_made_at_one_place() -> None:
    check(views_of_one_place, np.arange(5.0))


def display_of_a_dict(a: np.ndarray, n: int) -> Any:
    def count() -> float:
        a[0] += 1
        return a[0]

    d = {n: count(), "x": count(), n + 1: count()}
    return d, {"y": 2.0, **d, 7: 3.0}


def test_dict_displays_evaluate_once() -> None:
    check(display_of_a_dict, np.arange(5.0), 2)


def as_unsigned(a: np.ndarray, n: int) -> Any:
    last = np.float64(0)
    while n > 0:
        n -= 1
        last = a[n]
    return last.astype(np.uint32), a[0].astype(np.uint32), a[1].astype(np.uint32)


def test_floats_beyond_uint32() -> None:
    for x in (np.nan, np.inf, 1e20, 5e9, -5e9, -1.0, 2.0**63):
        check(as_unsigned, np.array([x, -x]), 1)
