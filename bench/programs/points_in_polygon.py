"""Geometry: which points lie in a polygon, by counting crossings of a ray."""

import numpy as np

PRESETS = {"tiny": {"n": 20, "corners": 5}, "S": {"n": 500, "corners": 40}, "M": {"n": 3_000, "corners": 80}}
CHANGES = ()


def initialize(n, corners):
    rng = np.random.default_rng(30)
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    radius = rng.uniform(0.5, 1, corners)
    polygon = np.column_stack((radius * np.cos(angle), radius * np.sin(angle)))
    return {"points": rng.uniform(-1, 1, (n, 2)), "polygon": polygon}


def inside(x, y, polygon):
    odd = False
    j = len(polygon) - 1
    for i in range(len(polygon)):
        xi, yi = polygon[i]
        xj, yj = polygon[j]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            odd = not odd
        j = i
    return odd


def points_in_polygon(points, polygon):
    found = np.zeros(len(points), dtype=bool)
    for k, (x, y) in enumerate(points):
        found[k] = inside(x, y, polygon)
    return found, found.mean() * 4
