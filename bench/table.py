"""Read results, and print them: speedups over NumPy, geometric means, first calls, what is slower, what failed."""

from __future__ import annotations

import argparse
import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.benchmark import geomean
from soljit.cli.screen import print_table


@dataclass
class Results:
    """A file of results. `best` maps (kernel, framework) to the fastest right variant's record."""

    machine: dict[str, Any]
    best: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    wrong: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)

    def names(self, position: int) -> list[str]:
        """Kernels (0) or frameworks (1) in the order of the file."""
        keys = list(self.best)
        keys += [(r["kernel"], r["framework"]) for r in self.wrong + self.failed]
        return list(dict.fromkeys(k[position] for k in keys))


def speedup(record: dict[str, Any]) -> float:
    """Times faster than NumPy in the same process."""
    return float(record["numpy_median"] / record["median"])


def read(path: Path) -> Results:
    """The results of a file of JSON lines."""
    results = Results({})
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if "machine" in record:
            results.machine = record["machine"]
        elif "skipped" in record:
            results.skipped.append(record)
        elif "failed" in record:
            results.failed.append(record)
        elif not record["right"]:
            results.wrong.append(record)
        else:
            key = (record["kernel"], record["framework"])
            if key not in results.best or speedup(record) > speedup(results.best[key]):
                results.best[key] = record
    return results


def table(options: argparse.Namespace) -> int:
    """The command `table`."""
    results = read(Path(options.results))
    frameworks = [f for f in results.names(1) if f != "numpy"]
    kernels = sorted(results.names(0))
    about = results.machine
    print(f"{about.get('cpu')}, {about.get('cores')} cores, Python {about.get('python')}, {about.get('packages')}\n")

    def cell(kernel: str, framework: str) -> str:
        record = results.best.get((kernel, framework))
        if record is not None:
            return f"{speedup(record):.2f}"
        for name, records in (("wrong", results.wrong), ("failed", results.failed)):
            if any((r["kernel"], r["framework"]) == (kernel, framework) for r in records):
                return name
        return "-"

    rows = [[k, *(cell(k, f) for f in frameworks)] for k in kernels]
    per = {f: [r for (_, g), r in results.best.items() if g == f] for f in frameworks}
    bold = "**{}**" if options.markdown else "{}"
    rows.append([bold.format("geometric mean")] + [bold.format(f"{geomean([*map(speedup, per[f])]):.2f}") for f in per])
    rows.append(["right results"] + [f"{len(per[f])} of {len(kernels)}" for f in per])
    rows.append(["slower than NumPy"] + [str(sum(speedup(r) < 1 for r in per[f])) for f in per])
    first = {f: [r["first"] for r in per[f]] or [float("nan")] for f in per}
    rows.append(["first call, median, s"] + [f"{statistics.median(first[f]):.2f}" for f in per])
    rows.append(["first call, slowest, s"] + [f"{max(first[f]):.2f}" for f in per])
    print_table("times faster than NumPy (medians)", ["kernel", *frameworks], rows, options.markdown)

    for framework in frameworks:
        slow = sorted((speedup(r), r["kernel"]) for r in per[framework] if speedup(r) < 0.95)
        if slow:
            print(f"\n{framework} is slower than NumPy: " + ", ".join(f"{k} {s:.2f}" for s, k in slow))
    for title, records in (("wrong", results.wrong), ("failed", results.failed)):
        for r in records:
            text = r.get("failed") or f"error {r['error']:.1e} {r.get('differences', '')}"
            shown = text if options.verbose else " ".join(text.split())[:160]
            print(f"{title}: {r['kernel']} · {r['framework']} · {r['variant']}: {shown}")
    for reason in dict.fromkeys((r["framework"], r["skipped"]) for r in results.skipped):
        print(f"skipped: {reason[0]}: {reason[1]}")
    return 0
