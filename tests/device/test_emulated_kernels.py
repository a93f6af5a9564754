"""Emulated kernels: those of the golden files and mutants of them, functions that are as wrong as CUDA's may be, and what drivers must have."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from soljit.runtime.devices.emulated import SOURCES
from tests.device.fake import SUCCESS, Fake, fake

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "cuda"


@pytest.fixture
def device() -> Iterator[Fake]:
    with fake().alone() as f:
        yield f


# --- mutants of golden kernels --------------------------------------------------------------------------------------------

CHANGES = [(" < ", " <= "), (" > 0", " >= 0"), (" + 1)", " + 2)"), (" + 1]", " + 2]"), (" + 2)", " + 3)"), ("1 + sol", "2 + sol"), (" + r", " + r + 1"), ("* 7", "* 8")]  # fmt: skip


def _kernels(name: str) -> list[str]:
    """The kernels of a golden file."""
    return re.findall(r'extern "C" __global__.*?\n}\n', (GOLDEN / f"{name}.cu").read_text(), re.DOTALL)


def _mutants(kernel: str) -> list[str]:
    """The kernel itself, then with one place changed, each under a name of its own."""
    head, body = kernel.split("{\n", 1)
    found = [body]
    for old, new in CHANGES:
        places = [m.start() for m in re.finditer(re.escape(old) + (r"\b" if old == " + r" else ""), body)]
        found += [body[:k] + new + body[k + len(old) :] for k in places]
    return [re.sub(r"(k\d_\w+)\(", rf"\1_{k}(", head, count=1) + "{\n" + text for k, text in enumerate(found)]


def _stencil(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    b = b.copy()
    b[1:-1, 1:-1] = 0.5 * (a[:-2, 1:-1] + a[1:-1, 1:-1] + a[2:, 1:-1])
    return a, b


def _assigned(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    a = a.copy()
    a[1:-1, 1:-1:2] = b[1:-1, 1:-1:2]
    return a, b


def _launch(f: Fake, module: Any, kernel: str, blocks: tuple[int, ...], width: tuple[int, ...], **values: Any) -> int:
    """Launch a kernel with the values of its parameters by name, and wait."""
    name, parameters = re.findall(r"(\w+)\(([^)]*)\) {", kernel)[0]
    f.must(f.launch(module, name, blocks, width, *(values[p.split()[-1]] for p in parameters.split(","))))
    return f.wait()


@pytest.mark.parametrize("which, right, same", [(0, _stencil, [0, 1]), (1, _assigned, [0])])
def test_every_mutant_of_a_stencil_is_caught(
    device: Fake, which: int, right: Callable[..., Any], same: list[int]
) -> None:
    """same: the mutants that do the same as the kernel: one piece more of the rows has no iterations."""
    n, m = 13, 8  # a whole piece, and a part of one
    flat = [
        k for k in _kernels("stencil") if "sol_meet" not in k and "sol_barrier" not in k
    ]  # the third one is the whole loop
    mutants = _mutants(flat[which])
    module = device.kernels('#include "soljit/kernel.h"\n' + "".join(mutants))
    a, b = np.arange(104.0).reshape(n, m), -(np.arange(104.0).reshape(n, m) ** 2)
    given = {"M": m, "N": n, "pieces": 2, "some": 8, "w": np.float64(0.5)}
    expected = right(a, b)
    survived = []
    for k, text in enumerate(mutants):
        device.begin()
        a_dev, b_dev = device.up(a), device.up(np.asfortranarray(b).T)
        failed = _launch(device, module, text, (1, 1), (32, 8), A_dev=a_dev, B_dev=b_dev, **given)
        if failed == SUCCESS:
            got = device.down(a_dev, a), device.down(b_dev, b.T.copy()).T
            failed = any(not np.array_equal(x, y) for x, y in zip(got, expected))
        if not failed:
            survived.append(k)
    assert survived == same, "\n".join(mutants[k] for k in survived if k not in same)
    assert len(mutants) > 3


@pytest.mark.parametrize("which, blocks", [(0, 5), (1, 1)])  # a row by a block of threads, and by a thread
def test_every_mutant_of_counts_is_caught(device: Fake, which: int, blocks: int) -> None:
    n, m = 3, 4
    mutants = _mutants(_kernels("counts")[which])
    module = device.kernels('#include "soljit/kernel.h"\n' + "".join(mutants))
    a, out = (np.arange(84) * 37 % 256).astype(np.uint8).reshape(n, m, 7), np.arange(m)
    survived = []
    for k, text in enumerate(mutants):
        device.begin()
        a_dev, out_dev = device.up(a), device.up(out)
        failed = _launch(
            device, module, text, (blocks,), (256,), a_dev=a_dev, out_dev=out_dev, M=m, N=n, a_dev_s0=28, i=3
        )
        if failed == SUCCESS:
            same = np.array_equal(device.down(out_dev, out), out + a.sum((0, 2), dtype=np.int64))
            failed = not same or not np.array_equal(device.down(a_dev, a), a // 3)
        if not failed:
            survived.append(k)
    assert survived == [0] and len(mutants) > 5


# --- functions that are as wrong as CUDA's may be ---------------------------------------------------------------------------

FUNCTIONS = {"exp": 1, "log": 1, "sin": 2, "tanh": 1, "atanh": 2}


def test_functions_are_as_wrong_as_they_may_be(device: Fake) -> None:
    lines = "".join(f"  B[n * {k} + i] = sol_{name}(A[i]);\n" for k, name in enumerate(FUNCTIONS))
    text = f"""#include "soljit/kernel.h"
extern "C" __global__ void all(double* __restrict B, const double* __restrict A, const int64_t n) {{
  const int64_t i = sol_thread_x();
  if (i >= n) return;
{lines}}}
"""
    a = np.concatenate([np.linspace(0.01, 0.99, 997), [0.0, 1.0, np.nan]])
    module = device.kernels(text, checked=False)
    device.library.sol_fake_ulps(1)
    out = device.take(8 * len(FUNCTIONS) * a.size)
    device.must(device.launch(module, "all", (4,), (256,), out, device.up(a), a.size))
    got = device.down(out, np.empty((len(FUNCTIONS), a.size)))
    assert np.isnan(got[:, -1]).all() and not got[[2, 3, 4], 997].any() and got[0, 997] == 1 and got[1, 998] == 0
    for row, (name, most) in zip(got[:, :997], FUNCTIONS.items()):
        right = np.array([getattr(math, name)(x) for x in a[:997]])  # the C library's
        wrong = np.abs(row - right) / np.spacing(np.minimum(np.abs(row), np.abs(right)))
        assert wrong.max() == most and wrong.min() == 0, name
        assert (row <= 1).all() or name not in ("sin", "tanh")


# --- what users are told ----------------------------------------------------------------------------------------------------

PROGRAM = """
import re
import numpy as np
import soljit as sol
from soljit.runtime.devices import emulated

right = emulated.compile_kernels

def wrong(text, *args, **kwargs):
    return right(re.sub(r"\\bx_dev\\[", "x_dev[1 + ", text), *args, **kwargs)

emulated.compile_kernels = wrong

@sol.jit(device="emulated", offload="always", strict=True)
def f(x):
    y = np.empty(10)
    y[:] = x * 3
    return y

try:
    f(np.ones(10))
except sol.DeviceError as e:
    print(e)
"""


def test_a_fault_in_a_kernel_is_told_to_the_user(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(GOLDEN.parents[2])}
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True, check=False)
    assert "out of bounds: reads 8 bytes at byte 80 of `x_dev`, which has 80 [line 17: `" in done.stdout, (
        done.stdout + done.stderr
    )


# --- entry points -----------------------------------------------------------------------------------------------------------


def test_the_driver_has_what_the_device_layer_asks_for() -> None:
    asked = set(re.findall(r'"(cu[A-Z]\w*)"', (SOURCES.parent / "device" / "driver.h").read_text()))
    made = set(re.findall(r"SOL_ENTRY CUresult (cu\w+)\(", "".join(p.read_text() for p in SOURCES.glob("driver*"))))
    assert len(asked) > 20 and not asked - made
