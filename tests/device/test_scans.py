"""Running sums and their like on a device: threads carry a value through pieces of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls

SIZES = (0, 1, 31, 33, 1000, 32 * 128 + 1)


def jitted(f: Callable[..., Any]) -> Any:
    return sol.jit(device="emulated", offload="always", strict=True)(f)


@jitted
def sums(x: Any) -> Any:
    return np.cumsum(x)


@jitted
def least(x: Any) -> Any:
    return np.minimum.accumulate(x)


@jitted
def products(x: Any) -> Any:
    return np.cumprod(x)


@jitted
def before_each(x: Any, start: float) -> Any:
    s = start
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        out[i] = s
        s += 2.0 * x[i]
    return out, s


@jitted
def two_things(x: Any, y: Any) -> Any:
    s = np.int64(0)
    for i in range(x.shape[0]):
        s = s ^ x[i]
        y[i] = s + x[i]
        y[i] *= 2
    return y


def numbers(t: Any, n: int) -> Any:
    x = np.random.default_rng(1).standard_normal(n) * 100
    return (x + 1j * x[::-1] if np.dtype(t).kind == "c" else x).astype(t)


def launches(f: Any, *arguments: Any) -> int:
    sol.device.stats(reset=True)
    f(*arguments)
    return int(sol.device.stats()["launches"])


@pytest.mark.parametrize("t", [np.int8, np.int32, np.uint64, np.int64])
def test_integers_have_numpys_bits(gpu: Device, fake: Controls, t: Any) -> None:
    for n in SIZES:
        x = numbers(np.int64, n).astype(t)
        for f in (sums, least, products):
            got, want = f(x), f.python(x)
            assert got.dtype == want.dtype and np.array_equal(got, want)
    assert launches(sums, x) == 5


@pytest.mark.parametrize("t", [np.float32, np.float64, np.complex128])
def test_sums_of_floats_are_not_less_accurate(gpu: Device, fake: Controls, t: Any) -> None:
    wide = np.clongdouble if np.dtype(t).kind == "c" else np.longdouble
    for n in SIZES:
        x = np.abs(numbers(t, n)).astype(t)
        got, want = sums(x), np.cumsum(x.astype(wide))
        assert got.dtype == x.dtype and got.shape == x.shape
        error, numpys = np.abs(got - want), np.abs(np.cumsum(x) - want)
        eps = np.finfo(t).eps
        assert np.all(error <= numpys.max(initial=0) + 40 * eps * np.abs(want))
    assert launches(sums, x) == 5


def test_bits_depend_on_lengths_alone(gpu: Device, fake: Controls) -> None:
    x = numbers(np.float64, 3000)
    first = sums(x)
    for seed in (0, 5, 77):
        fake.library.sol_fake_seed(seed)
        assert np.array_equal(sums(x), first)
    fake.library.sol_fake_seed(1)


def test_numbers_that_are_none_go_on(gpu: Device, fake: Controls) -> None:
    for value in (np.nan, np.inf):
        x = np.ones(200)
        x[77] = value
        assert np.array_equal(sums(x), np.cumsum(x), equal_nan=True)
        assert np.array_equal(least(x), np.minimum.accumulate(x), equal_nan=True)
        x[150] = -np.inf
        assert np.array_equal(sums(x), np.cumsum(x), equal_nan=True)


def test_products_of_floats_stay_in_order(gpu: Device, fake: Controls) -> None:
    x = np.array([1e-300, 1e300, 1e300, 1e-300] * 50)
    assert np.array_equal(products(x), np.cumprod(x))


def test_loops_of_the_users(gpu: Device, fake: Controls) -> None:
    for n in SIZES:
        x = numbers(np.float64, n)
        (got, total), (want, end) = before_each(x, 0.5), before_each.python(x, 0.5)
        assert total == (got[-1] + 2.0 * x[-1] if n else 0.5), "the last of the running sums"
        assert np.allclose(got, want, rtol=1e-12, atol=1e-9) and np.isclose(total, end, rtol=1e-12, atol=1e-9)
        y = numbers(np.int64, n)
        a, b = np.empty_like(y), np.empty_like(y)
        assert np.array_equal(two_things(y, a), two_things.python(y, b))
    assert "is carried through pieces of the loop by a thread each" in before_each.explain()


@jitted
def in_place(x: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        x[i] = s
    return x


@jitted
def counted(x: Any, h: Any) -> Any:
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        h[i % 3] += s
    return h


@jitted
def depends(x: Any) -> Any:
    s = 1.0
    for i in range(x.shape[0]):
        s = s * 0.5 + x[i]
        x[i] = s
    return x


@pytest.mark.parametrize("f", [in_place, counted, depends])
def test_other_loops_stay_in_order(gpu: Device, fake: Controls, f: Any) -> None:
    x = numbers(np.float64, 500)
    more = [np.zeros(3)] if f is counted else []
    assert np.array_equal(f(x.copy(), *more), f.python(x.copy(), *(h.copy() * 0 for h in more)))
    assert "carried through pieces" not in f.explain()


# --- elements one behind the other ----------------------------------------------------------------------------------------


@jitted
def chosen(x: Any, low: float) -> Any:
    return x[x > low], np.flatnonzero(x < low), np.nonzero(x == low)[0]


@jitted
def packed_by_hand(x: Any, out: Any, at: Any) -> Any:
    k = 0
    for i in range(x.shape[0]):
        if x[i] % 3 == 0:
            out[k] = x[i] * 2
            at[k] = i - k
            k += 1
    return k


@jitted
def again_and_again(x: Any, n: int) -> Any:
    for k in range(n):
        x = x[x % (k + 2) != 0]
    return x


@jitted
def packed_in_place(x: Any) -> Any:
    k = 0
    for i in range(x.shape[0]):
        if x[i] % 2 == 1:
            x[k] = x[i]
            k += 1
    return k


@jitted
def until_there_are_enough(x: Any, out: Any) -> Any:
    k = 0
    for i in range(x.shape[0]):
        if x[i] % 2 == 1 and k < 5:
            out[k] = x[i]
            k += 1
    return k


@jitted
def written_twice(x: Any, out: Any) -> Any:
    k = 0
    for i in range(x.shape[0]):
        if x[i] % 2 == 1:
            out[k] = x[i]
            out[i] += 1
            k += 1
    return k


@pytest.mark.parametrize("n", SIZES)
def test_masks(gpu: Device, fake: Controls, n: int) -> None:
    x = np.random.default_rng(n).integers(-5, 6, n).astype(np.float64)
    for got, want in zip(chosen(x, 1.0), chosen.python(x, 1.0), strict=True):
        assert got.dtype == want.dtype and got.tobytes() == want.tobytes()
    assert chosen.explain().count("is carried through pieces of the loop by a thread each") >= 1
    for got, want in zip(chosen(x[::-2], 9.0), chosen.python(x[::-2], 9.0), strict=True):
        assert got.dtype == want.dtype and got.tobytes() == want.tobytes()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    "f", [packed_by_hand, packed_in_place, until_there_are_enough, written_twice], ids=lambda f: f.__name__
)
def test_loops_that_pack(gpu: Device, fake: Controls, f: Any, n: int) -> None:
    x = np.random.default_rng(n).integers(0, 50, n)
    others = [np.full(max(n, 5), -1) for _ in range(2 if f is packed_by_hand else 0 if f is packed_in_place else 1)]
    mine, theirs = [[x.copy(), *(o.copy() for o in others)] for _ in range(2)]
    assert f(*mine) == f.python(*theirs)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(mine, theirs, strict=True))
    assert "is carried through pieces of the loop" not in f.explain(), "they may raise, or the order counts"


def test_a_sieve_brings_numbers_home_only(gpu: Device, fake: Controls) -> None:
    x = np.arange(2, 5000)
    again_and_again(x.copy(), 2)
    sol.device.stats(reset=True)
    got = again_and_again(x, 6)
    assert got.tobytes() == again_and_again.python(x, 6).tobytes()
    moved = sol.device.stats()
    assert moved["h2d_calls"] + moved["h2d_hits"] <= 1 and moved["d2h_calls"] <= 1
