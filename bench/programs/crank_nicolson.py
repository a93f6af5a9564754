"""Quantum mechanics: a wave packet at a barrier, implicit steps with complex tridiagonal systems."""

import numpy as np

PRESETS = {"tiny": {"n": 20, "steps": 2}, "S": {"n": 400, "steps": 20}, "M": {"n": 2000, "steps": 60}}
CHANGES = ()


def initialize(n):
    x = np.linspace(-10, 10, n)
    psi = np.exp(-((x + 4) ** 2) + 3j * x)
    return {"psi": psi / np.sqrt((abs(psi) ** 2).sum()), "potential": np.where(abs(x) < 0.5, 6.0, 0.0), "dt": 0.01}


def solve_tridiagonal(side, diagonal, right):
    n = len(right)
    c = np.empty(n, dtype=complex)
    d = np.empty(n, dtype=complex)
    c[0] = side / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - side * c[i - 1]
        c[i] = side / m
        d[i] = (right[i] - side * d[i - 1]) / m
    x = np.empty(n, dtype=complex)
    x[-1] = d[-1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


def crank_nicolson(psi, potential, dt, steps):
    n = len(psi)
    dx = 20 / (n - 1)
    r = 1j * dt / (4 * dx**2)
    transmitted = []
    for _ in range(steps):
        right = (1 - 2 * r - 0.5j * dt * potential) * psi
        right[1:] += r * psi[:-1]
        right[:-1] += r * psi[1:]
        psi = solve_tridiagonal(-r, 1 + 2 * r + 0.5j * dt * potential, right)
        transmitted.append((np.abs(psi[n // 2 :]) ** 2).sum())
    return psi, transmitted
