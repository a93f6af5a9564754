"""`python -m bench gpu`: what a GPU can do, and what soljit makes of it, in ten minutes. Or, without one, what is expected of a named GPU.

The file of results holds `kind` ("measured", "emulated", which has counts and no speeds, or "expected"), the machine, and records: `part`, `what`, and
numbers with their names (seconds, bytes, rate in bytes a second), or `failed` or `skipped` with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.gpu.model import model
from bench.gpu.rates import Record
from bench.run import ROOT, machine

LIMITS = {  # seconds of a part
    "facts": 60, "link": 60, "latency": 60, "memory": 60, "modules": 90, "bars": 200, "tests": 180, "compilers": 150,
}  # fmt: skip
OF_A_KERNEL = 45


def gpu(options: argparse.Namespace) -> int:
    """The command `gpu`; the exit status tells whether a part failed."""
    if options.expect:
        from bench.gpu.expect import expect

        return expect(options.expect, options.preset, options.out)
    found: list[Record] = []
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory(prefix="bench-gpu-") as empty:
        cache = os.environ.get("SOL_CACHE_DIR", empty) if options.quick else empty
        for name in parts(options):
            left = end - time.monotonic()
            if left < 5:
                found.append({"part": name, "skipped": f"the {options.seconds:g} seconds were over"})
                continue
            limit = min(left, LIMITS.get(name, OF_A_KERNEL))
            print(f"-- {name}", flush=True)
            for record in run_part(name, options, limit, cache):
                found.append(record)
                print(f"   {line(record)}", flush=True)
            if name == "facts" and all("failed" in r for r in found):
                break  # there is no such device
    kind = "emulated" if options.device.startswith("emulated") else "measured"
    if kind == "measured":
        found.append(model(found))
        print(f"   {line(found[-1])}")
    results = {"kind": kind, "quick": options.quick, "device": options.device, "machine": machine(), "records": found}
    out = Path(options.out or default_place(found, kind))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(results, indent=1) + "\n")
    print(f"\n{out}")
    if kind == "measured":
        from bench.gpu.pictures import pictures

        for path in pictures(results, out):
            print(path)
    failed = [r for r in found if "failed" in r]
    print(f"{len(found)} records, {len(failed)} failed")
    return 1 if failed else 0


def parts(options: argparse.Namespace) -> list[str]:
    """The parts, in order: what the others are compared with first."""
    from bench.gpu.kernels import NAMES

    names = [
        "facts",
        "link",
        "latency",
        "memory",
        "modules",
        "bars",
        *(f"kernel:{n}" for n in NAMES[: 2 if options.quick else None]),
        "tests",
        "compilers",
    ]
    wanted = options.parts.split(",") if options.parts else names
    if unknown := [n for n in wanted if n not in names and not n.startswith("kernel:")]:
        raise SystemExit(f"unknown parts: {', '.join(unknown)}; there are {', '.join(names)}")
    return wanted


def run_part(name: str, options: argparse.Namespace, limit: float, cache: str) -> list[Record]:
    """The records of a part; a crash or the end of its time is a record, too."""
    asked = {"device": options.device, "quick": options.quick, "preset": "tiny" if options.quick else options.preset}
    asked["npbench"] = str(Path(options.npbench).resolve()) if options.npbench else ""
    environment = os.environ | {"SOL_CACHE_DIR": cache}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "bench.gpu.part", name, json.dumps(asked)]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=ROOT, env=environment, start_new_session=True)
        try:
            status: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        out.seek(0)
        err.seek(0)
        told = [json.loads(text[2:]) for text in out if text.startswith("@@")]
        words = err.read()[-500:]
    if status is None:
        told.append({"part": name, "failed": f"stopped after {limit:.0f} seconds"})
    elif status:
        told.append({"part": name, "failed": f"exit status {status}: {words.strip()}"})
    return told


def default_place(found: list[Record], kind: str) -> str:
    """`bench/results/gpu-<name>-<date>.json`."""
    names = [r["name"] for r in found if r.get("what") == "device"]
    name = "emulated" if kind == "emulated" else re.sub(r"[^a-z0-9]+", "-", (names or ["none"])[0].lower()).strip("-")
    return f"bench/results/gpu-{name}-{time.strftime('%Y-%m-%d')}.json"


def line(r: Record) -> str:
    """A record in one line."""
    if "failed" in r:
        return f"{r.get('what', r['part'])} {r.get('framework', '')} FAILED: {r['failed'].splitlines()[0][:140]}"
    if "skipped" in r:
        return f"{r.get('what', r['part'])} {r.get('framework', '')} skipped: {r['skipped']}"
    text = f"{r['what']:32} {r.get('framework', ''):10} {r.get('variant', '')}"
    numbers: dict[str, Any] = {k: v for k, v in r.items() if k not in ("part", "what", "framework", "variant")}
    return f"{text} " + ", ".join(f"{k} {_short(v)}" for k, v in numbers.items())


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
