"""Let many iterations of a map go through its loops in order together, in vectors.

    for j in map(range(m)):                              for b in map(range((m + 255) // 256)):
        s = 0.0                                              for j in map(b's 256 iterations): s_strip[j - …] = 0.0
        for i in range(n):                        →          for i in range(n):
            s = c * s + a[i, j]                                  for j in map(b's 256 iterations): s_strip[j - …] = c * s_strip[j - …] + a[i, j]; out[i, j] = s_strip[j - …]
            out[i, j] = s

A loop down a column jumps through memory, and waits for itself; its neighbours do neither. Also loops that look for the best of a column, and where it is. What an iteration has for itself and
carries through the loop, or from one part of the body to the next, gets an element of a small array. Threads still share the map: its strips.

Proof: iterations of a map need nothing of each other, so they may take their steps in turns, as long as each takes its own in their order. Where they combine values into common elements
the order would be another one, so that is left alone.

Needs maps without schedules, and must come before `schedule_maps`. Few iterations run as they did.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.flow.liveness import exposed
from soljit.analysis.memory.accesses import effects
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import ONE, ZERO, Load, Range, Sym, const, subexpressions, symbols
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, floordiv, le, minimum, mul, sub
from soljit.ir.walk import FreshNames, anew, data_used, rename_symbols, rewrite, substitute_in, symbols_defined, walk
from soljit.passes.loops.interchange_maps import jumps, prices
from soljit.passes.loops.split_maps import crosses, parts_of, with_arrays
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice

STRIP = 256  # iterations: rows of a few cache lines in each array, and what is carried stays in the first cache
FEWEST = 16  # iterations that are worth it
_GAIN = 0.8  # the map's loop must cost less than this part of the loop in order


def strip_maps(program: Program, cx: Context) -> Program:
    """Let iterations go together in every map in which that is right and pays."""
    worker = _Strips(program, cx, FreshNames(program), dict(program.data))
    body = rewrite(program.body, lambda n: worker.stripped(n) if isinstance(n, Map) and not n.schedule else None)
    return program if body is program.body else replace(program, body=body, data=worker.data)


@dataclass
class _Strips:
    program: Program
    cx: Context
    _fresh: FreshNames
    data: dict[str, Data]

    def stripped(self, m: Map) -> Node | None:
        """The map in strips, or None if it stays as it is."""
        loops = [n for n in m.body.nodes if isinstance(n, Loop)]
        if not loops:
            return None
        reason = self._why_not(m, loops)
        choice = self.cx.policy.decide(
            "strip", (m,), lambda: YES if all(self._pays(m, n) for n in loops) else None, lambda _: reason
        )
        if not isinstance(choice, Choice):
            return None
        count = int(choice.options.get("columns", STRIP))
        self.cx.note(m.loc, "in strips", count=count)
        strips = self._strips(m, count)
        if choice.options:
            return strips
        few = Region((anew(m),), loc=m.loc)
        enough = le(const(FEWEST), sub(m.spans[-1].stop, m.spans[-1].start))
        return Branch(enough, Region((strips,), loc=m.loc), few, loc=m.loc)

    def _why_not(self, m: Map, loops: list[Loop]) -> Said | None:
        """Why the map's iterations cannot go through these loops together; None if they can."""
        e = effects(m.body)
        made = {*m.vars, *symbols_defined(m.body)}
        ends = [x for span in (m.spans[-1], *(n.span for n in loops)) for x in span.children]
        if any(made & symbols(x) or any(isinstance(y, Load) for y in subexpressions(x)) for x in ends):
            return said("range depends")
        rows = any(not isinstance(self.data[p], Scalar) for p in m.private)
        if m.spans[-1].step != ONE or e.allocs or rows or not all(_is_plain(n) for n in m.body.nodes):
            return said("no plain rows")
        for n in walk(m.body):
            if isinstance(n, Tasklet) and (n.out.wcr or not n.out.subset) and n.out.data not in m.private:
                return said("combined", name=n.out.data)
        return None

    def _pays(self, m: Map, loop: Loop) -> bool:
        """Tell whether the map's loop would be a better innermost loop of `loop` than itself."""
        var, span = m.vars[-1], m.spans[-1]
        alone = Map((loop.var,), (loop.span,), loop.body)
        both = replace(alone, vars=(var, loop.var), spans=(span, loop.span))
        if not jumps(alone, self.data):
            return False
        cost = prices(both, self.data)
        return cost[var] < _GAIN * cost[loop.var]

    def _strips(self, m: Map, count: int) -> Map:
        loc, var, span = m.body.loc, m.vars[-1], m.spans[-1]
        m = rename_symbols(m, {n: self._fresh(n) for n in sorted(symbols_defined(m.body))})
        block, first, last = (Sym(self._fresh(x)) for x in ("strip", "first", "last"))
        loops = [n for n in m.body.nodes if isinstance(n, Loop)]
        parts = [Region(tuple(p), loc=loc) for p in parts_of(m.body, loops)]
        carried = {n for p in parts for x in p.nodes if isinstance(x, Loop) for n in exposed(x.body)}
        own = [p for p in m.private if p in carried or sum(1 for r in parts if p in data_used(r)) > 1]
        scalars = {p: self._fresh(p) for p in own}
        lets = {n.name: n for r in parts for n in r.nodes if isinstance(n, Let) and crosses(n, r, parts)}
        arrays = {name: self._fresh(name) for name in lets}
        made = {scalars[p]: self.data[p].dtype for p in own} | {arrays[n]: x.value.dtype for n, x in lets.items()}
        self.data |= {name: Array(dtype, (const(count),), storage="register") for name, dtype in made.items()}
        out: list[Node] = [
            Let(first.name, add(span.start, mul(const(count), block)), loc=loc),
            Let(last.name, minimum(add(first, const(count)), span.stop), loc=loc),
        ]
        for part in parts:
            j = Sym(self._fresh(var))
            body = substitute_in(with_arrays(part, scalars, lets, arrays, sub(Sym(var), first)), {var: j})
            only = body.nodes[0]
            inside = only.body if isinstance(only, Loop) else body
            private = tuple(p for p in m.private if p not in scalars and p in data_used(inside))
            lanes = Map((j.name,), (Range(first, last, ONE),), inside, private=private, loc=m.loc)
            out.append(replace(only, body=Region((lanes,), loc=loc)) if isinstance(only, Loop) else lanes)
        blocks = Range(ZERO, floordiv(add(sub(span.stop, span.start), const(count - 1)), const(count)), ONE)
        return replace(
            m,
            vars=(*m.vars[:-1], block.name),
            spans=(*m.spans[:-1], blocks),
            private=tuple(made),
            body=Region(tuple(out), loc=loc),
        )


def _is_plain(n: Node) -> bool:
    """Tell whether it is a statement, or a loop of statements."""
    if isinstance(n, Loop):
        return all(_is_plain(x) and not isinstance(x, Loop) for x in n.body.nodes)
    if isinstance(n, Branch):
        return all(_is_plain(x) and not isinstance(x, Loop | Let) for x in (*n.then.nodes, *n.orelse.nodes))
    return isinstance(n, Let | Tasklet)
