"""`python -m soljit demo`: compile real programs, check them against NumPy, time both, and tell what happened."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import soljit
from soljit.base.records import dataclass
from soljit.cli.demo_kernels import Demo, demos
from soljit.cli.screen import Screen, print_table

SECONDS = 1.0  # spent on timing one function
CLOSE = 1e-12  # of the largest element; sums may be taken in another order


@dataclass(frozen=True)
class Finding:
    """What the demo saw: times in seconds, and in a few words how the results compare."""

    first: float = float("nan")
    compiled: float = float("nan")
    plain: float = float("nan")
    verdict: str = ""
    right: bool = False


def leaves(value: Any) -> list[Any]:
    """Arrays and numbers in a result or in arguments."""
    return [x for v in value for x in leaves(v)] if isinstance(value, (tuple, list)) else [value]


def verdict(want: Any, got: Any) -> tuple[str, bool]:
    """How `got` compares with what NumPy gave: text, and whether it is right."""
    pairs = list(zip(leaves(want), leaves(got)))
    if len(leaves(want)) != len(leaves(got)) or any(type(a) is not type(b) for a, b in pairs):
        return "WRONG: another type", False
    worst, same = 0.0, True
    for a, b in pairs:
        x, y = np.asarray(a), np.asarray(b)
        if x.dtype != y.dtype or x.shape != y.shape:
            return "WRONG: another dtype or shape", False
        if x.dtype.kind not in "biufc" or x.tobytes() == y.tobytes():
            continue
        same = False
        finite = np.isfinite(x)
        if not np.array_equal(x[~finite], y[~finite], equal_nan=True):
            return "WRONG: NaN or infinity elsewhere", False
        x, y = x[finite].astype(np.complex128), y[finite].astype(np.complex128)
        worst = max(worst, float(np.max(np.abs(x - y), initial=0.0) / max(np.max(np.abs(x), initial=0.0), 1e-300)))
    if same:
        return "same bits", True
    return (f"within {worst:.0e}", True) if worst <= CLOSE else (f"WRONG: error {worst:.0e}", False)


def fastest(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    """The least time of a call, of at least three on fresh arguments."""
    best, calls, end = float("inf"), 0, time.perf_counter() + SECONDS
    while calls < 3 or (calls < 50 and time.perf_counter() < end):
        fresh = copy.deepcopy(arguments)
        start = time.perf_counter()
        function(*fresh)
        best = min(best, time.perf_counter() - start)
        calls += 1
    return best


def examine(demo: Demo) -> Finding:
    """Compile, check and time one program."""
    arguments = demo.arguments()
    reference, fresh = copy.deepcopy(arguments), copy.deepcopy(arguments)
    want = (demo.function(*reference), reference)
    compiled = soljit.jit(strict=True)(demo.function)
    start = time.perf_counter()
    try:
        got = (compiled(*fresh), fresh)
    except Exception as e:  # the demo reports whatever went wrong, and goes on
        return Finding(verdict=f"FAILED: {type(e).__name__}: {e}")
    first = time.perf_counter() - start
    text, right = verdict(want, got)
    return Finding(first, fastest(compiled, arguments), fastest(demo.function, arguments), text, right)


def demo() -> int:
    """Run everything; the exit status is 1 if something failed or was wrong."""
    programs, findings = demos(), []
    with Screen(len(programs)) as screen:
        for program in programs:
            screen.begin(f"{program.function.__name__}: compiling, checking, timing")
            finding = examine(program)
            findings.append(finding)
            screen.line(f"{program.function.__name__:14s} {finding.verdict}")
            screen.advance()
    rows = []
    for program, f in zip(programs, findings):
        times = [f"{1e3 * f.plain:.2f}", f"{1e3 * f.compiled:.2f}", f"{f.plain / f.compiled:.1f} x", f"{f.first:.2f} s"]
        shown = f.verdict.split(":")[0]
        rows.append([program.title, *(times if f.first == f.first else ["-"] * 4), shown])
    heads = ["program", "NumPy, ms", "soljit, ms", "speedup", "first call", "result"]
    print_table("the same functions, undecorated and with @soljit.jit", heads, rows)
    return 0 if all(f.right for f in findings) else 1
