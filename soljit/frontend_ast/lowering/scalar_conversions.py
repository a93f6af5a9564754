"""How single numbers are converted: by the processor's scalar instructions, which NumPy's loops over arrays use for none but some types.

A float that does not fit uint32 becomes another number in the vector loop of NumPy's arrays than in its scalars. `Cast` is what the loop over
arrays does, so the front end writes that of a single number as what the processor does: a conversion to int64, of which the low half is kept.
So the value hangs on the expression alone, whichever loop a pass makes around it.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.ir.core.expr import Cast, Expr
from soljit.ir.core.nodes import Program
from soljit.ir.core.types import f16, i64, u32
from soljit.ir.walk.tree import map_exprs_outside_maps


def explicit(program: Program) -> Program:
    """The program with the conversions of single numbers spelled out, in its functions, too."""
    body = map_exprs_outside_maps(program.body, _of_one)
    functions = {name: explicit(f) for name, f in program.functions.items()}
    if body is program.body and all(f is program.functions[name] for name, f in functions.items()):
        return program
    return replace(program, body=body, functions=functions)


def _of_one(e: Expr) -> Expr | None:
    if isinstance(e, Cast) and e.dtype is u32 and e.arg.dtype.kind in "fc" and e.arg.dtype is not f16:
        return Cast(u32, Cast(i64, e.arg))
    return None
