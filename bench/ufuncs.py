"""Each ufunc of one operand, of float32 and float64: alone, of a power, and as a factor; soljit on one thread and NumPy, as ratios.

Both are timed by turns in one process, and the least of each counts. `python -m bench.narrow` before the command hides AVX-512.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import soljit as sol
from bench.operations import function_of, times
from soljit.cli.screen import print_table

SHAPE = (64, 1024)
FORMS = {"alone": "np.{0}(x)", "of a power": "np.{0}(x**3)", "as a factor": "y * np.{0}(x)"}


def ufuncs(options: argparse.Namespace) -> int:
    """Time them; print one row for each, and those below `options.below` times NumPy's speed once more."""
    found = {n: f for n, f in vars(np).items() if isinstance(f, np.ufunc) and f.nin == f.nout == 1}
    names = options.only.split(",") if options.only else sorted({f.__name__ for f in found.values()} & found.keys())
    rows, slow = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        sol.settings(num_threads=1, wait_seconds=0),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        for name in names:
            row = [name]
            for dtype in ("float32", "float64"):
                x = 0.05 + 0.9 * np.random.default_rng(0).random(SHAPE).astype(dtype) + (name == "arccosh")
                x = x.astype(dtype)
                for form, text in FORMS.items():
                    file = Path(folder) / f"{name}_{form.replace(' ', '_')}_{dtype}.py"
                    ratio = _ratio(function_of(file, ["x", "y"], text.format(name)), [x, x[::-1].copy()])
                    row.append("" if ratio is None else f"{ratio:.2f}")
                    if ratio is not None and ratio < options.below:
                        slow.append([name, dtype, form, f"{ratio:.2f}"])
            if any(row[1:]):
                rows.append(row)
    heads = [f"{t} {form}" for t in ("f4", "f8") for form in FORMS]
    print_table("times NumPy's speed, one thread", ["ufunc", *heads], rows, options.markdown)
    if slow:
        print_table(f"below {options.below}", ["ufunc", "dtype", "form", "ratio"], slow, options.markdown)
    return 0


def _ratio(f: Callable[..., Any], arguments: list[Any]) -> float | None:
    """NumPy's time over soljit's; None if there is no such function of floats."""
    try:
        f(*arguments)
        plain, compiled = times(f, sol.jit(f, strict=True), arguments)
    except (TypeError, sol.UnsupportedError):
        return None
    return plain / compiled
