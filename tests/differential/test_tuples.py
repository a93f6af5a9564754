"""Tuples, unpacking, swaps, and the order in which things are evaluated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.cases import case_tests
from tests.oracle import check

V = np.array([3.0, -1.0, 4.0, -1.5, 5.0])


def swap_elements(a: np.ndarray) -> None:
    a[0], a[1] = a[1], a[0]


def rotate(a: np.ndarray, i: int, j: int, k: int) -> None:
    a[i], a[j], a[k] = a[j], a[k], a[i]


def swap_slices(a: np.ndarray) -> None:
    a[:2], a[2:4] = a[2:4], a[:2]


def swap_rows_by_copy(m: np.ndarray) -> None:
    m[0], m[1] = m[1].copy(), m[0].copy()


def swap_rows_by_list(m: np.ndarray) -> None:
    m[[0, 2]] = m[[2, 0]]


def test_swaps() -> None:
    check(swap_elements, V)
    check(rotate, V, 0, 2, 4, also=[(V, 1, 1, 1), (V, -1, 0, -1)])
    check(swap_slices, V)
    check(swap_rows_by_copy, np.arange(6.0).reshape(2, 3))
    check(swap_rows_by_list, np.arange(9.0).reshape(3, 3))


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def unpackings(t: tuple[int, tuple[float, int]], a: np.ndarray) -> Any:
    x, (y, z) = t
    first, *middle, last = (1, 2.5, 3, 4)
    rows, cols = a.shape
    (p, q), r = (x, y), z
    u = v = 3
    return x, y, z, first, middle, last, rows, cols, p, q, r, u, v


def unpack_array(a: np.ndarray) -> tuple[Any, Any, Any]:
    x, y, z = a
    return x + y, z, y


def unpack_rows(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r0, r1 = m
    r0[0] = 99.0
    return r0 + r1, r1


def test_unpacking() -> None:
    check(fibonacci, 30, also=[(0,)])
    check(unpackings, (1, (2.5, 3)), np.zeros((2, 5)))
    check(unpack_array, V[:3])
    check(unpack_rows, np.arange(6.0).reshape(2, 3))
    check(unpack_array, V[:2], raises=ValueError)
    check(unpack_array, V[:4], raises=ValueError)


def tuple_operations(n: int) -> Any:
    t = (1, 2.5) + (n,)
    return t, t[0], t[-1], t[1:], len(t), t * 2, (n,) == (3,), t[::-1], 3 in t, t.index(2.5), min(t), sum(t)


def tuple_parameter(p: tuple[float, np.ndarray]) -> tuple[np.ndarray, float]:
    scale, a = p
    a *= scale
    return a, p[0]


def tuple_in_loop(n: int) -> tuple[int, int]:
    state = (0, 1)
    for _ in range(n):
        state = (state[1], state[0] + state[1])
    return state


def test_tuples_as_values() -> None:
    check(tuple_operations, 3)
    check(tuple_parameter, (2.0, V))
    check(tuple_in_loop, 10)


def order_of_evaluation(a: np.ndarray) -> Any:
    i = 0
    i, a[i] = 2, 50.0
    a[i] = i = 4
    x = y = a[1:3]
    y[0] = 7.0
    return i, x, y


def print_order(a: np.ndarray) -> float:
    def say(x: float) -> float:
        print(x)
        return x

    return say(1.0) + say(2.0) * say(3.0) - (say(4.0) if say(0.0) else say(5.0))


def test_order_of_evaluation() -> None:
    check(order_of_evaluation, V)
    check(print_order, V)


def lists_and_tuples(n: Any) -> Any:
    out: list[Any] = [[1] == (1,), (1, n) != [1, n], [n] == [n], [1, 2] * True, ([1], 2) == ((1,), 2)]
    out += [(n,) in [[n]], [n] in [(n,), [n]], [[n], (n,)].index((n,)), [(n,), [n]].count([n])]
    for f in (lambda: (1, 2) < [1], lambda: [1, n] >= (1, n), lambda: [1] * 1.5, lambda: (1, 2) * n, lambda: [] < ()):  # type: ignore[operator]
        try:
            out.append(f())
        except TypeError as e:
            out.append(str(e))
    return out


def test_lists_are_no_tuples() -> None:
    check(lists_and_tuples, 3, also=[(1.5,)])


class Pair(NamedTuple):
    """An array and a number, iterated over as the array."""

    a: Any
    n: float = 1

    def __iter__(self) -> Any:
        return iter(self.a)


def starred_items_are_taken_at_once(a: np.ndarray, n: int) -> Any:
    first, *rest = a
    *most, last = a[::-1]
    a *= 2
    return first, rest, most, last


def which_tuple(a: np.ndarray, n: int) -> Any:
    p = (a[1:], n)
    q = r = p
    if n > 2:
        r = (a, n)
    return q is p, p is not q, r is None


def views_in_named_tuples(a: np.ndarray, n: int) -> Any:
    p = Pair(a[::-1], n)
    v = p.a
    return p.a, v, p < p, [x.a for x in (p, p)]


def named_tuples_with_iter(a: np.ndarray, n: int) -> Any:
    p = Pair(a[:-1])
    first, *rest = p
    return sum(p), max(p), list(p), first, rest, [2 * x for x in p]


class Named(NamedTuple):
    a: Any
    cx: float


def any_names_as_keywords(v: np.ndarray, n: int) -> Any:
    s = Named(v, 1.0)
    for _ in range(3):
        s = s._replace(a=s.a[::-1], cx=s.cx * 2)
    grown = {}
    for k in range(n):
        grown[str(k)] = k
    grown.update(owner=1, cx=2, args=3)
    known = dict(v=1, cx=n)  # noqa: C408
    known.update(d=4, other=5)
    return s, grown, dict(grown, v=6, cx=7), known


test_interpreted, test_compiled = case_tests(
    [
        (f, [(np.arange(4.0), 2), (np.arange(6)[::2], 3)])
        for f in (
            starred_items_are_taken_at_once,
            which_tuple,
            views_in_named_tuples,
            named_tuples_with_iter,
            any_names_as_keywords,
        )
    ],
    ["starred_items_are_taken_at_once", "named_tuples_with_iter"],
)


def ints_and_floats(n: int, y: Any) -> Any:
    nodes = [0, 0.5, 1, -0.0]
    table = [[], [1 / 5], [3 / 40, 0], [1, -56 / 15, 32 / 9]]
    slopes = []
    for s in range(4):
        before = sum((table[s][q] * slopes[q] for q in range(s)), np.zeros_like(y))
        slopes.append(np.sin(y + nodes[s] + 0.1 * before))
    found = [nodes[(n + k) % 4] for k in range(4)]
    y[n] = nodes[n]
    return found, nodes[n], y * nodes[n], nodes[n] // 2, type(nodes[n]) is int, f"{nodes[n]}", slopes[-1], len(slopes)


def test_ints_and_floats_at_any_place() -> None:
    y = np.array([1.0, 2.0, 3.0, 4.0])
    check(ints_and_floats, 0, y, also=[(1, y), (3, y), (-1, y), (-2, y)], rtol=1e-12)
    check(ints_and_floats, 4, y, raises=IndexError, settings={"target": "interpreter"})
    check(ints_and_floats, 1, y.astype(np.float32), rtol=1e-6, settings={"target": "interpreter"})


def grown_from_nothing(a: Any) -> Any:
    out: Any = None
    for i in range(a.shape[0]):
        if out is None:
            out = (a[i] * 2,)
        else:
            out += (a[i] * 2,)
    return out


def grown_and_begun_again(a: Any) -> Any:
    out: Any = None
    for i in range(a.shape[0]):
        if i % 3 == 2:
            out = (1, 2.0)
        elif out is None or len(out) > 6:
            out = (a[i],)
        else:
            out = (*out, "x", a[i].sum())
    return out


def grown_from_a_number(a: Any) -> Any:
    out: Any = 0
    for i in range(a.shape[0]):
        out = (i,) if out == 0 else (i, *out)
    return (out, len(out)) if isinstance(out, tuple) else out


def test_tuples_that_grow_from_what_is_no_tuple() -> None:
    others = [(np.ones((0, 2)),), (np.ones((9, 1)),)]
    check(grown_from_nothing, np.ones((3, 2)), also=others)
    check(grown_and_begun_again, np.ones((3, 2)), also=others)
    check(grown_from_a_number, np.ones((3, 2)), also=others)


def test_long_sequences_unpacked_with_a_star() -> None:
    def f(a, n):
        first, *rest = a
        *rest_of_flat, last = a.flat
        x, *numbers, y = range(n)
        (k, one), *_ = enumerate(a)
        rest[1][...] = 7
        return first, len(rest), rest[-1], last, len(rest_of_flat), x, numbers[-1], y, k, one, a

    check(f, np.arange(140.0).reshape(70, 2), 80, also=[(np.arange(6.0).reshape(3, 2), 3), (np.ones((2, 2)), 1)])
    check(f, np.arange(140.0).reshape(70, 2), 80, settings={"target": "interpreter"})
    check(f, np.ones((0, 2)), 80, raises=ValueError)
