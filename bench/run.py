"""Run benchmarks, one process for each (kernel, framework), and write JSON lines.

The first line of a file describes the machine. soljit's cache is an empty folder made for the run, so that first
calls are cold; frameworks may live in other virtual environments (`--python numba=/path/to/python`).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.benchmark import Source, names
from bench.frameworks import FRAMEWORKS, version
from bench.records import read
from bench.table import show
from soljit.base.processors import affine
from soljit.cli.screen import Screen

ROOT = Path(__file__).resolve().parents[1]


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        cpu = models[0] if models else cpu
    packages = {name: found for name in FRAMEWORKS if (found := version(name))}
    return {
        "cpu": cpu,
        "cores": affine(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": packages,
        "threads": os.environ.get("OMP_NUM_THREADS", ""),
        "commit": _commit(),
        "date": time.strftime("%Y-%m-%d"),
    }


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def run_one(task: dict[str, Any], python: str, timeout: float, cache: str) -> list[dict[str, Any]]:
    """The records of one process; a crash or a timeout is a record, too."""
    environment = os.environ | {"SOL_CACHE_DIR": cache}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    head = {k: task[k] for k in ("kernel", "framework", "preset")} | {"variant": "-"}
    command = [python, "-m", "bench.worker", json.dumps(task)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=cache, env=environment)
        out, failure = done.stdout, ""
        if done.returncode:
            failure = f"exit status {done.returncode}: " + (done.stderr.strip().splitlines() or ["no message"])[-1]
    except subprocess.TimeoutExpired as e:
        out = e.stdout.decode() if isinstance(e.stdout, bytes) else e.stdout or ""
        failure = f"took longer than {timeout:.0f} s"
    records: list[dict[str, Any]] = [json.loads(line[2:]) for line in out.splitlines() if line.startswith("@@")]
    if failure:
        records.append(head | {"failed": failure[:2000]})
    return records


def warm_up(python: str, cache: str) -> None:
    """Compile a trivial function, so that what is built once a machine is in no kernel's first call."""
    script = Path(cache) / "warm_up.py"
    script.write_text("import soljit\n\n\n@soljit.jit\ndef one():\n    return 1\n\n\none()\n")
    environment = os.environ | {"SOL_CACHE_DIR": cache, "PYTHONPATH": str(ROOT)}
    subprocess.run([python, str(script)], check=False, capture_output=True, env=environment)


def summary(record: dict[str, Any]) -> str:
    """One record in a few words."""
    if "skipped" in record:
        return f"skipped: {record['skipped']}"
    if "failed" in record:
        return f"FAILED: {record['failed'].strip().splitlines()[0][:160]}"
    text: str = f"{record['numpy_median'] / record['median']:7.2f} x NumPy, first call {record['first']:.2f} s"
    return text if record["right"] else f"{text}, WRONG: error {record['error']:.1e} {record.get('differences', '')}"


def source_of(options: argparse.Namespace) -> Source:
    """Which benchmarks are meant. Paths are whole, since workers run elsewhere."""
    path, colon, name = options.file.rpartition(":")
    file = f"{Path(path).resolve()}{colon}{name}" if path else options.file
    npbench = str(Path(options.npbench).resolve()) if options.npbench else ""
    return Source(options.suite, npbench, file, options.args)


def run(options: argparse.Namespace) -> int:
    """The command `run`; the exit status tells whether soljit failed anywhere."""
    source = source_of(options)
    known = names(source)
    kernels = options.kernels.split(",") if options.kernels else known
    frameworks = options.frameworks.split(",")
    if unknown := [k for k in kernels if k not in known] + [f for f in frameworks if f not in FRAMEWORKS]:
        raise SystemExit(f"unknown: {', '.join(unknown)}")
    pythons = dict(p.split("=", 1) for p in options.python)
    out = Path(options.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    failed = 0
    total = len(kernels) * len(frameworks)
    with out.open("w") as file, Screen(total) as screen, tempfile.TemporaryDirectory(prefix="bench-") as cache:
        file.write(json.dumps({"machine": machine(), "source": asdict(source), "preset": options.preset}) + "\n")
        if any(f.startswith("soljit") for f in frameworks):
            screen.begin("building soljit's dispatcher, once a machine")
            warm_up(pythons.get("soljit", sys.executable), cache)
        for kernel in kernels:
            for framework in frameworks:
                screen.begin(f"{kernel} · {framework}")
                task = {"kernel": kernel, "framework": framework, "preset": options.preset}
                task |= {"source": asdict(source), "options": json.loads(options.jit)}
                task |= {"budget": options.budget, "repeat": options.repeat}
                for record in run_one(task, pythons.get(framework, sys.executable), options.timeout, cache):
                    file.write(json.dumps(record) + "\n")
                    file.flush()
                    screen.line(f"{kernel:26s} {framework:8s} {record['variant']:10s} {summary(record)}")
                    failed += framework.startswith("soljit") and not record.get("right", "skipped" in record)
                screen.advance()
    show(read(out))
    print(f"\n{out}: `python -m bench table | plot | compare` reads it again")
    return 1 if failed else 0
