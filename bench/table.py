"""Print results: seconds, spread and speedups over NumPy, means over common sets, first calls, what is slower, what failed."""

from __future__ import annotations

import argparse
import math
import statistics
from pathlib import Path

from bench.records import Record, Results, geomean, is_certain, read, speedup, spread
from soljit.cli.screen import print_table


def table(options: argparse.Namespace) -> int:
    """The command `table`."""
    show(read(Path(options.results)), options.markdown, options.verbose)
    return 0


def show(results: Results, markdown: bool = False, verbose: bool = False) -> None:
    """Everything about a file of results."""
    frameworks = results.frameworks
    kernels = sorted(results.names(0))
    about = results.machine
    print(f"{about.get('cpu')}, {about.get('cores')} cores, Python {about.get('python')}, {about.get('packages')}")
    print("A cell is seconds, distance of the quartiles, times faster than NumPy (medians; ~ if the quartiles leave")
    print("open which is faster). NumPy was timed in the same process right after.\n")
    rows = [[k, _numpy_cell(results, k), *(_cell(results, k, f) for f in frameworks)] for k in kernels]
    bold = "**{}**" if markdown else "{}"
    rows += [[bold.format(head), "", *map(bold.format, cells)] for head, cells in _means(results, frameworks)]
    per = {f: [r for (_, g), r in results.best.items() if g == f] for f in frameworks}
    rows.append(["right results", ""] + [f"{len(per[f])} of {len(kernels)}" for f in per])
    rows.append(["slower than NumPy", ""] + [str(len(_slower(per[f]))) for f in per])
    first = {f: [r["first"] for r in per[f]] or [math.nan] for f in per}
    rows.append(["first call, median", ""] + [seconds(statistics.median(first[f])) for f in per])
    rows.append(["first call, slowest", ""] + [seconds(max(first[f])) for f in per])
    print_table("times", ["kernel", "NumPy", *frameworks], rows, markdown)
    _remarks(results, per, verbose)


def seconds(s: float) -> str:
    """A time with its unit, three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if s >= size:
            return f"{s / size:.3g} {unit}"
    return "-" if math.isnan(s) else f"{s / 1e-9:.3g} ns"


def _time(record: Record, of: str = "") -> str:
    apart = spread(record, of)
    return seconds(record[f"{of}median"]) + ("" if math.isnan(apart) else f" ±{100 * apart:.0f}%")


def _numpy_cell(results: Results, kernel: str) -> str:
    """NumPy's time beside the first framework."""
    found = [r for (k, _), r in results.best.items() if k == kernel]
    return _time(found[0], "numpy_") if found else "-"


def _cell(results: Results, kernel: str, framework: str) -> str:
    record = results.best.get((kernel, framework))
    if record is None:
        return results.verdict(kernel, framework)
    return f"{_time(record)}  {'' if is_certain(record) else '~'}{speedup(record):.2f}x"


def _means(results: Results, frameworks: list[str]) -> list[tuple[str, list[str]]]:
    """Rows of geometric means, each with the set that it is over."""
    common = results.right(frameworks)
    rows = [(f"geometric mean over these {len(common)}", [f"{results.mean(f, common):.2f}x" for f in frameworks])]
    if any(len(results.right([f])) != len(common) for f in frameworks):
        rows[0] = (f"geometric mean over the {len(common)} that all do right", rows[0][1])
        own = [results.right([f]) for f in frameworks]
        cells = [f"{results.mean(f, k):.2f}x over {len(k)}" for f, k in zip(frameworks, own)]
        rows.append(("over those that it does right itself", cells))
    return rows


def _slower(records: list[Record]) -> list[Record]:
    return [r for r in records if speedup(r) < 1 and is_certain(r)]


def _remarks(results: Results, per: dict[str, list[Record]], verbose: bool) -> None:
    """What stands below the table."""
    frameworks = [*per]
    for other in frameworks[1:]:
        both = results.right([frameworks[0], other])
        if both:
            ratio = geomean([speedup(results.best[k, frameworks[0]]) / speedup(results.best[k, other]) for k in both])
            print(
                f"{frameworks[0]} over {other}: {ratio:.2f} (geometric mean over the {len(both)} kernels that both do right)"
            )
    for framework in frameworks:
        slow = sorted((speedup(r), r["kernel"]) for r in _slower(per[framework]))
        if slow:
            print(f"{framework} is slower than NumPy: " + ", ".join(f"{k} {s:.2f}" for s, k in slow))
    for title, records in (("wrong", results.wrong), ("failed", results.failed)):
        for r in records:
            text = r.get("failed") or f"error {r['error']:.1e} {r.get('differences', '')}"
            shown = text if verbose else " ".join(text.split())[:160]
            print(f"{title}: {r['kernel']} · {r['framework']} · {r['variant']}: {shown}")
    for framework, reason in dict.fromkeys((r["framework"], r["skipped"]) for r in results.skipped):
        print(f"skipped: {framework}: {reason}")
