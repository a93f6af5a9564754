"""Element types: the numeric dtypes of NumPy that soljit compiles.

A `DType` is compared by identity-like name; `f64` is `DType("f64", …)`. Names are short because they are read
hundreds of times in printed IR: b1 i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128; `obj` is no number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.base.records import dataclass


@dataclass(frozen=True, slots=True)
class DType:
    """An element type. `kind` is NumPy's kind letter (b i u f c), `size` the bytes of one element."""

    name: str
    kind: str
    size: int

    def __repr__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        return hash(self.name)  # cheap: types are part of every expression's hash

    @property
    def numpy(self) -> np.dtype:
        """The NumPy dtype of the same meaning."""
        return _TO_NUMPY[self.name]

    @property
    def is_int(self) -> bool:
        """Signed or unsigned integer (not bool)."""
        return self.kind in "iu"

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        return self.kind == "c"

    @property
    def real(self) -> DType:
        """The type of a component: f32 for c64, f64 for c128, itself otherwise."""
        return {"c64": f32, "c128": f64}.get(self.name, self)

    @property
    def python(self) -> DType:
        """The type of Python's numbers of this kind: i64 of all integers, f64 of all floats."""
        return _OF_PYTHON[self.kind]

    def number_class(self, weak: bool) -> type[Any]:  # called with numbers of any type
        """The class of a number of this type: Python's if it is weak, else that of NumPy's scalars."""
        return PYTHON_CLASSES[self] if weak else self.numpy.type

    @property
    def lowest(self) -> int:
        """Smallest value of an integer type."""
        return -(1 << (8 * self.size - 1)) if self.kind == "i" else 0

    @property
    def highest(self) -> int:
        """Largest value of an integer type (1 for bool)."""
        if self.kind == "b":
            return 1
        return (1 << (8 * self.size - (self.kind == "i"))) - 1


b1 = DType("b1", "b", 1)
i8, i16, i32, i64 = (DType(f"i{8 * n}", "i", n) for n in (1, 2, 4, 8))
u8, u16, u32, u64 = (DType(f"u{8 * n}", "u", n) for n in (1, 2, 4, 8))
f16, f32, f64 = (DType(f"f{8 * n}", "f", n) for n in (2, 4, 8))
c64, c128 = DType("c64", "c", 8), DType("c128", "c", 16)
obj = DType("obj", "O", 8)  # a reference to a Python object: only 0-dimensional Refs hold it, only callbacks use it

ALL: tuple[DType, ...] = (b1, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, c64, c128)
BY_NAME: dict[str, DType] = {t.name: t for t in (*ALL, obj)}
PYTHON_TYPES: dict[type, DType] = {bool: b1, int: i64, float: f64, complex: c128}  # of Python's numbers, widest last
PYTHON_CLASSES: dict[DType, type] = {t: cls for cls, t in PYTHON_TYPES.items()}
PYTHON_NAMES: dict[DType, str] = {t: cls.__name__ for cls, t in PYTHON_TYPES.items()}
_OF_PYTHON = {"u": i64} | {t.kind: t for t in PYTHON_CLASSES}
_TO_NUMPY = {t.name: np.dtype("?" if t is b1 else f"{t.kind}{t.size}") for t in ALL}
_FROM_NUMPY = {d: BY_NAME[n] for n, d in _TO_NUMPY.items()}
_TO_NUMPY["obj"] = np.dtype(object)


def from_numpy(dtype: object) -> DType | None:
    """The DType of a NumPy dtype (native byte order), or None if soljit does not compile it."""
    return _FROM_NUMPY.get(np.dtype(dtype))  # type: ignore[call-overload]


def promote(*types: DType) -> DType:
    """NumPy's `result_type` of strongly typed operands."""
    result = from_numpy(np.result_type(*(t.numpy for t in types)))
    assert result is not None, types
    return result
