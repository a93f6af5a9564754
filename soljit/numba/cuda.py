"""Numba's `cuda`, which has no counterpart here: asking for it says so."""

raise ImportError(
    "soljit.numba has no cuda: kernels of Numba name threads and blocks. Write the loops as a plain function and compile it "
    'with @sol.jit(device="cuda"), or import cuda from Numba itself'
)
