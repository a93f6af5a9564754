"""Let several iterations of a map go over arrays together, a piece after the other, when they add up.

    for i in map(range(n)):                              for b in map(range((n + 31) // 32)):
        s = 0.0                                              for i in map(b's 32 iterations): s_rows[i - …] = 0.0
        for j in map(range(m)):                    →         for q in range(pieces):
            s += x[j] if x[j] < limit[i] else 0.0                for i in map(b's 32 iterations):
        out[i] = s / m                                               for j in map(piece q): s_piece += …
                                                                     add s_piece to the pieces of i
                                                             for i in map(b's 32 iterations): s_rows[i - …] += all pieces of i; out[i] = s_rows[i - …] / m

Arrays that are larger than the caches are read once for a block of iterations, not once for each. Why not a bit changes is `analysis/reordering/shared_reads.py`:
pieces are those into which NumPy cuts a sum. There are 2**levels of them; the sums of neighbours are added as soon as both are there: after piece q, as often
as q ends in ones (`near`). Arrays that the second cache holds are one piece.

Needs maps without schedules, and must come before `schedule_maps`. Only maps outside of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from soljit.analysis.cost.work import operations
from soljit.analysis.loops.sums import identity
from soljit.analysis.memory.homes import homes_of
from soljit.analysis.reordering.shared_reads import Walk, shared_bytes, shared_reads
from soljit.base.records import dataclass
from soljit.base.sentences import Said
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import ONE, TRUE, ZERO, Cast, Expr, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType, b1, f64, i64
from soljit.ir.symbolic import add, conj, eq, floordiv, linear, lt, maximum, minimum, mul, select, sub
from soljit.ir.walk import (
    FreshNames,
    computed,
    data_used,
    map_exprs,
    on_regions,
    rename_data,
    same,
    substitute_in,
    symbols_used,
)
from soljit.passes.loops.split_maps import crosses, parts_of, with_arrays
from soljit.passes.manager import Context
from soljit.passes.reordering.time_blocks import Writer
from soljit.passes.scheduling.schedule_maps import worthwhile
from soljit.passes.scheduling.strips import count_of_threads
from soljit.schedule.policy import YES, Choice

ROWS = 32  # iterations that go together, at most
MOST_ROWS = 256  # that a schedule may ask for
SHORTEST, LONGEST = 128, 1 << 12  # terms of a piece; NumPy adds up 128 without cutting them
_LEVELS = 48  # halvings: more than any array has
_HEAVY = 2  # operations for a byte, behind which reading hides


def share_reads(program: Program, cx: Context) -> Program:
    """Let iterations share what they read, in every map in which that is right and pays."""
    worker = _Sharer(program, cx, FreshNames(program), dict(program.data), homes_of(program))
    body = worker.region(program.body)
    return program if body is program.body else replace(program, body=body, data=worker.data)


@dataclass
class _Sharer:
    program: Program
    cx: Context
    _fresh: FreshNames
    data: dict[str, Data]
    _homes: dict[int, tuple[str, ...]]

    def region(self, region: Region) -> Region:
        """The region with the maps in it that are outside of others in blocks."""
        nodes = [
            x for n in region.nodes for x in (self.shared(n) if isinstance(n, Map) else [on_regions(n, self.region)])
        ]
        return region if same(nodes, region.nodes) else replace(region, nodes=tuple(nodes))

    def shared(self, m: Map) -> Sequence[Node]:
        """The map in blocks, beside what it was, or as it was alone."""
        if not any(isinstance(n, Map) for n in m.body.nodes):
            return [m]
        found = shared_reads(m, self.program, self._homes, self.cx.whole_sums)
        reason = found if isinstance(found, Said) else None
        many = f"rows= is at most {MOST_ROWS}: what they carry lies on the stack"
        choice = self.cx.policy.decide(
            "share",
            (m,),
            lambda: self._wanted(m, found),
            lambda c: reason or (many if int(c.options.get("rows", ROWS)) > MOST_ROWS else None),
        )
        if isinstance(found, Said) or not isinstance(choice, Choice):
            return [m]
        names = sorted({x for w in found for x in shared_bytes(w.map, m, self.program)})
        rows = int(choice.options.get("rows", ROWS))
        self.cx.note(m.loc, "reads shared", count=rows, names=tuple(names))
        write = Writer(self._fresh, m.loc)
        count = sub(m.spans[-1].stop, m.spans[-1].start)
        if choice.options:
            together: Expr = const(rows)
        else:
            team = count_of_threads(self.cx.threads) if self.cx.threads > 1 else ONE
            shares = mul(_up(_up(count, team), const(rows)), team)
            together = write.let("together", _up(count, maximum(ONE, write.let("blocks", shares))))
        levels = [write.let("levels", self._levels(m, w.map, None if choice.options else together)) for w in found]
        block = _Block(m, found, levels, together, rows, self.data, self._fresh).whole()
        when = worthwhile(m, self.cx.machine) if self.cx.threads > 1 else None
        kinds = ("seq" if when is None else "threads",) * len(m.vars)
        block = replace(block, schedule=kinds, when=None if when == TRUE else when)
        return [*write.nodes, block]

    def _levels(self, m: Map, walked: Map, together: Expr | None) -> Expr:
        """How often a walk is halved, until a piece fills half of the first cache. together: how many iterations go together, if arrays that the second cache holds are not to be cut"""
        size = sum(shared_bytes(walked, m, self.program).values())
        length = sub(walked.spans[0].stop, walked.spans[0].start)
        shortest = max(SHORTEST, min(LONGEST, self.cx.machine.l1 // (4 * max(1, size))))
        count = maximum(ONE, floordiv(length, const(shortest)))
        if together is not None:
            large = lt(const(self.cx.machine.l2), mul(const(size), length))
            count = select(conj(lt(ONE, together), large), count, ONE)
        return sub(Cast(i64, Op("frexp_e", (Cast(f64, count),), f64)), ONE)

    def _wanted(self, m: Map, found: list[Walk] | Said) -> Choice | None:
        """Where reading takes longer than computing, and all that is read along memory is the same for all iterations."""
        if isinstance(found, Said):
            return None
        return YES if all(self._pays(m, w.map) for w in found) else None

    def _pays(self, m: Map, walked: Map) -> bool:
        size = sum(shared_bytes(walked, m, self.program).values())
        length = linear(sub(walked.spans[0].stop, walked.spans[0].start))
        short = length.is_const and length.const * size <= self.cx.machine.l2
        return not short and 0 < sum(map(operations, computed(walked.body))) <= _HEAVY * size


def _up(a: Expr, b: Expr) -> Expr:
    return floordiv(add(a, sub(b, ONE)), b)


@dataclass
class _Block:
    """What a block of iterations does.

    levels:   for each walk, how often it is halved
    together: how many iterations a block has
    rows:     how many it has at most
    """

    m: Map
    walks: list[Walk]
    levels: list[Expr]
    together: Expr
    rows: int
    data: dict[str, Data]
    _fresh: FreshNames

    def whole(self) -> Map:
        """The map over blocks."""
        loc, var, span = self.m.body.loc, self.m.vars[-1], self.m.spans[-1]
        parts = [Region(tuple(p), loc=loc) for p in parts_of(self.m.body, [w.map for w in self.walks])]
        combined = {r.target.data for w in self.walks for r in w.sums}
        own = [p for p in self.m.private if p in combined or sum(1 for r in parts if p in data_used(r)) > 1]
        self.scalars = {p: self._row(p, self.data[p].dtype) for p in own}
        self.lets = {n.name: n for r in parts for n in r.nodes if isinstance(n, Let) and crosses(n, r, parts)}
        self.arrays = {name: self._row(name, n.value.dtype) for name, n in self.lets.items()}
        self.made = [*self.scalars.values(), *self.arrays.values()]
        block, write = Sym(var), Writer(self._fresh, loc)
        self.first = write.let("first", add(span.start, mul(self.together, block)))
        self.last = write.let("last", minimum(add(self.first, self.together), span.stop))
        nodes: list[Node] = write.nodes
        walks = {w.map: (w, levels) for w, levels in zip(self.walks, self.levels)}
        for part in parts:
            only = part.nodes[0]
            if isinstance(only, Map) and only in walks:
                nodes += self._walk(*walks[only])
                continue
            i = Sym(self._fresh(var))
            index = sub(Sym(var), self.first)
            body = substitute_in(with_arrays(part, self.scalars, self.lets, self.arrays, index), {var: i})
            private = tuple(p for p in self.m.private if p not in self.scalars and p in data_used(body))
            nodes.append(self._each(i, body, private))
        blocks = Range(ZERO, _up(sub(span.stop, span.start), self.together), ONE)
        return replace(
            self.m,
            vars=(*self.m.vars[:-1], block.name),
            spans=(*self.m.spans[:-1], blocks),
            body=Region(tuple(nodes), loc=loc),
            private=tuple(self.made),
        )

    def _row(self, name: str, dtype: DType, *before: int) -> str:
        """An array with an element for each iteration of a block."""
        made = self._fresh(f"{name}_rows")
        self.data[made] = Array(dtype, (*map(const, before), const(self.rows)), storage="register")
        return made

    def _number(self, name: str, dtype: DType) -> str:
        made = self._fresh(name)
        self.data[made] = Scalar(dtype)
        return made

    def _each(self, i: Sym, body: Region | Sequence[Node], private: tuple[str, ...] = ()) -> Map:
        """A map over the iterations of the block."""
        if not isinstance(body, Region):
            body = Region(tuple(body), loc=self.m.body.loc)
        return Map((i.name,), (Range(self.first, self.last, ONE),), body, private=private, loc=self.m.loc)

    def _walk(self, w: Walk, levels: Expr) -> list[Node]:
        """A walk, a piece after the other; then what it combined is combined with what was there."""
        loc, span = w.map.loc, w.map.spans[0]
        inside = Writer(self._fresh, loc)
        q = Sym(self._fresh("piece"))
        start, length = self._position(inside, q, levels, sub(span.stop, span.start))
        names = {r.target.data: self._number(r.target.data, r.dtype) for r in w.sums}
        trees = {
            n: self._row(n, r.dtype, _LEVELS) for r in w.sums for n in [r.target.data] if r.blocked and r.wcr == "add"
        }
        self.made += trees.values()
        ones = Op("popcount", (Op("bxor", (q, add(q, ONE)), i64),), i64)
        near = inside.let("near", sub(ones, ONE)) if trees else ZERO
        first = add(span.start, start)
        piece = replace(w.map, spans=(Range(first, add(first, length), ONE),))
        inside.nodes.append(self._terms(w, piece, names, trees, near, levels))
        pieces = Range(ZERO, Op("shl", (ONE, levels), i64), ONE)
        return [Loop(q.name, pieces, Region(tuple(inside.nodes), loc=loc), loc=loc)]

    def _at(self) -> tuple[Sym, Expr]:
        i = Sym(self._fresh(self.m.vars[-1]))
        return i, sub(i, self.first)

    def _load(self, name: str, subset: tuple[Expr, ...]) -> Load:
        return Load(Memlet(name, subset), self.data[name].dtype)

    def _into(
        self,
        target: str,
        subset: tuple[Expr, ...],
        left: tuple[str, tuple[Expr, ...]],
        right: tuple[str, tuple[Expr, ...]],
        wcr: str,
    ) -> Tasklet:
        """Two values combined."""
        code = Op(wcr, (self._load(*left), self._load(*right)), self.data[target].dtype)
        return Tasklet(Memlet(target, subset), code, loc=self.m.loc)

    def _position(self, write: Writer, q: Expr, levels: Expr, length: Expr) -> tuple[Expr, Expr]:
        """Where piece q begins, and how long it is: halves are chosen by the digits of q, the first one of them a multiple of 8 long."""
        loc = self.m.loc
        at, rest = self._number("at", i64), self._number("rest", i64)
        self.made += [at, rest]
        level, inside = Sym(self._fresh("level")), Writer(self._fresh, loc)
        whole = inside.let("whole", self._load(rest, ()))
        left = inside.let("left", Op("shl", (Op("shr", (whole, const(4)), i64), const(3)), i64))
        digit = Op("band", (Op("shr", (q, sub(sub(levels, level), ONE)), i64), ONE), i64)
        right = inside.let("right", Op("eq", (digit, ONE), b1))
        inside.nodes.append(Tasklet(Memlet(at), add(self._load(at, ()), select(right, left, ZERO)), loc=loc))
        inside.nodes.append(Tasklet(Memlet(rest), select(right, sub(whole, left), left), loc=loc))
        write.nodes.append(Tasklet(Memlet(at), ZERO, loc=loc))
        write.nodes.append(Tasklet(Memlet(rest), length, loc=loc))
        write.nodes.append(Loop(level.name, Range(ZERO, levels, ONE), Region(tuple(inside.nodes), loc=loc), loc=loc))
        return write.let("begin", self._load(at, ())), write.let("count", self._load(rest, ()))

    def _terms(
        self, w: Walk, piece: Map, names: dict[str, str], trees: dict[str, str], near: Expr, levels: Expr
    ) -> Map:
        """Each iteration combines the terms of the piece."""
        (i, at), var = self._at(), self.m.vars[-1]
        write = Writer(self._fresh, self.m.loc)
        known: dict[str, Expr] = {}
        for name in sorted(symbols_used(piece) & self.arrays.keys()):
            known[name] = write.let(name, self._load(self.arrays[name], (at,)))
        values: dict[str, Expr] = {}
        for name in sorted(data_used(piece) & self.scalars.keys() - names.keys()):
            values[name] = write.let(name, self._load(self.scalars[name], (at,)))

        def value(e: Expr) -> Expr | None:
            return values.get(e.memlet.data) if isinstance(e, Load) else None

        body = map_exprs(rename_data(piece, names), value)
        body = substitute_in(body, {**known, var: i})
        nodes: list[Node] = [*write.nodes]
        for r in w.sums:
            nodes.append(Tasklet(Memlet(names[r.target.data]), identity(r.wcr, r.dtype), loc=self.m.loc))
        nodes.append(body)
        for name, tree in trees.items():
            nodes += self._near(names[name], tree, at, near)
        done: list[Node] = []
        for r in w.sums:
            name, rows = r.target.data, self.scalars[r.target.data]
            both = self._into(rows, (at,), (rows, (at,)), (names[name], ()), r.wcr)
            (done if name in trees else nodes).append(both)
        if done:
            nodes.append(Branch(eq(near, levels), Region(tuple(done), loc=self.m.loc), loc=self.m.loc))
        return self._each(i, nodes, (*names.values(),))

    def _near(self, new: str, tree: str, at: Expr, near: Expr) -> list[Node]:
        """The sum of a piece is added to those of its neighbours that wait for it, and waits for the next ones."""
        loc, level = self.m.loc, Sym(self._fresh("level"))
        both = Region((self._into(new, (), (tree, (level, at)), (new, ()), "add"),), loc=loc)
        kept = Tasklet(Memlet(tree, (near, at)), self._load(new, ()), loc=loc)
        return [Loop(level.name, Range(ZERO, near, ONE), both, loc=loc), kept]
