"""Make float32 of scalars that hold nothing else.

    s: f64                                       s: f32
    s = 0.0                              →       s = 0.0
    s = f64(f32(s) + x[i])                       s = s + x[i]

A Python float that becomes a float32 on the way (`s = 0.0`, then `s += x[i]`) has a container of the type that holds both, and a sum that goes
through two conversions is none that can be reordered or vectorized.

Proof: every store is the conversion of a float32, or a literal that float32 holds exactly, and every load is converted to float32 at once; so the
container passes on float32s only. float32 → float64 → float32 gives the number back, NaN and infinities too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from soljit.analysis.memory.occurrences import Place, places
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Cast, Const, Expr, Load
from soljit.ir.core.nodes import Node, Program, Tasklet
from soljit.ir.core.types import f32, f64
from soljit.ir.walk import exprs, map_values, rewrite, rewrite_value
from soljit.passes.manager import Context


def narrow_scalars(program: Program, cx: Context) -> Program:
    """Return the program in which scalars that hold float32s are float32."""
    wide = {n for n, d in program.data.items() if isinstance(d, Scalar) and d.dtype is f64}
    if not wide:
        return program
    found = places(program)
    names = {n for n in wide if n in found and _holds_float32(found[n])}
    names -= _read_as_float64(program, names)
    if not names:
        return program

    def load(e: Expr) -> Expr | None:
        match e:
            case Cast(dtype=t, arg=Load(memlet=m)) if t is f32 and m.data in names:
                return Load(m, f32)
        return None

    def one(node: Node) -> Node:
        node = map_values(node, lambda v: rewrite_value(v, load))
        if isinstance(node, Tasklet) and node.out.data in names:
            return replace(node, code=_narrow(node.code))
        return node

    data = {n: replace(d, dtype=f32) if n in names and isinstance(d, Scalar) else d for n, d in program.data.items()}
    return replace(program, body=rewrite(program.body, one), data=data)


def _holds_float32(found: list[Place]) -> bool:
    """Tell whether all stores give float32s, not all of them literals, and nothing else has the container."""
    stores = [p.node for p in found if p.kind == "store"]
    if any(p.kind == "other" for p in found):
        return False
    codes = [n.code for n in stores if isinstance(n, Tasklet) and not n.out.wcr]
    if len(codes) < len(stores):
        return False
    return all(map(_is_float32, codes)) and any(isinstance(c, Cast) for c in codes)


def _is_float32(e: Expr) -> bool:
    if isinstance(e, Const) and isinstance(e.value, (int, float)):
        with np.errstate(over="ignore"):
            return bool(np.float64(np.float32(e.value)) == e.value)
    return isinstance(e, Cast) and e.arg.dtype is f32


def _narrow(e: Expr) -> Expr:
    return Const(e.value, f32) if isinstance(e, Const) else e.arg if isinstance(e, Cast) else e


def _read_as_float64(program: Program, names: set[str]) -> set[str]:
    """Those that some expression reads without converting them to float32."""
    wide: set[str] = set()

    def look(e: Expr) -> None:
        match e:
            case Cast(dtype=t, arg=Load(memlet=m)) if t is f32 and m.data in names:
                return
            case Load(memlet=m) if m.data in names:
                wide.add(m.data)
        for c in e.children:
            look(c)

    for e in exprs(program.body):
        look(e)
    return wide
