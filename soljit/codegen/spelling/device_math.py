"""Mathematical functions in kernels: which function of `numbers.h` computes `exp`, `sin`, … of floats. The host's are in `vectormath.py`.

For exp, log, sin and cos of float32 NumPy has loops of its own, made of fused multiply-adds, quotients and roundings: `floats.h` does the same in
kernels, with the same bits (of sines and cosines for numbers up to a hundred thousand). All others are CUDA's, some ulps from the correctly
rounded value: `tests/device/bounds.py` has what CUDA publishes.
"""

from __future__ import annotations

from soljit.codegen.spelling.vectormath import LIBM
from soljit.codegen.writing.tables import Tables
from soljit.ir.core.ops import LIBM as LIBM_OPS
from soljit.ir.core.types import DType

AS_NUMPY = frozenset({"exp", "log", "sin", "cos"})  # of float32, by `floats.h`


def math_function(tables: Tables, name: str, t: DType, in_map: bool = True) -> str | None:
    """The function for operation `name` of floats of type `t`, or None if it is no mathematical function."""
    scalars, name = name in LIBM_OPS, LIBM_OPS.get(name, name)
    if name not in LIBM:
        return None
    f = LIBM[name]
    if t.name == "f32" and f in AS_NUMPY and not scalars and tables.features.fma:
        return f"sol_n_{f}f"
    return f"sol_{f}"
