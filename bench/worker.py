"""One (benchmark, framework) in a process of its own: `python -m bench.worker JSON`.

NumPy is timed in the same process right after the framework, so that the ratio holds when the machine's speed drifts.
Every record is printed as a line that starts with "@@", as soon as it is known.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from bench import check
from bench.benchmark import Benchmark, Source, load
from bench.frameworks import FRAMEWORKS, Skip, version


def timed(
    f: Callable[..., Any],
    benchmark: Benchmark,
    budget: float,
    most: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Seconds of repeated calls on fresh arguments: at least two, then until `budget` or `most` is reached."""
    seconds: list[float] = []
    end = time.perf_counter() + budget
    while len(seconds) < 2 or (len(seconds) < most and time.perf_counter() < end):
        arguments = benchmark.fresh()
        start = clock()
        f(*arguments)
        seconds.append(clock() - start)
    return seconds


def measure(f: Callable[..., Any], benchmark: Benchmark, want: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    """First call, check, and times of one variant."""
    framework = FRAMEWORKS[task["framework"]]
    arguments = benchmark.fresh()
    start = time.perf_counter()
    result = f(*arguments)
    first = time.perf_counter() - start
    got = benchmark.outcome(arguments, result)
    different = check.form_differences(want, got) if framework.exact else []
    if not framework.exact:
        got = check.leaves(got, want, framework.immutable)
    error = check.worst_error({k: want[k] for k in got} if framework.immutable else want, got)
    right = error <= benchmark.tolerance and not different
    record: dict[str, Any] = {"first": first, "error": error, "right": right}
    if different:
        record["differences"] = different
    for _ in range(framework.settling):
        f(*benchmark.fresh())
    mine = timed(f, benchmark, task["budget"], task["repeat"])
    numpys = timed(benchmark.function, benchmark, task["budget"], task["repeat"])
    return record | times(mine) | {f"numpy_{k}": v for k, v in times(numpys).items()}


def times(found: list[float]) -> dict[str, float]:
    """What is kept of repeated calls."""
    low, median, high = statistics.quantiles(found, n=4, method="inclusive")
    return {"median": median, "low": low, "high": high, "min": min(found), "calls": len(found)}


def work(task: dict[str, Any]) -> None:
    """All variants of the framework, each with its record."""
    name, framework = task["kernel"], task["framework"]
    head = {"kernel": name, "framework": framework, "preset": task["preset"]}

    def emit(variant: str, **record: Any) -> None:
        print("@@" + json.dumps(head | {"variant": variant} | record), flush=True)

    installed = version(framework)
    if installed is None:
        emit("-", skipped=f"{FRAMEWORKS[framework].distribution} is not installed")
        return
    head["version"] = installed
    warnings.simplefilter("ignore")
    try:
        benchmark = load(name, task["preset"], Source(**task["source"]))
        arguments = benchmark.fresh()
        want = benchmark.outcome(arguments, benchmark.function(*arguments))
    except Exception as e:
        emit("-", failed=f"the benchmark itself: {type(e).__name__}: {e}")
        return
    variant = "-"
    try:
        start = time.perf_counter()
        for variant, f in FRAMEWORKS[framework].variants(benchmark, task["options"]):
            ahead = time.perf_counter() - start  # what is compiled ahead of time belongs to the first call
            try:
                record = measure(f, benchmark, want, task)
                emit(variant, **record | {"first": record["first"] + ahead})
            except Exception as e:
                emit(variant, failed=f"{type(e).__name__}: {e}"[:2000])
            variant, start = "-", time.perf_counter()
    except Skip as e:
        emit(variant, skipped=str(e))
    except Exception as e:
        emit(variant, failed=f"{type(e).__name__}: {e}"[:2000])


if __name__ == "__main__":
    work(json.loads(sys.argv[1]))
