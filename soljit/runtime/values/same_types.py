"""Whether calls are of equal types, as `native/match.h` has it."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.ir.core.signature import ArgType, DictArg, InstanceArg, ObjectArg, StaticArg, TupleArg
from soljit.runtime.system.fingerprint import same_value


def same_types(a: Sequence[ArgType], b: Sequence[ArgType], made_anew: bool = False) -> bool:
    """Equal types; static values must be of one class, too, so that 0 is not False and -0.0 is not 0.0.

    made_anew: functions are equal that were made from the same code
    """
    return len(a) == len(b) and all(_same(x, y, made_anew) for x, y in zip(a, b))


def _same(a: ArgType, b: ArgType, made_anew: bool) -> bool:
    if type(a) is not type(b):
        return False
    match a, b:
        case (StaticArg(), StaticArg()):
            if made_anew and type(a.value) is types.FunctionType:
                return same_value(a.value, b.value)
            return _same_static(a.value, b.value)
        case (ObjectArg(), ObjectArg()):
            return (a.type, a.ndim) == (b.type, b.ndim) and same_value(a.dtype, b.dtype)
        case (TupleArg(), TupleArg()):
            return a.cls is b.cls and a.mutable == b.mutable and same_types(a.items, b.items, made_anew)
        case (DictArg(), DictArg()):
            return a.keys == b.keys and same_types(a.items, b.items, made_anew)
        case (InstanceArg(), InstanceArg()):
            known = (a.cls, a.keys, a.absent) == (b.cls, b.keys, b.absent)
            return known and same_types(a.items, b.items, made_anew)
    return a == b


def _same_static(a: Any, b: Any) -> bool:  # any objects
    """As `same_static` of native/match.h, and dtypes that look the same in everything: no `__eq__` of the program is asked."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (slice, range)):
        return all(_same_static(x, y) for x, y in ((a.start, b.start), (a.stop, b.stop), (a.step, b.step)))
    if type(a) is float:
        return bool(np.float64(a).tobytes() == np.float64(b).tobytes())
    if isinstance(a, np.dtype):
        return same_value(a, b)
    return type(a) in (str, bytes, int) and bool(a == b)
