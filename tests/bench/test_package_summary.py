"""The small file of several packages: numbers and differences, no texts of failures, no places of the machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench import package_summary


def results(package: str) -> dict[str, Any]:
    """What the command knows of a package whose test fails when it is decorated."""

    def mode(outcome: str, **more: Any) -> dict[str, Any]:
        test = {"outcome": outcome, "message": "AssertionError: /home/me/here/a.py is 2", "text": "long"}
        return {"tests": {"tests/a.py::b": test}, "is_whole": True, "seconds": 1.26, "processor": 0.5, **more}

    functions = {"p.f": {"compiled": ["(int)"], "refused": []}, "p.g": {"compiled": [], "refused": ["why"]}}
    differences = [
        {"kind": "values", "where": "result", "text": "2 instead of 1 at /home/me/b.py:3"},
        {"kind": "last places", "where": "result", "text": "1.1 instead of 1.2"},
    ]
    checked = [{"name": "p.f", "checked": 3, "calls": 5, "differences": differences}]
    known = {"decorated": 4, "functions": functions, "warnings": [["p.g", "why"]]}
    modes = {"plain": mode("passed"), "checked": mode("failed", checked=checked, **known)}
    machine = {"cpu": "x", "python": "3.12", "packages": {"numpy": "2.4", "jax": "1"}, "date": "2026-01-01"}
    return {"package": package, "tests": ["/home/me/p/tests", "-q"], "machine": machine, "modes": modes}


def test_rows_of_several_packages(tmp_path: Path) -> None:
    file = tmp_path / "packages.json"
    for package in ("q", "p", "p"):
        package_summary.add(file, results(package))
    text = file.read_text()
    rows = json.loads(text)
    assert [*rows] == ["p", "q"] and "/home" not in text and "long" not in text
    row = rows["p"]
    assert row["tests"] == "tests -q" and row["machine"]["packages"] == {"numpy": "2.4"}
    assert row["plain"] == {"outcomes": {"passed": 1}, "whole": True, "seconds": 1.3, "processor": 0.5}
    checked = row["checked"]
    assert checked["functions"] == {"decorated": 4, "called": 2, "compiled": 1, "refused": 1}
    assert checked["calls"] == [3, 5] and checked["differences"] == {"values": 1, "last places": 1}
    assert checked["which"] == ["values p.f result: 2 instead of 1 at b.py:3"]
    assert checked["other outcomes"] == ["tests/a.py::b: passed → failed AssertionError: a.py is 2"]
