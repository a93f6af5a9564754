"""The layer above the driver, through the interface that generated code uses, on the fake driver."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.device import sessions
from tests.device.sessions import Session, live, made_image

ALLOCATION, LAUNCH, COPY, WAIT, MODULE = 1, 2, 3, 4, 5  # kinds of failures that the fake driver can be asked for
SMALL, RING = 1 << 16, 1 << 20  # as in transfers.h


# --- places ---------------------------------------------------------------------------------------------------------------


def test_spans_that_overlap_share_memory(gpu: Device, fake: Controls) -> None:
    x, other = np.zeros(1000), np.zeros(8)
    with Session(gpu) as s:
        whole, odd, end, apart, empty = s.mirrors(x[:500], x[1:300:2], x[499:], other, x[10:10])
        assert (odd - whole, end - whole) == (8, 499 * 8)
        assert not whole <= apart < whole + x.nbytes and empty == 0
        assert live(fake) == 2
    assert live(fake) == 0


def test_spans_that_only_touch_do_not_share(gpu: Device, fake: Controls) -> None:
    x = np.zeros(64)
    with Session(gpu) as s:
        s.mirrors(x[:32], x[32:])
        assert live(fake) == 2


def test_spans_overlap_through_others(gpu: Device, fake: Controls) -> None:
    x = np.zeros(64)
    with Session(gpu) as s:
        places = s.mirrors(x[:20], x[40:], x[10:50])
        assert [p - places[0] for p in places] == [0, 320, 80] and live(fake) == 1


def test_places_are_aligned_as_on_the_host(gpu: Device, fake: Controls) -> None:
    block = np.zeros(4096, np.uint8)
    for shift in range(20):
        with Session(gpu) as s:
            (at,) = s.mirrors(block[shift : shift + 100])
            assert (at - block[shift:].ctypes.data) % 16 == 0


# --- transfers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 100, SMALL, SMALL + 1, 3 * RING + 5])
def test_arrays_arrive_and_leave(gpu: Device, fake: Controls, size: int) -> None:
    x = np.arange(size).astype(np.uint8)
    with Session(gpu) as s:
        s.mirrors(x)
        assert s.arrive(0) == 0
        want = x.copy()
        x[:] = 0
        assert s.leave(0) == 0
    assert np.array_equal(x, want)
    counts = sol.device.stats()
    assert (counts["h2d_calls"], counts["h2d_bytes"]) == (1, size) == (counts["d2h_calls"], counts["d2h_bytes"])


def check_leave(gpu: Device, block: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> None:
    """Elements of `x`, a view of `block`, come from the device, and no other byte of `block` changes."""
    block[:] = 7
    with Session(gpu) as s:
        s.mirrors(block, x)
        assert s.arrive(0) == 0  # both lie in one place
        block[:] = 1
        want = block.copy()
        np.ndarray(x.shape, x.dtype, want, x.ctypes.data - block.ctypes.data, x.strides)[...] = 0x0707
        assert s.leave(1) == 0
    assert np.array_equal(block, want)


def layouts() -> dict[str, Any]:
    wide = lambda b: b[: 1 << 20].view(np.uint16).reshape(512, 1024)  # noqa: E731
    return {
        "every second": lambda b: b.view(np.uint16)[::2],
        "backwards": lambda b: b.view(np.uint16)[100:10:-3],
        "a column": lambda b: wide(b)[:, 3:4],
        "columns far apart": lambda b: wide(b)[::2, ::512],
        "some of each row": lambda b: wide(b)[:, 5:900],
        "some of each row, in the order of columns": lambda b: wide(b)[3:500, 5:900].T,
        "three axes": lambda b: wide(b).reshape(32, 16, 1024)[::-2, 1:15, ::-3],
        "long rows": lambda b: b.view(np.uint16).reshape(8, -1)[:, 1:-1],
        "very long rows": lambda b: b.view(np.uint16).reshape(3, -1)[::2, 1:],
        "a broadcast": lambda b: np.lib.stride_tricks.as_strided(b.view(np.uint16), (5, 4), (0, 4)),
        "windows": lambda b: np.lib.stride_tricks.as_strided(b.view(np.uint16), (9, 4), (4, 2)),
        "windows that miss some": lambda b: np.lib.stride_tricks.as_strided(b.view(np.uint16), (3, 2), (20, 4)),
        "many axes": lambda b: b.view(np.uint16)[: 3 * 2**10].reshape(*[2] * 10, 3)[..., ::-2].transpose(),
        "one element": lambda b: b.view(np.uint16)[17:18].reshape(()),
        "nothing": lambda b: b.view(np.uint16)[:0],
        "no rows": lambda b: wide(b)[5:5, ::2],
    }


@pytest.mark.parametrize("layout", layouts().values(), ids=layouts().keys())
def test_only_elements_leave(gpu: Device, fake: Controls, layout: Any) -> None:
    block = np.zeros(3 << 20, np.uint8)
    check_leave(gpu, block, layout(block))


@how(max_examples=60, deadline=None)
@given(st.data())
def test_elements_leave_in_any_layout(data: st.DataObject) -> None:
    block = np.zeros(1 << 17, np.uint8)
    x, dims = block.view(np.uint16), data.draw(st.integers(0, 4))
    shape = data.draw(st.lists(st.integers(1, 6), min_size=dims, max_size=dims))
    strides = data.draw(st.lists(st.integers(-1000, 1000).map(lambda k: 2 * k), min_size=dims, max_size=dims))
    check_leave(sessions.device(), block, np.lib.stride_tricks.as_strided(x[x.size // 2 :], shape, strides))


def test_bytes_that_were_moved_are_counted(gpu: Device, fake: Controls) -> None:
    x = np.zeros((64, 4096))
    for view, moved in [(x[:, 7], 64 * 8), (x[0, ::2], (4096 - 1) * 8), (x[:, :16], 64 * 16 * 8)]:
        sol.device.stats(reset=True)
        with Session(gpu) as s:
            s.mirrors(x, view)
            assert s.arrive(0) == 0 and s.leave(1) == 0
        assert sol.device.stats()["d2h_bytes"] == moved == fake.counters()["download_bytes"]
        fake.library.sol_fake_reset()


def test_read_only_arrays_do_not_leave(gpu: Device, fake: Controls) -> None:
    x = np.arange(9.0)
    x.flags.writeable = False
    with Session(gpu) as s:
        s.mirrors(x)
        assert s.arrive(0) == 0 and s.leave(0) == 1
        assert "read-only" in s.failure()
    assert fake.counters()["downloads"] == 0


def test_pokes_and_fetches(gpu: Device, fake: Controls) -> None:
    with Session(gpu) as s:
        at = s.table.take(s.at, 4096)
        for k in range(600):  # more than pinned memory holds at once
            assert s.put(at, bytes([k % 251]) * 4096) == 0
            if k % 100 == 0:
                assert s.get(at + 5, 3) == bytes([k % 251]) * 3
        assert s.get(at, 4096) == bytes([599 % 251]) * 4096
        s.table.give(s.at, at)
    counts = sol.device.stats()
    assert (counts["poke_calls"], counts["poke_bytes"], counts["fetch_calls"]) == (600, 600 * 4096, 7)


def test_fills(gpu: Device, fake: Controls) -> None:
    with Session(gpu) as s:
        at = s.table.take(s.at, 100)
        assert s.table.fill(s.at, at, 100, 9) == 0 and s.table.fill(s.at, at + 10, 0, 1) == 0
        assert s.get(at, 100) == bytes([9]) * 100
        s.table.give(s.at, at)


# --- memory ---------------------------------------------------------------------------------------------------------------


def test_memory_is_given_back(gpu: Device, fake: Controls) -> None:
    with Session(gpu) as s:
        places = [s.table.take(s.at, n) for n in (0, 1, 1000)]
        assert all(places) and sol.device.stats()["allocations"] == 3
        for at in (*places, 0):
            s.table.give(s.at, at)
    assert live(fake) == 0


def test_no_memory_even_after_a_second_try(gpu: Device, fake: Controls) -> None:
    fake.library.sol_fake_memory(1 << 20)
    try:
        with Session(gpu) as s:
            assert s.table.take(s.at, 2 << 20) == 0
            assert s.failure() == "cuMemAllocAsync failed with CUDA_ERROR_OUT_OF_MEMORY: out of memory"
            assert s.mirrors(np.zeros(10), np.zeros(1 << 18)) == [-2]
            at = s.table.take(s.at, 1 << 10)
            assert at
            s.table.give(s.at, at)
    finally:
        fake.library.sol_fake_memory(2 << 30)


def test_a_second_try_finds_memory(gpu: Device, fake: Controls) -> None:
    fake.library.sol_fake_fail(ALLOCATION, 1, 2)
    with Session(gpu) as s:
        (at,) = s.mirrors(np.zeros(10))
        assert at > 0 and fake.library.sol_fake_failed() == 1
        assert sol.device.stats()["syncs"] == 1


# --- kernels --------------------------------------------------------------------------------------------------------------


def test_kernels_are_found_by_name_and_run(gpu: Device, fake: Controls, image: int) -> None:
    x = np.arange(1000.0)
    with Session(gpu, image, ["scale", "shift"]) as s:
        (at,) = s.mirrors(x)
        s.arrive(0)
        n = ("int64_t", 1000)
        assert s.launch(0, (4, 1, 1, 256, 1, 1), ("uint64_t", at), n, ("double", 3.0)) == 0
        assert s.launch(1, (4, 1, 1, 256, 1, 1), ("uint64_t", at), n, ("double", 0.5)) == 0
        assert s.launch(1, (0, 1, 1, 256, 1, 1), ("uint64_t", at), n, ("double", 0.5)) == 0
        s.leave(0)
    assert np.array_equal(x, np.arange(1000.0) * 3 + 0.5)
    counts = sol.device.stats()
    assert (counts["launches"], counts["sessions"], counts["syncs"]) == (2, 1, 1)


def test_another_library_may_name_the_same_kernels(gpu: Device, fake: Controls, image: int) -> None:
    x = np.ones(8)
    for names, want in [(["shift"], 3.0), (["scale"], 6.0), (["shift", "scale"], 8.0)]:
        with Session(gpu, image, names) as s:
            (at,) = s.mirrors(x)
            s.arrive(0)
            s.launch(0, (1, 1, 1, 32, 1, 1), ("uint64_t", at), ("int64_t", 8), ("double", 2.0))
            s.leave(0)
        assert x.tolist() == [want] * 8


def test_a_kernel_may_have_much_memory_of_its_block(gpu: Device, fake: Controls, image: int) -> None:
    with Session(gpu, image, ["scale"]) as s:
        (at,) = s.mirrors(np.ones(8))
        s.arrive(0)
        arguments = ("uint64_t", at), ("int64_t", 8), ("double", 2.0)
        for shared in (1 << 10, 100 << 10, 60 << 10):
            assert s.launch(0, (1, 1, 1, 32, 1, 1), *arguments, shared=shared) == 0
        assert s.launch(0, (1, 1, 1, 32, 1, 1), *arguments, shared=1 << 20) != 0
        assert s.table.wait(s.at) == 0
    fake.library.sol_fake_reset()  # it noted that this was too much


def test_kernels_that_are_not_there(gpu: Device, fake: Controls, image: int) -> None:
    s = Session(gpu, image, ["scale", "nothing"])
    assert (s.failed, bool(s.at)) == (500, False) and "cuModuleGetFunction" in s.failure()
    s = Session(gpu, 12345, ["scale"])
    assert (s.failed, bool(s.at)) == (209, False) and "kernels" in s.failure()
    gpu.provide(54321, b"no image at all, and long enough to be one")
    assert Session(gpu, 54321, ["scale"]).failed == 200
    with Session(gpu, image, ["scale"]):
        pass
    fake.library.sol_fake_reset()  # which names what it could not find


# --- failures -------------------------------------------------------------------------------------------------------------


def test_every_failing_call_says_so_and_the_next_one_works(gpu: Device, fake: Controls, image: int) -> None:
    big, small = np.zeros(1 << 15), np.zeros(9)
    arguments = ("uint64_t", 0), ("int64_t", 0), ("double", 2.0)
    with Session(gpu, image, ["scale"]) as s:
        s.mirrors(big, small, big[::2], small[::-1])
        steps = [
            (COPY, "cuMemcpyHtoD_v2", lambda: s.arrive(0)),
            (COPY, "cuMemcpyHtoDAsync_v2", lambda: s.arrive(1)),
            (COPY, "cuMemcpyDtoHAsync_v2", lambda: s.leave(0)),
            (COPY, "cuMemcpyDtoHAsync_v2", lambda: s.leave(2)),
            (WAIT, "cuStreamSynchronize", lambda: s.leave(3)),
            (COPY, "cuMemcpyHtoDAsync_v2", lambda: s.put(s.places[1], b"12345678")),
            (COPY, "cuMemcpyDtoHAsync_v2", lambda: s.table.fetch(s.at, s.ffi.new("char[8]"), s.places[1], 8)),
            (WAIT, "cuStreamSynchronize", lambda: s.table.fetch(s.at, s.ffi.new("char[8]"), s.places[1], 8)),
            (COPY, "cuMemsetD8Async", lambda: s.table.fill(s.at, s.places[0], 8, 0)),
            (LAUNCH, "cuLaunchKernel", lambda: s.launch(0, (1, 1, 1, 32, 1, 1), *arguments)),
        ]
        for kind, call, step in steps:
            fake.library.sol_fake_fail(kind, 1, 801)
            assert step() == 801, call
            assert s.failure() == f"{call} failed with CUDA_ERROR_NOT_SUPPORTED: operation not supported"
            assert step() == 0, call
        fake.library.sol_fake_fail(ALLOCATION, 1, 801)
        assert s.mirrors(big) == [-801] and s.mirrors(big)[0] > 0


def test_a_library_that_cannot_be_loaded(gpu: Device, fake: Controls, image: int) -> None:
    gpu.provide(777, made_image())
    fake.library.sol_fake_fail(MODULE, 1, 2)
    assert Session(gpu, 777, ["scale"]).failed == 2
    with Session(gpu, 777, ["scale"]):
        pass
    assert sol.device.stats()["images"] == 1


# --- threads --------------------------------------------------------------------------------------------------------------


def test_a_session_may_wait_for_a_thread_that_uses_the_device(gpu: Device, fake: Controls) -> None:
    """As Python code does that is called in the middle of a program, and starts threads."""
    x = np.arange(1000.0)

    def other() -> None:
        with Session(gpu) as s:
            s.mirrors(x[::2])
            s.arrive(0)
            x[::2] = 0
            s.leave(0)

    with Session(gpu) as s, Session(gpu):
        s.mirrors(np.zeros(9))
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(600)
        assert not thread.is_alive() and s.arrive(0) == 0
    assert np.array_equal(x, np.arange(1000.0))


def test_threads_take_turns(gpu: Device, fake: Controls, image: int) -> None:
    def work(number: int) -> None:
        x = np.full(3000, float(number))
        for _ in range(20):
            with Session(gpu, image, ["scale", "shift"]) as s:
                (at, _) = s.mirrors(x, x[::3])
                s.arrive(0)
                x[:] = -1
                for kernel, by in ((0, 2.0), (1, -float(number))):
                    s.launch(kernel, (12, 1, 1, 256, 1, 1), ("uint64_t", at), ("int64_t", 3000), ("double", by))
                s.leave(0)
        good.append(bool((x == number).all()))

    good: list[bool] = []
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert good == [True] * 4 and live(fake) == 0
