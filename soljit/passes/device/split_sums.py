"""Let threads of a device combine values: each thread in a register of its own, then blocks of threads what those have.

    for i, j in map(range(n), range(m)):        for i in map(range(n)), private(acc):
        s[i] += a[i, j]                   →         acc = -0.0
                                                    for j in range(m): acc = acc + a[i, j]
                                                    s[i] += acc

    for i in map(range(n)):                     for p in map(range(P)), threads(256), private(sum):
        s += a[i]                                   sum = -0.0
                                                    with map(q=range(256)), schedule("block"), private(acc):
                                          →             acc = -0.0
                                                        for i in range(C * p + q, min(n, C * (p + 1)), 256): acc = acc + a[i]
                                                        sum += acc
                                                    parts[p] = sum
                                                for one in map(range(1)), private(sum):
                                                    sum = -0.0
                                                    with map(p=range(P)), schedule("block"): sum += parts[p]
                                                    total = sum
                                                s += total

Few elements of many values each, that lie across memory (`s[i] += a[j, i]`), have several threads each, for parts of the loop j; then a
block for each element combines what those have. That is decided by the sizes at run time.

P and C are numbers that depend on n only: the order of a sum, and so its bits, are the same on each device. Sums of float64 and complex128 are
compensated (Neumaier, ZAMM 54, 1974): a second register holds what the first one lost. Narrower floats are added up in float64. So
a sum is at least as accurate as NumPy's pairwise one, though its terms stand in one chain.

Needs no proof: that iterations may run in any order is what the map says. It must come before hoist_invariants, which takes the memory out of loops,
and before place_on_device; a map that the device cannot run even so stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from soljit.analysis.device.offload import MOST_GRID, why_not_on_device
from soljit.analysis.loops.sums import Fold, folds, identity, is_number
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import step
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Cast, Const, Expr, Load, Memlet, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Branch, Let, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType
from soljit.ir.symbolic import add, floordiv, ge, maximum, minimum, mul, prod, range_length, sub
from soljit.ir.walk import (
    FreshNames,
    on_regions,
    outermost_maps,
    rename_symbols,
    rewrite,
    same,
    symbols_of,
)
from soljit.ir.walk.spaces import has_blocks
from soljit.passes.device.registers import Registers, wide
from soljit.passes.device.sum_neighbours import begin_with, with_neighbours
from soljit.passes.manager import Context

WIDE = 256  # threads of a block that begins a sum over everything
EACH = 8  # values for each of them, at least
AHEAD = 8  # values on their way from memory to a thread at the same time, where the loop jumps from row to row
MOST = 1024  # parts of a sum, so that one block adds them up in no time
ENOUGH = 1 << 17  # threads that keep memory busy: a guess
LEAST = 16  # values for each thread where an element has several
FEW = 64  # threads of the block that adds up the parts of one element
JUMP = 8  # elements between neighbours from which on it is no question how many there are


def split_sums(program: Program, cx: Context) -> Program:
    """Write the sums of all maps as threads of a device compute them, where that lets the device run the map."""
    s = _Splitter(program, dict(program.data), FreshNames(program), cx=cx)
    body = s.region(program.body)
    return program if body is program.body else replace(program, body=body, data=s.data)


def sums_in_threads(program: Program, data: dict[str, Data], fresh: FreshNames, m: Map) -> Map:
    """The map with the sums that an iteration of its own loops takes, or all iterations for one element, as a thread takes them.

    What all iterations combine into one element is left as it is. data: the containers, which get registers.
    """
    s = _Splitter(program, data, fresh)
    inside = s._inner(m.body)
    whole = replace(m, body=inside, private=(*m.private, *s.made)) if inside is not m.body else m
    found = folds(replace(program, data=data), whole)
    if not found or len({f.kept for f in found}) != 1 or not found[0].kept:
        return whole
    s.made = list(whole.private)
    new = s._by_element(whole, found)
    return whole if new is None else replace(new, private=tuple(dict.fromkeys(s.made)))


def threads_can(program: Program, m: Map) -> bool:
    """Tell whether threads of a device can take the sums of a map."""
    return _Splitter(program, dict(program.data), FreshNames(program)).map(m) != [m]


@dataclass
class _Splitter(Registers):
    """Looks for maps that combine values."""

    cx: Context = field(default_factory=Context)

    def region(self, region: Region) -> Region:
        """Look at the outermost maps."""
        out: list[Node] = []
        waiting = list(region.nodes)
        while waiting:
            n = waiting.pop(0)
            made = self.map(n) if isinstance(n, Map) else [on_regions(n, self.region)]
            if isinstance(n, Map) and made[-1] is not n:
                program = replace(self.program, data=self.data)
                del waiting[: with_neighbours(program, self.cx, self.fresh, out, made, waiting)]
                out += made
                begin_with(out)
            else:
                out += made
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def map(self, m: Map) -> list[Node]:
        """The nodes that stand for a map: itself if nothing is to be done, or nothing can be."""
        if has_blocks(m):
            return [m]  # the block sees to it
        data = dict(self.data)
        self.made = []
        inside = self._inner(m.body)
        whole = replace(m, body=inside, private=(*m.private, *self.made)) if inside is not m.body else m
        nodes = self._split(whole)
        if nodes is None or (len(nodes) == 1 and nodes[0] is m):
            self.data = data
            return [m]
        program = replace(self.program, data=self.data)
        if any(why_not_on_device(program, x) for n in nodes for x in outermost_maps(n)):
            self.data = data
            return [m]
        return nodes

    # --- sums in one thread -------------------------------------------------------------------------------------------

    def _inner(self, region: Region) -> Region:
        """Write sums of floats over maps in the body as loops with registers."""

        def fn(n: Node) -> Node | tuple[Node, ...] | None:
            if not isinstance(n, Map):
                return None
            found = folds(replace(self.program, data=self.data), n)
            if not found or not any(f.wcr == "add" and f.dtype.kind in "fc" for f in found):
                return None
            new = self._by_element(n, found) if len({f.kept for f in found}) == 1 else None
            if new is None:
                return None
            self.made += n.private
            return new if new.vars else new.body.nodes

        return rewrite(region, fn)

    # --- sums of many threads -----------------------------------------------------------------------------------------

    def _split(self, m: Map) -> list[Node] | None:
        """The map with its folds done by threads; [m] if it has none, None if that cannot be."""
        found = folds(replace(self.program, data=self.data), m)
        if found is None:
            return None
        if not found:
            return [m]
        if len({f.kept for f in found}) != 1:
            return None
        if not found[0].kept:
            return self._everything(m, found)
        self.made = list(m.private)
        new = self._by_element(m, found)
        if new is None:
            return None
        plain = replace(new, private=tuple(dict.fromkeys(self.made)))
        return self._in_parts(m, plain) or [plain]

    def _by_element(self, m: Map, found: Sequence[Fold]) -> Map | None:
        """The map over the loops that tell elements apart, each of which gets its values in one thread; without loops if there is one element."""
        kept = found[0].kept
        rest = [k for k in range(len(m.vars)) if k not in kept]
        if any(symbols_of(m.spans[k]) & {m.vars[j] for j in rest} for k in kept):
            return None
        body = self.in_thread(found, [(m.vars[k], m.spans[k]) for k in rest], m.body, m)
        names, spans = tuple(m.vars[k] for k in kept), tuple(m.spans[k] for k in kept)
        return replace(m, vars=names, spans=spans, body=Region(tuple(body), loc=m.loc), private=())

    def _in_parts(self, m: Map, plain: Map) -> list[Node] | None:
        """The choice between `plain`, with a thread for each element, and several of them, where there are few elements of many values; None if there never are."""
        data, self.data = self.data, {**self.data}
        m = self.fresh.copy(m, self.data)
        found = folds(replace(self.program, data=self.data), m) or []
        kept = found[0].kept
        rest = [k for k in range(len(m.vars)) if k not in kept]
        free = [k for k in rest if not symbols_of(m.spans[k]) & {*m.vars}]
        apart = [m.spans[k] for k in kept]
        odd = any(s.step != ONE or symbols_of(s) & {*m.vars} for s in apart)
        if len(kept) > MOST_GRID - 1 or not free or odd or not self._lies_across(m, kept[-1], rest[-1]):
            self.data = data
            return None
        p, k, before = self.fresh("p"), free[0], list[Node]()
        rows, elements = range_length(m.spans[k]), prod(range_length(s) for s in apart)
        most = minimum(const(MOST), floordiv(const(ENOUGH), maximum(elements, ONE)))
        count = self._named("parts", minimum(most, floordiv(rows, const(LEAST))), m, before)
        several = ge(count, const(2))
        if several == FALSE:
            self.data = data
            return None
        spans = list(m.spans)
        spans[k] = self._piece(m.spans[k], Sym(p), count, (ZERO, 1), m, before)
        shape = (count, *(range_length(s) for s in apart))
        parts = [self._array(f"{f.target.data}_parts", wide(f), shape, m, before) for f in found]
        at = (Sym(p), *(sub(Sym(m.vars[j]), m.spans[j].start) for j in kept))
        self.made = list(m.private)
        loops = [(m.vars[j], spans[j]) for j in rest]
        body = self.in_thread(found, loops, m.body, m, [Memlet(x, at) for x in parts], AHEAD)
        vars_, grid = tuple(m.vars[j] for j in kept), tuple(apart)
        first = Map(
            (p, *vars_),
            (Range(ZERO, count, ONE), *grid),
            Region(tuple(body), loc=m.loc),
            private=tuple(dict.fromkeys(self.made)),
            threads=(1, WIDE) if len(vars_) == 1 else (),
            loc=m.loc,
        )
        behind = {v: self.fresh(v) for v in vars_}
        second = rename_symbols(
            self._joined(
                m, vars_, grid, found, parts, at, ((p, Range(ZERO, count, ONE)),), [f.target for f in found], (FEW,)
            ),
            {**behind, p: self.fresh(p)},
        )
        both = Region((first, second), loc=m.loc)
        program = replace(self.program, data=self.data)
        if any(why_not_on_device(program, x) is not None for x in (first, second)):
            self.data = data
            return None
        if several == TRUE:
            return [*before, first, second]
        return [*before, Branch(several, both, Region((plain,), loc=m.loc), loc=m.loc)]

    def _lies_across(self, m: Map, kept: int, rest: int) -> bool:
        """Do the elements of neighbouring sums lie nearer to each other than those of one sum?"""
        along = across = 0
        for a in effects(m.body).accesses:
            if not isinstance(self.data.get(a.data), Scalar):
                place = Memlet(a.data, a.subset)
                along += min(abs(step(self.data, place, m.vars[rest])), JUMP)
                across += min(abs(step(self.data, place, m.vars[kept])), JUMP)
        return across <= along

    def _everything(self, m: Map, found: Sequence[Fold]) -> list[Node] | None:
        """Blocks of threads, each for some iterations; then one block for what those have."""
        free = [k for k in range(len(m.vars)) if not symbols_of(m.spans[k]) & {*m.vars}]
        if not free:
            return None
        spans, before = list(m.spans), list[Node]()
        j, r, q = free[-1], self.fresh("p"), self.fresh("q")
        grid, sizes = [r], list[Expr]()
        most: Expr = const(MOST)
        if len(free) > 1:
            k, p = free[-2], self.fresh("p")
            rows = self._named("parts", maximum(ONE, minimum(const(MOST), range_length(m.spans[k]))), m, before)
            spans[k] = _every(m.spans[k], Sym(p), rows)
            grid, sizes, most = [p, r], [rows], floordiv(const(MOST), rows)
        pieces = floordiv(add(range_length(m.spans[j]), const(WIDE * EACH - 1)), const(WIDE * EACH))
        sizes.append(self._named("parts", maximum(ONE, minimum(most, pieces)), m, before))
        spans[j] = self._piece(m.spans[j], Sym(r), sizes[-1], (Sym(q), WIDE), m, before)
        parts = [self._array(f"{f.target.data}_parts", wide(f), tuple(sizes), m, before) for f in found]
        at = tuple(Sym(v) for v in grid)
        mine = [self._number(f) for f in found]
        self.made = list(m.private)
        targets = [Memlet(x, wcr=f.wcr) for f, x in zip(found, mine)]
        body = self.in_thread(found, list(zip(m.vars, spans)), m.body, m, targets)
        lanes = self._block_map(m, ((q, Range(ZERO, const(WIDE), ONE)),), body, self.made)
        ranges = tuple(Range(ZERO, n, ONE) for n in sizes)
        stores = [Memlet(x, at) for x in parts]
        first = self._block(m, tuple(grid), ranges, found, mine, lanes, stores, (WIDE,))
        numbers = [is_number(self.program, f.target) for f in found]
        totals = [
            Memlet(self._array(f"{f.target.data}_total", f.dtype, (), m, before)) if number else f.target
            for f, number in zip(found, numbers)
        ]
        again = [self.fresh(v) for v in grid]
        one = (Range(ZERO, ONE, ONE),)
        places = tuple(Sym(v) for v in again)
        second = self._joined(m, (self.fresh("one"),), one, found, parts, places, tuple(zip(again, ranges)), totals, ())
        ends = [
            Tasklet(f.target, Load(total, f.dtype), loc=m.loc)
            for f, total, number in zip(found, totals, numbers)
            if number
        ]
        return [*before, first, second, *ends]

    # --- sums of a block of threads -----------------------------------------------------------------------------------

    def _joined(
        self,
        m: Map,
        grid: tuple[str, ...],
        spans: tuple[Range, ...],
        found: Sequence[Fold],
        parts: Sequence[str],
        at: tuple[Expr, ...],
        loops: tuple[tuple[str, Range], ...],
        out: Sequence[Memlet],
        threads: tuple[int, ...],
    ) -> Map:
        """A map over `grid` whose blocks combine what `parts` have along `loops`."""
        mine = [self._number(f) for f in found]
        body = [
            Tasklet(Memlet(x, wcr=f.wcr), Load(Memlet(y, at), wide(f)), loc=m.loc)
            for f, x, y in zip(found, mine, parts)
        ]
        lanes = self._block_map(m, loops, body, ())
        return self._block(m, grid, spans, found, mine, lanes, out, threads)

    def _block(
        self,
        m: Map,
        grid: tuple[str, ...],
        spans: tuple[Range, ...],
        found: Sequence[Fold],
        mine: Sequence[str],
        lanes: Map,
        out: Sequence[Memlet],
        threads: tuple[int, ...],
    ) -> Map:
        """A map over `grid`, an iteration of which is a block that combines values into the numbers `mine`, which go to `out`."""
        nodes: list[Node] = [
            Tasklet(Memlet(x), identity(f.wcr, self.data[x].dtype), loc=m.loc) for f, x in zip(found, mine)
        ]
        nodes.append(lanes)
        for x, to in zip(mine, out):
            t, value = self.data[to.data].dtype, Load(Memlet(x), self.data[x].dtype)
            nodes.append(Tasklet(to, value if value.dtype == t else Cast(t, value), loc=m.loc))
        return Map(grid, spans, Region(tuple(nodes), loc=m.loc), private=tuple(mine), threads=threads, loc=m.loc)

    def _block_map(
        self, m: Map, loops: tuple[tuple[str, Range], ...], body: Sequence[Node], private: Sequence[str]
    ) -> Map:
        """A map over `loops`, whose iterations the threads of a block share."""
        names, spans = tuple(v for v, _ in loops), tuple(s for _, s in loops)
        return Map(
            names,
            spans,
            Region(tuple(body), loc=m.loc),
            private=tuple(dict.fromkeys(private)),
            schedule=("block",) * len(loops),
            loc=m.loc,
        )

    def _number(self, f: Fold) -> str:
        """A number in which the threads of a block combine the values of a fold."""
        name = self.fresh(f"{f.target.data}_sum")
        self.data[name] = Scalar(wide(f))
        return name

    def _piece(self, span: Range, part: Expr, parts: Expr, lane: tuple[Expr, int], m: Map, out: list[Node]) -> Range:
        """The iterations of one part among several: those beside each other, `lane` of so many at a time; so many apart if the step is no 1."""
        first, by = lane
        if span.step != ONE:
            return _every(span, add(mul(part, const(by)), first), mul(const(by), parts))
        whole = mul(const(by), maximum(parts, ONE))
        each = mul(const(by), floordiv(add(range_length(span), sub(whole, ONE)), whole))
        each = self._named("each", each, m, out)
        begin = add(span.start, mul(part, each))
        return Range(add(begin, first), minimum(add(begin, each), span.stop), const(by))

    def _named(self, base: str, value: Expr, m: Map, out: list[Node]) -> Expr:
        """A size under a name, unless it is a number."""
        if isinstance(value, Const):
            return value
        name = self.fresh(base)
        out.append(Let(name, value, loc=m.loc))
        return Sym(name)

    def _array(self, base: str, t: DType, shape: tuple[Expr, ...], m: Map, out: list[Node]) -> str:
        name = self.fresh(base)
        self.data[name] = Array(t, shape)
        out.append(Alloc(name, loc=m.loc))
        return name


def _every(span: Range, first: Expr, by: Expr) -> Range:
    """Every `by`-th iteration of a range, from number `first` on."""
    return Range(add(span.start, mul(first, span.step)), span.stop, mul(by, span.step))
