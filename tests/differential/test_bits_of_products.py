"""Products of vectors and of small matrices have the bits of NumPy's BLAS, whichever kernels it takes for a processor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from tests.oracle import DEVICE, compiled, function

pytestmark = pytest.mark.skipif(bool(DEVICE), reason="products on a device have not the bits of NumPy's BLAS")
ROOT = str(Path(__file__).parents[2])
SMALL = """
np.dot(a[:1], b[:1]); np.dot(a[:2], b[:2]); np.dot(a[:3], b[1:4]); a[:4] @ b[:4]; np.dot(a[:7], b[:7]); np.vdot(a[:3], b[:3])
np.dot(a, b); np.dot(a[:6:2], b[:3]); np.dot(a[::2], b[::2]); np.dot(a[:3], A[:3, 0]); np.dot(A[:4, 1], A[:4, 2]); np.dot(A[0, :3], A[1, :3])
np.linalg.norm(a[:2]); np.linalg.norm(a[:3]); np.linalg.norm(a[:3] - b[:3]); np.linalg.norm(a[::2]); np.linalg.norm(A[:3, 0]); np.inner(a[:3], b[:3])
np.dot(a[:3] - b[:3], b[:3]); np.dot(a[:5] * 2, a[:5] + b[:5]); a[:3] @ A[:3, :3] @ a[:3]; np.dot(np.dot(a[:4] - b[:4], A[:4, :4]), a[:4] - b[:4])
A[:2, :2] @ a[:2]; A[:3, :3] @ a[:3]; A[:4, :4] @ a[:4]; A[:5, :5] @ a[:5]; A[:2, :7] @ a[:7]; A.T[:3, :3] @ a[:3]; A.T[:4, :4] @ a[:4]
a[:2] @ A[:2, :2]; a[:3] @ A[:3, :3]; a[:4] @ A[:4, :4]; a[:6] @ A[:6, :4]; a[:3] @ A.T[:3, :3]; A[:3, :3] @ (a[:3] - b[:3]); (A[:3, :3] * 2) @ a[:3]
A[:2, :2] @ A[2:4, :2]; A[:3, :3] @ A[3:6, 2:5]; A[:4, :4] @ A[4:, 4:]; A[:3, :3] @ A.T[3:6, 2:5]; A.T[:3, :3] @ A[3:6, 2:5]; A[:2, :5] @ A[:5, :3]
"""
EXPRESSIONS = [e.strip() for line in SMALL.strip().split("\n") for e in line.split(";")]
WHOLE = """
def f(x, m, S):
    y = x - m
    return np.dot(np.dot(y, S), y)


def f(x, m, S):
    y = x - m
    return np.dot(y, m), y


def f(x, m, S):
    x[:] = x - m
    return np.dot(x, x), np.linalg.norm(x)


def f(x, m, S):
    return np.linalg.norm(S[:, 0]), np.linalg.norm(x[1:]), np.dot(S[0], S[:, 1]), x[::2] @ m[::2], np.linalg.norm(S)
"""
TYPES = ("float64", "float32", "complex128")


def drawn(draw: np.random.Generator, shape: tuple[int, ...], kind: str) -> Any:
    x = draw.standard_normal(shape) + (1j * draw.standard_normal(shape) if kind == "complex128" else 0)
    return x.astype(kind)


def differing(f: Callable[..., Any], g: Callable[..., Any], args: list[Any], names: list[str]) -> set[str]:
    """The names of the results that have not the same bits."""
    want, got = f(*(x.copy() for x in args)), g(*(x.copy() for x in args))
    pairs = zip(names, want, got) if isinstance(want, tuple) else [(names[0], want, got)]
    return {name for name, x, y in pairs if x.dtype != y.dtype or x.tobytes() != y.tobytes()}


def small_differing() -> set[str]:
    """Which of the expressions have other bits than NumPy's, with their type."""
    f = function(f"def f(a, b, A):\n    return {', '.join(EXPRESSIONS)}\n")
    g = compiled(f, strict=True)
    draw, found = np.random.default_rng(1), set()
    for kind in TYPES:
        for _ in range(40):
            args = [drawn(draw, s, kind) for s in ((8,), (8,), (8, 8))]
            found |= {f"{kind} {e}" for e in differing(f, g, args, EXPRESSIONS)}
    return found


def test_small_products() -> None:
    assert small_differing() == set()


@pytest.mark.parametrize("text", WHOLE.strip().split("\n\n\n"))
def test_vectors_in_memory(text: str) -> None:
    f = function(text)
    g = compiled(f, strict=True)
    draw, found = np.random.default_rng(2), set()
    for kind in TYPES:
        for n in (*range(2, 24), 33, 50, 100):
            args = [drawn(draw, s, kind) for s in ((n,), (n,), (n, n))]
            found |= {f"{kind} {n} {e}" for e in differing(f, g, args, ["0", "1", "2", "3", "4"])}
    assert found == set()


def test_no_product_is_minus_zero() -> None:
    def f(a, b):
        return np.dot(a[:2], b[:2]), a[:3] @ b[:3], np.linalg.norm(a[:2])

    g = compiled(f, strict=True)
    a, b = np.array([0.0, 0.0, 0.0, 0.0]), np.array([-1.0, -1.0, -1.0, -1.0])
    assert differing(f, g, [a, b], ["0", "1", "2"]) == set()


CORES = ["Haswell", "Zen", "Sandybridge", "Nehalem", "Prescott"]
if _multiarray_umath.__cpu_features__.get("AVX512_SKX"):
    CORES.append("SkylakeX")


def differing_with(core: str, cache: Path) -> str:
    """What `small_differing` finds in a new process, in which OpenBLAS takes the kernels for this processor."""
    code = f"from {__name__} import small_differing; print(*small_differing(), sep='\\n')"
    env = os.environ | {"OPENBLAS_CORETYPE": core, "PYTHONPATH": ROOT, "SOL_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.share(0.3)
@pytest.mark.parametrize("core", CORES)
def test_kernels_of_other_processors(tmp_path: Path, core: str) -> None:
    """OpenBLAS has kernels for each kind of processor. To another BLAS, or on another architecture, the names mean nothing."""
    assert differing_with(core, tmp_path) == ""


def test_kernels_are_part_of_the_environment(tmp_path: Path) -> None:
    """Code for the kernels of one processor is not taken when the BLAS has those of another one."""
    assert [differing_with(core, tmp_path) for core in (CORES[0], CORES[-1])] == ["", ""]
