"""`python -m tests.fuzz --seed S --count N --minutes M --shrink`: try programs, write those that fail to a folder.

--settings takes keywords for `sol.jit` ("parallel=False, fp='strict'"); --without runs every program once more for
each pass left out; --interpret compares with the interpreter of the IR instead of compiled code; --show prints a
program and does nothing else.
"""

from __future__ import annotations

import argparse
import collections
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np  # noqa: F401  (before the children fork)

import soljit
from soljit.passes import pipeline
from tests.fuzz.grammar import program
from tests.fuzz.judge import FAILURES, judge
from tests.fuzz.shrink import shrink


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0, help="number of the first program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--size", type=int, default=8, help="statements of a program")
    parser.add_argument("--shrink", action="store_true", help="make failing programs small (up to two minutes each)")
    parser.add_argument("--folder", default="fuzz-failures")
    parser.add_argument("--settings", default="", help="keywords for sol.jit")
    parser.add_argument("--without", action="store_true", help="also with each pass left out")
    parser.add_argument("--interpret", action="store_true", help="run the IR's interpreter")
    parser.add_argument("--show", action="store_true", help="print the programs only")
    parser.add_argument("--kinds", default=",".join(FAILURES), help="outcomes that count as failures")
    options = parser.parse_args()
    if options.show:
        print(*(program(options.seed + k, options.size) for k in range(options.count)), sep="\n\n")
        return 0
    cache = tempfile.mkdtemp(prefix="soljit-fuzz-")
    try:
        with soljit.settings(cache_dir=cache):
            return _run(options)
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def modes(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Name → keywords for `sol.jit`."""
    base: dict[str, Any] = eval(f"dict({options.settings})")
    if options.interpret:
        base["target"] = "interpreter"
    out = {"": base}
    if options.without:
        names = dict.fromkeys(p.__name__ for p in pipeline.PIPELINE)
        out |= {f"without {n}": base | {"without": n} for n in names}
    return out


def _run(options: argparse.Namespace) -> int:
    tally: collections.Counter[str] = collections.Counter()
    kinds = options.kinds.split(",")
    end = time.monotonic() + 60 * options.minutes
    folder = Path(options.folder)
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end:
            break
        source = program(seed, options.size)
        for name, settings in modes(options).items():
            outcome, detail = judge(source, settings)
            tally[outcome] += 1
            if outcome in ("unsupported", "internal"):
                tally["  " + reason(detail)] += 1
            if outcome not in kinds:
                continue
            print(f"seed {seed} {name}: {outcome}", file=sys.stderr, flush=True)
            if options.shrink:

                def fails(
                    text: str, settings: dict[str, Any] = settings, outcome: str = outcome, was: str = reason(detail)
                ) -> bool:
                    now, why = judge(text, settings, timeout=30)
                    return now == outcome and (outcome != "internal" or reason(why) == was)

                source = shrink(source, fails)
                outcome, detail = judge(source, settings)
            folder.mkdir(parents=True, exist_ok=True)
            note = "\n".join("# " + s for s in f"seed {seed} {name}: {outcome}\n{detail}".split("\n"))
            (folder / f"seed_{seed}{name.replace(' ', '_')}.py").write_text(f"{source}\n\n{note}\n")
    for key, n in tally.most_common():
        print(f"{n:6} {key}")
    return 1 if any(tally[k] for k in kinds) else 0


def reason(detail: str) -> str:
    """The line of a refusal or internal error that says what it is about."""
    lines = [s.strip() for s in detail.split("\n") if s.strip()]
    for k, s in enumerate(lines):
        if s.startswith("^"):
            return lines[k + 1][:110] if k + 1 < len(lines) else s
    named = [s for s in lines if "Error" in s]
    return (named or lines or [""])[-1][:110]


if __name__ == "__main__":
    sys.exit(main())
