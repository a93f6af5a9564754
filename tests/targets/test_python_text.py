"""A target that only spells: `python_text.py`, as another package would bring it, passes the tests of the kernels.

So whatever makes a program right stands in the program, and none of it in an emitter.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import soljit as sol
from bench.benchmark import load, names
from bench.check import worst_error
from tests import oracle
from tests.kernels import test_algorithms, test_numerics
from tests.kernels.test_programs_of_kernels import ENDLESS, single

TOY = Path(__file__).with_name("python_text.py")
LONGEST = 400  # lines


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The toy as an installed package."""
    place = tmp_path_factory.mktemp("packages")
    shutil.copy(TOY, place / "python_text.py")
    about = place / "python_text-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: python_text\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[soljit.targets]\npython_text = python_text:TARGET\n")
    sys.path.insert(0, str(place))
    importlib.invalidate_caches()
    importlib.import_module("python_text")  # nothing is to happen while a function is compiled, not even this
    yield
    sys.path.remove(str(place))
    sys.modules.pop("python_text", None)


def test_it_decides_nothing() -> None:
    text = TOY.read_text()
    assert len(text.splitlines()) <= LONGEST
    tree = ast.parse(text)
    modules = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
    assert not [
        m
        for m in modules
        if m.startswith(("soljit.analysis", "soljit.ir.walk", "soljit.ir.walk.tree", "soljit.ir.walk.effects"))
    ]
    assert [m for m in modules if m.startswith("soljit.passes")] == ["soljit.passes.pipeline"]
    asked = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    assert not asked & {"schedule", "when", "private", "threads", "features"}


def plain_tests(module: ModuleType) -> list[str]:
    """The tests that take nothing."""
    found = {name: f for name, f in vars(module).items() if name.startswith("test_") and callable(f)}
    return [name for name, f in found.items() if not inspect.signature(f).parameters]


@pytest.mark.parametrize(
    ("module", "name"), [(m, name) for m in (test_numerics, test_algorithms) for name in plain_tests(m)]
)
def test_it_passes_the_tests_of_kernels(module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "TARGET", "python_text")
    monkeypatch.setattr(oracle, "_compiled", {})
    getattr(module, name)()


@pytest.mark.parametrize("name", [n for n in names() if n not in ENDLESS])
def test_it_runs_the_benchmark_kernels(name: str) -> None:
    benchmark = load(name, "tiny")
    wanted, given = benchmark.fresh(), benchmark.fresh()
    jitted = sol.jit(strict=True, target="python_text")(benchmark.function)
    with np.errstate(all="ignore"):
        expected = benchmark.outcome(wanted, benchmark.function(*wanted))
        got = benchmark.outcome(given, jitted(*given))
    assert jitted.report()[0]["origin"] in ("compiled", "cache")
    assert worst_error(expected, got) <= max(benchmark.tolerance, 1e-5 if single(wanted) else 0.0)
