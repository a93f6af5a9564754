"""Graphs: breadth-first search through a maze, with a queue in arrays, and the way back."""

import numpy as np

PRESETS = {"tiny": {"n": 9}, "S": {"n": 80}, "M": {"n": 300}}
CHANGES = ()


def initialize(n):
    walls = np.random.default_rng(17).random((n, n)) < 0.3
    walls[0, :] = walls[:, -1] = False
    return {"walls": walls}


def maze_distances(walls):
    height, width = walls.shape
    distance = np.full((height, width), -1)
    queue = np.empty((height * width, 2), dtype=int)
    queue[0] = 0, 0
    distance[0, 0] = 0
    head, tail = 0, 1
    while head < tail:
        i, j = queue[head]
        head += 1
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            y, x = i + di, j + dj
            if 0 <= y < height and 0 <= x < width and not walls[y, x] and distance[y, x] < 0:
                distance[y, x] = distance[i, j] + 1
                queue[tail] = y, x
                tail += 1
    path = []
    y, x = height - 1, width - 1
    while distance[y, x] > 0:
        path.append((y, x))
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            a, b = y + di, x + dj
            if 0 <= a < height and 0 <= b < width and distance[a, b] == distance[y, x] - 1:
                y, x = a, b
                break
    return distance, len(path)
