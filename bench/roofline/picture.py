"""The roofline as a picture: operations a second over operations a byte, the roofs as lines, a point for each kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.records import Record


def picture(head: Record, records: list[Record], path: Path) -> list[Path]:
    """Draw it; nothing without matplotlib."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        print("no picture: it needs matplotlib (pip install 'soljit[bench]')")
        return []
    points = [_point(r) for r in records if "failed" not in r and r["least"] and sum(r["operations"].values())]
    if not points:
        return []
    figure = Figure(figsize=(10, 6.5), layout="constrained")
    axes = figure.subplots()
    _roofs(head["peaks"], axes, min(p[0] for p in points) / 2)
    for x, y, near, name in points:
        axes.plot([x], [y], marker="o", markersize=4, linestyle="", color="C0" if near else "C3")
        axes.annotate(name, (x, y), xytext=(3, 2), textcoords="offset points", fontsize=6)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("operations a byte (arguments read once, results written once)")
    axes.set_ylabel("10^9 operations a second")
    about = head["machine"]
    title = f"{about.get('cpu', '')}, {head['peaks']['threads']} of {about.get('cores')} cores, preset {records[0]['preset']}, {about.get('date', '')}"
    axes.set_title(f"{title} · blue: at least 60 % of the bound", fontsize=9)
    axes.grid(linewidth=0.3)
    with rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "roofline"}
    ):  # letters as text, and the same file each time
        figure.savefig(path, metadata={"Date": None})
    return [path]


def _point(r: Record) -> tuple[float, float, bool, str]:
    count = sum(r["operations"].values())
    return count / r["least"], count / r["seconds"] / 1e9, max(r["limits"].values()) >= 0.6 * r["seconds"], r["kernel"]


def _roofs(peaks: Record, axes: Any, low: float) -> None:  # any: matplotlib has no types everywhere
    flat = {k: rate for k, rate in peaks["operations"].items() if k in ("simple f64", "simple f32", "fused f64")}
    top = peaks["operations"]["simple f64"]
    for k, (name, rate) in enumerate(flat.items()):
        text = {"simple": "additions and multiplications", "fused": "fused"}[name.partition(" ")[0]]
        axes.axhline(rate / 1e9, color="black", linewidth=0.8, linestyle=("-", "--", ":")[k])
        way, down = axes.get_yaxis_transform(), name.startswith("fused")
        axes.text(
            0.99,
            rate / 1e9,
            f"{text}, {name[-3:]}",
            transform=way,
            ha="right",
            va="top" if down else "bottom",
            fontsize=7,
        )
    for name, rate in peaks["bytes"].items():
        axes.plot([low, top / rate], [low * rate / 1e9, top / 1e9], color="0.5", linewidth=0.8)
        axes.annotate(f"{name} {rate / 1e9:.3g} GB/s", (low, low * rate / 1e9), fontsize=7, va="bottom", color="0.3")
