"""Image processing: a photograph as a drawing, in ten statements of blurs, gradients and thresholds."""

import numpy as np

PRESETS = {"tiny": {"n": 16}, "S": {"n": 100}, "M": {"n": 1000}, "L": {"n": 3000}}
CHANGES = ()


def initialize(n):
    y, x = np.mgrid[0:n, 0:n] / n
    rings = np.sin(40 * np.hypot(x - 0.4, y - 0.6))
    return {"image": rings + 0.1 * np.random.default_rng(23).random((n, n)), "contrast": 1.5}


def outline_drawing(image, contrast):
    wide = (image[:, :-2] + 2 * image[:, 1:-1] + image[:, 2:]) / 4
    smooth = (wide[:-2] + 2 * wide[1:-1] + wide[2:]) / 4
    dx = smooth[1:-1, 2:] - smooth[1:-1, :-2]
    dy = smooth[2:, 1:-1] - smooth[:-2, 1:-1]
    strength = np.sqrt(dx * dx + dy * dy)
    around = (strength[:, :-2] + strength[:, 1:-1] + strength[:, 2:]) / 3
    mean = (around[:-2] + around[1:-1] + around[2:]) / 3
    lines = np.where(strength[1:-1, 1:-1] > contrast * mean, strength[1:-1, 1:-1], 0.0)
    laplace = smooth[1:-3, 2:-2] + smooth[3:-1, 2:-2] + smooth[2:-2, 1:-3] + smooth[2:-2, 3:-1]
    sharp = 1.5 * smooth[2:-2, 2:-2] - 0.125 * laplace
    return sharp * (1 - np.minimum(lines, 1.0)) - lines
