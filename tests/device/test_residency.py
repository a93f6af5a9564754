"""Copies of NumPy arrays stay on the device between calls, and are used again where it is proved that nothing has changed on the host."""

from __future__ import annotations

import ctypes
import io
import mmap
import os
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls

N = 40_000  # elements of float64: more than is sent without asking
PAGE = mmap.PAGESIZE
LAUNCH, COPY = 2, 3  # kinds of calls that the fake driver can let fail
Floats = np.ndarray[Any, np.dtype[np.float64]]


def jitted(f: Any) -> Any:
    return sol.jit(device="emulated", offload="always", strict=True)(f)


@jitted
def double(a: Any) -> Any:
    return a * 2.0 + 1.0


@jitted
def bump(a: Any) -> None:
    a += 1.0


@jitted
def mixed(a: Any, b: Any) -> Any:
    a[1:] = a[1:] + b[:-1]
    return a * b


@pytest.fixture(autouse=True)
def kept_nothing(gpu: Device, fake: Controls) -> Iterator[None]:
    """Nothing is on the device when a test begins, and nothing of it when it ends."""
    with sol.settings(device="emulated", offload="always"):
        sol.device.empty_cache()
        yield
        sol.device.empty_cache()


@pytest.fixture
def tracked(kept_nothing: None) -> None:
    double(array())
    if (why := sol.device.memory().tracker) != "on":
        pytest.skip(f"no pages are tracked here: {why}")


def array(seed: int = 0, size: int = N) -> Floats:
    """An array on pages of its own."""
    memory = np.frombuffer(mmap.mmap(-1, size * 8, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.float64)
    memory[:] = np.random.default_rng(seed).random(size)
    return memory


def sent(call: Callable[[], Any]) -> int:
    """Bytes that a call moves to the device."""
    before = sol.device.stats()["h2d_bytes"]
    call()
    moved: int = sol.device.stats()["h2d_bytes"] - before
    return moved


def right(a: Floats) -> int:
    """Bytes that are sent for `double(a)`, whose result is NumPy's."""
    moved = sent(lambda: np.testing.assert_array_equal(double(a), a * 2.0 + 1.0))
    return moved


def test_unchanged_arrays_are_not_sent_again(tracked: None) -> None:
    a = array()
    assert right(a) == a.nbytes
    assert [right(a) for _ in range(4)] == [0] * 4
    a[7] = -1
    assert 0 < right(a) <= PAGE
    assert right(a) == 0
    a.sum(), a.copy(), a[::3].max(), a.tobytes()
    assert right(a) == 0, "reads change nothing"


def test_results_are_not_sent_again(tracked: None) -> None:
    a = array()
    r = double(a)
    assert right(r) < r.nbytes / 8, "all of it but what shares a page with others"
    r[100] = 5
    right(r)


def test_arrays_that_functions_change(tracked: None) -> None:
    a, expected = array(), array()
    for _ in range(4):
        bump(a)
        expected += 1.0
        np.testing.assert_array_equal(a, expected)
    assert sent(lambda: bump(a)) == 0
    a[3] = 9
    bump(a)
    assert a[3] == 10 and a[4] == expected[4] + 2
    right(a)


def _read_into(a: Floats) -> None:
    io.BytesIO(b"\x01" * 5000).readinto(memoryview(a).cast("B")[8000:13000])
    with open("/dev/zero", "rb", buffering=0) as f:
        f.readinto(memoryview(a).cast("B")[30000:40000])


def _receive(a: Floats) -> None:
    x, y = socket.socketpair()
    x.send(b"z" * 100)
    y.recv_into(memoryview(a).cast("B")[90_000:90_100])
    x.close(), y.close()


def _in_a_thread(a: Floats) -> None:
    t = threading.Thread(target=lambda: a.__setitem__(slice(0, 1024), 7.0))
    t.start()
    t.join()


def _in_a_child(a: Floats) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        a[:] = 5.0
        os._exit(0)
    os.waitpid(child, 0)


def _in_the_parent_after_a_fork(a: Floats) -> None:
    _in_a_child(a)
    a[33] = 4.0


def _dropped_pages(a: Floats) -> None:
    start = -(-a.ctypes.data // PAGE) * PAGE
    ctypes.CDLL(None).madvise(ctypes.c_void_p(start + PAGE), ctypes.c_size_t(4 * PAGE), 4)  # MADV_DONTNEED


WRITES: dict[str, Callable[[Floats], object]] = {
    "item": lambda a: a.__setitem__(5, 1.0),
    "last item": lambda a: a.__setitem__(-1, 1.0),
    "ufunc": lambda a: np.add(a, 1.0, out=a),
    "view": lambda a: a[100:200].__setitem__(3, 2.0),
    "reversed view": lambda a: a[::-7].fill(2.0),
    "other type": lambda a: a.view(np.uint8).__setitem__(70_001, 3),
    "memoryview": lambda a: memoryview(a).cast("B").__setitem__(8 * 10_000, 3),
    "ctypes": lambda a: ctypes.memset(a.ctypes.data + 8 * 7000, 1, 5000),
    "copyto": lambda a: np.copyto(a, 3.0, where=np.arange(N) % 1000 == 3),
    "sort": lambda a: a.sort(),
    "readinto": _read_into,
    "recv_into": _receive,
    "thread": _in_a_thread,
    "child": _in_a_child,
    "fork": _in_the_parent_after_a_fork,
    "madvise": _dropped_pages,
    "compiled": lambda a: sol.jit(_set_some)(a),
}


def _set_some(a: Any) -> None:
    a[1000:1005] = 3.0


@pytest.mark.parametrize("track", [True, False])
@pytest.mark.parametrize("how", WRITES)
def test_what_changes_is_seen(how: str, track: bool) -> None:
    with sol.settings(tracker=track):
        a = array(3)
        right(a)
        for _ in range(3):
            WRITES[how](a)
            right(a)
            right(a)


def test_without_a_tracker_all_is_sent() -> None:
    with sol.settings(tracker=False):
        a = array()
        assert [right(a) for _ in range(3)] == [a.nbytes] * 3


def test_small_arrays_are_always_sent(tracked: None) -> None:
    a = array(size=1000)
    assert [right(a) for _ in range(3)] == [8000] * 3


def test_memory_that_is_used_again(tracked: None) -> None:
    for k in range(6):
        right(np.full(N * (1 + k % 2), float(k)))
        a = np.zeros(N)
        right(a)
        a.resize(2 * N, refcheck=False)
        right(a)


def test_files_and_shared_memory(tracked: None, tmp_path: Path) -> None:
    path = tmp_path / "numbers.bin"
    for mode in ("w+", "r+", "c"):
        a = np.memmap(path, np.float64, mode, shape=(N,))
        right(a)
        a[3] = len(mode)
        right(a)
        with open(path, "r+b") as f:
            f.seek(8 * 10_000)
            f.write(b"\x01" * 64)
        right(a)
    shared = shared_memory.SharedMemory(create=True, size=N * 8)
    try:
        b: Floats = np.ndarray((N,), np.float64, buffer=shared.buf)
        b[:] = 1.0
        right(b)
        _in_a_child(b)  # which writes to the same memory
        right(b)
        assert b[0] == 5.0
        del b
    finally:
        shared.close()
        shared.unlink()


def test_views_and_overlaps() -> None:
    a = array()
    for part in (a, a[10:], a[:-10], a[::2], a[::-1], a[5:20_000], a.reshape(200, 200).T, a[:100]):
        right(part)
        a[15] += 1
        right(part)
        right(a)
    b, expected = array(1), array(1)
    for x, y in ((b, b), (b[1:], b[:-1]), (b[:-1], b[1:]), (b[:20_000], b[20_000:]), (b, b[::-1])):
        e1, e2 = (expected[(v.ctypes.data - b.ctypes.data) // 8 :] for v in (x, y))
        ex = np.lib.stride_tricks.as_strided(e1, x.shape, x.strides)
        ey = np.lib.stride_tricks.as_strided(e2, y.shape, y.strides)
        np.testing.assert_array_equal(mixed(x, y), mixed.python(ex, ey))
        np.testing.assert_array_equal(b, expected)


def test_frozen_arrays(kept_nothing: None) -> None:
    small = sol.freeze(np.arange(10.0))
    with sol.settings(tracker=False):
        assert right(small) == 80
        assert right(small) == 0
        big = sol.freeze(array())
        assert [right(big) for _ in range(3)] == [big.nbytes, 0, 0]
        sol.device.invalidate(big)
        assert right(big) == big.nbytes
    with pytest.raises(ValueError, match="read-only"):
        small[0] = 1
    for _ in range(20):  # the same memory, another array
        del small
        small = np.arange(10.0) + np.random.default_rng().random()
        right(small)
    with pytest.raises(sol.ArgumentError, match="takes an array"):
        sol.freeze([1.0])  # type: ignore[arg-type]
    with pytest.raises(sol.ArgumentError, match="gaps"):
        sol.freeze(array()[::2])


def test_forgotten_arrays(tracked: None) -> None:
    a = array()
    right(a)
    sol.device.invalidate(a)
    assert right(a) == a.nbytes
    sol.device.empty_cache()
    assert right(a) == a.nbytes


def test_no_more_than_allowed_is_kept() -> None:
    with sol.settings(device_cache=0):
        a = array()
        assert [right(a) for _ in range(2)] == [a.nbytes] * 2
        assert sol.device.memory().kept == 0


def test_exceptions_half_way(tracked: None) -> None:
    @jitted
    def fails(a: Any, k: int) -> Any:
        a[:] = a * 2.0
        if a[k] > 1.0:
            raise ValueError("too large")
        a[:] = a + 1.0

    a, expected = array(), array()
    for k in range(8):
        outcomes = []
        for f, x in ((fails, a), (fails.python, expected)):
            try:
                outcomes.append(f(x, k))
            except ValueError as e:
                outcomes.append(str(e))
            x *= 0.25
        assert outcomes[0] == outcomes[1]
        np.testing.assert_array_equal(a, expected)
        right(a)


def test_failures_leave_nothing_wrong(tracked: None, fake: Controls) -> None:
    a, expected = array(), array()
    for call in range(1, 12):
        bump(a)
        expected += 1.0
        fake.library.sol_fake_fail(LAUNCH if call % 2 else COPY, 1 + call % 3, 1)
        try:
            bump(a)
            expected += 1.0
        except (sol.DeviceError, MemoryError):
            if a[0] != expected[0]:
                expected += 1.0  # it failed when all was done
        fake.library.sol_fake_reset()
        np.testing.assert_array_equal(a, expected)
        right(a)


@pytest.mark.parametrize("track", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_random_histories(seed: int, track: bool) -> None:
    rng = np.random.default_rng(seed)
    with sol.settings(tracker=track):
        arrays = [array(k) for k in range(3)]
        models = [a.copy() for a in arrays]
        for _ in range(40):
            k, j = rng.integers(0, 3, 2)
            a, m = arrays[k], models[k]
            lo, hi = sorted(rng.integers(0, N, 2))
            match rng.integers(0, 8):
                case 0:
                    a[lo:hi] = m[lo:hi] = rng.random()
                case 1:
                    bump(a)
                    m += 1.0
                case 2:
                    bump(a[lo:hi])
                    m[lo:hi] += 1.0
                case 3:
                    np.testing.assert_array_equal(double(a[lo:hi]), m[lo:hi] * 2.0 + 1.0)
                case 4:
                    x, y = mixed(a, arrays[j]), mixed.python(m, models[j])
                    np.testing.assert_array_equal(x, y)
                    arrays[j], models[j] = x, y
                case 5:
                    arrays[k] = array(int(rng.integers(0, 99)))
                    models[k] = arrays[k].copy()
                case 6:
                    a[lo] = m[lo] = -1.0
                case 7:
                    sol.device.empty_cache()
            for a, m in zip(arrays, models):
                np.testing.assert_array_equal(a, m)
            np.testing.assert_array_equal(double(arrays[k]), models[k] * 2.0 + 1.0)
            if arrays[0].max() > 1e6:
                return
