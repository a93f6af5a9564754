"""Reductions: axis, keepdims, dtype, initial, where, out; ties, NaN, empty arrays; accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all
from tests.values import DTYPES, FLOATS, INTS, grid, layouts, plain, special

NAMES = ["sum", "prod", "min", "max", "mean", "std", "var", "any", "all", "argmin", "argmax"]


@pytest.mark.share(0.3)
@pytest.mark.parametrize("name", NAMES)
def test_axes(name: str) -> None:
    lines = [f"np.{name}(a)", f"a.{name}()"]
    axes = ["0", "1", "2", "-1", "-3", "None"] + (
        [] if name.startswith("arg") else ["(0, 1)", "(2, 0)", "(0, 1, 2)", "()"]
    )
    for axis in axes:
        lines += [f"np.{name}(a, axis={axis})", f"a.{name}(axis={axis}, keepdims=True)"]
    lines += [
        f"np.{name}(a, 1)",
        f"a.{name}(0)",
        f"np.{name}(a[1])",
        f"a[:, 0].{name}(axis=1)",
        f"np.{name}(a * 2 - 1, axis=1)",
    ]
    check_all(lines, a=np.cos(grid(3, 4, 5)) + 0.5, rtol=1e-14, atol=1e-15)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: str) -> None:
    lines = (
        [f"a.{n}()" for n in NAMES]
        + [f"a.{n}(axis=0)" for n in NAMES]
        + ["np.count_nonzero(a)", "a.cumsum()", "a.cumprod(axis=1)"]
    )
    if dtype not in ("bool", "float16"):
        lines += ["np.ptp(a)"] if not dtype.startswith("complex") else []
    if dtype.startswith("complex"):
        lines = [s for s in lines if "min" not in s and "max" not in s]
    check_all(
        lines,
        a=plain(dtype, (4, 5)),
        rtol=2e-3 if dtype == "float16" else 1e-5 if dtype in ("float32", "complex64") else 1e-14,
    )


def test_keywords() -> None:
    check_all(
        """
        a.sum(dtype=np.float32)
        a.sum(axis=0, dtype=np.float64)
        i.sum(dtype=np.int8)
        i.sum(dtype=np.float64)
        i.mean(dtype=np.float32)
        np.sum(a, initial=10.0)
        np.max(a, initial=0.0)
        np.min(a, axis=0, initial=-1.0)
        np.sum(a, where=a > 0)
        np.sum(a, axis=1, where=a > 0)
        np.mean(a, where=a > 0)
        np.max(a, where=a > 0, initial=-5.0)
        a.std(ddof=1)
        a.var(axis=0, ddof=1)
        np.any(a > 1, axis=0)
        np.all(a > -9)
        np.cumsum(a, axis=0)
        np.cumprod(a, axis=1)
        np.average(a)
        np.average(a, axis=0)
        np.average(a, axis=1, weights=w)
        np.median(a)
        np.median(a, axis=0)
        np.percentile(a, 30)
        np.linalg.norm(a)
        np.linalg.norm(a, axis=1)
        np.ptp(a, axis=0)
        np.diff(a)
        np.diff(a, axis=0)
        np.trace(a)
        np.amax(a)
        np.amin(a, axis=1)
        np.nansum(a)
        np.nanmax(a)
        np.nanmean(a, axis=0)
        (a > 0).sum()
        (a * w).sum(axis=1)
        np.sum(a ** 2)
        np.sum(a[1:] * a[:-1])
        np.sum(np.abs(a), axis=1)
        np.dot(w, w)
        a.sum() / a.size
        np.sum([1, 2, 3])
        np.max([1.5, 2])
        """,
        a=np.cos(grid(3, 4)) * 3,
        i=np.arange(10, dtype=np.int32) * 40,
        w=np.array([1.0, 2.0, 0.5, 0.25]),
        rtol=1e-6,
    )


def test_more_keywords() -> None:
    check_all(
        """
        np.mean(m, where=b)
        m.mean(axis=1, where=b, keepdims=True)
        np.std(m, axis=0, where=b)
        np.var(m, axis=0, mean=np.mean(m, axis=0, keepdims=True))
        np.std(m, axis=0, correction=1)
        m.std(1, None, None, 1)
        np.sum(m, axis=0, out=o)
        np.mean(m, axis=1, out=o[:3])
        np.argmin(m, axis=0, out=oi)
        np.argmax(m, keepdims=True)
        np.argmax(np.argmax(m, axis=0, keepdims=True))
        np.max(c)
        np.min(c, axis=0)
        np.argmax(c, axis=1)
        np.nanargmin(n[:2], axis=1)
        np.nanmax(n, axis=0, keepdims=True)
        np.nanmean(n[:2], axis=0)
        np.nanpercentile(n, [30, 50])
        np.nancumsum(n, axis=0)
        np.median(m, axis=(0, 1), keepdims=True)
        np.percentile(m, [30, 60], axis=0, keepdims=True)
        np.quantile(m, 0.25, method="lower")
        np.average(m, axis=1, weights=o + 1, returned=True)
        np.count_nonzero(m > 0, axis=1, keepdims=True)
        np.any(m, axis=0, out=np.zeros(4, bool))
        np.sum(z, axis=0)
        np.max(z, axis=-1)
        np.sum(z, keepdims=True)
        z.mean()
        np.sum(3)
        np.max(np.float32(2.5))
        """,
        m=np.cos(grid(3, 4)),
        b=grid(3, 4) % 3 > 0,
        c=np.cos(grid(3, 4)) + 1j * np.sin(grid(3, 4)),
        n=np.where(grid(3, 4) % 5 == 1, np.nan, grid(3, 4)),
        o=np.zeros(4),
        oi=np.zeros(4, int),
        z=np.array(2.5),
        rtol=1e-14,
    )


NAN = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 0.5], [-0.0, 0.0, -0.0]])


def test_nan_and_ties() -> None:
    check_all(
        """
        a.max()
        a.max(axis=0)
        a.min(axis=1)
        a.argmax()
        a.argmin(axis=1)
        a.argmax(axis=0)
        a.sum(axis=1)
        np.nansum(a)
        np.nanmax(a, axis=0)
        np.nanmin(a)
        np.nanargmax(a)
        np.nanmean(a)
        np.nanstd(a)
        np.fmax.reduce(a, axis=1)
        a.any()
        a.all(axis=0)
        a[2].max()
        a[2].min()
        a[2].sum()
        a[2, ::2].sum()
        a[2, ::2].prod()
        t.argmax()
        t.argmin()
        t.argmax(axis=1)
        b.argmax()
        b.argmin()
        np.argmax(t == 2)
        np.argmax(b[::-1])
        """,
        a=NAN,
        t=np.array([[1, 2, 2], [0, 2, 0]]),
        b=np.array([False, True, True]),
        rtol=1e-15,
    )


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_special_values(dtype: str) -> None:
    a = special(dtype, 40)
    check_all(
        [
            "a.max()",
            "a.min()",
            "a.argmax()",
            "a[5:].sum()",
            "a.any()",
            "a[:4].max()",
            "a[:4].min()",
            "np.nanmax(a)",
        ],
        a=a,
        rtol=1e-2,
    )


def total(a: np.ndarray) -> Any:
    return a.sum(), a.sum(axis=0), a.mean(), a.max(axis=-1)


def test_layouts() -> None:
    all_ = layouts(np.cos(grid(9, 7)))
    check(total, all_["C"], also=[(a,) for a in all_.values()], rtol=1e-13, atol=1e-15)


def test_accuracy_of_long_sums() -> None:
    def sums(a: np.ndarray) -> Any:
        return a.sum(), a.mean(), (a * a).sum(), np.dot(a, a)

    rng = np.random.default_rng(5)
    for dtype, eps in (("float64", 2e-15), ("float32", 2e-6)):
        check(sums, (rng.random(100_003) * 1e3).astype(dtype), rtol=eps)
    ill = np.full(100_000, 0.1)
    check(sums, ill, rtol=1e-13)  # NumPy's own dot is off by 2e-14 here


def big_float32_sum(a: np.ndarray) -> Any:
    return a.sum(), a.mean(), a.sum(axis=0)


def test_float32_sums_do_not_drift() -> None:
    """A plain loop in float32 would be off by 1e-3 here; pairwise summation is not."""
    check(big_float32_sum, np.full((1000, 300), 0.1, np.float32), rtol=2e-5)


def empty_sums(a: np.ndarray) -> Any:
    return a.sum(), a.prod(), a.sum(axis=0), a.sum(axis=1), a.any(), a.all(axis=0), a.cumsum(), np.count_nonzero(a)


def maximum(a: np.ndarray) -> Any:
    return a.max()


def arg_maximum(a: np.ndarray) -> Any:
    return np.argmax(a)


def maximum_axis(a: np.ndarray) -> Any:
    return a.min(axis=0)


def test_empty() -> None:
    check(empty_sums, grid(0, 3), also=[(grid(3, 0),), (grid(0, 0),), (grid(2, 2),)])
    check(maximum, grid(0), raises=ValueError)
    check(maximum, grid(2, 0), raises=ValueError)
    check(arg_maximum, grid(0), raises=ValueError)
    check(maximum_axis, grid(0, 3), raises=ValueError)
    check(maximum_axis, grid(3, 0))
    check(maximum_axis, grid(3, 2))


def mean_of_empty(a: np.ndarray) -> Any:
    return a.mean(), a.std()


def test_mean_of_empty_is_nan() -> None:
    check(mean_of_empty, grid(0))


def in_loop(a: np.ndarray, n: int) -> np.ndarray:
    out = np.zeros((n, a.shape[1]))
    for k in range(n):
        out[k] = a[: k + 1].sum(axis=0) + a[k].max() * a.mean()
    return out


def reduce_by_hand(a: np.ndarray) -> Any:
    s, p, m, k, best = 0.0, 1.0, -np.inf, 0, 0
    for i in range(len(a)):
        s += a[i] * a[i]
        p *= a[i]
        if a[i] > m:
            m, best = a[i], i
        k += a[i] > 0
    return s, p, m, k, best


def min_max_by_hand(a: np.ndarray) -> Any:
    lo = hi = a[0]
    for x in a:
        lo = min(lo, x)
        hi = max(hi, x)
    return lo, hi


def test_reductions_in_loops() -> None:
    check(in_loop, np.cos(grid(5, 3)), 4, rtol=1e-14)
    check(reduce_by_hand, np.cos(grid(9)), rtol=1e-15)
    check(
        min_max_by_hand, np.array([1.0, np.nan, 3.0, -2.0]), also=[(np.array([np.nan, 1.0]),), (np.array([0.0, -0.0]),)]
    )


def reduce_out(a: np.ndarray, out: np.ndarray) -> Any:
    r = a.sum(axis=0, out=out)
    np.max(a, axis=0, out=out[:])
    return r


def test_out() -> None:
    check(reduce_out, np.cos(grid(3, 4)), np.zeros(4), rtol=1e-15)


def bad_axis(a: np.ndarray, axis: int) -> Any:
    return a.sum(axis=axis)


def test_bad_axis() -> None:
    check(bad_axis, grid(2, 3), 2, raises=np.exceptions.AxisError)
    check(bad_axis, grid(2, 3), -3, raises=np.exceptions.AxisError)
    check(bad_axis, grid(2, 3), 1, also=[(grid(2, 3), 0), (grid(2, 3), -1), (grid(2, 3), -2)])


def test_moments_of_float16() -> None:
    a = (np.cos(np.arange(300.0)).reshape(2, 3, 50) * 3).astype(np.float16)
    check_all(
        "a.mean()\na.mean(1)\na.var()\na.var(axis=1)\na.std(axis=-1, keepdims=True)\nnp.var(a, ddof=1)\na[:, :, :9].prod(axis=2)",
        a=a,
    )


def test_sums_and_products_of_truth_values() -> None:
    def f(m):
        s = np.sum(m, axis=1, dtype=bool)
        t = np.sum(m, dtype=bool), np.prod(m, axis=0, dtype=bool), np.add.reduce(m, axis=0, dtype=bool, initial=True)
        m[::-1, 0] = np.sum(m, axis=-1, dtype=bool, where=m)
        return s, t, m

    m = np.array([[True, False], [False, False]])
    check(f, m, also=[(m.T,), (np.zeros((0, 0), bool),), (np.ones((3, 3), bool),)], settings={"target": "interpreter"})
    check(f, m)


def test_places_of_extremes_in_lines_of_every_length() -> None:
    def places(a: Any) -> Any:
        return a.argmax(axis=0), a.argmin(axis=-1), a.argmax(), np.argmin(a, 1, keepdims=True)

    rng = np.random.default_rng(3)
    for shape in ((5, 20), (40, 17), (2, 700), (700, 2), (33, 3, 18)):
        few = rng.integers(-2, 3, shape)
        check(places, few.astype(np.int16), also=[(few.astype(np.int16)[::-1],)])
        floats = few * 0.5
        bad = floats.copy()
        bad.ravel()[::7] = np.nan
        bad.ravel()[3:5] = np.inf
        check(places, floats, also=[(bad,), (np.asfortranarray(bad),), (bad[..., ::-1],)])


@pytest.mark.share(0.4)
@pytest.mark.parametrize("dtype", ["bool", *INTS, *FLOATS])
def test_places_of_extremes_among_ties_nan_and_in_any_layout(dtype: str) -> None:
    def places(a: Any) -> Any:
        found = [a.argmax(), a.argmin(), a[::-2].argmax(), a[3:4].argmin(), np.argmax(a[:7]), np.argmin(a[::-1])]
        m = a[: len(a) // 6 * 6]
        wide, high, deep = m.reshape(3, -1), m.reshape(-1, 3), m.reshape(3, 2, -1)
        for b in (wide, high, wide.T, wide[:, 1:-1], wide[::-1, ::2]):
            found += [b.argmax(axis=0), b.argmin(axis=1), b.argmax(keepdims=True)]
        return found, deep.argmax(axis=1), deep.argmin(axis=-1), deep.T.argmax(0), deep[:, 0].argmax(axis=1)

    rng = np.random.default_rng(3)
    given = []
    for n in (12, 30, 60, 600, 3000):
        a = rng.integers(0, 2 if dtype == "bool" else 5, n).astype(dtype)
        given += [(a,), (np.zeros(n, dtype),), (np.sort(a),), (np.sort(a)[::-1],)]
        if a.dtype.kind == "f":
            signed = np.where(a == 0, np.array(-0.0, dtype), a)
            given += [(signed,), (np.full(n, -np.inf, dtype),)]
            for k in (n - 1, n // 2, 2):
                signed = signed.copy()
                signed[k] = np.nan
                given.append((signed,))
    check(places, *given[0], also=given[1:])


@pytest.mark.share(0.3)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int32", "float16", "float32", "float64", "complex64"])
def test_counts_of_truth_values_of_any_number_and_kind(dtype: str) -> None:
    def counts(a: Any) -> Any:
        high = a.reshape(-1, 2)
        found = [
            np.count_nonzero(a),
            np.count_nonzero(a[::-3]),
            (a == 1).sum(),
            (a != a).sum(dtype=np.int16),
            (a == a).sum(dtype=np.uint8),
        ]
        found += [
            (a != 0).mean(),
            ((a == 1) | (a == 0)).sum(),
            np.flatnonzero(a)[-3:],
            (high == 1).sum(axis=0),
            (a == 1).astype("f4"),
        ]
        found += [
            np.count_nonzero(high, axis=1)[:5],
            (high == 1).mean(axis=1)[:5],
            np.sum(a == 1, keepdims=True),
            3 * (a == 1),
        ]
        return (
            found,
            (a == 1).mean(),
            (a != 1).mean(dtype="f8"),
            (high.T == 0).mean(axis=1),
            (a == 0).astype("c16"),
            (a == 0).var(),
        )

    rng = np.random.default_rng(5)
    given = []
    for n in (0, 2, 30, 190, 192, 194, 1000, 33000, 66000):
        some = rng.integers(0, 3, n).astype(dtype)
        given += [(some,), (np.ones(n, dtype),), (np.zeros(n, dtype),)]
        if some.dtype.kind in "fc":
            given.append((np.where(some == 1, np.array(np.nan, dtype), -some),))
    with np.errstate(all="ignore"):
        check(counts, *given[3], also=given)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int16"])
def test_several_reductions_of_the_same_and_of_other_arrays_in_one_loop(dtype: str) -> None:
    def f(a: Any, b: Any) -> Any:
        m = a[: len(a) // 4 * 4].reshape(4, -1)
        rows = m.max(axis=1) - m.min(axis=1), m.sum(axis=1) + m.max(axis=1), m[:, 1:].max() - m[:, 1:].min()
        scaled = (a - a.min()) / (a.max() - a.min()) + np.ptp(b)
        return (
            a.min(),
            a.max(),
            a.sum(),
            b.sum() + a.max(),
            a[1:].max() - b[:-1].min(),
            rows,
            scaled,
            m.T.max() - m.min(),
        )

    rng = np.random.default_rng(8)
    given = []
    for n in (8, 33, 130, 1024, 1025, 5000):
        a, b = (
            rng.integers(-50, 50, n).astype(dtype) / np.array(1 if dtype == "int16" else 4, dtype) for _ in range(2)
        )
        given.append((a.astype(dtype), b.astype(dtype)))
        if dtype.startswith("float"):
            for k in (0, n // 2, n - 1):
                bad = a.astype(dtype)
                bad[k] = np.nan
                given.append((bad, -np.abs(a).astype(dtype)))
            given.append((np.full(n, np.inf, dtype), np.full(n, -np.inf, dtype)))
    with np.errstate(all="ignore"):
        check(f, *given[0], also=given[1:])


def norm_of_a_number(x: Any, axis: Any) -> Any:
    return np.linalg.norm(x[0], axis=axis)


def test_a_number_has_no_axis_for_its_norm() -> None:
    """In sums it has one."""
    for x in (np.arange(3.0), np.arange(3), np.ones((2, 3)), np.ones((2, 3, 2))):
        check(norm_of_a_number, x, 0)
        check(norm_of_a_number, x, -1)
