"""Mandelbrot set on the whole grid, with a mask of the points that have not escaped."""

import numpy as np

PRESETS = {
    "tiny": {"xmin": -1.75, "xmax": 0.25, "XN": 12, "ymin": -1.0, "ymax": 1.0, "YN": 11, "maxiter": 9, "horizon": 2.0},
    "S": {"xmin": -1.75, "xmax": 0.25, "XN": 125, "ymin": -1.0, "ymax": 1.0, "YN": 125, "maxiter": 60, "horizon": 2.0},
    "M": {"xmin": -1.75, "xmax": 0.25, "XN": 250, "ymin": -1.0, "ymax": 1.0, "YN": 250, "maxiter": 150, "horizon": 2.0},
    "L": {"xmin": -2.0, "xmax": 0.5, "XN": 833, "ymin": -1.25, "ymax": 1.25, "YN": 833, "maxiter": 200, "horizon": 2.0},
    "paper": {
        "xmin": -2.25,
        "xmax": 0.75,
        "XN": 1000,
        "ymin": -1.25,
        "ymax": 1.25,
        "YN": 1000,
        "maxiter": 200,
        "horizon": 2.0,
    },
}
CHANGES = ()


def initialize():
    return {}


def mandelbrot1(xmin, xmax, ymin, ymax, XN, YN, maxiter, horizon):
    c = np.linspace(xmin, xmax, XN) + 1j * np.linspace(ymin, ymax, YN)[:, np.newaxis]
    z = np.zeros_like(c)
    steps = np.zeros(c.shape, dtype=np.int64)
    for n in range(maxiter):
        inside = np.abs(z) < horizon
        steps[inside] = n
        z[inside] = z[inside] ** 2 + c[inside]
    steps[steps == maxiter - 1] = 0
    return z, steps
