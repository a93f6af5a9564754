"""Graphs: ranks of pages from a list of links, repeated until they settle."""

import numpy as np

PRESETS = {"tiny": {"n": 10, "links": 40}, "S": {"n": 500, "links": 4_000}, "M": {"n": 10_000, "links": 100_000}}
CHANGES = ()


def initialize(n, links):
    rng = np.random.default_rng(16)
    return {"source": rng.integers(0, n, links), "target": (rng.pareto(1.5, links) * 5).astype(int) % n}


def page_ranks(source, target, n):
    degree = np.zeros(n)
    for s in source:
        degree[s] += 1
    rank = np.full(n, 1 / n)
    for iteration in range(100):
        new = np.zeros(n)
        for k in range(len(source)):
            new[target[k]] += rank[source[k]] / degree[source[k]]
        lost = rank[degree == 0].sum()
        new = 0.15 / n + 0.85 * (new + lost / n)
        if np.abs(new - rank).sum() < 1e-4:
            break
        rank = new
    return rank, iteration, np.argsort(-rank, kind="stable")[:10]
