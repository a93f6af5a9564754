"""Loops whose bodies change what they run over, and functions whose effects are seen between the steps."""

# ruff: noqa: C416, C417
from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check


def c1(rows: Any) -> Any:
    q = [(0, 0)]
    for r, c in q:
        a, b = (r, c + 1)
        if b < 3 and rows[a][b] != "#":
            q.append((a, b))
    return q


def c2(rows: Any) -> Any:
    q = [0]
    for b in q:
        if rows[0][b] != "#":
            q.append(b + 1)
    return q


def c3(rows: Any) -> Any:
    out = []
    for b in range(3):
        out.append(rows[0][b] != "#")
    return out


def c4(rows: Any) -> Any:
    out = []
    for a in range(3):
        for b in range(3):
            out.append((rows[a][b], rows[a][b] != "#", rows[a][b] == "#"))
    return out


def e1(n: Any) -> Any:
    xs = [1, 2, 3]
    out = []
    for x in xs:
        out.append(x)
        if len(xs) < 6:
            xs.append(x * 10)
    return (xs, out)


def e2(n: Any) -> Any:
    xs = [1, 2, 3]
    out = []
    for x in xs:
        out.append(x)
        xs.pop()
    return (xs, out)


def e3(n: Any) -> Any:
    xs = [1, 2, 3]
    out = []
    for i, x in enumerate(xs):
        out.append(x)
        xs[-1] = 9 + i
    for x in xs:
        out.append(x)
        xs[-1] = 7
        xs[1] = 5
    return (xs, out)


def e4(n: Any) -> Any:
    d = {"a": 1, "b": n}
    for k in d:
        d[k + "x"] = 1
    return d


def e5(n: Any) -> Any:
    d = {"a": 1, "b": n}
    out = []
    for k, v in d.items():
        d[k] = v * 2
        out.append(v)
    for k, v in d.items():
        d["b"] = v + 1
        out.append(v)
    for v in d.values():
        d["b"] = v + 1
        out.append(v)
    return (d, out)


def e6(n: Any) -> Any:
    d = {"a": 1, "b": n}
    for k in d:
        del d[k]
    return d


def e7(n: Any) -> Any:
    xs = [1, 2, 3]
    ys = xs
    out = []
    for x in ys[:]:
        xs.remove(x)
        out.append(x)
    for x in list(xs):
        xs.append(1)
    for a, b in zip(xs, ys):
        out.append((a, b))
    return (xs, out, ys is xs)


def e8(n: Any) -> Any:
    xs = [1, 2, 3]

    def add():
        xs.append(4)

    for x in xs:
        if x == 1:
            add()
    return xs


def e9(n: Any) -> Any:
    xs = [3, 1, 2]
    out = []
    for x in reversed(xs):
        xs[0] = n * 7
        out.append(x)
    for i, x in enumerate(xs):
        xs[2] = n * 5
        out.append(x)
    for a, b in zip(xs, xs[1:]):
        xs[1] = 0
        out.append(a + b)
    return (xs, out)


def tell(x: Any) -> Any:
    print("f", x)
    return x * 2


def m1(n: Any) -> Any:
    for y in map(tell, [1, 2, n]):
        print("b", y)
    return (
        list(map(tell, (1, 2))),
        sum(map(tell, [n])),
        [y for y in map(tell, [1, n])],
        list(map(lambda x: x + n, [1, 2])),
        dict(zip("ab", map(tell, [1, 2]))),
    )


def m2(n: Any) -> Any:
    a, b = map(lambda x: x * 2, (n, 1))
    return (a, b, tuple(map(str, (1, n))), max(map(abs, (-n, 2))), np.array(list(map(float, [1, n]))))


def test_changes_while_iterating() -> None:
    check(c1, *(["..#", "#..", "..."],))
    check(c2, *(["..#", "#..", "..."],))
    check(c3, *(["..#", "#..", "..."],))
    check(c4, *(["..#", "#..", "..."],))
    check(e1, *(3,))
    check(e2, *(3,))
    check(e3, *(3,))
    check(e4, *(3,))
    check(e5, *(3,))
    check(e6, *(3,))
    check(e7, *(3,))
    check(e8, *(3,))
    check(e9, *(3,))
    check(m1, *(3,))
    check(m2, *(3,))


def keys_that_change_the_array(a: np.ndarray) -> Any:
    def first(q: float) -> float:
        a[0] = q
        return q

    def last(q: float) -> float:
        a[-1] = -q
        return q

    def turned(q: float) -> float:
        a[:] = a[::-1]
        return -q

    backwards = a[::-1]
    ordered = sorted(backwards, key=first)
    return ordered, max(a, key=last), min(a, key=turned), sorted(a * 2, key=lambda q: -q), max(a, key=first), a


def sorted_rows(a: np.ndarray) -> Any:
    rows = sorted(a, key=lambda q: q[0])
    rows[0][0] = 77
    return rows, a


def test_keys_that_change_what_is_sorted() -> None:
    for settings in ({}, {"target": "interpreter"}):
        check(keys_that_change_the_array, np.array([0.0, 4, 6, 0, 1, 7]), settings=settings)
        check(sorted_rows, np.array([[4.0, 1], [2, 3], [3, 5]]), settings=settings)
