"""Mathematical functions: which C++ function computes `exp`, `sin`, … of floats.

With AVX-512 under g++ NumPy computes most of them with Intel's vector library, whose functions its own shared library
exports. Calling the same ones gives NumPy's bits, and the C++ compiler uses them inside vectorized loops. Elsewhere libm
does the work.
"""

from __future__ import annotations

from soljit.codegen.context import Tables
from soljit.ir.types import DType

LIBM = {
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "pow": "pow",
    "arctan2": "atan2",
}


def math_function(tables: Tables, name: str, t: DType) -> str | None:
    """The C++ function for operation `name` of floats of type `t`, or None if it is no mathematical function."""
    if name not in LIBM:
        return None
    return f"sol_{LIBM[name]}"
