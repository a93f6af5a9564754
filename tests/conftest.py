"""Session set-up shared by all tests: a fresh cache folder, so that no test sees what an earlier run compiled.

`SOL_TEST_CACHE_DIR` names a folder to keep between runs (faster, but blind to changes of generated code's key).
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

import pytest

if "SOL_TEST_SESSION" not in os.environ:  # workers of pytest-xdist inherit the folder of their parent
    _kept = os.environ.get("SOL_TEST_CACHE_DIR")
    _folder = _kept or tempfile.mkdtemp(prefix="soljit-tests-")
    os.environ["SOL_TEST_SESSION"] = os.environ["SOL_CACHE_DIR"] = _folder
    if not _kept:
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden files (IR, C++) are written anew with `--update-golden`; look at the diff before committing them."""
    parser.addoption("--update-golden", action="store_true", default=False, help="write golden files anew")
