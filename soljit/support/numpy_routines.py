"""Routines inside NumPy that compiled code calls by address: sorts, searches for extremes, loops of generalized ufuncs.

They are part of NumPy's C interface: the sorts and searches stand in the table of functions of each element type (`PyArray_ArrFuncs`),
the loops in the ufunc object (`PyUFuncObject`). They need neither Python objects nor the GIL. 0 stands for a routine
that this NumPy, or this Python, does not have at the place where it is looked for.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

KINDS = {"quicksort": 0, "stable": 2}  # what "heapsort" means differs between versions of NumPy

_ABI = 0x02000000
_GET_VERSION, _GET_FUNCTIONS = 0, 365  # of the table of NumPy's C functions
_WORDS = {"argmax": 26, "sort": 33, "argsort": 36, "argmin": 46}  # of the table of an element type


class _UFunc(ctypes.Structure):
    """The head of NumPy's ufunc objects."""

    _fields_ = [
        ("references", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
    ]


@functools.cache
def routine(name: str) -> int:
    """The address of "sort:d:quicksort", "argsort:d:stable", "argmax:d:" (by the character of the element type) or
    "loop:numpy.linalg._umath_linalg.det:d->d" (function and types of its operands)."""
    kind, function, which = name.split(":")
    if sys.implementation.name != "cpython" or hasattr(sys, "gettotalrefcount"):
        return 0
    if kind == "loop":
        return _loop(function, which)
    table = _functions_of(function)
    return (table[_WORDS[kind] + KINDS.get(which, 0)] or 0) if table else 0


def _functions_of(char: str) -> ctypes._Pointer[ctypes.c_void_p] | None:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api = ctypes.cast(pointer(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    if ctypes.CFUNCTYPE(ctypes.c_uint)(api[_GET_VERSION] or 0)() != _ABI:
        return None
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(api[_GET_FUNCTIONS] or 0)
    return ctypes.cast(get(np.dtype(char)), ctypes.POINTER(ctypes.c_void_p))


def _loop(dotted: str, types: str) -> int:
    module, _, name = dotted.rpartition(".")
    try:
        ufunc = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return 0
    if not isinstance(ufunc, np.ufunc) or types not in ufunc.types:
        return 0
    head = _UFunc.from_address(id(ufunc))
    same = (head.nin, head.nout, head.nargs, head.ntypes) == (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes)
    if not same or head.name != ufunc.__name__.encode():
        return 0
    k = ufunc.types.index(types)
    return 0 if head.data and head.data[k] else head.functions[k] or 0
