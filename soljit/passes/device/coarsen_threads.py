"""Let a thread of a kernel do several neighbouring iterations where they read the same elements.

    for i, j in map(range(n), range(m)),                      some = max(1, min(4, n * m // 131072))
            schedule("grid", "grid"):                 →        pieces = (n + some - 1) // some
        b[i, j] = a[i, j] + a[i + 1, j] + a[i + 2, j]          for p, j, i in map(range(pieces), range(m), range(some * p, min(some * p + some, n))),
                                                                       schedule("grid", "grid", "seq"):
                                                                   b[i, j] = a[i, j] + a[i + 1, j] + a[i + 2, j]

Blocks of threads bring a part of the array from the second-level cache, with a rim that other blocks bring, too. What a thread reads again in its next iteration
is in the first-level cache, so that the rim is small against the rest. Blocks become wide along the last loop for the same reason. Small maps keep a
thread for each iteration: their time is that of the launch, and few threads would be slower.

Needs no proof: the iterations of a map are independent. It comes behind the passes for transfers, which tell from the spans of a map what it writes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from soljit.analysis.cost.work import known
from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import mentions, names_in
from soljit.ir.core.expr import ONE, ZERO, Expr, Range, Sym, const
from soljit.ir.core.nodes import Let, Map, Node, Program, Region
from soljit.ir.symbolic import add, floordiv, linear, maximum, minimum, mul, prod, range_length, sub
from soljit.ir.walk import FreshNames, on_regions, same
from soljit.ir.walk.spaces import has_blocks, is_kernel
from soljit.passes.manager import Context

BUSY = 1 << 17  # threads that keep a large device busy
SHAPES = {  # dimensions of the grid, number of the loop → iterations of a thread, threads of a block
    (2, 0): (4, (4, 64)),
    (3, 0): (8, (1, 8, 32)),
    (3, 1): (4, (1, 4, 64)),
}


def coarsen_threads(program: Program, cx: Context) -> Program:
    """Give threads of kernels several iterations of an outer loop."""
    body = _Coarsener(FreshNames(program)).region(program.body)
    return program if body is program.body else replace(program, body=body)


@dataclass
class _Coarsener:
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
        if not is_kernel(n) or has_blocks(n) or at is None:
            return (n,)
        most, threads = SHAPES[grid, at]
        some, pieces, piece = self._fresh("some"), self._fresh("pieces"), self._fresh("piece")
        span, length = n.spans[at], range_length(n.spans[at])
        work = floordiv(prod(range_length(s) for s in n.spans[:grid]), const(BUSY))
        lets = (
            Let(some, maximum(ONE, minimum(const(most), work)), loc=n.loc),
            Let(pieces, floordiv(sub(add(length, Sym(some)), ONE), Sym(some)), loc=n.loc),
        )
        start = add(span.start, mul(Sym(piece), Sym(some)))
        own = Range(start, minimum(add(start, Sym(some)), span.stop), ONE)
        kernel = replace(
            n,
            vars=(*n.vars[:at], piece, *n.vars[at + 1 : grid], n.vars[at], *n.vars[grid:]),
            spans=(*n.spans[:at], Range(ZERO, Sym(pieces), ONE), *n.spans[at + 1 : grid], own, *n.spans[grid:]),
            schedule=(*n.schedule[:grid], "seq", *n.schedule[grid:]),
            threads=threads,
        )
        return *lets, kernel


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
