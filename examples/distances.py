"""Broadcasting without its temporaries: the nearest of many points."""

import time

import numpy as np

import soljit as sol


@sol.jit
def nearest(points, queries):
    apart = queries[:, np.newaxis, :] - points
    return np.argmin(np.sum(apart * apart, axis=2), axis=1)


rng = np.random.default_rng(0)
points, queries = rng.random((500, 3)), rng.random((2000, 3))

found = nearest(points, queries)
for name, function in (("soljit", nearest), ("NumPy", nearest.python)):
    start = time.perf_counter()
    again = function(points, queries)
    print(f"{name:7s} {1e3 * (time.perf_counter() - start):7.1f} ms")
    assert np.array_equal(again, found)
