"""Memory of the interpreter: elements written and combined, boxes for objects, strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.errors import InternalError
from soljit.ir.core.expr import Memlet
from soljit.ir.interpret.evaluate import NDArray
from soljit.ir.text.spelling import spell

COMBINE: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "land": np.logical_and,
    "lor": np.logical_or,
    "band": np.bitwise_and,
    "bor": np.bitwise_or,
    "bxor": np.bitwise_xor,
}


def holder(value: object) -> NDArray:
    """A 0-dimensional array that holds an object."""
    a: NDArray = np.empty((), object)
    a[()] = value
    return a


def store(out: NDArray, value: Any, m: Memlet) -> None:  # a NumPy scalar or array of the same type
    """Write `value`, combining if the memlet says so."""
    if value.dtype != out.dtype:
        raise InternalError(f"{spell(m)} holds {out.dtype} and is given {value.dtype}")
    out[...] = value if m.wcr is None else COMBINE[m.wcr](out, value)


def c_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    out, step = [], 1
    for n in reversed(shape):
        out.append(step)
        step *= n
    return tuple(reversed(out))
