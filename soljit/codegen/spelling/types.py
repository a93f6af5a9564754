"""Element types as C++ types."""

from __future__ import annotations

from soljit.ir.core.types import DType

CPP_TYPES = {
    "b1": "bool",
    "f16": "sol_f16",
    "f32": "float",
    "f64": "double",
    "c64": "sol_c64",
    "c128": "sol_c128",
    "obj": "void",  # a Ref holds a pointer to it
} | {f"{k}{n}": f"{p}int{n}_t" for k, p in (("i", ""), ("u", "u")) for n in (8, 16, 32, 64)}


def cpp_type(t: DType) -> str:
    """The C++ type of an element."""
    return CPP_TYPES[t.name]
