"""Say in which order maps on processors combine what their iterations contribute to one element.

    with map(i=range(0, n), j=range(0, m)):                  →    with map(…), blocks(1):          floats, in NumPy's order
        s[i] += x[i, j]

    with map(i=range(0, n), j=range(0, m)):                  →    with map(…), blocks(2), buffered(x_s0, x_s1):     a buffer of NumPy's at a time
        s += x[i, j]

    with map(i=range(0, n)):                                 →    with map(…), blocks(1), in_place(1):     a block is read where it is
        s += y[i]

    with map(i=range(0, n)):                                 →    with map(…), until(found):       ends once it is decided
        found = wcr.lor(x[i] > 3.0)

    with map(i=range(0, n)):                                 →    with map(…), counted(k):         adds as many at once as it compares
        k = wcr.add(i64(x[i] > 3.0))

    for r in range(0, m):                                    →    with map(…), blocks(1), few():     fewer than eight are added up one by one, as by NumPy
        with map(i=range(first[r], first[r + 1])):
            s += y[i] * x[k[i]]

Sums of floats are exact to the bit only in NumPy's order: blocks of a length that NumPy chooses, whose sums are added in pairs. Blocks hold the
contributions of the innermost loops that a sum runs over completely, if the body computes them without loops of its own; otherwise an iteration
gives one term. What NumPy reads through its iterator's buffer it adds up a buffer at a time; sums of one map for which it reads in different ways
become maps of their own. Minima and maxima of floats are taken in blocks because vectors can do that. A block of elements that lie next to each
other is read where it is; for all others the terms are computed into a buffer first.

Of a loop that data decide about, one of many, nothing tells that it is long: rows of sparse matrices have two or three elements, for which setting out for blocks, or for vectors of truth values,
costs more than the additions.

With `fp="fast"` a sum in a loop, one of many, is added up as the compiler's vectors have it (`docs/semantics.md`): it takes no block, which costs a short
one more than its additions. A sum that stands alone keeps its blocks, whose accuracy costs it nothing.

It comes behind `schedule_maps`, when no pass takes statements out of maps or puts them in any more.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.loops.buffers import buffers
from soljit.analysis.loops.map_reductions import Reduction, elements_of, reductions, widest
from soljit.analysis.loops.sums import accumulated
from soljit.analysis.memory.affine import distances, follow_each_other
from soljit.analysis.memory.homes import Homes, homes_of
from soljit.base.records import dataclass
from soljit.ir.core.expr import Cast, Const, Load, Memlet, Op, Range, Sym, is_const, loads, subexpressions, symbols
from soljit.ir.core.nodes import Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.core.ops import LIBM
from soljit.ir.core.types import b1, f32, f64
from soljit.ir.symbolic import prod, range_length
from soljit.ir.walk import exprs, is_straight, on_regions, same, walk
from soljit.ir.walk.spaces import is_kernel
from soljit.passes.manager import Context

TINY = 8  # iterations: NumPy adds up fewer elements one by one
_DEAR = frozenset({*LIBM, *LIBM.values()})
FEW = 8  # iterations, when their number is known, for which pieces of a loop are not worth while


def order_sums(program: Program, cx: Context) -> Program:
    """Write the order of their sums on all maps that processors run."""
    if not any(isinstance(n, Map) for n in walk(program.body)):
        return program
    body = _Planner(program, homes_of(program), cx.fp == "fast", _told_by_data(program)).region(program.body)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True)
class _Planner:
    program: Program
    homes: Homes
    any_order: bool  # of sums
    told: frozenset[str]  # symbols that data tell
    again: bool = False  # the statements stand in a loop

    def region(self, region: Region) -> Region:
        nodes = tuple(x for n in region.nodes for x in self.nodes(n))
        return region if same(nodes, region.nodes) else replace(region, nodes=nodes)

    def nodes(self, n: Node) -> tuple[Node, ...]:
        if not isinstance(n, Map) or is_kernel(n):
            inner = replace(self, again=True) if isinstance(n, (Loop, While)) else self
            return (on_regions(n, inner.region),)
        body = replace(self, again=self.again or not n.parts).region(n.body)  # a strip of a sum is the sum
        inside = n if body is n.body else replace(n, body=body)
        found = [r for r in reductions(self.program, self.homes, n) if r.level < len(n.vars)]
        sums = [r for r in found if r.blocked and not self.in_any_order(r)]
        blocks = _blocks(n, sums)
        until = _until(n, found) if not blocks else ()
        counted = _counted(n, found) if not blocks and not until else ()
        few = (blocks == 1 and _one_by_one(n, sums) or bool(until)) and self.few(n)
        if (blocks, until, counted, few) == (n.blocks, n.until, n.counted, n.few):
            return (inside,)
        ordered = replace(inside, blocks=blocks, until=until, counted=counted, few=few)
        parts = self.by_buffers(ordered, sums) if blocks == len(n.vars) else (ordered,)
        return tuple(self.placed(m, sums) for m in parts) if blocks else parts

    def few(self, m: Map) -> bool:
        """Tell whether data decide how often the innermost loop runs, each time that it is reached."""
        parts = [x for e in m.spans[-1].children for x in subexpressions(e)]
        data = any(isinstance(x, Load) and x.memlet.subset or isinstance(x, Sym) and x.name in self.told for x in parts)
        return data and (self.again or len(m.vars) > 1) and is_const(m.spans[-1].step, 1)

    def in_any_order(self, r: Reduction) -> bool:
        """Tell whether the sum is one of many, and of few numbers as far as can be told, which may be added up as vectors have them."""
        return self.any_order and r.wcr == "add" and (self.again or r.level > 0)

    def by_buffers(self, m: Map, sums: list[Reduction]) -> tuple[Map, ...]:
        """A map for each way in which NumPy reads what these sums over all loops are of."""
        apart = buffers(self.program.data, m, sums)
        out = []
        for way, those in apart.items():
            targets = {r.target for r in those}
            nodes = tuple(x for x in m.body.nodes if isinstance(x, Tasklet) and x.out in targets)
            part = m if len(apart) == 1 else replace(m, body=replace(m.body, nodes=nodes))
            out.append(part if way is None else replace(part, buffered=way.steps, converted=way.converted))
        return tuple(out)

    def placed(self, m: Map, sums: list[Reduction]) -> Map:
        """The map, whose terms are read where they are, if they can be; then a few cost no more than others."""
        in_place = self.in_place(m, sums)
        return replace(m, in_place=in_place, few=m.few and not in_place)

    def in_place(self, m: Map, sums: list[Reduction]) -> int:
        """Of how many innermost loops of a map in blocks all terms are neighbours in memory, of the type in which they are combined."""
        terms = elements_of(m)
        own = [r for r in sums if r.target in terms]
        if len(own) != len(m.body.nodes) or any(accumulated(r.dtype, r.wcr) != r.dtype for r in own):
            return 0
        k = 0
        while k < (m.blocks or 0):
            names, spans = m.vars[-k - 1 :], m.spans[-k - 1 :]
            steps = [distances(self.program.data, terms[r.target], names, spans) for r in own]
            if not all(follow_each_other(s, spans) for s in steps):
                break
            k += 1
        return k


def _told_by_data(program: Program) -> frozenset[str]:
    """Symbols that are computed from what arrays hold."""
    told: set[str] = set()
    for n in walk(program.body):
        if isinstance(n, Let) and n.value.dtype.is_int:
            if any(x.memlet.subset for x in loads(n.value)) or not told.isdisjoint(symbols(n.value)):
                told.add(n.name)
    return frozenset(told)


def _blocks(m: Map, sums: list[Reduction]) -> int | None:
    """How many innermost loops become blocks: those that all sums run over, whose lengths do not hang on each other, if they are long enough."""
    if not sums:
        return None
    if not is_straight(m.body):
        return 0
    first = max(r.level for r in sums)
    while any(symbols(e) & {*m.vars[first:]} for s in m.spans[first:] for e in s.children):
        first += 1
    lengths = prod(map(range_length, m.spans[first:]))
    short = isinstance(lengths, Const) and lengths.value.real < TINY
    return None if short else len(m.vars) - first or None


def _in_pieces(m: Map) -> bool:
    """Tell whether the innermost loop can run, and is worth running, in pieces."""
    span = m.spans[-1]
    return is_const(span.step, 1) and is_straight(m.body) and not _few(span)


def _few(span: Range) -> bool:
    n = range_length(span)
    return isinstance(n, Const) and n.value.real < FEW


def _one_by_one(m: Map, sums: list[Reduction]) -> bool:
    """Tell whether the map does nothing but add up terms that cost little, so that one may be computed again."""
    if not all(r.wcr == "add" and r.single and r.dtype in (f32, f64) for r in sums):
        return False
    targets = {(r.target.data, r.target.subset) for r in sums}
    if not all((x.out.data, x.out.subset) in targets for x in walk(m.body) if isinstance(x, Tasklet)):
        return False
    return not any(isinstance(x, Op) and x.name in _DEAR for e in exprs(m.body) for x in subexpressions(e))


def _until(m: Map, found: list[Reduction]) -> tuple[Memlet, ...]:
    """The truth value that is all that the map computes."""
    if len(found) != 1 or found[0].undecided is None or not _in_pieces(m):
        return ()
    target = found[0].target
    return (target,) if all(x.out == target for x in walk(m.body) if isinstance(x, Tasklet)) else ()


def _counted(m: Map, found: list[Reduction]) -> tuple[Memlet, ...]:
    """The integers, wider than what the loop reads, to which nothing but truth values is added."""
    counts = [r for r in found if _is_count(m, r) and 8 * r.dtype.numpy.itemsize > widest(m)]
    return tuple(r.target for r in counts) if counts and _in_pieces(m) else ()


def _is_count(m: Map, r: Reduction) -> bool:
    terms = [x.code for x in walk(m.body) if isinstance(x, Tasklet) and x.out == r.target]
    return r.wcr == "add" and r.dtype.is_int and all(isinstance(c, Cast) and c.arg.dtype == b1 for c in terms)
