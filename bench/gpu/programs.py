"""Programs that a GPU should run as fast as its memory allows. Each repeats one step, so that the time of a step is the difference of two calls:
what a call costs besides, transfers above all, falls out.

Steps depend on the ones before them, so that no compiler can leave one out. `data` is the bytes that a step must move at least, or, for `gemm`, its
operations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


def fused(a: Any, b: Any, c: Any, steps: int) -> None:
    for _ in range(steps):
        a[:] = (a * b + c) * 0.5 - b * (c - 0.25)


def total(a: Any, out: Any, steps: int) -> None:
    s = 0.5
    for _ in range(steps):
        s = 0.5 + 1e-9 * (a * s).sum()
    out[0] = s


def rows(a: Any, out: Any, steps: int) -> None:
    for _ in range(steps):
        out[:] = (a * out[0]).sum(axis=1)


def columns(a: Any, out: Any, steps: int) -> None:
    for _ in range(steps):
        out[:] = (a * out[0]).sum(axis=0)


def five_points(a: Any, b: Any, steps: int) -> None:
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def seven_points(a: Any, b: Any, steps: int) -> None:
    for _ in range(steps):
        b[1:-1, 1:-1, 1:-1] = a[1:-1, 1:-1, 1:-1] + 0.125 * (
            a[2:, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1] + a[1:-1, 2:, 1:-1] + a[1:-1, :-2, 1:-1] + a[1:-1, 1:-1, 2:] + a[1:-1, 1:-1, :-2] - 6.0 * a[1:-1, 1:-1, 1:-1]
        )  # fmt: skip
        a[1:-1, 1:-1, 1:-1] = b[1:-1, 1:-1, 1:-1] + 0.125 * (
            b[2:, 1:-1, 1:-1] + b[:-2, 1:-1, 1:-1] + b[1:-1, 2:, 1:-1] + b[1:-1, :-2, 1:-1] + b[1:-1, 1:-1, 2:] + b[1:-1, 1:-1, :-2] - 6.0 * b[1:-1, 1:-1, 1:-1]
        )  # fmt: skip


def transposed(a: Any, b: Any, steps: int) -> None:
    for _ in range(steps):
        b[:] = a.T
        a[:] = b.T


def gemm(a: Any, b: Any, c: Any, steps: int) -> None:
    for _ in range(steps):
        c[:] = a @ b
        b[:] = a @ c


@dataclass(frozen=True)
class Program:
    """arguments(n, dtype): arrays of about n bytes each; data(arguments): bytes, or operations, of a step; demand: the part of what the device can do
    that a step should reach; sizes: bytes of an array.
    """

    name: str
    function: Callable[..., None]
    arguments: Callable[[int, str], list[Any]]
    data: Callable[[list[Any]], float]
    demand: float  # of what the device's memory, or cuBLAS, can do
    kind: str = "bytes"
    dtypes: tuple[str, ...] = ("float64",)
    sizes: tuple[int, ...] = (16 << 20, 64 << 20, 256 << 20)


def _side(n: int, dtype: str, dims: int) -> int:
    return max(4, round((n / np.dtype(dtype).itemsize) ** (1 / dims)))


def _flat(count: int) -> Callable[[int, str], list[Any]]:
    def make(n: int, dtype: str) -> list[Any]:
        rng = np.random.default_rng(1)
        return [rng.random(_side(n, dtype, 1), dtype=np.dtype(dtype).type) for _ in range(count)]

    return make


def _square(count: int, dims: int = 2) -> Callable[[int, str], list[Any]]:
    def make(n: int, dtype: str) -> list[Any]:
        rng = np.random.default_rng(1)
        return [rng.random((_side(n, dtype, dims),) * dims, dtype=np.dtype(dtype).type) for _ in range(count)]

    return make


def _summed(dims: int) -> Callable[[int, str], list[Any]]:
    def make(n: int, dtype: str) -> list[Any]:
        (a,) = _square(1, dims)(n, dtype)
        return [a * (2 / a.shape[0]), np.ones(a.shape[0] if dims > 1 else 1, a.dtype)]

    return make


def _factors(n: int, dtype: str) -> list[Any]:
    """Matrices whose products do not grow."""
    return [a * (2 / a.shape[0]) for a in _square(3)(n, dtype)]


def _arrays(times: float) -> Callable[[list[Any]], float]:
    """So many times the bytes of the first array."""
    return lambda arguments: times * arguments[0].nbytes


PROGRAMS = (
    Program("fused", fused, _flat(3), _arrays(4), 0.90, dtypes=("float64", "float32")),
    Program("total", total, _summed(1), _arrays(1), 0.90, sizes=(64 << 20, 256 << 20, 1 << 30)),
    Program("rows", rows, _summed(2), _arrays(1), 0.80),
    Program("columns", columns, _summed(2), _arrays(1), 0.80),
    Program("five_points", five_points, _square(2), _arrays(4), 0.80),
    Program("seven_points", seven_points, _square(2, 3), _arrays(4), 0.80),
    Program("transposed", transposed, _square(2), _arrays(4), 0.75),
    Program("gemm", gemm, _factors, lambda args: 4.0 * args[0].shape[0] ** 3, 0.90, "operations", sizes=(128 << 20,)),
)
