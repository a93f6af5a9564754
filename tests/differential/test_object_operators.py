"""Operators, subscripts, attributes and unpacking of objects whose class only the run tells, and the errors that they raise."""

from __future__ import annotations

import fractions
from typing import Any

import numpy as np

from tests.oracle import check


def operate(items: Any, others: Any) -> Any:
    out = []
    for a in items:
        for b in others:
            try:
                out.append(a + b)
                out.append(a - b)
                out.append(a * b)
                out.append(a / b)
                out.append(a // b)
                out.append(a % b)
            except Exception as e:
                out.append(str(e))
    return out


def shift(items: Any) -> Any:
    out = []
    for a in items:
        out.append([a << 2, a >> 1, a & 6, a | 8, a ^ 5])
    return out


def compare(items: Any, x: Any) -> Any:
    return [[a < x, a <= x, a == x, a != x, a > x, a >= x] for a in items]


def plus(items: Any) -> Any:
    total = 0
    for a in items:
        total = total + a
    return total


def look_up(owners: Any, keys: Any) -> Any:
    out = []
    for o in owners:
        for k in keys:
            try:
                out.append(o[k])
            except (KeyError, IndexError, TypeError) as e:
                out.append((type(e).__name__, str(e)))
    return out


def put_in(owners: Any, key: Any, value: Any) -> Any:
    for o in owners:
        o[key] = value
    return owners


def targets(rows: Any) -> Any:
    out = []
    for a, b in rows:
        out.append(b)
        out.append(a)
    return out


def attributes(items: Any) -> Any:
    return [(x.numerator, x.real) for x in items]


def letters(n: int) -> Any:
    text = "hello world"
    out = []
    for i in range(n):
        out.append((text[i], text[i : i + 3], text[::-1][i]))
    return out


MIXED = [1, 2.5, True, np.float32(1.5), fractions.Fraction(1, 3)]


def test_arithmetic() -> None:
    check(operate, MIXED, [2, 0.5, "x", None, 0], also=[(["a", [1]], [3, "b", [2]]), ([], [1])])
    check(shift, [5, True, np.int16(9)], also=[([2.5],)], message="type")
    check(plus, [1, 2.5, 1j], also=[([np.ones(2), 3],), ([],)])


def test_comparisons() -> None:
    check(compare, [1, 2.5, np.int8(3)], 2, also=[(["a", "b"], "b"), ([1], "a"), ([np.arange(3)], 1)])
    check(compare, [[1, 2], [3]], [2], also=[([{1}, {1, 2}], {1})])


def test_subscripts() -> None:
    rows = [[1, 2, 3], (4, 5), {0: "zero", "x": 1}, "text", np.arange(3.0), range(4)]
    check(look_up, rows, [0, -1, "x", 5, 1.5, None], also=[(rows[:3], [slice(0, 2), (1, 2)])])
    check(put_in, [[1, 2], {}, np.zeros(2)], 1, 5, also=[([(1, 2)], 0, 1), ([[1]], 3, 1), ([{}], [1], 2)])
    check(put_in, [[1, 2, 3]], slice(0, 2), [7], also=[([[1]], "a", 1)])


def test_unpacking() -> None:
    check(targets, [(1, 2), [3, 4.5], "ab", np.arange(2)], also=[([{1: 2, 3: 4}],), ([],)])
    check(targets, [(1, 2), (3,)], raises=ValueError)
    check(targets, [(1, 2), (3, 4, 5)], raises=ValueError, also=[([[1, 2], [1, 2, 3]],)])
    check(targets, [(1, 2), 5], raises=TypeError)


def test_attributes() -> None:
    check(attributes, [1, True, np.int8(3)])
    check(attributes, [1, "a"], raises=AttributeError)


def test_texts_that_are_known() -> None:
    check(letters, 4, also=[(0,), (11,)])
    check(letters, 12, raises=IndexError)


def counted(words: Any) -> Any:
    number = {}
    for w in words:
        number[w] = number.get(w, 0) + 1
    return number, sum(number.values())


def averaged(a: np.ndarray) -> Any:
    d = {}
    for x in a:
        d[int(x)] = d.get(int(x), 0) + float(x) * 0.5
    return d


def listed(a: np.ndarray) -> Any:
    d = {}
    for x in a:
        before = d.get(int(x) % 2, [])
        before.append(int(x))
        d[int(x) % 2] = before
    return d


def never_filled(a: np.ndarray) -> Any:
    d = {}
    t = 0
    for x in a:
        t += d.get(int(x), 2)
    return d, t


def test_dicts_with_defaults() -> None:
    a = np.array([3.5, 1.0, 4.0, 1.25])
    check(counted, ["a", "b", "a"], also=[([],), ([1, 2, 1],)])
    for f in (averaged, listed, never_filled):
        check(f, a, also=[(a[:0],)])


def at_items(a: np.ndarray, row: Any, columns: Any) -> Any:
    total = 0
    for c in columns:
        total += int(a[row, c].sum())
        a[row, c] += 1
        a[c, row] = 7
    return total, a


def test_parts_of_an_index_that_come_from_containers() -> None:
    a = np.arange(9).reshape(3, 3)
    calls = [(a, 0, {0, 2}), (a, 1, [[0, 1], 2]), (a, 2, (slice(1, 3), None)), (a, 0, [True, np.int64(1)])]
    check(at_items, *calls[0], also=calls[1:], settings={"target": "interpreter"})
    check(at_items, *calls[0], also=calls[1:])
    check(at_items, a, 1, {5}, raises=IndexError, settings={"target": "interpreter"})
    check(at_items, a, 1, ["x"], raises=IndexError, settings={"target": "interpreter"})


def slices_between_items(a: np.ndarray, n: int, settings: Any) -> Any:
    settings["n"] = n
    out = []
    for k in settings:
        try:
            out.append(a[settings[k] :].copy())
            out.append(a[0, : settings[k]])
            out.append(a[:: -settings["k"], settings["n"]])
            a[: settings[k]] *= 2
            a[settings["n"] : settings[k], 0] = 7
        except TypeError as e:
            out.append(str(e))
    return out, a


def test_slices_whose_bounds_are_items_of_a_dict() -> None:
    a = np.arange(12.0).reshape(4, 3)
    calls = [(a, 2, {"k": 2, "x": None, "y": 1.5}), (a, 1, {"k": np.int8(1), "x": np.array(2), "y": "a"})]
    check(slices_between_items, *calls[0], also=calls[1:], settings={"target": "interpreter"})
    check(slices_between_items, *calls[0], also=calls[1:])


def lists_and_numpys_values(a: np.ndarray, n: int) -> Any:
    rows, items = [], []
    for i in range(n):
        items.append(a[i])
        rows.append(a)
    first, second, third, table = items, rows, items, {"k": items}
    first += a[1]
    second += a
    third *= np.int64(2)
    table["k"] += a[0]
    return first, second, third is items, items, rows, table


def test_in_place_operators_of_lists_and_numpys_values() -> None:
    check(lists_and_numpys_values, np.arange(4.0), 3, settings={"target": "interpreter"})
    check(lists_and_numpys_values, np.arange(4.0), 3)


def arrays_times_lists(y: np.ndarray, n: int, given: bool) -> Any:
    y += 1  # from here on the call cannot be made again
    grown: list[float] = []
    for k in range(n):
        grown.append(k + 0.5)
    either = np.ones(3, np.complex64) if given else [1, 2, 3]
    as_tuple = tuple(grown)
    out = [y * grown, grown * y, as_tuple * y, y[:1].reshape(()) * grown, y * either]
    return out, grown * n, n * as_tuple, grown * np.int8(2)


def test_lists_times_arrays() -> None:
    calls: list[Any] = [(np.arange(3.0), 3, True), (np.arange(3), 3, False), (np.arange(3.0) * 1j, 3, False)]
    check(arrays_times_lists, *calls[0], also=calls[1:], settings={"target": "interpreter"})
    check(arrays_times_lists, *calls[0], also=calls[1:])


def numpy_of_lists_after_a_change(a: np.ndarray, n: int) -> Any:
    a[0] += 1  # from here on the call cannot be made again
    rows = [a[k] for k in range(n) if k < 9]
    pairs = [[k, k + 1] for k in range(n) if k < 9]
    few = [k for k in range(n) if k < 2]
    v = a.ravel().copy()
    v.partition(few)
    out = [np.cov(pairs), np.corrcoef(rows).shape, np.median(rows, 0), np.squeeze(rows), np.average(rows, axis=0)]
    return out, np.transpose(rows), np.flip(rows, 0), np.transpose(pairs), a[0].take(few), a.take(few, 1), v[:2]


def axes_from_a_list(a: np.ndarray, n: int) -> Any:
    a[0] += 1
    axes = [n - 1 - k for k in range(n)]
    lengths = [k + 2 for k in range(n) if k != n - 1]
    return a.transpose(axes), a.sum(axis=tuple(axes[1:])), a.reshape([*lengths, -1]), np.expand_dims(a, axes)


def summed_along_a_list(a: np.ndarray, n: int) -> Any:
    a[0] += 1
    axes = [k for k in range(n) if k < 2]
    return a.sum(axis=tuple(axes)), a


def test_numpys_functions_of_lists_of_run_time() -> None:
    a = np.arange(12.0).reshape(3, 4) % 5
    for settings in ({"target": "interpreter"}, {}):
        check(numpy_of_lists_after_a_change, a, 3, also=[(a[:, ::2], 2)], rtol=1e-12, settings=settings)
        for f in (axes_from_a_list, summed_along_a_list):
            check(f, a, 2, or_refused=True, settings=settings)
