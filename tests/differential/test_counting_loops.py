"""Loops that count: integers added to places that the data name, by several threads if there are many."""

from __future__ import annotations

import numpy as np

from tests.oracle import check

LEVELS = np.random.default_rng(3).integers(0, 256, 400_000).astype(np.uint8)


def test_counting_what_a_loop_meets() -> None:
    def f(x):
        counts = np.zeros(256, np.intp)
        for k in range(x.size):
            counts[x[k]] += 1
        return counts

    check(f, LEVELS)


def test_counting_in_the_innermost_of_three_loops() -> None:
    def f(x, counts):
        for r in range(2):
            for c in range(2):
                part = x[r::2][c::2]
                for k in range(part.size):
                    counts[r, c, part[k]] += 3

    check(f, LEVELS, np.zeros((2, 2, 256), np.int32))


def test_counts_that_the_loop_looks_at() -> None:
    def f(x):
        counts = np.zeros(256, np.int64)
        rank = np.empty(x.size, np.int64)
        for k in range(x.size):
            counts[x[k]] += 1
            rank[k] = counts[x[k]]
        return counts, rank

    check(f, LEVELS[:3000])


def test_counts_in_the_memory_of_what_is_counted() -> None:
    def f(x):
        for k in range(x.size):
            x[x[k]] += 1

    check(f, np.arange(7)[::-1].copy())


def test_equalizing_by_a_table_of_the_levels_of_each_tile() -> None:
    def f(x):
        out = np.empty_like(x)
        for r in range(2):
            part = x[r * 200 : (r + 1) * 200]
            scan = np.cumsum(np.bincount(part.ravel(), minlength=256))
            out[r * 200 : (r + 1) * 200] = np.clip(np.round(scan * 255 / part.size), 0, 255).astype(np.uint8)[part]
        return out

    check(f, LEVELS.reshape(400, 1000))
