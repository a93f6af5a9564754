"""A filled cache to attack, and what a function that finds it does: believe it, or ask the compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import soljit as sol
from soljit.base.errors import ToolchainError
from soljit.runtime.store import cache, temporary

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
BELIEVED, ASKED = "believed", "asked the compiler"


def doubled(x: float) -> float:
    return x * 2.0


def tripled(x: float) -> float:
    return x * 3.0


def filled(folder: Path) -> Path:
    """A cache that holds compiled code of both functions."""
    with sol.settings(cache_dir=str(folder), cache=True, strict=True):
        for function in (doubled, tripled):
            call(function)
    return folder


def copy(warm: Path, to: Path) -> Path:
    shutil.copytree(warm, to)
    return to


def call(function: FunctionType, compile_variant: Callable[..., Any] | None = None) -> Any:
    """Call it as a new process would, which has nothing but the disk."""
    cache._open.cache_clear()
    temporary._mine.clear()  # of which another process has none
    f = sol.jit(function)
    if compile_variant is not None:
        f._entry.maker.compile_variant = compile_variant
    result = f(5.0)
    assert result == function(5.0) and type(result) is float
    return f._entry


def ask(folder: Path, function: FunctionType = doubled) -> str:
    """Is what the cache has for this function believed? Its result is right in either case, and nothing but the compiler fails."""

    def refuse(*args: object) -> None:
        raise ToolchainError("asked")

    with sol.settings(cache_dir=str(folder), cache=True, strict=False), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        entry = call(function, refuse)
    texts = [str(w.message) for w in seen]
    assert all(t.endswith("runs in plain Python: asked") for t in texts), texts
    assert len(texts) == 1 - len(entry.variants)
    return BELIEVED if entry.variants else ASKED


def files(folder: Path) -> list[Path]:
    """Those that a hit reads: records, libraries, digests of libraries."""
    return sorted(p for p in folder.rglob("*") if p.is_file() and (p.suffix == ".so" or "index" in p.parts))


def run(text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process with this cache."""
    script = folder.parent / f"{folder.name}.py"
    script.write_text(text)
    env = os.environ | {"SOL_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)} | environment
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=env, check=False, timeout=900
    )


PROGRAM = """
import warnings, soljit as sol
from soljit.runtime.store import cache
cache.sources_key = lambda: "fixed"  # so that the tests pass while somebody edits soljit

@sol.jit
def f(x):
    return x * 2.0

with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    result = f(5.0)
print(result, [r["origin"] for r in f.report()], *[str(w.message) for w in seen])
"""
