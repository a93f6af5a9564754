"""Lists of lists: Gaussian elimination with pivots, in lists that are made inside."""

PRESETS = {"tiny": {"n": 4}, "S": {"n": 20}, "M": {"n": 120}}
CHANGES = ()


def initialize(n):
    return {}


def elimination(n):
    rows = [[1.0 / (1 + (i * 7 + j * 3) % 11) for j in range(n)] for i in range(n)]
    for i in range(n):
        rows[i][i] += 2.0
    determinant = 1.0
    for i in range(n):
        p = i
        for r in range(i + 1, n):
            if abs(rows[r][i]) > abs(rows[p][i]):
                p = r
        if p != i:
            rows[i], rows[p] = rows[p], rows[i]
            determinant = -determinant
        determinant *= rows[i][i]
        for r in range(i + 1, n):
            f = rows[r][i] / rows[i][i]
            for c in range(i, n):
                rows[r][c] -= f * rows[i][c]
    return determinant
