"""A call of the driver fails, whichever it is: the program says so, its arguments are as the launches before left them, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.ir.text.parser import from_text
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.codegen.harness import Raised
from tests.device.programs import OnDevice

STEPS = """
@symbols(N=A.shape[0], M=A.shape[1])
@guards(3 <= N, 3 <= M)
def steps(T: i64, A: f64[N, M], B: f64[N, M].strides(1, N), w: f64):
    for k in range(0, T):
        with map(i=range(0, N - 2), j=range(0, M - 2)):
            B[i + 1, j + 1] = w * (A[i, j + 1] + A[i + 1, j + 1] + A[i + 2, j + 1])
        with map(k_1=range(N - 2, 0, -1), l=range(1, M - 1, 2)):
            A[k_1, l] = B[k_1, l]
    return
"""
T, W = 3, 0.25
Arrays = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]


def arguments() -> Arrays:
    A = np.arange(200.0 * 60).reshape(200, 60) ** 1.5
    return A, np.asfortranarray(A[::-1])


def states() -> list[Arrays]:
    """What the arrays hold at first, and after each statement."""
    A, B = arguments()
    found = [(A.copy(), B.copy())]
    for _ in range(T):
        B[1:-1, 1:-1] = W * (A[:-2, 1:-1] + A[1:-1, 1:-1] + A[2:, 1:-1])
        found.append((A.copy(), B.copy()))
        A[1:-1, 1:-1:2] = B[1:-1, 1:-1:2]
        found.append((A.copy(), B.copy()))
    return found


@pytest.fixture(scope="module")
def program(gpu: Device) -> OnDevice:
    return OnDevice(from_text(STEPS), gpu, one_block=False)


def outcome(program: OnDevice, A: Any, B: Any) -> Raised | None:
    try:
        program.run(T, A, B, W)
    except Raised as e:
        return e
    return None


def equal(a: Any, b: Any) -> bool:
    return a.tobytes() == b.tobytes()


def test_without_a_failure(program: OnDevice, fake: Controls) -> None:
    A, B = arguments()
    assert outcome(program, A, B) is None
    want = states()[-1]
    assert equal(A, want[0]) and equal(B, want[1])
    counts = sol.device.stats()
    assert (counts["h2d_calls"], counts["launches"], counts["d2h_calls"]) == (2, 2 * T, 2)


@pytest.fixture(autouse=True)
def nothing_is_kept(gpu: Device) -> Iterator[None]:
    """All memory of a call is given back with it. (Failures where copies are kept: test_residency.py.)"""
    with sol.settings(tracker=False):
        yield


@pytest.mark.parametrize("code", [2, 801])
def test_any_call_may_fail(program: OnDevice, fake: Controls, code: int) -> None:
    known, failed = states(), 0
    for k in range(1, 100):
        fake.library.sol_fake_reset()
        fake.library.sol_fake_fail(0, k, code)
        before = fake.counters()["live"]
        A, B = arguments()
        error = outcome(program, A, B)
        if not fake.library.sol_fake_failed():
            break
        failed += 1
        states_of = [{n for n, s in enumerate(known) if equal(x, s[i])} for i, x in enumerate((A, B))]
        assert states_of[0] and states_of[1], f"call {k}: an array is in no state that the program passes through"
        if error is None:  # memory was found after all, or could not be given back
            assert len(known) - 1 in states_of[0] & states_of[1]
        else:
            device_error = "soljit.runtime.devices.layer.device_error"
            assert error.exception == ("builtins.MemoryError" if code == 2 else device_error)
        assert fake.counters()["live"] - before <= (error is None), f"call {k}: memory was not given back"
        A, B = arguments()
        assert outcome(program, A, B) is None and equal(A, known[-1][0]), f"after call {k} the device does not work"
    assert failed >= 2 + 2 + 2 * T + 2 * 2 + 2  # allocations, uploads, launches, downloads and waits, frees


def test_a_launch_that_fails_leaves_what_was_done_before(program: OnDevice, fake: Controls) -> None:
    known = states()
    for k in range(1, 2 * T + 1):
        A, B = arguments()
        fake.library.sol_fake_fail(2, k, 801)
        error = outcome(program, A, B)
        assert error is not None and error.operands == [801]
        assert equal(A, known[k - 1][0]) and equal(B, known[k - 1][1])


def test_memory_that_is_missing_at_first_is_found(program: OnDevice, fake: Controls) -> None:
    for k in (1, 2):
        A, B = arguments()
        fake.library.sol_fake_fail(1, k, 2)
        assert outcome(program, A, B) is None and equal(A, states()[-1][0])
        assert fake.library.sol_fake_failed() == k


@pytest.mark.parametrize("failure", [2, 801])
def test_a_cluster_that_cannot_be_launched_leaves_all_as_it_was(gpu: Device, fake: Controls, failure: int) -> None:
    together = OnDevice(from_text(STEPS), gpu, one_block=True, cluster=True)
    A, B = arguments()
    fake.library.sol_fake_fail(2, 1, failure)  # the first launch
    assert outcome(together, A, B) is not None
    assert equal(A, arguments()[0]) and equal(B, arguments()[1])
    assert outcome(together, A, B) is None
    want = states()[-1]
    assert equal(A, want[0]) and equal(B, want[1])
