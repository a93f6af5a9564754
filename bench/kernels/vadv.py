"""Vertical advection of a weather model: a tridiagonal system in every column, solved by the Thomas algorithm."""

import numpy as np

PRESETS = {
    "tiny": {"I": 4, "J": 5, "K": 6},
    "S": {"I": 60, "J": 60, "K": 40},
    "M": {"I": 112, "J": 112, "K": 80},
    "L": {"I": 180, "J": 180, "K": 160},
    "paper": {"I": 256, "J": 256, "K": 160},
}
CHANGES = ("utens_stage",)


def initialize(I, J, K):
    rng = np.random.default_rng(7)
    fields = {name: rng.random((I, J, K)) for name in ("utens_stage", "u_stage", "u_pos", "utens")}
    return fields | {"wcon": rng.random((I + 1, J, K)), "dtr_stage": 3.0 / 20.0}


def vadv(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    I, J, K = utens_stage.shape
    wind = 0.125 * (wcon[1:] + wcon[:-1])
    upper = np.empty((I, J, K))
    right = np.empty((I, J, K))

    for k in range(K):
        diagonal = np.full((I, J), dtr_stage)
        value = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k]
        if k < K - 1:
            upper[:, :, k] = wind[:, :, k + 1]
            diagonal -= wind[:, :, k + 1]
            value -= wind[:, :, k + 1] * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        if k > 0:
            lower = -wind[:, :, k]
            diagonal -= lower + lower * upper[:, :, k - 1]
            value -= lower * (u_stage[:, :, k - 1] - u_stage[:, :, k] + right[:, :, k - 1])
        if k < K - 1:
            upper[:, :, k] /= diagonal
        right[:, :, k] = value / diagonal

    column = right[:, :, K - 1]
    utens_stage[:, :, K - 1] = dtr_stage * (column - u_pos[:, :, K - 1])
    for k in range(K - 2, -1, -1):
        column = right[:, :, k] - upper[:, :, k] * column
        utens_stage[:, :, k] = dtr_stage * (column - u_pos[:, :, k])
