"""Iterators whose items are of a type that depends on the path (`slice(None) if i != axis else …`), given to whatever takes items."""

from __future__ import annotations

import itertools
import linecache
import types
from typing import Any

import numpy as np
import pytest

from tests.cases import Case, case_tests
from tests.oracle import check

A = np.arange(24.0).reshape(2, 3, 4)
CALLS: list[tuple[Any, ...]] = [(A, 1, 2), (A, 0, 1), (A, -1, 1), (np.arange(3.0), 0, 2)]


def a_tuple_of_slices(a, axis, p):
    s = tuple(slice(None) if i != axis else slice(p, 0, -1) for i, x in enumerate(a.shape))
    return a[s]


def a_list_of_slices(a, axis, p):
    s = list(slice(None) if i != axis else slice(p, 0, -1) for i, x in enumerate(a.shape))  # noqa: C400
    return a[tuple(s)]


def by_map(a, axis, p):
    return a[tuple(map(lambda i: slice(None) if i != axis else slice(p, 0, -1), range(a.ndim)))]  # noqa: C417


def three_types(a, axis, p):
    return tuple(slice(None) if i != axis else slice(p, None) if p > 1 else None for i in range(a.ndim))


def attributes_of_items(a, axis, p):
    return sum((slice(None) if i != axis else slice(p)).stop or 0 for i in range(a.ndim))


def some_of_numbered_items(a, axis, p):
    items = (slice(None) if i != axis else slice(p, 0, -1) for i in range(a.ndim))
    return tuple(s for i, s in enumerate(items) if i)


def functions_in_a_tuple(a, axis, p):
    return tuple(np.sum if i != axis else np.mean for i in range(a.ndim))[0](a)


cases: list[Case] = [
    (f, CALLS)
    for f in (
        a_tuple_of_slices, a_list_of_slices, by_map, three_types, attributes_of_items, some_of_numbered_items, functions_in_a_tuple,
    )
]  # fmt: skip
test_interpreted, test_compiled = case_tests(cases, ["a_tuple_of_slices", "three_types"])

ITEMS = {
    "slices": "(slice(None) if i != axis else slice(p, 0, -1) for i in range(a.ndim))",
    "types": "(np.float32 if i != axis else np.float64 for i in range(a.ndim))",
    "tuples": "((i, 1) if i != axis else (i, 1, 2) for i in range(a.ndim))",
    "None": "(None if i != axis else p for i in range(a.ndim))",
    "texts": "map(lambda i: 'ab' if i != axis else 3, range(a.ndim))",
}
TAKERS = {
    "tuple": "tuple({g})[axis]", "list": "list({g})[1:]", "starred": "(0, *{g})", "len": "len(list({g}))", "unpacked": "first({g})",
    "next": "next(iter({g}))", "enumerate": "list(enumerate({g}, 1))", "zip": "list(zip({g}, a.shape, {g}))",
    "reversed": "list(reversed(tuple({g})))", "map": "list(map(lambda x: (x, 1), {g}))", "filter": "list(filter(lambda x: x is not None, {g}))",
    "dict": "dict(enumerate({g}))", "dict of zip": "dict(zip('abc', {g}))", "sum": "sum(1 for x in {g} if x is not None)",
    "any": "any({g})", "all": "all({g})", "in": "None in {g}", "==": "tuple({g}) == tuple({g})", "isinstance": "isinstance(list({g})[0], slice)",
    "str": "str(list({g}))", "max": "max({g}, key=lambda x: len(str(x)))", "sorted": "sorted({g}, key=lambda x: len(str(x)))", "sum of items": "sum({g})",
    "min": "min({g})", "chain": "list(itertools.chain({g}, [1]))", "zip_longest": "list(itertools.zip_longest({g}, [1]))",
    "islice": "list(itertools.islice({g}, 2))", "product": "list(itertools.product({g}, [0]))", "starmap": "list(itertools.starmap(swapped, zip({g}, {g})))",
    "takewhile": "list(itertools.takewhile(lambda x: x is not None, {g}))", "accumulate": "list(itertools.accumulate({g}, lambda u, v: v))",
    "arguments": "swapped(*list({g})[:2]) if a.ndim > 1 else None",
}  # fmt: skip


def first(g):
    x, *y = g
    return x, y


def swapped(x, y):
    return y, x


def made(taker: str, items: str) -> types.FunctionType:
    source = f"def f(a, axis, p):\n    return {TAKERS[taker].replace('{g}', ITEMS[items])}\n"
    name = f"<{taker} of {items}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"np": np, "itertools": itertools, "first": first, "swapped": swapped}
    exec(compile(source, name, "exec"), space)  # noqa: S102
    f = space["f"]
    assert isinstance(f, types.FunctionType)
    return f


@pytest.mark.parametrize("taker", TAKERS)
def test_whatever_takes_items(taker: str) -> None:
    for items in ITEMS:
        check(
            made(taker, items),
            *CALLS[0],
            also=CALLS[1:],
            settings={"target": "interpreter"},
        )


def test_a_class_to_which_no_name_leads_is_refused_or_right() -> None:
    def f(a):
        return type(np.sum), str(type(np.mean))

    def g(a):
        return type(np.__config__), type(len), type(np.add), type(None), type(f)

    check(f, A, or_refused=True)
    check(g, A, or_refused=True)
