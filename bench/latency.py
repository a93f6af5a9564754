"""What a user waits for besides the kernel: import, first call, cache hit, dispatch.

Always as ratios, and of each time the least of several.

* `import soljit` after NumPy, over `import numpy`
* the very first call on a machine, for which soljit builds its dispatcher and asks what the compiler can do, over g++ as below
* first call with an empty cache, over g++ making a library of an empty file
* import and first call in a new process with a filled cache, over `import numpy`
* a call with three small arrays, over `np.add(a, b, out=c)`
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.run import ROOT, machine
from soljit.cli.screen import print_table

PROGRAM = """
import json, sys, time
start = time.perf_counter()
import numpy as np
numpy_loaded = time.perf_counter()
import soljit as sol
loaded = time.perf_counter()

@sol.jit(strict=True)
def add(a, b, c):
    c[:] = a + b

@sol.jit(strict=True)
def program(a, b, n):
    c = np.zeros_like(a)
    for k in range(n):
        c[1:-1] = 0.5 * (a[:-2] + a[2:]) + np.exp(-b[1:-1])
        a[:] = c
    return a.sum()

a, b = np.ones(100), np.ones(100)
machine = 0.0
if sys.argv[1:] == ["cold"]:
    begin = time.perf_counter()
    add(a, b, b.copy())  # the dispatcher is compiled once a machine
    machine = time.perf_counter() - begin
begin = time.perf_counter()
program(a, b, 3)
first = time.perf_counter() - begin

times = {"numpy": numpy_loaded - start, "soljit": loaded - numpy_loaded, "first": first, "machine": machine}
if sys.argv[1:] == ["dispatch"]:
    x, y, z = np.ones(4), np.ones(4), np.ones(4)
    add(x, y, z)
    calls = range(2000)
    mine, numpys = [], []
    for _ in range(30):
        begin = time.perf_counter()
        for _ in calls:
            add(x, y, z)
        middle = time.perf_counter()
        for _ in calls:
            np.add(x, y, out=z)
        numpys.append(time.perf_counter() - middle)
        mine.append(middle - begin)
    times["call"], times["numpy_call"] = min(mine) / len(calls), min(numpys) / len(calls)
print(json.dumps(times))
"""


def process(cache: str, *words: str) -> dict[str, float]:
    """The times that one run of PROGRAM reports."""
    script = Path(cache) / "latency_program.py"
    script.write_text(PROGRAM)
    environment = os.environ | {"SOL_CACHE_DIR": str(Path(cache) / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run([sys.executable, str(script), *words], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    times: dict[str, float] = json.loads(done.stdout)
    return times


def empty_compile() -> float:
    """Seconds that the C++ compiler needs for a library from an empty file."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "empty.cpp"
        source.write_text("")
        command = [os.environ.get("SOL_CXX", "g++"), "-O3", "-shared", "-fPIC", str(source), "-o", folder + "/empty.so"]
        start = time.perf_counter()
        subprocess.run(command, check=True)
        return time.perf_counter() - start


def latency(options: argparse.Namespace) -> int:
    """The command `latency`."""
    cold: list[dict[str, float]] = []
    for _ in range(options.repeat):
        with tempfile.TemporaryDirectory(prefix="latency-") as cache:
            cold.append(process(cache, "cold"))
    with tempfile.TemporaryDirectory(prefix="latency-") as cache:
        process(cache, "dispatch")
        warm = [process(cache, "dispatch") for _ in range(options.repeat)]
    least = {k: min(w[k] for w in warm) for k in warm[0]}
    first, compiler = min(c["first"] for c in cold), min(empty_compile() for _ in range(options.repeat))
    machine_first = min(c["machine"] for c in cold)
    hit = least["soljit"] + least["first"]
    rows: list[tuple[str, float, str, float]] = [
        ("import soljit", least["soljit"], "import numpy", least["numpy"]),
        ("very first call on a machine", machine_first, "g++ on an empty file", compiler),
        ("first call, empty cache", first, "g++ on an empty file", compiler),
        ("import and first call, filled cache", hit, "import numpy", least["numpy"]),
        ("call with three small arrays", least["call"], "np.add(a, b, out=c)", least["numpy_call"]),
    ]
    shown = [[a, f"{1e3 * s:.4g}", b, f"{1e3 * t:.4g}", f"{s / t:.2f}"] for a, s, b, t in rows]
    print_table("latency", ["what", "ms", "yardstick", "ms", "ratio"], shown, options.markdown)
    if options.out:
        record: dict[str, Any] = {"machine": machine()}
        record["latency"] = [{"what": a, "seconds": s, "yardstick": b, "yardstick_seconds": t} for a, s, b, t in rows]
        Path(options.out).write_text(json.dumps(record, indent=1) + "\n")
    return 0
