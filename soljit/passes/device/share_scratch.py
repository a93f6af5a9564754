"""Give the threads of a device memory in which each iteration of a map keeps an array of its own.

    for i, j in map(range(n), range(m)):            alloc(t_scratch)     (t_scratch: P x Q x k)
        alloc(t)                                    for p, q in map(range(P), range(Q)):
        for l in map(range(k)): t[l] = …      →         for i in range(p, n, P):
        …                                                   for j in range(q, m, Q):
                                                                for l in map(range(k)): t_scratch[p, q, l] = …

A thread has no memory of unknown length. So there are at most P x Q threads, each of which goes through many iterations and uses the same piece
again; P is smaller for longer arrays, so that all of them take a quarter of a gigabyte at most, or as much as Q of them.

Needs no proof: what is private to an iteration has no value when it begins. If its length hangs on the iteration, a piece is as long as the longest
(`analysis/loops/extremes.py`). Maps that add to something outside are left alone. It must come before split_sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from soljit.analysis.loops.extremes import largest, surroundings
from soljit.analysis.memory.occurrences import exposed
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import (
    ONE,
    ZERO,
    Expr,
    Extent,
    Memlet,
    Range,
    Stride,
    Sym,
    const,
    subexpressions,
    symbols,
    zero_of,
)
from soljit.ir.core.nodes import Alloc, Let, LibraryNode, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, floordiv, maximum, minimum, mul, range_length
from soljit.ir.walk import (
    FreshNames,
    exprs,
    map_exprs,
    map_memlets,
    memlets_read,
    memlets_written,
    on_regions,
    rewrite,
    same,
    symbols_of,
    walk,
)
from soljit.passes.manager import Context

WIDE = 64  # threads along each of two dimensions
MOST = 1 << 25  # elements of the scratch memory of one array


def share_scratch(program: Program, cx: Context) -> Program:
    """Move the arrays that are private to iterations of maps to memory in front of the maps."""
    s = _Sharer(program, dict(program.data), FreshNames(program), exposed(program))
    body = s.region(program.body)
    return program if body is program.body else replace(program, body=body, data=s.data)


@dataclass
class _Sharer:
    program: Program
    data: dict[str, Data]
    _fresh: FreshNames
    shown: set[str]

    def region(self, region: Region) -> Region:
        """Look at the outermost maps."""
        out = [x for n in region.nodes for x in (self.map(n) if isinstance(n, Map) else [on_regions(n, self.region)])]
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def map(self, m: Map) -> list[Node]:
        """The nodes that stand for a map; itself if nothing is to be done, or nothing can be."""
        names = sorted({n.data for n in walk(m) if isinstance(n, Alloc)})
        free = [k for k in range(len(m.vars)) if not symbols_of(m.spans[k]) & {*m.vars}][:2]
        if not names or not free or not all(self._can_move(name, m) for name in names) or self._adds(m, names):
            return [m]
        lengths = {name: found for name in names if (found := self._lengths(name, m)) is not None}
        out: list[Node] = []
        at, spans, sizes = [], list(m.spans), []
        longest = self._longest(names, lengths)
        for number, k in enumerate(free):
            wide: Expr = const(WIDE if len(free) == 2 else WIDE * WIDE)
            if number == 0:
                each = mul(longest, const(WIDE)) if len(free) == 2 else longest
                wide = minimum(wide, maximum(ONE, floordiv(const(MOST), maximum(ONE, each))))
            size, v = self._fresh("threads"), self._fresh("p")
            out.append(Let(size, minimum(wide, maximum(ONE, range_length(m.spans[k]))), loc=m.loc))
            span = m.spans[k]
            spans[k] = Range(add(span.start, mul(Sym(v), span.step)), span.stop, mul(Sym(size), span.step))
            at.append(Sym(v))
            sizes.append(Sym(size))
        moved = {name: self._scratch(name, lengths[name], sizes, m, out) for name in names}
        body = self._moved(m.body, moved, tuple(at))
        for k in reversed(range(len(m.vars))):
            body = Region((Loop(m.vars[k], spans[k], body, loc=m.loc),), loc=m.loc)
        private = tuple(name for name in m.private if name not in moved)
        grid = tuple(Range(ZERO, n, ONE) for n in sizes)
        return [*out, Map(tuple(v.name for v in at), grid, body, private=private, loc=m.loc)]

    def _can_move(self, name: str, m: Map) -> bool:
        """Tell whether the array's length is known in front of the map, and only plain accesses touch it."""
        d = self.data.get(name)
        if not isinstance(d, Array) or d.storage != "host" or name in self.shown or not d.shape:
            return False
        if self._lengths(name, m) is None:
            return False
        if any(isinstance(x, Stride) and x.data == name for e in exprs(m) for x in subexpressions(e)):
            return False
        used = [x for n in walk(m.body) if not isinstance(n, Alloc) for x in (*memlets_read(n), *memlets_written(n))]
        return all(x.subset for x in used if x.data == name) and not any(isinstance(n, LibraryNode) for n in walk(m))

    def _lengths(self, name: str, m: Map) -> tuple[Expr, ...] | None:
        """The lengths of the array, or what they are at most in any iteration; None if nobody knows in front of the map."""
        d = self.data[name]
        assert isinstance(d, Array)
        allocs = [n for n in walk(m) if isinstance(n, Alloc) and n.data == name]
        names = surroundings(m, allocs[0])
        if len(allocs) > 1 and any(symbols(e) & names.keys() for e in d.shape):
            return None
        found = [e if symbols(e).isdisjoint(names) and not _asks(e) else largest(e, names) for e in d.shape]
        return (
            tuple(e if e is s else maximum(ZERO, e) for e, s in zip(found, d.shape) if e is not None)
            if None not in found
            else None
        )

    def _adds(self, m: Map, names: Sequence[str]) -> bool:
        """Tell whether iterations add to something outside."""
        own = {name for n in walk(m) if isinstance(n, Map) for name in n.private} | {*names}
        return any(w.wcr is not None and w.data not in own for n in walk(m) for w in memlets_written(n))

    def _longest(self, names: Sequence[str], lengths: Mapping[str, tuple[Expr, ...]]) -> Expr:
        """Elements of all the arrays of an iteration together."""
        total: Expr = ZERO
        for name in names:
            elements: Expr = ONE
            for n in lengths[name]:
                elements = mul(elements, n)
            total = add(total, elements)
        return total

    def _scratch(self, name: str, lengths: Sequence[Expr], sizes: Sequence[Expr], m: Map, out: list[Node]) -> str:
        """The array with a piece for each thread, allocated in front of the map."""
        d = self.data[name]
        assert isinstance(d, Array)
        new = self._fresh(f"{name}_scratch")
        self.data[new] = replace(d, shape=(*sizes, *lengths), strides=None)
        out.append(Alloc(new, loc=m.loc))
        return new

    def _moved(self, body: Region, moved: dict[str, str], at: tuple[Expr, ...]) -> Region:
        """The body with accesses of its arrays as accesses of the thread's piece."""

        def memlet(x: Memlet) -> Memlet:
            if x.data not in moved:
                return x
            axes = None if x.axes is None else tuple(a + len(at) if a >= 0 else a for a in x.axes)
            return replace(x, data=moved[x.data], subset=(*at, *x.subset), axes=axes)

        def length(e: Expr) -> Expr | None:
            d = self.data.get(e.data) if isinstance(e, Extent) else None
            return d.shape[e.dim] if isinstance(e, Extent) and e.data in moved and isinstance(d, Array) else None

        def node(n: Node) -> Node | tuple[Node, ...] | None:
            if isinstance(n, Alloc) and n.data in moved:
                return self._zeros(n, moved[n.data], at) if n.zero else ()
            if isinstance(n, Map) and not moved.keys().isdisjoint(n.private):
                return replace(n, private=tuple(name for name in n.private if name not in moved))
            return None

        return rewrite(map_memlets(map_exprs(body, length), memlet), node)

    def _zeros(self, n: Alloc, name: str, at: tuple[Expr, ...]) -> Node:
        d = self.data[n.data]
        assert isinstance(d, Array)
        names = tuple(self._fresh("z") for _ in d.shape)
        target = Memlet(name, (*at, *(Sym(v) for v in names)))
        spans = tuple(Range(ZERO, k, ONE) for k in d.shape)
        return Map(names, spans, Region((Tasklet(target, zero_of(d.dtype), loc=n.loc),), loc=n.loc), loc=n.loc)


def _asks(e: Expr) -> bool:
    return any(isinstance(x, (Extent, Stride)) for x in subexpressions(e))
