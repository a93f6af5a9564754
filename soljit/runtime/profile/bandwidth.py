"""How many bytes a second the memory of this machine gives to all threads together: measured once, and kept on disk."""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time

import numpy as np

from soljit.base.processors import cores
from soljit.base.settings import current
from soljit.runtime.store.cache import Cache, open_cache

_ARRAY = 1 << 27  # bytes of each of two arrays, at least; and as many as
_CACHES = 2  # times the last cache
_TIMES = 4


def bandwidth() -> float:
    """In 10^9 bytes a second, read and written: that of copying arrays that are larger than all caches, on all cores."""
    return _bandwidth(open_cache(current()), cores())


@functools.lru_cache(maxsize=4)
def _bandwidth(cache: Cache, threads: int) -> float:
    name = f"bandwidth-{threads}.txt"
    with contextlib.suppress(ValueError):
        return float(cache.text(name))
    found = _measured(threads)
    cache.keep(name, f"{found:.4g}")
    return found


def _measured(threads: int) -> float:
    count = max(_ARRAY, _CACHES * _last_cache()) // 8
    a, b = np.zeros(count), np.ones(count)
    a += 1  # all pages are there
    return 2 * a.nbytes / min(_seconds(a, b, threads) for _ in range(_TIMES)) / 1e9


def _seconds(a: np.ndarray, b: np.ndarray, threads: int) -> float:
    """Of one copy, in as many pieces as threads."""
    bounds = [k * len(a) // threads for k in range(threads + 1)]
    begin, ready = threading.Event(), threading.Barrier(threads + 1)

    def work(k: int) -> None:
        ready.wait()
        begin.wait()
        np.copyto(a[bounds[k] : bounds[k + 1]], b[bounds[k] : bounds[k + 1]])

    workers = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for w in workers:
        w.start()
    ready.wait()
    start = time.perf_counter()
    begin.set()
    for w in workers:
        w.join()
    return time.perf_counter() - start


def _last_cache() -> int:
    """Bytes of the third level, 0 if the system does not say."""
    with contextlib.suppress(ValueError, OSError, AttributeError):
        return max(0, os.sysconf("SC_LEVEL3_CACHE_SIZE"))
    return 0
