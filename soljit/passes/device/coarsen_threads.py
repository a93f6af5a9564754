"""Let a thread of a kernel do several neighbouring iterations where they read the same elements.

    for i, j in map(range(n), range(m)),                      some = 8 if n * m >= 8 * 131072 else 1
            schedule("grid", "grid"):                 →       pieces = (n + some - 1) // some
        b[i, j] = a[i, j] + a[i + 1, j] + a[i + 2, j]         for p, j in map(range(pieces), range(m)), schedule("grid", "grid"):
                                                                  if some == 8 and 8 * p + 8 <= n:
                                                                      for i in map(range(8 * p, 8 * p + 8)), schedule("unrolled"):
                                                                          b[i, j] = a[i, j] + a[i + 1, j] + a[i + 2, j]
                                                                  else:
                                                                      for i in map(range(some * p, min(some * p + some, n))), schedule("rolled"):
                                                                          b[i, j] = a[i, j] + a[i + 1, j] + a[i + 2, j]

Blocks of threads bring a part of the array from the second-level cache, with a rim that other blocks bring, too. What a thread reads again in its next iteration
is in a register or in the first-level cache, so that the rim is small against the rest. Written out, the iterations share their subscripts, and a thread waits
for the elements of several at a time. Blocks become wide along the last loop to make the rim small, too. Small maps keep a
thread for each iteration: their time is that of the launch, and few threads would be slower.

Needs no proof: the iterations of a map are independent. It comes behind the passes for transfers, which tell from the spans of a map what it writes.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.cost.work import known
from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import mentions, names_in
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, View
from soljit.ir.core.expr import ONE, ZERO, Expr, Range, Sym, const
from soljit.ir.core.nodes import Branch, Let, Map, Node, Program, Region
from soljit.ir.symbolic import add, conj, eq, floordiv, ge, le, linear, minimum, mul, prod, range_length, select, sub
from soljit.ir.walk import FreshNames, on_regions, same, walk
from soljit.ir.walk.spaces import has_blocks, is_kernel
from soljit.passes.manager import Context

BUSY = 1 << 17  # threads that keep a large device busy
PIECE = 8  # iterations of a thread
SHAPES = {  # dimensions of the grid, number of the loop → threads of a block
    (2, 0): (4, 64),
    (3, 0): (1, 8, 32),
    (3, 1): (1, 4, 64),
}


def coarsen_threads(program: Program, cx: Context) -> Program:
    """Give threads of kernels several iterations of an outer loop."""
    coarsener = _Coarsener(dict(program.data), FreshNames(program))
    body = coarsener.region(program.body)
    return program if body is program.body else replace(program, body=body, data=coarsener.data)


@dataclass
class _Coarsener:
    data: dict[str, Data]
    _fresh: FreshNames

    def region(self, region: Region) -> Region:
        """Look at the kernels here and below."""
        nodes = tuple(x for n in region.nodes for x in self.node(n))
        return region if same(nodes, region.nodes) else replace(region, nodes=nodes)

    def node(self, n: Node) -> tuple[Node, ...]:
        """A kernel, or what is around kernels."""
        if not isinstance(n, Map):
            return (on_regions(n, self.region),)
        grid = n.schedule.count("grid")
        at = next((k for k in range(grid - 1) if (grid, k) in SHAPES and _shares(n, k)), None)
        if not is_kernel(n) or has_blocks(n) or at is None or self.is_looked_at(n):
            return (n,)
        some, pieces, piece = self._fresh("some"), self._fresh("pieces"), self._fresh("piece")
        span, length = n.spans[at], range_length(n.spans[at])
        work = prod(range_length(s) for s in n.spans[:grid])
        lets = (
            Let(some, select(ge(work, const(PIECE * BUSY)), const(PIECE), ONE), loc=n.loc),
            Let(pieces, floordiv(sub(add(length, Sym(some)), ONE), Sym(some)), loc=n.loc),
        )
        first, start = (add(span.start, mul(Sym(piece), x)) for x in (const(PIECE), Sym(some)))
        end = add(first, const(PIECE))
        whole = _of_thread(n, at, Range(first, end, ONE), "unrolled")
        rest = self.copy(_of_thread(n, at, Range(start, minimum(add(start, Sym(some)), span.stop), ONE), "rolled"))
        is_whole = conj(eq(Sym(some), const(PIECE)), le(end, span.stop))
        kernel = replace(
            n,
            vars=(*n.vars[:at], piece, *n.vars[at + 1 : grid]),
            spans=(*n.spans[:at], Range(ZERO, Sym(pieces), ONE), *n.spans[at + 1 : grid]),
            schedule=("grid",) * grid,
            threads=SHAPES[grid, at],
            private=(),
            body=Region((Branch(is_whole, Region((whole,)), Region((rest,)), loc=n.loc),), loc=n.loc),
        )
        return *lets, kernel

    def is_looked_at(self, kernel: Map) -> bool:
        """Tell whether there are views of what iterations have for themselves, of which copies would need their own."""
        own = {name for n in walk(kernel) if isinstance(n, Map) for name in n.private}
        return any(isinstance(d, View) and d.of in own for d in self.data.values())

    def copy(self, m: Map) -> Map:
        """The map with names of its own."""
        return self._fresh.copy(m, self.data)


def _of_thread(kernel: Map, at: int, span: Range, role: str) -> Map:
    """What a thread does: its iterations of loop `at` of the grid, then the loops that are not of the grid."""
    grid = kernel.schedule.count("grid")
    return Map(
        (kernel.vars[at], *kernel.vars[grid:]),
        (span, *kernel.spans[grid:]),
        kernel.body,
        (role, *kernel.schedule[grid:]),
        private=kernel.private,
        loc=kernel.loc,
    )


def _shares(m: Map, k: int) -> bool:
    """Tell whether neighbouring iterations of loop `k` read the same elements, and the loops can be ordered anew."""
    grid, var = m.schedule.count("grid"), m.vars[k]
    if m.spans[k].step != ONE or any(mentions(s, var) for s in m.spans):
        return False
    if not all(known(x) and names_in(x).isdisjoint(m.vars) for s in m.spans[:grid] for x in s.children):
        return False
    found = effects(m.body)
    if any(a.wcr and a.data not in m.private for a in found.accesses):
        return False
    reads: dict[object, set[int]] = {}
    for a in found.reads:
        if (along := _along(a, var)) is not None:
            reads.setdefault(along[0], set()).add(along[1])
    return any(len(offsets) > 1 for offsets in reads.values())


def _along(a: Access, var: str) -> tuple[tuple[object, ...], int] | None:
    """An access as the elements that it shares with others, and where along `var` it is among them; None if it does not move with `var` step by step."""
    places = [k for k, s in enumerate(a.subset) if mentions(s, var)]
    if len(places) != 1 or not isinstance(index := a.subset[places[0]], Expr):
        return None
    sum_ = linear(index)
    if dict(sum_.terms).get(Sym(var)) != 1:
        return None
    return (a.data, places[0], sum_.terms), sum_.const
