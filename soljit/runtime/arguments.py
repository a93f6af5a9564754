"""Values of a call → `ArgType` trees and leaves.

`describe` is the slow path's view of a call; `native/match.h` checks the same conditions in C. Where they must agree:
the order class of an array, the rank of its axes, and the groups of overlapping arguments.
"""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from soljit.base.errors import ArgumentError
from soljit.ir import types as ir_types
from soljit.ir.signature import (
    ArgType,
    ArrayArg,
    DictArg,
    ObjectArg,
    ScalarArg,
    StaticArg,
    TupleArg,
    rank_of,
    shares_elements,
    still_axes,
)
from soljit.ir.types import DType

MOST_LEAVES = 64  # as in native/variant.h
_WEAK: dict[type, DType] = {bool: ir_types.b1, int: ir_types.i64, float: ir_types.f64, complex: ir_types.c128}
_STATIC = (str, bytes, type, np.dtype, np.ufunc, slice, range, enum.Enum)
_TAKEN_APART = (list, tuple, dict, str, bytes)
_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.EllipsisType)
_DTYPES: dict[Any, DType] = {t.numpy: t for t in ir_types.ALL}  # any: dtypes and scalar classes
_SCALARS: dict[type, DType] = {t.numpy.type: t for t in ir_types.ALL} | {
    np.longlong: ir_types.i64,
    np.ulonglong: ir_types.u64,
}


class UnalignedError(ArgumentError):
    """An array whose memory is not aligned to its element type: `alignment.py` may help."""


class Described(NamedTuple):
    """One call: the type of each parameter, and its leaves in depth-first order (static ones included)."""

    types: tuple[ArgType, ...]
    leaves: list[Any]  # the user's objects


def describe(arguments: Sequence[object], names: Sequence[str], objects: frozenset[int] = frozenset()) -> Described:
    """Types and leaves of a call's arguments; ArgumentError names the parameter that compiled code cannot take.

    objects: parameters whose lists, tuples, dicts and texts are not taken apart
    """
    leaves: list[Any] = []
    found: list[ArgType] = []
    for k, (value, name) in enumerate(zip(arguments, names)):
        if k in objects and (type(value) in _TAKEN_APART or dataclasses.is_dataclass(type(value))):
            leaves.append(value)
            found.append(ObjectArg(type(value)))
        else:
            found.append(_describe(value, name, leaves))
    if len(leaves) > MOST_LEAVES:
        raise ArgumentError(f"the arguments have more than {MOST_LEAVES} leaves")
    arrays = [x for x in leaves if type(x) is np.ndarray and x.dtype in _DTYPES]
    groups = alias_groups(arrays)
    if any(g is not None for g in groups):
        numbers = iter(groups)
        found = [_with_groups(t, numbers) for t in found]
    return Described(tuple(found), leaves)


def _describe(value: Any, name: str, leaves: list[Any]) -> ArgType:  # any: the user's object
    cls = type(value)
    if cls is np.ndarray:
        leaves.append(value)
        return type_of_leaf(value, name)
    weak = _WEAK.get(cls)
    if weak is not None:
        if weak is ir_types.i64 and not -(1 << 63) <= value < 1 << 63:
            raise ArgumentError(f"argument {name!r} is an int beyond 64 bits: {_shortly(value)}")
        leaves.append(value)
        return ScalarArg(weak, True)
    strong = _SCALARS.get(cls)
    if strong is not None:
        leaves.append(value)
        return ScalarArg(strong, False)
    if isinstance(value, (np.ndarray, np.generic)):
        leaves.append(value)
        return ObjectArg(cls)
    return _describe_other(value, cls, name, leaves)


def _describe_other(value: Any, cls: type, name: str, leaves: list[Any]) -> ArgType:  # any: the user's object
    start = len(leaves)
    kind: ArgType | None = None
    if value is None or is_static(value):
        leaves.append(value)
        return StaticArg(value)
    if cls is tuple or cls is list or _is_named_tuple(cls):
        items = (
            tuple(_describe(x, f"{name}[{k}]", leaves) for k, x in enumerate(value))
            if len(value) <= MOST_LEAVES
            else None
        )
        if items is not None:
            kind = TupleArg(items, None if cls in (tuple, list) else cls, cls is list)
    elif cls is dict and len(value) <= MOST_LEAVES and all(type(k) is str for k in value):
        kind = DictArg(tuple(value), tuple(_describe(x, f"{name}[{k!r}]", leaves) for k, x in value.items()))
    elif dataclasses.is_dataclass(cls):
        keys = tuple(f.name for f in dataclasses.fields(cls))
        kind = DictArg(keys, tuple(_describe(getattr(value, k), f"{name}.{k}", leaves) for k in keys), cls)
    if kind is None or len(leaves) > MOST_LEAVES:
        del leaves[start:]
        leaves.append(value)
        return ObjectArg(cls)
    return kind


def is_static(value: object) -> bool:
    """Is this a value that a variant is made for?"""
    if isinstance(value, (_STATIC, _CALLABLE)):
        return True
    return type(value).__module__ == "soljit.api" and callable(value)  # a jitted function


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple) and cls.__base__ is tuple


def array_type(a: np.ndarray[Any, Any], name: str = "array") -> ArrayArg:  # any: every dtype comes here
    """The type of an array, without its group; ArgumentError if compiled code cannot take it."""
    dtype = _DTYPES.get(a.dtype)
    if dtype is None:
        raise ArgumentError(f"argument {name!r} is an array of dtype {a.dtype}, which compiled code does not take")
    flags = a.flags
    if not flags.aligned:
        raise UnalignedError(f"argument {name!r} is an array with unaligned memory")
    if flags.c_contiguous:
        return ArrayArg(dtype, a.ndim, "C", (), flags.writeable)
    if flags.f_contiguous:
        return ArrayArg(dtype, a.ndim, "F", (), flags.writeable)
    if any(s % dtype.size for s in a.strides):
        raise ArgumentError(
            f"argument {name!r} has strides {a.strides} that are no multiples of its element size {dtype.size}"
        )
    rank, still = rank_of(a.shape, a.strides), len(still_axes(a.shape, a.strides))
    shared = shares_elements(a.shape, a.strides)
    return ArrayArg(dtype, a.ndim, "A", rank, flags.writeable, still=still, shared=shared)


def type_of_leaf(value: object, name: str = "array") -> ArrayArg | ObjectArg:
    """The type of an array of numbers, or of something else that is used as an object."""
    if type(value) is not np.ndarray:
        return ObjectArg(type(value))
    return array_type(value, name) if value.dtype in _DTYPES else ObjectArg(np.ndarray, value.dtype, value.ndim)


def fits(value: object, t: ArgType) -> bool:
    """Is this an array or a container of type `t`?"""
    try:
        return type_of_leaf(value) == t
    except ArgumentError:
        return False


def alias_groups(arrays: Sequence[np.ndarray[Any, Any]]) -> list[int | None]:  # any: every dtype comes here
    """Numbers of the groups of arrays whose memory may overlap with one of the two writable; None for an array
    alone.
    """
    if len(arrays) < 2:
        return [None] * len(arrays)
    bounds = [extent(a) for a in arrays]
    root = list(range(len(arrays)))
    for i in range(1, len(arrays)):
        for j in range(i):
            overlap = bounds[i][0] < bounds[j][1] and bounds[j][0] < bounds[i][1]
            if overlap and (arrays[i].flags.writeable or arrays[j].flags.writeable) and root[i] != root[j]:
                root = [root[j] if r == root[i] else r for r in root]
    numbers: dict[int, int] = {}
    return [numbers.setdefault(r, len(numbers)) if root.count(r) > 1 else None for r in root]


def extent(a: np.ndarray[Any, Any]) -> tuple[int, int]:  # any: every dtype comes here
    """Addresses of the array's memory: the first, and the one behind the last."""
    start: int = a.__array_interface__["data"][0]
    if a.size == 0:
        return start, start
    reach = [(n - 1) * s for n, s in zip(a.shape, a.strides)]
    return start + sum(r for r in reach if r < 0), start + sum(r for r in reach if r > 0) + a.itemsize


def _with_groups(t: ArgType, numbers: Any) -> ArgType:  # any: an iterator over the groups
    match t:
        case ArrayArg():
            return dataclasses.replace(t, alias=next(numbers))
        case TupleArg():
            return dataclasses.replace(t, items=tuple(_with_groups(x, numbers) for x in t.items))
        case DictArg():
            return dataclasses.replace(t, items=tuple(_with_groups(x, numbers) for x in t.items))
    return t


def without_groups(t: ArgType) -> ArgType:
    """The type as if nothing overlapped."""
    match t:
        case ArrayArg() if t.alias is not None:
            return dataclasses.replace(t, alias=None)
        case TupleArg() | DictArg():
            return dataclasses.replace(t, items=tuple(without_groups(x) for x in t.items))
    return t


def leaf_types(types_: Sequence[ArgType]) -> list[ArgType]:
    """Leaves in depth-first order, static ones included."""
    out: list[ArgType] = []
    for t in types_:
        if isinstance(t, (TupleArg, DictArg)):
            out.extend(leaf_types(t.items))
        else:
            out.append(t)
    return out


def same_types(a: Sequence[ArgType], b: Sequence[ArgType]) -> bool:
    """Equal types; static values must be of one class, too, so that 0 is not False and -0.0 is not 0.0."""
    return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b))


def _same(a: ArgType, b: ArgType) -> bool:
    if type(a) is not type(b):
        return False
    match a, b:
        case (StaticArg(), StaticArg()):
            return a.value is b.value or (type(a.value) is type(b.value) and bool(a.value == b.value))
        case (TupleArg(), TupleArg()):
            return a.cls is b.cls and a.mutable == b.mutable and same_types(a.items, b.items)
        case (DictArg(), DictArg()):
            return a.cls is b.cls and a.keys == b.keys and same_types(a.items, b.items)
    return a == b


def type_text(t: ArgType) -> str:
    """A type as users read it: "float64[:, :]", "int", "tuple(float64[:], int)"."""
    match t:
        case ArrayArg():
            order = {"C": "", "F": ", order F", "A": ", strided"}[t.order]
            shape = ", ".join(":" * t.ndim)
            alias = "" if t.alias is None else f", overlaps #{t.alias}"
            return f"{t.dtype.numpy.name}[{shape}{order}{'' if t.writable else ', read-only'}{alias}]"
        case ScalarArg():
            return (
                {"b": "bool", "i": "int", "f": "float", "c": "complex"}[t.dtype.kind] if t.weak else t.dtype.numpy.name
            )
        case StaticArg():
            return f"static {_shortly(t.value)}"
        case ObjectArg():
            return t.type.__qualname__ if t.dtype is None else f"{t.dtype}[{', '.join(':' * t.ndim)}]"
        case TupleArg():
            name = t.cls.__qualname__ if t.cls else "list" if t.mutable else "tuple"
            return f"{name}({', '.join(type_text(x) for x in t.items)})"
        case DictArg():
            name = t.cls.__qualname__ if t.cls else "dict"
            return f"{name}({', '.join(f'{k}: {type_text(x)}' for k, x in zip(t.keys, t.items))})"


def _shortly(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
