"""Values in the user's words, for messages: their types, and constants; and whether they are NumPy's."""

from __future__ import annotations

import types

from soljit.base.knowledge import pure
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Flat,
    Func,
    Generated,
    Generator,
    Lazy,
    Method,
    Num,
    Object,
    OneShot,
    RangeVal,
    Static,
    Tup,
    Value,
)
from soljit.ir.core.types import PYTHON_NAMES

_NAMED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def described(obj: object) -> str:
    """A constant in the user's words; of an object of the program, only its class."""
    if obj is None:
        return "None"
    if pure.is_operand(obj):
        return f"{type(obj).__name__} {getattr(obj, '__name__', repr(obj))}"
    name = obj.__name__ if isinstance(obj, _NAMED) else ""
    return f"{type(obj).__name__} {name}" if name else f"an object of class {type(obj).__name__}"


def describe(v: Value) -> str:
    """The type of a value in the user's words."""
    match v:
        case Num():
            return PYTHON_NAMES[v.dtype] if v.weak else f"np.{v.dtype.numpy.name}"
        case Arr() | Lazy():
            return f"array({v.dtype.numpy.name}, {v.ndim}d)"
        case Tup():
            return ("list" if v.mutable else "tuple") + "(" + ", ".join(describe(x) for x in v.items) + ")"
        case Static():
            return described(v.obj)
        case Dict():
            return "dict" if v.cls is None else v.cls.__name__
        case Object():
            return "object" if v.type.cls is None else v.type.cls.__name__
        case Func() | Method():
            return "function"
        case Generated():
            return "a comprehension" if v.is_list else "a generator"
        case Flat():
            return "a.flat"
        case OneShot():
            return "an iterator"
    return type(v).__name__


def py_type(v: Value) -> str:
    """The name of a value's Python type, as in messages."""
    match v:
        case Static():
            return type(v.obj).__name__
        case Num() if v.weak:
            return PYTHON_NAMES[v.dtype]
        case Num():
            return f"numpy.{v.dtype.numpy.name}"
        case Tup():
            return v.cls.__name__ if v.cls is not None else "list" if v.mutable else "tuple"
        case Dict():
            return v.cls.__name__ if v.cls is not None else "dict"
        case Object() if v.type.cls is not None:
            return v.type.cls.__name__
        case Generated():
            return "list" if v.is_list else "generator"
        case Generator():
            return "generator"
        case RangeVal():
            return "range"
        case Func() | Method():
            return "function"
    return "numpy.ndarray"


def is_numpys(*values: Value) -> bool:
    """Tell whether one of them is an array or a NumPy scalar, so that NumPy does the arithmetic."""
    return any(isinstance(v, (Arr, Lazy)) or (isinstance(v, Num) and not v.weak) for v in values)
