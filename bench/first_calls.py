"""First calls of kernels, as a user waits for them: a new process, an empty cache, `import soljit` included.

The dispatcher, which soljit builds once on a machine, is there (`python -m bench latency` tells what it takes), and so is what is known of the compiler. NumPy and
the arguments are there, too. Of each kernel the least of several runs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.benchmark import Source, names
from bench.compile_time import in_new_process
from bench.run import machine
from soljit.cli.screen import print_table

CALL = """
import sys, time
from bench.benchmark import Source, load
name, preset, npbench = sys.argv[1:]
b = load(name, preset, Source(npbench=npbench))
arguments = b.fresh()
start = time.perf_counter()
import soljit
imported = time.perf_counter()
soljit.jit(strict=True)(b.function)(*arguments)
print(imported - start, time.perf_counter() - start)
"""
READY = """
import numpy as np, soljit

@soljit.jit
def f(a):
    return a + 1

f(np.ones(3))
"""


def first_call(name: str, preset: str, npbench: str, ready: Path) -> tuple[float, float]:
    """Seconds of the import, and of import and call together, in a new process that finds a copy of the cache `ready`."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        shutil.copytree(ready, cache, copy_function=shutil.copy2)
        imported, all_of_it = _run(cache, "-c", CALL, name, preset, npbench).split()[-2:]
        return float(imported), float(all_of_it)


def first_calls(options: argparse.Namespace) -> int:
    """The command `first`."""
    npbench = str(Path(options.npbench).resolve()) if options.npbench else ""
    wanted = options.only.split(",") if options.only else names(Source(npbench=npbench))
    found: dict[str, tuple[float, float]] = {}
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        ready, script = Path(folder) / "cache", Path(folder) / "ready.py"
        script.write_text(READY)
        _run(ready, str(script))
        for turn in range(options.repeat):
            for name in wanted:
                if name in failed:
                    continue
                try:
                    one = first_call(name, options.preset, npbench, ready)
                except subprocess.CalledProcessError as e:
                    failed[name] = (e.stderr.strip().splitlines() or ["?"])[-1]
                    continue
                found[name] = min(one, found.get(name, one), key=lambda times: times[1])
            print(f"round {turn + 1} of {options.repeat}", file=sys.stderr, flush=True)
    rows = [
        [name, f"{imported:.3f}", f"{seconds:.3f}"]
        for name, (imported, seconds) in sorted(found.items(), key=lambda item: -item[1][1])
    ]
    print_table(
        f"first calls, preset {options.preset}", ["kernel", "import s", "import and call s"], rows, options.markdown
    )
    for name, why in failed.items():
        print(f"{name}: {why}")
    seconds = [all_of_it for _, all_of_it in found.values()]
    if not seconds:
        return 1
    print(f"{len(seconds)} kernels: median {statistics.median(seconds):.3f} s, longest {max(seconds):.3f} s")
    if options.out:
        record = {"machine": machine(), "preset": options.preset, "kernels": {k: v[1] for k, v in found.items()}}
        Path(options.out).write_text(json.dumps(record, indent=1) + "\n")
    return 1 if failed else 0


def _run(cache: Path, *words: str) -> str:
    """What Python prints that is run with these words in a new process with this cache."""
    return in_new_process(*words, SOL_CACHE_DIR=str(cache))
