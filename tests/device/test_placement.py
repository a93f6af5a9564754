"""Which calls run on a device, and what users are told of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.cost.worth import DeviceModel, worth
from soljit.ir.interpret.evaluate import Frame
from soljit.ir.text.parser import from_text
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.runtime.variants.inspected_lines import absolute_lines, relative_lines
from tests.device.sessions import DEVICE


def relax(u: Any, v: Any, steps: int) -> Any:
    for _ in range(steps):
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u[1:-1] = 0.5 * (v[:-2] + v[2:])
    return np.abs(u).max()


def launches(call: Any) -> int:
    """How many kernels a call starts."""
    sol.device.stats(reset=True)
    call()
    return sol.device.stats()["launches"]


def test_large_calls_run_on_the_device_and_small_ones_on_the_processor(slow_blocks: None) -> None:
    f = sol.jit(device=DEVICE, strict=True)(relax)
    small = [np.linspace(0, 1, 50), np.zeros(50)]
    large = [np.linspace(0, 1, 100_000), np.zeros(100_000)]
    wanted = [relax(*(a.copy() for a in arrays), 40) for arrays in (small, large)]
    assert launches(lambda: f(*(a.copy() for a in small), 40)) == 0
    assert f(*(a.copy() for a in small), 40) == wanted[0]
    assert launches(lambda: f(*(a.copy() for a in large), 40)) >= 80
    assert f(*(a.copy() for a in large), 40) == wanted[1]
    assert len(f.signatures) == 2, "one for the processor, one for the device"
    assert "for these sizes" in f.explain()


STENCIL = """
@symbols(N=A.shape[0])
@guards(3 <= N)
def step(A: f64[N], B: f64[N], T: i64):
    for t in range(0, T):
        with map(i=range(0, N - 2)):
            B[i + 1] = exp(A[i]) + A[i + 2]
    return
"""


@pytest.mark.parametrize(
    "n, turns, better", [(100, 3, False), (100, 10**6, False), (10**7, 1, True), (10**12, 5, True)]
)
def test_sizes_decide(n: int, turns: int, better: bool) -> None:
    condition = worth(optimize(from_text(STENCIL), Context(tail="device")), DeviceModel())
    assert condition is not None
    frame = Frame({})
    frame.symbols |= {"N": np.int64(n), "T": np.int64(turns)}
    assert bool(frame.eval(condition)) is better


def test_what_is_told() -> None:
    f = sol.jit(device=DEVICE, offload="always", strict=True)(relax)
    f(np.linspace(0, 1, 9), np.zeros(9), 2)
    first = relax.__code__.co_firstlineno
    told = f.explain()
    for text in (
        "runs on the device",
        "blocks of threads that wait for each other run this loop where its arrays are small",
        f"u is copied to the device: line {first + 2} reads it on the device; it comes from the caller",
        "v is copied back from the device: the caller sees it",
        f"a number is copied back from the device: line {first + 4} reads it on the host",
    ):
        assert text in told
    kernels = f.report()[0]["kernels"]
    lines = [
        ("k0_relax", first + 1),
        ("k1_relax", first + 2),
        ("k2_relax", first + 3),
    ]  # the loop as one block, and kernels
    assert [(k["name"], k["line"]) for k in kernels][:3] == lines
    assert "registers" in kernels[0]
    assert "__global__" in f.source("cuda") and f"// line {first + 2}" in f.source("cuda")


def test_a_function_that_no_device_can_run_runs_on_the_processor_and_says_why() -> None:
    @sol.jit(device=DEVICE, offload="always", strict=True)
    def f(z: Any) -> Any:
        return np.sin(z) + 1

    z = np.array([1 + 2j, 3 - 1j])
    assert launches(lambda: f(z)) == 0
    assert "this loop stays on the host: there is no sin of complex numbers on the device" in f.explain()


def test_lines_in_remarks_move_with_the_function() -> None:
    kept = relative_lines("line 14 reads u; line 9 too", 10)
    assert kept == "line +4 reads u; line -1 too"
    assert absolute_lines(kept, 110) == "line 114 reads u; line 109 too"
