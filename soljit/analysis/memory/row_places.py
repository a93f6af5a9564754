"""Which rows of an array an iteration touches, where they go by at another rate: `row_place(subscript, …)`.

t[2 * i + k, j]  with k in range(3)      rows 2 * i to 2 * i + 2
t[(i + 1) // 2, j]                       row r with i <= 2 * r <= i + 1
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from soljit.analysis.memory.affine import affine, names_in
from soljit.base.records import dataclass
from soljit.ir.core.expr import Const, Expr, Op, Range, Sym
from soljit.ir.symbolic import Linear, linear


@dataclass(frozen=True)
class RowPlace:
    """Iteration i touches rows r with least <= r / rate - i <= most. rate: how many rows there are to an iteration"""

    rate: Fraction
    least: Fraction
    most: Fraction


def row_place(subscript: Expr, var: str, loops: Sequence[tuple[str, Range]]) -> RowPlace | None:
    """The rows for the iterations of `var`, whatever variables of constant ranges among `loops` are; None if they do not follow it."""
    whole = linear(subscript)
    parts = [(x, by) for x, by in whole.terms if var in names_in(x)]
    beside, by = Linear((), 0), 1
    if len(parts) == 1 and isinstance(parts[0][0], Op) and parts[0][0].name == "floordiv" and parts[0][1] == 1:
        value, divisor = parts[0][0].args
        if not isinstance(divisor, Const) or int(divisor.value.real) < 1:
            return None
        by = int(divisor.value.real)
        beside = (whole - linear(parts[0][0])).scaled(by)
        subscript = value
    form = affine(subscript, (var,))
    if form is None or form.of(var) < 1:
        return None
    bounds = _bounds(form.rest + beside, dict(loops))
    if bounds is None:
        return None
    up = form.of(var)
    return RowPlace(Fraction(up, by), Fraction(bounds[0] - by + 1, up), Fraction(bounds[1], up))


def _bounds(e: Linear, loops: dict[str, Range]) -> tuple[int, int] | None:
    """The least and the greatest value of a sum over variables of constant ranges."""
    least = most = e.const
    for x, by in e.terms:
        span = loops.get(x.name) if isinstance(x, Sym) else None
        if span is None:
            return None
        ends = [linear(y) for y in (span.start, span.stop, span.step)]
        if not all(y.is_const for y in ends) or ends[2].const < 1 or ends[1].const <= ends[0].const:
            return None
        values = sorted(by * y for y in (ends[0].const, ends[1].const - 1))
        least, most = least + values[0], most + values[1]
    return least, most
