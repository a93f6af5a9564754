"""What a target is: how many threads its passes may use, and how its text is made.

Third parties add one through the entry point group `soljit.targets`: the entry point is a `Target`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from soljit.codegen.source import Source

Emit = Callable[..., Source]  # (program, *, fp, features) -> Source


@dataclass(frozen=True)
class Target:
    """parallel: its kernels may use threads. emit: makes the C++ text; None for a target that interprets the
    program. optimized: the passes run. tail: which of them end the pipeline, "host" or "device" (`passes/pipeline.py`).
    """

    name: str
    parallel: bool
    emit: Emit | None
    optimized: bool = True
    tail: str = "host"
