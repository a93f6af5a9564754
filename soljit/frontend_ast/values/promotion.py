"""Which types an operation computes in: NumPy's promotion (NEP 50).

An operand is `(dtype, weak)`: weak operands are Python ints, floats and complex numbers, whose value never decides a
type; a Python bool is as strong as `np.bool_`. Everything here is a memoized question put to NumPy itself
(`ufunc.resolve_dtypes`, `np.result_type`, a reduction of two ones), so that the answers and the texts of the errors are its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any  # values of NumPy and Python numbers of any kind

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.ir.core.types import PYTHON_CLASSES, DType, b1, f16, f32, f64, from_numpy, promote

Operand = tuple[DType, bool]


def _supported(dtype: Any, what: str) -> DType:
    found = from_numpy(dtype) if np.dtype(dtype).kind in "biufc" else None
    if found is None:
        raise UnsupportedError(
            f"{what} computes in {np.dtype(dtype)}, which soljit does not compile",
            hint="convert an operand with .astype(...) first",
        )
    return found


# --- NumPy ------------------------------------------------------------------------------------------------------------


def resolve(ufunc: np.ufunc, operands: Sequence[Operand], dtype: DType | None = None) -> tuple[DType, ...]:
    """Types of the ufunc's inner loop, inputs then outputs. Raises NumPy's TypeError where there is no loop.

    dtype: the ufunc's `dtype=` argument.
    """
    return _resolve(ufunc, tuple((t, bool(weak)) for t, weak in operands), dtype)


@lru_cache(maxsize=4096)
def _resolve(ufunc: np.ufunc, operands: tuple[Operand, ...], dtype: DType | None) -> tuple[DType, ...]:
    given: list[Any] = [PYTHON_CLASSES[t] if weak and t is not b1 else t.numpy for t, weak in operands]
    given += [None] * ufunc.nout
    signature = (None,) * ufunc.nin + (None if dtype is None else dtype.numpy,) * ufunc.nout
    found = ufunc.resolve_dtypes(tuple(given), signature=signature)
    return tuple(_supported(d, f"np.{ufunc.__name__}") for d in found)


def result_type(operands: Sequence[Operand]) -> DType:
    """The common type of strong and weak operands: of `np.where`, `np.concatenate`, `np.clip`, array constructors."""
    return _result_type(tuple((t, bool(weak)) for t, weak in operands))


@lru_cache(maxsize=4096)
def _result_type(operands: tuple[Operand, ...]) -> DType:
    given = [PYTHON_CLASSES[t](1) if weak and t is not b1 else t.numpy for t, weak in operands]
    return _supported(np.result_type(*given), "the common type")


def array_literal_dtype(elements: Sequence[DType]) -> DType:
    """The dtype of `np.array([...])` of numbers of these types; here Python numbers are as strong as NumPy's.

    An empty list is float64.
    """
    return promote(*elements) if elements else f64


# --- weak integers that do not fit ------------------------------------------------------------------------------------


def out_of_bounds_message(loop: DType) -> str:
    """NumPy's message as a template of `ir.nodes.Raise`."""
    return f"Python integer {{0}} out of bounds for {loop.numpy}"


@lru_cache(maxsize=1024, typed=True)
def power_shortcut(base: DType, exponent: int | float) -> str | None:
    """The ufunc that `array ** exponent` runs for this Python exponent instead of np.power, or None; found by trying.

    It matters for complex numbers, where the results differ in bits, and for bools, whose square is int8; for floats
    it is faster.
    """
    name = POWER_SHORTCUTS.get(exponent)
    if name is None or base.kind in "biu" and name != "square":
        return None
    example = np.array(_BASES if base.is_complex else np.linspace(0.1, 9.9, 1000)).astype(base.numpy)
    with np.errstate(all="ignore"):
        found, simple = example**exponent, getattr(np, name)(example)
    same = np.nan_to_num(found, nan=7.0).tobytes() == np.nan_to_num(simple, nan=7.0).tobytes()
    return name if same and found.dtype == simple.dtype else None


POWER_SHORTCUTS: dict[float, str] = {2: "square", -1: "reciprocal", 0.5: "sqrt", 1: "positive"}
_BASES = [complex(x, y) for x in (0.0, -0.0, math.inf, 1.5, -3.25) for y in (0.0, -0.0, 1.75, -math.inf)]


# --- reductions -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def reduction_dtype(name: str, dtype: DType, given: DType | None = None) -> DType:
    """The result type of `np.<name>(array_of_dtype[, dtype=given])`: sum, mean, var, cumsum, max, argmax, nansum …"""
    sample = np.ones(2, dtype.numpy)
    function: Callable[..., Any] = getattr(np, name)
    with np.errstate(all="ignore"):
        out = function(sample) if given is None else function(sample, dtype=given.numpy)
    return _supported(np.asarray(out).dtype, f"np.{name}")


def accumulator_dtype(name: str, dtype: DType, given: DType | None = None) -> DType:
    """The type in which `np.<name>` adds up; the sum is cast to `reduction_dtype` at the end.

    Means and variances of float16 are accumulated in float32, and those of integers in float64.
    """
    result = reduction_dtype(name, dtype, given)
    if name in ("mean", "average", "var", "std", "nanmean", "nanvar", "nanstd") and given is None:
        if dtype == f16:
            return f32
        return dtype if dtype.is_complex else result
    return result
