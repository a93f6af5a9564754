"""Most code of tests about behaviour is compiled with `-O0`: g++ takes less than half the time, and the results must have the same bits.

It is linked by gold, if the compiler can use it: ld takes longer to read the symbols of libstdc++ than g++ takes for many a program.

A share of these tests, drawn by their names and `SOL_TEST_SEED`, is compiled as users have it: an eighth, or what `SOL_TEST_FULL` says
(1: all). Kernels, programs of the harness, random programs and what starts a process of its own always are.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from soljit.runtime.build import toolchain
from tests.shares import drawn

FOLDERS = ("tests/differential/", "tests/device/")
FULL = float(os.environ.get("SOL_TEST_FULL", "0.125"))
SEED = os.environ.get("SOL_TEST_SEED", "1")
GOLD = "-fuse-ld=gold"


@functools.cache
def linker() -> tuple[str, ...]:
    """The flag for gold, if the C++ compiler links by it here: a compiler outside of the system's folders may have libraries that gold does not find."""
    if shutil.which("ld.gold") is None:
        return ()
    path = toolchain.toolchain().path
    with tempfile.TemporaryDirectory(prefix="soljit-gold-") as folder:
        source = os.path.join(folder, "a.cpp")
        with open(source, "w") as file:
            file.write("#include <new>\nint* one() { return new int(1); }\n")
        command = [path, "-shared", "-fPIC", GOLD, source, "-o", os.path.join(folder, "a.so")]
        return (GOLD,) if subprocess.run(command, capture_output=True).returncode == 0 else ()


@contextmanager
def for_test(nodeid: str) -> Iterator[None]:
    """The C++ compiler's effort while a test runs."""
    before = toolchain.COMMON
    if nodeid.startswith(FOLDERS) and drawn(nodeid, f"full {SEED}") >= FULL:
        toolchain.COMMON = (*("-O0" if flag == "-O3" else flag for flag in before), *linker())
    try:
        yield
    finally:
        toolchain.COMMON = before
