"""How long the steps of a compilation took, and what SOL_DEBUG prints.

Levels: 1 one line a compilation or cache hit, 2 its steps, 3 the commands that are run, 4 the program as lowered and as optimized, 5 also after
each pass, and the code.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

from soljit.base.records import dataclass
from soljit.base.settings import current


def say(level: int, text: str) -> None:
    """Print a line, if SOL_DEBUG asks for this much."""
    if current().debug >= level:
        sys.stderr.write(f"soljit: {text}\n")


@dataclass
class Trace:
    """Steps in order with their seconds; `level` is how much to print while it goes."""

    title: str
    level: int = 0
    steps: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what happens inside, under this name."""
        start = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - start
            self.steps.append((name, seconds))
            self.say(2, f"{name}: {1000 * seconds:.1f} ms")

    def say(self, level: int, text: str) -> None:
        """Print `text`, if the user asked for this much."""
        if self.level >= level:
            sys.stderr.write(f"soljit: {self.title}: {text}\n")

    @property
    def seconds(self) -> float:
        return sum(s for _, s in self.steps)

    def summary(self) -> str:
        """One line: the total and the steps."""
        parts = ", ".join(f"{n} {1000 * s:.1f}" for n, s in self.steps)
        return f"{1000 * self.seconds:.1f} ms ({parts})"
