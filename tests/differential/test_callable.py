"""callable() of functions, partials, instances and what is no function; `in` of instances that have subscripts alone."""

from __future__ import annotations

from functools import partial

import numpy as np

import soljit as sol
from tests.oracle import check


class Call:
    def __call__(self):
        return 1


class Plain:
    def __init__(self, u):
        self.u = u

    def __getitem__(self, i):
        return self.u[i]


def test_callable() -> None:
    def f(a):
        def twice(q):
            return q * 2

        p, t, kept = partial(np.add, 1), lambda x: x, [twice]
        functions = (
            callable(p),
            callable(t),
            callable(np.sin),
            callable(kept[0]),
            callable(a.sum),
            callable(partial(t, 2)),
        )
        made = callable(Call()), callable(Call), callable(np.vectorize(t)), callable(np.poly1d([1, 2]))
        none = (
            callable(a),
            callable(3),
            callable(kept),
            callable(Plain(a)),
            callable(None),
            callable("s"),
            callable(range(3)),
        )
        return functions, made, none, p(a)

    check(f, np.ones(2))


def test_in_of_subscripts_alone() -> None:
    def f(a):
        return 2.0 in Plain(a)

    assert sol.jit(f)(np.arange(3.0))  # in plain Python, unless that can be compiled
    try:
        assert sol.jit(f, strict=True)(np.arange(3.0))
    except sol.UnsupportedError as e:
        assert "__contains__" in str(e)
