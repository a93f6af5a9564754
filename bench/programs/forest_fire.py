"""Cellular automata: trees grow, lightning strikes, fire spreads to neighbours; random numbers are drawn before."""

import numpy as np

PRESETS = {"tiny": {"n": 8, "steps": 4}, "S": {"n": 50, "steps": 20}, "M": {"n": 150, "steps": 20}}
CHANGES = ("forest",)
EMPTY, TREE, FIRE = 0, 1, 2


def initialize(n, steps):
    rng = np.random.default_rng(27)
    return {"forest": rng.integers(0, 2, (n, n)), "chance": rng.random((steps, n, n)), "grow": 0.05, "lightning": 0.001}


def burning_neighbour(forest, i, j):
    n, m = forest.shape
    for a in range(max(0, i - 1), min(n, i + 2)):
        for b in range(max(0, j - 1), min(m, j + 2)):
            if forest[a, b] == FIRE:
                return True
    return False


def forest_fire(forest, chance, grow, lightning):
    n, m = forest.shape
    burnt = []
    for t in range(chance.shape[0]):
        new = forest.copy()
        for i in range(n):
            for j in range(m):
                if forest[i, j] == FIRE:
                    new[i, j] = EMPTY
                elif forest[i, j] == TREE:
                    if burning_neighbour(forest, i, j) or chance[t, i, j] < lightning:
                        new[i, j] = FIRE
                elif chance[t, i, j] < grow:
                    new[i, j] = TREE
        forest[:] = new
        burnt.append(np.count_nonzero(forest == FIRE))
    return np.array(burnt)
