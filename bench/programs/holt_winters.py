"""Time series: smoothing with trend and season, and the best of a grid of parameters."""

import numpy as np

PRESETS = {"tiny": {"n": 24, "grid": 2}, "S": {"n": 120, "grid": 4}, "M": {"n": 600, "grid": 8}}
CHANGES = ()


def initialize(n):
    t = np.arange(n)
    return {
        "series": 50 + 0.1 * t + 8 * np.sin(t * np.pi / 6) + np.random.default_rng(33).standard_normal(n),
        "period": 12,
    }


def squared_error(series, period, alpha, beta, gamma):
    level = series[:period].mean()
    trend = (series[period : 2 * period].mean() - level) / period
    season = series[:period] - level
    total = 0.0
    for t in range(period, len(series)):
        s = t % period
        forecast = level + trend + season[s]
        error = series[t] - forecast
        total += error * error
        before = level
        level = alpha * (series[t] - season[s]) + (1 - alpha) * (level + trend)
        trend = beta * (level - before) + (1 - beta) * trend
        season[s] = gamma * (series[t] - level) + (1 - gamma) * season[s]
    return total


def holt_winters(series, period, grid):
    values = np.linspace(0.05, 0.95, grid)
    best, chosen = np.inf, (0.0, 0.0, 0.0)
    for alpha in values:
        for beta in values:
            for gamma in values:
                error = squared_error(series, period, alpha, beta, gamma)
                if error < best:
                    best, chosen = error, (alpha, beta, gamma)
    return best, chosen
