"""Statistics: the posterior of a logistic regression by a random walk, with random numbers drawn before."""

import numpy as np

PRESETS = {"tiny": {"n": 20, "draws": 10}, "S": {"n": 200, "draws": 300}, "M": {"n": 1_000, "draws": 5_000}}
CHANGES = ()


def initialize(n, draws):
    rng = np.random.default_rng(19)
    X = np.column_stack((np.ones(n), rng.standard_normal((n, 3))))
    y = (rng.random(n) < 1 / (1 + np.exp(-X @ np.array([0.5, 1.0, -1.0, 0.2])))).astype(float)
    return {"X": X, "y": y, "steps": 0.1 * rng.standard_normal((draws, 4)), "u": np.log(rng.random(draws))}


def log_posterior(beta, X, y):
    eta = X @ beta
    return np.sum(y * eta - np.log1p(np.exp(eta))) - 0.5 * np.sum(beta**2) / 10


def logistic_mcmc(X, y, steps, u):
    beta = np.zeros(X.shape[1])
    current = log_posterior(beta, X, y)
    chain = np.empty(steps.shape)
    accepted = 0
    for t in range(len(steps)):
        proposal = beta + steps[t]
        new = log_posterior(proposal, X, y)
        if u[t] < new - current:
            beta, current = proposal, new
            accepted += 1
        chain[t] = beta
    half = chain[len(chain) // 2 :]
    return half.mean(axis=0), half.std(axis=0), accepted / len(steps)
