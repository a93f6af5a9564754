"""An operand is what it was when it was evaluated, whatever the operands after it change, and by whichever name they do it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check


def run(*functions: Any) -> None:
    for f in functions:
        check(f, np.arange(6.0), np.ones(6), settings={"target": "interpreter"})


def loads(a: Any, b: Any) -> Any:
    return (
        a[0] + np.subtract(a, 1.0, a)[0],
        (a[1] * 2.0) + np.divide(a, 2.0, a)[1],
        a[1] + np.exp(a, a)[1],
        a[5] + np.clip(a, 0.0, 2.0, a)[5],
        a[3] + np.cumsum(a, 0, None, a)[3],
        b[1] + np.take(a, [3, 4], None, b[:2])[1],
    )


def arrays(a: Any, b: Any) -> Any:
    return (a * 2.0) + np.divide(a, 2.0, a), (a + 1) * np.negative(a, a), (a * b) - a.dot(np.diag(b), b)


def comparisons(a: Any, b: Any) -> Any:
    return a[1] < np.subtract(a, 1.0, a)[2], a[2] == np.subtract(a, 1.0, a)[2], a + 1 > np.negative(a, a)


def in_place(a: Any, b: Any) -> Any:
    a[0] += np.subtract(a, 1.0, a)[1]
    x = a[3]
    x += np.subtract(a, 1.0, a)[3]
    return x


def subscripts(a: Any, b: Any) -> Any:
    c = (a * 2)[int(np.add(a, 1.0, a)[0]) :]
    d = b[int(a[0]) : int(np.subtract(a, 1.0, a)[0]) + 3]
    b[int(np.add(a, 1.0, a)[0]) :] = a[1:] * 2
    return c, d


def given(a: Any, b: Any) -> Any:
    diagonal = a.reshape(2, 3).copy()
    return (
        np.hypot(a[1], np.subtract(a, 1.0, a)[2]),
        np.add(a * 2, np.subtract(a, 1.0, a)),
        (a * 2).dot(np.negative(a, a)),
        [diagonal[0, 0] + (np.fill_diagonal(diagonal, i) is None) for i in (1, 2)],
    )


def test_functions_that_write_where_a_position_says() -> None:
    run(loads, arrays, comparisons, in_place, subscripts, given)


class Own:
    """Methods by names of NumPy's and special methods, which change the array."""

    def __init__(self, a: Any) -> None:
        self.a = a

    def changed(self) -> Any:
        self.a[0] += 1.0
        return self.a[0]

    def copy(self) -> Any:
        return self.changed()

    def max(self) -> Any:
        return self.changed()

    def __abs__(self) -> Any:
        return self.changed()

    def __len__(self) -> int:
        return int(self.changed())

    def __float__(self) -> float:
        return float(self.changed())


def methods(a: Any, b: Any) -> Any:
    o = Own(a)
    return a[0] + o.copy(), a * 2 + o.max(), a[0] + abs(o), a * 2 + abs(o), a[0] < len(o), a + len(o), a[0] - float(o)


def put(a: Any, x: Any) -> Any:
    a[0] = x
    return x


def shadowed(a: Any, b: Any) -> Any:
    max, min = put, put
    return a[0] + max(a, 9.0), a * 2 + min(a, 3.0)


def row(v: Any) -> Any:
    v[0] = 100.0
    return v.sum()


def by_numpy(a: Any, b: Any) -> Any:
    c = a.reshape(2, 3).copy()
    return c[0, 0] + np.apply_along_axis(row, 1, c).sum(), c


def test_functions_of_the_program_by_names_of_others() -> None:
    run(methods, shadowed, by_numpy)
