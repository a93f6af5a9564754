"""What becomes of a program: run in a child process, because compiled code that is wrong may crash or hang.

Outcomes: "ok", "skip" (plain NumPy and compiled code may differ here by agreement), "unsupported", and the failures
"value", "exception", "message", "internal", "crash", "hang".
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import sys
import traceback
import warnings
from collections.abc import Mapping
from typing import Any

from soljit.passes import pipeline
from tests import oracle
from tests.fuzz.grammar import is_exact

FAILURES = ("value", "exception", "message", "internal", "crash", "hang")


def judge(source: str, settings: Mapping[str, Any] | None = None, timeout: float = 60.0) -> tuple[str, str]:
    """Outcome and details of the program `source`."""
    context = multiprocessing.get_context("fork")
    parent, child = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(child, source, dict(settings or {})))
    process.start()
    child.close()
    outcome, detail = "crash", ""
    if parent.poll(timeout):
        try:
            outcome, detail = parent.recv()
        except EOFError:
            process.join()
            detail = f"exit status {process.exitcode}"
    else:
        outcome, detail = "hang", f"no answer within {timeout} s"
        process.kill()
    process.join()
    parent.close()
    return outcome, detail


def verdict(source: str, settings: Mapping[str, Any] | None = None) -> tuple[str, str]:
    """The same in this process."""
    warnings.filterwarnings("ignore")
    settings = dict(settings or {})
    left_out = settings.pop("without", None)
    if left_out:  # the child process is thrown away, and so is the change
        pipeline.PIPELINE = tuple(p for p in pipeline.PIPELINE if p.__name__ != left_out)
        settings["cache"] = False
    f = oracle.function(source, "f")
    exact = is_exact(source)
    single = "float32" in source
    try:
        for args in f.__globals__["calls"]():
            how = {} if exact else {"rtol": 1e-3 if single else 1e-8, "atol": 1e-3 if single else 1e-8}
            oracle.check(f, *args, settings=settings, **how)
    except oracle.Mismatch as e:
        text = str(e)
        if e.kind == "exception" and "OverflowError" in text:
            return "skip", "a Python integer left 64 bits"
        return e.kind, text
    return "ok", ""


def _child(pipe: Any, source: str, settings: Mapping[str, Any]) -> None:
    faulthandler.disable()
    with open(os.devnull, "w") as null:
        os.dup2(null.fileno(), sys.stderr.fileno())
    try:
        pipe.send(verdict(source, settings))
    except BaseException:
        pipe.send(("internal", traceback.format_exc()))
    finally:
        pipe.close()
        os._exit(0)
