"""Arguments that others write while a call runs, or hold in a forked child: the next call sees what stands in memory."""

from __future__ import annotations

import os
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.device.test_residency import array, bump, double, kept_nothing, right, tracked  # noqa: F401 (fixtures)

SIZE = 400_000
Floats = np.ndarray[Any, np.dtype[np.float64]]


def beside(write: Callable[[threading.Event], None], call: Callable[[], Any]) -> Any:
    """What a call gives while another thread writes until the call is over."""
    over, running = threading.Event(), threading.Event()

    def work() -> None:
        running.set()
        write(over)

    t = threading.Thread(target=work)
    t.start()
    running.wait()
    try:
        return call()
    finally:
        over.set()
        t.join()


@pytest.mark.share(0.3)
@pytest.mark.parametrize("track", [True, False])
@pytest.mark.parametrize("again", range(3))
def test_an_argument_that_a_thread_writes_while_it_is_read(track: bool, again: int) -> None:
    a = array(size=SIZE)
    before = a.copy()

    def write(over: threading.Event) -> None:
        for k in range(0, SIZE, 997):
            a[k] = -2.0
            over.wait(0.00001)

    with sol.settings(tracker=track):
        if again:
            double(a)
        got = beside(write, lambda: double(a))
        old, new = before * 2.0 + 1.0, a * 2.0 + 1.0
        assert ((got == old) | (got == new)).all()
        right(a)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("track", [True, False])
@pytest.mark.parametrize("again", range(3))
def test_an_argument_that_a_thread_writes_while_it_is_changed(track: bool, again: int) -> None:
    """Whoever comes last wins, element by element; the device knows it."""
    a = array(size=SIZE)

    def write(over: threading.Event) -> None:
        k = 0
        while not over.is_set():
            a[k % SIZE] = -2.0 - k
            k += 4999

    with sol.settings(tracker=track):
        if again:
            bump(a)
        for _ in range(4):
            beside(write, lambda: bump(a))
            right(a)


@pytest.mark.parametrize("place", [10, SIZE // 2, SIZE - 10])
def test_a_thread_that_writes_as_soon_as_the_result_comes_home(place: int) -> None:
    """It writes between the copy of its element and the end of the call."""
    a = array(size=SIZE)
    bump(a)
    for k in range(8):
        old = a[place]

        def write(over: threading.Event, old: float = old, k: int = k) -> None:
            while a[place] == old and not over.is_set():
                pass
            a[place] = -2.0 - k

        beside(write, lambda: bump(a))
        assert a[place] == -2.0 - k
        right(a)


def in_a_child(work: Callable[[], None]) -> None:
    """Run in a forked child, whose failure is this test's."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        told = b""
        try:
            work()
        except BaseException:  # noqa: BLE001 (it goes to the parent)
            told = traceback.format_exc().encode()
        os.write(writing, told[-60_000:])
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as f:
        told = f.read()
    _, status = os.waitpid(child, 0)
    assert status == 0 and not told, f"status {status}\n{told.decode()}"


def test_calls_in_a_forked_child_run_on_the_processor() -> None:
    """The child inherits tables, promises and settings; the parent's copies are none of its."""
    a, frozen = array(), sol.freeze(array(1))
    right(a), right(frozen)

    def work() -> None:
        for _ in range(2):
            np.testing.assert_array_equal(double(a), a * 2.0 + 1.0)
            np.testing.assert_array_equal(double(frozen), frozen * 2.0 + 1.0)
            expected = a + 1.0
            bump(a)
            np.testing.assert_array_equal(a, expected)
            a[5] = 3.0
            sol.device.invalidate(a)
        sol.freeze(np.ones(100_000))
        with pytest.raises(sol.DeviceError, match="forked process"):
            sol.device.empty_cache()

    before = a.copy()
    in_a_child(work)
    np.testing.assert_array_equal(a, before)
    right(a), right(frozen)


def test_a_function_that_is_compiled_in_a_forked_child() -> None:
    @sol.jit(device="emulated", offload="always")
    def triple(x: Any) -> Any:
        return x * 3.0

    a = array()
    right(a)
    in_a_child(lambda: np.testing.assert_array_equal(triple(a), a * 3.0))
    np.testing.assert_array_equal(triple(a), a * 3.0)


def test_a_fork_while_another_thread_is_in_a_call() -> None:
    a = array()
    right(a)

    def write(over: threading.Event) -> None:
        while not over.is_set():
            double(a)

    for _ in range(3):
        beside(write, lambda: in_a_child(lambda: np.testing.assert_array_equal(double(a), a * 2.0 + 1.0)))
    right(a)
