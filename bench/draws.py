"""Random numbers drawn one by one in a loop: nanoseconds a number in Python, compiled by soljit, and by Numba where it is installed.

All run by turns in one process, and the least of each counts. Numba's `np.random` and `random` have states of their own.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import soljit as sol
from soljit.cli.screen import print_table

DRAWS = """
    rng.random()
    rng.uniform(1.0, 2.0)
    rng.standard_normal()
    rng.normal(0.0, 1.5)
    rng.exponential(2.0)
    rng.integers(0, 1000)
    rng.poisson(3.0)
    rng.binomial(10, 0.3)
    np.random.random()
    np.random.uniform(1.0, 2.0)
    np.random.randn()
    np.random.normal(0.0, 1.5)
    np.random.exponential(2.0)
    np.random.randint(0, 1000)
    np.random.poisson(3.0)
    np.random.binomial(10, 0.3)
    random.random()
    random.uniform(1.0, 2.0)
    random.randint(1, 6)
    random.randrange(9)
    random.gauss(0.0, 1.0)
    random.normalvariate(0.0, 1.0)
    random.expovariate(1.0)
"""


def draws(options: argparse.Namespace) -> int:
    """Time the draws."""
    rows = []
    texts = [t.strip() for t in DRAWS.strip().split("\n") if options.only in t]
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            f = _loop(Path(folder) / f"draw_{number}.py", text)
            compiled = {"soljit": sol.jit(f, strict=True), "Numba": _by_numba(f)}
            functions = {"Python": f} | {name: g for name, g in compiled.items() if g is not None}
            found = times(functions, options.number, options.repeat)
            rows.append([text, *(f"{found[k]:.1f}" if k in found else "" for k in ("Python", "soljit", "Numba"))])
    print_table("nanoseconds a number", ["draw", "Python", "soljit", "Numba"], rows)
    return 0


def _loop(path: Path, text: str) -> Callable[..., Any]:
    """A function that adds up `n` numbers; `rng` is its generator."""
    source = f"import random\nimport numpy as np\n\n\ndef f(rng, n):\n    s = 0.0\n    for _ in range(n):\n        s += {text}\n    return s\n"
    path.write_text(source)
    names: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), names)
    function: Callable[..., Any] = names["f"]
    return function


def _by_numba(f: Callable[..., Any]) -> Callable[..., Any] | None:
    if importlib.util.find_spec("numba") is None:
        return None
    import numba

    jitted: Callable[..., Any] = numba.njit(f)
    try:
        jitted(np.random.default_rng(1), 3)
    except Exception:  # what Numba does not compile
        return None
    return jitted


def times(functions: dict[str, Callable[..., Any]], number: int, repeat: int) -> dict[str, float]:
    """The least time of one number in nanoseconds, by function; Python draws a hundredth of them."""
    rng, least = np.random.default_rng(1), dict.fromkeys(functions, float("inf"))
    for round_ in range(repeat + 1):
        for name, f in functions.items():
            n = max(1, number // 100) if name == "Python" else number
            start = time.perf_counter()
            f(rng, n)
            if round_:  # the first one compiles
                least[name] = min(least[name], (time.perf_counter() - start) / n * 1e9)
    return least
