"""Image processing: connected regions of a mask by union and find, with their sizes."""

import numpy as np

PRESETS = {"tiny": {"n": 10}, "S": {"n": 80}, "M": {"n": 400}}
CHANGES = ()


def initialize(n):
    return {"mask": np.random.default_rng(15).random((n, n)) < 0.55}


def find(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def union(parent, a, b):
    a, b = find(parent, a), find(parent, b)
    if a != b:
        parent[max(a, b)] = min(a, b)


def label_regions(mask):
    height, width = mask.shape
    parent = np.arange(height * width)
    for i in range(height):
        for j in range(width):
            if mask[i, j]:
                if i > 0 and mask[i - 1, j]:
                    union(parent, i * width + j, (i - 1) * width + j)
                if j > 0 and mask[i, j - 1]:
                    union(parent, i * width + j, i * width + j - 1)
    labels = np.zeros(mask.shape, dtype=np.int64)
    numbers = np.zeros(height * width, dtype=np.int64)
    count = 0
    for i in range(height):
        for j in range(width):
            if mask[i, j]:
                root = find(parent, i * width + j)
                if numbers[root] == 0:
                    count += 1
                    numbers[root] = count
                labels[i, j] = numbers[root]
    return labels, np.bincount(labels.ravel(), minlength=count + 1)[1:]
