"""Nothing leaks: results, temporaries, exceptions, views and callbacks, over many calls in one process."""

from __future__ import annotations

import gc
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests import oracle

pytestmark = pytest.mark.skipif(oracle.IDENTITY, reason="needs the compiler")
MEGABYTE = 1 << 20


def resident() -> int:
    """Bytes of memory that this process occupies."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def grown(run: Any, calls: int) -> int:
    """By how much memory grows over that many calls, after some to warm up."""
    for _ in range(10):
        run()
    gc.collect()
    before = resident()
    for _ in range(calls):
        run()
    gc.collect()
    return resident() - before


def temporaries(a: np.ndarray) -> Any:
    b = a * 2
    c = b[::2] + 1
    d = b[b > 1]
    for _ in range(3):
        b, a = a + 1, b
    return c, d, b[1:], a


def fails_late(a: np.ndarray, i: int) -> Any:
    b = a * 2
    c = b[b > 0.5]
    if c[i] > 0:
        return b
    return c


def calls_back(a: np.ndarray) -> Any:
    return np.linalg.norm(a.reshape(-1, 8) @ np.ones((8, 8)), axis=1), np.sort(a)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_does_not_grow() -> None:
    a = np.linspace(0, 1, MEGABYTE // 8)
    f, g, h = oracle.compiled(temporaries), oracle.compiled(fails_late), oracle.compiled(calls_back)

    def failing() -> None:
        with pytest.raises(IndexError):
            g(a, 1 << 30)

    with sol.settings(device_cache=0):  # else copies stay on a device, up to a limit
        assert grown(lambda: f(a), 100) < 30 * MEGABYTE
        assert grown(failing, 100) < 30 * MEGABYTE
        assert grown(lambda: g(a, 5), 100) < 30 * MEGABYTE
        assert grown(lambda: h(a), 100) < 30 * MEGABYTE


def identity(a: np.ndarray, b: Any) -> Any:
    return a, a[1:], (b, [a])


def test_references_are_balanced() -> None:
    f = oracle.compiled(identity)
    a, b = np.arange(5.0), (1.0, np.arange(3.0))
    f(a, b)
    counts = sys.getrefcount(a), sys.getrefcount(b), sys.getrefcount(b[1]), sys.getrefcount(None)
    for _ in range(50):
        f(a, b)
    after = sys.getrefcount(a), sys.getrefcount(b), sys.getrefcount(b[1]), sys.getrefcount(None)
    assert after[:3] == counts[:3]
    assert abs(after[3] - counts[3]) < 40


def views(a: np.ndarray) -> Any:
    b = a + 1
    return b[2:], b[::2]


def test_a_view_keeps_its_memory_alive() -> None:
    f = oracle.compiled(views)
    x, y = f(np.arange(1000.0))
    del x
    gc.collect()
    trash = [np.full(1000, -1.0) for _ in range(50)]
    assert np.array_equal(y, np.arange(1000.0)[::2] + 1)
    del trash


def test_functions_can_be_collected() -> None:
    import soljit as sol

    def make() -> Any:
        def inner(a: np.ndarray) -> np.ndarray:
            return a + 1

        return inner

    python = make()
    f = sol.jit(python)
    f(np.arange(3.0))
    alive = weakref.ref(python)
    del f, python
    gc.collect()
    assert alive() is None


def test_results_own_their_memory() -> None:
    f = oracle.compiled(temporaries)
    c, d, b, a = f(np.arange(10.0))
    assert c.flags.owndata
    assert d.flags.owndata
    assert not b.flags.owndata
    c.resize(3, refcheck=False)
    assert c.tolist() == [1.0, 5.0, 9.0]
    assert isinstance(b.base, np.ndarray)


def shrinking(a: np.ndarray, steps: int) -> Any:
    """Large temporaries of other lengths in each turn, some of which leave as results."""
    kept = a[::2]
    for k in range(steps):
        b = a * 2.0
        a = b[b > 0.1 * k] + 1.0
        kept = a[: kept.size // 2] - 0.5
    return a, kept


def test_memory_that_is_used_again_is_nobodys_result() -> None:
    f = oracle.compiled(shrinking)
    inputs = [np.random.default_rng(k).random(40_000 + 7_000 * k) for k in range(6)]
    results = [f(x, 6) for x in inputs]
    for x, got in zip(inputs, results):
        for g, w in zip(got, shrinking(x, 6)):
            assert np.array_equal(g, w)


def test_threads_share_the_memory_that_temporaries_leave() -> None:
    f = oracle.compiled(shrinking)
    inputs = [np.random.default_rng(k).random(60_000) for k in range(8)]
    want = [shrinking(x, 6) for x in inputs]
    f(inputs[0], 6)
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            for got, w in zip(pool.map(lambda x: f(x, 6), inputs), want):
                assert all(np.array_equal(p, q) for p, q in zip(got, w))
