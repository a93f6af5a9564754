"""Integer sets, by isl: whether there is any pair of iterations in which two subscripts agree.

isl is imported on first use: most programs never need it. Whatever is no sum of variables and constants (a product of
two sizes, a minimum) becomes a parameter of its own, which only makes the set larger. If isl is not
there, nothing is known to be empty.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from types import ModuleType

from soljit.ir.core.expr import Expr, Range, Sym
from soljit.ir.symbolic import Linear, linear

Loops = Sequence[tuple[str, Range]]


def empty(x_loops: Loops, y_loops: Loops, equal: Iterable[tuple[Expr, Expr]], order: tuple[Expr, Expr]) -> bool:
    """Tell whether there is no integer point in both loop nests with all `equal` pairs equal and order[0] < order[1]."""
    isl = _isl()
    if isl is None:
        return False
    names: dict[Expr, str] = {}
    parts = [f"{_sum(linear(s) - linear(t), names)} = 0" for s, t in equal]
    parts.append(f"{_sum(linear(order[0]) - linear(order[1]), names)} < 0")
    for var, span in (*x_loops, *y_loops):
        parts += _bounds(var, span, names)
    points = ", ".join(names.values())
    text = f"[{points}] -> {{ [] : {' and '.join(parts)} }}"
    return bool(isl.Set(text).is_empty())


def _isl() -> ModuleType | None:
    try:
        return importlib.import_module("islpy")
    except ImportError:
        return None


def _bounds(var: str, span: Range, names: dict[Expr, str]) -> list[str]:
    from_sym = linear(Sym(var))
    step = linear(span.step)
    if not step.is_const or step.const == 0:
        return []
    low, high = (span.start, span.stop) if step.const > 0 else (span.stop, span.start)
    first, last = linear(low).shifted(0 if step.const > 0 else 1), linear(high).shifted(-1 if step.const > 0 else 0)
    out = [f"{_sum(from_sym - first, names)} >= 0", f"{_sum(last - from_sym, names)} >= 0"]
    if abs(step.const) > 1:
        out.append(f"({_sum(from_sym - linear(span.start), names)}) mod {abs(step.const)} = 0")
    return out


def _sum(value: Linear, names: dict[Expr, str]) -> str:
    """The text of a sum; every atom gets a name that isl can read."""
    parts = [f"{c}*{names.setdefault(a, f'v{len(names)}')}" for a, c in value.terms]
    return " + ".join([*parts, str(value.const)])
