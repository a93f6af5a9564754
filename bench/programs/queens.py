"""Search: how many ways there are to place queens, by backtracking."""

PRESETS = {"tiny": {"n": 2}, "S": {"n": 6}, "M": {"n": 10}}
CHANGES = ()


def initialize(n):
    return {}


def place(n, row, columns, left, right):
    if row == n:
        return 1
    count = 0
    for c in range(n):
        if not (columns >> c & 1 or left >> (row + c) & 1 or right >> (row - c + n) & 1):
            count += place(n, row + 1, columns | 1 << c, left | 1 << (row + c), right | 1 << (row - c + n))
    return count


def queens(n):
    return place(n, 0, 0, 0, 0)
