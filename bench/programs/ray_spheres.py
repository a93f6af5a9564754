"""Geometry: a picture of spheres with light and shadow, pixel by pixel."""

import numpy as np

PRESETS = {"tiny": {"n": 6}, "S": {"n": 24}, "M": {"n": 80}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(31)
    centers = rng.uniform(-2, 2, (8, 3)) + np.array([0, 0, 6])
    light = np.array([1.0, 1.0, -1.0])
    return {"centers": centers, "radii": rng.uniform(0.3, 0.8, 8), "light": light / np.sqrt(3)}


def hit(origin, direction, centers, radii):
    best, which = np.inf, -1
    for k in range(len(radii)):
        to = origin - centers[k]
        b = np.dot(to, direction)
        disc = b * b - np.dot(to, to) + radii[k] ** 2
        if disc > 0:
            t = -b - np.sqrt(disc)
            if 1e-6 < t < best:
                best, which = t, k
    return best, which


def ray_spheres(centers, radii, light, n):
    image = np.zeros((n, n))
    origin = np.zeros(3)
    for i in range(n):
        for j in range(n):
            direction = np.array([2 * j / n - 1, 1 - 2 * i / n, 1.5])
            direction /= np.linalg.norm(direction)
            t, k = hit(origin, direction, centers, radii)
            if k >= 0:
                point = origin + t * direction
                normal = (point - centers[k]) / radii[k]
                brightness = max(0.0, np.dot(normal, light))
                if brightness > 0 and hit(point + 1e-4 * normal, light, centers, radii)[1] >= 0:
                    brightness = 0.0
                image[i, j] = 0.1 + 0.9 * brightness
    return image
