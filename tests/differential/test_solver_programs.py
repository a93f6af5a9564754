"""Solvers as people write them: integrators with tableaus in lists, searches over lists of points, lattices of particles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check

INTERPRETED = {"target": "interpreter"}


def adaptive(start: Any, end: float, tolerance: float) -> Any:
    nodes = [0, 1 / 2, 3 / 4, 1]
    rows = [[], [1 / 2], [0, 3 / 4], [2 / 9, 1 / 3, 4 / 9]]
    third = [2 / 9, 1 / 3, 4 / 9, 0]
    second = [7 / 24, 1 / 4, 1 / 3, 1 / 8]

    def rhs(t, y):
        return np.array([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    t = 0.0
    y = np.array(start, float)
    h = 0.1
    times = [t]
    states = [y]
    while t < end:
        h = min(h, end - t)
        k = []
        for i in range(4):
            at = y.copy()
            for j in range(i):
                at = at + h * rows[i][j] * k[j]
            k.append(rhs(t + nodes[i] * h, at))
        new = y + h * sum(b * s for b, s in zip(third, k))
        other = y + h * sum(b * s for b, s in zip(second, k))
        error = np.max(np.abs(new - other))
        if error < tolerance:
            t += h
            y = new
            times.append(t)
            states.append(y)
        h *= min(5.0, max(0.2, 0.9 * (tolerance / (error + 1e-300)) ** 0.25))
    return np.array(times), np.array(states)


def tableau(start: np.ndarray, n: int) -> Any:
    weights = [0.5, 0, 0.25, 1, 0.5, 0, 0.125]
    y = start
    for _ in range(n):
        k = []
        for i in range(7):
            k.append(np.array([y[1], i - y[0]]))
        y = y + 0.1 * sum(b * s for b, s in zip(weights, k))
    return y


def downhill(start: Any, step: float, steps: int) -> Any:
    def f(x):
        return float(100.0 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)

    points = [np.array(start, dtype=float)]
    for i in range(len(start)):
        p = np.array(start, dtype=float)
        p[i] += step
        points.append(p)
    for it in range(steps):
        values = [f(p) for p in points]
        points = [points[i] for i in np.argsort(values)]
        values = sorted(values)
        if abs(values[-1] - values[0]) < 1e-12:
            break
        center = np.mean(points[:-1], axis=0)
        reflected = center + (center - points[-1])
        if f(reflected) < values[0]:
            further = center + 2 * (center - points[-1])
            points[-1] = further if f(further) < f(reflected) else reflected
        elif f(reflected) < values[-2]:
            points[-1] = reflected
        else:
            nearer = center + 0.5 * (points[-1] - center)
            if f(nearer) < values[-1]:
                points[-1] = nearer
            else:
                points = [points[0]] + [points[0] + 0.5 * (p - points[0]) for p in points[1:]]
    return points[0], f(points[0]), it


def lattice(nx: int, ny: int, steps: int, tau: float) -> Any:
    c = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    rho = np.ones((nx, ny))
    ux = np.zeros((nx, ny))
    uy = np.zeros((nx, ny))
    ux[:, ny // 2] = 0.1

    def equilibrium(rho, ux, uy):
        f = np.zeros((9, nx, ny))
        for i in range(9):
            cu = c[i, 0] * ux + c[i, 1] * uy
            f[i] = w[i] * rho * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * (ux**2 + uy**2))
        return f

    f = equilibrium(rho, ux, uy)
    for _ in range(steps):
        rho = f.sum(axis=0)
        ux = (f * c[:, 0, None, None]).sum(0) / rho
        uy = (f * c[:, 1, None, None]).sum(0) / rho
        f += (equilibrium(rho, ux, uy) - f) / tau
        for i in range(9):
            f[i] = np.roll(np.roll(f[i], c[i, 0], axis=0), c[i, 1], axis=1)
    return ux, uy, rho


def heated(u: np.ndarray, dx: float, dt: float) -> Any:
    r = dt / dx**2
    if r > 0.5:
        raise ValueError(f"unstable: r={r:.3f} for {len(u)} points {{dx={dx!r}}}")
    u[1:-1] += r * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def test_integrators() -> None:
    check(adaptive, [2.0, 0.0], 1.0, 1e-4, also=[([1, 0], 0.5, 1e-3)], settings=INTERPRETED)
    check(tableau, np.array([2.0, 0.5]), 3)


def test_searches() -> None:
    check(downhill, [-1.2, 1.0], 0.5, 30, also=[([3, 2], 1.0, 5), ([1.0, 2.0], 0.5, 1)], settings=INTERPRETED)


def test_lattices() -> None:
    check(lattice, 8, 6, 2, 0.8, rtol=1e-12, atol=1e-15)


def test_texts_of_errors() -> None:
    for how in ({}, INTERPRETED):
        check(heated, np.ones(4), 0.1, 1.0, raises=ValueError, settings=how)
        check(heated, np.arange(4.0), 1.0, 0.25, settings=how)
