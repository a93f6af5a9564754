"""pytest plugin of `python -m bench package`: decorates the packages, and writes down what becomes of each test.

`BENCH_PACKAGE` holds, as JSON, `packages`, `jit` (keywords of `sol.jit`; null: nothing is decorated) and `folder`: there `tests.jsonl` gets a line when a test
begins and another one when it ends, and `state.json`, written anew every few seconds, what is known of the functions.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

import soljit as sol
from bench.decorating import Decorating
from soljit.base.settings import current
from soljit.runtime.calls.plain_calls import PlainCalls

_TASK = json.loads(os.environ["BENCH_PACKAGE"])
_FOLDER = Path(_TASK["folder"])
_EVERY = 5.0  # seconds
_warnings: list[tuple[str, str]] = []  # the function, and why it ran in plain Python
_written = [time.monotonic()]


def _warn(self: PlainCalls, what: str, text: str) -> None:
    """Instead of a FallbackWarning, which the settings of the tests may make an error."""
    if text not in self.warned:
        self.warned.add(text)
        _warnings.append((f"{self.function.__module__}.{self.function.__qualname__}", text))


_decorating = Decorating(_TASK["packages"], _TASK["jit"] or {})
if _TASK["jit"] is not None:
    PlainCalls._once = _warn  # type: ignore[method-assign]
    _decorating.install()


def _line(**record: Any) -> None:
    with (_FOLDER / "tests.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")


def pytest_runtest_logstart(nodeid: str, location: Any) -> None:
    """A test that is never ended has ended the process."""
    _line(test=nodeid, outcome="begun")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The outcome of a test is the worst of its parts."""
    outcome: str = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    if report.when != "call" and report.failed:
        outcome = "error"
    if report.when == "call" or outcome != "passed":
        text = report.longreprtext if report.failed else ""
        crash = getattr(report.longrepr, "reprcrash", None)
        message = crash.message if crash is not None else text.strip().rpartition("\n")[2]
        _line(test=report.nodeid, outcome=outcome, message=message[:500], text=text[-4000:])
    if report.when == "teardown" and time.monotonic() - _written[0] > _EVERY:
        _write_state()


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file that cannot be collected counts as a test with an error."""
    if report.failed:
        lines = report.longreprtext.strip().splitlines()
        _line(
            test=report.nodeid,
            outcome="error",
            message=lines[-1][:500] if lines else "",
            text=report.longreprtext[-4000:],
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What is known at the end."""
    _write_state()


def _write_state() -> None:
    _written[0] = time.monotonic()
    functions = {name: row for name, f in _decorating.made.items() if (row := _row(f))}
    report = sol.shadow_report() if current().shadow else None
    state = {
        "decorated": len(_decorating.made),
        "early": _decorating.early,
        "functions": functions,
        "warnings": _warnings,
    }
    if report is not None:
        state["checked"] = [
            f._asdict() | {"differences": [d._asdict() for d in f.differences]} for f in report.functions
        ]
    new = _FOLDER / "state.new"
    new.write_text(json.dumps(state))
    new.replace(_FOLDER / "state.json")


def _row(f: sol.Jitted[..., Any]) -> dict[str, Any]:
    """Signatures that were compiled, and the reasons of those that were not; nothing if it was not called."""
    tables = list(f._entry.tables.values())
    compiled = f.signatures
    refused = [str(e).splitlines()[0][:200] for t in tables for _, e in t.refused]
    return {"compiled": compiled, "refused": refused} if compiled or refused else {}
