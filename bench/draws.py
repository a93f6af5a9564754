"""Random numbers, arrays and choices drawn in a loop: nanoseconds a call in Python, compiled by soljit, and by Numba where it is installed.

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
    random.choice([1, 2, 3])
    random.randrange(0, 30, 3)
    rng.choice(8)
    np.random.choice(8)
    np.random.choice(steps)
    np.random.choice(3, p=chances)
    rng.random(3)[0]
    rng.normal(0.0, 1.5, 3)[0]
    rng.integers(0, 1000, 3)[0]
    np.random.rand(3)[0]
    np.random.normal(0.0, 1.5, 3)[0]
    np.random.randint(0, 1000, 3)[0]
    rng.permutation(5)[0]
    np.random.permutation(5)[0]
    rng.choice(100, 3, replace=False)[0]
"""
ARRAYS = """
    rng.random(1000)[0]
    rng.normal(0.0, 1.5, 1000)[0]
    rng.integers(0, 1000, 1000)[0]
    rng.poisson(3.0, 1000)[0]
    rng.permutation(1000)[0]
    np.random.rand(1000)[0]
    np.random.normal(0.0, 1.5, 1000)[0]
    np.random.randint(0, 1000, 1000)[0]
    np.random.choice(steps, 1000)[0]
    np.random.choice(3, 1000, p=chances)[0]
"""
_GIVEN = (np.array([-1, 1]), np.array([0.2, 0.3, 0.5]))


def draws(options: argparse.Namespace) -> int:
    """Time the draws."""
    rows = []
    texts = [(t.strip(), of) for rows, of in ((DRAWS, 1), (ARRAYS, 1000)) for t in rows.strip().split("\n")]
    with tempfile.TemporaryDirectory() as folder:
        for number, (text, fewer) in enumerate(t for t in texts if options.only in t[0]):
            f = _loop(Path(folder) / f"draw_{number}.py", text)
            compiled = {"soljit": sol.jit(f, strict=True), "Numba": _by_numba(f)}
            functions = {"Python": f} | {name: g for name, g in compiled.items() if g is not None}
            found = times(functions, max(1, options.number // fewer), options.repeat)
            rows.append([text, *(f"{found[k]:.1f}" if k in found else "" for k in ("Python", "soljit", "Numba"))])
    print_table("nanoseconds a call", ["draw", "Python", "soljit", "Numba"], rows)
    return 0


def _loop(path: Path, text: str) -> Callable[..., Any]:
    """A function that adds up `n` numbers; `rng` is its generator, `steps` and `chances` are arrays."""
    source = f"import random\nimport numpy as np\n\n\ndef f(rng, n, steps, chances):\n    s = 0.0\n    for _ in range(n):\n        s += {text}\n    return s\n"
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
        jitted(np.random.default_rng(1), 3, *_GIVEN)
    except Exception:  # what Numba does not compile
        return None
    return jitted


def times(functions: dict[str, Callable[..., Any]], number: int, repeat: int) -> dict[str, float]:
    """The least time of one call in nanoseconds, by function; Python makes a hundredth of them, ten at least."""
    rng, least = np.random.default_rng(1), dict.fromkeys(functions, float("inf"))
    for round_ in range(repeat + 1):
        for name, f in functions.items():
            n = min(number, max(10, number // 100)) if name == "Python" else number
            start = time.perf_counter()
            f(rng, n, *_GIVEN)
            if round_:  # the first one compiles
                least[name] = min(least[name], (time.perf_counter() - start) / n * 1e9)
    return least
