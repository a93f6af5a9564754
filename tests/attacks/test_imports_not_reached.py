"""Import statements: a module is imported when the function comes to the statement, not while it is compiled or looked up in the cache."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

MODULES = {
    "marking.py": "import pathlib\npathlib.Path('marked').touch()\nVALUE = 3.0\n\ndef double(x):\n    return x * 2\n",
    "parcel/__init__.py": "import pathlib\npathlib.Path('marked').touch()\n",
    "parcel/inner.py": "def triple(x):\n    return x * 3\n",
    "statistics.py": "import pathlib\npathlib.Path('marked').touch()\n",
}

FUNCTIONS = """
import numpy as np
import soljit as sol
from pathlib import Path

def marked():
    return Path("marked").exists()

def whole(a, n):
    if n > 100:
        import marking
        return marking.double(a) + marking.VALUE
    return a + n

def named(a, n):
    if n > 100:
        from marking import double as twice, VALUE
        return twice(a) + VALUE
    return a + n

def dotted(a, n):
    if n > 100:
        import parcel.inner as inside
        import parcel.inner
        return inside.triple(a) + parcel.inner.triple(a)
    return a + n

def part(a, n):
    if n > 100:
        from parcel import inner
        return inner.triple(a)
    return a + n

def shadowing(a, n):
    if n > 100:
        import statistics
        return a
    return a + n

def helper(a):
    import marking
    return marking.double(a)

def in_a_helper(a, n):
    return helper(a) if n > 100 else a + n

def guarded(a, n):
    if n > 100:
        try:
            import there_is_no_such_module
        except ImportError as e:
            return str(e)
    return a + n

def no_such_name(a, n):
    if n > 100:
        try:
            from marking import nothing
        except ImportError as e:
            return type(e).__name__
    return a + n

def first_of_all(a, n):
    "The first statement."
    import marking
    return marking.double(a) + n
"""


def run(folder: Path, code: str, target: str) -> str:
    """What a program prints."""
    for name, text in MODULES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "functions.py").write_text(FUNCTIONS)
    (folder / "main.py").write_text(f"from functions import *\n{textwrap.dedent(code)}")
    (folder / "marked").unlink(missing_ok=True)
    env = os.environ | {"SOL_TARGET": target, "SOL_STRICT": "1", "SOL_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, "main.py"], cwd=folder, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout


NAMES = ["whole", "named", "dotted", "part", "shadowing", "in_a_helper", "guarded", "no_such_name"]


def test_modules_are_imported_when_the_statement_is_reached(tmp_path: Path) -> None:
    code = f"""
    for name in {NAMES}:
        f = sol.jit(globals()[name])
        f(np.ones(2), 1)
        assert not marked(), name
    print("quiet")
    """
    for _ in range(2):  # the second process finds the variants in the cache
        assert run(tmp_path, code, "null") == "quiet\n"


@pytest.mark.parametrize("name", [*NAMES, "first_of_all"])
def test_what_is_imported_is_right(tmp_path: Path, name: str) -> None:
    code = f"""
    f = sol.jit({name})
    for n in (101, 1, 102, 103):
        a = np.arange(3.0) + n
        got, want = f(a.copy(), n), {name}(a.copy(), n)
        assert type(got) is type(want) and np.all(got == want), (n, got, want)
    print("right")
    """
    assert run(tmp_path, code, "null") == "right\n"


def test_loaded_modules_are_compiled_along(tmp_path: Path) -> None:
    code = """
    f = sol.jit(whole)
    for n in (101, 102):
        f(np.arange(3.0), n)
    print("callback" in f.ir().rpartition("def whole")[2])
    """
    found: Any = run(tmp_path, code, "null")
    assert found == "False\n"
