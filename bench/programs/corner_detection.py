"""Image processing: Harris' measure of corners, and the strongest one of each neighbourhood."""

import numpy as np

PRESETS = {"tiny": {"n": 16}, "S": {"n": 100}, "M": {"n": 1000}, "L": {"n": 3000}}
CHANGES = ()


def initialize(n):
    y, x = np.mgrid[0:n, 0:n] / n
    squares = ((np.floor(8 * x) + np.floor(8 * y)) % 2).astype(float)
    return {"image": squares + 0.1 * np.random.default_rng(21).random((n, n)), "k": 0.05, "least": 0.5}


def sums(u):
    rows = u[:-2] + u[1:-1] + u[2:]
    return rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]


def corner_detection(image, k, least):
    across = image[:-2] + 2 * image[1:-1] + image[2:]
    down = image[:, :-2] + 2 * image[:, 1:-1] + image[:, 2:]
    dx = across[:, 2:] - across[:, :-2]
    dy = down[2:] - down[:-2]
    xx, yy, xy = sums(dx * dx), sums(dy * dy), sums(dx * dy)
    measure = xx * yy - xy * xy - k * (xx + yy) ** 2
    rows = np.maximum(np.maximum(measure[:-2], measure[1:-1]), measure[2:])
    best = np.maximum(np.maximum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:])
    inner = measure[1:-1, 1:-1]
    return np.where((inner == best) & (inner > least), inner, 0.0)
