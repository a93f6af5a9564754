"""Rows that blocks of threads walk: right at every length, the same bits in every run, and threads where rows are short."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.passes.device.give_rows_to_blocks import LEAST, THREADS
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.device.nvrtc import compile_kernels

LENGTHS = (1, LEAST - 1, LEAST, THREADS - 1, THREADS, THREADS + 1, 2 * THREADS + 3)


def jitted(f: Any) -> Any:
    return sol.jit(device="emulated", offload="always", strict=True)(f)


def statistics(a: Any) -> Any:
    return (
        a.sum(axis=1),
        a.max(axis=1),
        a.min(axis=1),
        (a > 1).any(axis=1),
        (a > 1).all(axis=-1),
        np.count_nonzero(a, axis=1),
    )


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def products(a: Any, x: Any, y: Any) -> None:
    y += np.sum(a * x, axis=1)
    for i in range(a.shape[0]):
        y[i] += np.dot(a[i], x)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8", "u1", "i2", "?"])
@pytest.mark.parametrize("length", LENGTHS)
def test_lengths_and_types(gpu: Device, fake: Controls, length: int, dtype: str) -> None:
    rng = np.random.default_rng(length)
    a = (rng.integers(0, 9, (5, length)) if dtype[0] in "iu?" else rng.standard_normal((5, length))).astype(dtype)
    f, want, found = jitted(statistics), statistics(a), []
    for seed in (0, 3, 4):
        fake.library.sol_fake_seed(seed)
        got = f(a)
        found.append(tuple(x.tobytes() for x in got))
        for g, w in zip(got, want):
            assert g.dtype == w.dtype and g.shape == w.shape
            if dtype[0] in "fc":
                np.testing.assert_allclose(g, w, rtol=1e-5 if dtype == "f4" else 1e-13, atol=1e-13)
            else:
                np.testing.assert_array_equal(g, w)
    fake.library.sol_fake_seed(0)
    assert len(set(found)) == 1, "the same bits in every run"


@pytest.mark.parametrize("shape", [(3, 700), (3, 20), (0, 100), (2, 3, 90)])
def test_softmax(gpu: Device, fake: Controls, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).standard_normal(shape)
    f = jitted(softmax)
    np.testing.assert_allclose(f(x), softmax(x), rtol=1e-14)
    assert "a block of threads walks each row where the rows are long" in f.explain()


def test_nan_and_zeros_of_both_signs(gpu: Device, fake: Controls) -> None:
    a = np.zeros((4, 500))
    a[0, 499] = np.nan
    a[1, 3] = np.inf
    a[2] = -0.0
    a[3, ::2] = -1e308
    got, want = jitted(statistics)(a), statistics(a)
    for g, w in zip(got, want):
        np.testing.assert_array_equal(g, w)


@pytest.mark.parametrize("shape", [(6, 300), (6, 30)])
def test_sums_of_products(gpu: Device, fake: Controls, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    a, x = rng.standard_normal(shape), rng.standard_normal(shape[1])
    wanted, got = np.ones(shape[0]), np.ones(shape[0])
    products(a, x, wanted)
    jitted(products)(a, x, got)
    np.testing.assert_allclose(got, wanted, rtol=1e-13)


def test_rows_of_a_loop_over_time_stay_on_the_device(gpu: Device, fake: Controls) -> None:
    @jitted
    def steps(a: Any, n: int) -> Any:
        s = np.zeros(a.shape[0])
        for _ in range(n):
            s = a.sum(axis=1)
            a[:] = a * 0.5 + 0.001 * s[:, None]
        return s

    transfers = set()
    for n in (3, 7):
        a = np.random.default_rng(3).random((300, 400))
        b = a.copy()
        sol.device.stats(reset=True)
        np.testing.assert_allclose(steps(a, n), steps.python(b, n), rtol=1e-12)
        counts = sol.device.stats()
        transfers.add((counts["h2d_calls"], counts["d2h_calls"], counts["fetch_calls"]))
    assert transfers == {(1, 2, 0)}


def test_columns_are_walked_by_threads(gpu: Device, fake: Controls) -> None:
    @jitted
    def columns(a: Any) -> Any:
        return a.sum(axis=0)

    a = np.random.default_rng(4).random((200, 150))
    np.testing.assert_allclose(columns(a), a.sum(axis=0), rtol=1e-13)
    assert "sol_thread_x" in columns.source("cuda")


def test_nvrtc_compiles_them_without_spills(gpu: Device, fake: Controls) -> None:
    f = jitted(softmax)
    f(np.ones((3, 100)))
    for arch in ("sm_80", "sm_90", "sm_120"):
        image = compile_kernels(f.source("cuda"), arch, "strict")
        assert image.resources and all(r.spill_loads == 0 and r.registers <= 72 for r in image.resources.values())


def rings(data: np.ndarray, radius: np.ndarray, n: int) -> np.ndarray:
    out = np.zeros(n)
    for k in range(n):
        inside = (radius >= k) & (radius < k + 1)
        out[k] = data[inside].sum()
    return out


def test_rows_that_are_all_the_same_elements_are_walked_by_blocks_where_there_are_few() -> None:
    rng = np.random.default_rng(5)
    data, radius = rng.random(300), 7 * rng.random(300)
    f = sol.jit(device="emulated", offload="always", strict=True)(rings)
    assert np.allclose(f(data, radius, 8), rings(data, radius, 8), rtol=1e-14, atol=0)
    assert "n <= 65536" in f.ir() and "a block of threads walks each row where the rows are long" in f.explain()
