"""Files of results: one JSON record a line. What they hold, and what may be concluded from it.

The first line is about the machine. Another one is what one variant of a framework did on one benchmark: `skipped` or `failed` with the reason, or
`right`, `error`, the seconds of the `first` call, and of the later ones `median`, `min`, `low` and `high` (the quartiles) and how many `calls` there were;
the same of NumPy, timed right after in the same process, under `numpy_…`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]


@dataclass
class Results:
    """A file of results. `best` maps (kernel, framework) to the record of the fastest variant that is right."""

    machine: dict[str, Any]
    best: dict[tuple[str, str], Record] = field(default_factory=dict)
    wrong: list[Record] = field(default_factory=list)
    failed: list[Record] = field(default_factory=list)
    skipped: list[Record] = field(default_factory=list)

    def names(self, position: int) -> list[str]:
        """Kernels (0) or frameworks (1) in the order of the file."""
        keys = list(self.best)
        keys += [(r["kernel"], r["framework"]) for r in self.wrong + self.failed]
        return list(dict.fromkeys(k[position] for k in keys))

    @property
    def frameworks(self) -> list[str]:
        """Those that are compared with NumPy."""
        return [f for f in self.names(1) if f != "numpy"]

    def verdict(self, kernel: str, framework: str) -> str:
        """What became of a kernel that has no right result."""
        for name, records in (("wrong", self.wrong), ("failed", self.failed)):
            if any((r["kernel"], r["framework"]) == (kernel, framework) for r in records):
                return name
        return "-"

    def right(self, frameworks: Iterable[str]) -> list[str]:
        """Kernels that all these frameworks do right: the only set over which their means can be compared."""
        wanted = [*frameworks]
        return [k for k in sorted(self.names(0)) if all((k, f) in self.best for f in wanted)]

    def mean(self, framework: str, kernels: Iterable[str]) -> float:
        """Geometric mean of how many times faster than NumPy a framework is on these kernels."""
        return geomean([speedup(self.best[k, framework]) for k in kernels])


def speedup(record: Record) -> float:
    """Times faster than NumPy in the same process."""
    return float(record["numpy_median"] / record["median"])


def interval(record: Record) -> tuple[float, float]:
    """The speedup as the quartiles of both times allow it; where they were not kept, one twentieth around it."""
    if "low" not in record:
        return 0.95 * speedup(record), 1.05 * speedup(record)
    return record["numpy_low"] / record["high"], record["numpy_high"] / record["low"]


def is_certain(record: Record) -> bool:
    """Do the quartiles tell whether it is faster or slower than NumPy?"""
    low, high = interval(record)
    return not low <= 1 <= high


def spread(record: Record, of: str = "") -> float:
    """Distance of the quartiles over the median; NaN where they were not kept. of: "numpy_" for NumPy's."""
    if f"{of}low" not in record:
        return math.nan
    return float((record[f"{of}high"] - record[f"{of}low"]) / record[f"{of}median"])


def geomean(values: list[float]) -> float:
    """Geometric mean; NaN for nothing."""
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else math.nan


def read(path: Path) -> Results:
    """The results of a file; SystemExit with its name and line for what is none."""
    results = Results({})
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            record = json.loads(line)
            if "machine" in record:
                results.machine = record["machine"]
            else:
                _add(results, record)
        except (ValueError, KeyError, TypeError) as e:
            raise SystemExit(f"{path}:{number}: no record of `python -m bench run` ({type(e).__name__}: {e})") from e
    return results


def _add(results: Results, record: Record) -> None:
    key = (record["kernel"], record["framework"])
    if "skipped" in record:
        results.skipped.append(record)
    elif "failed" in record:
        results.failed.append(record)
    elif not record["right"]:
        results.wrong.append(record)
    elif key not in results.best or speedup(record) > speedup(results.best[key]):
        results.best[key] = record
