"""What functions of Python and NumPy do with an iterator that they are given: nothing, take some items, or all, or do something between the items."""

# ruff: noqa: C401
from __future__ import annotations

import collections
import contextlib
import copy
import functools
import heapq
import itertools
import json
import math
import operator
import statistics
from typing import Any

import numpy as np

from tests.oracle import check


def run(*functions: Any) -> None:
    for f in functions:
        check(f, [3, 1, 2], [], settings={"target": "interpreter"})


def items(xs: Any, seen: Any) -> Any:
    for x in xs:
        seen.append(x)
        yield x


def noted(x: Any, seen: Any) -> Any:
    seen.append(-x)
    return x


def all_of_numbers(xs: Any, seen: Any) -> Any:
    return (
        math.fsum(items(xs, seen)),
        math.prod(items(xs, seen)),
        max(items(xs, seen)),
        set(items(xs, seen)),
        frozenset(items(xs, seen)),
        dict.fromkeys(items(xs, seen), 0),
        np.fromiter(items(xs, seen), float),
        sorted(collections.Counter(items(xs, seen)).items()),
        statistics.mean(items(xs, seen)),
        statistics.median(items(xs, seen)),
        list(collections.deque(items(xs, seen), 2)),
    )


def text(x: Any) -> Any:
    return str(x)


def words(xs: Any) -> Any:
    for x in xs:
        yield str(x)


def all_of_texts(xs: Any, seen: Any) -> Any:
    return "-".join(words(xs)), sorted(words(xs)), max(words(xs)), sorted(set(words(xs)))


def test_functions_that_take_all_items() -> None:
    run(all_of_numbers, all_of_texts)


def key_of_largest(xs: Any, seen: Any) -> Any:
    return max(items(xs, seen), key=lambda x: noted(x, seen))


def keys_of_largest(xs: Any, seen: Any) -> Any:
    return heapq.nlargest(2, items(xs, seen), key=lambda x: noted(x, seen))


def no_hash(xs: Any, seen: Any) -> Any:
    try:
        return set([noted(x, seen)] for x in xs)
    except TypeError as e:
        return str(e)


def no_pairs(xs: Any, seen: Any) -> Any:
    try:
        return dict((noted(x, seen),) for x in xs)
    except ValueError as e:
        return str(e)


def no_numbers(xs: Any, seen: Any) -> Any:
    try:
        return math.fsum("a" if noted(x, seen) == 1 else x for x in xs)
    except TypeError as e:
        return str(e)


def test_functions_that_do_something_between_the_items() -> None:
    run(key_of_largest, keys_of_largest, no_hash, no_pairs, no_numbers)


def first_two(xs: Any, seen: Any) -> Any:
    return np.fromiter(items(xs, seen), float, 2)


def counted(xs: Any, seen: Any) -> Any:
    return np.fromiter((noted(x, seen) for x in xs), float, count=2)


def found(xs: Any, seen: Any) -> Any:
    return operator.contains(items(xs, seen), 3), operator.indexOf(items(xs, seen), 1), 3 in items(xs, seen)


def test_functions_that_stop_early() -> None:
    run(first_two, counted, found)


def no_items(xs: Any, seen: Any) -> Any:
    return operator.truth(items(xs, seen)), np.array(items(xs, seen)).dtype.kind


def merged(xs: Any, seen: Any) -> Any:
    m = heapq.merge(items(xs, seen), [1])
    seen.append("made")
    return next(m)


def partly(xs: Any, seen: Any) -> Any:
    f = functools.partial(sum, items(xs, seen))
    seen.append("made")
    return f()


def managed(xs: Any, seen: Any) -> Any:
    with contextlib.nullcontext(items(xs, seen)) as g:
        seen.append("in")
        return next(g)


def kept(xs: Any, seen: Any) -> Any:
    out: list[Any] = []
    out.append(items(xs, seen))
    seen.append("kept")
    return next(out[0])


def no_copy(xs: Any, seen: Any) -> Any:
    try:
        return copy.copy(items(xs, seen))
    except TypeError:
        return "no copy"


def no_json(xs: Any, seen: Any) -> Any:
    try:
        return json.dumps(items(xs, seen))
    except TypeError:
        return "no text"


class Taking:
    def first(self, it: Any) -> Any:
        for x in it:
            return x


def by_method(xs: Any, seen: Any) -> Any:
    return Taking().first(items(xs, seen))


def test_functions_that_look_at_the_iterator_or_keep_it() -> None:
    run(no_items, merged, partly, managed, kept, no_copy, no_json, by_method)


def popped(xs: Any, seen: Any) -> Any:
    return any(map(xs.pop, [0, 0])), len(xs)


def heap(xs: Any, seen: Any) -> Any:
    m = map(heapq.heappop, [xs, xs])
    n = len(xs)
    return n, next(m), len(xs)


def set_later(xs: Any, seen: Any) -> Any:
    it = itertools.starmap(operator.setitem, [(xs, 0, 9), (xs, 1, 8)])
    before = list(xs)
    next(it)
    return before


def test_functions_that_change_their_arguments_run_when_an_item_is_taken() -> None:
    run(popped, heap, set_later)
