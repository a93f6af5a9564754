"""How far results of a device may be from NumPy's: `ulps(name, t)` units in the last place, 0 for the very same bits.

CUDA's bounds, against the correctly rounded value: CUDA C++ Programming Guide, "Mathematical Functions", standard functions of double and single
precision. NumPy's own functions are off by less than one unit for doubles, and by up to four for floats, where Intel's vector library computes
them; that is added.
"""

from __future__ import annotations

from soljit.ir.core.types import DType

# name → units for float64, and for float32
CUDA: dict[str, tuple[int, int]] = {
    "exp": (1, 2),
    "exp2": (1, 2),
    "expm1": (1, 1),
    "log": (1, 1),
    "log2": (1, 1),
    "log10": (1, 2),
    "log1p": (1, 1),
    "sin": (2, 2),
    "cos": (2, 2),
    "tan": (2, 4),
    "arcsin": (2, 2),
    "arccos": (2, 2),
    "arctan": (2, 2),
    "arctan2": (2, 3),
    "sinh": (2, 3),
    "cosh": (1, 2),
    "tanh": (1, 2),
    "arcsinh": (3, 3),
    "arccosh": (3, 4),
    "arctanh": (2, 3),
    "pow": (2, 4),
    "cbrt": (1, 1),
    "hypot": (2, 3),
    "erf": (2, 1),  # those of floats are computed as doubles and rounded
    "erfc": (5, 1),
}
# Composed of these. Of complex numbers the units are those of the larger part, of logaddexp those of the largest of arguments and result, of
# complex powers x ** y those of the absolute value, times 1 + abs(y * log(x)): powers are exp(y * log(x)), NumPy's, too.
COMPOSED: dict[str, tuple[int, int]] = {"logaddexp": (4, 6), "logaddexp2": (4, 6), "gamma": (20, 1), "lgamma": (20, 1)}
COMPLEX: dict[str, tuple[int, int]] = dict.fromkeys(
    ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt"), (4, 6)
)
COMPLEX |= {"pow": (4, 6), "sign": (3, 4), "scalar_abs": CUDA["hypot"]}
NUMPY = (1, 4)
AS_NUMPY = frozenset(
    {"exp", "log", "sin", "cos"}
)  # of float32, where the processor fuses multiplications and additions


def ulps(name: str, t: DType, fma: bool = True) -> int:
    """By how many units operation `name` on arguments of type `t` may differ from NumPy."""
    single = t.size == (8 if t.is_complex else 4)
    if t.is_complex:
        found = COMPLEX.get(name)
    elif not t.is_float:
        return 0
    elif single and name in AS_NUMPY and fma:
        return 0
    else:
        plain = name.removeprefix("libm_")
        found = CUDA.get(plain) or COMPOSED.get(plain)
    if found is None:
        return 0
    if t.name == "f16":  # computed as floats and rounded: only numbers next to the middle of two halves may differ
        return 1
    return found[single] + NUMPY[single]
