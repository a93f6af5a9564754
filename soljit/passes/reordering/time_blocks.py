"""Sizes of the blocks of a loop over time, chosen when the loop is reached: steps and rows of a block, and pieces for threads.

Arrays that fit the second cache need no blocks (`whole`), unless threads share them, in one block of all rows. For larger ones, a block has as many steps
as leave the rows on the way in that cache. Where rows are so narrow that those of many steps fit the first cache, that one decides instead; where they are planes,
which are few and wide, what a core may take of the third one. On threads a
block has so many steps that the seams are a small part of the pieces; there are so many pieces as have `need` rows each (`skew_loops.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import reduce

from soljit.analysis.cost.work import known, work
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import mentions, names_in
from soljit.analysis.reordering.sweeps import Sweep
from soljit.analysis.reordering.time_shifts import TimeShifts
from soljit.base.machine import MachineModel
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Const, Expr, Extent, Op, Range, Sym, const
from soljit.ir.core.nodes import Let, Loop, Map, Node
from soljit.ir.core.types import b1
from soljit.ir.symbolic import add, conj, disj, floordiv, le, maximum, minimum, mul, negate, prod, select, sub, total
from soljit.passes.scheduling.strips import Fresh, count_of_threads
from soljit.schedule.recipe import Option

MOST_STEPS = 32
PAID = 32  # times the work for which threads pay: a block of steps that they share, or 2 in a single step
REGION = 4  # times that work: regions of less than many times this watch whether threads pay at present
SOME_STEPS = 4  # that pay even from the larger cache


@dataclass
class Writer:
    """Definitions, each under a new name."""

    _fresh: Fresh
    _loc: Loc
    nodes: list[Node] = field(default_factory=list)

    def let(self, name: str, value: Expr) -> Expr:
        """A symbol for the value, which is worked out once."""
        if isinstance(value, Const | Sym):
            return value
        found = Sym(self._fresh(name), value.dtype)
        self.nodes.append(Let(found.name, value, loc=self._loc))
        return found


def limited(sweep: Sweep, rows: Range, fresh: Fresh) -> Map:
    """The sweep's map over some of its rows."""
    m = sweep.map
    if sweep.variable is None:
        return replace(m, vars=(fresh("row"), *m.vars), spans=(rows, *m.spans))
    return replace(m, spans=tuple(rows if v == sweep.variable else s for v, s in zip(m.vars, m.spans)))


@dataclass(frozen=True)
class Sizes:
    """What the blocks are made of.

    steps, rows: of a block
    pieces:      of the rows, for threads
    first, last: the rows of all sweeps
    below:       so low that it bounds no rows
    all_rows:    so many that they are all rows
    work:        of a block that pieces share; None: they are always shared
    whole:       whether all steps and rows are one block, as where all fits a cache; None: sizes are given
    ring:        where rows form a ring: whether it is in pieces, or all rows take one step after the other; None: they form none
    """

    steps: Expr
    rows: Expr
    pieces: Expr
    first: Expr
    last: Expr
    below: Expr
    all_rows: Expr
    work: Expr | None
    whole: Expr | None = None
    ring: Expr | None = None


def sizes(
    write: Writer,
    loop: Loop,
    found: TimeShifts,
    data: Mapping[str, Data],
    threads: int,
    machine: MachineModel,
    options: Mapping[str, Option],
) -> Sizes:
    """The sizes; `write` gets what they need. options: `steps` and `rows`, where a recipe gives them."""
    late, early = found.shifts, found.mirrored
    first = write.let("first_row", reduce(minimum, dict.fromkeys(s.rows.start for s in found.sweeps)))
    swept = write.let("last_row", reduce(maximum, dict.fromkeys(s.rows.stop for s in found.sweeps)))
    last = swept if found.ring is None else write.let("last_row", maximum(swept, add(first, found.ring)))
    count = write.let("rows", sub(last, first))
    trips = write.let("steps", maximum(ONE, sub(loop.span.stop, loop.span.start)))
    both = late.step + early.step
    reach = max(late.of) + max(early.of) + found.reach + 1
    every = write.let("all_rows", add(add(maximum(ONE, count), mul(const(both), trips)), const(reach)))
    row = write.let("row_bytes", maximum(ONE, _row_bytes(found, data)))
    by = max(late.step, 1)
    planes = has_planes(found)
    some = machine.l1 // 2  # bytes of the rows that go through a block of steps at a time
    narrow = le(mul(row, const(4 * by * MOST_STEPS)), const(some))
    large = Op(
        "lt",
        (select(narrow, const(machine.l1), const(2 * (machine.l3 if planes else machine.l2))), mul(row, count)),
        b1,
    )
    near, far = (floordiv(sub(floordiv(const(n), row), const(reach)), const(by)) for n in (machine.l2, machine.l3))
    most = maximum(const(MOST_STEPS), floordiv(const(some), mul(row, const(4 * by))))
    fitting = maximum(minimum(near, most), minimum(maximum(far, ONE), const(SOME_STEPS)))
    alone = write.let("steps_alone", minimum(trips, _given(options, "steps", select(large, fitting, trips))))
    block = select(large, maximum(floordiv(const(some), row), ONE), every)
    rows = write.let("rows_block", _given(options, "rows", block))
    steps = alone
    pieces: Expr = ONE
    done: Expr | None = None
    cost = work(loop)
    if threads > 1 and known(cost) and names_in(cost).isdisjoint(effects(loop).defines):
        # no block has so much that threads pay: a step, or at most 16 times that, or all
        little: Expr = FALSE if options else Op("lt", (cost, const(PAID * machine.parallel // (PAID // 2))), b1)
        little = write.let("little", little)
        team = write.let("team", select(little, ONE, count_of_threads(threads)))
        thin, thick = (floordiv(count, mul(const(n * max(both, 1)), team)) for n in (2 if planes else 4, 64))
        few = maximum(
            minimum(thin, const(MOST_STEPS)), thick
        )  # the seams are a quarter of the rows at most (half of planes), or a few percent
        few = minimum(alone, _given(options, "steps", maximum(few, ONE)))
        shared = write.let("steps_shared", select(little, ONE, few))
        operations = ZERO if options else write.let("step_work", select(little, ZERO, floordiv(cost, trips)))
        paid = (
            TRUE if options else le(const(PAID * machine.parallel), mul(operations, maximum(shared, const(PAID // 2))))
        )
        many = select(conj(large, paid) if planes and not options else paid, team, ONE)
        need = add(mul(const(both), sub(shared, ONE)), const(reach))
        pieces = write.let("pieces", select(little, ONE, maximum(ONE, minimum(many, floordiv(count, need)))))
        several = Op("lt", (ONE, pieces), b1)
        steps = write.let("steps_block", select(several, shared, alone))
        if not options:
            done = write.let("block_work", select(several, mul(operations, steps), ZERO))
    ring: Expr | None = None
    if found.ring is not None:
        need = add(mul(const(both), sub(steps, ONE)), const(reach))
        cut = TRUE if options else disj(large, Op("lt", (ONE, pieces), b1))
        ring = write.let("in_pieces", conj(cut, le(mul(pieces, need), found.ring), le(count, found.ring)))
        steps = write.let("steps_block", select(ring, steps, trips))
        rows = write.let("rows_block", select(ring, rows, every))
        pieces = write.let("pieces", select(ring, pieces, ONE))
    below = sub(first, add(const(max(early.of)), mul(const(early.step), steps)))
    if ring is not None:  # below the seam around the first row, too
        below = sub(below, add(const(max(late.of)), mul(const(late.step), steps)))
    whole = None
    if not options:
        whole = write.let("whole", conj(negate(large), le(pieces, ONE) if ring is None else negate(ring)))
    return Sizes(steps, rows, pieces, first, last, write.let("below", below), every, done, whole, ring)


def has_planes(found: TimeShifts) -> bool:
    """Tell whether rows are planes of arrays of three dimensions: few, and wide, so that threads share each step of what a cache holds, and blocks are for what none does."""
    return any(len(s.map.vars) > 2 for s in found.sweeps)


def _given(options: Mapping[str, Option], name: str, value: Expr) -> Expr:
    return const(int(options[name])) if name in options else value


def _row_bytes(found: TimeShifts, data: Mapping[str, Data]) -> Expr:
    """Bytes of a row of all arrays together that are swept."""
    dims = dict(found.rows)
    for s in found.sweeps:
        own = effects(s.map).private
        for a in (a for a in effects(s.map).accesses if a.data not in own):
            at = next((d for d, x in enumerate(a.subset) if s.variable is not None and mentions(x, s.variable)), None)
            if at is not None:
                dims.setdefault(a.data, at)
    return total(mul(const(data[n].dtype.size), prod(_lengths(data[n], n, d))) for n, d in sorted(dims.items()))


def _lengths(d: Data, name: str, without: int) -> list[Expr]:
    """The lengths of the other dimensions."""
    match d:
        case Array(shape=shape) | View(shape=shape):
            return [x for k, x in enumerate(shape) if k != without]
        case Ref(ndim=n):
            return [Extent(name, k) for k in range(n) if k != without]
        case _:
            return []
