"""Lists of lists: a product of matrices."""

PRESETS = {"tiny": {"n": 4}, "S": {"n": 20}, "M": {"n": 100}}
CHANGES = ("c",)


def initialize(n):
    return {
        "a": [[(i * 3 + k) % 7 / 2 for k in range(n)] for i in range(n)],
        "b": [[(i + k * 5) % 9 / 4 for k in range(n)] for i in range(n)],
        "c": [[0.0] * n for _ in range(n)],
    }


def matrix_of_lists(a, b, c):
    n = len(a)
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i][j] += a[i][k] * b[k][j]
    return c
