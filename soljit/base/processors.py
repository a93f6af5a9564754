"""How many cores this process may keep busy: those that it may run on, as far as its control groups (Linux) grant time on them."""

from __future__ import annotations

import functools
import math
import os
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")


def affine() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cores() -> int:
    """Cores that this process may keep busy, at least one."""
    return min(affine(), granted(_ROOT, Path("/proc/self/cgroup")))


def default_threads() -> int:
    """Threads of parallel kernels where the program sets none."""
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    return int(given) if given.isdigit() and int(given) else cores()


@functools.lru_cache(maxsize=1)
def granted(root: Path, membership: Path) -> int:
    """The least number of cores that the control groups of this process grant, rounded up; a large one without limits.

    root:       where the file system of control groups is mounted
    membership: the file that names the groups of the process
    """
    least = math.inf
    for line in _words(membership, "\n"):
        _, _, place = line.partition(":")
        kinds, _, path = place.partition(":")
        top = root / "cpu" if "cpu" in kinds.split(",") else root
        if kinds and top is root:
            continue  # another controller of version 1
        group = top / path.lstrip("/")
        while group != top.parent:
            least = min(least, _quota(group))
            group = group.parent
    return max(1, math.ceil(least)) if math.isfinite(least) else 2**31 - 1


def _quota(group: Path) -> float:
    """Cores that one group grants."""
    words = _words(group / "cpu.max") or [
        *_words(group / "cpu.cfs_quota_us"),
        *_words(group / "cpu.cfs_period_us"),
    ]
    if len(words) != 2 or not all(w.isdigit() and int(w) for w in words):
        return math.inf  # "max", -1, or no file
    return int(words[0]) / int(words[1])


def _words(file: Path, by: str | None = None) -> list[str]:
    try:
        return file.read_text().strip().split(by)
    except OSError:
        return []
