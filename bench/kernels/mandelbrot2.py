"""Mandelbrot set on a shrinking list of the points that have not escaped."""

import numpy as np

PRESETS = {
    "tiny": {"xmin": -2.0, "xmax": 0.5, "XN": 12, "ymin": -1.25, "ymax": 1.25, "YN": 11, "maxiter": 9, "horizon": 2.0},
    "S": {"xmin": -2.0, "xmax": 0.5, "XN": 200, "ymin": -1.25, "ymax": 1.25, "YN": 200, "maxiter": 40, "horizon": 2.0},
    "M": {"xmin": -2.0, "xmax": 0.5, "XN": 500, "ymin": -1.25, "ymax": 1.25, "YN": 500, "maxiter": 80, "horizon": 2.0},
    "L": {
        "xmin": -2.25,
        "xmax": 0.75,
        "XN": 1000,
        "ymin": -1.5,
        "ymax": 1.5,
        "YN": 1000,
        "maxiter": 100,
        "horizon": 2.0,
    },
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


def mandelbrot2(xmin, xmax, ymin, ymax, XN, YN, maxiter, horizon):
    grid = np.linspace(xmin, xmax, XN)[:, np.newaxis] + 1j * np.linspace(ymin, ymax, YN)
    c = grid.ravel()
    z = np.zeros_like(c)
    point = np.arange(c.size)
    last = np.zeros(c.size, dtype=np.complex128)
    steps = np.zeros(c.size, dtype=np.int64)
    for n in range(maxiter):
        if z.size == 0:
            break
        z = z * z + c
        escaped = np.abs(z) > horizon
        steps[point[escaped]] = n + 1
        last[point[escaped]] = z[escaped]
        stay = ~escaped
        z, c, point = z[stay], c[stay], point[stay]
    return last.reshape(XN, YN).T, steps.reshape(XN, YN).T
