"""Constants of the IR: made of Python's and NumPy's numbers, and converted to other types."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.frontend_ast.values import Num
from soljit.ir.expr import FALSE, TRUE, Cast, Const, Expr
from soljit.ir.types import DType, b1, c128, f64, from_numpy, i64


def fold_cast(e: Const, dtype: DType) -> Expr:
    """A constant converted to another type, folded when the conversion is well defined."""
    v: Any = e.value
    if isinstance(v, complex) and not dtype.is_complex:
        v = v.real
    try:
        if dtype is b1:
            return TRUE if v else FALSE
        if dtype.is_int:
            if isinstance(v, float) and (v != v or abs(v) >= 2.0**63):
                return Cast(dtype, e)
            n = int(v) & ((1 << (8 * dtype.size)) - 1)
            return Const(n - (1 << (8 * dtype.size)) if n > dtype.highest else n, dtype)
        if dtype.is_float:
            return Const(float(dtype.numpy.type(v)), dtype)
        return Const(complex(dtype.numpy.type(v)), dtype)
    except (OverflowError, ValueError):
        return Cast(dtype, e)


def number(value: Any) -> Num | None:
    """The Num of a Python or NumPy number, or None. Python ints must fit 64 bits."""
    if isinstance(value, bool):
        return Num(Const(value, b1), True)
    if isinstance(value, int) and not isinstance(value, np.generic):
        if not -(1 << 63) <= value < 1 << 63:
            return None
        return Num(Const(int(value), i64), True)
    if isinstance(value, np.generic):
        dtype = from_numpy(value.dtype)
        return Num(Const(value.item(), dtype), False) if dtype is not None else None
    if isinstance(value, float):
        return Num(Const(float(value), f64), True)
    if isinstance(value, complex):
        return Num(Const(complex(value), c128), True)
    return None
