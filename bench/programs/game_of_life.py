"""Cellular automata: Conway's game on a torus, with the age of every cell."""

import numpy as np

PRESETS = {"tiny": {"n": 8, "steps": 3}, "S": {"n": 100, "steps": 30}, "M": {"n": 500, "steps": 50}}
CHANGES = ()


def initialize(n):
    return {"board": (np.random.default_rng(26).random((n, n)) < 0.3).astype(np.int8)}


def neighbours(board):
    padded = np.pad(board, 1, mode="wrap")
    total = np.zeros_like(board)
    for i in range(3):
        for j in range(3):
            if (i, j) != (1, 1):
                total += padded[i : i + board.shape[0], j : j + board.shape[1]]
    return total


def game_of_life(board, steps):
    age = np.zeros(board.shape, dtype=np.int32)
    for _ in range(steps):
        n = neighbours(board)
        board = ((n == 3) | ((board == 1) & (n == 2))).astype(np.int8)
        age = np.where(board == 1, age + 1, 0)
    return board, age
