"""Finance: a trading rule on moving averages, with costs, a stop and the drawdown."""

import numpy as np

PRESETS = {"tiny": {"n": 60}, "S": {"n": 5_000}, "M": {"n": 200_000}}
CHANGES = ()


def initialize(n):
    returns = np.random.default_rng(9).standard_normal(n) * 0.01
    return {"prices": 100 * np.exp(np.cumsum(returns)), "fast": 10, "slow": 40, "cost": 0.001, "stop": 0.05}


def moving_average(x, n):
    sums = np.cumsum(np.insert(x, 0, 0.0))
    return (sums[n:] - sums[:-n]) / n


def crossover_backtest(prices, fast, slow, cost, stop):
    quick = moving_average(prices, fast)[slow - fast :]
    steady = moving_average(prices, slow)
    prices = prices[slow - 1 :]
    cash, shares, entry, trades = 1.0, 0.0, 0.0, 0
    wealth = np.empty(len(prices))
    for t in range(len(prices)):
        price = prices[t]
        if shares == 0 and quick[t] > steady[t]:
            shares, cash, entry = cash * (1 - cost) / price, 0.0, price
            trades += 1
        elif shares > 0 and (quick[t] < steady[t] or price < entry * (1 - stop)):
            cash, shares = shares * price * (1 - cost), 0.0
            trades += 1
        wealth[t] = cash + shares * price
    peak = np.maximum.accumulate(wealth)
    return wealth[-1], trades, np.max(1 - wealth / peak)
