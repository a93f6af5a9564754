"""Results as pictures: a heat map of kernels and frameworks, or bars with their spread."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from bench.records import Results, interval, read, speedup
from bench.table import seconds

MOST = 100.0  # times faster or slower at which the colours end


def plot(options: argparse.Namespace) -> int:
    """The command `plot`."""
    try:
        from matplotlib.figure import Figure
    except ImportError as e:
        raise SystemExit("pictures need matplotlib: pip install 'soljit[bench]'") from e
    results = read(Path(options.results))
    if not results.frameworks:
        raise SystemExit(f"{options.results} holds no results of any framework")
    draw = {"heatmap": heatmap, "bars": bars}[options.kind]
    figure = draw(results, Figure)
    out = Path(options.out or f"{Path(options.results).stem}_{options.kind}.png")
    figure.savefig(out, dpi=150, bbox_inches="tight")
    print(out)
    return 0


def _title(results: Results) -> str:
    about = results.machine
    parts = [about.get("cpu", ""), f"{about.get('cores', '?')} cores", about.get("date", "")]
    return "times faster than NumPy · " + ", ".join(p for p in parts if p)


def heatmap(results: Results, figure_class: Any) -> Any:  # any: matplotlib has no types everywhere
    """One row a kernel, one column a framework: blue is faster than NumPy, red is slower, grey has no right result."""
    kernels, frameworks = sorted(results.names(0)), results.frameworks
    figure = figure_class(figsize=(3.2 + 1.3 * len(frameworks), 1.4 + 0.26 * (len(kernels) + 1)))
    axes = figure.subplots()
    common = results.right(frameworks)
    head = f"geometric mean of {len(common)}"
    rows = [[_log(results.mean(f, common)) for f in frameworks]]
    rows += [
        [_log(speedup(results.best[k, f])) if (k, f) in results.best else math.nan for f in frameworks] for k in kernels
    ]
    end = math.log10(MOST)
    axes.imshow(rows, cmap="RdYlBu", vmin=-end, vmax=end, aspect="auto")
    axes.set_facecolor("0.85")
    axes.set_xticks(range(len(frameworks)), frameworks)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(kernels) + 1), [head, *(f"{k}  ({_numpy_time(results, k)})" for k in kernels)])
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            text = (
                f"{10**value:.3g}"
                if not math.isnan(value)
                else results.verdict(kernels[y - 1], frameworks[x])
                if y
                else "-"
            )
            colour = "white" if abs(value) > 0.75 * end else "black"
            axes.text(x, y, text, ha="center", va="center", fontsize=8, color=colour)
    axes.axhline(0.5, color="black", linewidth=1)
    axes.set_title(f"{_title(results)}\n(NumPy's own time in parentheses)", fontsize=9)
    return figure


def bars(results: Results, figure_class: Any) -> Any:  # any: matplotlib has no types everywhere
    """Kernels from the slowest to the fastest of the first framework, with what the quartiles allow."""
    frameworks = results.frameworks
    kernels = sorted(
        results.names(0),
        key=lambda k: speedup(results.best[k, frameworks[0]]) if (k, frameworks[0]) in results.best else 0,
    )
    figure = figure_class(figsize=(7, 1.2 + 0.2 * len(kernels) * (1 + 0.5 * (len(frameworks) - 1))))
    axes = figure.subplots()
    height = 0.8 / len(frameworks)
    for n, framework in enumerate(frameworks):
        found = [(y, results.best[k, framework]) for y, k in enumerate(kernels) if (k, framework) in results.best]
        places = [y + (n - (len(frameworks) - 1) / 2) * height for y, _ in found]
        values = [speedup(r) for _, r in found]
        apart = [[max(0.0, v - interval(r)[0]) for v, (_, r) in zip(values, found)]]
        apart.append([max(0.0, interval(r)[1] - v) for v, (_, r) in zip(values, found)])
        axes.barh(
            places, [v - 1 for v in values], height, left=1, xerr=apart, error_kw={"linewidth": 0.7}, label=framework
        )
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(kernels)), kernels, fontsize=8)
    axes.set_ylim(-0.6, len(kernels) - 0.4)
    axes.set_title(_title(results), fontsize=9)
    axes.grid(axis="x", linewidth=0.3)
    axes.legend(loc="lower right", fontsize=8)
    return figure


def _log(value: float) -> float:
    return math.log10(value) if value > 0 else math.nan


def _numpy_time(results: Results, kernel: str) -> str:
    found = [r for (k, _), r in results.best.items() if k == kernel]
    return seconds(found[0]["numpy_median"]) if found else "-"
