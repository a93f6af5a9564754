"""Machine learning: a small network learns a function by gradient descent in batches."""

import numpy as np

PRESETS = {"tiny": {"n": 32, "epochs": 1}, "S": {"n": 512, "epochs": 5}, "M": {"n": 8_192, "epochs": 10}}
CHANGES = ()


def initialize(n):
    rng = np.random.default_rng(32)
    x = rng.uniform(-2, 2, (n, 2))
    weights = [rng.standard_normal((2, 16)) * 0.5, np.zeros(16), rng.standard_normal((16, 1)) * 0.5, np.zeros(1)]
    return {"x": x, "y": np.sin(x[:, :1]) * x[:, 1:], "weights": weights, "rate": 0.05, "batch": 32}


def train_network(x, y, weights, rate, batch, epochs):
    W1, b1, W2, b2 = [w.copy() for w in weights]
    losses = []
    for _ in range(epochs):
        loss = 0.0
        for start in range(0, len(x), batch):
            xb, yb = x[start : start + batch], y[start : start + batch]
            hidden = np.tanh(xb @ W1 + b1)
            error = hidden @ W2 + b2 - yb
            loss += (error**2).sum()
            grad = 2 * error / len(xb)
            back = (grad @ W2.T) * (1 - hidden**2)
            W2 -= rate * hidden.T @ grad
            b2 -= rate * grad.sum(axis=0)
            W1 -= rate * xb.T @ back
            b1 -= rate * back.sum(axis=0)
        losses.append(loss / len(x))
    return np.array(losses), W1, W2
