"""Values of a call → `ArgType` trees and leaves.

`describe` is the slow path's view of a call; `native/match.h` checks the same conditions in C. Where they must agree:
the order class of an array, the rank of its axes, and the groups of overlapping arguments.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import types
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from soljit.base.device_arrays import CLASS, host_array
from soljit.base.errors import ArgPlace, ArgumentError
from soljit.base.python.arrays import is_writable
from soljit.base.python.dependency import jitted
from soljit.ir.core import types as ir_types
from soljit.ir.core.signature import (
    ArgType,
    ArrayArg,
    DictArg,
    InstanceArg,
    Nested,
    ObjectArg,
    ScalarArg,
    StaticArg,
    TupleArg,
    rank_of,
    shares_elements,
    still_axes,
)
from soljit.ir.core.types import DType
from soljit.runtime.values.alias_groups import alias_groups, same_objects
from soljit.runtime.values.attribute_names import AttributeNames, may_be_taken_apart

MOST_LEAVES = 64  # as in native/variant.h
MOST_NESTED = 16  # levels of what objects hold that are looked at, as there
_STATIC = (str, bytes, type, np.dtype, np.ufunc, slice, range, enum.Enum)
_TAKEN_APART = (list, tuple, dict, str, bytes, types.FunctionType)
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


def describe(
    arguments: Sequence[object],
    names: Sequence[str],
    objects: frozenset[ArgPlace] = frozenset(),
    outside: Sequence[object] = (),
    contents: bool = False,
    attributes: AttributeNames | None = None,
) -> Described:
    """Types and leaves of a call's arguments; ArgumentError names the parameter that compiled code cannot take.

    objects: where lists, tuples, dicts, instances and texts are not taken apart
    outside: objects that are no arguments but that the function uses, too
    contents: look into objects for lists, dicts and instances that are arguments, too
    attributes: those of instances that the function may use
    """
    walk = _Walk(objects, attributes)
    found: list[ArgType] = []
    for k, (value, name) in enumerate(zip(arguments, names)):
        walk.place = (k,)
        found.append(walk.value(value, name))
    walk.met += [(x, (), False) for x in outside]
    twice = (walk.twice(contents) | walk.deep) - objects
    if twice:
        return describe(arguments, names, objects | twice, outside, contents, attributes)
    leaves = walk.leaves
    if max(len(leaves), len(walk.met)) > MOST_LEAVES:
        if (largest := walk.largest()) is None:
            raise ArgumentError(f"the arguments have more than {MOST_LEAVES} leaves")
        return describe(arguments, names, objects | {largest}, outside, contents, attributes)
    arrays = [x for x in leaves if type(x) is np.ndarray and x.dtype in _DTYPES]
    if len(arrays) > 1:
        numbers = zip(alias_groups(arrays), same_objects(arrays))
        found = [_with_groups(t, numbers) for t in found]
    return Described(tuple(found), leaves)


def _may_be_object(value: object) -> bool:
    cls = type(value)
    return cls in _TAKEN_APART or may_be_taken_apart(cls) or _is_named_tuple(cls) or jitted(value) is not None


class _Walk:
    """Through the arguments of a call, depth first.

    met: lists, dicts, instances and objects with the place where they were met (of none: outside); was each taken apart?
    """

    def __init__(self, objects: frozenset[ArgPlace], attributes: AttributeNames | None) -> None:
        self.objects, self.attributes = objects, attributes
        self.leaves: list[Any] = []  # any: the user's objects
        self.met: list[tuple[object, ArgPlace, bool]] = []
        self.place: ArgPlace = ()
        self.inside = False  # of a list, tuple or dict
        self.classes: tuple[type, ...] = ()  # of the instances whose attributes these are
        self.depth = 0
        self.deep: frozenset[ArgPlace] = frozenset()  # nested deeper than is looked at, as what holds itself is

    def value(self, value: Any, name: str) -> ArgType:  # any: the user's object
        """The type of what is at the present place."""
        if self.place in self.objects and _may_be_object(value):
            return self.as_object(value)
        return self.type_of(value, name)

    def twice(self, contents: bool) -> frozenset[ArgPlace]:
        """Places with a list, dict or instance that is met again, or that an object holds: what changes under one name
        changes under the other.
        """
        apart = {id(x) for x, _, apart in self.met if apart}
        if not apart or len(self.met) == 1:
            return frozenset()
        count = collections.Counter(id(x) for x, _, _ in self.met)
        again = {i for i in apart if count[i] > 1}
        for x, _, taken_apart in self.met:
            if contents and not taken_apart:
                _held(x, apart, again)
        return frozenset(k for x, k, _ in self.met if id(x) in again) - {()}

    def largest(self) -> ArgPlace | None:
        """The place of the longest list or dict, else of an instance: what may be one object where there are too many leaves."""
        apart = [(len(x) if isinstance(x, (list, dict)) else 0, k) for x, k, taken_apart in self.met if taken_apart]
        return max(apart, key=lambda found: found[0])[1] if apart else None

    def as_object(self, value: object) -> ObjectArg:
        self.leaves.append(value)
        self.met.append((value, self.place, False))
        return ObjectArg(type(value))

    def type_of(self, value: Any, name: str) -> ArgType:  # any: the user's object
        cls = type(value)
        if cls in CLASS:
            value, cls = value._host, np.ndarray
        if cls is np.ndarray:
            found = type_of_leaf(value, name)
            if isinstance(found, ObjectArg):
                self.as_object(value)
            else:
                self.leaves.append(value)
            return found
        weak = ir_types.PYTHON_TYPES.get(cls)
        if weak is not None:
            if weak is ir_types.i64 and not -(1 << 63) <= value < 1 << 63:
                raise ArgumentError(f"argument {name!r} is an int beyond 64 bits")
            self.leaves.append(value)
            return ScalarArg(weak, True)
        strong = _SCALARS.get(cls)
        if strong is not None:
            self.leaves.append(value)
            return ScalarArg(strong, False)
        if isinstance(value, (np.ndarray, np.generic)):
            return self.as_object(value)
        if value is None or is_static(value):
            self.leaves.append(value)
            return StaticArg(value)
        return self._taken_apart(value, cls, name)

    def _taken_apart(self, value: Any, cls: type, name: str) -> ArgType:  # any: the user's object
        """The type of a container or instance; of anything else, and of what has too many leaves, that of an object."""
        start, met, inside = len(self.leaves), len(self.met), self.inside
        if self.depth == MOST_NESTED:
            self.deep |= {self.place}
        if self.depth == MOST_NESTED or max(start, met) > MOST_LEAVES:
            return self.as_object(value)
        self.depth += 1
        kind = self._parts(value, cls, name)
        self.depth, self.inside = self.depth - 1, inside
        if kind is None or max(len(self.leaves), len(self.met)) > MOST_LEAVES:
            del self.leaves[start:], self.met[met:]
            return self.as_object(value)
        return kind

    def _parts(self, value: Any, cls: type, name: str) -> ArgType | None:  # any: the user's object
        """The type of a container or instance by its parts; None: it is an object."""
        kind: ArgType | None = None
        if not (cls is tuple or _is_named_tuple(cls)):
            self.met.append((value, self.place, True))
        if cls is tuple or cls is list or _is_named_tuple(cls):
            self.inside = True
            parts = list(value) if cls is list else list(tuple.__iter__(value))  # a named tuple may have an `__iter__`
            if len(parts) <= MOST_LEAVES:
                items = tuple(self.type_of(x, f"{name}[{k}]") for k, x in enumerate(parts))
                kind = TupleArg(items, None if cls in (tuple, list) else cls, cls is list)
        elif cls is dict and len(value) <= MOST_LEAVES and all(type(k) is str for k in value):
            self.inside = True
            kind = DictArg(tuple(value), tuple(self.type_of(x, f"{name}[{k!r}]") for k, x in value.items()))
        elif not self.inside or dataclasses.is_dataclass(cls):
            kind = self._instance(value, cls, name)
        return kind

    def _instance(self, value: Any, cls: type, name: str) -> ArgType | None:  # any: the user's object
        """The type of an instance; None: it is an object."""
        parts = self.attributes.parts(value, self.classes) if self.attributes is not None else None
        if parts is None or len(parts.own) > MOST_LEAVES or len(self.place) > MOST_NESTED:
            return None
        self.leaves.append(value)
        place, classes, items = self.place, self.classes, []
        self.classes = (cls, *classes)
        for k, x in parts.own.items():
            if not self.inside:
                self.place = (*place, k)
            items.append(self.value(x, f"{name}.{k}"))
        self.place, self.classes = place, classes
        return InstanceArg(cls, tuple(parts.own), tuple(items), parts.absent)


def _held(value: object, apart: set[int], found: set[int]) -> None:
    """Find which of the lists, dicts and instances `apart` an object holds."""
    seen: set[int] = set()
    _held_by(value, apart, found, 0, seen)
    if type(value) not in (list, tuple, dict, np.ndarray):
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            _held_by(attributes, apart, found, 0, seen)


def _held_by(value: object, apart: set[int], found: set[int], depth: int, seen: set[int]) -> None:
    if type(value) not in (list, tuple, dict) or id(value) in seen:
        return
    seen.add(id(value))
    if depth == MOST_NESTED:
        found |= apart
        return
    for x in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]
        if id(x) in apart:
            found.add(id(x))
        _held_by(x, apart, found, depth + 1, seen)


def is_static(value: object) -> bool:
    """Tell whether this is a value that a variant is made for."""
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
        return ArrayArg(dtype, a.ndim, "C", (), is_writable(a))
    if flags.f_contiguous:
        return ArrayArg(dtype, a.ndim, "F", (), is_writable(a))
    if any(s % dtype.size for s in a.strides):
        raise ArgumentError(f"argument {name!r} has strides that are no multiples of its element size {dtype.size}")
    rank, still = rank_of(a.shape, a.strides), len(still_axes(a.shape, a.strides))
    shared = shares_elements(a.shape, a.strides)
    return ArrayArg(dtype, a.ndim, "A", rank, is_writable(a), still=still, shared=shared)


def type_of_leaf(value: object, name: str = "array") -> ArrayArg | ObjectArg:
    """The type of an array of numbers, or of something else that is used as an object."""
    value = host_array(value)
    if type(value) is not np.ndarray:
        return ObjectArg(type(value))
    return array_type(value, name) if value.dtype in _DTYPES else ObjectArg(np.ndarray, value.dtype, value.ndim)


def fits(value: object, t: ArgType) -> bool:
    """Tell whether this is an array or a container of type `t`."""
    try:
        return type_of_leaf(value) == t
    except ArgumentError:
        return False


def _with_groups(t: ArgType, numbers: Any) -> ArgType:  # any: an iterator over groups and objects
    match t:
        case ArrayArg():
            alias, same = next(numbers)
            return t if alias is same is None else dataclasses.replace(t, alias=alias, same=same)
        case TupleArg() | DictArg() | InstanceArg():
            return dataclasses.replace(t, items=tuple(_with_groups(x, numbers) for x in t.items))
    return t


def without(t: ArgType, groups: bool, objects: bool) -> ArgType:
    """The type as if nothing overlapped (`groups`), as if no array occurred twice (`objects`)."""
    match t:
        case ArrayArg() if t.alias is not None or t.same is not None:
            return dataclasses.replace(t, alias=None if groups else t.alias, same=None if objects else t.same)
        case TupleArg() | DictArg() | InstanceArg():
            return dataclasses.replace(t, items=tuple(without(x, groups, objects) for x in t.items))
    return t


def object_places(place: ArgPlace, t: ArgType) -> list[ArgPlace]:
    """The places below an argument at which objects are."""
    if isinstance(t, InstanceArg):
        return [x for name, item in zip(t.keys, t.items) for x in object_places((*place, name), item)]
    return [place] if isinstance(t, ObjectArg) else []


def leaf_types(types_: Sequence[ArgType]) -> list[ArgType]:
    """Leaves in depth-first order, static ones included."""
    out: list[ArgType] = []
    for t in types_:
        if isinstance(t, InstanceArg):
            out.append(ObjectArg(t.cls))
        if isinstance(t, Nested):
            out.extend(leaf_types(t.items))
        else:
            out.append(t)
    return out


def type_text(t: ArgType, values: bool = True) -> str:
    """A type as users read it: "float64[:, :]", "int", "tuple(float64[:], int)". values: show the values of static ones."""
    match t:
        case ArrayArg():
            order = {"C": "", "F": ", order F", "A": ", strided"}[t.order]
            shape = ", ".join(":" * t.ndim)
            alias = "" if t.alias is None else f", overlaps #{t.alias}"
            return f"{t.dtype.numpy.name}[{shape}{order}{'' if t.writable else ', read-only'}{alias}]"
        case ScalarArg():
            return ir_types.PYTHON_NAMES[t.dtype] if t.weak else t.dtype.numpy.name
        case StaticArg():
            return f"static {_shortly(t.value) if values else type(t.value).__name__}"
        case ObjectArg():
            return t.type.__qualname__ if t.dtype is None else f"{t.dtype}[{', '.join(':' * t.ndim)}]"
        case TupleArg():
            name = t.cls.__qualname__ if t.cls else "list" if t.mutable else "tuple"
            return f"{name}({', '.join(type_text(x, values) for x in t.items)})"
        case DictArg() | InstanceArg():
            name = t.cls.__qualname__ if isinstance(t, InstanceArg) else "dict"
            return f"{name}({', '.join(f'{k}: {type_text(x, values)}' for k, x in zip(t.keys, t.items))})"


def _shortly(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
