"""The same function gives the same program in every process, whatever order Python's sets of texts have in it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np

PROGRAM = """
import inspect
import numpy as np
from bench.benchmark import load
from soljit.frontend_ast.lower import lower_function
from soljit.ir.text.printer import to_text
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.runtime.values import arguments
from tests.frontend_ast.test_determinism import counted

described = arguments.describe([np.ones(4), np.ones(5)], ["edges", "x"])
print(to_text(lower_function(counted, described.types, described.leaves).program))
for name in ("mandelbrot2", "durbin", "channel_flow", "nussinov", "cavity_flow"):
    benchmark = load(name, "tiny")
    bound = inspect.signature(benchmark.function).bind(*benchmark.fresh())
    described = arguments.describe(list(bound.arguments.values()), list(bound.arguments))
    program = lower_function(benchmark.function, described.types, described.leaves).program
    print(to_text(program), *(to_text(optimize(program, Context(threads=4, tail=tail))) for tail in ("host", "device")))
"""


def counted(edges: Any, x: Any) -> Any:
    """Asks of two lengths whether they are 1."""
    return np.histogram2d(x, x, bins=[edges, edges])[0]


def test_programs_do_not_depend_on_the_order_of_sets() -> None:
    texts = set()
    for seed in "127":
        env = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)
        texts.add(done.stdout)
    assert len(texts) == 1 and len(texts.pop()) > 10_000
