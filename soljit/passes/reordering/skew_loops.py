"""Run a loop over time in blocks of its steps, a few rows at a time, so that arrays larger than the caches are read once a block.

    for t in range(0, T):                        for t_block in range(0, T, 16):
        for i in map(range(1, n - 1)): b[i] = …      for w in range(1, n + 30, 8):
        for i in map(range(1, n - 1)): a[i] = …  →       for t in range(t_block, min(t_block + 16, T)):
                                                             s = t - t_block
                                                             for i in map(range(max(1, w - 2*s), min(n - 1, w - 2*s + 8))): b[i] = …
                                                             for i in map(range(max(1, w - 2*s - 1), min(n - 1, w - 2*s + 7))): a[i] = …

How far each sweep stays behind (`shift`, `step`), and why that keeps each element's operations and their order, is `analysis/reordering/time_shifts.py`. Sizes are
chosen when the loop is reached (`time_blocks.py`). Arrays that fit a cache, and are too small for threads, need no blocks: for them the loop stands beside the blocks once more, as it was.

**Threads.** P pieces, with bounds c[1], …, c[P - 1] between them. In a block of steps each thread takes the rows of its piece from which no other piece is reached:
for sweep k in the block's step s, with the mirrored shifts and step marked by ',

    piece q, between c[q] and c[q + 1]:      c[q] + shift'[k] + step' * s <= i < c[q + 1] - shift[k] - step * s          (phase 0)
    seam q, around c[q]:                     c[q] - shift[k] - step * s <= i < c[q] + shift'[k] + step' * s              (phase 1)

The outer bounds of the first and of the last piece do not bind. Phase 1 begins when all pieces are done. Let instance (t, k, i) come before (t', m, j) in the source, both in the block, and touch one
element of which one is written, so that j = i - e (`time_shifts`). With (1) and (2) and the mirrored ones, moving from the first to the second:

* From a seam to a piece: not so. i < c + shift'[k] + step' * s gives j < c + shift'[m] + step' * s' by the mirrored ones, which no piece right of c has; to the left likewise.
* From one piece to another: not so, neither. From left to right of c: i < c - shift[k] - step * s gives j < c - shift[k] - step * s - e <= c + shift'[m] + step' * s', since
  shift'[m] + step' * s' >= shift'[k] + step' * s - e, and shifts and steps are not negative. From right to left likewise.
* From one seam to another: not so, as they are more than `reach` apart (`need` rows a piece).
* From a piece to a seam: the seam is later. In a piece: by the positions, as with one thread. In a seam: by (t, k), as in the source.

Pieces and seams have each row just once, for the same reason: there are `need` rows a piece, so no upper bound is below its lower one.

**Rings.** Where rows form a ring of n, all bounds of pieces bind: there is a seam around c[0], which is also c[P] = c[0] + n, and a single piece
has that seam, too. The proofs above look at one bound at a time, since bounds are `need` rows apart; so is a bound from itself, around the ring. Rows
of that seam below c[0] are those in front of c[P]. A ring that is not in pieces takes one step after the other, in all its rows, as the source does.

Needs maps without schedules, and must come before `privatize_sums` and `schedule_maps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.flow.apart import NONE, Pairs, apart
from soljit.analysis.memory.accesses import aliases, effects
from soljit.analysis.reordering.rotations import Rotation, rotation
from soljit.analysis.reordering.sweeps import Sweep
from soljit.analysis.reordering.time_shifts import TimeShifts, time_shifts
from soljit.base.machine import MachineModel
from soljit.base.records import dataclass
from soljit.base.sentences import Said
from soljit.ir.core.data import Data
from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Expr, Op, Range, Sym, const
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Region
from soljit.ir.core.types import b1
from soljit.ir.symbolic import add, conj, disj, eq, floordiv, linear, maximum, minimum, mul, negate, select, sub, total
from soljit.ir.walk import FreshNames, rename_data, replace_loops, rewrite, walk
from soljit.passes.manager import Context
from soljit.passes.reordering.passed_on import PassedOn
from soljit.passes.reordering.time_blocks import REGION, Sizes, Writer, has_planes, limited, sizes
from soljit.schedule.policy import YES, Choice

_FEW = 32  # rows


def skew_loops(program: Program, cx: Context) -> Program:
    """Skew every loop over time in which that is right."""
    skewer = _Skewer(program, cx, FreshNames(program), dict(program.data))
    body = replace_loops(program.body, skewer.skewed)
    return program if body is program.body else replace(program, body=body, data=skewer.data)


@dataclass
class _Skewer:
    program: Program
    cx: Context
    _fresh: FreshNames
    data: dict[str, Data]
    _pairs: Mapping[Node, Pairs] | None = None

    def skewed(self, loop: Loop) -> list[Node] | None:
        """The blocks, or None if the loop stays as it is."""
        if self.cx.policy.took("delay", (loop,)):
            return None
        if not any(isinstance(n, Map) for n in loop.body.nodes):
            self.cx.policy.refuse("skew", (loop,), "there are no maps in it")
            return None
        turns = rotation(loop, self.program, self._fresh)
        found = turns if isinstance(turns, Said) else self._shifts(loop, turns)
        reason = found if isinstance(found, Said) else None
        choice = self.cx.policy.decide("skew", (loop,), lambda: _wanted(found), lambda _: reason)
        if isinstance(found, Said):
            if _is_told(loop):
                self.cx.note(loop.loc, "in its order", why=found)
            return None
        if not isinstance(choice, Choice) or isinstance(turns, Said):
            return None
        self.cx.note(loop.loc, "skewed", names=tuple(sorted(found.rows)))
        write = Writer(self._fresh, loop.loc)
        passed_on = None if turns is None else PassedOn(loop, turns, self.data, self._fresh)
        s = sizes(write, loop, found, self.data, self.cx.threads, self.cx.machine, choice.options)
        blocks: list[Node] = [_Blocks(loop, found, s, self.cx.machine, self._fresh, passed_on).whole()]
        if passed_on is not None:
            blocks = [*passed_on.made(), *blocks, passed_on.rest()]
        if s.whole is None:
            return [*write.nodes, *blocks]
        plain = self._in_order(loop, TRUE if has_planes(found) else FALSE)
        small, large = (Region(tuple(x), loc=loop.body.loc) for x in ([plain], blocks))
        return [*write.nodes, Branch(negate(s.whole), large, small, loc=loop.loc)]

    def _in_order(self, loop: Loop, threads: Expr) -> Loop:
        """The loop as it is, for what needs no blocks: so bounds of rows cost nothing there. threads: whether they may share its maps; FALSE where it is too small"""
        maps = [n for n in walk(loop.body) if isinstance(n, Map)]
        own = {x: self._fresh(x) for m in maps for e in [effects(m)] for x in sorted(e.private | e.allocs)}
        self.data.update({new: self.data[old] for old, new in own.items()})
        return rewrite(rename_data(loop, own), lambda n: replace(n, when=threads) if isinstance(n, Map) else _again(n))

    def _shifts(self, loop: Loop, turns: Rotation | None) -> TimeShifts | Said:
        known = aliases(self.program)
        if turns is None:
            return time_shifts(loop, self.program.data, known.may_alias)
        if self._pairs is None:
            self._pairs = apart(self.program, self.cx.facts(self.program))
        pairs, pieces = self._pairs.get(loop, NONE), {x for made in turns.made.values() for x in made}

        def overlap(a: str, b: str) -> bool:
            return pieces.isdisjoint((a, b)) and frozenset((a, b)) not in pairs and known.may_alias(a, b)

        return time_shifts(replace(loop, body=turns.sweeps), self.program.data, overlap, turns.moving)


def _again(n: Node) -> Node | None:
    return replace(n) if isinstance(n, Loop) else None


def _wanted(found: TimeShifts | Said) -> Choice | None:
    """Where rows need their neighbours of the step before: a loop over one point at a time runs inside its map already.

    Not where a few rows are coupled only.
    """
    if isinstance(found, Said) or found.shifts.step + found.mirrored.step == 0:
        return None
    if not any(map(_is_long_stencil, found.sweeps)):
        return None
    return YES


def _is_long_stencil(s: Sweep) -> bool:
    """Tell whether it goes over many rows, as far as one can see, and touches several at a time."""
    touched = {row for uses in (s.reads, s.writes) for pair in uses.values() for row in pair}
    count = linear(sub(s.rows.stop, s.rows.start))
    return len(touched) > 1 and (not count.is_const or count.const >= _FEW)


def _is_told(loop: Loop) -> bool:
    """Tell whether it looks like a loop over time to the user, too: nothing but sweeps over arrays of two dimensions or more."""
    maps = [n for n in loop.body.nodes if isinstance(n, Map)]
    return (
        all(isinstance(n, Map | Let) for n in loop.body.nodes) and any(len(m.vars) > 1 for m in maps) and len(maps) > 1
    )


@dataclass
class _Blocks:
    """The loop in blocks of steps, and in each the rows. Maps, symbols and containers stand there once, as they did."""

    loop: Loop
    found: TimeShifts
    sizes: Sizes
    machine: MachineModel
    _fresh: FreshNames
    _passed_on: PassedOn | None

    def whole(self) -> Loop:
        """All blocks of steps."""
        span, block = self.loop.span, Sym(self._fresh(f"{self.loop.var}_block"))
        write = Writer(self._fresh, self.loop.loc)
        stop = write.let(f"{self.loop.var}_stop", minimum(add(block, self.sizes.steps), span.stop))
        if self.sizes.pieces == ONE and self.sizes.ring is None:
            first, end = self.sizes.first, self._last(stop, block)
            write.nodes += self._rows(block, stop, Range(first, end, self.sizes.rows), None)
        else:
            write.nodes.append(self._phases(block, stop))
        body = Region(tuple(write.nodes), loc=self.loop.body.loc)
        return Loop(block.name, Range(span.start, span.stop, self.sizes.steps), body, loc=self.loop.loc)

    def _last(self, stop: Expr, block: Expr) -> Expr:
        """Behind the last position of a block of steps."""
        late = mul(const(self.found.shifts.step), sub(sub(stop, block), ONE))
        return total((self.sizes.last, const(max(self.found.shifts.of)), late))

    def _phases(self, block: Expr, stop: Expr) -> Loop:
        """First the pieces, then the seams between them."""
        s, write = self.sizes, Writer(self._fresh, self.loop.loc)
        phase, piece = Sym(self._fresh("phase")), Sym(self._fresh("piece"))
        pieces = eq(phase, ZERO)
        end = self._last(stop, block)
        start = write.let("start", self._bound(piece))
        begins, goes_on = (Op("lt", x, b1) for x in ((ZERO, piece), (add(piece, ONE), s.pieces)))
        ring = FALSE if s.ring is None else s.ring
        left = write.let("left", select(conj(pieces, disj(begins, ring)), start, s.below))
        inner = select(disj(goes_on, ring), self._bound(add(piece, ONE)), end)
        right = write.let("right", select(pieces, inner, start))
        seam = Range(start, add(start, ONE), ONE)
        rows = Range(
            start,
            write.let("end", select(pieces, right, seam.stop)),
            write.let("rows", select(pieces, s.rows, s.all_rows)),
        )
        both_sides = None if s.ring is None else conj(s.ring, negate(pieces), eq(piece, ZERO))
        write.nodes += self._rows(block, stop, rows, (pieces, left, right), both_sides)
        body = Region(tuple(write.nodes), loc=self.loop.body.loc)
        paid = None if s.work is None else Op("le", (const(REGION * self.machine.parallel), s.work), b1)
        span = Range(phase if s.ring is None else ZERO, s.pieces, ONE)
        shared: Node = Map((piece.name,), (span,), body, ("threads",), paid, loc=self.loop.loc)
        if s.pieces == ONE:
            shared = Loop(piece.name, span, body, loc=self.loop.loc)
        seams = disj(Op("lt", (ONE, s.pieces), b1), ring)
        both = Range(ZERO, select(seams, const(2), ONE), ONE)
        return Loop(phase.name, both, Region((shared,), loc=self.loop.body.loc), loc=self.loop.loc)

    def _bound(self, piece: Expr) -> Expr:
        """Where a piece begins."""
        return add(self.sizes.first, floordiv(mul(sub(self.sizes.last, self.sizes.first), piece), self.sizes.pieces))

    def _rows(
        self,
        block: Expr,
        stop: Expr,
        rows: Range,
        piece: tuple[Expr, Expr, Expr] | None,
        both_sides: Expr | None = None,
    ) -> list[Node]:
        """The blocks of rows, in each the steps, in each the sweeps. both_sides: whether rows below the first one are meant, which are the last ones of a ring"""
        w, write = Sym(self._fresh("w")), Writer(self._fresh, self.loop.loc)
        s = write.let("s", sub(Sym(self.loop.var), block))
        write.nodes += self.found.lets
        if self._passed_on is not None:
            write.nodes += self._passed_on.bound()
        for k, sweep in enumerate(self.found.sweeps):
            late = add(const(self.found.shifts.of[k]), mul(const(self.found.shifts.step), s))
            early = add(const(self.found.mirrored.of[k]), mul(const(self.found.mirrored.step), s))
            low, high = sub(w, late), sub(add(w, rows.step), late)
            if piece is not None:
                pieces, left, right = piece
                low = maximum(low, add(left, early))
                high = minimum(high, add(right, select(pieces, sub(ZERO, late), early)))
            if both_sides is None:
                write.nodes += self._part(sweep, low, high)
            else:
                side = Sym(self._fresh("side"))
                around = mul(side, sub(self.sizes.last, self.sizes.first))
                body = Region(tuple(self._part(sweep, add(low, around), add(high, around))), loc=self.loop.body.loc)
                sides = Range(ZERO, select(both_sides, const(2), ONE), ONE)
                write.nodes.append(Loop(side.name, sides, body, loc=self.loop.loc))
        steps = Loop(
            self.loop.var,
            Range(block, stop, ONE),
            Region(tuple(write.nodes), loc=self.loop.body.loc),
            loc=self.loop.loc,
        )
        return [Loop(w.name, rows, Region((steps,), loc=self.loop.body.loc), loc=self.loop.loc)]

    def _part(self, sweep: Sweep, low: Expr, high: Expr) -> list[Node]:
        """The sweep over its rows between two bounds."""
        write = Writer(self._fresh, self.loop.loc)
        first = write.let("first", maximum(sweep.rows.start, low))
        last = write.let("last", minimum(sweep.rows.stop, high))
        m = limited(sweep, Range(first, last, ONE), self._fresh)
        return [*write.nodes, m if self._passed_on is None else self._passed_on.renamed(m)]
