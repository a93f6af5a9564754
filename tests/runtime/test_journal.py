"""What the targets that interpret write down: allocations, launches, library calls, calls back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests import oracle

pytestmark = pytest.mark.skipif(oracle.IDENTITY, reason="needs the compiler")


def smooth(a: np.ndarray, times: int) -> Any:
    for _ in range(times):
        b = a * 2.0
        c = b + 1.0
        a[1:] = c[:-1] - c[1:]
    return a.reshape(2, -1) @ a.reshape(-1, 2), np.partition(a, 1)


def journal(target: str, *args: Any) -> list[str]:
    """The lines of one call, without the lines' numbers."""
    f = sol.jit(strict=True, target=target, parallel=False)(smooth)
    f(*args)
    (row,) = f.report()
    assert f.report() == [row]  # reading changes nothing
    return [line if line.startswith("…") else line.partition(": ")[2] for line in row["journal"]]


def test_passes_leave_less_to_do() -> None:
    a = np.arange(4.0)
    plain, optimized = (journal(t, a.copy(), 2) for t in ("interpreter", "null"))
    assert "call back numpy.partition" in plain and "call back numpy.partition" in optimized
    assert sum(x.startswith("allocate") for x in plain) > sum(x.startswith("allocate") for x in optimized)
    assert sum(x.startswith("launch") for x in plain) > sum(x.startswith("launch") for x in optimized)


def test_each_event_is_a_line() -> None:
    lines = journal("null", np.arange(4.0), 1)
    assert lines == [
        "allocate c: float64[4], 32 bytes",
        "launch i0=range(0, a_n0): 4 iterations",
        "launch i0_3=range(0, a_n0 - 1): 3 iterations",
        "allocate product: float64[2, 2], 32 bytes",
        "library matmul to product[0:2, 0:2]: float64[2, 2], 32 bytes",
        "call back numpy.partition",
    ]


def test_long_journals_are_cut() -> None:
    lines = journal("interpreter", np.arange(4.0), 400)
    assert len(lines) == 1001 and lines[-1].startswith("… and ")


def test_compiled_code_writes_nothing_down() -> None:
    assert journal("", np.arange(4.0), 1) == []
