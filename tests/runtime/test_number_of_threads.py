"""How many threads run a parallel kernel is asked when it runs, whatever it was when the kernel was compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from soljit.runtime.build.toolchain import toolchain
from tests.oracle import IDENTITY

ROOT = str(Path(__file__).resolve().parents[2])
pytestmark = pytest.mark.skipif(IDENTITY or toolchain().openmp is None, reason="the compiler has no OpenMP")
PROGRAM = """
import os, sys
import numpy as np
import soljit as sol

@sol.jit(strict=True)
def f(a):
    return (a * a).sum()

def threads():
    return len(os.listdir("/proc/self/task"))

a = np.arange(4000000.0)
before = threads()
counts = [(f(a), threads() - before) for n in map(int, sys.argv[1:]) if sol.set_num_threads(n) is None]
assert all(np.isclose(x, f.python(a)) for x, _ in counts)
print([n + 1 for _, n in counts], len(f.signatures), f.report()[0]["origin"])
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no list of threads")
def test_the_run_asks(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    common = os.environ | {"PYTHONPATH": ROOT, "SOL_CACHE_DIR": str(tmp_path / "cache"), "SOL_TARGET": ""}

    def run(*numbers: str, **environment: str) -> str:
        command = [sys.executable, str(script), *numbers]
        done = subprocess.run(command, env=common | environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("0", OMP_NUM_THREADS="1") == "[1] 1 compiled\n"
    assert run("1", "3", "6", SOL_NUM_THREADS="3") == "[1, 3, 6] 1 cache\n"
    assert run("1", "4", OMP_NUM_THREADS="1") == "[1, 4] 1 cache\n"
