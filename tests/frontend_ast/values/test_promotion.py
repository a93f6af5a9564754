"""Promotion, held against NumPy's and Python's own answers."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.values.promotion import (
    accumulator_dtype,
    array_literal_dtype,
    out_of_bounds_message,
    power_shortcut,
    reduction_dtype,
    resolve,
    result_type,
)
from soljit.ir.core.types import ALL, DType, b1, c64, c128, f16, f32, f64, from_numpy, i8, i32, i64, u8, u32, u64

PYTHON = {bool: b1, int: i64, float: f64, complex: c128}
SAMPLES = {i64: 1, f64: 1.0, c128: 1j}


@pytest.mark.parametrize("ufunc", [np.add, np.true_divide, np.floor_divide, np.power, np.less, np.arctan2, np.subtract])
def test_loops_are_numpys(ufunc: np.ufunc) -> None:
    for a, b in itertools.product(ALL, ALL):
        for weak in (False, True):
            if weak and b not in SAMPLES:
                continue
            right = SAMPLES[b] if weak else np.ones(1, b.numpy)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    expected: object = ufunc(np.ones(1, a.numpy), right).dtype
            except TypeError as error:
                with pytest.raises(TypeError) as found:
                    resolve(ufunc, [(a, False), (b, weak)])
                assert str(found.value) == str(error)
                continue
            assert resolve(ufunc, [(a, False), (b, weak)])[-1].numpy == expected, (ufunc, a, b, weak)


def test_weak_operands_do_not_widen() -> None:
    assert resolve(np.add, [(u8, False), (i64, True)]) == (u8, u8, u8)
    assert resolve(np.multiply, [(f32, False), (f64, True)]) == (f32, f32, f32)
    assert resolve(np.add, [(f32, False), (c128, True)]) == (c64, c64, c64)
    assert resolve(np.add, [(b1, False), (i64, True)]) == (i64, i64, i64)
    assert resolve(np.add, [(i64, True), (i64, True)]) == (i64, i64, i64)
    assert resolve(np.add, [(u8, False), (b1, True)]) == (u8, u8, u8)
    assert resolve(np.add, [(u8, False), (u8, False)], f32) == (f32, f32, f32)
    assert resolve(np.sqrt, [(i8, False)]) == (f16, f16)
    assert resolve(np.divmod, [(u8, False), (i64, True)]) == (u8, u8, u8, u8)
    assert resolve(np.frexp, [(f32, False)]) == (f32, f32, i32)


def test_types_that_are_not_compiled_are_refused() -> None:
    python_function = np.frompyfunc(abs, 1, 1)
    with pytest.raises(UnsupportedError, match="computes in object, which soljit does not compile"):
        resolve(python_function, [(f32, False)])


@pytest.mark.parametrize("loop", [u8, i8, u32, u64, i64, f32, f64, b1])
@pytest.mark.parametrize("value", [0, 1, -1, 300, 2**40, 2**63, -(2**63) - 1, 2**64, 10**400])
def test_python_integers_out_of_bounds(loop: DType, value: int) -> None:
    try:
        with np.errstate(all="ignore"):
            np.multiply(np.ones(1, loop.numpy), value)
    except OverflowError as error:
        if loop.is_int and i64.lowest <= value <= i64.highest:
            assert out_of_bounds_message(loop).format(value) == str(error)


@pytest.mark.parametrize("base", [f32, f64, c64, c128, i64, u8, b1])
@pytest.mark.parametrize("exponent", [-1, 0, 1, 2, 3, 0.5, 2.0, -1.0])
def test_power_shortcuts(base: DType, exponent: float) -> None:
    rng = np.random.default_rng(1)
    x = (rng.uniform(1, 9, 500) + (1j * rng.uniform(1, 9, 500) if base.is_complex else 0)).astype(base.numpy)
    name = power_shortcut(base, exponent)
    try:
        expected = x**exponent
    except (ValueError, OverflowError):
        assert name is None
        return
    found = getattr(np, name)(x) if name else np.power(x, exponent)
    assert found.dtype == expected.dtype and np.array_equal(found, expected)


def test_common_types() -> None:
    assert result_type([(u8, False), (i64, True)]) == u8
    assert result_type([(u8, False), (f64, True)]) == f64
    assert result_type([(f32, False), (c128, True)]) == c64
    assert result_type([(i64, True), (f64, True)]) == f64
    assert result_type([(b1, False), (i64, True)]) == i64
    assert array_literal_dtype([]) == f64 and array_literal_dtype([b1, i64]) == i64
    for values in ([True, 1], [1, 2.0], [np.float32(1), 1], [np.uint8(1), 1], [1j, True], [True, False]):
        kinds = [from_numpy(np.asarray(v).dtype) or f64 for v in values]
        assert array_literal_dtype(kinds).numpy == np.array(values).dtype


def test_reductions() -> None:
    assert reduction_dtype("sum", i8) == i64 and reduction_dtype("sum", u8) == u64 and reduction_dtype("sum", b1) == i64
    assert reduction_dtype("prod", f32) == f32 and reduction_dtype("mean", i32) == f64
    assert reduction_dtype("mean", f16) == f16 and accumulator_dtype("mean", f16) == f32
    assert reduction_dtype("std", c64) == f32 and accumulator_dtype("std", c64) == c64
    assert reduction_dtype("argmax", f32) == i64 and reduction_dtype("any", f32) == b1
    assert reduction_dtype("sum", i8, f32) == f32 and accumulator_dtype("mean", u8) == f64
    with pytest.raises(TypeError):
        reduction_dtype("ptp", b1)
