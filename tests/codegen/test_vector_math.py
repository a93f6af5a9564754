"""Mathematical functions inside loops have NumPy's bits where NumPy's own vector library is there, and libm's accuracy
where it is not.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from soljit.ir.core import ops
from soljit.ir.core.expr import Op
from soljit.ir.core.types import DType, f32, f64
from tests.codegen.harness import FLAGS, Compiled, features
from tests.codegen.test_operations import load, program

NAMES = [n for n in ops.MATH_UNARY if n != "sqrt"]
DIFFERENT = {("sin", f64), ("cos", f64)}  # NumPy computes these with libm
OF_FLOATS = ("exp", "log", "sin", "cos")  # NumPy has loops of its own for these, which need no library
POSITIVE = {"log", "log2", "log10", "log1p"}
UNIT = {"arcsin", "arccos", "arctanh"}


def arguments(name: str, t: DType) -> np.ndarray:
    rng = np.random.default_rng(len(name))
    x = rng.uniform(-1, 1, 1003) if name in UNIT else rng.uniform(-20, 20, 1003)
    if name in POSITIVE:
        x = np.abs(x)
    if name == "arccosh":
        x = np.abs(x) + 1
    x[:4] = [0.0, -0.0, np.inf, np.nan]
    return x.astype(t.numpy)


@pytest.mark.parametrize("t", [f32, f64], ids=str)
@pytest.mark.parametrize("library", [True, False], ids=["svml", "libm"])
@pytest.mark.parametrize("level", ["-O1", "-O3"], ids=["scalar", "vector"])
def test_functions_of_one_argument(t: DType, library: bool, level: str) -> None:
    if library and not features().avx512:
        pytest.skip("this machine has no AVX-512")
    wrong = []
    compiled = Compiled(
        program([(Op(n, (load(k, t),), t), t) for k, n in enumerate(NAMES)], [t] * len(NAMES)), flags=(*FLAGS, level)
    )
    if not library:
        slots = (ctypes.c_void_p * len(compiled.source.imports)).in_dll(compiled.library, "sol_slots")
        kept = list(slots)
        slots[:] = [None] * len(kept)
    args = [arguments(n, t) for n in NAMES]
    try:
        got = compiled.run(*args)
    finally:
        if not library:
            slots[:] = kept
    for name, x, g in zip(NAMES, args, got):
        with np.errstate(all="ignore"):
            want = getattr(np, name)(x)
            near = np.abs(g - want) <= 4 * np.spacing(np.abs(want))
        same = (g == want) & (np.signbit(g) == np.signbit(want)) | np.isnan(g) & np.isnan(want)
        exact = library and (name, t) not in DIFFERENT
        bad = ~(same if exact else same | near)
        if bad.any():
            k = int(np.argmax(bad))
            wrong.append(f"{name}({x[k]!r}) is {want[k]!r}, not {g[k]!r} ({int(bad.sum())} cases)")
    assert not wrong, "\n".join(wrong)


def test_functions_of_floats() -> None:
    if not features().fma:
        pytest.skip("NumPy computes them with libm")
    rng = np.random.default_rng(3)
    special = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1e-45,
        1e-40,
        -1e-40,
        88.72,
        88.73,
        -87.5,
        -103.9,
        -104,
        117436,
        71477,
    ]
    bits = rng.integers(0, 2**32, 1 << 18, dtype=np.uint32).view(np.float32)
    x = np.concatenate([np.float32(special), bits, np.float32(rng.uniform(-1e5, 1e5, 1 << 18))])
    got = Compiled(program([(Op(n, (load(0, f32),), f32), f32) for n in OF_FLOATS], [f32])).run(x)
    for name, g in zip(OF_FLOATS, got):
        with np.errstate(all="ignore"):
            want = getattr(np, name)(x)
        same = (g.view(np.uint32) == want.view(np.uint32)) | np.isnan(g) & np.isnan(want)
        assert same.all(), f"{name}({x[~same][:5]}) is {want[~same][:5]}, not {g[~same][:5]}"


@pytest.mark.parametrize("t", [f32, f64], ids=str)
@pytest.mark.parametrize("name", ["pow", "arctan2"])
def test_functions_of_two_arguments(name: str, t: DType) -> None:
    rng = np.random.default_rng(1)
    x, y = np.abs(rng.normal(size=1001) * 5).astype(t.numpy), rng.normal(size=1001).astype(t.numpy)
    x[:6], y[:6] = [0.0, 0.0, np.inf, np.nan, 1.0, np.nan], [0.0, -1.0, 2.0, 0.0, np.nan, 1.0]
    got = Compiled(program([(Op(name, (load(0, t), load(1, t)), t), t)], [t, t])).run(x, y)[0]
    with np.errstate(all="ignore"):
        want = ops.OPS[name].evaluate(x, y)
        ulps = np.abs(got - want) / np.spacing(np.abs(want))
    same = (got == want) | np.isnan(got) & np.isnan(want)
    allowed = 0 if features().avx512 else 4
    bad = ~(same | (ulps <= allowed))
    assert not bad.any(), f"{x[bad][:3]} {y[bad][:3]}: {got[bad][:3]} instead of {want[bad][:3]} ({bad.sum()})"
