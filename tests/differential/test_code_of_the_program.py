"""Code of the program's that NumPy calls: it runs when the function runs, not while examples are looked at; and objects that exist while lowering only."""

from __future__ import annotations

import functools
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Legendre, Polynomial
from numpy.testing import assert_raises

from tests.cases import case_tests


def squared(x: Any) -> Any:
    print("squared")
    return x**2


def added(x: Any, y: Any) -> Any:
    print("added")
    return x + y


class Talking:
    """It says what is asked of it."""

    def __init__(self, k: int) -> None:
        self.k = k

    def __call__(self, x: Any) -> Any:
        print("call")
        return x + self.k

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        print("array")
        return np.ones(self.k, dtype)

    def __float__(self) -> float:
        print("float")
        return 2.5

    def __index__(self) -> int:
        print("index")
        return self.k

    def method(self, x: Any) -> Any:
        print("method")
        return x * self.k

    def interpolated(self) -> Any:
        return Chebyshev.interpolate(self.method, 2).coef


ONE = Talking(1)
PARTIAL = functools.partial(added, y=1.0)
SQUARED = np.frompyfunc(squared, 1, 1)
ADDED = np.frompyfunc(added, 2, 1)
DOMAIN = np.array([-1.0, 1.0])


def given_functions(p: Any, k: Any) -> Any:
    def scaled(y: Any) -> Any:
        return y * k

    made = [Chebyshev.interpolate(f, 2).coef for f in (squared, ONE, PARTIAL, scaled)]
    assert_raises(ValueError, p.cutdeg, 0.5)
    return made, ONE.interpolated(), Chebyshev.interpolate(lambda y: y - k, 2)(0.5)


def ufuncs_of_the_program(x: Any) -> Any:
    return SQUARED(x), ADDED(x, 1), ADDED.reduce(x), ADDED.outer(x[:2], x[:1]), SQUARED.nin


def instances_given(x: Any) -> Any:
    out = [np.array(ONE), np.full(2, ONE, dtype=float), np.concatenate([ONE, x]), np.mean(ONE), np.linalg.norm(ONE)]
    return [*out, np.stack([ONE, ONE]), np.asarray(ONE, dtype="f4"), np.polyval([1, 2], ONE), np.shape(ONE)]


def instances_as_indices(x: Any) -> Any:
    m = x.reshape((2, Talking(2)))
    x[ONE] = 5.0
    items = [1, 2, 3]
    items[ONE] = 7
    return x[ONE:], m[ONE, ONE], m[ONE], items, (1, 2, 3)[ONE:], "abc"[ONE], [*range(ONE)], np.zeros(ONE), x[Talking(0)]


def instances_as_keys(x: Any) -> Any:
    return {ONE: "one"}[ONE], x


def arrays_of_classes(kind: Any, x: Any) -> Any:
    p = kind([1, 2, 3], domain=kind.domain + 1)
    fits = [kind.fit(x, x**2, 2, domain=d)(0.25) for d in (kind.domain, DOMAIN, np.array([-1.0, 1.0]), [-1, 1])]
    d = np.polynomial.polyutils.mapdomain(x, kind.domain, kind.window * 2)
    return p.domain, p(0.5), np.round(fits, 9), d, np.polynomial.chebyshev.chebdomain * 2


def objects_of_numpy(x: Any) -> Any:
    b = np.broadcast(x, x)
    kinds = (
        type(b),
        type(x.flags),
        type(np.vectorize(abs)),
        isinstance(b, np.broadcast),
        isinstance(x.flags, Collection),
    )
    first = next(b)
    pairs = [(k, v) for k, v in np.ndenumerate(x)]
    return kinds, first, b.index, list(np.broadcast(x, 1)), b.shape, b.nd, pairs, next(np.ndindex(2, 1))


def kept_objects_of_numpy(x: Any) -> Any:
    kept = [np.broadcast(x, x), np.ndindex(2)]
    kept.append(np.vectorize(abs))
    return [type(k).__name__ for k in kept], kept[0].size, [*kept[1]], kept[2](-x)


def arrays_of_buffers(x: Any) -> Any:
    y = np.ndarray((2,), float, x, 8)
    y[0] = 9.0
    new = np.ndarray(shape=(2, 1), dtype=np.int32, order="F")
    new[...] = 1
    return y, x, new, np.ndarray((2, 2), "f8", x, 0, (8, 8))


def wrong_arrays(x: Any) -> Any:
    said = []
    try:
        type(x)()
    except TypeError as e:
        said.append(str(e))
    try:
        np.ndarray((99, 2), "f8", x)
    except TypeError as e:
        said.append(str(e))
    return said


def unions(v: Any) -> Any:
    return [isinstance(x, Collection) and not isinstance(x, str | bytes | bytearray) for x in v.values()]


FOUR = np.arange(4.0)
CASES = [
    (given_functions, [(Chebyshev([1, 2, 3.0]), 2.0)]),
    (ufuncs_of_the_program, [(FOUR,)]),
    (instances_given, [(FOUR,)]),
    (instances_as_indices, [(FOUR,)]),
    (instances_as_keys, [(FOUR,)]),
    (arrays_of_classes, [(Legendre, np.linspace(-1, 1, 5)), (Polynomial, np.linspace(-1, 1, 5))]),
    (objects_of_numpy, [(FOUR,)]),
    (kept_objects_of_numpy, [(FOUR,)]),
    (arrays_of_buffers, [(FOUR,)]),
    (wrong_arrays, [(FOUR,)]),
    (unions, [({"a": [1], "b": "c", "d": 2},)]),
]

test_interpreted, test_compiled = case_tests(CASES, ["given_functions", "instances_as_indices", "objects_of_numpy"])
