"""Python's builtins, comprehensions, strings, dicts and newer syntax inside compiled functions."""

from __future__ import annotations

import datetime
import decimal
import fractions
import random
from threading import Thread
from typing import Any

import numpy as np
import pytest

from soljit.frontend_ast.values.object_types import ObjectType, Unknown
from tests.oracle import check, check_all
from tests.values import grid

V = np.array([3.0, -1.0, 4.0, -1.5, 5.0])


def test_expressions() -> None:
    check_all(
        """
        [x * 2 for x in a]
        [k for k in range(6) if k % 2]
        [[i * j for j in range(3)] for i in range(2)]
        sum(x for x in a if x > 0)
        sum(k * k for k in range(n))
        max(x for x in a)
        max(abs(x) for x in a)
        any(x > 4 for x in a)
        all(x > 4 for x in a)
        {k: k * n for k in range(3)}
        {'a': 1, 'b': n}['b']
        (k for k in (1, 2, 3)) is None
        list(range(n))
        list(range(n, 0, -1))
        tuple(range(n))
        list(zip([1, 2], [3.0, 4.0]))
        list(enumerate([5, 6]))
        list(reversed([1, 2, n]))
        sorted([3, 1, n])
        sorted([3, 1, n], reverse=True)
        len([1, 2, n])
        len('text')
        len(range(2, n))
        isinstance(n, int)
        isinstance(a, np.ndarray)
        isinstance(n, (float, str))
        type(n) is int
        n in (1, 4, 7)
        n not in [1, 2]
        'x' in 'xyz'
        n is None
        None is None
        f'{n} and {n * 2}'
        f'{n:5d}|{2.5:.3f}|{n!r}'
        'a' + 'b' * 3
        str(n)
        str(2.5)
        repr(n)
        (m := n + 1) * m
        n if n > 3 else -n
        divmod(n, 3)
        round(2.675, 2)
        round(7 / 2)
        abs(-n)
        pow(2, n)
        hash(n) == n
        bin(n)
        chr(65 + n)
        ord('a')
        int('12') + n
        float('1.5') * n
        min([n, 2, 9])
        max((n, 2), key=lambda k: -k)
        list(map(lambda k: k + n, [1, 2]))
        [*range(2), n, *(7, 8)]
        (1, *[n, 2])
        n == 4 == 4.0
        1 < n <= 4 != 5
        (1, 2) < (1, n)
        [1, 2] == [1, 2]
        (n,) + (1, 2)
        [0] * n
        bool(n), bool(0), bool(0.0), bool([]), bool((0,))
        int(True) + True
        -7 // n, -7 % n, 7 // -n, 7 % -n
        a[len(a) - 1]
        a[True is True and 1]
        1_000 + 0x10 + 0b11 + 1e2
        """,
        a=V,
        n=4,
    )


def dictionary(n: int, a: np.ndarray) -> Any:
    d = {"x": 1.0, "y": a}
    d["z"] = n
    d["x"] += 2
    total = 0.0
    for k, v in d.items():
        if k != "y":
            total += v
    for k in d:
        total += len(k)
    return d, total, "x" in d, d.get("w", 5), len(d), list(d.keys())


def lists(n: int) -> Any:
    x = [1, 2, 3]
    x.append(n)
    x.extend([5, 6])
    y = x.pop()
    x.insert(0, -1)
    x.reverse()
    x[1:3] = [9]
    return x, y, x.index(9), x.count(2), sum(x), x[::-1], x + [1], x.copy() is x


def test_containers() -> None:
    check(dictionary, 4, V)
    check(lists, 4)


def walrus(a: np.ndarray) -> Any:
    k = 0
    while (x := a[k]) != 5.0:
        k += 1
    return k, x


def chained_assignment(n: int) -> Any:
    a = b = c = n
    b += 1
    (d, e), f = (a, b), c
    x = y = [1]
    y.append(2)
    return a, b, c, d, e, f, x


def deletes(a: np.ndarray) -> Any:
    b = a + 1
    c = b[1:]
    del b
    b = 3
    return b, c


def shadowing(a: np.ndarray, sum: int) -> Any:  # noqa: A002
    len = 7  # noqa: A001
    return a * sum + len


def comprehension_scope(n: int) -> Any:
    k = 10
    x = [k + 1 for k in range(n)]
    return k, x, [[k * j for j in range(k)] for k in range(3)]


def unused_arguments(a: np.ndarray, b: Any, c: str = "x") -> int:
    return 1


def test_syntax() -> None:
    check(walrus, V)
    check(chained_assignment, 3)
    check(deletes, V)
    check(shadowing, V, 2)
    check(comprehension_scope, 4)
    check(unused_arguments, V, None)
    check(unused_arguments, V, V, c="y")


def comparisons_of_arrays(a: np.ndarray, b: np.ndarray) -> Any:
    if (a == b).all():
        return 1
    if np.any(a > b):
        return 2
    if a[0] == b[0] and not (a[1] != b[1]):
        return 3
    return 4


def truth_of_array(a: np.ndarray) -> int:
    if a:
        return 1
    return 2


def test_truth() -> None:
    check(comparisons_of_arrays, V, V, also=[(V, V + 1), (V + 1, V)])
    check(truth_of_array, V[:1], also=[(V[:1] * 0,)])
    check(truth_of_array, V, raises=ValueError)


def big_literals(x: float) -> Any:
    return 2**31 + 1, 2**62, -(2**63), 1e308 * x, 1e-320, 0.1 + 0.2, 1 / 3, 123456789 * 987654321, 3.0, 1e16 + 1


def test_literals() -> None:
    check(big_literals, 1.0)


def deep_nesting(a: np.ndarray) -> float:
    s = 0.0
    for i in range(2):
        for j in range(2):
            if i != j:
                for k in range(3):
                    if k > i:
                        while s < 5:
                            s += a[k]
                            if s > 3:
                                break
                        else:
                            s -= 100
                    s += 0.25
    return s


def many_arguments(
    a: int,
    b: float,
    c: np.ndarray,
    d: bool,
    e: complex,
    f: None,
    g: np.float32,
    h: tuple[int, ...],
    i: np.ndarray,
    j: int,
) -> Any:
    return a + b, c + g, d, e * a, f, h[0] + j, i + c


def test_odds_and_ends() -> None:
    check(deep_nesting, grid(4))
    check(many_arguments, 1, 2.5, grid(3), True, 1j, None, np.float32(1.5), (1, 2), grid(3, 3), 7)


def rows_as_tuples(points: Any) -> Any:
    rows = sorted(set(map(tuple, points.tolist())))
    lists = list(map(list, points.tolist()))
    total = 0.0
    for r in rows:
        total += r[0] * 2
    for pair in map(set, points.tolist()):
        total += len(pair)
    return rows, total, lists, [x[-1] for x in lists]


def test_containers_made_by_map() -> None:
    check(rows_as_tuples, grid(4, 2), also=[(grid(2, 3),), (np.ones((3, 1), int),), (grid(0, 2),)])


def attributes_by_name(a: Any, name: str) -> Any:
    total = 0.0
    for f in ("sum", "mean", "max"):
        total += getattr(a, f)()
    return total, getattr(a, "T"), getattr(a, "nothing", None), getattr(np, name)(a), getattr(np, "none", 3)  # noqa: B009


def test_attributes_by_name() -> None:
    a = grid(2, 3)
    check(attributes_by_name, a, "sin", also=[(a, "sum")], settings={"target": "interpreter"})
    with pytest.raises(Unknown):  # NumPy's functions made of nothing end the process
        ObjectType(type(np.sum)).sample(3)


def divided(a: float, b: float) -> float:
    return a / b


def formatted(a: np.ndarray) -> Any:
    a[0] = 7.0
    print(f"{divided(1.0, 0.0):.3f}")
    return f"{a[0]:.2f}"


def test_format_of_what_raises() -> None:
    check(formatted, grid(3), raises=ZeroDivisionError)


def extremes_or_default(a: np.ndarray, i: np.ndarray) -> Any:
    large = max(i[i > 100], default=0) + 1
    rows = [min((v for v in (x, x + 1) if v > 5), default=9) for x in a]
    return max(a, default=None), min(i, default=-1.5), max((abs(v) for v in a if v == v), default=7), large, rows


def test_extremes_of_nothing_with_a_default() -> None:
    none, numbers = np.zeros(0, int), np.array([3, 200, -1])
    check(extremes_or_default, np.zeros(0), none, also=[(np.array([4.5, np.nan]), numbers), (np.zeros(0), numbers)])


def rearranged(n: int) -> Any:
    np.random.seed(3)
    first, pairs, nested = [1, 2, 3, 4, 5], [(i, i) for i in range(4)], [[1, 2], [3], [4]]
    np.random.shuffle(first)
    np.random.shuffle(pairs)
    np.random.default_rng(n).shuffle(nested)
    rng, state, numbers, more = np.random.default_rng(n), np.random.RandomState(n), [1, 2, 3, 4], [1, 2, 3, 4]
    rng.shuffle(numbers)
    state.shuffle(more)
    random.seed(n)
    second = [1, 2, 3]
    random.shuffle(second)
    return first, first[0], pairs, nested, second, numbers, more, rng.random()


def test_lists_that_a_library_rearranges() -> None:
    check(rearranged, 1, settings={"target": "null"})


def of_the_class(n: int, y: float) -> Any:
    half, one, day = fractions.Fraction(1, 2), decimal.Decimal(1), datetime.date(2020, 1, n)
    numbers = n.from_bytes(b"\1", "big"), y.fromhex("0x1p3"), np.float64(y).fromhex("0x1p3"), b"".fromhex("00ff")
    return numbers, half.from_float(0.25), one.from_float(0.5), day.fromisoformat("2021-02-03"), "".maketrans("a", "b")


def test_methods_of_a_class_called_on_its_objects() -> None:
    check(of_the_class, 2, 1.5, settings={"target": "null"})


def drawn_in_threads(n: int) -> Any:
    found = np.zeros((n, 3))

    def draw(state: Any, out: Any) -> None:
        out[...] = state.normal(size=3)

    threads = [Thread(target=draw, args=(np.random.RandomState(k), row)) for k, row in zip(range(n), found)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return found


def test_functions_for_threads() -> None:
    check(drawn_in_threads, 2, settings={"target": "null"})


def test_smallest_of_tuples() -> None:
    """min and max of tuples of numbers that are made where they are compared, with ties and NaNs."""

    def candidates(a, i):
        steps = [(a[i - 1], i, 3), (a[i], i - 1, 2), (a[i - 2], i - 2, 1)]
        return min(steps), max(steps), min((a[0], 1), (a[0], 0)), max((a[1], i), (a[2], 2), (a[3], 1.0)[:1] + (i,))

    def kinds(x, y, i, j):
        return (
            min((x, i), (y, j)),
            max((i, x), (j, y)),
            min([(i, j, x), (j, i, y)]),
            min((x > 0, i), (y > 0, j)),
            max((i,), (j,)),
        )

    def path(a):
        i, total, found = len(a) - 1, 0.0, []
        while i > 2:
            d, i, k = min([(a[i - 1], i - 1, 1), (a[i - 2], i - 2, 2)])
            total += d
            found.append((i, k))
        return total, found

    for values in ([1.0, 2, 3, 4], [4.0, 3, 2, 1], [1.0, 1, 1, 1], [np.nan, 1, 2, np.nan], [1, np.nan, np.nan, 2]):
        for i in range(4):
            check(candidates, np.array(values), i)
    for x in (1.0, 2.0, float("nan"), 0.0, -0.0):
        for y in (1.0, float("inf") - float("inf"), 0.0, -0.0):
            check(kinds, np.float64(x), np.float32(y), 2, 1)
            check(kinds, np.float32(x), np.float32(y), 1, 1)
    check(path, np.random.default_rng(1).random(50))
