"""Loops whose bounds depend on loops around them: whether they run at least once decides what a variable is behind them."""

from __future__ import annotations

import numpy as np

from tests.oracle import check

IMAGE = np.random.default_rng(5).random((9, 7))


def windows(image, radius):
    height, width = image.shape
    out = np.zeros_like(image)
    types = []
    for y in range(height):
        for x in range(width):
            total = 0.0
            weight = 0
            for v in range(max(0, y - radius), min(height, y + radius + 1)):
                for u in range(max(0, x - radius), min(width, x + radius + 1)):
                    w = 1.0 / (1 + (y - v) ** 2 + (x - u) ** 2)
                    total += w * image[v, u]
                    weight += w
            out[y, x] = total / weight
        types.append(total)
    return out, types


def test_windows_around_each_point() -> None:
    check(windows, IMAGE, 2, also=[(IMAGE, 0), (IMAGE, 20), (IMAGE[:0], 1), (IMAGE[:, :1], 3)])
    check(windows, IMAGE, 0, also=[(IMAGE, 3)])


def test_windows_that_are_empty() -> None:
    check(windows, IMAGE, -1, also=[(IMAGE, 1), (IMAGE, -4), (IMAGE[:0], -1)])
    check(windows, IMAGE, 1, also=[(IMAGE, -1)])


def test_triangles() -> None:
    def f(a, k):
        last = []
        for i in range(len(a)):
            s = 0
            for j in range(i + 1):
                s = s + a[j]
            t = 0
            for j in range(i):
                t = t + a[j]
            u = 0
            for j in range(i, k):
                u = a[i] * j
            last.append((s, t, u))
        return last

    check(f, IMAGE[0], 7, also=[(IMAGE[0], 9), (IMAGE[0], 3), (IMAGE[0][:0], 3), (IMAGE[0], 0)])
    check(f, IMAGE[0], 0, also=[(IMAGE[0], 7)])


def test_a_variable_that_only_the_loop_binds() -> None:
    def f(n, width):
        found = []
        for i in range(n):
            for j in range(max(i - width, 0), min(i + width, n)):
                last = i * 10 + j
            found.append(last)
        return found

    check(f, 6, 2, also=[(6, 1), (6, 0), (1, 1), (0, 0)])
    check(f, 6, 0, also=[(6, 2)])


def test_the_bounds_change_in_the_loop_around() -> None:
    def f(a, n):
        out = []
        for i in range(n):
            s = 0
            for j in range(i, n):
                s = s + a[j]
                n = 2 if i == 1 else n
            out.append(s)
        return out, n

    check(f, IMAGE[0], 5, also=[(IMAGE[0], 1), (IMAGE[0], 0)])


def test_loops_that_are_left_early() -> None:
    def f(a, k):
        found = []
        for i in range(len(a)):
            best = None
            for j in range(max(0, i - k), i + 1):
                if a[j] > 0.7:
                    break
                best = a[j]
            else:
                best = i
            found.append(best)
        return found

    check(f, IMAGE[0], 2, also=[(IMAGE[0], 0), (IMAGE[0], -1), (IMAGE[1], 7)])
