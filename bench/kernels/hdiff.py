"""Horizontal diffusion with limited fluxes, as in weather models."""

import numpy as np

PRESETS = {
    "tiny": {"I": 6, "J": 7, "K": 4},
    "S": {"I": 64, "J": 64, "K": 60},
    "M": {"I": 128, "J": 128, "K": 160},
    "L": {"I": 384, "J": 384, "K": 160},
    "paper": {"I": 256, "J": 256, "K": 160},
}
CHANGES = ("out_field",)


def initialize(I, J, K):
    rng = np.random.default_rng(7)
    return {
        "in_field": rng.random((I + 4, J + 4, K)),
        "out_field": np.zeros((I, J, K)),
        "coeff": rng.random((I, J, K)),
    }


def hdiff(in_field, out_field, coeff):
    f = in_field[1:-1, 1:-1]
    lap = 4.0 * f - (in_field[2:, 1:-1] + in_field[:-2, 1:-1] + in_field[1:-1, 2:] + in_field[1:-1, :-2])

    step = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flux_i = np.where(step * (f[1:, 1:-1] - f[:-1, 1:-1]) > 0, 0, step)
    step = lap[1:-1, 1:] - lap[1:-1, :-1]
    flux_j = np.where(step * (f[1:-1, 1:] - f[1:-1, :-1]) > 0, 0, step)

    divergence = flux_i[1:] - flux_i[:-1] + flux_j[:, 1:] - flux_j[:, :-1]
    out_field[:] = f[1:-1, 1:-1] - coeff * divergence
