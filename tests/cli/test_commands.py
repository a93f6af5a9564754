"""The commands of `python -m soljit`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np, soljit
@soljit.jit(strict=True)
def halves(a):
    return a / 2
halves(np.ones(3))
"""


def command(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m soljit` with other environment variables."""
    line = [sys.executable, "-m", "soljit", *words]
    return subprocess.run(line, capture_output=True, text=True, env=os.environ | environment)


def test_info_names_what_matters() -> None:
    done = command("info")
    assert done.returncode == 0, done.stderr
    for word in ("soljit", "Python", "NumPy", "processor", "threads", "machine", "compiler", "cache"):
        assert word in done.stdout


def test_info_tells_that_there_is_no_compiler() -> None:
    done = command("info", SOL_CXX="no-such-compiler")
    assert done.returncode == 1
    assert "NONE" in done.stdout
    assert "no-such-compiler" in done.stdout


def test_cache_is_listed_and_cleared(tmp_path: Path) -> None:
    folder = str(tmp_path / "cache")
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    subprocess.run([sys.executable, str(script)], check=True, env=os.environ | {"SOL_CACHE_DIR": folder})
    listed = command("cache", SOL_CACHE_DIR=folder, COLUMNS="200")
    assert "halves(float64[:])" in listed.stdout
    assert "1 variants" in listed.stdout
    assert command("cache", "clear", SOL_CACHE_DIR=folder).returncode == 0
    assert "0 variants" in command("cache", "list", SOL_CACHE_DIR=folder).stdout


def test_unknown_command_is_refused() -> None:
    assert command("nonsense").returncode == 2
