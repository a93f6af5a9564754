"""Blocks of memory that are used again. The emulated device does not do that by itself, since it watches each block from its allocation to its end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.device.sessions import Session, live

KIB, MIB = 1 << 10, 1 << 20


@pytest.fixture
def reuse(gpu: Device, fake: Controls) -> Iterator[Controls]:
    """Blocks are used again."""
    assert gpu.layer.lib.sol_gpu_reuse(gpu.gpu, 1) == 0
    yield fake
    assert gpu.layer.lib.sol_gpu_reuse(gpu.gpu, 0) == 0
    assert live(fake) == 0


def take(s: Session, size: int) -> int:
    return int(s.table.take(s.at, size))


def test_a_block_is_used_again_without_the_driver(gpu: Device, reuse: Controls) -> None:
    with Session(gpu) as s:
        first = take(s, 100 * MIB)
        s.table.give(s.at, first)
        asked = reuse.counters()["calls"]
        for _ in range(10):
            assert take(s, 100 * MIB) == first
            s.table.give(s.at, first)
        assert reuse.counters()["calls"] == asked and reuse.counters()["allocations"] == 1
    counts = sol.device.stats()
    assert (counts["allocations"], counts["frees"], counts["syncs"]) == (11, 11, 0)
    assert counts["allocated_bytes"] == 11 * 100 * MIB


def test_a_block_in_use_is_not_given_out(gpu: Device, reuse: Controls) -> None:
    with Session(gpu) as s:
        places = [take(s, size) for size in (1, 512, 513, 4096, MIB, MIB) for _ in range(3)]
        assert len(set(places)) == len(places)
        for at in places:
            s.table.give(s.at, at)
        again = [take(s, size) for size in (1, 512, 513, 4096, MIB, MIB) for _ in range(3)]
        assert sorted(again) == sorted(places)
        for at in again:
            s.table.give(s.at, at)


@pytest.mark.parametrize(
    ("kept", "wanted", "fits"),
    [(512, 1, True), (1024, 512, False), (9 * KIB, 8 * KIB, True), (10 * KIB, 8 * KIB, False), (36 * MIB, 32 * MIB, True),
     (38 * MIB, 32 * MIB, False), (32 * MIB, 32 * MIB + 1, False), (32 * MIB, 30 * MIB + 1, True)],
)  # fmt: skip
def test_little_of_a_block_is_wasted(gpu: Device, reuse: Controls, kept: int, wanted: int, fits: bool) -> None:
    with Session(gpu) as s:
        first = take(s, kept)
        s.table.give(s.at, first)
        second = take(s, wanted)
        assert (second == first) == fits
        s.table.give(s.at, second)


def test_the_newest_of_equal_blocks_comes_first(gpu: Device, reuse: Controls) -> None:
    with Session(gpu) as s:
        places = [take(s, MIB) for _ in range(3)]
        for at in places:
            s.table.give(s.at, at)
        assert [take(s, MIB) for _ in range(3)] == places[::-1]
        for at in places:
            s.table.give(s.at, at)


def test_memory_that_is_free_is_not_in_use(gpu: Device, reuse: Controls) -> None:
    with sol.device.trace(), sol.settings(device="emulated"):
        before = sol.device.memory()
        with Session(gpu) as s:
            at = take(s, 1000)
            assert sol.device.memory().used == before.used + 1000
            s.table.give(s.at, at)
        assert sol.device.memory().used == before.used and live(reuse) == 1
        sol.device.empty_cache()
        assert live(reuse) == 0


def test_free_blocks_go_before_memory_is_missing(gpu: Device, reuse: Controls) -> None:
    reuse.library.sol_fake_memory(reuse.counters()["live_bytes"] + 10 * MIB)
    try:
        with Session(gpu) as s:
            for size in (MIB, 2 * MIB, 4 * MIB):
                s.table.give(s.at, take(s, size))
            assert live(reuse) == 3
            at = take(s, 8 * MIB)
            assert at and live(reuse) == 1
            s.table.give(s.at, at)
            assert take(s, 11 * MIB) == 0 and "out of memory" in s.failure()
    finally:
        reuse.library.sol_fake_memory(2 << 30)
    assert sol.device.stats()["evictions"] == 0


def test_half_of_the_memory_is_kept_at_most(gpu: Device, reuse: Controls) -> None:
    with Session(gpu) as s:
        places = [take(s, 400 * MIB) for _ in range(4)]
        for at in places:
            s.table.give(s.at, at)
        assert live(reuse) == 2  # of 2 GiB
        assert [take(s, 400 * MIB) for _ in range(2)] == places[:1:-1]
        for at in places[2:]:
            s.table.give(s.at, at)


def test_a_failure_leaves_blocks_as_they_were(gpu: Device, reuse: Controls) -> None:
    with Session(gpu) as s:
        at = take(s, MIB)
        s.table.give(s.at, at)
        reuse.library.sol_fake_fail(1, 1, 801)
        assert take(s, 3 * MIB) == 0 and take(s, MIB) == at
        s.table.give(s.at, at)


def relax(u: Any, v: Any, steps: int) -> Any:
    for _ in range(steps):
        w = u * 2.0 + v
        v = np.sqrt(np.abs(w[::-1])) + u.mean()
        u = w * 0.25
    return u, v, w.sum(axis=0)


@pytest.mark.parametrize("results", ["host", "device"])
def test_programs_compute_the_same(gpu: Device, reuse: Controls, results: str) -> None:
    f = sol.jit(device="emulated", offload="always", results=results)(relax)
    rng = np.random.default_rng(1)
    kept = []
    for n in (10, 1000, 1001, 9, 1000, 20000):
        u, v = rng.random(n), rng.random(n)
        kept.append((f(u, v, 3), relax(u, v, 3)))
        kept = kept[-3:]
        for got, want in kept:
            for a, b in zip(got, want, strict=True):
                np.testing.assert_allclose(np.asarray(a), b, rtol=1e-13)
    assert sol.device.stats()["allocations"] > reuse.counters()["allocations"]
    del kept, got, a
    sol.device.empty_cache()


def test_threads_have_blocks_of_their_own(gpu: Device, reuse: Controls) -> None:
    def work(number: int) -> None:
        for _ in range(50):
            with Session(gpu) as s:
                at = take(s, 4096)
                assert s.put(at, bytes([number]) * 4096) == 0
                good.append(s.get(at, 4096) == bytes([number]) * 4096)
                s.table.give(s.at, at)

    good: list[bool] = []
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert good == [True] * 200
