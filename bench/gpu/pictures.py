"""Pictures of what was measured on a GPU: rates of copies over their sizes, programs beside the bars, kernels beside NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def pictures(results: dict[str, Any], out: Path) -> list[Path]:
    """Draw what there is to be drawn; none without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no pictures: they need matplotlib (pip install 'soljit[bench]')")
        return []
    written = []
    title = f"{_name(results)} · {results['machine'].get('date', '')}"
    for name, draw in (("copies", _copies), ("bars", _bars), ("kernels", _kernels)):
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        axes = figure.subplots()
        if draw(results["records"], axes):
            axes.set_title(title, fontsize=9)
            path = out.with_name(f"{out.stem}-{name}.svg")
            figure.savefig(path)
            written.append(path)
    return written


def _name(results: dict[str, Any]) -> str:
    return next((r["name"] for r in results["records"] if r.get("what") == "device"), results["device"])


def _copies(records: list[dict[str, Any]], axes: Any) -> bool:  # any: matplotlib has no types everywhere
    rows = [r for r in records if r.get("part") in ("link", "memory") and "rate" in r]
    for what in dict.fromkeys(r["what"] for r in rows):
        own = [r for r in rows if r["what"] == what]
        axes.plot([r["bytes"] for r in own], [r["rate"] / 1e9 for r in own], marker="o", label=what)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("bytes")
    axes.set_ylabel("GB/s")
    if rows:
        axes.legend(fontsize=7)
    return bool(rows)


def _bars(records: list[dict[str, Any]], axes: Any) -> bool:
    rows = [r for r in records if r.get("part") == "bars" and "of_copy" in r]
    keys = [*dict.fromkeys((r["what"], r["dtype"], r["bytes"]) for r in rows)]
    frameworks = [*dict.fromkeys(r["framework"] for r in rows)]
    for k, framework in enumerate(frameworks):
        own = {(r["what"], r["dtype"], r["bytes"]): r["of_copy"] for r in rows if r["framework"] == framework}
        places = [y + (k - len(frameworks) / 2) * 0.8 / len(frameworks) for y in range(len(keys))]
        axes.barh(places, [own.get(key, 0.0) for key in keys], 0.8 / len(frameworks), label=framework, align="edge")
    demands = {(r["what"], r["dtype"], r["bytes"]): r["demand"] for r in rows}
    for y, key in enumerate(keys):
        axes.plot([demands[key]] * 2, [y - 0.4, y + 0.4], color="black", linewidth=1)
    axes.set_yticks(range(len(keys)), [f"{w} {d} {b >> 20} MiB" for w, d, b in keys], fontsize=7)
    axes.set_xlabel(
        "bytes that a step must move, over its time, over the rate of a copy on the device; lines: what is demanded"
    )
    if rows:
        axes.legend(fontsize=7)
    return bool(rows)


def _kernels(records: list[dict[str, Any]], axes: Any) -> bool:
    rows = [r for r in records if str(r.get("part", "")).startswith("kernel:") and "median" in r]
    numpys = {r["what"]: r["median"] for r in rows if r["framework"] == "numpy"}
    others = [r for r in rows if r["framework"] != "numpy" and r["what"] in numpys and r.get("right")]
    labels = [*dict.fromkeys((r["framework"], r["variant"]) for r in others)]
    names = [*numpys]
    for k, label in enumerate(labels):
        own = {r["what"]: numpys[r["what"]] / r["median"] for r in others if (r["framework"], r["variant"]) == label}
        places = [y + (k - len(labels) / 2) * 0.8 / len(labels) for y in range(len(names)) if names[y] in own]
        axes.barh(places, [own[n] for n in names if n in own], 0.8 / len(labels), label=", ".join(label), align="edge")
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_xlabel("times faster than NumPy")
    if others:
        axes.legend(fontsize=7)
    return bool(others)
