"""Comparisons that others imply: of `n <= m + 1` and `n <= m` the second says all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from soljit.ir.core.expr import Expr, Op
from soljit.ir.symbolic.algebra import conj, linear
from soljit.ir.symbolic.linear_sums import Linear, is_index


def without_implied(conds: Sequence[Expr]) -> list[tuple[Expr, int]]:
    """Conditions that say together what `conds` say, each with the number of the one that it is from.

    Of comparisons that differ by a constant the strongest stands where the first one stood, so that what is behind can rely on it as before.
    """
    gaps = [[(part, _gap(part)) for part in _parts(c)] for c in conds]
    strongest: dict[object, tuple[int, Expr, int]] = {}  # terms → constant, comparison, number
    for k, parts in enumerate(gaps):
        for part, gap in parts:
            if gap is not None and (gap.terms not in strongest or gap.const < strongest[gap.terms][0]):
                strongest[gap.terms] = (gap.const, part, k)
    out: list[tuple[Expr, int]] = []
    for k, parts in enumerate(gaps):
        kept, origin = [], k
        for part, gap in parts:
            if gap is None:
                kept.append(part)
            elif (best := strongest.pop(gap.terms, None)) is not None:
                kept.append(best[1])
                origin = best[2] if len(parts) == 1 else k
        if kept == [part for part, _ in parts]:
            out.append((conds[k], k))
        elif kept:
            out.append((conj(*kept), origin))
    return out


def _parts(c: Expr) -> Iterator[Expr]:
    if isinstance(c, Op) and c.name == "land":
        for a in c.args:
            yield from _parts(a)
    else:
        yield c


def _gap(c: Expr) -> Linear | None:
    """The sum that is not negative if and only if the comparison holds."""
    if not (isinstance(c, Op) and c.name in ("le", "lt") and is_index(c.args[0]) and is_index(c.args[1])):
        return None
    gap = linear(c.args[1]) - linear(c.args[0])
    return gap.shifted(-1) if c.name == "lt" else gap
