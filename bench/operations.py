"""Single operations of NumPy (`operations.txt`) for several sizes: where is a compiled function of one of them slower than NumPy?

Both are timed in turns in one process, and the least of each counts.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import soljit as sol
from soljit.cli.screen import print_table

FILE = Path(__file__).parent / "operations.txt"
SECONDS, MOST = 0.15, 300  # for one operation: time, and calls


def operations(options: argparse.Namespace) -> int:
    """Time the operations; print those below `options.below` times NumPy's speed."""
    rows = []
    texts = [t for t in FILE.read_text().split("\n") if t and not t.startswith("#")]
    texts = [t for t in texts if options.only in t]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in map(int, options.sizes.split(",")):
            values = arguments(size)
            for number, text in enumerate(texts):
                names = [n for n in values if re.search(rf"\b{n}\b", text)]
                f = function_of(Path(folder) / f"operation_{size}_{number}.py", names, text)
                plain, compiled = times(f, sol.jit(f, strict=True), [values[n] for n in names])
                if plain < options.below * compiled:
                    rows.append(
                        [text, f"{size}", f"{plain * 1e6:.1f}", f"{compiled * 1e6:.1f}", f"{plain / compiled:.2f}"]
                    )
    if rows:
        print_table("slower than NumPy", ["operation", "size", "NumPy µs", "soljit µs", "ratio"], rows)
    return 0


def arguments(n: int) -> dict[str, Any]:
    """Arrays of about `n` elements."""
    rng = np.random.default_rng(0)
    side = max(2, int(n**0.5))
    return {
        "a": rng.random(n), "b": rng.random(n), "sa": np.sort(rng.random(n)), "f4": rng.random(n).astype(np.float32),
        "c": rng.random(n) + 1j * rng.random(n), "u8": rng.integers(0, 255, n).astype(np.uint8),
        "iv": rng.integers(0, 50, n), "idx": rng.integers(0, n, n), "m": rng.random((side, side)), "v": rng.random(side),
        "sq": rng.random((64, 64)), "v64": rng.random(64), "k5": rng.random(5), "k5i": np.arange(5),
        "p3": rng.random((n, 3)), "q3": rng.random((n, 3)),
    }  # fmt: skip


def function_of(file: Path, names: list[str], text: str) -> Callable[..., Any]:
    source = f"def f({', '.join(names)}):\n    return {text}\n"
    file.write_text(source)
    found: dict[str, Any] = {"np": np}
    exec(compile(source, str(file), "exec"), found)  # noqa: S102
    return found["f"]  # type: ignore[no-any-return]


def times(plain: Callable[..., Any], compiled: Callable[..., Any], given: list[Any]) -> tuple[float, float]:
    """The least seconds of each, called in turns; the first call of the compiled one does not count."""
    compiled(*given)
    best = [float("inf"), float("inf")]
    begin, calls = time.perf_counter(), 0
    while calls < 5 or (calls < MOST and time.perf_counter() - begin < SECONDS):
        for k, function in enumerate((plain, compiled)):
            start = time.perf_counter()
            function(*given)
            best[k] = min(best[k], time.perf_counter() - start)
        calls += 1
    return best[0], best[1]
