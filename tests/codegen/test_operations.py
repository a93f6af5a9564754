"""Every operation on every type it takes, with the values that matter, gives what NumPy gives: the same bits, except for
functions that libm and NumPy's own loops may round differently.
"""

from __future__ import annotations

import functools
import itertools
import warnings

import numpy as np
import pytest

from soljit.ir.core import ops
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Cast, Expr, Extent, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Map, Node, Param, Program, Region, Result, Return, Tasklet
from soljit.ir.core.types import ALL, BY_NAME, DType, b1, c64, f16, f64, i64
from tests.codegen.harness import Compiled

REALS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.0, 1e-3, 100.7, 5e4, 1e300, -1e-310]
REALS += [
    float("inf"),
    float("-inf"),
    float("nan"),
    2.0**31,
    -(2.0**31) - 1,
    2.0**63,
    1e10,
    1.7976931348623157e308,
    3.4028235e38,
    65504.0,
    6e-8,
]
# A few units in the last place: these are computed by another library than NumPy's, or in another order.
ROUNDED = {*ops.MATH_UNARY, *ops.MATH_BINARY, *ops.LIBM, "pow", "div", "mul", "sign", "abs"}


def values(t: DType) -> np.ndarray:
    if t.kind == "b":
        return np.array([False, True])
    if t.is_int:
        small = [v for v in (0, 1, 2, 3, 5, 7, 31, 64, 100, -1, -2, -7, -64) if v >= t.lowest]
        return np.array([*small, t.lowest, t.highest, t.lowest + 1, t.highest - 1], t.numpy)
    with np.errstate(all="ignore"):
        if t.is_float:
            return np.array(REALS, np.float64).astype(t.numpy)
        few = [0.0, -0.0, 1.0, -1.5, 2.0, 1e30, float("inf"), float("nan")]
        return np.array([complex(a, b) for a in few for b in few]).astype(t.numpy)


def program(codes: list[tuple[Expr, DType]], inputs: list[DType]) -> Program:
    """An array of results for each expression over `x0[i]`, `x1[i]`, …"""
    n, i = Sym("n"), Sym("i")
    data: dict[str, Array] = {f"x{k}": Array(t, (n,), transient=False) for k, t in enumerate(inputs)}
    nodes: list[Node] = []
    body: list[Node] = []
    for k, (_, t) in enumerate(codes):
        data[f"y{k}"] = Array(t, (n,))
        nodes.append(Alloc(f"y{k}"))
        body.append(Tasklet(Memlet(f"y{k}", (i,)), codes[k][0]))
    span = Range(const(0), n, const(1))
    nodes += [Map(("i",), (span,), Region((b,))) for b in body]
    whole = (Range(const(0), n, const(1)),)
    nodes.append(Return(tuple(Memlet(f"y{k}", whole) for k in range(len(codes)))))
    return Program(
        "operations",
        params=tuple(Param(f"x{k}", "array") for k in range(len(inputs))),
        symbols={"n": Extent("x0", 0)},
        data=data,
        results=tuple(Result("array", t, 1) for _, t in codes),
        body=Region(tuple(nodes)),
    )


def load(k: int, t: DType) -> Load:
    return Load(Memlet(f"x{k}", (Sym("i"),)), t)


@functools.cache
def operations(t: DType) -> list[str]:
    names = [n for n, info in ops.OPS.items() if t.kind in info.args and info.arity < 3]
    if t == f16:
        names = [n for n in names if n != "complex"]
    return names


@pytest.mark.parametrize("t", ALL, ids=str)
def test_operations(t: DType) -> None:
    names = operations(t)
    codes = []
    for n in names:
        info = ops.OPS[n]
        codes.append((Op(n, tuple(load(k, t) for k in range(info.arity)), info.result(t)), info.result(t)))
    pairs = np.array(list(itertools.product(values(t), values(t))), t.numpy)
    x, y = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    got = Compiled(program(codes, [t, t])).run(x, y)
    wrong = []
    for name, g in zip(names, got):
        args = (x, y)[: ops.OPS[name].arity]
        if name == "pow" and t.is_int:
            keep = y >= 0
            args, g = (x[keep], y[keep]), g[keep]
        with np.errstate(all="ignore"):
            want = np.asarray(ops.OPS[name].evaluate(*args))
        if name in ("ldexp", "threads"):  # how many threads there are is the machine's to say
            continue
        exact = t.is_complex and name in ("mul", "abs")
        bad = differing(g, want, "" if exact else name)
        if bad.any():
            k = int(np.argmax(bad))
            wrong.append(
                f"{name}({', '.join(str(a[k]) for a in args)}) is {want[k]}, not {g[k]} ({int(bad.sum())} cases)"
            )
    assert not wrong, "\n".join(wrong)


def differing(got: np.ndarray, want: np.ndarray, name: str) -> np.ndarray:
    assert got.dtype == want.dtype, (name, got.dtype, want.dtype)
    if got.dtype.kind == "c":
        return differing(got.real, want.real, name) | differing(got.imag, want.imag, name)
    if got.dtype.kind != "f":
        return got != want
    same = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)
    if name in ROUNDED:
        with np.errstate(all="ignore"):
            same |= np.abs(got - want) <= 4 * np.abs(np.spacing(want))
    return ~same


@pytest.mark.parametrize("t", ALL, ids=str)
def test_casts(t: DType) -> None:
    got = Compiled(program([(Cast(u, load(0, t)), u) for u in ALL], [t])).run(values(t))
    for u, g in zip(ALL, got):
        with np.errstate(all="ignore"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = values(t).astype(u.numpy)
        bad = differing(g, want, "cast")
        if t.is_complex and u.name == "u32":  # NumPy's vector and scalar code differ about what does not fit
            bad &= np.isfinite(values(t).real)
        assert not bad.any(), f"{t} -> {u}: {values(t)[bad]} gives {g[bad]}, not {want[bad]}"


@pytest.mark.parametrize("t", [f64, i64, c64, b1, f16, BY_NAME["u8"]], ids=str)
def test_select_is_lazy_and_exact(t: DType) -> None:
    code = Op("select", (Op("ne", (load(0, t), load(1, t)), b1), load(0, t), load(1, t)), t)
    x = values(t)
    got = Compiled(program([(code, t)], [t, t])).run(x, x[::-1].copy())[0]
    np.testing.assert_array_equal(got, np.where(x != x[::-1], x, x[::-1]))
