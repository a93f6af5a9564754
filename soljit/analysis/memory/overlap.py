"""When two accesses of one container meet. Cheap exact answers; "not proved" is the answer to everything else.

`disjoint`: they never touch the same element, whatever values the loops around each of them take.
`meet_only_in_same_iteration`: of a set of shared loop variables, they touch the same element only with equal values.

Both look at one dimension at a time, with subscripts as sums (`ir/symbolic/linear_sums.py`); what they cannot tell may be asked of
`analysis/loops/dependence.py`. A subscript counts only if it is *stable*: no loads, no lengths of Refs, no symbols that are
defined between the two accesses.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from soljit.analysis.memory.accesses import Access
from soljit.ir.core.expr import Expr, Extent, Load, Range, Stride, Sym, subexpressions
from soljit.ir.symbolic import Facts, Linear, linear, lt

Loops = tuple[tuple[str, Range], ...]


def disjoint(a: Access, b: Access, facts: Facts, unstable: Collection[str] = ()) -> bool:
    """Tell whether `a` and `b` never touch the same element. `loops` of each are all loops whose variables may differ."""
    if a.data != b.data or len(a.subset) != len(b.subset):
        return False
    return any(_apart(x, a.loops, y, b.loops, facts, unstable) for x, y in zip(a.subset, b.subset))


def _apart(
    x: Expr | Range, x_loops: Loops, y: Expr | Range, y_loops: Loops, facts: Facts, unstable: Collection[str]
) -> bool:
    """Tell whether the values of two subscripts never coincide."""
    px, py = _piece(x), _piece(y)
    if px is None or py is None or not (_is_stable(px, unstable) and _is_stable(py, unstable)):
        return False
    bounds_x, bounds_y = value_bounds(px, x_loops), value_bounds(py, y_loops)
    if bounds_x is not None and bounds_y is not None:
        if _less(bounds_x[1], bounds_y[0], facts) or _less(bounds_y[1], bounds_x[0], facts):
            return True
    return _different_remainders(px[0], x_loops, py[0], y_loops)


def _piece(s: Expr | Range) -> tuple[Linear, Linear] | None:
    """First and last value of a subscript (equal for an index)."""
    if isinstance(s, Expr):
        one = linear(s)
        return one, one
    step = linear(s.step)
    if not step.is_const:
        return None
    last = linear(s.stop).shifted(-1 if step.const > 0 else 1)
    return (linear(s.start), last) if step.const > 0 else (last, linear(s.start))


def _is_stable(piece: tuple[Linear, Linear], unstable: Collection[str]) -> bool:
    return all(_stable_atom(a) and (not unstable or _names(a).isdisjoint(unstable)) for p in piece for a, _ in p.terms)


@lru_cache(maxsize=8192)
def _stable_atom(atom: Expr) -> bool:
    return not any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(atom))


@lru_cache(maxsize=8192)
def _names(atom: Expr) -> frozenset[str]:
    return frozenset(x.name for x in subexpressions(atom) if isinstance(x, Sym))


def value_bounds(piece: tuple[Linear, Linear], loops: Loops) -> tuple[Linear, Linear] | None:
    """Smallest and largest value over all iterations of `loops` (assuming there are any), or None."""
    lo, hi = _extreme(piece[0], loops, -1), _extreme(piece[1], loops, 1)
    return None if lo is None or hi is None else (lo, hi)


def _extreme(value: Linear, loops: Loops, sign: int) -> Linear | None:
    for var, span in reversed(loops):
        for atom, c in value.terms:
            if isinstance(atom, Sym):
                if atom.name != var:
                    continue
                end = _end(span, upper=c * sign > 0)
                if end is None:
                    return None
                value = value.combine(1, Linear(((atom, 1),), 0), -c).combine(1, end, c)
                break
            if var in _names(atom):
                return None
    return value


def _end(span: Range, upper: bool) -> Linear | None:
    """A bound of a loop variable's values."""
    step = linear(span.step)
    if not step.is_const:
        return None
    if step.const > 0:
        return linear(span.stop).shifted(-1) if upper else linear(span.start)
    return linear(span.start) if upper else linear(span.stop).shifted(1)


def _less(a: Linear, b: Linear, facts: Facts) -> bool:
    gap = b - a
    if gap.is_const:
        return gap.const > 0
    return facts.holds(lt(a.expr, b.expr))


def _different_remainders(x: Linear, x_loops: Loops, y: Linear, y_loops: Loops) -> bool:
    """`2*i` and `2*j + 1`: all differences leave the same remainder, which is not 0."""
    own = {v for v, _ in x_loops} | {v for v, _ in y_loops}
    gap = Linear(tuple(t for t in x.terms if not _of(t[0], own)), x.const) - Linear(
        tuple(t for t in y.terms if not _of(t[0], own)), y.const
    )
    moving = [c for a, c in (*x.terms, *y.terms) if _of(a, own)]
    by = 0
    for c in moving:
        by = _gcd(by, c)
    return gap.is_const and by > 1 and gap.const % by != 0


def _of(atom: Expr, names: Collection[str]) -> bool:
    return not _names(atom).isdisjoint(names)


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return abs(a)


def meet_only_in_same_iteration(a: Access, b: Access, shared: Sequence[str], unstable: Collection[str] = ()) -> bool:
    """Tell whether all `shared` variables have the same values wherever `a` and `b` touch the same element.

    `a.loops` and `b.loops` are the loops inside the shared ones. A dimension tells that a variable agrees if both
    subscripts have it with the same coefficient and differ in nothing else but variables already known to agree. It agrees, too, if
    dimensions give it a value in both accesses, the same one: of `[i + e, i]` and `[i, i + e]` both have e = 0 where they meet.
    """
    if a.data != b.data or len(a.subset) != len(b.subset):
        return False
    open_vars = set(shared)
    inner = {v for v, _ in a.loops} | {v for v, _ in b.loops} | set(unstable)
    pairs = [(linear(x), linear(y)) for x, y in zip(a.subset, b.subset) if isinstance(x, Expr) and isinstance(y, Expr)]
    progress = True
    while progress and open_vars:
        progress = False
        for x, y in pairs:
            found = _settled(x, y, open_vars, inner)
            if found is not None:
                open_vars.discard(found)
                progress = True
        if not progress and (both := _given_values(pairs, open_vars, inner)):
            open_vars -= both
            progress = True
    return not open_vars


def _settled(x: Linear, y: Linear, open_vars: set[str], inner: set[str]) -> str | None:
    """The one shared variable whose equality follows from `x == y`."""
    if (x - y) != Linear((), 0):
        return None
    moving: str | None = None
    for atom, _ in x.terms:
        if not _stable_atom(atom):
            return None
        names = _names(atom)
        if not names.isdisjoint(inner):
            return None
        touched = names & open_vars
        if touched:
            if moving is not None or not isinstance(atom, Sym):
                return None
            moving = atom.name
    return moving


def _given_values(
    pairs: Sequence[tuple[Linear, Linear]], open_vars: Collection[str], inner: Collection[str]
) -> set[str]:
    """The shared variables that have one value in both accesses, by dimensions in which only one of these has a shared variable."""
    first = {found for x, y in pairs if (found := _given(x, y, open_vars, inner)) is not None}
    second = {found for x, y in pairs if (found := _given(y, x, open_vars, inner)) is not None}
    return {name for name, _ in first & second}


def _given(x: Linear, y: Linear, open_vars: Collection[str], inner: Collection[str]) -> tuple[str, Linear] | None:
    """The one shared variable in `x`, and the value that `x == y` gives it, which hangs on nothing that may differ."""
    moving: tuple[Sym, int] | None = None
    for k, (atom, c) in enumerate((*x.terms, *y.terms)):
        names = _names(atom)
        if not _stable_atom(atom) or not names.isdisjoint(inner):
            return None
        if not names.isdisjoint(open_vars):
            if moving is not None or k >= len(x.terms) or not isinstance(atom, Sym) or abs(c) != 1:
                return None
            moving = (atom, c)
    if moving is None:
        return None
    sym, c = moving
    return sym.name, (y - x).scaled(c) + linear(sym)


def enclosed(a: Access, loops: Loops) -> Access:
    """The access seen from further outside: with `loops` around it."""
    return Access(a.data, a.subset, a.write, a.wcr, loops + a.loops, a.certain)
