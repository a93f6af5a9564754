"""Sums over whole arrays, added in NumPy's order: also of slices, which NumPy reads through a buffer, and of converted elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import DEVICE, check


def sums(v: np.ndarray) -> Any:
    return v.sum(), v.mean(), v.sum(dtype="f8"), np.add.reduce(v, axis=None), v.sum(keepdims=True)


def sums_of_complex(v: np.ndarray) -> Any:
    return v.sum(), v.mean(), np.add.reduce(v, axis=None)


def of_slices(a: np.ndarray) -> Any:
    return a[1:-1, 1:-1].sum(), a[:, ::2].mean(), a[::-1].sum(), a.T[1:].sum(), (a[1:] * 2).sum()


def of_long_rows(a: np.ndarray) -> Any:
    return a.sum(1), a.T.sum(0), np.mean(a, axis=-1, keepdims=True), (a * 2).sum(1), a[:, ::2].sum(axis=1)


def beside_others(a: np.ndarray) -> Any:
    return a.sum(), a.prod(0), a.max(0), a.cumsum(0), np.mean(a, axis=0)


@pytest.mark.skipif(bool(DEVICE), reason="devices add in an order of their own, singles in double precision")
@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "c16"])
def test_sums_have_numpys_order(kind: str) -> None:
    rng = np.random.default_rng(5)

    def made(*shape: int) -> np.ndarray:
        if kind[0] == "f":
            return rng.normal(size=shape).astype(kind)
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(kind)

    views = [made(3, 10000)[:, 1:], made(90, 101)[:, :-1], made(64, 129)[::-1], made(9, 8193)[::2], made(200, 60).T[1:]]
    views += [made(30, 20, 50)[:, 1:], made(9, 62, 99)[:, :-1], made(20, 40, 40)[1::2, :, ::3], made(20000)[::2]]
    settings = {"parallel": False}
    for v in views:
        check(sums if kind[0] == "f" else sums_of_complex, v, settings=settings)
    for a in (made(130, 140), made(64, 129), made(8200, 3), made(3, 8200)):
        check(of_slices, a, settings=settings)
        check(beside_others, a / 2, settings=settings)
    check(of_long_rows, made(3, 20000), settings=settings)


@pytest.mark.skipif(bool(DEVICE), reason="devices add in an order of their own, singles in double precision")
def test_complex_means_are_divided_in_double_precision() -> None:
    def means(a: np.ndarray) -> Any:
        return a.mean(), a.mean(-1), a.mean(0), a.std(1), a.var()

    rng = np.random.default_rng(3)
    a = rng.normal(size=(40, 500)) + 1j * rng.normal(size=(40, 500))
    check(
        means, a.astype("c8"), also=[(a,), (a.real.astype("f4"),), (a.real.astype("f2"),)], settings={"parallel": False}
    )
