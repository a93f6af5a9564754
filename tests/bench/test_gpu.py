"""`python -m bench gpu`: on the emulated device it counts, and every part works; what is expected of a GPU counts what a device would be told."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.gpu.bars import work_of
from bench.gpu.command import LIMITS, run_part
from bench.gpu.expect import GPUS, counted
from bench.gpu.model import model
from bench.gpu.part import TIMES
from bench.gpu.pictures import pictures
from bench.gpu.programs import PROGRAMS
from soljit.runtime.devices import emulated

TABLE = Path(__file__).resolve().parents[1] / "device" / "transfers.txt"
needs_emulator = pytest.mark.skipif(bool(emulated.why_not()), reason=emulated.why_not())


def measured(folder: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The status and the results of a quick run on the emulated device."""
    out = folder / "gpu.json"
    status = main(["gpu", "--device", "emulated", "--quick", "--out", str(out), *words])
    return status, json.loads(out.read_text())


def check(results: dict[str, Any]) -> None:
    assert results["kind"] == "emulated" and results["quick"]
    assert not any(key in r for r in results["records"] for key in TIMES), "the emulated device has no speed"


@needs_emulator
def test_a_quick_run_counts(tmp_path: Path) -> None:
    status, results = measured(tmp_path, "--parts", "facts,latency,kernel:go_fast")
    check(results)
    assert status == 0, [r for r in results["records"] if "failed" in r]
    rows = {(r["part"], r["what"], r.get("framework", ""), r.get("variant", "")): r for r in results["records"]}
    assert rows["facts", "device", "", ""]["arch"] == "emulated"
    variants = {
        v: r for (part, _, framework, v), r in rows.items() if part == "kernel:go_fast" and framework == "soljit"
    }
    mine = variants["NumPy in and out"]
    assert mine["right"] and mine["a_call"]["h2d_calls"] == mine["a_call"]["d2h_calls"] == 1
    assert all(r["skipped"] for r in results["records"] if r.get("framework") == "cupy" and "a_call" not in r)


@needs_emulator
@pytest.mark.slow
def test_everything(tmp_path: Path) -> None:
    status, results = measured(tmp_path)
    check(results)
    assert status == 0, [r for r in results["records"] if "failed" in r]
    assert {r["part"] for r in results["records"]} >= set(LIMITS)
    steps = {r["what"]: r["a_step"] for r in results["records"] if "a_step" in r}
    assert steps["fused"]["launches"] == 1 and steps["five_points"]["launches"] == 2
    assert all(s["h2d_calls"] == s["d2h_calls"] == 0 for s in steps.values()), "steps move nothing"


def test_a_part_that_fails_or_takes_too_long_is_a_record(tmp_path: Path) -> None:
    options = argparse.Namespace(device="cuda", quick=True, preset="tiny", npbench="")
    (told,) = run_part("facts", options, 100, str(tmp_path)) if not Path("/dev/nvidia0").exists() else ({"failed": ""},)
    assert "failed" in told
    (told,) = run_part("facts", options, 0.01, str(tmp_path))
    assert told == {"part": "facts", "failed": "stopped after 0 seconds"}


def test_there_is_no_such_part_or_gpu() -> None:
    with pytest.raises(SystemExit, match="unknown parts: nothing"):
        main(["gpu", "--parts", "nothing"])
    with pytest.raises(SystemExit, match="there are no data of 'abacus'; there are A100"):
        main(["gpu", "--expect", "abacus"])


@pytest.mark.parametrize("kernel", ["jacobi_2d", "softmax", "durbin"])
def test_what_is_expected_is_what_the_device_is_told(kernel: str) -> None:
    c = counted(kernel, "tiny", GPUS["H100"])
    (row,) = [line.split()[1:6] for line in TABLE.read_text().splitlines() if line.split()[0] == kernel]
    assert [c.launches, c.uploads, c.downloads, c.pokes, c.fetches] == [float(n) for n in row]
    assert c.guesses == []


def test_a_roofline_by_hand() -> None:
    gpu = GPUS["H100"]
    c = counted("compute", "S", gpu)  # one map over integers: two arrays in, one out
    assert c.launches == 1 and c.kernel_bytes == c.upload_bytes + c.download_bytes
    assert c.kernel_seconds == pytest.approx(max(c.kernel_bytes / gpu.memory, gpu.launch))


def test_numbers_of_the_model_are_concluded_from_records() -> None:
    records: list[dict[str, Any]] = [
        {"part": "latency", "what": "launch of an empty kernel, one after the other", "seconds": 2e-6},
        {"part": "latency", "what": "fetch of 8 bytes, and wait", "seconds": 9e-6},
        {"part": "link", "what": "upload pageable", "bytes": 1 << 20, "seconds": 1.0, "rate": 1.0},
        {"part": "link", "what": "upload pageable", "bytes": 1 << 28, "seconds": 1.0, "rate": 9e9},
        {"part": "link", "what": "download pageable", "bytes": 1 << 28, "seconds": 1.0, "rate": 7e9},
        {"part": "bars", "what": "fused", "framework": "soljit", "bytes": 3, "seconds": 1e-3, "work": 4e9},
        {"part": "bars", "what": "fused", "framework": "soljit", "bytes": 9, "seconds": 1e-3, "work": 5e9},
        {"part": "bars", "what": "fused", "framework": "soljit-cpu", "bytes": 9, "seconds": 1.0, "work": 5e9},
        {"part": "bars", "what": "rows", "framework": "soljit", "failed": "no"},
        {"part": "bars", "what": "gemm", "framework": "soljit", "seconds": 1.0, "rate": 4e13},
        {"part": "bars", "what": "gemm", "framework": "soljit-cpu", "seconds": 1.0, "rate": 2e11},
    ]
    found = model(records)["measured"]
    products = {"device_product": 2e7, "host_product": 1e5}
    assert found == pytest.approx({"launch": 2.0, "transfer": 9.0, "link": 7e3, "device": 5e6, "host": 5e3} | products)
    assert set(found) == set(model([])["in_use"]) - {"block", "step", "cluster"} and model([])["measured"] == {}


def test_work_is_counted_for_each_element() -> None:
    (fused,) = [p for p in PROGRAMS if p.name == "fused"]
    work = [work_of(fused, fused.arguments(n, "float64")) for n in (8000, 80000)]
    assert work[1] == pytest.approx(10 * work[0], rel=1e-3) and work[0] >= 5 * 1000


def test_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    records = [
        {"part": "link", "what": "upload pinned", "bytes": 1 << k, "seconds": 1.0, "rate": 2.0**k} for k in (20, 24)
    ]
    head = {"part": "bars", "what": "fused", "dtype": "float64", "bytes": 1 << 28, "demand": 0.9}
    records += [head | {"framework": f, "of_copy": x} for f, x in (("soljit", 0.93), ("cupy", 0.2))]
    for name, median in (("numpy", 1.0), ("soljit", 0.1)):
        row = {"part": "kernel:adi", "what": "adi", "framework": name, "variant": "on the device", "median": median}
        records.append(row | {"right": True})
    results = {"records": records, "machine": {"date": "today"}, "device": "cuda"}
    found = pictures(results, tmp_path / "gpu.json")
    assert [p.name for p in found] == ["gpu-copies.svg", "gpu-bars.svg", "gpu-kernels.svg"]
    assert all(p.stat().st_size > 1000 for p in found)
