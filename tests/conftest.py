"""Session set-up shared by all tests: a fresh cache folder, so that no test sees what an earlier run compiled.

`SOL_TEST_CACHE_DIR` names a folder to keep between runs (faster, but blind to changes of generated code's key).
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

if "SOL_TEST_SESSION" not in os.environ:  # workers of pytest-xdist inherit the folder of their parent
    _kept = os.environ.get("SOL_TEST_CACHE_DIR")
    _folder = _kept or tempfile.mkdtemp(prefix="soljit-tests-")
    os.environ["SOL_TEST_SESSION"] = os.environ["SOL_CACHE_DIR"] = _folder
    if not _kept:
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ.setdefault("SOL_COMPILE_LIMIT", "0")  # what is compiled must not depend on how busy the machine is
os.environ.setdefault("SOL_WAIT_SECONDS", "0")  # nor must it which calls are compiled code

from tests import cpu_times, effects, effort, kept_kernels, kept_programs, shares  # noqa: E402  (loads soljit, which reads its settings)

effects.install()
kept_kernels.install()
kept_programs.install()


@pytest.fixture(autouse=True)
def nothing_happens_by_compiling(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test fails if compiling did something to the world while it ran."""
    effects.taken()
    yield
    kept_programs.write(request.node.nodeid)
    assert not (found := effects.taken()), "\n".join(found)


@pytest.fixture(autouse=True)
def compiled_with_some_effort(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where speed is not tested, the C++ compiler need not work for it."""
    with effort.for_test(request.node.nodeid):
        yield


@pytest.fixture(autouse=True, scope="module")
def what_stays_is_not_searched_for_garbage() -> Iterator[None]:
    """Collections look at what the tests of a module made, not at all that is kept of those before, which takes seconds each time."""
    yield
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden files (IR, C++) are written anew with `--update-golden`; look at the diff before committing them."""
    parser.addoption("--update-golden", action="store_true", default=False, help="write golden files anew")
    shares.add_options(parser)
    cpu_times.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """What options ask for."""
    cpu_times.install(config)


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is known to fail stands in `known_failures.txt`, one test id a line: such tests may fail, and may begin to pass."""
    shares.mark_slow(config, items)
    shares.choose(config, items)
    known = Path(__file__).with_name("known_failures.txt")
    ids = {line.strip() for line in known.read_text().splitlines() if line.strip() and not line.startswith("#")}
    for item in items:
        if item.nodeid in ids:
            item.add_marker(pytest.mark.xfail(reason="listed in tests/known_failures.txt", strict=False))
