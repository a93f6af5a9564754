"""Whether two maps run over the same space, perhaps with other names, shifted, or with the loops in another order.

`common_depth(a, b)` counts the outer loops that agree, `aligned` renames `b` after `a`, and `reordered` finds the order of
`b`'s loops that goes with `a` by the subscripts of data that one writes and the other reads.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import Access, effects
from soljit.ir.core.expr import Expr, Range, Sym, symbols
from soljit.ir.core.nodes import Map
from soljit.ir.symbolic import add, equal, linear, range_length, sub
from soljit.ir.walk import substitute, substitute_in


def common_depth(a: Map, b: Map) -> int:
    """How many outer loops of the two maps run over equal spans (up to a shift)."""
    names: dict[str, Expr] = {}
    for k, (u, v) in enumerate(zip(a.vars, b.vars)):
        x, y = a.spans[k], b.spans[k]
        if names and any(isinstance(e, Sym) or e.children for e in y.children):
            y = substitute(y, names)
        if not _equal_lengths(x, y):
            return k
        names[v] = Sym(u)
    return min(len(a.vars), len(b.vars))


def _equal_lengths(x: Range, y: Range) -> bool:
    if x == y:
        return True
    if not equal(x.step, y.step) or not linear(x.step).is_const or linear(x.step).const == 0:
        return False
    if equal(x.start, y.start):
        return equal(x.stop, y.stop)
    return linear(x.step).const == 1 and range_length(x) == range_length(y)


def aligned(a: Map, b: Map, depth: int) -> Map:
    """`b` with its first `depth` variables named (and shifted) as in `a`."""
    names: dict[str, Expr] = {}
    for k in range(depth):
        shift = sub(b.spans[k].start, a.spans[k].start)
        if b.vars[k] != a.vars[k] or linear(shift) != linear(sub(shift, shift)):
            names[b.vars[k]] = add(Sym(a.vars[k]), shift)
    if not names:
        return b
    body = substitute_in(b.body, names)
    spans = tuple(substitute(s, names) for s in b.spans[depth:])
    return replace(b, vars=(*a.vars[:depth], *b.vars[depth:]), spans=(*a.spans[:depth], *spans), body=body)


def reordered(a: Map, b: Map) -> Map | None:
    """`b` with its loops in the order of `a`'s, as far as data that flows between them says which is which.

    None if it does not say so for all loops of `a`, or if `b` is in that order already. The innermost loop of `b` stays
    innermost, unless all loops have their counterpart.
    """
    if len(b.vars) < len(a.vars) or len(b.vars) < 2 or any(_depends(s, b.vars) for s in b.spans):
        return None
    match = _counterparts(a, b)
    if match is None:
        return None
    first = tuple(match[u] for u in a.vars)
    order = first + tuple(v for v in b.vars if v not in first)
    if order == b.vars or (len(order) > len(first) and order[-1] != b.vars[-1]):
        return None
    spans = dict(zip(b.vars, b.spans))
    return replace(b, vars=order, spans=tuple(spans[v] for v in order))


def _depends(span: Range, names: tuple[str, ...]) -> bool:
    return any(not symbols(e).isdisjoint(names) for e in span.children)


def _counterparts(a: Map, b: Map) -> dict[str, str] | None:
    """Variable of `a` → variable of `b` that walks the same dimension of something that one of them writes."""
    theirs: dict[str, list[Access]] = {}
    for q in dict.fromkeys(effects(b).accesses):
        theirs.setdefault(q.data, []).append(q)
    for p in dict.fromkeys(effects(a).accesses):
        for q in theirs.get(p.data, ()):
            if not (p.write or q.write) or len(p.subset) != len(q.subset):
                continue
            found: dict[str, str] = {}
            for x, y in zip(p.subset, q.subset):
                u, v = _only(x, a.vars), _only(y, b.vars)
                if u is not None and v is not None:
                    found[u] = v
            if len(found) == len(a.vars) == len(set(found.values())):
                return found
    return None


def _only(s: Expr | Range, names: tuple[str, ...]) -> str | None:
    """The one variable in a subscript, if it is there once and as it is (plus a constant or size)."""
    if isinstance(s, Range):
        return None
    moving = [(atom, c) for atom, c in linear(s).terms if not symbols(atom).isdisjoint(names)]
    if len(moving) != 1 or moving[0][1] != 1 or not isinstance(moving[0][0], Sym):
        return None
    return moving[0][0].name
