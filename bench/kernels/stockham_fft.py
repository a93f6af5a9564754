"""Stockham's self-sorting fast Fourier transform of R**K points in radix R."""

import numpy as np

PRESETS = {
    "tiny": {"R": 2, "K": 5},
    "S": {"R": 2, "K": 15},
    "M": {"R": 2, "K": 18},
    "L": {"R": 2, "K": 21},
    "paper": {"R": 4, "K": 10},
}
CHANGES = ("y",)


def initialize(R, K):
    rng = np.random.default_rng(7)
    N = R**K
    return {"N": N, "x": rng.random(N) + 1j * rng.random(N), "y": np.zeros(N, dtype=np.complex128)}


def stockham_fft(N, R, K, x, y):
    digit = np.arange(R)
    butterfly = np.exp(-2j * np.pi / R * np.outer(digit, digit))
    y[:] = x
    for stage in range(K):
        done = R**stage
        rest = N // (done * R)
        split = y.reshape(done, R, rest).transpose(1, 0, 2)
        twiddle = np.exp(-2j * np.pi / (done * R) * np.outer(digit, np.arange(done)))
        turned = split * twiddle[:, :, np.newaxis]
        y[:] = (butterfly @ turned.reshape(R, N // R)).reshape(N)
