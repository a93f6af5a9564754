"""Which operations kernels of a device can compute: `why_not(name, t)` of an operation on arguments of type `t`.

Everything has one text for host and device (`codegen/include/soljit/numbers.h`) but what rests on functions of complex numbers of the C
library, of which CUDA has none.
"""

from __future__ import annotations

from soljit.ir.core.ops import MATH_UNARY
from soljit.ir.core.types import DType

_COMPLEX = frozenset({"sqrt", "exp", "exp2", "expm1", "log1p", "log", "log2", "log10"})  # of those in MATH_UNARY


def why_not(name: str, t: DType) -> str | None:
    """What keeps operation `name` on the host, as a part of a sentence; None if nothing does."""
    if name == "threads":
        return "the number of threads of the processor is the host's to know"
    if t.is_complex and name in MATH_UNARY and name not in _COMPLEX:
        return f"there is no {name} of complex numbers on the device"
    return None
