"""Functions whose `explain()` is compared whole: each shows one thing that is told, or several together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def chain(a, b):
    c = a + b
    d = c * 2
    return d - a


def stencil(a, b, steps):
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[2:]) / 2
        a[1:-1] = (b[:-2] + b[2:]) / 2


def running(a):
    for i in range(1, len(a)):
        a[i] += a[i - 1]


def independent(a, b, n):
    for i in range(n):
        b[i] = np.sqrt(a[i]) + i


def overlapping(a):
    a[1:] = a[:-1] * 2


def products(a, b, v):
    return a @ b @ v


def selected(a):
    positive = a[a > 0]
    return positive.sum(), len(positive)


def looked_up(table, places):
    return table[places]


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def grows(n):
    found = []
    for k in range(n):
        found.append(str(k))
    return found


def drawn(n, rng):
    total = 0.0
    for _ in range(n):
        total += rng.random()
    return total


def newton(x):
    y = x
    while abs(y * y - x) > 1e-9:
        y = (y + x / y) / 2
    return y


def rebound(a, steps):
    b = a
    for _ in range(steps):
        b = b * 2 + a
    return b


def columns(a):
    return a.mean(axis=0)


def scaled(x, by):
    return x * by


def helped(a, b):
    a[:] = scaled(a, 2)
    b[:] = scaled(b, 3)


def unrolled(a):
    total = 0.0
    for by in (1, 2):
        total += (a * by).sum()
    return total


def leaves_early(a, least):
    for i in range(len(a)):
        if a[i] < least:
            break
        a[i] = 0.0
    return a


class Tank:
    """A basin with water: heights, velocities, and the time."""

    def __init__(self, n):
        self.h = np.ones(n)
        self.v = np.zeros(n)
        self.t = 0.0

    def step(self, dt):
        self.v[1:] -= dt * (self.h[1:] - self.h[:-1])
        self.h[:-1] -= dt * (self.v[1:] - self.v[:-1])
        self.t += dt


def simulated(tank, n, dt):
    for _ in range(n):
        tank.step(dt)
    return tank.h.max()


def counted(x, bins, low, high):
    h = np.zeros(bins, dtype=np.int64)
    w = (high - low) / bins
    for v in x:
        k = int((v - low) / w)
        if 0 <= k < bins:
            h[k] += 1
    return h


def scattered(table, places, out):
    out[places] = table[places] * 2.0
    return out[::2].mean()


def until_small(x, tol):
    n = np.zeros(x.shape[0], dtype=np.int64)
    for i in range(x.shape[0]):
        s = x[i, 0]
        k = 0
        while abs(s) > tol and k < 1000:
            s = s * 0.5 + 0.1 * x[i, k % x.shape[1]]
            k += 1
        n[i] = k
    return n


CALLS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    f.__name__: (f, arguments)
    for f, arguments in (
        (chain, lambda: (np.ones(5), np.ones(5))),
        (stencil, lambda: (np.ones(9), np.ones(9), 3)),
        (running, lambda: (np.ones(5),)),
        (independent, lambda: (np.ones(5), np.ones(5), 5)),
        (overlapping, lambda: (np.ones(5),)),
        (products, lambda: (np.ones((3, 4)), np.ones((4, 5)), np.ones(5))),
        (selected, lambda: (np.ones(5),)),
        (looked_up, lambda: (np.ones(5), np.array([1, 2]))),
        (softmax, lambda: (np.ones((3, 4)),)),
        (grows, lambda: (4,)),
        (drawn, lambda: (4, np.random.default_rng(0))),
        (newton, lambda: (2.0,)),
        (rebound, lambda: (np.ones(4), 3)),
        (columns, lambda: (np.ones((3, 4)),)),
        (helped, lambda: (np.ones(4), np.ones(5))),
        (unrolled, lambda: (np.ones(4),)),
        (leaves_early, lambda: (np.ones(4), 0.5)),
        (simulated, lambda: (Tank(5), 3, 0.1)),
        (counted, lambda: (np.ones(5), 4, 0.0, 2.0)),
        (scattered, lambda: (np.ones(5), np.array([1, 2]), np.ones(6))),
        (until_small, lambda: (np.ones((3, 4)), 1e-3)),
    )
}
