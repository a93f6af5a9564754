"""The emulator's driver: memory that is guarded and poisoned, work that waits, exact counters, planned failures."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.device import fake as names
from tests.device.fake import ILLEGAL_ADDRESS, INVALID_VALUE, LAUNCH_FAILED, OUT_OF_MEMORY, SUCCESS, Fake, fake

ROOT = Path(__file__).resolve().parents[2]
TEXT = """
#include "soljit/kernel.h"
extern "C" __global__ void __launch_bounds__(64) twice(double* A, const int64_t n) {
  const int64_t i = sol_thread_x();
  if (i < n) A[i] = 2 * A[i];
}
"""


@pytest.fixture
def device() -> Iterator[Fake]:
    with fake().alone() as f:
        yield f


@pytest.fixture(scope="module")
def module() -> Any:
    return fake().kernels(TEXT, checked=False)


def _pinned(f: Fake, size: int) -> tuple[Any, np.ndarray[Any, Any]]:
    p = f.cu_ffi.new("void**")
    f.must(f.cu.cuMemHostAlloc(p, size, 0))
    return p[0], np.frombuffer(f.cu_ffi.buffer(p[0], size), np.float64)


# --- memory ---------------------------------------------------------------------------------------------------------------


def test_new_memory_is_aligned_and_full_of_poison(device: Fake) -> None:
    for byte in (0xFF, 0x7F):
        device.library.sol_fake_poison(byte)
        places = [device.take(1000) for _ in range(8)]
        assert all(p % 256 == 0 for p in places)
        assert (device.down(places[0], np.empty(1000, np.uint8)) == byte).all()


def test_addresses_are_not_given_out_twice(device: Fake) -> None:
    seen = set()
    for _ in range(50):
        at = device.take(100)
        device.must(device.cu.cuMemFree_v2(at))
        seen.add(at)
    assert len(seen) == 50


def test_the_host_cannot_use_an_address_of_the_device() -> None:
    code = "import ctypes\nfrom tests.device.fake import fake\nwith fake().alone() as f:\n    at = f.take(64)\nprint('ready', flush=True)\nctypes.c_double.from_address(at).value"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "ready\n" and done.returncode == -11, done.stderr


@pytest.mark.parametrize("first, last", [(-8, 8), (96, 112), (200, 208)])
def test_copies_stay_within_an_allocation(device: Fake, first: int, last: int) -> None:
    at, a = device.take(104), np.zeros(13)
    n = last - first
    assert device.cu.cuMemcpyHtoDAsync_v2(at + first, device.pointer(a), n, device.cu_ffi.NULL) == INVALID_VALUE
    assert device.cu.cuMemcpyDtoHAsync_v2(device.pointer(a), at + first, n, device.cu_ffi.NULL) == INVALID_VALUE
    assert device.cu.cuMemsetD8Async(at + first, 0, n, device.cu_ffi.NULL) == INVALID_VALUE
    assert len(device.faults()) == 3 and all("out of bounds" in f for f in device.faults())


def test_host_and_device_are_not_mixed_up(device: Fake) -> None:
    at, a = device.take(64), np.zeros(8)
    host = a.ctypes.data
    assert device.cu.cuMemcpyDtoDAsync_v2(at, host, 64, device.cu_ffi.NULL) == INVALID_VALUE
    assert device.cu.cuMemcpyHtoDAsync_v2(at, device.cu_ffi.cast("void*", at), 64, device.cu_ffi.NULL) == INVALID_VALUE
    assert ["host address" in device.faults()[0], "device address" in device.faults()[1]] == [True, True]


def test_memory_is_freed_once(device: Fake) -> None:
    at = device.take(64)
    assert device.cu.cuMemFree_v2(at + 8) == INVALID_VALUE
    device.must(device.cu.cuMemFree_v2(at))
    assert device.cu.cuMemFree_v2(at) == INVALID_VALUE
    assert "not where an allocation begins" in device.faults()[0] and "freed twice" in device.faults()[1]
    assert device.cu.cuMemcpyHtoD_v2(at, device.pointer(np.zeros(8)), 64) == INVALID_VALUE
    assert "freed memory" in device.faults()[2]


def test_a_free_in_order_waits_for_what_is_queued(device: Fake, module: Any) -> None:
    at = device.up(np.ones(8))
    device.must(device.launch(module, "twice", (1,), (64,), at, 8))
    device.must(device.cu.cuMemFreeAsync(at, device.cu_ffi.NULL))
    before = device.counters()["live_bytes"]
    device.must(device.launch(module, "twice", (1,), (64,), at, 8))  # too late
    assert device.wait() == ILLEGAL_ADDRESS and "freed memory" in device.faults()[0]
    assert device.counters()["live_bytes"] == before


def test_memory_ends(device: Fake) -> None:
    left = device.counters()["live_bytes"]
    device.library.sol_fake_memory(left + 1000)
    at = device.take(600)
    out = device.cu_ffi.new("uint64_t*")
    assert device.cu.cuMemAlloc_v2(out, 600) == OUT_OF_MEMORY
    sizes = device.cu_ffi.new("size_t[2]")
    device.must(device.cu.cuMemGetInfo_v2(sizes, sizes + 1))
    assert list(sizes) == [400, left + 1000]
    device.must(device.cu.cuMemFreeAsync(at, device.cu_ffi.NULL))
    device.must(device.cu.cuMemAllocAsync(out, 600, device.cu_ffi.NULL))
    assert not device.faults()


def test_what_an_address_is(device: Fake) -> None:
    at = device.take(100)
    start, size = device.cu_ffi.new("uint64_t*"), device.cu_ffi.new("size_t*")
    device.must(device.cu.cuPointerGetAttribute(start, 11, at + 50))
    device.must(device.cu.cuPointerGetAttribute(size, 12, at + 50))
    assert (start[0], size[0]) == (at, 100)
    assert device.cu.cuPointerGetAttribute(start, 11, np.zeros(3).ctypes.data) == INVALID_VALUE


# --- waiting --------------------------------------------------------------------------------------------------------------


def test_nothing_runs_before_somebody_waits(device: Fake, module: Any) -> None:
    place, out = _pinned(device, 64)
    at = device.up(np.ones(8))
    device.must(device.launch(module, "twice", (1,), (64,), at, 8))
    device.must(device.cu.cuMemcpyDtoHAsync_v2(place, at, 64, device.cu_ffi.NULL))
    assert np.isnan(out).all()  # who forgot to wait finds poison
    device.must(device.wait())
    assert (out == 2).all()
    device.must(device.cu.cuMemFreeHost(place))


def test_a_download_to_pageable_memory_waits(device: Fake, module: Any) -> None:
    at = device.up(np.ones(8))
    device.must(device.launch(module, "twice", (1,), (64,), at, 8))
    assert (device.down(at, np.ones(8)) == 2).all()
    counted = device.counters()
    assert (counted["waits"], counted["implied_waits"]) == (0, 1)


def test_an_upload_from_pageable_memory_reads_at_once(device: Fake) -> None:
    a = np.arange(8.0)
    at = device.up(a)
    a[:] = -1
    assert (device.down(at, a) == np.arange(8.0)).all()


def test_staging_must_not_change_before_the_copy(device: Fake) -> None:
    place, a = _pinned(device, 64)
    a[:] = 1
    at = device.take(64)
    device.must(device.cu.cuMemcpyHtoDAsync_v2(at, place, 64, device.cu_ffi.NULL))
    device.must(device.wait())
    device.must(device.cu.cuMemcpyHtoDAsync_v2(at, place, 64, device.cu_ffi.NULL))
    a[3] = 5
    assert device.wait() == LAUNCH_FAILED and "staging" in device.faults()[0]


def test_staging_must_not_go_before_the_copy(device: Fake) -> None:
    place, _ = _pinned(device, 64)
    at = device.take(64)
    device.must(device.cu.cuMemcpyHtoDAsync_v2(at, place, 64, device.cu_ffi.NULL))
    device.must(device.cu.cuMemFreeHost(place))
    assert device.wait() == ILLEGAL_ADDRESS and "staging" in device.faults()[0]


def test_a_stream_runs_alone(device: Fake) -> None:
    """Work of two streams that were left alone is not ordered: waiting for one says nothing about the other."""
    ffi = device.cu_ffi
    one, two = ffi.new("void**"), ffi.new("void**")
    device.must(device.cu.cuStreamCreate(one, 1))
    device.must(device.cu.cuStreamCreate(two, 1))
    a, b = device.take(8), device.take(8)
    device.must(device.wait())
    device.must(device.cu.cuMemsetD8Async(a, 0, 8, one[0]))
    place, out = _pinned(device, 8)
    device.must(device.cu.cuMemcpyDtoDAsync_v2(b, a, 8, two[0]))
    device.must(device.cu.cuStreamSynchronize(two[0]))
    device.must(device.cu.cuMemcpyDtoHAsync_v2(place, b, 8, two[0]))
    device.must(device.cu.cuStreamSynchronize(two[0]))
    assert np.isnan(out[0])
    for s in (one, two):
        device.must(device.cu.cuStreamDestroy_v2(s[0]))
    assert device.cu.cuStreamSynchronize(one[0]) != SUCCESS


def test_events_happen_when_what_was_before_them_has_run(device: Fake, module: Any) -> None:
    ffi = device.cu_ffi
    event = ffi.new("void**")
    device.must(device.cu.cuEventCreate(event, 2))
    assert device.cu.cuEventQuery(event[0]) == SUCCESS
    at = device.up(np.ones(8))
    device.must(device.launch(module, "twice", (1,), (64,), at, 8))
    device.must(device.cu.cuEventRecord(event[0], ffi.NULL))
    asked = [device.cu.cuEventQuery(event[0]) for _ in range(3)]
    assert asked == [600, 600, SUCCESS]  # each question lets one operation run
    device.must(device.cu.cuEventRecord(event[0], ffi.NULL))
    device.must(device.cu.cuEventSynchronize(event[0]))
    device.must(device.cu.cuEventDestroy_v2(event[0]))


def test_a_fault_breaks_the_context(device: Fake, module: Any) -> None:
    device.must(device.launch(module, "twice", (1,), (64,), 0, 8))
    at = device.cu_ffi.new("uint64_t*")
    assert device.wait() == ILLEGAL_ADDRESS == device.cu.cuMemAlloc_v2(at, 8)
    words = device.cu_ffi.new("const char**")
    device.must(device.cu.cuGetErrorString(ILLEGAL_ADDRESS, words))
    assert device.cu_ffi.string(words[0]).decode() == device.faults()[0]
    device.must(device.cu.cuGetErrorString(OUT_OF_MEMORY, words))
    assert device.cu_ffi.string(words[0]) == b"out of memory"


@pytest.mark.parametrize("seed", range(4))
def test_a_null_pointer_is_told_from_other_addresses_whichever_thread_comes_first(
    device: Fake, module: Any, seed: int
) -> None:
    """The first thread's address is 0; the processor tells 0, too, of an address that no memory could have."""
    device.library.sol_fake_survive(1)
    device.library.sol_fake_seed(seed)  # 0: the natural order
    for at, fault in ((0, "null pointer: reads"), (1 << 60, "host address: or another")):
        device.must(device.launch(module, "twice", (1,), (64,), at, 8))
        assert device.wait() == 401
        assert fault in device.faults()[-1]


def test_a_device_that_survives_tells_a_fault_once(device: Fake, module: Any) -> None:
    device.library.sol_fake_survive(1)
    at, event = device.up(np.ones(8)), device.cu_ffi.new("void**")
    device.must(device.cu.cuEventCreate(event, 2))
    device.must(device.launch(module, "twice", (1,), (64,), 0, 8))
    device.must(device.launch(module, "twice", (1,), (64,), at, 8))
    device.must(device.cu.cuEventRecord(event[0], device.cu_ffi.NULL))
    assert [device.wait(), device.wait()] == [401, SUCCESS]
    words = device.cu_ffi.new("const char**")
    device.must(device.cu.cuGetErrorString(401, words))
    assert b"null pointer" in device.cu_ffi.string(words[0])
    assert (device.down(at, np.ones(8)) == 2).all() and device.cu.cuEventQuery(event[0]) == SUCCESS


# --- counters -------------------------------------------------------------------------------------------------------------


def test_calls_and_bytes_are_counted(device: Fake, module: Any) -> None:
    before = device.counters()
    a = np.ones(8)
    at, other = device.up(a), device.take(64)
    device.must(device.launch(module, "twice", (1,), (64,), at, 8))
    device.must(device.cu.cuMemcpyDtoDAsync_v2(other, at, 64, device.cu_ffi.NULL))
    device.must(device.cu.cuMemsetD8Async(other, 0, 16, device.cu_ffi.NULL))
    device.must(device.wait())
    device.down(other, a)
    device.must(device.cu.cuMemFree_v2(other))
    after = device.counters()
    expected = {"uploads": 1, "upload_bytes": 64, "downloads": 1, "download_bytes": 64, "copies": 1, "copy_bytes": 64,
                "fills": 1, "fill_bytes": 16, "launches": 1, "waits": 1, "implied_waits": 2, "allocations": 2, "frees": 1,
                "allocated_bytes": 128, "live": 1, "live_bytes": 64}  # fmt: skip
    assert {k: after[k] - before[k] for k in expected} == expected
    assert after["peak_bytes"] == before["live_bytes"] + 128


def test_rows_are_copied_without_what_lies_between(device: Fake) -> None:
    a, out = np.arange(24.0).reshape(4, 6), np.full((4, 6), -1.0)
    at = device.up(a)
    rows = device.cu_ffi.new("Rows*")
    rows.src_type, rows.src_device, rows.src_pitch, rows.src_x, rows.src_y = 2, at, 48, 8, 1
    rows.dst_type, rows.dst_host, rows.dst_pitch, rows.width, rows.height = 1, device.pointer(out), 48, 24, 3
    device.must(device.cu.cuMemcpy2DAsync_v2(rows, device.cu_ffi.NULL))
    expected = np.full((4, 6), -1.0)
    expected[:3, :3] = a[1:, 1:4]
    np.testing.assert_array_equal(out, expected)
    assert device.counters()["download_bytes"] == 72
    rows.height = 4
    assert device.cu.cuMemcpy2DAsync_v2(rows, device.cu_ffi.NULL) == INVALID_VALUE


# --- failures that are asked for ------------------------------------------------------------------------------------------


def test_the_kth_call_of_a_kind_fails(device: Fake, module: Any) -> None:
    at = device.up(np.ones(8))
    out = device.cu_ffi.new("uint64_t*")
    with device.failing(names.ALLOCATION, 2):
        assert [device.cu.cuMemAlloc_v2(out, 8) for _ in range(3)] == [SUCCESS, OUT_OF_MEMORY, SUCCESS]
    with device.failing(names.LAUNCH, 1, LAUNCH_FAILED):
        device.must(device.cu.cuMemAlloc_v2(out, 8))
        assert device.launch(module, "twice", (1,), (64,), at, 8) == LAUNCH_FAILED
    with device.failing(names.COPY, 1, LAUNCH_FAILED):
        assert device.cu.cuMemcpyDtoDAsync_v2(at, at, 8, device.cu_ffi.NULL) == LAUNCH_FAILED
    with device.failing(names.WAIT, 1, LAUNCH_FAILED):
        assert [device.wait(), device.wait()] == [LAUNCH_FAILED, SUCCESS]
    with device.failing(names.ANY, 1):
        assert device.cu.cuMemFree_v2(at) == OUT_OF_MEMORY
    assert device.library.sol_fake_failed() == 5 and not device.faults()
    with device.failing(names.ANY, 1000):
        device.must(device.cu.cuMemFree_v2(at))
    assert device.library.sol_fake_failed() == 5  # a plan that never came true


# --- contexts, modules, processes -----------------------------------------------------------------------------------------


def test_each_thread_needs_the_context(device: Fake) -> None:
    found = []

    def other() -> None:
        found.append(device.wait())
        context = device.cu_ffi.new("void**")
        device.cu.cuDevicePrimaryCtxRetain(context, 0)
        device.cu.cuCtxPushCurrent_v2(context[0])
        found.append(device.wait())
        device.cu.cuCtxPopCurrent_v2(context)
        found.append(device.wait())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found == [201, SUCCESS, 201]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_cannot_go_on() -> None:
    code = "import os\nfrom tests.device.fake import fake\nwith fake().alone() as f:\n    if not os.fork():\n        os._exit(f.wait())\n    print(os.waitstatus_to_exitcode(os.wait()[1]))"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "3\n", done.stderr


def test_images_that_are_none_are_refused(device: Fake) -> None:
    module = device.cu_ffi.new("void**")
    assert device.cu.cuModuleLoadData(module, device.cu_ffi.from_buffer(b"\x7fELF and more than sixteen bytes")) == 200


def test_kernels_have_names(device: Fake, module: Any) -> None:
    out = device.cu_ffi.new("void**")
    assert device.cu.cuModuleGetFunction(out, module, b"thrice") == 500
    device.must(device.cu.cuModuleGetFunction(out, module, b"twice"))
    value = device.cu_ffi.new("int*")
    device.must(device.cu.cuFuncGetAttribute(value, 0, out[0]))
    assert value[0] == 64


def test_the_device_says_that_it_is_emulated(device: Fake) -> None:
    value = device.cu_ffi.new("int*")
    for attribute in (75, 76):
        device.must(device.cu.cuDeviceGetAttribute(value, attribute, 0))
        assert value[0] == 0


def test_entry_points_are_found_by_name(device: Fake) -> None:
    ffi = device.cu_ffi
    place, status = ffi.new("void**"), ffi.new("int*")
    device.must(device.cu.cuGetProcAddress_v2(b"cuMemAlloc", place, 12000, 0, status))
    assert place[0] == ffi.cast("void*", ffi.addressof(device.cu, "cuMemAlloc_v2"))
    assert device.cu.cuGetProcAddress_v2(b"cuNothing", place, 12000, 0, status) != SUCCESS and status[0] == 1
