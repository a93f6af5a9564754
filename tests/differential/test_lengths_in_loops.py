"""Arrays whose length changes in a loop: together, apart, or together for a while only."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle import check


def together(x, y, n):
    total = np.zeros(n)
    for i in range(n):
        if len(x) == 0:
            break
        y = y + x * 0.5
        total[i] = (x * y).sum()
        keep = np.abs(y) < 3.0
        x = x[keep]
        y = y[keep]
    return total, x, y


def other_masks(x, y, n):
    for i in range(n):
        x = x[x > -1.0]
        y = y[y > -1.0]
        x = x - 0.25
        y = y - 0.5
    return x, y, len(x) - len(y)


def mask_changed_between(x, y, n):
    for i in range(n):
        keep = x > -2.0
        x = x[keep]
        keep[0] = False
        y = y[keep][: len(x)]
        x = x[: len(y)]
        x = x - 0.5
    return x, y


def growing(n):
    a = np.zeros(1)
    b = np.ones(1)
    for i in range(n):
        a = np.append(a, a[-1] + b[-1])
        b = np.append(b, a.sum())
    return a, b, a * b


def skipping(x, y, n):
    for i in range(n):
        keep = np.abs(x + y) < 2.0 + i
        x = x[keep]
        if i % 2 == 0:
            y = y[keep]
            continue
        y = y[: len(x)] * 2.0
        x = x * 1.5
    return x, y, x + y


def one_only_sometimes(x, y, n):
    for i in range(n):
        x = x[: len(x) - 1]
        if i < 2:
            y = y[: len(y) - 1]
    return x, y, len(x) + len(y)


def parting(x, y, n):
    for i in range(n):
        x = x[1:]
        y = y[2:]
        if len(x) == len(y):
            x = x + y
    return x, y


def until_short(x, y):
    turns = 0
    while len(x) > 3:
        x, y = x[::2] + y[::2], y[::2].copy()
        turns += 1
    return x, y, turns


def no_longer_equal(x, y, n):
    for i in range(n):
        x = x[1:]
        z = x + y
        y = y[1:]
    return z


FUNCTIONS = [together, other_masks, mask_changed_between, skipping, one_only_sometimes, parting]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_masks_and_slices(f) -> None:
    x, y = np.linspace(-2.0, 2.0, 23), np.cos(np.arange(23.0))
    check(f, x, y, 4)
    check(f, x, y, 0)
    check(f, x[:2], y[:2], 5)


def test_an_assumption_that_does_not_hold() -> None:
    x, y = np.linspace(-2.0, 2.0, 23), np.cos(np.arange(23.0))
    check(no_longer_equal, x, y, 4, raises=ValueError)


def test_growing() -> None:
    check(growing, 6)
    check(growing, 0)


def test_while() -> None:
    x, y = np.linspace(-2.0, 2.0, 23), np.cos(np.arange(23.0))
    check(until_short, x, y)
    check(until_short, x[:3], y[:3])


def test_the_same_mask_twice() -> None:
    def f(x, y):
        m = x > 0
        a, b = x[m], y[m]
        m[1:3] = True
        c, d = x[m], y[m]
        np.logical_not(m, out=m)
        return a * b, c + d, x[m] + y[m], m.sum()

    check(f, np.array([1.0, -2.0, 3.0, -4.0, 5.0]), np.arange(5.0))


def test_runs_of_masks() -> None:
    def f(x, m):
        y = x[m]
        x[m] = -1.0
        return y, x

    rng = np.random.default_rng(3)
    for n in (0, 1, 7, 8, 9, 64, 100):
        for density in (0.0, 0.1, 0.9, 1.0):
            check(f, np.arange(float(n)), rng.random(n) < density)


def test_names_of_a_second_try_mean_other_things() -> None:
    def f(a, b, p, x):
        for k in p:
            for i in range(k, len(a)):
                a[i] *= x
            if p[k - 1] >= 4:
                b.flat[3] = bool(x)
        return p, b, k

    check(f, np.arange(8), np.arange(8.0), np.array([-2, 7, -4, -2, -1, 4, -1, -3]), -0.0)


def test_arrays_as_long_as_each_of_two_loops_says() -> None:
    def f(c):
        for i in range(len(c)):
            c[i:, i] = c[: len(c) - i, i] * 0.5
        for k in range(len(c)):
            c[k:, k] = c[: len(c) - k, k] + 1.0

    for n in (0, 1, 2, 9):
        check(f, np.arange(float(n * n)).reshape(n, n))


def test_arrays_that_change_places_with_others_on_some_paths() -> None:
    def f(a, b, m, p, n):
        for i1, x1 in zip(a, b):
            for i0, x0 in zip(a, a):
                if n == 4.0 or b[i0 - 1] > i1:
                    a[:] = b
                if a.sum() > 0.5:
                    m[3] = p
                if b.sum() > i0:
                    continue
            if x0 > i1:
                break
            x0 -= 4.0 if p.ndim == 2 else i1
        for i1 in range(x1):
            if x0 % 2 == 0:
                p = np.convolve((b >> 1), [1, 2, 1], mode="same")
                a[(np.minimum(p, 0.5) == x0)] %= x1 & 3
            else:
                if a.size:
                    m[0] = np.full_like(b, 3)
                    x1 = np.sum((a <= 0) & (b >= i1))
                else:
                    m, a = a, m
            m[1] = b.ravel()
            if x0 == i1:
                break
            if x1 >= 3:
                if (a < x1).all():
                    p[np.argsort(b, kind="stable")] += 2
            else:
                if i1 > -1.5 <= x1:
                    a, p = p, a
        return a

    a = np.repeat(np.array([4, -2, -2, 9, 3, 1, 3, 6]), 2)[::2]
    m = (np.arange(64.0).astype(np.float32) % 23).reshape(8, 8)
    check(f, a, np.array([6, -3, 5, 7, 6, 8, 2, -4]), m, np.arange(8) - 6, 4)
