"""Constants: of the IR, made of Python's and NumPy's numbers and converted to other types; and values of Python objects that are known."""

from __future__ import annotations

import enum
import math
import types
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.python.classes import ITEMS, writes
from soljit.frontend_ast.values.values import Num, RangeVal, Static, Tup, Value
from soljit.ir.core.expr import FALSE, TRUE, Cast, Const, Expr, const
from soljit.ir.core.types import PYTHON_TYPES, DType, b1, from_numpy, i64


def fold_cast(e: Const, dtype: DType) -> Expr:
    """A constant converted to another type, folded when the conversion is well defined."""
    v: Any = e.value
    if dtype is b1:
        return TRUE if v else FALSE
    if isinstance(v, complex) and not dtype.is_complex:
        v = v.real
    try:
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
    """The Num of a Python or NumPy number, or None. Python ints must fit 64 bits. Members of an IntEnum are none."""
    if isinstance(value, np.generic):
        dtype = from_numpy(value.dtype)
        return Num(Const(value.item(), dtype), False) if dtype is not None else None
    dtype = PYTHON_TYPES.get(type(value))
    if dtype is None or (dtype is i64 and not -(1 << 63) <= value < 1 << 63):
        return None
    return Num(Const(value, dtype), True)


def holds_unusual_nan(value: Any) -> bool:
    """Tell whether this is a NaN with other bits than Python's `math.nan`, or holds one. Constants of programs keep no such bits."""
    if isinstance(value, tuple):
        return any(map(holds_unusual_nan, tuple.__iter__(value)))
    if type(value) not in (float, complex) and not isinstance(value, np.inexact):
        return False
    a = np.asarray(value)
    parts = [a.real, a.imag] if a.dtype.kind == "c" else [a]
    return any(bool(np.isnan(p)) and p.tobytes() != np.asarray(math.nan, p.dtype).tobytes() for p in parts)


def member_number(v: Value, weak: bool = True, flags: bool = False) -> Value:
    """The number that an instance of a class made from int or float, as a member of an IntEnum, is for Python's operators; any other value itself.

    weak: among NumPy's values it takes their type, as an int or a float of just these classes does; those of classes made from them do not
    flags: also of an IntFlag, whose bitwise operators are its own: what is done with it uses others
    """
    if not isinstance(v, Static) or not isinstance(v.obj, (int, float)):
        return v
    if isinstance(v.obj, enum.Flag) and not flags:
        return v
    base = int if isinstance(v.obj, int) else float
    usual = enum.IntFlag if isinstance(v.obj, enum.IntFlag) else base
    if any(getattr(type(v.obj), name) is not getattr(usual, name) for name in _OPERATORS[base]):
        return v  # it has operators of its own
    made = number(base(v.obj))
    return v if made is None else replace(made, weak=weak)


def as_numpy_takes(v: Value) -> Value:
    """The same for an argument of a function or method of NumPy, also for the items of a list or a tuple."""
    if isinstance(v, Tup):
        items = [as_numpy_takes(x) for x in v.items]
        return v if all(x is y for x, y in zip(items, v.items)) else replace(v, items=items)
    return member_number(v, weak=False)


_OPERATORS = {
    cls: {
        name: member
        for name, member in vars(cls).items()
        if isinstance(member, types.WrapperDescriptorType) and name not in ("__repr__", "__hash__", "__getattribute__")
    }
    for cls in (int, float)
}  # the special methods that calculate or compare


def constant(value: Any) -> Value:
    """The value of a Python object known at compile time."""
    n = number(value)
    if n is not None:
        return n
    if type(value) in (tuple, list) or isinstance(value, tuple) and not writes(type(value), *ITEMS):
        cls = None if type(value) in (tuple, list) else type(value)
        return Tup([constant(x) for x in value], cls, isinstance(value, list), None)
    if isinstance(value, range):
        return RangeVal(const(value.start), const(value.stop), const(value.step))
    return Static(value)
