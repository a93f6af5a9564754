"""Compute by vectors, a strip of iterations ahead, what a loop in order needs from nothing that it changes.

    for k in range(n):                                     for first in range(0, n, 256):
        j: i64 = max(i64((x[k] - a) / b * c), 0)               for i in map(range(min(256, n - first))): ahead[i] = max(i64((x[first + i] - a) / b * c), 0)
        h[j] += w[k]                                →          for k in range(first, min(first + 256, n)):
                                                                   h[ahead[k - first]] += w[k]

One statement that has to run in order (a sum at a place that data name, a step of a recurrence) keeps all of an iteration from vectors. Apart, what is
independent runs as many elements at a time as a vector holds, and lies in the first cache until the loop in order comes for it.

Proof: the body is straight code without branches, so every iteration computes every value, once; expressions are pure and total. A value that is computed ahead reads the loop's
variable, symbols from outside, values that are computed ahead themselves, and arrays that share no memory with what the loop writes. So it is the same whenever it is computed. What only
some values of a condition need stays under it if it loads anything. What the loop writes it writes in the order of before.

schedule_maps must come earlier: maps that run by vectors are no matter of this pass, and interleave_loops wants loops as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from soljit.analysis.cost.work import operations
from soljit.analysis.memory.accesses import aliases, names_written
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import (
    ONE,
    Expr,
    Extent,
    Load,
    Memlet,
    Op,
    Range,
    Stride,
    Sym,
    const,
    is_const,
    subexpressions,
)
from soljit.ir.core.nodes import Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, linear, minimum, range_length, sub
from soljit.ir.walk import FreshNames, Value, map_exprs, rewrite, value_exprs, values
from soljit.passes.manager import Context

_STRIP = 256  # iterations at a time
_WORTH = 10  # operations that a value must take to be worth a store and a load
_MOST = 4  # values; together they take more operations than what stays in order


def compute_ahead(program: Program, cx: Context) -> Program:
    """Split what is independent from all loops in order that are worth it."""
    p = _Splitter(program, cx, dict(program.data), FreshNames(program))
    body = rewrite(program.body, p.node)
    return program if body is program.body else replace(program, body=body, data=p.data)


@dataclass
class _Splitter:
    program: Program
    cx: Context
    data: dict[str, Data]
    _fresh: FreshNames

    def node(self, n: Node) -> Node | tuple[Node, ...] | None:
        """The loop over strips, for an innermost loop that does not run by vectors."""
        match n:
            case Loop(divisors=(), words=False):
                return self.loop(n, n.var, n.span)
            case Map(
                vars=(var,), spans=(span,), schedule=("seq",), private=(), parts=(), blocks=None, until=(), counted=()
            ):
                return self.loop(n, var, span)
        return None

    def loop(self, n: Loop | Map, var: str, span: Range) -> tuple[Node, ...] | None:
        body = n.body.nodes
        if not is_const(span.step, 1) or _is_short(span) or not all(isinstance(x, (Let, Tasklet)) for x in body):
            return None
        early = _Early(self.program, self.cx, n, var)
        late = [x for x in body if not early.has(x)]
        costs = {e: early.cost(e) for x in late for v in values(x) for e in early.largest(v)}
        wanted = [e for e, cost in costs.items() if cost >= _WORTH]
        in_order = sum(operations(e) for x in late for v in values(x) for e in value_exprs(v))
        gain = sum(costs[e] for e in wanted)
        if not wanted or len(wanted) > _MOST or gain < in_order - sum(map(operations, wanted)):
            return None
        self.cx.note(n.loc, "computed ahead")
        first, end = self._fresh("first"), self._fresh("end")
        strip = Range(Sym(first), minimum(add(Sym(first), const(_STRIP)), Sym(end)), ONE)
        place = (sub(Sym(var), Sym(first)),)
        buffers: dict[Expr, Memlet] = {}
        for e in wanted:
            buffers[e] = Memlet(self._fresh("ahead"), place)
            self.data[buffers[e].data] = Array(e.dtype, (const(_STRIP),), storage="register")
        stores = tuple(Tasklet(out, e, loc=n.loc) for e, out in buffers.items())
        ahead = Region((*early.needs(*wanted), *stores), loc=n.loc)
        fill = self._fresh.other_symbols(Map((var,), (strip,), ahead, ("lanes",), loc=n.loc))
        for e, out in sorted(buffers.items(), key=lambda x: -sum(1 for _ in subexpressions(x[0]))):
            late = [map_exprs(x, {e: Load(out, e.dtype)}.get) for x in late]
        still = early.needs(*(e for x in late for v in values(x) for e in value_exprs(v)))
        again = replace(n.body, nodes=(*still, *late))
        then = replace(n, span=strip, body=again) if isinstance(n, Loop) else replace(n, spans=(strip,), body=again)
        both = Region((fill, then), loc=n.loc)
        return Let(end, span.stop, loc=n.loc), Loop(first, Range(span.start, Sym(end), const(_STRIP)), both, loc=n.loc)


class _Early:
    """What of a loop's iterations can be computed before any of them."""

    def __init__(self, program: Program, cx: Context, n: Loop | Map, var: str) -> None:
        self._in_turn = cx.in_turn
        self._alias, self._written = aliases(program), names_written(n.body)
        self._lets: dict[str, Let] = {}
        self._late: set[str] = set()
        self.var = var
        for x in n.body.nodes:
            if isinstance(x, Let):
                if self.is_early(x.value):
                    self._lets[x.name] = x
                else:
                    self._late.add(x.name)

    def has(self, n: Node) -> bool:
        """Tell whether this is a definition that can be made early."""
        return isinstance(n, Let) and n.name in self._lets

    def is_early(self, e: Expr) -> bool:
        """Tell whether an expression has the same value before the loop has written anything."""
        for x in subexpressions(e):
            match x:
                case Sym() if x.name in self._late:
                    return False
                case Load() if self._alias.any_alias([x.memlet.data], self._written):
                    return False
                case Extent() | Stride() if self._alias.any_alias([x.data], self._written):
                    return False
        return True

    def largest(self, v: Value) -> Iterator[Expr]:
        """The largest parts that are early."""
        for e in value_exprs(v):
            yield from self._largest(e, False)

    def _largest(self, e: Expr, perhaps: bool) -> Iterator[Expr]:
        """perhaps: e may not be needed, and then what it loads need not be there"""
        if self.is_early(e) and not (perhaps and any(isinstance(x, Load) for x in subexpressions(e))):
            yield e
            return
        lazy = isinstance(e, Op) and e.name in ("select", "land", "lor")
        for k, c in enumerate(e.children):
            yield from self._largest(c, perhaps or (lazy and k > 0))

    def needs(self, *what: Expr) -> tuple[Let, ...]:
        """The definitions on which these depend, in order."""
        needed: set[str] = set()
        todo = list(what)
        while todo:
            names = {x.name for x in subexpressions(todo.pop()) if isinstance(x, Sym)} & self._lets.keys()
            todo += [self._lets[name].value for name in names - needed]
            needed |= names
        return tuple(x for name, x in self._lets.items() if name in needed)

    def cost(self, e: Expr) -> int:
        """Operations of an expression with all that it depends on, if vectors are quicker: some are on floats, in each iteration anew, none is a call for one number."""
        whole = [e, *(x.value for x in self.needs(e))]
        parts = [x for one in whole for x in subexpressions(one)]
        ops = [x for x in parts if isinstance(x, Op)]
        varies = any(isinstance(x, Sym) and x.name == self.var for x in parts)
        floats = any(x.args[0].dtype.is_float for x in ops)
        alone = any(self._in_turn(x.name, x.dtype) for x in ops)
        return sum(map(operations, whole)) if varies and floats and not alone else 0


def _is_short(span: Range) -> bool:
    length = linear(range_length(span))
    return length.is_const and length.const < _STRIP
