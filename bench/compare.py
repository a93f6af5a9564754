"""Two files of results side by side: what became faster, slower, right or wrong."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.records import geomean, read, speedup
from soljit.cli.screen import print_table


def compare(options: argparse.Namespace) -> int:
    """The command `compare`; the exit status is 1 if something that was right no longer is."""
    old, new = read(Path(options.old)), read(Path(options.new))
    rows: list[tuple[float, list[str]]] = []
    for key in sorted(old.best.keys() & new.best.keys()):
        a, b = speedup(old.best[key]), speedup(new.best[key])
        firsts = [f"{r.best[key]['first']:.2f}" for r in (old, new)]
        rows.append((b / a, [" · ".join(key), f"{a:.2f}", f"{b:.2f}", f"{b / a:.2f}", *firsts]))
    rows.sort(key=lambda row: row[0])
    heads = ["kernel · framework", "old", "new", "new/old", "first old, s", "first new, s"]
    shown = [r for q, r in rows if options.all or not 0.95 < q < 1.05]
    print_table("times faster than NumPy", heads, shown)
    print(f"geometric mean of new/old over {len(rows)}: {geomean([q for q, _ in rows]):.3f}")
    tried = {(r["kernel"], r["framework"]) for r in new.wrong + new.failed}
    lost = sorted((old.best.keys() - new.best.keys()) & tried)
    for key in lost:
        print("no longer right:", " · ".join(key))
    tried = {(r["kernel"], r["framework"]) for r in old.wrong + old.failed}
    for key in sorted((new.best.keys() - old.best.keys()) & tried):
        print("now right:", " · ".join(key))
    return 1 if lost else 0
