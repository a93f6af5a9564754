"""How many bytes a second the memory of this machine gives to all threads together: measured once, and kept on disk."""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable

import numpy as np

from soljit.base.processors import cores
from soljit.base.settings import current
from soljit.runtime.store.cache import Cache, open_cache
from soljit.runtime.system.caches import caches

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
    found = measured(threads)
    cache.keep(name, f"{found:.4g}")
    return found


def measured(threads: int) -> float:
    """What `bandwidth` tells, of so many threads, measured now."""
    count = max(_ARRAY, _CACHES * max((c.size for c in caches().values()), default=0)) // 8
    a, b = np.zeros(count), np.ones(count)
    a += 1  # all pages are there
    bounds = [k * count // threads for k in range(threads + 1)]

    def copy(k: int) -> None:
        np.copyto(a[bounds[k] : bounds[k + 1]], b[bounds[k] : bounds[k + 1]])

    return 2 * a.nbytes / min(together(copy, threads) for _ in range(_TIMES)) / 1e9


def together(work: Callable[[int], None], threads: int) -> float:
    """Seconds until `work(k)` is done on each of so many threads, k of them."""
    begin, ready = threading.Event(), threading.Barrier(threads + 1)

    def run(k: int) -> None:
        ready.wait()
        begin.wait()
        work(k)

    workers = [threading.Thread(target=run, args=(k,)) for k in range(threads)]
    for w in workers:
        w.start()
    ready.wait()
    start = time.perf_counter()
    begin.set()
    for w in workers:
        w.join()
    return time.perf_counter() - start
