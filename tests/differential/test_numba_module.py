"""Programs written for Numba, with `soljit.numba` in its place: the undecorated functions are the oracle."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from soljit import numba as nb
from soljit.numba import (
    float32,
    guvectorize,
    int64,
    literal_unroll,
    njit,
    objmode,
    prange,
    typed,
    types,
    vectorize,
)
from soljit.numba.experimental import jitclass
from tests.oracle import check


@njit("f8(f8)")
def half(x):
    return x / 2


@njit("i8(i8)")
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@njit(error_model="numpy")
def ratio(x, y=1.0):
    return x / y


@vectorize(["f8(f8,f8)"])
def add2(x, y):
    return x + 2 * y


@vectorize(["f4(f4,f4)", "f8(f8,f8)"])
def two_types(x, y):
    return x / y


@vectorize
def by_values(x, y):
    return x * y + 1


@guvectorize(["void(f8[:], f8[:])"], "(n)->(n)")
def running(a, out):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i]
        out[i] = s


@guvectorize(["void(f4[:,:], f4, f4[:])", "void(f8[:,:], f8, f8[:])"], "(m,n),()->()")
def weighted(a, w, out):
    out[0] = a.sum() * w


@guvectorize("(n),()->(n)")  # a layout alone: results are arguments, too
def scaled(a, k, out):
    for i in range(a.shape[0]):
        out[i] = a[i] * k[0]


@jitclass([("count", nb.int32), ("values", nb.float32[:])])
class Bag:
    def __init__(self, count):
        self.count = count
        self.values = np.zeros(count, dtype=np.float32)

    @property
    def size(self):
        return self.values.size

    def add(self, x):
        for i in range(self.size):
            self.values[i] += x
        return self.values

    @staticmethod
    def twice(x):
        return 2 * x


def test_helpers_with_signatures_convert_in_compiled_code_too() -> None:
    def f(n):
        s = 0.0
        for i in range(n):
            s += half(i)
        return s, half(True), fib(12), fib(7.9)

    check(f, 10)


def test_arguments_that_no_signature_takes() -> None:
    def f(x):
        return half(x)

    check(f, np.ones(3))
    check(f, 1j)
    check(f, "text")


def test_the_errors_of_numpy() -> None:
    def f(x, y):
        return ratio(x, y), ratio(x), ratio(x, y=y)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(f, 1.0, 0.0)
    check(f, 1.0, 2.0)


def test_vectorize() -> None:
    def f(a, b):
        s = 0.0
        for i in range(a.shape[0]):
            s += add2(a[i], 1.0)
        return add2(a, b), s, add2(a, 3.0), add2(b[:, None], a), add2(1, 2), add2(a, b, np.zeros(a.shape))

    check(f, np.arange(4.0), np.arange(4.0))
    check(f, np.arange(4), np.arange(4, dtype=np.float32))

    def g(a, b):
        return two_types(a, b), two_types(a, 2.0), two_types(a[0], b[0]), two_types(a[:0], b[:0])

    check(g, np.arange(4, dtype=np.float32), np.arange(1, 5, dtype=np.float32))
    check(g, np.arange(4.0), np.arange(1, 5))
    check(lambda a: two_types(a, a), np.ones(2, complex))

    def h(a, b):
        return by_values(a, b), by_values(a[0], b[0]), by_values(a, 2), by_values(a[:, None, None], b[None, :, None])

    check(h, np.arange(4), np.arange(4.0))
    check(h, np.arange(4, dtype=np.float32), np.arange(4, dtype=np.float32))
    check(h, np.zeros(0), np.zeros(0))
    check(lambda a, out: add2(a, a, out), np.ones(3), np.ones(4))
    check(lambda a, out: add2(a, a, out), np.ones(3), np.ones(3, int))


def test_guvectorize() -> None:
    def f(a):
        out = np.empty(a.shape)
        scaled(a, 3, out)
        again = np.empty(a.shape)
        running(out, again)
        return running(a), out, again, running(a[0])

    check(f, np.arange(6.0).reshape(2, 3))
    check(f, np.arange(24).reshape(4, 2, 3))

    def g(a, w):
        return weighted(a, w), weighted(a[0], 2)

    check(g, np.arange(12.0).reshape(2, 3, 2), np.arange(2.0))
    check(g, np.arange(12, dtype=np.float32).reshape(2, 3, 2), np.float32(3))
    check(lambda a: running(a), np.float64(1.0))
    check(lambda a: running(a), np.ones(2, complex))


def test_casts() -> None:
    def f(x):
        return nb.float64(x), int64(x), float32(x), types.int32(x), nb.boolean(x), nb.intp(x), types.uint8(x)

    check(f, 3)
    check(f, 3.7)
    check(f, np.float32(2.5))


def test_typed_containers_are_pythons() -> None:
    def f(n):
        xs = typed.List()
        for i in range(n):
            xs.append(i * 1.5)
        d = typed.Dict.empty(key_type=types.int64, value_type=types.float64)
        for i in range(n):
            d[i] = xs[i]
        more = typed.List.empty_list(types.float64)
        more.append(2.0)
        return xs, d, more, nb.typed.List([1, 2, 3]), len(xs), typed.Dict()

    check(f, 4)


def test_blocks_and_loops() -> None:
    def f(a):
        with objmode(y="float64[:]"):
            y = np.sort(a)[::-1]
        s = 0.0
        for i in prange(a.shape[0]):
            s += a[i]
        for v in literal_unroll((1, 2.5, 3)):
            s += v
        for i in nb.prange(1, a.shape[0]):
            a[i] *= 2
        return y, s

    check(f, np.arange(5.0))


def test_classes() -> None:
    def f(n):
        bag = Bag(n)
        bag.add(3)
        return bag.values.sum(), bag.size, bag.count, Bag.twice(4)

    check(f, 5)


@pytest.mark.parametrize("decorate", [njit, njit(), njit(parallel=True, fastmath=False), nb.jit(nopython=True)])
def test_decorators(decorate: Callable[[Any], Any]) -> None:
    @decorate
    def f(a, k=2):
        return a * k

    a = np.arange(3.0)
    assert (f(a) == f.py_func(a)).all() and (f(a, k=3) == a * 3).all()
