"""Geometry: the convex hull of points by the monotone chain, its area and its diameter."""

import numpy as np

PRESETS = {"tiny": {"n": 12}, "S": {"n": 2_000}, "M": {"n": 100_000}}
CHANGES = ()


def initialize(n):
    return {"points": np.random.default_rng(29).standard_normal((n, 2))}


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def half_hull(points):
    chain = np.empty_like(points)
    size = 0
    for p in points:
        while size >= 2 and cross(chain[size - 2], chain[size - 1], p) <= 0:
            size -= 1
        chain[size] = p
        size += 1
    return chain[: size - 1]


def convex_hull(points):
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    hull = np.concatenate((half_hull(ordered), half_hull(ordered[::-1])))
    x, y = hull[:, 0], hull[:, 1]
    area = 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    diameter = np.sqrt(((hull[:, None] - hull[None]) ** 2).sum(-1)).max()
    return hull, area, diameter
