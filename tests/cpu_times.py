"""What tests cost: `pytest --cpu-times=FILE` writes a line for each test, and at the end a list of the files by what they took.

Seconds of the processor do not hang on what else the machine does, as `--durations` does. Those of processes that a test started and
waited for, the C++ compiler above all, are counted apart.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest


def add_options(parser: pytest.Parser) -> None:
    """The option."""
    parser.addoption(
        "--cpu-times",
        metavar="FILE",
        help="append the processor's seconds of each test to a file: own, of its processes, name",
    )


class Times:
    """Measures tests; each worker of pytest-xdist has one, and all append to the same file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Write down what the test took, its fixtures included."""
        before = os.times()
        yield
        after = os.times()
        own = after.user + after.system - before.user - before.system
        processes = after.children_user + after.children_system - before.children_user - before.children_system
        with self.path.open("a") as f:
            f.write(f"{own:.2f} {processes:.2f} {item.nodeid}\n")


def install(config: pytest.Config) -> None:
    """Measure, if the option is given."""
    if path := config.getoption("--cpu-times"):
        config.pluginmanager.register(Times(Path(path).absolute()))
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Summary(Path(path).absolute()))


class Summary:
    """The list at the end, of a file that is new for this run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_text("")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Files by what their tests took."""
        total: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for line in self.path.read_text().splitlines():
            own, processes, name = line.split(" ", 2)
            for file in (name.split("::")[0], "all"):
                total[file][0] += float(own)
                total[file][1] += float(processes)
        terminalreporter.section("seconds of the processor: tests, processes that they started")
        for file, (own, processes) in sorted(total.items(), key=lambda x: -sum(x[1]))[:40]:
            terminalreporter.write_line(f"{own:8.1f} {processes:8.1f}  {file}")
