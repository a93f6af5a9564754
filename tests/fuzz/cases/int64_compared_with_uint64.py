import numpy as np


def f(a, w, k, n):
    if w[0, -1] >= a[1]:
        w[0, 0] = 1
    out = [
        w >= a[1],
        w[0, 0] < a[1],
        k < w,
        k <= w,
        k > w,
        k >= w,
        k == w,
        k != w,
        w < k,
        w <= k,
        w > k,
        w >= k,
        w == k,
    ]
    v = np.sum(np.abs(a) // np.uint8(2), dtype=np.uint64)
    return (
        out,
        a[0] >= v,
        a.astype(np.int64) < v,
        k[0] < w[0, 0],
        w[0, 0] < k[0],
        k[1] == w[0, 1],
        w[0, 1] != k[1],
        n < w,
        w == n,
    )


def calls():
    big = np.array([[2**64 - 1, 2**63]], np.uint64)
    return [
        (np.array([0, 3], dtype=np.int8), np.array([[1, 2]], np.uint64), np.array([-1, 2]), 5),
        (np.array([0, -3], dtype=np.int8), np.array([[1, 2]], np.uint64), np.array([1, -2]), -5),
        (np.array([0, -3], dtype=np.int8), big, np.array([-1, -(2**63)]), -1),
        (np.array([0, -3], dtype=np.int8), big, np.array([2**63 - 1, 2**63 - 1]), 2**63 - 1),
    ]
