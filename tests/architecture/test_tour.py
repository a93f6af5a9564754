"""The guided tour of docs/architecture.md goes through the files that it names, in that order, and shows the program that comes out."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from soljit.frontend_ast.lower import lower_function
from soljit.ir.text.printer import to_text
from soljit.runtime.values import arguments
from tests.architecture.sources import PACKAGE, ROOT

TOUR = (ROOT / "docs" / "architecture.md").read_text().split("## A guided tour")[1].split("\n## ")[0]


def program(path: Path) -> ModuleType:
    """The function of the tour, in a module of its own."""
    path.write_text(re.findall(r"```python\n(.*?)```", TOUR, re.DOTALL)[0])
    spec = importlib.util.spec_from_file_location("tour", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tour_is_the_way_that_the_function_takes(tmp_path: Path) -> None:
    spread = program(tmp_path / "tour.py").spread
    described = arguments.describe([np.arange(8.0), 3.0], ["a", "k"])
    entered: list[str] = []

    def enter(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and PACKAGE in path.parents and frame.f_code.co_name[0] != "<":
            entered.append(path.relative_to(PACKAGE).as_posix())

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        lowered = lower_function(spread, described.types, described.leaves)
    finally:
        sys.setprofile(before)
    assert f"```\n{to_text(lowered.program).strip()}\n```" in TOUR
    stations = re.findall(r"^\| `(frontend_ast/.*?)` \|", TOUR, re.MULTILINE)
    way = iter(entered)
    assert len(stations) > 20 and not [s for s in stations if s not in way]  # each behind the one before it


def test_files_that_documents_name_exist() -> None:
    packages = "|".join(p.name for p in PACKAGE.iterdir() if p.is_dir())
    for path in sorted((ROOT / "docs").glob("*.md")):
        for name in re.findall(rf"`((?:{packages})/[\w/]+\.py)`", path.read_text()):
            assert (PACKAGE / name).exists() or (ROOT / "tests" / name).exists(), f"{path.name} names {name}"
