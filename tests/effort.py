"""Most code of tests about behaviour is compiled with `-O0`: g++ takes less than half the time, and the results must have the same bits.

A share of these tests, drawn by their names and `SOL_TEST_SEED`, is compiled as users have it: an eighth, or what `SOL_TEST_FULL` says
(1: all). Kernels, programs of the harness, random programs and what starts a process of its own always are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from soljit.runtime.build import toolchain
from tests.shares import SEED, drawn

FOLDERS = ("tests/differential/", "tests/device/", "tests/runtime/test_profile.py")
FULL = float(os.environ.get("SOL_TEST_FULL", "0.125"))


@contextmanager
def for_test(nodeid: str) -> Iterator[None]:
    """The C++ compiler's effort while a test runs."""
    before = toolchain.COMMON
    if nodeid.startswith(FOLDERS) and drawn(nodeid, f"full {SEED}") >= FULL:
        toolchain.COMMON = tuple("-O0" if flag == "-O3" else flag for flag in before)
    try:
        yield
    finally:
        toolchain.COMMON = before
