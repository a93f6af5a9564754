"""Files of results: read, printed, drawn, and what may be concluded from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.records import interval, is_certain, read

RESULTS = Path(__file__).parents[2] / "bench" / "results"


def record(kernel: str, framework: str, times: float, **more: Any) -> dict[str, Any]:
    """A right record that is so many times faster than NumPy, with quartiles a tenth apart."""
    numpys = {"numpy_median": 2e-3, "numpy_low": 1.95e-3, "numpy_high": 2.05e-3, "numpy_min": 1.9e-3}
    median = 2e-3 / times
    mine = {"median": median, "low": 0.95 * median, "high": 1.05 * median, "min": 0.9 * median}
    head = {"kernel": kernel, "framework": framework, "variant": framework, "first": 0.25, "error": 0.0, "right": True}
    return head | mine | numpys | more


ROWS: list[dict[str, Any]] = [
    {"machine": {"cpu": "some processor", "cores": 2, "python": "3.12", "packages": {}}},
    record("adi", "soljit", 4.0),
    record("adi", "numba", 1.0),
    record("adi", "numba", 2.0, variant="parallel"),
    record("gemm", "soljit", 16.0),
    record("gemm", "numba", 0.5),
    record("lu", "soljit", 1000.0),
    {"kernel": "lu", "framework": "numba", "variant": "njit", "failed": "TypingError: no\nwhole text"},
    record("mlp", "soljit", 1.02),
    record("mlp", "numba", 1.0, right=False, error=0.5),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of results."""
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return path


def test_means_are_over_sets_that_can_be_compared(file: Path) -> None:
    results = read(file)
    assert results.right(["soljit", "numba"]) == ["adi", "gemm"]
    assert results.mean("soljit", ["adi", "gemm"]) == pytest.approx(8.0)
    assert results.mean("numba", ["adi", "gemm"]) == pytest.approx(1.0)  # the better of two variants counts


def test_quartiles_tell_what_is_certain(file: Path) -> None:
    best = read(file).best
    assert is_certain(best["gemm", "numba"]) and not is_certain(best["mlp", "soljit"])
    low, high = interval(best["adi", "soljit"])
    assert 3.6 < low < 4.0 < high < 4.4


def test_the_table(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", str(file), "--markdown"]) == 0
    said = capsys.readouterr().out
    assert "| adi | 2 ms ±5% | 500 µs ±10%  4.00x | 1 ms ±10%  2.00x |" in said
    assert "| lu | 2 ms ±5% | 2 µs ±10%  1000.00x | failed |" in said
    assert "| mlp | 2 ms ±5% | 1.96 ms ±10%  ~1.02x | wrong |" in said
    assert "| **geometric mean over the 2 that all do right** |  | **8.00x** | **1.00x** |" in said
    assert "| **over those that it does right itself** |  | **15.98x over 4** | **1.00x over 2** |" in said
    assert "soljit over numba: 8.00 (geometric mean over the 2 kernels that both do right)" in said
    assert "numba is slower than NumPy: gemm 0.50\n" in said
    assert "failed: lu · numba · njit: TypingError: no whole text" in said


def test_what_is_no_file_of_results_is_said(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"machine": {}}\n{"kernel": "adi", "fw": "soljit"}\n')
    with pytest.raises(SystemExit, match=r"other.jsonl:2: no record of `python -m bench run` \(KeyError"):
        read(path)


KEPT = sorted(p for p in RESULTS.glob("*.jsonl") if not p.stem.startswith("roofline"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_results_can_be_read(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", str(path)]) == 0
    assert "geometric mean" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["heatmap", "bars"])
def test_pictures(file: Path, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("matplotlib").rcParams["svg.fonttype"] = "none"
    out = tmp_path / "picture.svg"
    assert main(["plot", str(file), "--kind", kind, "--out", str(out)]) == 0
    text = out.read_text()
    assert all(name in text for name in ("adi", "gemm", "lu", "mlp", "soljit", "numba", "some processor"))
    if kind == "heatmap":
        assert "failed" in text and "wrong" in text and "geometric mean of 2" in text
