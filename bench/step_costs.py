"""What the steps that reorder iterations cost when a function is compiled: with a step and without it, alternately, the least of several.

Milliseconds of the processor. *Pass*: the step's own pass, analysis and rewriting; *later*: the passes behind it, which see a longer program; *emission*: the text for the C++ compiler;
*compiler*: g++ or clang with that text. *Refused*: what all these passes take together in a program in which none of them does anything.
"""

from __future__ import annotations

import functools
import resource
import sys
import tempfile
import time
import types
from collections.abc import Collection, Sequence
from typing import Any

from bench.benchmark import Source, load, names
from soljit.cli.screen import print_table

PASSES = {
    "push": "push_reductions",
    "delay": "delay_loops",
    "jam": "jam_loops",
    "skew": "skew_loops",
    "stream": "stream_rows",
    "strip": "strip_maps",
    "mirror": "mirror_maps",
    "hold": "hold_sums",
    "peel": "peel_ends",
    "interleave": "interleave_loops",
}
ADDED = 50  # milliseconds that a step may add: the target


def _forget() -> None:
    """Empty what is remembered of expressions: each function is compiled as if it were the first."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("soljit."):
            for x in vars(module).values():
                if isinstance(x, functools._lru_cache_wrapper):
                    x.cache_clear()


def _passes_and_text(
    function: Any, values: Sequence[Any], without: Collection[str]
) -> tuple[dict[str, float], Any, Any]:
    """Milliseconds of each pass and of emission, the text, and the recipe."""
    from bench.compile_time import lowered
    from soljit.base.settings import DEFAULTS
    from soljit.driver import context
    from soljit.passes import manager
    from soljit.passes.pipeline import optimize
    from soljit.runtime.store.cache import open_cache
    from soljit.targets.table import find_target

    target = find_target("", "cpu")
    machine = target.machine(DEFAULTS, open_cache(DEFAULTS))
    _forget()
    program = lowered(function, values).program
    cx = context(DEFAULTS, target, machine)
    cx.disabled = frozenset(without)
    usual, manager.time = manager.time, types.SimpleNamespace(perf_counter=time.process_time)  # type: ignore[assignment]
    try:
        program = optimize(program, cx)
    finally:
        manager.time = usual
    begun = time.process_time()
    source = target.emit(program, fp="strict", features=target.features(machine))
    spent = {name: 1e3 * s for name, s in cx.timings.items()}
    return spent | {"emission": 1e3 * (time.process_time() - begun)}, source, cx.policy.taken


def _compiler(source: Any) -> float:
    """Milliseconds of the C++ compiler for this text."""
    from soljit.base.settings import DEFAULTS
    from soljit.base.trace import Trace
    from soljit.runtime.store.cache import open_cache
    from soljit.targets.table import find_target

    target, usual = find_target("", "cpu"), open_cache(DEFAULTS)
    machine = target.machine(DEFAULTS, usual)
    with tempfile.TemporaryDirectory() as folder:
        cache = open_cache(DEFAULTS._replace(cache_dir=folder))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        target.build(source, {}, machine, DEFAULTS, cache, Trace("", 0))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _measured(
    function: Any, values: Sequence[Any], without: Sequence[Collection[str]], repeat: int
) -> list[dict[str, float]]:
    """The least of each part for several sets of passes that are left out, one after the other in each round."""
    found: list[dict[str, float]] = [{} for _ in without]
    for _ in range(repeat):
        for best, passes in zip(found, without):
            spent, source, _ = _passes_and_text(function, values, passes)
            spent |= {"compiler": _compiler(source), "characters": len(source.text)}
            for name, s in spent.items():
                best[name] = min(s, best.get(name, s))
    return found


def _later(spent: dict[str, float], own: str) -> float:
    return sum(s for name, s in spent.items() if name not in (own, "emission", "compiler", "characters"))


def step_costs(wanted: str, suites: Sequence[str], repeat: int, markdown: bool) -> list[dict[str, Any]]:
    """Print the table of the steps, and what programs pay in which none is taken. wanted: names of programs, or "all"."""
    rows: list[dict[str, Any]] = []
    refused: list[tuple[float, float, str]] = []
    for suite in suites:
        for name in names(Source(suite)):
            if wanted != "all" and name not in wanted.split(","):
                continue
            b = load(name, "S", Source(suite))
            values = [*b.arguments.values()]
            spent, _, recipe = _passes_and_text(b.function, values, ())
            spent, _, recipe = _passes_and_text(b.function, values, ())
            taken = [step for step in PASSES if any(s.name == step for s in recipe.steps)]
            if not taken:
                refused.append((sum(spent.get(p, 0) for p in PASSES.values()), sum(spent.values()), name))
                continue
            with_all, *rest = _measured(b.function, values, [(), *([PASSES[s]] for s in taken)], repeat)
            for step, out in zip(taken, rest):
                own = PASSES[step]
                row = {
                    "step": step,
                    "program": name,
                    "pass": with_all[own],
                    "later": _later(with_all, own) - _later(out, own),
                }
                row |= {k: with_all[k] - out[k] for k in ("emission", "compiler", "characters")}
                row |= {"own": row["pass"] + row["later"] + row["emission"]}
                row |= {"whole": row["own"] + row["compiler"], "compiler without": out["compiler"]}
                rows.append(row)
            print(name, file=sys.stderr, flush=True)
    rows.sort(key=lambda r: (list(PASSES).index(r["step"]), -r["whole"]))
    columns = ("pass", "later", "emission", "own", "compiler", "whole")
    shown = [
        [
            r["step"],
            r["program"],
            *(f"{r[c]:.0f}" for c in columns),
            f"{r['characters']:.0f}",
            f"{r['compiler without']:.0f}",
        ]
        for r in rows
    ]
    head = ["step", "program", *columns, "characters more", "compiler without"]
    print_table(
        f"what steps add to compiling, in milliseconds of the processor (target: at most {ADDED})",
        head,
        shown,
        markdown,
    )
    shown = [[name, f"{ms:.1f}", f"{100 * ms / of:.0f} %"] for ms, of, name in sorted(refused, reverse=True)[:10]]
    print_table(
        f"what their refusals cost, the ten longest of {len(refused)}",
        ["program", "ms", "of the passes and emission"],
        shown,
        markdown,
    )
    return rows
