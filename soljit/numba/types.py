"""Numba's types: what signatures are made of, and casts: `float64(x)` is `np.float64(x)`."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any

import numpy as np


class Signature(typing.NamedTuple):
    """Types of arguments and result; `return_type` is None where it is not given."""

    return_type: Type | None
    args: tuple[Type, ...]

    def __str__(self) -> str:
        return f"{self.return_type or ''}({', '.join(map(str, self.args))})"


class Type:
    """A type. Called with types it is the result of a signature, subscripted with slices that of an array."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.name == getattr(other, "name", None)

    def __hash__(self) -> int:
        return hash(self.name)

    def __getitem__(self, index: Any) -> Array:
        """`float64[:]`, `float64[:, ::1]`, `float64[::1, :]`."""
        slices = index if isinstance(index, tuple) else (index,)
        if not all(isinstance(s, slice) for s in slices):
            raise TypeError(f"{self}[…] takes slices: {self}[:] is an array of one dimension, {self}[:, :] of two")
        if slices[-1].step == 1:
            return Array(self, len(slices), "C")
        return Array(self, len(slices), "F" if slices[0].step == 1 else "A")

    def __call__(self, *args: Any) -> Any:
        if not all(isinstance(a, Type) for a in args):
            raise TypeError(f"{self} makes no values of {', '.join(type(a).__name__ for a in args)}")
        return Signature(self, args)


class Number(Type):
    """A type of numbers. `python`: what compiled code calls in its place."""

    python: Any  # a function; not one of the class

    def __init__(self, name: str, scalar: type[np.generic]) -> None:
        super().__init__(name)
        self.dtype = np.dtype(scalar)
        self.python = _bool if scalar is np.bool_ else _cast(scalar)

    @property
    def kind(self) -> str:
        """As NumPy calls it: "b", "i", "u", "f" or "c"."""
        return self.dtype.kind

    @property
    def bitwidth(self) -> int:
        """How many bits it has."""
        return self.dtype.itemsize * 8

    @property
    def minval(self) -> int:
        """The least integer."""
        return int(np.iinfo(self.dtype).min)

    @property
    def maxval(self) -> int:
        """The largest integer."""
        return int(np.iinfo(self.dtype).max)

    def __call__(self, *args: Any) -> Any:
        if args and not any(isinstance(a, Type) for a in args):
            return self.python(*args)
        return super().__call__(*args)


def _cast(scalar: type[np.generic]) -> Callable[[Any], Any]:
    def number(x: Any) -> Any:
        return scalar(x)

    return number


def _bool(x: Any) -> bool:
    return bool(x)


class Array(Type):
    """An array of a rank and a layout."""

    def __init__(self, dtype: Type, ndim: int, layout: str = "A", readonly: bool = False, **_: Any) -> None:
        colons = [":"] * ndim
        if layout in ("C", "F"):
            colons[-1 if layout == "C" else 0] = "::1"
        super().__init__(f"{dtype}[{', '.join(colons)}]")
        self.dtype, self.ndim, self.layout, self.mutable = dtype, ndim, layout, not readonly


class Compound(Type):
    """A type made of others: tuples, lists, dicts, sets, optional values, functions. Values of it are taken as they are."""

    def __init__(self, name: str, *parts: Any) -> None:
        super().__init__(f"{name}({', '.join(map(str, parts))})")
        self.parts = parts


def Tuple(types: Any) -> Compound:  # noqa: N802 (Numba's name)
    """A tuple of these types."""
    return Compound("Tuple", *types)


def _compound(name: str) -> Callable[..., Compound]:
    def make(*parts: Any, **_: Any) -> Compound:
        return Compound(name, *parts)

    make.__name__ = make.__qualname__ = name
    return make


UniTuple = _compound("UniTuple")
List = _compound("List")
ListType = _compound("ListType")
DictType = _compound("DictType")
Set = _compound("Set")
Optional = optional = _compound("optional")
FunctionType = _compound("FunctionType")
Record = _compound("Record")
NamedTuple = _compound("NamedTuple")

boolean = bool_ = b1 = Number("boolean", np.bool_)
int8 = i1 = char = Number("int8", np.int8)
int16 = i2 = short = Number("int16", np.int16)
int32 = i4 = intc = Number("int32", np.int32)
int64 = i8 = intp = int_ = long_ = longlong = ssize_t = Number("int64", np.int64)
uint8 = u1 = uchar = byte = Number("uint8", np.uint8)
uint16 = u2 = ushort = Number("uint16", np.uint16)
uint32 = u4 = uintc = Number("uint32", np.uint32)
uint64 = u8 = uintp = uint = ulong = ulonglong = size_t = Number("uint64", np.uint64)
float16 = f2 = Number("float16", np.float16)
float32 = f4 = Number("float32", np.float32)
float64 = f8 = double = float_ = Number("float64", np.float64)
complex64 = c8 = Number("complex64", np.complex64)
complex128 = c16 = Number("complex128", np.complex128)
void = none = Type("none")
pyobject = ffi_forced_object = Type("pyobject")
unicode_type = string = Type("unicode_type")
undefined = Type("undefined")

NUMBERS = (
    *(boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    *(float16, float32, float64, complex64, complex128),
)
_OF_PYTHON: dict[type, Type] = {bool: boolean, int: int64, float: float64, complex: complex128, str: unicode_type}


def from_dtype(dtype: Any) -> Type:
    """The type of a dtype's elements."""
    wanted = np.dtype(dtype)
    for t in NUMBERS:
        if t.dtype == wanted:
            return t
    raise TypeError(f"Numba's types have none for {wanted}")


def as_dtype(t: Type) -> np.dtype[Any]:
    """The dtype of a type of numbers, or of the elements of an array."""
    found = t.dtype if isinstance(t, Array) else t
    if isinstance(found, Number):
        return found.dtype
    raise TypeError(f"{t} is no type of numbers")


def typeof(value: Any) -> Type:
    """The type of a value."""
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return Array(from_dtype(value.dtype), value.ndim, layout)
    if isinstance(value, np.generic):
        return from_dtype(value.dtype)
    if value is None:
        return none
    if type(value) is tuple:
        return Tuple(map(typeof, value))
    if isinstance(value, (list, set)) and value:
        return (List if isinstance(value, list) else Set)(typeof(next(iter(value))))
    return _OF_PYTHON.get(type(value)) or pyobject
