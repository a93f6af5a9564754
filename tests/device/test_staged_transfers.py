"""Large copies in chunks through pinned memory, which several threads fill and empty (staging.h, crew.h)."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.device.fake import fake as whole_driver
from tests.device.sessions import Session
from tests.device.test_control import child

COPY, WAIT = 3, 4  # kinds of failures
MIB = 1 << 20
STAGED, CHUNK, CHUNKS = MIB, 4 * MIB, 3  # as in staging.h and gpu.h
SIZES = [STAGED, STAGED + 1, 2 * MIB, 2 * MIB + 1, 4 * MIB - 8, 4 * CHUNK - 1, 4 * CHUNK, 5 * CHUNK + 12345]


def numbers(size: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(size).integers(0, 256, size, np.uint8)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("tracker", [True, False])
@pytest.mark.parametrize("shift", [0, 1, 4096])
@pytest.mark.parametrize("size", SIZES)
def test_all_bytes_arrive_and_leave(gpu: Device, fake: Controls, size: int, shift: int, tracker: bool) -> None:
    with sol.settings(tracker=tracker):
        block = numbers(size + 2 * shift)
        want = block.copy()
        x = block[shift : shift + size]
        with Session(gpu) as s:
            s.mirrors(x)
            assert s.arrive(0) == 0
            x[:] = 0  # what was queued has been read
            assert s.leave(0) == 0
        assert np.array_equal(block, want)
    counts = sol.device.stats()
    assert (counts["h2d_calls"], counts["h2d_bytes"]) == (1, size) == (counts["d2h_calls"], counts["d2h_bytes"])
    assert counts["syncs"] == 1  # the download's


def test_chunks_are_used_again(gpu: Device, fake: Controls) -> None:
    with Session(gpu) as s:
        arrays = [numbers(3 * MIB + k) for k in range(9)]
        wants = [a.copy() for a in arrays]
        s.mirrors(*arrays)
        for k, a in enumerate(arrays):
            assert s.arrive(k) == 0
            a[:] = 0
        pinned = fake.counters()["pinned_bytes"]
        for k in range(len(arrays)):
            assert s.leave(k) == 0
        assert fake.counters()["pinned_bytes"] == pinned
    assert all(np.array_equal(a, want) for a, want in zip(arrays, wants, strict=True))


def test_pinned_memory_is_copied_as_it_is(gpu: Device, fake: Controls) -> None:
    """The driver's copies are as long as the array: no chunk is filled or emptied in between."""
    d, size = whole_driver(), 2 * CHUNK
    place = d.cu_ffi.new("void**")
    d.must(d.cu.cuCtxPushCurrent_v2(d.context))
    d.must(d.cu.cuMemHostAlloc(place, size, 0))
    d.must(d.cu.cuCtxPopCurrent_v2(d.cu_ffi.new("void**")))
    x = np.frombuffer(d.cu_ffi.buffer(place[0], size), np.uint8)
    x[:] = want = numbers(size)
    before = fake.counters()
    with sol.settings(tracker=False), Session(gpu) as s:
        s.mirrors(x)
        assert s.arrive(0) == 0
        x[:] = 0
        assert s.leave(0) == 0
    after = fake.counters()
    assert np.array_equal(x, want)
    assert [after[k] - before[k] for k in ("uploads", "downloads", "pinned_bytes")] == [1, 1, 0]
    del x
    d.must(d.cu.cuCtxPushCurrent_v2(d.context))
    d.must(d.cu.cuMemFreeHost(place[0]))
    d.must(d.cu.cuCtxPopCurrent_v2(d.cu_ffi.new("void**")))


def test_long_rows_go_in_chunks(gpu: Device, fake: Controls) -> None:
    block = numbers(12 * MIB).reshape(4, -1)
    want = block.copy()
    with Session(gpu) as s:
        s.mirrors(block, block[::2, 1:])
        assert s.arrive(0) == 0
        block[::2, 1:] = 0
        assert s.leave(1) == 0
    assert np.array_equal(block, want)


@pytest.mark.parametrize("kind", [COPY, WAIT])
def test_a_copy_that_fails_half_way_says_so(gpu: Device, fake: Controls, kind: int) -> None:
    x = numbers(6 * CHUNK)
    want = x.copy()
    for upload in (True, False):
        for k in range(1, 20):
            x[:] = want
            with Session(gpu, written=False) as s:
                s.mirrors(x)
                if not upload:
                    assert s.arrive(0) == 0
                fake.library.sol_fake_fail(kind, k, 801)
                failed = s.arrive(0) if upload else s.leave(0)
                fake.library.sol_fake_fail(0, 0, 0)
                assert failed in (0, 801)
                if failed:
                    assert "CUDA_ERROR_NOT_SUPPORTED" in s.failure()
                x[:] = want
                assert s.arrive(0) == 0
                x[:] = 1
                assert s.leave(0) == 0 and np.array_equal(x, want)
            if not failed:
                break
        assert k > CHUNKS, "every chunk is a copy"


def test_threads_copy_at_the_same_time(gpu: Device, fake: Controls) -> None:
    def work(number: int) -> None:
        x = numbers(5 * MIB + number)
        want = x.copy()
        for _ in range(4):
            with Session(gpu) as s:
                s.mirrors(x)
                s.arrive(0)
                x[:] = 0
                s.leave(0)
            good.append(np.array_equal(x, want))

    good: list[bool] = []
    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert good == [True] * 12


PROGRAM = """
import os
import numpy as np
import soljit as sol

def threads():
    return len(os.listdir("/proc/self/task"))

@sol.jit(device="emulated", offload="always")
def twice(x):
    return x * 2.0

def is_right(n):
    x = np.arange(float(n))
    return bool((np.asarray(twice(x)) == x * 2.0).all())

assert is_right(100)
before = threads()
"""


def test_threads_begin_with_the_first_large_copy(tmp_path: Path) -> None:
    more = min(8, len(os.sched_getaffinity(0))) - 1
    assert child(PROGRAM + "print(is_right(2 << 17), threads() - before)", tmp_path).split() == ["True", str(more)]


def test_threads_see_to_their_own_faults(tmp_path: Path) -> None:
    """Whoever protects memory has a handler for it, which a blocked SIGSEGV would not reach; other signals are the process's."""
    program = """
import signal
assert is_right(2 << 17)
for task in os.listdir("/proc/self/task"):
    if int(task) != os.getpid():
        lines = open(f"/proc/self/task/{task}/status").read().splitlines()
        blocked = int(next(l for l in lines if l.startswith("SigBlk")).split()[1], 16)
        print(*(blocked >> (s - 1) & 1 for s in (signal.SIGSEGV, signal.SIGBUS, signal.SIGINT, signal.SIGTERM)))
"""
    if len(os.sched_getaffinity(0)) > 1:
        assert "0 0 1 1" in child(PROGRAM + program, tmp_path).splitlines()


def test_one_processor_has_no_threads(tmp_path: Path) -> None:
    one = "os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])\n"
    assert child(PROGRAM + one + "print(is_right(2 << 17), threads() - before)", tmp_path).split() == ["True", "0"]


def test_a_forked_child_has_no_threads_and_computes(tmp_path: Path) -> None:
    program = """
assert is_right(2 << 17)
child = os.fork()
if child == 0:
    os._exit(0 if threads() == 1 and is_right(2 << 17) and threads() == 1 else 1)
print(os.waitpid(child, 0)[1], is_right(2 << 17))
"""
    assert child(PROGRAM + program, tmp_path).split() == ["0", "True"]
