"""`python -m tests.fuzz --seed S --count N --minutes M --shrink`: try programs, write those that fail to a folder.

Every program is run in the modes of --modes (`modes.py`): "interpreted", "optimized", "scheduled" (by a random schedule), "without" (a pass, which the
seed chooses) or "without PASS" need no C++ compiler and take tenths of a second; "quick" compiles with -O1,
"compiled" as users do. "quick/10" is done for every tenth program only.

FOLDER/results.txt takes one line "seed mode outcome" for each run; what stands there is not run again, so an
interrupted run goes on where it was. The exit status is 1 if anything has failed.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np  # noqa: F401  (before the children fork)

from tests.fuzz import (
    bindings,
    classes,
    containers,
    functions,
    grammar,
    helpers,
    lists,
    nested,
    packages,
    pipelines,
    rows,
    scalars,
    subscripts,
    tries,
)
from tests.fuzz.grammar import is_exact
from tests.fuzz.judge import FAILURES, judge, verdict_or_bug
from tests.fuzz.modes import COMPILED, mode
from tests.fuzz.shrink import shrink
from tests.fuzz.workers import Pool

Task = tuple[str, int, str, int]  # grammar, seed, mode, statements
GRAMMARS: dict[str, Callable[[int, int], str]] = {
    "arrays": grammar.program,
    "helpers": helpers.program,
    "classes": classes.program,
    "instances": classes.with_arguments,
    "containers": containers.program,
    "lists": lists.program,
    "nested": nested.program,
    "rows": rows.program,
    "functions": functions.program,
    "tries": tries.program,
    "scalars": scalars.program,
    "pipelines": pipelines.program,
    "bindings": bindings.program,
    "subscripts": subscripts.program,
    "packages": packages.program,
    "decorated": packages.decorated,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--grammar", default="arrays", choices=GRAMMARS, help="what the programs are about")
    parser.add_argument("--seed", type=int, default=0, help="number of the first program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--size", type=int, default=0, help="statements of a program; 0: most have few, some many")
    parser.add_argument("--modes", default="optimized,interpreted/4,without/4,quick/8")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--shrink", action="store_true", help="make failing programs small ")
    parser.add_argument("--seconds", type=float, default=60, help="for making one program small")
    parser.add_argument("--folder", default="fuzz-failures")
    parser.add_argument("--show", action="store_true", help="print the programs only")
    parser.add_argument("--kinds", default=",".join(FAILURES), help="outcomes that are written to the folder")
    options = parser.parse_args()
    if options.show:
        seeds = range(options.seed, options.seed + options.count)
        make = GRAMMARS[options.grammar]
        print(*(make(s, statements(s, options.size)) for s in seeds), sep="\n\n")
        return 0
    return Run(options).all()


class Run:
    """One run over a range of seeds."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.results = self.folder / "results.txt"
        lines = self.results.read_text().splitlines() if self.results.exists() else []
        self.known = {(s.split(" ", 1)[0], s.split(" ", 1)[1].rsplit(" ", 1)[0]) for s in lines}
        self.tally = collections.Counter(s.rsplit(" ", 1)[1] for s in lines)
        self.end = time.monotonic() + 60 * options.minutes
        self.start, self.runs = time.monotonic(), 0

    def all(self) -> int:
        """Run everything; the exit status."""
        with Pool(attempt, self.options.jobs) as pool, self.results.open("a") as out:
            for (_, seed, name, size), answer, trouble in pool.run(((t, t) for t in self.tasks()), 120):
                outcome, detail = answer or (trouble.partition(":")[0], trouble)
                out.write(f"{seed} {name} {outcome}\n")
                out.flush()
                self.count(outcome, detail)
                if outcome in self.options.kinds.split(","):
                    self.keep(seed, name, size, outcome, detail)
        print(file=sys.stderr)
        for key, n in self.tally.most_common():
            print(f"{n:7} {key}")
        return 1 if any(self.tally[k] for k in FAILURES) else 0

    def tasks(self) -> Iterator[Task]:
        for seed in range(self.options.seed, self.options.seed + self.options.count):
            for part in self.options.modes.split(","):
                name, _, every = part.partition("/")
                if time.monotonic() > self.end:
                    return
                if seed % int(every or 1) == 0 and (str(seed), name) not in self.known:
                    yield self.options.grammar, seed, name, statements(seed, self.options.size)

    def count(self, outcome: str, detail: str) -> None:
        self.runs += 1
        self.tally[outcome] += 1
        if outcome not in ("ok", "skip"):
            self.tally["  " + reason(detail)] += 1
        if self.runs % 10 == 0 and sys.stderr.isatty():
            bad = sum(self.tally[k] for k in FAILURES)
            speed = self.runs / (time.monotonic() - self.start)
            print(f"\r{self.runs} runs, {speed:.1f} a second, {bad} failures ", end="", file=sys.stderr, flush=True)

    def keep(self, seed: int, name: str, size: int, outcome: str, detail: str) -> None:
        """Write a failing program, made small if that is wanted."""
        print(f"\nseed {seed} {name}: {outcome}", file=sys.stderr, flush=True)
        with Pool(written, 1) as pool:
            ((_, source, trouble),) = pool.run([(seed, (self.options.grammar, seed, size))], 60)
        if source is None:  # plain NumPy came to an end with it
            print(f"while the program was written: {trouble}", file=sys.stderr, flush=True)
            return
        settings = mode(name, seed)
        if self.options.shrink:
            was = reason(detail)

            def fails(text: str) -> bool:
                now, why = judge(text, settings, timeout=30)
                return now == outcome and reason(why) == was

            source = shrink(source, fails, self.options.seconds)
            outcome, detail = judge(source, settings)
        note = "\n".join("# " + s for s in f"seed {seed} {name}: {outcome}\n{detail}".split("\n"))
        (self.folder / f"seed_{seed}_{name.replace(' ', '_')}.py").write_text(f"{source}\n\n{note}\n")


def statements(seed: int, size: int) -> int:
    """How many statements a program has. Small ones are written, lowered and made small in a tenth of the time."""
    return size or random.Random(seed).choice((1, 1, 1, 2, 2, 3, 4, 8))


def written(task: tuple[str, int, int]) -> str:
    """The text of a program (in a worker)."""
    kind, seed, size = task
    return GRAMMARS[kind](seed, size)


def attempt(task: Task) -> tuple[str, str]:
    """Write and judge one program (in a worker)."""
    kind, seed, name, size = task
    try:
        source = GRAMMARS[kind](seed, size)
    except (MemoryError, RecursionError):
        return "skip", "the program takes too much memory"
    outcome, detail = verdict_or_bug((source, mode(name, seed)))
    if outcome in ("value", "exception", "message") and name not in COMPILED and not is_exact(source):
        if verdict_or_bug((source, mode("quick")))[0] == "ok":
            return "skip", "the interpreter adds up in another order than NumPy and compiled code"
    return outcome, detail


def reason(detail: str) -> str:
    """What a refusal, an internal error or a difference is about, without names and numbers: equal for equal causes."""
    lines = [s.strip() for s in detail.split("\n") if s.strip()]
    found = lines[1] if detail.startswith("compiled code differs") and len(lines) > 1 else (lines or [""])[-1]
    for k, s in enumerate(lines):
        if s.startswith("^"):
            found = lines[k + 1] if k + 1 < len(lines) else s
            break
    if "a bug in soljit" in found:
        found = found.partition("): ")[2] or found
        found = next((s for s in lines if s.startswith("f, line")), found).split(": ", 1)[-1]
    found = re.sub(r"\[[^\]]*\]", "[]", found)
    if " instead of " in found and "exception" not in found and "message" not in found and "dtype" not in found:
        found = re.sub(r":.* instead of .*", ": value", found)
    return re.sub(r"-?\d+(\.\d*)?(e[-+]?\d+)?|\b[a-z]\b|\b\w_\w+\b", "#", found)[:110]


if __name__ == "__main__":
    sys.exit(main())
