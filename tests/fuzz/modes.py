"""Ways to run a program: compiled (with fewer optimizations of C++), interpreted, optimized and interpreted, by a random schedule, a pass left out."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from soljit import driver
from soljit.passes import pipeline
from soljit.passes.manager import Context, verify_with
from soljit.runtime.build import toolchain
from soljit.schedule.policy import Policy
from tests.fuzz.schedules import scheduled, walked

PASSES = tuple(dict.fromkeys(p.__name__ for p in pipeline.PASSES))
FOR_DEVICES = {p.__name__ for p in pipeline.DEVICE.last} - {
    p.__name__ for p in (*pipeline.COMMON, *pipeline.HOST.passes, *pipeline.HOST.last)
}
MODES: dict[str, dict[str, Any]] = {
    "compiled": {},
    "quick": {"optimization": "-O1"},
    "sequential": {"target": "sequential", "optimization": "-O1"},
    "interpreted": {"target": "interpreter"},
    "optimized": {"target": "interpreter", "optimize": True},
    "scheduled": {"target": "interpreter", "optimize": True},
    "walked": {"target": "interpreter", "optimize": True},
    "device": {"target": "interpreter", "optimize": True, "tail": "device"},
}
SCHEDULES = {"scheduled": scheduled, "walked": walked}
COMPILED = ("compiled", "quick", "sequential")


def mode(name: str, seed: int = 0) -> dict[str, Any]:
    """Settings of the mode `name`: one of MODES, "without PASS", or "without": the seed chooses the pass."""
    if not name.startswith("without"):
        more = {"verify": seed % 4 == 0} if name in ("optimized", "device") else {}
        return MODES[name] | (more if name not in SCHEDULES else {"schedule": (name, seed)})
    left_out = name.removeprefix("without").strip() or PASSES[seed % len(PASSES)]
    if left_out not in PASSES:
        raise KeyError(left_out)
    tail = "device" if left_out in FOR_DEVICES else "host"
    return {"target": "interpreter", "optimize": True, "without": left_out, "tail": tail}


@contextlib.contextmanager
def applied(settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Arrange for the part of `settings` that is none of `sol.jit`; gives the keywords for that."""
    rest = dict(settings)
    left_out, optimize, flag = rest.pop("without", None), rest.pop("optimize", False), rest.pop("optimization", "-O3")
    verify, tail, schedule = rest.pop("verify", True), rest.pop("tail", "host"), rest.pop("schedule", None)
    if left_out or rest.get("target") == "interpreter":
        rest["cache"] = False
    before = driver.lower_function, toolchain.COMMON
    original = driver.lower_function

    def optimized(*args: Any, **named: Any) -> Any:
        lowered = original(*args, **named)

        def context(policy: Policy) -> Context:
            hooks = [verify_with(driver.verifier.check)] if verify else []
            without = frozenset({left_out})
            return Context(threads=4, vector_bits=512, hooks=hooks, disabled=without, tail=tail, policy=policy)

        if schedule is None:
            program = driver.optimize(lowered.program, context(Policy()))
        else:
            program = SCHEDULES[schedule[0]](lowered.program, context, driver.optimize, schedule[1])
        return dataclasses.replace(lowered, program=program)

    try:
        if optimize:
            driver.lower_function = optimized
        toolchain.COMMON = tuple(flag if f == "-O3" else f for f in toolchain.COMMON)
        yield rest
    finally:
        driver.lower_function, toolchain.COMMON = before
