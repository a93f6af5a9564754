"""Optimization: the simplex method of Nelder and Mead on a function that is passed in."""

import numpy as np

PRESETS = {"tiny": {"n": 2, "most": 20}, "S": {"n": 4, "most": 400}, "M": {"n": 8, "most": 6_000}}
CHANGES = ()


def initialize(n):
    return {"f": rosenbrock, "start": np.linspace(-1.2, 1.5, n)}


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def nelder_mead(f, start, most):
    n = len(start)
    simplex = np.empty((n + 1, n))
    simplex[0] = start
    for i in range(n):
        simplex[i + 1] = start
        simplex[i + 1, i] += 0.5
    values = np.array([f(p) for p in simplex])
    for _ in range(most):
        order = np.argsort(values)
        simplex, values = simplex[order], values[order]
        if values[-1] - values[0] < 1e-12:
            break
        middle = simplex[:-1].mean(axis=0)
        mirrored = middle + (middle - simplex[-1])
        fm = f(mirrored)
        if fm < values[0]:
            further = middle + 2 * (middle - simplex[-1])
            fe = f(further)
            if fe < fm:
                simplex[-1], values[-1] = further, fe
            else:
                simplex[-1], values[-1] = mirrored, fm
        elif fm < values[-2]:
            simplex[-1], values[-1] = mirrored, fm
        else:
            inside = middle + 0.5 * (simplex[-1] - middle)
            fi = f(inside)
            if fi < values[-1]:
                simplex[-1], values[-1] = inside, fi
            else:
                for i in range(1, n + 1):
                    simplex[i] = simplex[0] + 0.5 * (simplex[i] - simplex[0])
                    values[i] = f(simplex[i])
    return simplex[0], values[0]
