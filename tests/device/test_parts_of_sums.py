"""Values combined in parts: of everything by blocks, of few elements across memory by several threads each. Right at every size, the same bits in every run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.passes.device.split_sums import EACH, LEAST, MOST, WIDE
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls

PIECE = WIDE * EACH
LENGTHS = (0, 1, WIDE, PIECE, PIECE + 1, 3 * PIECE - 1, 5 * PIECE + 77)
ROWS = (1, LEAST, 2 * LEAST - 1, 2 * LEAST, 2 * LEAST + 1, 7 * LEAST + 5, 300)


def jitted(f: Any) -> Any:
    return sol.jit(device="emulated", offload="always", strict=True)(f)


def everything(a: Any) -> Any:
    return a.sum(), (a * a).sum(), a[::-1].sum(), a[1::3].sum(), (a > 0.5).any(), (a < 2).all(), np.count_nonzero(a > 0)


def extremes(a: Any) -> Any:
    return a.min(), a.max(), a.argmin(), a.argmax()


def columns(a: Any) -> Any:
    return a.sum(axis=0), a.max(axis=0), a.min(axis=0), (a > 0.9).any(axis=0), (a < 0.9).all(axis=0)


def argmaxima(a: Any) -> Any:
    return a.argmax(axis=0), a.argmin(axis=0)


def middle(a: Any) -> Any:
    return a.sum(axis=1)


def transposed_product(a: Any, x: Any) -> Any:
    return a.T @ x


def numbers(*shape: int) -> Any:
    return np.random.default_rng(math.prod(shape)).random(shape)


def check(got: Any, expected: Any) -> None:
    for x, y in zip(got, expected):
        np.testing.assert_allclose(x, y, rtol=1e-12)
        assert np.asarray(x).dtype == np.asarray(y).dtype


@pytest.mark.share(0.3)
@pytest.mark.parametrize("n", LENGTHS)
def test_everything(gpu: Device, fake: Controls, n: int) -> None:
    a = numbers(n)
    check(jitted(everything)(a), everything(a))
    if n:
        check(jitted(extremes)(a), extremes(a))


@pytest.mark.parametrize("shape", [(3, 5), (70, 40), (2, 3000), (3000, 2), (5, 6, 700), (0, 4), (4, 0)])
def test_everything_of_views(gpu: Device, fake: Controls, shape: tuple[int, ...]) -> None:
    @jitted
    def inner(a: Any) -> Any:
        return a[1:, ::2].sum(), a[:, 1:-1].sum(), a[::-1].T.sum()

    a = numbers(*shape)
    check(inner(a), inner.python(a))


def test_sums_are_compensated(gpu: Device, fake: Controls) -> None:
    a = np.concatenate([np.full(30_000, 0.1), [1e8], np.full(30_000, 0.1), [-1e8]])
    assert abs(jitted(lambda a: a.sum())(a) - math.fsum(a)) < 1e-7
    tall = np.stack([a, a[::-1]], axis=1)
    expected = [math.fsum(tall[:, 0]), math.fsum(tall[:, 1])]
    np.testing.assert_allclose(jitted(lambda a: a.sum(axis=0))(tall), expected, atol=1e-7)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("count", [1, 3, 70])
def test_columns(gpu: Device, fake: Controls, rows: int, count: int) -> None:
    a = numbers(rows, count)
    f = jitted(columns)
    check(f(a), columns(a))
    again = f(a)
    assert all(np.array_equal(x, y) for x, y in zip(again, f(a)))
    check(jitted(argmaxima)(a), argmaxima(a))


@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128", "int32", "uint8", "bool", "float16"])
def test_columns_of_other_types(gpu: Device, fake: Controls, dtype: str) -> None:
    @jitted
    def sums(a: Any) -> Any:
        return a.sum(axis=0), a[::2].sum(axis=0), a[::-1, 1:].sum(axis=0)

    a = (numbers(150, 40) * 3).astype(dtype)
    for got, expected in zip(sums(a), sums.python(a)):
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=2e-2 if dtype == "float16" else 1e-5)


def test_middle_axis_and_products(gpu: Device, fake: Controls) -> None:
    for shape in ((3, 100, 20), (2, 31, 5), (1, 500, 1)):
        a = numbers(*shape)
        check([jitted(middle)(a)], [middle(a)])
    a, x = numbers(300, 50), numbers(300)
    check([jitted(transposed_product)(a, x)], [a.T @ x])


def test_statements_beside_a_sum_are_in_its_kernel(gpu: Device, fake: Controls) -> None:
    """Or not, where they touch elements of others: two launches for each sum that has its neighbours, one more for each that does not."""

    @jitted
    def fits(a: Any, out: Any, other: Any) -> Any:
        s = a.sum(axis=0)
        out[:] = s * 2.0
        other[1:] = out[1:] - 1.0
        return s

    @jitted
    def stays(a: Any, out: Any, other: Any) -> Any:
        out[:] = a.sum(axis=0) + out[::-1]
        other[:] = out[::-1]
        out += a[0]
        return out.sum()

    @jitted
    def again(a: Any, out: Any, other: Any) -> None:
        for k in range(5):
            out[:] = (a * out[0]).sum(axis=0)
            other += (a[:, ::-1] + k).sum(axis=0) - out

    for f in (fits, stays, again):
        for shape in ((200, 40), (5, 40), (200, 1), (1, 3)):
            mine, its = ([numbers(*shape), numbers(shape[1]), numbers(shape[1])] for _ in range(2))
            got, expected = f(*mine), f.python(*its)
            for x, y in zip((*mine, got), (*its, expected)):
                if y is not None:
                    np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)
    a = numbers(200, 40)
    sol.device.stats(reset=True)
    fits(a, numbers(40), numbers(40))
    assert sol.device.stats()["launches"] == 3


def several_ways(a: Any) -> Any:
    return a.sum(axis=1), a.sum(axis=0), a.max(), a.min(axis=0)


def several_ways_of_what_is_stored(a: Any, b: Any) -> Any:
    b[:] = a * 2.0 + 1.0
    return b.sum(axis=0), b.sum(), (b * b).max(), np.where(b > 1.5, b, 0.0).sum(axis=1)


def several_ways_before_it_changes(a: Any, b: Any) -> Any:
    t, s = b.sum(), b.sum(axis=0)
    b[:] = a
    return t, s, b.max()


def several_ways_of_integers(a: Any, b: Any) -> Any:
    k = (a * 10).astype(np.int64)
    return k.sum(axis=0), k.sum(), np.count_nonzero(k > 5), k.max(axis=1)


@pytest.mark.parametrize(
    "f",
    [several_ways_of_what_is_stored, several_ways_before_it_changes, several_ways_of_integers],
    ids=lambda f: f.__name__,
)
def test_values_that_are_combined_in_several_ways(gpu: Device, fake: Controls, f: Any) -> None:
    g = jitted(f)
    for shape in ((70, 90), (3, 500), (1, 1)):
        mine, its = ([numbers(*shape), numbers(*shape)[::-1].copy()] for _ in range(2))
        for x, y in zip((*g(*mine), *mine), (*f(*its), *its)):
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


def test_they_stay_on_the_device(gpu: Device, fake: Controls) -> None:
    g, a = jitted(several_ways), numbers(70, 90)
    for x, y in zip(g(a), several_ways(a)):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)
    assert "stays on the host" not in g.explain()


def test_columns_of_many_threads(gpu: Device, fake: Controls) -> None:
    f = jitted(lambda a: a.sum(axis=0))
    f(numbers(100, 30))
    text = f.source("cuda")
    assert "_parts" in text and "sol_block_fold" in text
    a = np.ones((2 * LEAST, MOST))
    np.testing.assert_array_equal(f(a), a.sum(axis=0))


def test_few_launches(gpu: Device, fake: Controls) -> None:
    @jitted
    def steps(a: Any, n: int) -> Any:
        s = 0.5
        for _ in range(n):
            s = 0.5 + 1e-9 * (a * s).sum()
        return s

    a = numbers(600_000)
    launches = []
    for n in (2, 5):
        sol.device.stats(reset=True)
        assert steps(a, n) == pytest.approx(steps.python(a, n), rel=1e-12)
        launches.append(sol.device.stats()["launches"])
    assert launches[1] - launches[0] == 3 * 2


def test_variables_may_be_called_like_members_of_structures() -> None:
    def named(a: np.ndarray, k: int) -> Any:
        total = 0.0
        total += a[k].sum()
        a[k] = 1
        push = total * 2
        push += a[0].sum()
        a[0] = 2
        return total, push

    a = np.arange(24.0).reshape(2, 3, 4)
    wanted, got = a.copy(), a.copy()
    f = sol.jit(device="emulated", offload="always", strict=True)(named)
    assert f(got, 1) == named(wanted, 1) and np.array_equal(wanted, got)
