"""Methods of Python's numbers: conjugate, is_integer, bit_count and the like."""

from __future__ import annotations

import ast

from soljit.frontend_ast.arrays.ufunc_kernels import op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.operators import unary
from soljit.frontend_ast.objects.objects import call_like
from soljit.frontend_ast.values.values import Num, Value
from soljit.ir.core.expr import Op
from soljit.ir.core.types import PYTHON_CLASSES, b1, c128, f64, i64

# --- methods of Python's numbers --------------------------------------------------------------------------------------


def is_number_method(v: Num, name: str) -> bool:
    """Tell whether this is a method of the number's class."""
    if name == "is_integer" and not v.weak:
        return v.dtype.is_float or v.dtype.is_int
    return v.dtype in PYTHON_CLASSES and callable(getattr(PYTHON_CLASSES[v.dtype], name, None))


def call_number_method(cx: Lowering, v: Num, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of a Python number."""
    if name == "is_integer" and v.dtype not in PYTHON_CLASSES:
        v = Num(cx.cast(v.expr, f64 if v.dtype.is_float else i64), True)
    cls = PYTHON_CLASSES[v.dtype]
    if name == "conjugate":
        return Num(op("conj", v.expr), True) if v.dtype is c128 else unary(cx, ast.UAdd, v)
    if name == "is_integer" and v.dtype is f64:
        whole = Op("eq", (op("floor", v.expr), v.expr), b1)
        return Num(Op("land", (op("isfinite", v.expr), whole), b1), True)
    if name == "bit_count" and v.dtype is i64:
        return Num(op("popcount", op("abs", v.expr)), True)
    return call_like(cx, f"builtins.{cls.__name__}.{name}", getattr(cls, name), [v, *args], **kwargs)
