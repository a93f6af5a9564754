"""Image processing: edges made stronger, where they are not noise."""

import numpy as np

PRESETS = {"tiny": {"n": 16}, "S": {"n": 100}, "M": {"n": 1000}, "L": {"n": 3000}}
CHANGES = ()


def initialize(n):
    y, x = np.mgrid[0:n, 0:n] / n
    return {"image": np.sin(9 * x) * np.cos(7 * y) + 0.02 * np.random.default_rng(22).random((n, n)), "amount": 0.7}


def blurred(u):
    h = (u[:, :-4] + 4 * u[:, 1:-3] + 6 * u[:, 2:-2] + 4 * u[:, 3:-1] + u[:, 4:]) / 16
    return (h[:-4] + 4 * h[1:-3] + 6 * h[2:-2] + 4 * h[3:-1] + h[4:]) / 16


def unsharp_mask(image, amount):
    smooth = blurred(image)
    inner = image[2:-2, 2:-2]
    difference = inner - smooth
    sharper = inner + amount * difference
    return np.where(np.abs(difference) < 0.005, inner, np.clip(sharper, -1.0, 1.0))
