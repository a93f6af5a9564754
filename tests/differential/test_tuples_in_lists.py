"""Tuples and named tuples that lists, dicts and sets of Python hold: what they are made of, and which object they are."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict, namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check

Point = namedtuple("Point", "x y w")


class Vector(NamedTuple):
    x: float
    y: float = 1.0

    @property
    def norm(self) -> float:
        return math.hypot(self.x, self.y)

    def plus(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y)

    def __add__(self, other: Any) -> Any:
        return self.plus(other)

    def __lt__(self, other: Any) -> bool:
        return self.norm < other.norm


class Special(Vector):
    pass


X = np.random.default_rng(3).normal(size=12)
I = np.arange(12) * 7 % 5 - 2  # noqa: E741


def stored(x: np.ndarray) -> Any:
    points = [Point(a, b, a * b) for a, b in zip(x[::2], x[1::2])]
    grown = []
    for k in range(len(x) - 1):
        grown.append(Point(x[k], k, float(k)))
        if x[k] > 0:
            grown[-1] = grown[-1]._replace(w=9.5)
    grown.sort(key=lambda p: p.x)
    a, b, c = grown[0]
    print(grown[1], grown[-1].y, len(grown[0]))
    by_y = {p.y: p for p in grown}
    copies = [Point(*p) for p in points], [Point._make(p) for p in points], [math.hypot(*p) for p in points]
    largest = max(points, key=lambda p: p.w).x
    return a, b, c, copies, largest, grown[2], by_y[3].w, max(grown), grown[0] == grown[0], grown[1]._asdict()


def methods(x: np.ndarray) -> Any:
    vectors = [Vector(a) for a in x]
    total = Vector(0.0, 0.0)
    for v in vectors:
        total = total + v
    groups: dict[int, list[Any]] = {}
    for k, v in enumerate(vectors):
        groups.setdefault(k % 3, []).append(v)
    norms = {k: sum((q.norm for q in g), 0.0) for k, g in groups.items()}
    return total, min(vectors), sorted(vectors)[-1], norms, vectors[0] < vectors[1], total.plus(vectors[3])


def two_classes(x: np.ndarray) -> Any:
    both = [Special(a, b) if a > 0 else Vector(b, a) for a, b in zip(x, x[1:])]
    return both, both[0].norm, [type(v).__name__ for v in both]


def arrays_in_them(x: np.ndarray) -> Any:
    best = None
    for k, a in enumerate(x):
        here = Point(k, a, x[:2] * k)
        if best is None or here.y > best.y:
            best = here
    stack = [best]
    stack.append(Point(1, 2.0, x))
    top = stack.pop()
    top.w[0] = 77
    return best, stack, top.w is x


def containers(x: np.ndarray) -> Any:
    groups = defaultdict(list)
    for v in x:
        groups[int(v) % 3].append(Point(v, float(v), None))
    edges = [Point(i, j, i * j) for i in range(3) for j in range(i)]
    heap: list[Any] = []
    for k, v in enumerate(x):
        heapq.heappush(heap, Point(v, k, None))
    ordered = [heapq.heappop(heap) for _ in range(len(heap))]
    found = edges.index(Point(1, 0, 0)), Point(2, 1, 2) in edges, edges.count(Point(0, 0, 0))
    return {k: [p.x for p in g] for k, g in sorted(groups.items())}, np.array(edges), ordered, found, {edges[0]: 1}


def argument(points: list[Any]) -> Any:
    points.append(Point(5, 6.0, 7))
    s = 0.0
    for p in points:
        s += p.x * p.w
    for _, y, _ in points:
        s -= y
    return s, isinstance(points[0], Point), isinstance(points[0], tuple), points[0] + (1,), points[0][1:]


def test_named_tuples_in_containers() -> None:
    for f in (stored, methods, two_classes, arrays_in_them):
        check(f, X)
    check(containers, I)
    check(argument, [Point(1, 2.0, 3), Point(3, 4.0, 5)], also=[([],)])


def others(x: np.ndarray) -> Any:
    points, pairs = [], []
    for k in range(len(x) - 1):
        points.append(Point(x[k], k, float(k)))
        pairs.append((x[k], k))
    best, least = max(points), min(pairs)
    points.append(best)
    kept = [p.y for p in points if p is not best], [q[1] for q in pairs if q is least]
    return kept, points[0] is points[0], points[1] is points[0], points[-1] is best, pairs[2] is pairs[2]


def made_here(x: np.ndarray) -> Any:
    kept = []
    for _ in range(3):
        p = Point(x[0], x[1], [3])
        kept.append(p)
    return [q is p for q in kept]


def test_which_tuple_of_a_list() -> None:
    check(others, X)
    with pytest.raises(sol.UnsupportedError, match="tuples that may or may not be one object"):
        sol.jit(strict=True)(made_here)(X)


def compared(a: np.ndarray, n: int) -> Any:
    d: dict[Any, Any] = {1: None}
    v = d.pop("z", a[:-1])
    rows = [(a, 3), (v, n)]
    same = [(a, 3), (v, n)]
    for i in range(3):
        d[i] = str(i)
    return rows == rows, rows == same, (d[1],) != (d[1],), [d[0]] == [d[1]]


def stored_under_a_slice(n: int) -> Any:
    d: Any = {"p": 1}
    d[:] = n
    return d


def test_items_are_compared_as_objects_first() -> None:
    check(compared, np.arange(4.0), 3)
    check(stored_under_a_slice, 3, or_refused=True)  # a key since Python 3.12
