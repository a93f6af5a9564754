"""Let the long middle of an innermost loop run without the conditions that tell its ends apart (index-set splitting).

    for j in map(range(0, m)):                             for j in map(range(1, m)):
        b[j] = a[m - 1 if j < 1 else j - 1]        →           b[j] = a[j - 1]
                                                           for end in range(0, 1):
                                                               Let j = end
                                                               b[j] = a[m - 1 if j < 1 else j - 1]

A condition compares the loop's variable with a number that the loop does not change. Where that number lies a few iterations from one of the
ends, the condition has one value in the whole middle; both ends, with the conditions as they are, share a second loop. One that changes somewhere
else (`np.roll` by any amount) cuts the loop in two, and has one value in each.

Proof: iterations of a map are independent, each is in just one of the loops, and a condition that is replaced has the value that the bounds of its
loop imply. Sums into an element need their order: their maps stay whole. It pays where subscripts depend on such conditions, because neighbouring
iterations touch neighbouring elements then. fuse_maps and skew_loops must come earlier: they need whole maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import mentions
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Const, Expr, Load, Op, Range, Sym, const, subexpressions
from soljit.ir.core.nodes import Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import b1, i64
from soljit.ir.symbolic import Facts, add, difference, linear, select, sub
from soljit.ir.walk import FreshNames, exprs, map_exprs, on_regions, same
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice

_END = 8  # iterations at an end at most
_ORDER = frozenset({"lt", "le", "gt", "ge"})
_COMPARISONS = _ORDER | {"eq", "ne"}


def peel_ends(program: Program, cx: Context) -> Program:
    """Peel every loop in which that is right and pays."""
    body = _Peeler(cx, cx.facts(program), FreshNames(program)).region(program.body)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True)
class _Cut:
    """The iterations from `at` on are other ones than those before: the condition is `below` before, `above` from there on. exact: it is neither at `at` itself (`==`, `!=`)"""

    at: Expr
    below: bool
    above: bool
    exact: bool = False


Parts = list[tuple[tuple[Range, ...], Mapping[Expr, bool]]]  # ranges, and the values of conditions there


@dataclass
class _Peeler:
    cx: Context
    facts: Facts
    _fresh: FreshNames

    def region(self, region: Region) -> Region:
        """The region with its innermost maps peeled."""
        out: list[Node] = []
        for n in region.nodes:
            peeled = self._peeled(n) if isinstance(n, Map) and not n.schedule else None
            if peeled is None and isinstance(n, Map):
                body = self.region(n.body)
                out.append(n if body is n.body else replace(n, body=body))
            else:
                out += peeled or [on_regions(n, self.region)]
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def _peeled(self, m: Map) -> list[Node] | None:
        """The middle and the ends, or None if the map stays whole."""
        if not all(isinstance(n, Let | Tasklet) for n in m.body.nodes):
            return None
        cuts = dict(_cuts(m))
        if not cuts:
            return None
        wanted = any(c in cuts for e in exprs(m.body) for c in _in_subscripts(e))
        parts = self._parts(m, cuts)
        choice = self.cx.policy.decide(
            "peel", (m,), lambda: YES if wanted and parts else None, lambda _: _why_not(m, parts)
        )
        if not isinstance(choice, Choice):
            return None
        self.cx.note(m.loc, "peeled", name=m.vars[-1])
        return self._written(m, parts)

    def _written(self, m: Map, parts: Parts) -> list[Node]:
        nodes: list[Node] = []
        for spans, values in parts:
            body = _with(m.body, values)
            part: Node = (
                Map(m.vars[-1:], spans, body, when=m.when, loc=m.loc) if len(spans) == 1 else self._both(m, spans, body)
            )
            if nodes:
                part = self._fresh.other_symbols(part)
            nodes.append(part)
        if len(m.vars) == 1:
            return nodes
        return [replace(m, vars=m.vars[:-1], spans=m.spans[:-1], body=replace(m.body, nodes=tuple(nodes)))]

    def _both(self, m: Map, spans: tuple[Range, ...], body: Region) -> Loop:
        """One loop over two ranges: they are short."""
        end, (first, second) = Sym(self._fresh("end")), spans
        count = sub(first.stop, first.start)
        in_second = add(second.start, sub(end, count))
        at = select(Op("lt", (end, count), b1), add(first.start, end), in_second)
        body = replace(body, nodes=(Let(m.vars[-1], at, loc=m.loc), *body.nodes))
        return Loop(end.name, Range(ZERO, add(count, sub(second.stop, second.start)), ONE), body, loc=m.loc)

    def _parts(self, m: Map, cuts: Mapping[Expr, _Cut]) -> Parts:
        """Ranges of the innermost variable, each with the values that conditions have there: the middle and the two ends, or two halves; none, if there is nothing to tell apart."""
        span, least, most = m.spans[-1], self.facts.minimum, self.facts.maximum
        front, back = 0, 0
        values: dict[Expr, bool] = {}
        for x, cut in cuts.items():
            after, before = difference(cut.at, span.start), difference(span.stop, cut.at)
            if after is not None and 0 <= after <= _END:
                front, values[x] = max(front, after + cut.exact), cut.above
            elif before is not None and 0 <= before <= _END:
                back, values[x] = max(back, before), cut.below
        if front or back:
            first = least(add(span.start, const(front)), span.stop)
            last = most(sub(span.stop, const(back)), first)
            ends = (Range(span.start, first, ONE), Range(last, span.stop, ONE))
            return [((Range(first, last, ONE),), values), (ends, {})]
        halves = next((c for c in cuts.values() if not c.exact), None)
        if halves is None:
            return []
        at = most(span.start, least(halves.at, span.stop))
        here = {x: c for x, c in cuts.items() if not c.exact and difference(c.at, halves.at) == 0}
        return [
            ((Range(span.start, at, ONE),), {x: c.below for x, c in here.items()}),
            ((Range(at, span.stop, ONE),), {x: c.above for x, c in here.items()}),
        ]


def _why_not(m: Map, parts: Parts) -> Said | None:
    e = effects(m.body)
    if any(a.wcr is not None for a in e.accesses):
        return said("order of a sum")
    if m.private or e.allocs or e.leaves or m.spans[-1].step != ONE or not parts:
        return said("no ends")
    return None


# --- conditions -------------------------------------------------------------------------------------------------------


def _in_subscripts(e: Expr) -> Iterator[Expr]:
    """The parts of an expression that stand in the subscripts of what it loads."""
    for x in subexpressions(e):
        if isinstance(x, Load):
            for c in x.children:
                yield from subexpressions(c)


def _cuts(m: Map) -> Iterator[tuple[Expr, _Cut]]:
    """The comparisons of the innermost variable with what the map's body does not change."""
    v, changing = m.vars[-1], effects(m.body).defines
    for x in dict.fromkeys(x for e in exprs(m.body) for x in subexpressions(e)):
        if not isinstance(x, Op) or x.name not in _COMPARISONS or x.args[0].dtype is not i64:
            continue
        left = linear(sub(x.args[0], x.args[1]))
        rest = linear(sub(left.expr, Sym(v)))
        sign = 1
        if mentions(rest.expr, v):
            rest, sign = linear(add(left.expr, Sym(v))), -1
        e = rest.expr
        if mentions(e, v) or any(
            isinstance(y, Load) or (isinstance(y, Sym) and y.name in changing) for y in subexpressions(e)
        ):
            continue
        name = x.name if sign > 0 else {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(x.name, x.name)
        point = sub(ZERO, e) if sign > 0 else e  # compared: v with this
        if name in ("eq", "ne"):
            yield x, _Cut(point, name == "ne", name == "ne", exact=True)
        else:
            at = point if name in ("lt", "ge") else add(point, ONE)
            yield x, _Cut(at, name in ("lt", "le"), name in ("gt", "ge"))


def _with(body: Region, values: Mapping[Expr, bool]) -> Region:
    """The body where conditions have these values."""

    def known(e: Expr) -> Expr | None:
        if e in values:
            return TRUE if values[e] else FALSE
        if isinstance(e, Op) and e.name == "select" and isinstance(e.args[0], Const):
            return e.args[1] if e.args[0].value else e.args[2]
        return None

    return map_exprs(body, known) if values else body
