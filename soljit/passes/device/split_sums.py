"""Let threads of a device combine values: each thread in a register of its own, then few threads what those have.

    for i, j in map(range(n), range(m)):        for i in map(range(n)), private(acc):
        s[i] += a[i, j]                   →         acc = -0.0
                                                    for j in range(m): acc = acc + a[i, j]
                                                    s[i] += acc

    for i in map(range(n)):                     for p, q in map(range(P), range(256)), private(acc):
        s += a[i]                                   acc = -0.0
                                          →         for i in range(256 * p + q, n, 256 * P): acc = acc + a[i]
                                                    parts[p, q] = acc
                                                for p in map(range(P)): …  rows[p] = sum of parts[p, :]
                                                for one in map(range(1)): …  total = sum of rows
                                                s += total

P is a number that depends on n only: the order of a sum, and so its bits, are the same on each device. Sums of float64 and complex128 are
compensated (Neumaier, ZAMM 54, 1974): a second register holds what the first one lost. Narrower floats are added up in float64. So
a sum is at least as accurate as NumPy's pairwise one, though its terms stand in one chain.

Needs no proof: that iterations may run in any order is what the map says. It must come before hoist_invariants, which takes the memory out of loops,
and before place_on_device; a map that the device cannot run even so stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from soljit.analysis.device.offload import why_not_on_device
from soljit.analysis.loops.sums import Fold, folds, identity, is_number
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import ONE, ZERO, Cast, Const, Expr, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType, b1, c128, f64
from soljit.ir.symbolic import add, floordiv, minimum, mul, range_length
from soljit.ir.walk import FreshNames, on_regions, rewrite, same, symbols_of
from soljit.ir.walk.spaces import has_blocks
from soljit.passes.manager import Context

WIDE = 256  # threads along each of two dimensions that begin a sum over everything


def split_sums(program: Program, cx: Context) -> Program:
    """Write the sums of all maps as threads of a device compute them, where that lets the device run the map."""
    s = _Splitter(program, dict(program.data), FreshNames(program))
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


@dataclass
class _Register:
    """Where a thread combines the values of one fold: one scalar and, for compensated sums, what it lost; two of each for complex numbers."""

    fold: Fold
    dtype: DType
    parts: list[tuple[str, str]]  # names of the scalar and of its compensation ("" for none)


@dataclass
class _Splitter:
    program: Program
    data: dict[str, Data]
    _fresh: FreshNames
    made: list[str] = field(default_factory=list)

    def region(self, region: Region) -> Region:
        """Look at the outermost maps."""
        out = [x for n in region.nodes for x in (self.map(n) if isinstance(n, Map) else [on_regions(n, self.region)])]
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
        if any(isinstance(n, Map) and why_not_on_device(program, n) for n in nodes):
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

    def _in_thread(
        self,
        found: Sequence[Fold],
        loops: Sequence[tuple[str, Range]],
        body: Region,
        m: Map,
        out: Sequence[Memlet] = (),
    ) -> list[Node]:
        """Registers, the loops with their body, and what was combined: to the targets, or stored to `out`."""
        registers = [self._register(f) for f in found]
        nodes: list[Node] = [self._start(r, name) for r in registers for pair in r.parts for name in pair if name]
        by_target = {r.fold.target: r for r in registers}

        def fn(n: Node) -> Node | tuple[Node, ...] | None:
            if isinstance(n, Tasklet) and n.out in by_target:
                return tuple(self._combine(by_target[n.out], n))
            return None

        inner: Region = rewrite(body, fn)
        for v, span in reversed(loops):
            inner = Region((Loop(v, span, inner, loc=m.loc),), loc=m.loc)
        nodes += inner.nodes
        for k, r in enumerate(registers):
            to, value = out[k] if out else r.fold.target, self._value(r)
            t = self.data[to.data].dtype
            nodes.append(Tasklet(to, value if value.dtype == t else Cast(t, value), loc=m.loc))
        return nodes

    def _register(self, f: Fold) -> _Register:
        wide = _wide(f)
        compensated = f.wcr == "add" and f.dtype in (f64, c128)
        count = 2 if f.wcr == "add" and f.dtype.is_complex else 1
        single = f64 if count == 2 else wide
        parts = []
        for _ in range(count):
            acc = self._scalar(f"{f.target.data}_acc", single)
            parts.append((acc, self._scalar(f"{f.target.data}_lost", single) if compensated else ""))
        return _Register(f, wide, parts)

    def _scalar(self, base: str, t: DType) -> str:
        name = self._fresh(base)
        self.data[name] = Scalar(t)
        self.made.append(name)
        return name

    def _start(self, r: _Register, name: str) -> Node:
        t = self.data[name].dtype
        return Tasklet(Memlet(name), identity(r.fold.wcr, t))

    def _combine(self, r: _Register, n: Tasklet) -> list[Node]:
        """`n`, whose value goes to a register."""
        value = n.code if n.code.dtype == r.dtype else Cast(r.dtype, n.code)
        if len(r.parts) == 1 and not r.parts[0][1]:
            acc = r.parts[0][0]
            old = Load(Memlet(acc), r.dtype)
            return [Tasklet(Memlet(acc), Op(r.fold.wcr, (old, value), r.dtype), loc=n.loc)]
        x = self._let("term", value, n)
        values: list[Expr] = [Op(name, (x[1],), f64) for name in ("real", "imag")] if len(r.parts) == 2 else [x[1]]
        out: list[Node] = [x[0]]
        for (acc, lost), term in zip(r.parts, values):
            if lost:
                out += self._compensated(acc, lost, term, n)
            else:
                old = Load(Memlet(acc), f64)
                out.append(Tasklet(Memlet(acc), Op("add", (old, term), f64), loc=n.loc))
        return out

    def _compensated(self, acc: str, lost: str, term: Expr, n: Tasklet) -> list[Node]:
        """Add a term, and what the sum loses by that to what it has lost."""
        old = self._let("old", Load(Memlet(acc), f64), n)
        new = self._let("new", Op("add", (old[1], term), f64), n)
        larger = Op("ge", (Op("abs", (old[1],), f64), Op("abs", (term,), f64)), b1)
        of_term = Op("add", (Op("sub", (old[1], new[1]), f64), term), f64)
        of_old = Op("add", (Op("sub", (term, new[1]), f64), old[1]), f64)
        loss = Op("select", (larger, of_term, of_old), f64)
        more = Op("add", (Load(Memlet(lost), f64), loss), f64)
        return [old[0], new[0], Tasklet(Memlet(lost), more, loc=n.loc), Tasklet(Memlet(acc), new[1], loc=n.loc)]

    def _let(self, base: str, value: Expr, n: Tasklet) -> tuple[Let, Expr]:
        name = self._fresh(base)
        return Let(name, value, loc=n.loc), Sym(name, value.dtype)

    def _value(self, r: _Register) -> Expr:
        """What a register holds, in the type of its target."""
        singles = [self._single(acc, lost) for acc, lost in r.parts]
        return singles[0] if len(singles) == 1 else Op("complex", tuple(singles), c128)

    def _single(self, acc: str, lost: str) -> Expr:
        t = self.data[acc].dtype
        sum_ = Load(Memlet(acc), t)
        if not lost:
            return sum_
        rest = Load(Memlet(lost), t)  # NaN behind infinities; a zero that is added could change the sign of one
        nothing = Op("lor", (Op("eq", (rest, Const(0.0, t)), b1), Op("isnan", (rest,), b1)), b1)
        return Op("select", (nothing, sum_, Op("add", (sum_, rest), t)), t)

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
        return None if new is None else [replace(new, private=tuple(dict.fromkeys(self.made)))]

    def _by_element(self, m: Map, found: Sequence[Fold]) -> Map | None:
        """The map over the loops that tell elements apart, each of which gets its values in one thread; without loops if there is one element."""
        kept = found[0].kept
        rest = [k for k in range(len(m.vars)) if k not in kept]
        if any(symbols_of(m.spans[k]) & {m.vars[j] for j in rest} for k in kept):
            return None
        body = self._in_thread(found, [(m.vars[k], m.spans[k]) for k in rest], m.body, m)
        names, spans = tuple(m.vars[k] for k in kept), tuple(m.spans[k] for k in kept)
        return replace(m, vars=names, spans=spans, body=Region(tuple(body), loc=m.loc), private=())

    def _everything(self, m: Map, found: Sequence[Fold]) -> list[Node] | None:
        """Many threads, each for some iterations; then fewer; then one."""
        free = [k for k in range(len(m.vars)) if not symbols_of(m.spans[k]) & {*m.vars}]
        if not free:
            return None
        p, q = self._fresh("p"), self._fresh("q")
        spans, before, maps = list(m.spans), list[Node](), list[Node]()
        if len(free) == 1:
            k = free[0]
            rows = floordiv(add(range_length(m.spans[k]), const(WIDE - 1)), const(WIDE))
            n: tuple[Expr, Expr] = self._size(rows, m, before), const(WIDE)
            spans[k] = _every(m.spans[k], add(mul(const(WIDE), Sym(p)), Sym(q)), mul(const(WIDE), n[0]))
        else:
            k, j = free[-2:]
            n = self._size(range_length(m.spans[k]), m, before), self._size(range_length(m.spans[j]), m, before)
            spans[k], spans[j] = _every(m.spans[k], Sym(p), n[0]), _every(m.spans[j], Sym(q), n[1])
        parts = [self._array(f"{f.target.data}_parts", _wide(f), n, m, before) for f in found]
        firsts = [self._array(f"{f.target.data}_rows", _wide(f), n[:1], m, before) for f in found]
        self.made = list(m.private)
        at = (Sym(p), Sym(q))
        body = self._in_thread(found, list(zip(m.vars, spans)), m.body, m, [Memlet(x, at) for x in parts])
        maps.append(self._map(m, (p, q), n, body))
        by_rows = [Fold(Memlet(x, (Sym(p),), wcr=f.wcr), _wide(f), (0,)) for f, x in zip(found, firsts)]
        maps.append(self._level(m, by_rows, parts, (p,), (q,), n, [Memlet(x, (Sym(p),)) for x in firsts]))
        one = self._fresh("one")
        numbers = [is_number(self.program, f.target) for f in found]
        totals = [
            Memlet(self._array(f"{f.target.data}_total", f.dtype, (), m, before)) if number else f.target
            for f, number in zip(found, numbers)
        ]
        maps.append(self._level(m, found, firsts, (one,), (p,), n[:1], totals))
        for f, total, number in zip(found, totals, numbers):
            if number:
                maps.append(Tasklet(f.target, Load(total, f.dtype), loc=m.loc))
        return [*before, *maps]

    def _level(
        self,
        m: Map,
        found: Sequence[Fold],
        sources: Sequence[str],
        grid: tuple[str, ...],
        loops: tuple[str, ...],
        n: tuple[Expr, ...],
        out: Sequence[Memlet],
    ) -> Map:
        """A map over `grid` that combines what `sources` have along `loops`."""
        self.made = []
        index = tuple(Sym(v) for v in (*grid, *loops) if v in (*loops, *(grid if len(n) == 2 else ())))
        body = Region(
            tuple(Tasklet(f.target, Load(Memlet(x, index), _wide(f)), loc=m.loc) for f, x in zip(found, sources))
        )
        spans = [(v, Range(ZERO, n[-1], ONE)) for v in loops]
        nodes = self._in_thread(found, spans, body, m, out)
        return self._map(m, grid, n[:1] if len(n) == 2 else (ONE,), nodes)

    def _map(self, m: Map, names: tuple[str, ...], n: tuple[Expr, ...], body: Sequence[Node]) -> Map:
        spans = tuple(Range(ZERO, x, ONE) for x in n)
        private = tuple(dict.fromkeys(self.made))
        return Map(names, spans, Region(tuple(body), loc=m.loc), private=private, loc=m.loc)

    def _size(self, most: Expr, m: Map, out: list[Node]) -> Expr:
        """So many threads, but no more than WIDE; under a name, unless it is a number."""
        size = minimum(const(WIDE), most)
        if isinstance(size, Const):
            return size
        name = self._fresh("threads")
        out.append(Let(name, size, loc=m.loc))
        return Sym(name)

    def _array(self, base: str, t: DType, shape: tuple[Expr, ...], m: Map, out: list[Node]) -> str:
        name = self._fresh(base)
        self.data[name] = Array(t, shape)
        out.append(Alloc(name, loc=m.loc))
        return name


def _wide(f: Fold) -> DType:
    """The type in which a fold combines: floats are added up in doubles."""
    if f.wcr != "add" or f.dtype.kind not in "fc":
        return f.dtype
    return c128 if f.dtype.is_complex else f64


def _every(span: Range, first: Expr, by: Expr) -> Range:
    """Every `by`-th iteration of a range, from number `first` on."""
    return Range(add(span.start, mul(first, span.step)), span.stop, mul(by, span.step))
