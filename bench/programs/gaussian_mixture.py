"""Statistics: two normal populations told apart by expectation and maximization."""

import numpy as np

PRESETS = {"tiny": {"n": 30, "rounds": 3}, "S": {"n": 3_000, "rounds": 30}, "M": {"n": 200_000, "rounds": 30}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(21)
    return {"x": np.concatenate((rng.normal(-2, 1, n // 3), rng.normal(3, 1.5, n - n // 3)))}


def density(x, mean, deviation):
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))


def gaussian_mixture(x, rounds):
    share = 0.5
    mean = np.array([x.min(), x.max()])
    deviation = np.array([x.std(), x.std()])
    likelihood = np.zeros(rounds)
    for r in range(rounds):
        first = share * density(x, mean[0], deviation[0])
        second = (1 - share) * density(x, mean[1], deviation[1])
        belongs = first / (first + second)
        share = belongs.mean()
        for k, w in enumerate((belongs, 1 - belongs)):
            mean[k] = (w * x).sum() / w.sum()
            deviation[k] = np.sqrt((w * (x - mean[k]) ** 2).sum() / w.sum())
        likelihood[r] = np.log(first + second).sum()
    return share, mean, deviation, likelihood
