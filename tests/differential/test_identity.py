"""Which array object a value is: the one that NumPy hands on, a new one, or a view made elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from soljit.support.numbers import NAN_IS_TOLD
from tests.cases import Case, case_tests
from tests.values import grid


def contiguous_by_length(a: np.ndarray) -> Any:
    b = a[::2] if a.shape[0] > 3 else a
    c = np.ascontiguousarray(b)
    return c, c is b, np.shares_memory(c, a)


def contiguous_in_two_orders(a: np.ndarray) -> Any:
    b = a.T if a[0, 0] > 0 else a
    return np.ascontiguousarray(b), np.asfortranarray(b)


def contiguous_on_the_way(a: np.ndarray, n: int) -> Any:
    b = a[::2] if n > 3 else a
    return b.ravel() is b, np.asarray(b, order="C") is b, np.require(b, requirements=["C"]) is b


def contiguous_in_a_loop(v: np.ndarray) -> Any:
    s, w = 0.0, v
    for k in range(4):
        w = np.ascontiguousarray(w[::2] if k == 1 else w)
        s += w.sum()
    return w, s, w is v


@dataclass
class Named:
    first: Any
    second: Any


class Pair(NamedTuple):
    left: Any
    right: Any


def either_view(v: np.ndarray, c: int) -> Any:
    p = v[1:]
    q = p if c else v[1:]
    if c:
        r = q
    else:
        r = v[1:]
    return p is q, r is p, p, q, r


def item_and_view_of_it(n: int, k: int) -> Any:
    items = []
    for i in range(n):
        items.append(np.arange(i + 1.0))
    x = items[k]
    return x[:], x, items


def changes_one_of_two_views(v: np.ndarray) -> Any:
    x, y, z = v[1:], v[1:], v[1:]
    x.shape = (1, -1)
    z.flags.writeable = False
    return x, y, y.flags.writeable, z.flags.writeable


def part_or_all(v: np.ndarray, n: int) -> np.ndarray:
    return v if n > 2 else v[:-1]


def views_of_each_step(v: np.ndarray, n: int) -> Any:
    made = [part_or_all(v[:-1], n) for _ in range(3)]
    return made, list(map(part_or_all, (v, v, v), (n, n, n))), [part_or_all(v, n) for _ in "ab" for _ in "cd"]


class Quiet:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> bool:
        return True


def returns_new_or_given(a: np.ndarray, b: np.ndarray, k: int) -> Any:
    y = 0
    try:
        if k > 5:
            return -1
        if a[0] > 2:
            y += 1
        int("1x"[: k + 1])
    except ValueError:
        try:
            pass
        finally:
            a = a + 1
        with Quiet():
            pass
    except LookupError:
        pass
    finally:
        if k == 1:
            y += 1
        else:
            y = k
    return k, b, a


def new_or_given_of_a_helper(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    y = None
    for k in range(n):
        try:
            y = returns_new_or_given(a, b, k)
        except ArithmeticError:
            pass
    return y, a


def view_set_as_attribute(v: np.ndarray, k: float) -> Any:
    p, q = Named(v, k), Named(v, k)
    p.first = p.first[1:]
    p.second, q.second = v[1:], v[1:]
    x, y = p.first, p.first
    return x, y, p.first, x is p.second, p.second is p.second, p.second is q.second, p, q


def views_put_into_lists(v: np.ndarray) -> Any:
    x, y = [0, v], [1]
    x[1] = x[1][1:]
    x[0] = v[1:]
    y.append(v[1:])
    y.extend((v[1:], v[1:]))
    y += (v[1:],)
    y.insert(0, v[1:])
    every = [*x, *y]
    return (
        [a is b for a in every if isinstance(a, np.ndarray) for b in every if isinstance(b, np.ndarray)],
        x[1],
        x[1],
        y[0],
        y[0],
        x,
        y,
    )


def views_put_into_dicts(v: np.ndarray) -> Any:
    d = {"a": v}
    d["a"] = d["a"][1:]
    d["b"] = v[1:]
    d.update(c=v[1:], d=v[1:])
    every = [d["a"], d["b"], d["c"], d["d"]]
    return [a is b for a in every for b in every], d["a"], d["a"], d["c"], d["c"], d


def view_replaced_in_a_tuple(v: np.ndarray) -> Any:
    p = Pair(v[1:], v[1:])._replace(left=v[1:])
    return p.left, p.left, p.right, p.left is p.left, p.left is p.right


RECORDS = np.dtype([("a", "i8"), ("b", "f8")])


def fields_of_masked_records(n: int) -> Any:
    m = np.ma.array(np.zeros(n, RECORDS))
    m["a"]._data[:] = 5
    m["b"].data[1:] += m["a"].data[1:]
    return m["a"]._data.sum(), m["b"]._data.sum(), m.mask.tolist()


def nan_is_found_again(x: float, n: int) -> Any:
    s, d, l = {1.0}, {}, []
    for k in range(n):
        s.add(x)
        d[x] = k
        l.append(np.nan)
    found = x in [x], x in (x,), x in {x}, x in set(l[:0] + [x]), [x] == [x], [x].count(x)
    return found, len(s), x in s, len(d), d[x], np.nan in l, l.count(np.nan), l == [np.nan] * n, len(set(l))


def nan_is_another_one(a: np.ndarray) -> Any:
    x, y = float(a[0]) - float(a[0]), float(a[1]) * 0.0
    return x in [y], x in {y}, [x, y] == [y, x], len({x, y})


CASES: list[Case] = [
    (fields_of_masked_records, [(4,), (1,)]),
    (nan_is_found_again, [(float("nan"), 3), (2.5, 2)] if NAN_IS_TOLD else [(2.5, 2)]),
    (nan_is_another_one, [(np.array([np.inf, np.inf]),), (np.array([1.0, 2.0]),)]),
    (contiguous_by_length, [(np.arange(5.0),), (np.arange(3.0),)]),
    (contiguous_in_two_orders, [(grid(2, 3),), (grid(2, 3) + 1,), (grid(2, 3)[:, :1] + 1,), (grid(3, 4)[:, ::2] + 1,)]),
    (contiguous_on_the_way, [(np.arange(5.0), 5), (np.arange(5.0), 3)]),
    (contiguous_in_a_loop, [(np.arange(9.0),), (np.arange(9.0)[::2],), (np.arange(1.0),)]),
    (views_of_each_step, [(np.arange(5.0), 1), (np.arange(5.0), 4)]),
    (either_view, [(np.arange(4.0), 0), (np.arange(4.0), 1)]),
    (item_and_view_of_it, [(3, 1), (2, 0)]),
    (new_or_given_of_a_helper, [(np.arange(4.0), np.ones(2), n) for n in (0, 1, 2, 7)]),
    (changes_one_of_two_views, [(np.arange(4.0),)]),
    (view_set_as_attribute, [(np.arange(4.0), 2.5)]),
    (views_put_into_lists, [(np.arange(4.0),)]),
    (views_put_into_dicts, [(np.arange(4.0),)]),
    (view_replaced_in_a_tuple, [(np.arange(4.0),)]),
]

test_interpreted, test_compiled = case_tests(
    CASES,
    {
        "contiguous_by_length",
        "item_and_view_of_it",
        "new_or_given_of_a_helper",
        "fields_of_masked_records",
        "nan_is_found_again",
        "nan_is_another_one",
    },
)
