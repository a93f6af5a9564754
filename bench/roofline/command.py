"""The command `roofline`: the time of each kernel beside the least that the machine allows for what it must do.

The bound of a kernel is the longer of two times: its operations at the measured peak, and its least bytes (each argument read once, each result and changed argument written once)
at the rate of the memory, or of the cache that holds them all. `as written` is the same with what its loops ask for, as the compiler has them before loops over time are cut into blocks: bytes
of each nest from the level that holds all arrays, and each load and store of the innermost loops from the first cache.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import soljit as sol
from bench.benchmark import Benchmark, Source, leaves_of, load, names
from bench.records import Record
from bench.roofline.counts import counted
from bench.roofline.peaks import Peaks, peaks
from bench.roofline.picture import picture
from bench.run import machine
from bench.table import seconds as with_unit
from bench.worker import timed
from soljit.base.processors import default_threads
from soljit.cli.screen import Screen, print_table

ENOUGH = 0.6  # of the bound
HEADS = ["kernel", "time", "Gop/s", "op/byte", "bound", "by", "share", "as written", "by", ""]


def add_options(c: argparse.ArgumentParser) -> None:
    """The options of the command."""
    c.add_argument("kernels", nargs="*", help="all by default")
    c.add_argument("--suite", default="kernels", choices=("kernels", "programs"))
    c.add_argument("--preset", default="M", choices=["tiny", "S", "M", "L", "paper"])
    c.add_argument(
        "--threads", type=int, default=0, help="of soljit and of the measured peaks; as many as soljit takes by default"
    )
    c.add_argument("--budget", type=float, default=1.0, help="seconds of repeated calls")
    c.add_argument("--repeat", type=int, default=15, help="most repeated calls")
    c.add_argument(
        "--busy", action="store_true", help="for a machine with other work: one thread, and seconds of the processor"
    )
    c.add_argument("--from", dest="given", default="", metavar="FILE", help="a file of results: nothing is measured")
    c.add_argument("--out", default="bench/results/roofline.jsonl", help="the picture lies beside it")
    c.add_argument("--quick", action="store_true", help="peaks of no worth, to see that everything works")
    c.add_argument("--markdown", action="store_true")
    c.set_defaults(function=roofline)


def roofline(options: argparse.Namespace) -> int:
    """Measure, or read what was measured; then print and draw. The exit status tells whether a kernel failed."""
    out = Path(options.given or options.out)
    if not options.given:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("".join(json.dumps(r) + "\n" for r in measure(options)))
    head, *records = [json.loads(line) for line in out.read_text().splitlines()] or [{}]
    if "peaks" not in head:
        raise SystemExit(f"{out}: no file of `python -m bench roofline`")
    show(head, records, options.markdown)
    for path in (out, *picture(head, records, out.with_suffix(".svg"))):
        print(path)
    return 1 if any("failed" in r for r in records) else 0


def measure(options: argparse.Namespace) -> list[Record]:
    """The line about the machine, then one for each kernel."""
    source = Source(options.suite)
    known = names(source)
    kernels = options.kernels or known
    if unknown := [k for k in kernels if k not in known]:
        raise SystemExit(f"unknown: {', '.join(unknown)}")
    threads = 1 if options.busy else options.threads or default_threads()
    records: list[Record] = []
    with Screen(len(kernels) + 1) as screen, sol.settings(num_threads=threads):
        screen.begin("what the machine can do")
        found = peaks(threads, options.quick)
        screen.advance()
        for name in kernels:
            screen.begin(name)
            try:
                record = of(load(name, options.preset, source), found, options)
                screen.line(f"{name:26s} {with_unit(record['seconds']):>8s}  {share(record):5.0%}")
            except Exception as e:  # noqa: BLE001 (the next one goes on)
                record = {"failed": f"{type(e).__name__}: {e}"[:300]}
                screen.line(f"{name:26s} FAILED: {record['failed']}")
            records.append({"kernel": name, "preset": options.preset} | record)
            screen.advance()
    return [{"machine": machine() | {"busy": options.busy}, "peaks": asdict(found)}, *records]


def of(benchmark: Benchmark, found: Peaks, options: argparse.Namespace) -> Record:
    """What one kernel must do, and what it takes."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        f = sol.jit(strict=True)(benchmark.function)
        arguments = benchmark.fresh()
        result = f(*arguments)
        written = _bytes(benchmark.outcome(arguments, result).values())
        turns = getattr(benchmark.module, "turns", None)
        c = counted(benchmark.function, benchmark.fresh(), None if turns is None else turns(result))
        clock = time.process_time if options.busy else time.perf_counter
        took = min(timed(f, benchmark, options.budget, options.repeat, clock))
        least = written + _bytes(x for k, v in benchmark.arguments.items() for x in leaves_of(k, v).values())
        arithmetic = found.seconds(c.operations)
    level, all_level = found.level(least), found.level(c.memory)
    return {
        "seconds": took,
        "least": least,
        "limits": {"arithmetic": arithmetic, level: least / found.bytes[level]},
        "loops": {
            "asked": c.asked / found.bytes[all_level],
            "L1": c.touched / found.bytes.get("L1", found.bytes[level]),
        },
        "level": all_level,
        **asdict(c),
    }


def _bytes(values: Iterator[Any] | Any) -> int:
    return sum(x.nbytes for x in values if isinstance(x, np.ndarray))


def bound(record: Record) -> tuple[float, str]:
    """The least time of a kernel, and what takes it."""
    return max((s, what) for what, s in record["limits"].items())


def share(record: Record) -> float:
    """Which part of the time is the bound."""
    return bound(record)[0] / float(record["seconds"])


def as_written(record: Record) -> tuple[float, str]:
    """The least time of its loops as they are written, and what takes it."""
    loops = record["loops"]
    return max((record["limits"]["arithmetic"], "arithmetic"), (loops["asked"], record["level"]), (loops["L1"], "L1"))


def show(head: Record, records: list[Record], markdown: bool = False) -> None:
    """The table, the nearest to its bound first."""
    about, p = head["machine"], head["peaks"]
    print(
        f"{about.get('cpu')}, {p['threads']} of {about.get('cores')} cores, {about.get('date')}{_busy(about)}; GB/s: ",
        end="",
    )
    print(", ".join(f"{k} {rate / 1e9:.3g}" for k, rate in p["bytes"].items()), end="; 10^9 operations a second: ")
    print(
        ", ".join(
            f"{k} {rate / 1e9:.3g}"
            for k, rate in p["operations"].items()
            if k[:6] in ("simple", "fused ") and k[-3:] in ("f64", "f32")
        )
    )
    rows = []
    measured = [r for r in records if "failed" not in r]
    for r in sorted(measured, key=share, reverse=True):
        count, (least, by), (loops, loops_by) = sum(r["operations"].values()), bound(r), as_written(r)
        cells = [
            r["kernel"],
            with_unit(r["seconds"]),
            f"{count / r['seconds'] / 1e9:.3g}",
            f"{count / max(1, r['least']):.3g}",
        ]
        cells += [with_unit(least), by, f"{share(r):.0%}", f"{loops / r['seconds']:.0%}", loops_by, remarks(r)]
        rows.append(cells)
    print_table("share of the roofline", HEADS, rows, markdown)
    enough = sum(share(r) >= ENOUGH for r in measured)
    print(f"{enough} of {len(measured)} reach {ENOUGH:.0%} of their bound")
    for r in records:
        if "failed" in r:
            print(f"failed: {r['kernel']}: {r['failed']}")


def _busy(about: Record) -> str:
    return ", a busy machine: seconds of the processor" if about.get("busy") else ""


def remarks(r: Record) -> str:
    """What the counts do not say: guesses, calls, and operations that are slower than additions, by their part of the bound."""
    slow = sorted(k.partition(" ")[0] for k in r["operations"] if k.partition(" ")[0] not in ("simple", "fused"))
    calls = [
        f"{r[k]:.0f} {word}" for k, word in (("libraries", "of the BLAS or NumPy"), ("callbacks", "of Python")) if r[k]
    ]
    return ("~ " if r["guesses"] else "") + ", ".join([*calls, *dict.fromkeys(slow)])
