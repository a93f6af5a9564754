"""Instances: mean and variance of a stream, by Welford's updates, for each of several channels."""

import numpy as np

PRESETS = {"tiny": {"n": 20}, "S": {"n": 1_000}, "M": {"n": 50_000}}
CHANGES = ()


class Moments:
    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0

    def add(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    def variance(self):
        return self.m2 / (self.n - 1)


def initialize(n):
    return {"x": np.random.default_rng(3).standard_normal(n)}


def running_moments(x):
    channels = [Moments(), Moments(), Moments()]
    for k in range(len(x)):
        channels[k % 3].add(x[k])
    return [c.mean for c in channels], [c.variance() for c in channels]
