"""What a variant is specialized on: the types of the arguments of one call.

`ArgType` trees are made by `runtime/values/arguments.py` from the values of a call, are hashable (they are the key of the dispatch
table, together with the guards of each variant), and are what the front end starts from. Leaves in depth-first order are
the program's parameters.

A call also hands over its concrete sizes and scalars (`Concrete`): the front end may *decide* a question such as "n == 1" or
"a.shape[0] == b.shape[0]" by this call's values and record the answer as a guard of the variant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base.records import dataclass
from soljit.ir.core.types import DType


@dataclass(frozen=True, slots=True)
class ArrayArg:
    """A NumPy array.

    order: "C" or "F" if contiguous in that order (both: "C"), else "A" for strided.
    rank:  for "A": the axes from the largest stride to the smallest, which fixes NumPy's K order (`rank_of`); () otherwise.
    still: how many of the last axes of `rank` repeat their elements: their stride is 0.
    shared: several of its own elements may lie at one place.
    alias: number of the group of arguments whose memory overlaps (at least one of them writable), or None.
    same:  number of the object, if several arguments are this very object, or None.
    """

    dtype: DType
    ndim: int
    order: str = "C"
    rank: tuple[int, ...] = ()
    writable: bool = True
    alias: int | None = None
    still: int = 0
    shared: bool = False
    same: int | None = None


def rank_of(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """The axes from slowest to fastest as NumPy orders them: an axis of length 1 has no say, those of stride 0 are the fastest."""
    steps = [0 if n == 1 else abs(s) for n, s in zip(shape, strides)]
    still = still_axes(shape, strides)
    order: list[int] = []  # from fastest to slowest
    for axis in reversed(range(len(steps))):
        if axis in still:
            continue
        place = len(order)
        for k in reversed(range(len(order))) if steps[axis] else ():
            other = steps[order[k]]
            if 0 < other <= steps[axis]:
                break
            if other:
                place = k
        order.insert(place, axis)
    return (*reversed(order), *still)


def shares_elements(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether two elements of an array may lie at one place. No, if each axis steps over all that the faster ones reach."""
    reach = 0
    for step, n in sorted((abs(s), n) for n, s in zip(shape, strides) if n != 1):
        if step <= reach:
            return True
        reach += (n - 1) * step
    return False


def still_axes(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """The axes along which an array repeats its elements."""
    return tuple(k for k, (n, s) in enumerate(zip(shape, strides)) if s == 0 and n != 1)


@dataclass(frozen=True, slots=True)
class ScalarArg:
    """A number. `weak`: a Python bool, int, float, complex; otherwise a NumPy scalar (or array scalar)."""

    dtype: DType
    weak: bool


@dataclass(frozen=True, slots=True)
class StaticArg:
    """A value the variant is made for: None, a string, a dtype, a function, a class, Ellipsis, a slice … (hashable, compared by ==)."""

    value: object


@dataclass(frozen=True, slots=True)
class ObjectArg:
    """Anything else; only callbacks can use it. `type` is its class; of an array also the type of its elements, which is none of soljit's."""

    type: type
    dtype: np.dtype[Any] | None = None
    ndim: int = 0


@dataclass(frozen=True, slots=True)
class TupleArg:
    """A tuple (of a named-tuple class, if `cls`) or, with `mutable`, a list of fixed length."""

    items: tuple[ArgType, ...]
    cls: type | None = None
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class DictArg:
    """A dict with static string keys."""

    keys: tuple[str, ...]
    items: tuple[ArgType, ...]


@dataclass(frozen=True, slots=True)
class InstanceArg:
    """An instance of the class `cls`, which is a leaf, and behind it those of its attributes that the function may use.

    keys:   attributes that are the instance's own; `items` are their types
    absent: attributes of the class that no attribute of the instance hides
    """

    cls: type
    keys: tuple[str, ...]
    items: tuple[ArgType, ...]
    absent: tuple[str, ...] = ()


ArgType = ArrayArg | ScalarArg | StaticArg | ObjectArg | TupleArg | DictArg | InstanceArg
Nested = (TupleArg, DictArg, InstanceArg)
