"""NumPy's functions that leave NaN out: values, types, warnings and errors as NumPy's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check, check_all

REDUCING = ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanargmin", "nanargmax")
RNG = np.random.default_rng(3)


def numbers(shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
    a = RNG.standard_normal(shape).astype(dtype)
    if a.dtype.kind == "f":
        a[RNG.random(shape) < 0.2] = np.nan
    return a


@pytest.mark.share(0.3)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.bool_], ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", REDUCING)
def test_reductions(name: str, dtype: Any) -> None:
    lines = [
        f"np.{name}(a)",
        f"np.{name}(a, axis=0)",
        f"np.{name}(a, axis=-1, keepdims=True)",
        f"np.{name}(a[1])",
        f"np.{name}(a.T[::2], 1)",
        f"np.{name}(a, axis=None)",
        f"np.{name}(v)",
        f"np.{name}(a + a)",
    ]
    if name in ("nanmin", "nanmax"):  # of sums over several axes the last places may differ
        lines.append(f"np.{name}(b, axis=(0, 2))")
    rtol = 1e-4 if name == "nanprod" else 0.0  # products in another order
    check_all(lines, a=numbers((6, 37), dtype), v=numbers((301,), dtype), b=numbers((3, 4, 5), dtype), rtol=rtol)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32], ids=lambda t: t.__name__)
def test_cumulative(dtype: Any) -> None:
    lines = [f"np.{n}(a{axis})" for n in ("nancumsum", "nancumprod") for axis in ("", ", axis=0", ", axis=1")]
    check_all(lines, a=numbers((4, 9), dtype))


@pytest.mark.parametrize("ddof", ["1", "1.5", "k", "40"])
def test_degrees_of_freedom(ddof: str) -> None:
    lines = [f"np.{n}(a, axis=1, ddof={ddof})" for n in ("nanvar", "nanstd")] + [f"np.nanstd(a[0], ddof={ddof})"]
    check_all(lines, a=numbers((4, 37)), k=2, warns=True)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", REDUCING)
def test_slices_of_nothing_but_nan(name: str, dtype: Any) -> None:
    a = numbers((3, 5), dtype)
    a[1] = np.nan
    check_all([f"np.{name}(a, axis=1)"], a=a, warns=True)
    check_all([f"np.{name}(a[1])"], a=a, warns=True)
    check_all([f"np.{name}(a[1], keepdims=True)"], a=a, warns=True)
    check_all([f"np.{name}(a[0])", f"np.{name}(a, axis=0)"], a=a, warns=True)


@pytest.mark.parametrize("name", REDUCING)
def test_nothing(name: str) -> None:
    for text in (f"np.{name}(v)", f"np.{name}(a, axis=0)", f"np.{name}(a, axis=1)"):
        check_all([text], v=np.zeros(0), a=np.zeros((0, 3)))


def test_infinities_and_signed_zeros() -> None:
    a = np.array([[np.inf, np.nan, 1.0], [-np.inf, np.inf, np.nan], [-0.0, np.nan, -0.0]])
    lines = [f"np.{n}(a{i})" for n in REDUCING for i in ("", "[0]", "[1]", "[2]")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_all(lines, a=a)


def test_in_a_loop_no_call_of_numpy() -> None:
    def f(a, out):
        for i in range(a.shape[0]):
            out[i] = np.nanstd(a[i]) + np.nanvar(a[i], ddof=1) + np.nanmax(a[i]) - np.nanmin(a[i])
        return out

    check(f, numbers((5, 8)), np.zeros(5))
    compiled = sol.jit(strict=True)(f)
    compiled(numbers((5, 8)), np.zeros(5))
    assert "called back" not in compiled.explain()


def test_bad_arguments() -> None:
    check_all(["np.nanstd(a, axis=2)"], a=np.ones((2, 2)))
    check_all(["np.nanmin(a, axis=(0, 0))"], a=np.ones((2, 2)))
    check_all(["np.nanvar(a, dtype=int)"], a=np.ones((2, 2)))
    check_all(["np.nanvar(a)", "np.nanmean(a)", "np.nansum(a)"], a=np.ones((2, 2)) * 1j)
    check_all(["np.nanstd(3.0)", "np.nanmean([1.0, np.nan])"])
