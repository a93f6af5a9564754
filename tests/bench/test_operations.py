"""Operations one by one: what is printed, and that all of them are functions of the arguments there are."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bench.__main__ import main
from bench.operations import FILE, arguments


def test_ratios_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operations", "--sizes", "20", "--only", "np.sqrt", "--below", "1000"]) == 0
    assert "np.sqrt(a*a + b*b)" in capsys.readouterr().out


def test_operations_work_in_numpy() -> None:
    for n in (20, 50):
        values = arguments(n)
        for text in FILE.read_text().split("\n"):
            if text and not text.startswith("#"):
                assert any(re.search(rf"\b{name}\b", text) for name in values), text
                with np.errstate(all="ignore"):
                    eval(text, {"np": np} | values)  # noqa: S307
