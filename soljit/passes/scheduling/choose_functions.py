"""Say which function computes a sine or a cosine of a double.

    y = sin(x)                                        y = libm_sin(x)
    for i in map(range(n)): z[i] = sin(x[i])    →     for i in map(range(n)): z[i] = sin(x[i])

NumPy computes both with the C library. In maps vectors of them take its place, which are as accurate and five times as fast: what the operation
stands for from here on, wherever it stands. Single numbers gain nothing by that, and get NumPy's bits: `libm_sin`.

Needs no proof: both are within the promised accuracy. It must come behind all passes that make maps of loops or take statements out of maps; afterwards
moving a statement changes no bit.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.ir.core.expr import Expr, Op
from soljit.ir.core.nodes import Program
from soljit.ir.core.types import f64
from soljit.ir.walk.tree import map_exprs_outside_maps
from soljit.passes.manager import Context

FUNCTIONS = ("sin", "cos")


def choose_functions(program: Program, cx: Context) -> Program:
    """Let the C library compute those outside of maps."""
    body = map_exprs_outside_maps(program.body, _of_one)
    return program if body is program.body else replace(program, body=body)


def _of_one(e: Expr) -> Expr | None:
    if isinstance(e, Op) and e.name in FUNCTIONS and e.dtype is f64:
        return Op(f"libm_{e.name}", e.args, e.dtype)
    return None
