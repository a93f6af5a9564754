"""Which integers of a program are at least what: symbols of loops and what is computed from them, by constants.

Wrapping around is left out: an index of 64 bits that a program adds up has been checked, or cannot get there.
"""

from __future__ import annotations

from collections.abc import Mapping

from soljit.ir.core.expr import Const, Expr, Op, Range, Sym
from soljit.ir.core.nodes import Let, Loop, Map, Program
from soljit.ir.walk import walk


def least_values(program: Program) -> dict[str, int]:
    """The constants below which symbols never are."""
    found: dict[str, int] = {}
    seen: set[str] = set()

    def note(name: str, low: int | None) -> None:
        if name in seen:
            low = None if low is None or name not in found else min(low, found[name])
        seen.add(name)
        if low is None:
            found.pop(name, None)
        else:
            found[name] = low

    for n in walk(program.body):
        match n:
            case Loop():
                note(n.var, _span(n.span, found))
            case Map():
                for v, s in zip(n.vars, n.spans):
                    note(v, _span(s, found))
            case Let():
                note(n.name, least(n.value, found) if n.value.dtype.is_int else None)
    return found


def _span(span: Range, known: Mapping[str, int]) -> int | None:
    match span.step:
        case Const(value=int() as step) if step > 0:
            return least(span.start, known)
        case Const(value=int()) if (low := least(span.stop, known)) is not None:
            return low + 1
    return None


def least(e: Expr, known: Mapping[str, int]) -> int | None:
    """A constant that the integer is not below, if one is known."""
    match e:
        case Const(value=int() as value):
            return int(value)
        case Sym():
            return known.get(e.name)
        case Op(name="add" | "mul" | "min" | "max" as name, args=(a, b)) if e.dtype.is_int:
            return _combined(name, least(a, known), least(b, known))
        case Op(name="sub", args=(a, Const(value=int() as value))) if (low := least(a, known)) is not None:
            return low - value
        case Op(name="mod", args=(_, Const(value=int() as value))) if value > 0 and e.dtype.is_int:
            return 0
    return None


def _combined(name: str, x: int | None, y: int | None) -> int | None:
    if name == "max" and (x is None or y is None):
        return y if x is None else x
    if x is None or y is None:
        return None
    if name == "mul":
        return x * y if x >= 0 and y >= 0 else None
    return {"add": x + y, "min": min(x, y), "max": max(x, y)}[name]
