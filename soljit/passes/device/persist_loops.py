"""Let one block of threads run a whole loop in which little is done at a time, instead of a kernel for each map in it.

    for k in range(n):                            if small:
        dot = 0.0                                     with map(one=range(0, 1)), private(dot_1):
        for i in map(range(k)): dot += …    →             for k in range(n):
        y[k] = dot                                            dot_1 = 0.0
        for i in map(range(k)): z[i] = …                      with map(i=range(k)), schedule("block"): dot_1 += …
                                                              y[k] = dot_1
                                                              with map(i=range(k)), schedule("block"): z[i] = …
                                                  else:
                                                      for k in range(n): …

The threads of a block wait for each other in a fraction of the time that a launch takes, but a device has a hundred times as many. So `small`
compares what launches cost with what the other blocks would save (`analysis/cost/worth.py`), over the sizes of the call. Numbers that the loop changes
are private to the block; they are fetched behind it if somebody reads them.

Where the maps have more iterations than a block has threads, several blocks run the loop together (`clusters.py`).

Needs no proof: everything is done in the order of the loop, with a barrier behind each map. But nothing in the loop may leave it by an exception, call, or make
memory. It must come behind hoist_invariants, which takes memory out of loops, and before write_out_products and split_sums, which see to what is
left to many threads; place_on_device makes the kernel.
"""

from __future__ import annotations

from dataclasses import field, replace

from soljit.analysis.cost.worth import one_block_pays
from soljit.analysis.device.offload import in_block, why_not_on_device
from soljit.analysis.flow.liveness import assigned, exposed, live_after
from soljit.analysis.memory.occurrences import places
from soljit.base.records import dataclass
from soljit.base.sentences import Plain, Said, said
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Load, Memlet, Range, Sym, subexpressions, zero_of
from soljit.ir.core.nodes import Alloc, Branch, LibraryNode, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.walk import (
    FreshNames,
    data_used,
    descriptor_exprs,
    on_regions,
    outermost_maps,
    rename_data,
    rename_symbols,
    rewrite,
    same,
    symbols_defined,
    walk,
)
from soljit.passes.device.clusters import LEAST, in_cluster
from soljit.passes.device.longest import in_memory, largest_memory
from soljit.passes.device.split_sums import sums_in_threads
from soljit.passes.manager import Context
from soljit.passes.products.write_out_products import products_written_out


def persist_loops(program: Program, cx: Context, *, always: bool = False, least: int | None = LEAST) -> Program:
    """Give the loops with maps in them a second form, which one block runs, or several together; outer loops first.

    always: this form alone, whatever the sizes
    least:  iterations of the largest map from which on several blocks pay; None: never
    """
    p = _Persister(program, cx, always, least, dict(program.data), FreshNames(program))
    body = p.region(program.body)
    if body is program.body:
        return program
    first = [Tasklet(Memlet(s), zero_of(p.data[s].dtype), loc=program.loc) for s in sorted(p.unsure)]
    return replace(program, body=replace(body, nodes=(*first, *body.nodes)), data=p.data)


@dataclass
class _Persister:
    """described: symbols that lengths, strides and offsets of containers name; sure: numbers that have a value here on every path
    unsure: numbers that a block is given although they may have none, because nobody looks at them then
    """

    program: Program
    cx: Context
    always: bool
    least: int | None
    data: dict[str, Data]
    _fresh: FreshNames
    described: set[str] = field(default_factory=set)
    sure: frozenset[str] = frozenset()
    unsure: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        used = (x for d in self.data.values() for e in descriptor_exprs(d) for x in subexpressions(e))
        self.described = {x.name for x in used if isinstance(x, Sym)}

    def region(self, region: Region) -> Region:
        """Look at the loops of a region; those in loops that one block runs are left alone."""
        out: list[Node] = []
        before = self.sure
        for n in region.nodes:
            new = self.loop(n) if isinstance(n, (Loop, While)) else None
            out += new or [on_regions(n, self.region)]
            self.sure |= assigned(n)
        self.sure = before
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def loop(self, loop: Loop | While) -> list[Node] | None:
        """The choice between one block and the loop as it is; None if a block cannot run it, or never pays."""
        if not any(True for _ in outermost_maps(loop)) and not any(_is_product(n) for n in walk(loop)):
            return None
        if not self.always and one_block_pays(loop, shared=True) in (None, FALSE):
            return None
        data = dict(self.data)
        nodes = self.as_block(loop)
        if isinstance(nodes, (Plain, Said)):
            self.data = data
            self.cx.note(loop.loc, "no block", why=nodes)
            return None
        one = next(n for n in nodes if isinstance(n, Map))
        inner = next(n for n in one.body.nodes if isinstance(n, (Loop, While)))
        together = one.cluster is not None
        small = TRUE if self.always else one_block_pays(inner)
        if small is None or small == FALSE:
            self.data = data
            return None
        when = "" if small == TRUE else " where its arrays are small"
        self.cx.note(loop.loc, "blocks together" if together else "one block", where=Plain(when))
        if small == TRUE:
            return nodes
        return [Branch(small, Region(tuple(nodes), loc=loop.loc), Region((loop,), loc=loop.loc), loc=loop.loc)]

    def as_block(self, loop: Loop | While) -> list[Node] | Plain | Said:
        """A map of one iteration with the loop in it, and what it is given and gives; or why that cannot be."""
        original, loop = loop, products_written_out(loop, self.data, self._fresh)
        written = {x.out.data for x in walk(loop) if isinstance(x, Tasklet)}
        own = {name for x in walk(loop) if isinstance(x, Map) for name in x.private}
        numbers = sorted(name for name in written - own if isinstance(self.data[name], Scalar))
        small = self._registers(loop, own)
        if isinstance(small, Said):
            return small
        names = {name: self._copy_of(name) for name in (*numbers, *sorted(own), *small)}
        symbols = {name: self._fresh(name) for name in sorted(symbols_defined(loop) - self.described)}
        memory = largest_memory(self.program, loop)
        if isinstance(memory, Said):
            return memory
        names |= {name: self._copy_of(name) for name in memory}
        self.data |= {names[name]: d for name, d in memory.items()}
        inner = rename_data(in_memory(loop, self.data, memory.keys(), self._fresh), names)
        inner = self._spread(rename_symbols(inner, symbols))
        blocks = None
        if self.least is not None and (found := in_cluster(replace(self.program, data=self.data), inner, self.least)):
            inner, blocks = found
        live = live_after(self.program)[original]
        given = [s for s in numbers if s in exposed(loop) or (s in live and s not in assigned(loop))]
        cells = {s: self._fresh(f"{s}_there") for s in numbers if s in live}
        self.data |= {cell: Array(self.data[s].dtype, ()) for s, cell in cells.items()}
        body: list[Node] = [self._assign(names[s], s, loop) for s in given]
        body.append(inner)
        body += [self._assign(cell, names[s], loop) for s, cell in cells.items()]
        one = Map(
            (self._fresh("one"),),
            (Range(ZERO, ONE, ONE),),
            Region(tuple(body), loc=loop.loc),
            private=tuple(names[s] for s in numbers),
            cluster=blocks,
            loc=loop.loc,
        )
        why = why_not_on_device(replace(self.program, data=self.data), one)
        if why is not None:
            return why
        self.unsure |= {*given} - self.sure
        before = [Alloc(name, loc=loop.loc) for name in (*(names[s] for s in (*small, *memory)), *cells.values())]
        return [*before, one, *(self._assign(s, cell, loop) for s, cell in cells.items())]

    def _registers(self, loop: Loop | While, own: set[str]) -> list[str] | Said:
        """Small arrays on the host's stack that the loop uses: they become memory that all threads see."""
        used = [
            k for k in sorted(data_used(loop)) if isinstance(d := self.data.get(k), Array) and d.storage == "register"
        ]
        small = [name for name in used if name not in own]
        inside = {id(n) for n in walk(loop)}
        for name in small:
            if any(id(p.node) not in inside for p in places(self.program).get(name, [])):
                return said("used outside", name=name)
        return small

    def _copy_of(self, name: str) -> str:
        """A container like `name`, for the block."""
        new, d = self._fresh(name), self.data[name]
        own = isinstance(d, Array) and d.storage == "register" and name not in self._private()
        self.data[new] = replace(d, storage="host") if own and isinstance(d, Array) else d
        return new

    def _private(self) -> set[str]:
        return {name for x in walk(self.program.body) if isinstance(x, Map) for name in x.private}

    def _assign(self, to: str, source: str, loop: Node) -> Tasklet:
        return Tasklet(Memlet(to), Load(Memlet(source), self.data[source].dtype), loc=loop.loc)

    def _spread(self, loop: Loop | While) -> Loop | While:
        """The loop with its outermost maps spread over the threads of the block."""

        outermost = {id(m) for m in outermost_maps(loop)}

        def fn(n: Node) -> Node | None:
            return (
                over_block(self.program, self.data, self._fresh, n)
                if isinstance(n, Map) and id(n) in outermost
                else None
            )

        return rewrite(loop, fn, top_down=True)


def over_block(program: Program, data: dict[str, Data], fresh: FreshNames, m: Map) -> Map:
    """A map spread over the threads of a block. data: the containers, which get registers for its sums."""
    m = sums_in_threads(program, data, fresh, m)
    order = in_block(replace(program, data=data), m)
    ranks = (*order.grid, *order.rest)
    return replace(
        m,
        vars=tuple(m.vars[k] for k in ranks),
        spans=tuple(m.spans[k] for k in ranks),
        schedule=("block",) * len(order.grid) + ("seq",) * len(order.rest),
    )


def _is_product(n: Node) -> bool:
    return isinstance(n, LibraryNode) and n.op in ("matmul", "ger")
