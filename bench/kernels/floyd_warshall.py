"""All shortest paths of a graph given by its matrix of distances."""

import numpy as np

PRESETS = {
    "tiny": {"N": 12},
    "S": {"N": 200},
    "M": {"N": 400},
    "L": {"N": 850},
    "paper": {"N": 2800},
}
CHANGES = ("path",)


def initialize(N):
    rng = np.random.default_rng(7)
    path = rng.integers(1, 100, (N, N), dtype=np.int32)
    path[rng.random((N, N)) < 0.3] = 999
    return {"path": path}


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, path[:, k, np.newaxis] + path[k])
