"""Statistics: confidence of a median by resampling, with a generator of NumPy's inside."""

import numpy as np

PRESETS = {"tiny": {"n": 20, "rounds": 10}, "S": {"n": 200, "rounds": 300}, "M": {"n": 2_000, "rounds": 5_000}}
CHANGES = ()


def initialize(n):
    return {"sample": np.random.default_rng(20).lognormal(0, 1, n), "seed": 1}


def bootstrap_median(sample, rounds, seed):
    rng = np.random.default_rng(seed)
    medians = np.empty(rounds)
    for r in range(rounds):
        again = sample[rng.integers(0, len(sample), len(sample))]
        medians[r] = np.median(again)
    low, high = np.percentile(medians, [2.5, 97.5])
    return {"median": np.median(sample), "low": low, "high": high}
