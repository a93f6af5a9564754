"""Random numbers one by one: what is printed."""

from __future__ import annotations

import pytest

from bench.__main__ import main


def test_times_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draws", "--number", "200", "--repeat", "1", "--only", "rng.random"]) == 0
    out = capsys.readouterr().out
    assert "rng.random()" in out and "soljit" in out
