"""The roofline: counts of what a call must do, peaks of the machine, table, picture and the file that they are made from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.__main__ import main
from bench.benchmark import load
from bench.roofline.command import as_written, bound, share
from bench.roofline.counts import Counts, counted
from bench.roofline.peaks import Peaks
from tests.bench.test_records import RESULTS


def of(kernel: str, preset: str = "tiny") -> tuple[Counts, dict[str, Any]]:
    """The counts of a kernel, and its arguments."""
    benchmark = load(kernel, preset)
    return counted(benchmark.function, benchmark.fresh()), dict(benchmark.arguments)


def test_loops_over_time_are_counted_step_by_step() -> None:
    c, given = of("jacobi_2d")
    n, sweeps = given["A"].shape[0], 2 * (given["TSTEPS"] - 1)
    assert c.operations == {"simple f64": sweeps * 5 * (n - 2) ** 2}
    assert c.touched == sweeps * (n - 2) ** 2 * 6 * 8  # five elements are read and one is written
    assert c.memory == 2 * n * n * 8
    assert not c.guesses


def test_pyramids_of_loops_are_counted_by_two_turns_each() -> None:
    c, given = of("cholesky", "S")
    n = given["A"].shape[0]
    exact = sum(2 * j for i in range(n) for j in range(i)) + sum(i for i in range(n)) + sum(2 * i + 1 for i in range(n))
    assert c.operations["simple f64"] == pytest.approx(exact, rel=0.02)
    assert c.operations["div f64"] == pytest.approx(n * (n - 1) / 2, rel=0.02)
    assert c.operations["sqrt f64"] == n


def test_products_are_those_of_the_library() -> None:
    c, given = of("gemm")
    (m, k), n = given["A"].shape, given["B"].shape[1]
    assert c.operations["fused f64"] == 2 * m * n * k
    assert c.libraries == 1


def test_functions_and_complex_numbers_have_operations_of_their_own() -> None:
    def f(x: Any, z: Any) -> Any:
        return np.exp(x) / x, z * z + z

    c = counted(f, [np.ones(100), np.ones(50, complex)])
    assert c.operations == {"exp f64": 100, "div f64": 100, "simple f64": 50 * 8}


def test_a_guess_is_told() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for k in range(len(x)):
            if x[k] > 0.5:
                total += x[k] * x[k]
        return total

    c = counted(f, [np.ones(100)])
    assert c.guesses == ["a branch"]


def test_turns_of_a_while_loop_may_be_known() -> None:
    benchmark = load("channel_flow", "tiny")
    once, often = (counted(benchmark.function, benchmark.fresh(), turns) for turns in (1, 50))
    assert often.operations["div f64"] == 50 * once.operations["div f64"] and not often.guesses
    assert counted(benchmark.function, benchmark.fresh()).guesses == ["a while loop"]


def test_the_bound_is_that_of_the_level_which_holds_the_bytes() -> None:
    p = Peaks(1, {"L1": 4e9, "L2": 2e9, "memory": 1e9}, {"L1": 100, "L2": 1000}, {"simple f64": 1e9, "exp f64": 1e8})
    assert [p.level(size) for size in (100, 101, 1001)] == ["L1", "L2", "memory"]
    assert p.seconds({"simple f64": 1e9, "exp f64": 1e8}) == pytest.approx(2.0)
    record = {
        "seconds": 4.0,
        "limits": {"arithmetic": 2.0, "L2": 1.0},
        "loops": {"asked": 3.0, "L1": 1.5},
        "level": "L2",
    }
    assert bound(record) == (2.0, "arithmetic")
    assert share(record) == 0.5
    assert as_written(record) == (3.0, "L2")


def test_the_command_measures_prints_and_draws_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "roofline.jsonl"
    words = ["roofline", "--quick", "--preset", "tiny", "--threads", "1", "--budget", "0.01", "--out", str(out)]
    assert main([*words, "jacobi_1d", "gemm", "softmax"]) == 0
    shown = capsys.readouterr().out
    assert "jacobi_1d" in shown and "gemm" in shown and "softmax" in shown
    head, *records = map(json.loads, out.read_text().splitlines())
    assert head["peaks"]["threads"] == 1 and {"machine", "peaks"} <= head.keys()
    assert [r["kernel"] for r in records] == ["jacobi_1d", "gemm", "softmax"]
    assert all(r["seconds"] > 0 and r["least"] > 0 for r in records)
    drawn = out.with_suffix(".svg")
    if drawn.exists():  # without matplotlib there is none
        drawn.unlink()
    assert main(["roofline", "--from", str(out), "--markdown"]) == 0
    assert "| gemm |" in capsys.readouterr().out


@pytest.mark.parametrize("path", sorted(RESULTS.glob("roofline*.jsonl")), ids=lambda path: path.stem)
def test_kept_results_can_be_read(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copied = Path(shutil.copy(path, tmp_path))
    assert main(["roofline", "--from", str(copied), "--markdown"]) == 0
    assert "reach 60% of their bound" in capsys.readouterr().out


def test_what_is_no_file_of_a_roofline_is_said(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("{}\n")
    with pytest.raises(SystemExit, match="no file of"):
        main(["roofline", "--from", str(tmp_path / "other.jsonl")])
    with pytest.raises(SystemExit, match="unknown: nothing"):
        main(["roofline", "--out", str(tmp_path / "x.jsonl"), "nothing"])
