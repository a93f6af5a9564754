"""Products of matrices in jitted functions on a device with cuBLAS, and without it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.settings import current
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.device import sessions
from tests.device.test_kernels_on_device import on_device

LIBRARY = 6  # a kind of calls that the fake driver can let fail


def jitted(f: Callable[..., Any]) -> Any:
    return sol.jit(device="emulated", offload="always", strict=True)(f)


def right(f: Any, *arguments: Any) -> tuple[int, int]:
    """Call a jitted function and compare with NumPy; how many products cuBLAS computed, and how many kernels ran."""
    mine = [a.copy(order="K") if isinstance(a, np.ndarray) and a.base is None else a for a in arguments]
    theirs = [a.copy(order="K") if isinstance(a, np.ndarray) and a.base is None else a for a in arguments]
    sol.device.stats(reset=True)
    got = f(*mine)
    stats = sol.device.stats()
    want = f.python(*theirs)
    for g, w in zip([got] if isinstance(got, np.ndarray) else got, [want] if isinstance(want, np.ndarray) else want):
        assert g.dtype == w.dtype and g.shape == w.shape and g.strides == w.strides
        eps = np.finfo(w.dtype).eps if w.dtype.kind in "fc" else 0
        assert np.allclose(g, w, rtol=100 * eps, atol=100 * eps, equal_nan=True)
    for a, b in zip(mine, theirs):
        if isinstance(a, np.ndarray):
            assert np.allclose(a, b, rtol=1e-5, equal_nan=True)
    return stats["gemms"], stats["launches"] - stats["gemms"]


def matrices(t: Any, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(5)
    found = [rng.standard_normal(s) + 1j * rng.standard_normal(s) for s in shapes]
    return [(x if np.dtype(t).kind == "c" else x.real).astype(t) for x in found]


@jitted
def forms(a: Any, b: Any, x: Any, y: Any) -> Any:
    return a @ b, b.T @ a.T, a @ y, x @ a, x @ a @ b, a.T @ a, (a @ b) @ (b.T @ y)


@pytest.mark.parametrize("t", [np.float32, np.float64, np.complex64, np.complex128])
def test_types_and_transposed_operands(gpu: Device, fake: Controls, t: Any) -> None:
    a, b, x, y = matrices(t, (5, 7), (7, 4), (5,), (7,))
    assert right(forms, a, b, x, y) == (10, 0)


@jitted
def product(a: Any, b: Any) -> Any:
    return a @ b


WINDOWS: dict[str, tuple[Callable[[Any], Any], bool]] = {  # of a block of 12 by 12; does cuBLAS address it?
    "of rows": (lambda c: c[1:6, 2:8], True),
    "every second row": (lambda c: c[1:10:2, 2:8], True),
    "of columns": (lambda c: c.T[1:6, 2:8], True),
    "every second column": (lambda c: c[1:6, ::2], False),
    "rows backwards": (lambda c: c[5:0:-1, 2:8], False),
    "columns backwards": (lambda c: c[1:6, 7:1:-1], False),
    "a row again and again": (lambda c: np.broadcast_to(c[3, 2:8], (5, 6)), False),
    "overlapping rows": (lambda c: np.lib.stride_tricks.as_strided(c, (5, 6), (8, 8)), False),
    "one row": (lambda c: c[3:4, ::2], False),
    "no row": (lambda c: c[3:3, 2:8], True),
}


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS.keys())
def test_strides_of_arguments_decide_at_the_call(gpu: Device, fake: Controls, window: Any) -> None:
    take, addressed = window
    (block,) = matrices(np.float64, (12, 12))
    a = take(block)
    (b,) = matrices(np.float64, (6, 3))
    gemms, launches = right(product, a, b)
    assert gemms == addressed * (a.size > 0) and (launches == 0) == addressed
    c = take(matrices(np.float64, (12, 12))[0])
    assert right(product, b.T[:, :6] if c.shape[0] == 6 else np.ones((2, c.shape[0])), c)[0] <= 1


def test_the_program_says_what_cublas_does(gpu: Device, fake: Controls) -> None:
    block, b = matrices(np.float64, (12, 12), (6, 3))

    @jitted
    def f(a: Any, b: Any) -> Any:
        return a @ b, a[:, ::-1] @ b

    right(f, block[:6, :6], b)
    assert "by cuBLAS, or by loops if cuBLAS cannot address the operands" in f.explain()
    assert "computed by loops: cuBLAS cannot address a" in jitted_explanation(
        lambda a, b: a[:, ::-1] @ b, np.ones((6, 6)), b
    )
    assert "cuBLAS multiplies on the device" in jitted_explanation(lambda a, b: a @ b, np.ones((6, 6)), b)


def jitted_explanation(f: Any, *arguments: Any) -> str:
    g = jitted(f)
    g(*arguments)
    return str(g.explain())


@jitted
def parts(a: Any, b: Any) -> Any:
    n = a.shape[0] - 2
    return (
        a[1:-1, :n] @ b[:n, 2:],
        a[::2, :n] @ b[:n],
        a[::-1] @ b[: a.shape[1]],
        a[:, ::2] @ b[: (a.shape[1] + 1) // 2],
        a[2] @ b[: a.shape[1]],
        a[:, 1] @ a,
        a[::-1, 1] @ a,
        a[:, :n] @ b[:n, 1],
        b[:0].T @ a[:0],
        a[:, :0] @ b[:0],
    )


def test_slices(gpu: Device, fake: Controls) -> None:
    a, b = matrices(np.float64, (6, 7), (8, 5))
    gemms, kernels = right(parts, a, b)
    assert gemms == 7 and kernels > 0


@jitted
def stacks(a: Any, b: Any, c: Any, x: Any) -> Any:
    return a @ b, a @ c, c @ a, np.matmul(a.transpose(0, 2, 1), a), x[:, None, :] @ b, c[0] @ a


def test_stacks_of_matrices(gpu: Device, fake: Controls) -> None:
    a, b, c, x = matrices(np.float64, (6, 3, 4), (6, 4, 5), (4, 3), (6, 4))
    gemms, _ = right(stacks, a, b, c, x)
    assert gemms >= 5


@jitted
def stacks_of_stacks(a: Any, b: Any) -> Any:
    return a @ b


def test_stacks_of_stacks(gpu: Device, fake: Controls) -> None:
    a, b = matrices(np.float32, (2, 6, 3, 4), (6, 4, 5))
    assert right(stacks_of_stacks, a, b) == (2, 0)


def test_without_elements(gpu: Device, fake: Controls) -> None:
    for n, k, m in ((0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0)):
        right(product, np.ones((n, k)), np.ones((k, m)))


@jitted
def into(a: Any, b: Any, out: Any) -> Any:
    out[:] = a @ b
    out += b @ a
    np.matmul(a, b, out=out)
    return out @ a + a


def test_results_go_where_numpy_puts_them(gpu: Device, fake: Controls) -> None:
    a, b = matrices(np.float64, (5, 5), (5, 5))
    out = np.full((5, 5), np.nan)
    assert right(into, a, b, out)[0] == 4
    assert right(into, a, a, np.full((5, 5), np.nan))[0] == 4


@jitted
def in_place(a: Any, b: Any) -> Any:
    a[:] = a @ b
    a[1:] = a[1:] @ a
    return a


def test_operands_that_are_results(gpu: Device, fake: Controls) -> None:
    a, b = matrices(np.float64, (5, 5), (5, 5))
    assert right(in_place, a, b)[0] == 2


@jitted
def upper(a: Any, c: Any) -> Any:
    for i in range(a.shape[1]):
        c[i, i:] = a[:, i] @ a[:, i:]
    return c


@jitted
def rank_k(a: Any, c: Any, alpha: float) -> Any:
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return c


def test_triangles_are_squares_of_which_a_part_is_taken(gpu: Device, fake: Controls) -> None:
    a, c, d = matrices(np.float64, (6, 4), (4, 4), (6, 6))
    assert right(upper, a, c)[0] == 1
    assert right(rank_k, a, d, 2.0)[0] == 1


def test_numbers_that_are_none_stay(gpu: Device, fake: Controls) -> None:
    a, b = matrices(np.float64, (4, 5), (5, 3))
    a[1, 2], b[3, 1] = np.nan, np.inf
    right(product, a, b)


@jitted
def others(a: Any, h: Any, small: Any, x: Any) -> Any:
    return a @ a.T, h @ h.T, np.dot(x, x) * x, np.outer(x, x)


def test_what_is_none_of_cublas_business(gpu: Device, fake: Controls) -> None:
    a, h, x = np.arange(20).reshape(4, 5), np.ones((3, 4), np.float16), np.arange(4.0)
    assert right(others, a, h, np.ones((3, 3)), x)[0] == 0


@jitted
def power(a: Any, steps: int) -> Any:
    x = np.eye(a.shape[0])
    y = np.empty_like(x)
    for _ in range(steps):
        np.matmul(x, a, out=y)
        x[:] = y / np.abs(y).max()
    return x


def test_loops_around_products_transfer_nothing(gpu: Device, fake: Controls) -> None:
    (a,) = matrices(
        np.float64, (160, 160)
    )  # with small ones the loop is one kernel, without a product of the library's
    transfers = []
    for steps in (3, 6):
        assert right(power, a, steps)[0] == steps
        stats = sol.device.stats()
        transfers.append((stats["h2d_calls"], stats["d2h_calls"]))
    assert transfers[0] == transfers[1]


@jitted
def steps_of(a: Any, x: Any, steps: int) -> Any:
    for _ in range(steps):
        x = a @ x
        x = x / np.abs(x).max()
    return x


def test_array_variables(gpu: Device, fake: Controls) -> None:
    a, x, y = matrices(np.float64, (5, 5), (5,), (5, 4))
    transfers = []
    for steps in (3, 6):
        assert right(steps_of, a, x, steps)[0] == steps
        assert right(steps_of, a, y, steps)[0] == steps
        stats = sol.device.stats()
        transfers.append((stats["h2d_calls"], stats["d2h_calls"]))
    assert transfers[0] == transfers[1]


def test_a_failure_is_an_error_at_the_users_line(gpu: Device, fake: Controls) -> None:
    a, b = matrices(np.float64, (4, 5), (5, 3))
    right(product, a, b)
    fake.library.sol_fake_fail(LIBRARY, 1, 13)
    with pytest.raises(sol.DeviceError, match="cublasDgemm failed with CUBLAS_STATUS_EXECUTION_FAILED"):
        product(a, b)
    right(product, a, b)


@jitted
def changes(a: Any, b: Any, c: Any) -> Any:
    c[:] = a @ b
    c += c.T
    a[:] = c @ b
    return a


@pytest.mark.parametrize("k", range(1, 14))
def test_arguments_are_whole_after_any_failure(gpu: Device, fake: Controls, k: int) -> None:
    a, b, c = matrices(np.float64, (4, 4), (4, 4), (4, 4))
    whole = [x.copy() for x in (a, b, c)]
    changes.python(*whole)
    between = whole[2].copy()
    changes(a.copy(), b, c.copy())
    fake.library.sol_fake_fail(0, k, 801)
    x, z = a.copy(), c.copy()
    try:
        changes(x, b, z)
    except (sol.DeviceError, MemoryError):
        states = [c, a @ b, (a @ b) + (a @ b).T]
        assert any(np.allclose(z, s) for s in states)
        assert np.allclose(x, a) or np.allclose(x, whole[0])
    else:
        assert np.allclose(x, whole[0]) and np.allclose(z, between)
    fake.library.sol_fake_fail(0, 0, 0)


# --- without cuBLAS -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gemm", "k3mm", "atax", *(pytest.param(n, marks=pytest.mark.slow) for n in
    ("k2mm", "mlp", "gemver", "gesummv", "bicg", "mvt", "correlation", "covariance", "symm", "syrk", "syr2k", "trmm", "doitgen", "gramschmidt", "cholesky"))])  # fmt: skip
def test_kernels_without_it(name: str) -> None:
    with sol.settings(cublas="none"):
        on_device(name)
        assert sol.device.stats()["gemms"] == 0


def test_a_setting_turns_it_off(gpu: Device, fake: Controls) -> None:
    a, b = matrices(np.float64, (5, 7), (7, 4))
    with sol.settings(cublas="none"):
        assert right(product, a, b) == (0, 1)
        assert "a product is computed by loops: the setting cublas is 'none'" in product.explain()
    assert right(product, a, b) == (1, 0)


def test_a_library_that_is_none(gpu: Device, fake: Controls) -> None:
    a, b = matrices(np.float64, (5, 7), (7, 4))
    with sol.settings(cublas="/no/cublas.so"):
        assert right(product, a, b) == (0, 1)
        assert "/no/cublas.so: cannot open" in product.explain()
    with sol.settings(cublas="libc.so.6"):
        assert right(product, a, b) == (0, 1)
        assert "libc.so.6 has no cublasCreate_v2" in product.explain()


PROGRAM = """
import numpy as np, soljit as sol
sol.device.set("emulated", offload="always")
@sol.jit(strict=True)
def product(a, b):
    return a @ b
product(np.ones((5, 4)), np.ones((4, 3)))
print(sol.device.stats()["gemms"])
"""


@pytest.mark.slow
def test_code_for_it_is_not_used_where_it_is_missing(tmp_path: Path) -> None:
    script, library = tmp_path / "program.py", tmp_path / "libcublas.so"
    script.write_text(PROGRAM)
    library.symlink_to(sessions.driver())
    environment = {**os.environ, "SOL_CUBLAS": str(library), "PYTHONPATH": os.getcwd()}
    environment["SOL_CACHE_DIR"] = current().cache_dir or environment.get("SOL_CACHE_DIR", "")  # where that driver is

    def gemms() -> str:
        done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()[0]

    assert gemms() == "1"
    library.unlink()
    assert gemms() == "0"
    library.symlink_to(sessions.driver())
    assert gemms() == "1"
