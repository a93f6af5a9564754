"""Sparse matrix times vector; the matrix in compressed rows."""

import numpy as np

PRESETS = {
    "tiny": {"M": 20, "N": 15, "nnz": 40},
    "S": {"M": 4096, "N": 4096, "nnz": 8192},
    "M": {"M": 32768, "N": 32768, "nnz": 65536},
    "L": {"M": 262144, "N": 262144, "nnz": 262144},
    "paper": {"M": 131072, "N": 131072, "nnz": 262144},
}
CHANGES = ()


def initialize(M, N, nnz):
    rng = np.random.default_rng(7)
    row = np.sort(rng.integers(0, M, nnz))
    return {
        "A_row": np.searchsorted(row, np.arange(M + 1)).astype(np.uint32),
        "A_col": rng.integers(0, N, nnz, dtype=np.uint32),
        "A_val": rng.random(nnz),
        "x": rng.random(N),
    }


def spmv(A_row, A_col, A_val, x):
    y = np.empty(len(A_row) - 1, dtype=A_val.dtype)
    for i in range(len(y)):
        start, stop = A_row[i], A_row[i + 1]
        y[i] = A_val[start:stop] @ x[A_col[start:stop]]
    return y
