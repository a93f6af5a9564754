"""`python -m bench run --file my.py:f`: a file of the user's is timed and checked like a kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.__main__ import main
from bench.benchmark import Source, load
from bench.records import read

PROGRAM = """
import numpy as np
import soljit as sol

SIZE = 40


class Body:
    def __init__(self, n):
        self.mass = np.ones(n)


def double(x):
    return 2 * x


@sol.jit
def smooth(body, a, k=3):
    for _ in range(k):
        a[1:-1] = double(a[1:-1]) / 2 + 0.1
    body.mass += 1
    return {"sum": a.sum(), "pair": (a.max(), "text")}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A program of a user."""
    path = tmp_path / "my_program.py"
    path.write_text(PROGRAM)
    return path


def test_a_file_with_expressions_for_its_arguments(file: Path) -> None:
    benchmark = load("smooth", "S", Source(file=f"{file}:smooth", arguments="Body(5), np.arange(1.0 * SIZE)"))
    assert list(benchmark.arguments) == ["body", "a", "k"] and type(benchmark.function).__name__ == "function"
    arguments = benchmark.fresh()
    seen = benchmark.outcome(arguments, benchmark.function(*arguments))
    assert list(seen) == ["result['sum']", "result['pair'][0]", "result['pair'][1]", "body.mass", "a", "k"]
    assert np.array_equal(seen["body.mass"], np.full(5, 2.0)) and seen["result['pair'][1]"] == "text"


def test_one_command(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    words = ["run", "--file", f"{file}:smooth", "--args", "Body(5), np.arange(1.0 * SIZE)", "--out", str(out)]
    assert main([*words, "--jit", '{"target": "interpreter"}', "--budget", "0.01"]) == 0
    assert read(out).best["smooth", "soljit"]["error"] < 1e-12
    assert "geometric mean over these 1" in " ".join(capsys.readouterr().out.split())


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(SystemExit, match="there must be such a file, not 'nowhere.py:f'"):
        load("f", "S", Source(file="nowhere.py:f"))


def test_strictly_and_by_default(tmp_path: Path) -> None:
    path, out = tmp_path / "lazy.py", tmp_path / "out.jsonl"
    path.write_text("def total(n):\n    async def never():\n        return 0\n\n    return sum(range(n))\n")
    words = ["run", "--file", f"{path}:total", "--args", "5", "--out", str(out), "--budget", "0.01"]
    assert main([*words, "--frameworks", "soljit,soljit-default"]) == 1
    found = read(out)
    assert "UnsupportedError" in found.verdict("total", "soljit") or ("total", "soljit") not in found.best
    assert found.best["total", "soljit-default"]["right"]
