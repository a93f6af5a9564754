"""`python -m bench first`: each call in a process of its own, whose cache has the dispatcher and no kernel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.__main__ import main


def test_first_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "first.json"
    assert main(["first", "--preset", "tiny", "--only", "go_fast,nosuch", "--repeat", "1", "--out", str(out)]) == 1
    text = capsys.readouterr().out
    assert "nosuch: ModuleNotFoundError" in text and "1 kernels: median" in text
    assert json.loads(out.read_text())["kernels"]["go_fast"] > 0.05
