"""Numba's names for programs that were written for Numba: `from soljit import numba as nb`, `from soljit.numba import njit`.

Functions have Python's and NumPy's meaning, as with `soljit.jit`; `docs/from_numba.md` says where Numba's is another one.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np

from soljit.numba import control, core, dispatcher, errors, experimental, extending, typed, types, ufuncs
from soljit.numba.control import (
    carray,
    cfunc,
    farray,
    get_num_threads,
    literal_unroll,
    literally,
    objmode,
    parallel_chunksize,
    set_num_threads,
    stencil,
    threading_layer,
)
from soljit.numba.core import config
from soljit.numba.dispatcher import jit, jit_module, njit
from soljit.numba.errors import NumbaDeprecationWarning, NumbaPerformanceWarning, NumbaWarning, TypingError
from soljit.numba.extending import register_jitable
from soljit.numba.types import (
    b1,
    bool_,
    boolean,
    byte,
    c8,
    c16,
    char,
    complex64,
    complex128,
    double,
    f2,
    f4,
    f8,
    ffi_forced_object,
    float16,
    float32,
    float64,
    float_,
    from_dtype,
    i1,
    i2,
    i4,
    i8,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    long_,
    longlong,
    none,
    optional,
    short,
    size_t,
    ssize_t,
    typeof,
    u1,
    u2,
    u4,
    u8,
    uchar,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulong,
    ulonglong,
    ushort,
    void,
)
from soljit.numba.ufuncs import guvectorize, vectorize

prange = range
pndindex = np.ndindex
generated_jit = control.missing(
    "generated_jit", "decorate the function that it chooses, or write `if isinstance(x, ...)`"
)
__version__ = "0.61.0"  # the Numba whose names these are
version_info = (0, 61, 0)

__all__ = [
    "NumbaDeprecationWarning",
    "NumbaPerformanceWarning",
    "NumbaWarning",
    "TypingError",
    "b1",
    "bool_",
    "boolean",
    "byte",
    "c16",
    "c8",
    "carray",
    "cfunc",
    "char",
    "complex128",
    "complex64",
    "config",
    "core",
    "double",
    "errors",
    "experimental",
    "extending",
    "f2",
    "f4",
    "f8",
    "farray",
    "ffi_forced_object",
    "float16",
    "float32",
    "float64",
    "float_",
    "from_dtype",
    "generated_jit",
    "get_num_threads",
    "guvectorize",
    "i1",
    "i2",
    "i4",
    "i8",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "intc",
    "intp",
    "jit",
    "jit_module",
    "literal_unroll",
    "literally",
    "long_",
    "longlong",
    "njit",
    "none",
    "objmode",
    "optional",
    "parallel_chunksize",
    "pndindex",
    "prange",
    "register_jitable",
    "set_num_threads",
    "short",
    "size_t",
    "ssize_t",
    "stencil",
    "threading_layer",
    "typed",
    "typeof",
    "types",
    "u1",
    "u2",
    "u4",
    "u8",
    "uchar",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "use_as_numba",
    "ushort",
    "vectorize",
    "void",
]


def use_as_numba() -> None:
    """Let `import numba` find this module from now on, for packages that import Numba themselves."""
    modules: dict[str, ModuleType] = {
        "numba": sys.modules[__name__],
        **{f"numba.{m.__name__.rpartition('.')[2]}": m for m in (core, errors, experimental, extending, typed, types)},
        "numba.core.types": types,
        "numba.core.errors": errors,
        "numba.core.extending": extending,
        "numba.core.dispatcher": dispatcher,
        **dict.fromkeys(("numba.np.ufunc", "numba.np.ufunc.dufunc", "numba.np.ufunc.gufunc"), ufuncs),
    }
    sys.modules.update(modules)


def __getattr__(name: str) -> Any:
    if name == "cuda":
        return importlib.import_module("soljit.numba.cuda")  # which says what to do
    raise AttributeError(f"soljit.numba has no {name!r}", name=name)
