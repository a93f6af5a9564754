"""Decorate a function, call it as before."""

import numpy as np

import soljit as sol


@sol.jit
def smooth(a, steps):
    for _ in range(steps):
        a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    return a.mean()


start = np.random.default_rng(0).random((400, 400))
mine, numpys = start.copy(), start.copy()

result = smooth(mine, 50)  # the first call compiles
expected = smooth.python(numpys, 50)  # the undecorated function

assert np.array_equal(mine, numpys)
assert np.isclose(result, expected, rtol=1e-14)
print(f"mean after 50 steps: {result:.12f}, with NumPy: {expected:.12f}")
