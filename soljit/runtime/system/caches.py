"""The caches of the processor as the system tells them, and the record of the machine that follows from them.

Linux has files about each core, macOS numbers by name; elsewhere, and where a container or a virtual machine hides or makes up the answer, sizes are those of `MachineModel`, or
the nearest ones that exist. Asking takes less than a millisecond, once a process, and never fails.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace

from soljit.base.machine import MachineModel
from soljit.base.records import dataclass

_FOLDER = "/sys/devices/system/cpu"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_MOST_FILES = 8  # caches of a core


@dataclass(frozen=True, slots=True)
class CacheLevel:
    """One cache for data: bytes of it and of its lines, and how many logical processors use it together."""

    size: int
    line: int
    processors: int


def caches(folder: str = f"{_FOLDER}/cpu0") -> dict[int, CacheLevel]:
    """The caches of one core by their level; none if the system does not say."""
    return _from_names(_sysctl) if sys.platform == "darwin" else _from_files(folder)


@functools.lru_cache(maxsize=1)
def machine() -> MachineModel:
    """The record of this machine."""
    if sys.platform == "darwin":
        return model_of(caches())
    last = (os.cpu_count() or 1) - 1  # where cores differ, the first and the last one do
    first = _from_files(f"{_FOLDER}/cpu0")
    return model_of(first, _from_files(f"{_FOLDER}/cpu{last}") if last else first)


def model_of(*cores: Mapping[int, CacheLevel]) -> MachineModel:
    """The record of a machine whose cores have these caches: the smallest of each level counts.

    Sizes are rounded down to powers of two, so that code kept on disk serves machines that hardly differ. The upper bounds are there since virtual machines often tell of
    caches that no processor has, or of a shared one without those who share it: no core has more than 2 MiB for itself, and 4 MiB of a shared cache are seldom taken by others.
    """
    usual = MachineModel()
    found = [x for x in cores if x]
    if not found:
        return usual

    def least(level: int, low: int, high: int, default: int) -> int:
        known = [_share(core, level) for core in found if level in core]
        return max(low, min(high, min(known))) if known else default

    l1 = least(1, 1 << 14, 1 << 17, usual.l1)
    l2 = max(l1, least(2, 1 << 17, 1 << 21, usual.l2))
    l3 = max(l2, least(3, 1 << 18, 1 << 22, l2 if all(2 in core for core in found) else usual.l3))
    lines = [c.line for core in found for c in core.values() if c.line in (32, 64, 128, 256)]
    return replace(usual, l1=l1, l2=l2, l3=l3, line=min(lines, default=usual.line))


def _share(core: Mapping[int, CacheLevel], level: int) -> int:
    """A core's part of its cache of that level; logical processors that use its first cache together are one core."""
    threads = core[1].processors if 1 in core else 1
    part = core[level].size // max(1, core[level].processors // max(1, threads))
    return 1 << max(0, part.bit_length() - 1)


# --- Linux ------------------------------------------------------------------------------------------------------------


def _from_files(folder: str) -> dict[int, CacheLevel]:
    found: dict[int, CacheLevel] = {}
    for k in range(_MOST_FILES):
        place = f"{folder}/cache/index{k}"
        kind = _text(f"{place}/type")
        if not kind:
            break
        level, size = _number(_text(f"{place}/level")), _number(_text(f"{place}/size"))
        if kind != "Instruction" and level and size:
            line, shared = _number(_text(f"{place}/coherency_line_size")), _text(f"{place}/shared_cpu_list")
            found[level] = CacheLevel(size, line, max(1, _counted(shared)))
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="ascii") as f:
            return f.read(4096).strip()
    except (OSError, ValueError):
        return ""


def _number(text: str) -> int:
    """A number with its unit; 0 for anything else."""
    digits = text[:-1] if text[-1:] in _UNITS else text
    return int(digits) * _UNITS.get(text[-1:], 1) if digits.isdecimal() and len(digits) < 16 else 0


def _counted(text: str) -> int:
    """How many numbers a list such as `0-3,8-11` has."""
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        count += max(0, _number(last or first) - _number(first) + 1) if first.isdecimal() else 0
    return count


# --- macOS ------------------------------------------------------------------------------------------------------------


def _from_names(ask: Callable[[str], int]) -> dict[int, CacheLevel]:
    """ask: gives the number of a name, 0 if there is none. Of the fast cores, on which work with threads runs first."""
    line = ask("hw.cachelinesize")
    found = {
        1: CacheLevel(ask("hw.perflevel0.l1dcachesize") or ask("hw.l1dcachesize"), line, 1),
        2: CacheLevel(ask("hw.perflevel0.l2cachesize") or ask("hw.l2cachesize"), line, ask("hw.perflevel0.cpusperl2")),
        3: CacheLevel(ask("hw.l3cachesize"), line, ask("hw.physicalcpu")),
    }
    return {level: replace(c, processors=max(1, c.processors)) for level, c in found.items() if c.size > 0}


def _sysctl(name: str) -> int:
    import ctypes

    try:
        ask = ctypes.CDLL(None).sysctlbyname
        value, size = ctypes.c_uint64(0), ctypes.c_size_t(8)
        failed = ask(name.encode(), ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0))
    except (AttributeError, OSError):
        return 0
    return 0 if failed else value.value
