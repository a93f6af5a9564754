"""Order the loops of a map: neighbours in memory innermost.

    for k, j in map(range(m), range(i)):                 for j, k in map(range(i), range(m)):
        C[i, j] += A[i, k] * A[j, k]              →          C[i, j] += A[i, k] * A[j, k]

Every access has a price for each loop that could be innermost: little if the loop stays at one element (it is kept in a
register) or goes to the next one, much if it jumps. Where only the run knows strides, the loop that is innermost is taken
for the one along neighbours: the front end walks arrays as they lie in memory. The dearest loop goes outside. A loop whose range depends on
another one stays inside it, unless both are a plain triangle, which can be walked the other way. Loops
with few iterations do not go inside.

Needs no proof: iterations of a map are independent. collapse_maps must come earlier, schedule_maps afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import FAR, affine, mentions, names_in, step
from soljit.ir.core.data import Array, Data, Ref, Scalar
from soljit.ir.core.expr import ONE, Memlet, Range, Sym, const
from soljit.ir.core.nodes import Map, Node, Program
from soljit.ir.symbolic import add, linear, sub
from soljit.ir.walk import rewrite
from soljit.passes.manager import Context
from soljit.schedule.address import labels, positions
from soljit.schedule.policy import Choice

_MOST = 6  # loops whose orders are tried
_MOST_OFFERED = 3  # loops of which all orders are offered


def interchange_maps(program: Program, cx: Context) -> Program:
    """Permute the loops of every map."""

    def fn(n: Node) -> Node | None:
        return _ordered(n, program.data, cx) if isinstance(n, Map) and len(n.vars) > 1 and not n.schedule else None

    return rewrite(program, fn)


def _ordered(m: Map, data: Mapping[str, Data], cx: Context) -> Map | None:
    """The map with its loops in the order that is wanted, or None."""

    def by_default() -> Choice | None:
        order = _best_order(m, data)
        return None if order is None else Choice(tuple(labels(m)[k] for k in order))

    choice = cx.policy.decide(
        "interchange",
        (m,),
        by_default,
        lambda c: why_not_interchange(m, positions(m, c.rest)),
        lambda: _other_orders(m),
    )
    if not isinstance(choice, Choice):
        return None
    order = positions(m, choice.rest)
    if not _in_turn(m, order):
        cx.note(m.loc, "exchanged", name=m.vars[0])
        return _flipped(m)
    names, spans = tuple(m.vars[k] for k in order), tuple(m.spans[k] for k in order)
    cx.note(m.loc, "reordered", names=names)
    return replace(m, vars=names, spans=spans)


def _other_orders(m: Map) -> list[Choice]:
    """All orders but the present one; of many loops, those that bring one loop elsewhere."""
    names = labels(m)
    if len(names) <= _MOST_OFFERED:
        return [Choice(order) for order in permutations(names) if order != names]
    moved = [
        (*(rest := names[:k] + names[k + 1 :])[:at], names[k], *rest[at:])
        for k in range(len(names))
        for at in range(len(names))
    ]
    return [Choice(order) for order in dict.fromkeys(moved) if order != names]


def _best_order(m: Map, data: Mapping[str, Data]) -> tuple[int, ...] | None:
    """The order in which neighbours in memory go innermost; None for the present one."""
    costs = prices(m, data)
    if len(m.vars) == 2 and costs[m.vars[0]] < costs[m.vars[1]] and _flipped(m) is not None:
        return (1, 0)
    if len(m.vars) > _MOST:
        return None
    order = min(_orders(m), key=lambda o: [costs[m.vars[k]] for k in reversed(o)])
    if costs[m.vars[order[-1]]] >= costs[m.vars[-1]] and _same_outer(order):
        return None
    return None if order == tuple(range(len(order))) else order


def why_not_interchange(m: Map, order: tuple[int, ...]) -> str | None:
    """Why the loops of the map cannot go in this order; None if they can."""
    if sorted(order) != list(range(len(m.vars))):
        return f"the order names each of its loops once: {', '.join(labels(m))}"
    if _in_turn(m, order) or (len(order) == 2 and _flipped(m) is not None):
        return None
    k = next(k for p, k in enumerate(order) if not _needs(m)[k] <= set(order[:p]))
    return f"the range of {labels(m)[k]} depends on a loop that would run inside it"


def _in_turn(m: Map, order: tuple[int, ...]) -> bool:
    """Tell whether every range comes after the variables it mentions."""
    return all(_needs(m)[k] <= set(order[:p]) for p, k in enumerate(order))


def _same_outer(order: tuple[int, ...]) -> bool:
    return list(order) == sorted(order)


def _orders(m: Map) -> list[tuple[int, ...]]:
    """The orders in which every range comes after the variables it mentions; the present one first."""
    needs = _needs(m)
    return [o for o in permutations(range(len(needs))) if all(needs[k] <= set(o[:p]) for p, k in enumerate(o))]


def _needs(m: Map) -> list[set[int]]:
    """For each loop, those whose variables its range mentions."""
    n = len(m.vars)
    return [{j for j in range(n) if any(m.vars[j] in names_in(x) for x in m.spans[k].children)} for k in range(n)]


def prices(m: Map, data: Mapping[str, Data]) -> dict[str, float]:
    """For each loop of the map, how much a step of it as the innermost loop would cost."""
    accesses = [a for a in dict.fromkeys(effects(m.body).accesses) if not isinstance(data.get(a.data), Scalar)]
    spans = dict(zip(m.vars, m.spans))
    inside = m.vars[-1]
    return {
        v: round(sum(_price(a, v, data, v == inside) for a in accesses) + _shortness(s), 3) for v, s in spans.items()
    }


def jumps(m: Map, data: Mapping[str, Data]) -> bool:
    """Tell whether the innermost loop of the map skips elements somewhere."""
    places = (Memlet(a.data, a.subset) for a in effects(m.body).accesses if not isinstance(data.get(a.data), Scalar))
    return any(abs(step(data, place, m.vars[-1])) > 1 for place in places)


def _price(a: Access, var: str, data: Mapping[str, Data], inside: bool) -> float:
    at = abs(step(data, Memlet(a.data, a.subset), var))
    if inside and at == FAR and _has_unknown_strides(data.get(a.data)):
        at = 1
    if at == 0:
        mentioned = any(mentions(s, var) for s in a.subset) or any(mentions(span, var) for _, span in a.loops)
        return 1.0 if mentioned else 0.0
    weight = 1.5 if a.write else 1.0
    if at == 1:
        return 0.25 * weight
    return (0.5 if at <= 2 else 1.0 if at <= 8 else 2.0 if at < FAR else 2.25) * weight


def _has_unknown_strides(d: Data | None) -> bool:
    match d:
        case Array(strides=strides) if strides is not None:
            return not any(linear(s).is_const for s in strides)
        case Ref():
            return d.order == "A"
    return False


def _shortness(span: Range) -> float:
    gap = linear(sub(span.stop, span.start))
    return 2.0 if gap.is_const and abs(gap.const) < 8 else 0.0


def _flipped(m: Map) -> Map | None:
    """A triangle walked the other way: `i in [a, b), j in [a, i + d)` is `j in [a, b + d - 1), i in [j - d + 1, b)`.

    d is 0 or 1: without or with the diagonal.
    """
    (i, j), (outer, inner) = m.vars, m.spans
    if outer.step != ONE or inner.step != ONE or i in names_in(inner.start):
        return _flipped_upper(m)
    stop = affine(inner.stop, (i,))
    if stop is None or stop.of(i) != 1 or linear(outer.start) != linear(inner.start) or stop.rest.terms:
        return None
    d = stop.rest.const
    if d not in (0, 1):
        return None
    new_outer = Range(inner.start, sub(add(outer.stop, const(d)), ONE), ONE)
    new_inner = Range(sub(add(Sym(j), ONE), const(d)), outer.stop, ONE)
    return replace(m, vars=(j, i), spans=(new_outer, new_inner))


def _flipped_upper(m: Map) -> Map | None:
    """`i in [a, b), j in [i + d, b)` for d in (0, 1) is `j in [a + d, b), i in [a, j - d + 1)`."""
    (i, j), (outer, inner) = m.vars, m.spans
    start = affine(inner.start, (i,))
    if outer.step != ONE or inner.step != ONE or start is None or start.of(i) != 1 or start.rest.terms:
        return None
    if linear(inner.stop) != linear(outer.stop) or start.rest.const not in (0, 1):
        return None
    d = const(start.rest.const)
    new_outer, new_inner = (
        Range(add(outer.start, d), inner.stop, ONE),
        Range(outer.start, sub(add(Sym(j), ONE), d), ONE),
    )
    return replace(m, vars=(j, i), spans=(new_outer, new_inner))
