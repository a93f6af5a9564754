"""Checks that the C++ compiler builds into generated code: addresses, undefined behaviour, races of threads.

They are for finding bugs of soljit (`python -m tests.sanitize`). The libraries of "address" and "thread" must be there
when the process starts; a process without them is refused, because loading such code would end it.

A race is what the checker sees no order for, and it sees nothing of what GCC's OpenMP does. With "thread",
`native/team.cpp`, which starts and joins a thread for each member of a team, takes the place of OpenMP.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

from soljit.base.errors import ToolchainError

TEAM = Path(__file__).resolve().parents[1] / "native" / "team.cpp"
_LIBRARIES = {"address": ("libasan.so", "__asan_init"), "thread": ("libtsan.so", "__tsan_init")}


def sanitizer_flags(compiler: str, clang: bool, sanitize: str, openmp: bool = False) -> tuple[str, ...]:
    """Flags for the checks `sanitize`, such as "address,undefined"; ToolchainError if this process cannot have them."""
    missing = [k for k in sanitize.split(",") if k in _LIBRARIES and not _in_this_process(_LIBRARIES[k][1])]
    if missing:
        libraries = preloaded(compiler, sanitize)
        raise ToolchainError(f"SOL_SANITIZE={sanitize} needs a process that starts with LD_PRELOAD={libraries}")
    if clang:
        raise ToolchainError(f"SOL_SANITIZE={sanitize} needs g++, not {compiler}")
    team = (str(TEAM), "-Wl,-Bsymbolic") if openmp and "thread" in sanitize else ()
    return (f"-fsanitize={sanitize}", "-fno-sanitize-recover=all", "-O1", "-g", "-fno-omit-frame-pointer", *team)


def preloaded(compiler: str, sanitize: str) -> str:
    """What LD_PRELOAD has to name for these checks: paths with colons between them."""
    paths = []
    for kind in sanitize.split(","):
        if kind in _LIBRARIES:
            command = [compiler, f"-print-file-name={_LIBRARIES[kind][0]}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            paths.append(os.path.realpath(done.stdout.strip()))
    return ":".join(paths)


def _in_this_process(symbol: str) -> bool:
    return hasattr(ctypes.CDLL(None), symbol)
