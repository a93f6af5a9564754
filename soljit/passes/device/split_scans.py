"""Let threads of a device carry a value through a loop: each through a piece of it, from what the pieces before it come to.

    for i in range(n):                for p in map(range(P)): part[p] = sum of x over piece p
        s = s + x[i]             →    part[p] becomes s and the sum of all parts before p, in three steps of few threads
        out[i] = s                    for p in map(range(P)), private(s):
                                          s = part[p]
                                          for i in piece p: s = s + x[i]; out[i] = s

The loop carries one number that an operation changes whose operands may be grouped in any way: sums and products of integers, bits, extremes; sums of
floats, too, since P depends on n only, so that bits are the same on each device, and since pieces and their parts are short: a rounding error is
carried on over n / P + 2 * 128 additions at most, in place of n. Parts of narrower floats are added up in float64. Products of floats stay in order: the
product of a piece may overflow where the loop does not.

A loop that writes elements one behind the other where a condition holds carries the place of the next one (`packings.py`).

Proof: without what it carries the loop's iterations are independent (`parallelize_loops` is asked), and what is added in one nothing in the loop
writes. It must come before share_scratch and place_on_device.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial

from soljit.analysis.cost.work import known
from soljit.analysis.device.offload import why_not_on_device
from soljit.analysis.flow.liveness import live_after
from soljit.analysis.loops.reductions import as_accumulation
from soljit.analysis.loops.sums import identity
from soljit.analysis.memory.accesses import aliases, effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import ONE, ZERO, Cast, Expr, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.core.types import DType, c64, c128, f16, f32, f64
from soljit.ir.symbolic import add, eq, equal, floordiv, lt, maximum, minimum, mul, range_length
from soljit.ir.walk import (
    FreshNames,
    data_written,
    loads_of,
    on_regions,
    rename_data,
    rename_symbols,
    same,
    substitute,
    walk,
)
from soljit.passes.device.packings import packing
from soljit.passes.loops.parallelize_loops import parallelized_with
from soljit.passes.manager import Context

ROW = 128  # parts that one thread goes through
LEAST = 32  # iterations of a piece
_OPERATIONS = {"b": ("band", "bor", "bxor", "land", "lor"), "f": ("add", "min", "max"), "c": ("add",)}
_OF_INTEGERS = ("add", "mul", "min", "max", "band", "bor", "bxor")
_WIDE = {f16: f64, f32: f64, c64: c128}


def split_scans(program: Program, cx: Context) -> Program:
    """Split the loops outside of maps that carry a number and nothing else."""
    s = _Splitter(program, cx, dict(program.data), FreshNames(program))
    body = s.region(program.body)
    return program if body is program.body else replace(program, body=body, data=s.data)


@dataclass(frozen=True)
class _Scan:
    """The loop changes `carried` by `operation` and `value` (over the loop's variable only); from nothing if the first iteration sets it.

    apart: the body without what is carried; new: arrays in it that no array variable can stand for
    """

    loop: Loop
    carried: str
    operation: str
    value: Expr
    from_nothing: bool
    apart: tuple[Node, ...]
    new: frozenset[str] = frozenset()


@dataclass
class _Splitter:
    program: Program
    cx: Context
    data: dict[str, Data]
    fresh: FreshNames
    new: set[str] = field(default_factory=set)

    def region(self, region: Region) -> Region:
        """Split in these nodes and below them."""
        out: list[Node] = []
        before, self.new = self.new, set()
        for n in region.nodes:
            out += self.node(n)
            if isinstance(n, Alloc):
                self.new.add(n.data)
            elif effects(n).binds or effects(n).allocs or effects(n).python:
                self.new.clear()
        self.new = before
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def node(self, n: Node) -> tuple[Node, ...]:
        match n:
            case Loop():
                scan = self.scan(n)
                nodes = self.split(scan) if scan is not None else None
                return nodes if nodes is not None else (on_regions(n, self.region),)
            case Region():
                return (self.region(n),)
            case While() | Branch():
                return (on_regions(n, self.region),)
            case _:
                return (n,)

    # --- which --------------------------------------------------------------------------------------------------------

    def scan(self, loop: Loop) -> _Scan | None:
        """The loop as a scan."""
        if loop.span.step != ONE or not all(map(known, loop.span.children)):
            return None
        e = effects(loop.body)
        if e.leaves or e.python or e.binds or e.allocs:
            return None
        updates = [
            n for n in walk(loop.body) if isinstance(n, Tasklet) and isinstance(self.data.get(n.out.data), Scalar)
        ]
        found = [x for n in updates if n in loop.body.nodes and (x := self._update(loop, n)) is not None]
        if not found and (packed := packing(loop, self.data, aliases(self.program), self.new)) is not None:
            scan = self._scan(loop, packed.carried, "add", packed.value, False, packed.apart.nodes)
            return scan and replace(scan, new=packed.new)
        return found[0] if len(found) == 1 else None

    def _scan(
        self, loop: Loop, name: str, operation: str, value: Expr, from_nothing: bool, apart: tuple[Node, ...]
    ) -> _Scan | None:
        """The scan, if its value is the same in whatever order the loop writes."""
        t = self.data[name].dtype
        if operation not in _OPERATIONS.get(t.kind, _OF_INTEGERS) or value.dtype != t:
            return None
        alias = aliases(self.program)
        written = data_written(loop.body)
        if any(alias.may_alias(w, m.data) for w in written for m in loads_of((value,))):
            return None
        return _Scan(loop, name, operation, value, from_nothing, apart)

    def _update(self, loop: Loop, n: Tasklet) -> _Scan | None:
        """The scan that this statement makes of the loop."""
        name = n.out.data
        if n.out.wcr is not None or sum(name in data_written(x) for x in loop.body.nodes) != 1:
            return None
        values: dict[str, Expr] = {}
        for x in loop.body.nodes[: loop.body.nodes.index(n)]:
            if isinstance(x, Let):
                values[x.name] = substitute(x.value, values)
        code, first = substitute(n.code, values), None
        match code:
            case Op("select", (Op("eq", (Sym(name=v), start)), once, code)) if v == loop.var and equal(
                start, loop.span.start
            ):
                first = once
        found = as_accumulation(replace(n, code=code))
        if found is None or (first is not None and first != found[1]):
            return None
        operation, value = found
        apart = tuple(replace(x, code=value) if x is n else x for x in loop.body.nodes)
        return self._scan(loop, name, operation, value, first is not None, apart)

    def _private(self, scan: _Scan) -> tuple[str, ...] | None:
        """What iterations have for themselves when nothing is carried; None if they are not independent even then."""
        loop, t = scan.loop, self.data[scan.carried].dtype
        v = self.fresh(loop.var)
        start = Tasklet(Memlet(scan.carried), identity(scan.operation, t))
        trial = rename_symbols(replace(loop, body=replace(loop.body, nodes=(start, *scan.apart))), {loop.var: v})
        alone = self.fresh(scan.carried)  # which nobody looks at behind the loop
        others = {name: self.fresh(name) for name in sorted(scan.new)}
        trial = rename_data(trial, {scan.carried: alone, **others})
        data = {**self.program.data, alone: Scalar(t), **{new: self.data[name] for name, new in others.items()}}
        after = parallelized_with(replace(self.program, data=data), loop, trial, self.cx)
        found = next((n for n in walk(after.body) if isinstance(n, Map) and n.vars == (v,)), None)
        if found is None or _combined(found) != _combined(trial):
            return None  # or because they add to the same elements
        return tuple(x for x in found.private if x != alone and x not in others.values())

    # --- splitting ----------------------------------------------------------------------------------------------------

    def split(self, scan: _Scan) -> tuple[Node, ...] | None:
        """The scan by threads; None if the device could not run it."""
        loop, t = scan.loop, self.data[scan.carried].dtype
        if scan.carried in live_after(self.program)[loop] and scan.from_nothing:
            return None
        private = self._private(scan)
        if private is None:
            return None
        before = dict(self.data)
        wide = _WIDE.get(t, t) if scan.operation == "add" else t
        length = range_length(loop.span)
        most = const(ROW * ROW)
        size, pieces = self.fresh("size"), self.fresh("pieces")
        rows = floordiv(add(Sym(pieces), const(ROW - 1)), const(ROW))
        out: list[Node] = [
            Let(size, maximum(const(LEAST), floordiv(add(length, const(ROW * ROW - 1)), most)), loc=loop.loc),
            Let(pieces, floordiv(add(length, add(Sym(size), const(-1))), Sym(size)), loc=loop.loc),
        ]
        part = self._array("part", wide, (Sym(pieces),), loop, out)
        row = self._array("row", wide, (rows,), loop, out)
        p, r, q, one, i = (self.fresh(x) for x in ("p", "r", "q", "one", loop.var))
        nothing = identity(scan.operation, wide)
        start = nothing if scan.from_nothing else _as(wide, Load(Memlet(scan.carried), t))
        value = substitute(_as(wide, scan.value), {loop.var: Sym(i)})
        piece = self._piece(scan, size, p)
        of_row = Range(mul(const(ROW), Sym(r)), minimum(Sym(pieces), mul(const(ROW), add(Sym(r), ONE))), ONE)
        part_p, part_q, row_r = Memlet(part, (Sym(p),)), Memlet(part, (Sym(q),)), Memlet(row, (Sym(r),))
        step = partial(self._step, scan, wide)
        out += [
            step((p, Sym(pieces)), nothing, (i, piece), value, to=part_p),
            step((r, rows), nothing, (q, of_row), Load(part_q, wide), to=row_r),
            step((one, ONE), start, (r, Range(ZERO, rows, ONE)), Load(row_r, wide), each=row_r),
            step((r, rows), Load(row_r, wide), (q, of_row), Load(part_q, wide), each=part_q),
        ]
        own = self._scalar(scan.carried, t)
        again = rename_data(replace(loop, span=piece), {scan.carried: own})
        first = Tasklet(Memlet(own), _as(t, Load(part_p, wide)), loc=loop.loc)
        body: tuple[Node, ...] = (first, again)
        after: tuple[Node, ...] = ()
        if scan.carried in live_after(self.program)[loop]:  # what the last piece has come to
            end = Memlet(self._array("end", t, (), loop, out))
            is_last = eq(Sym(p), add(Sym(pieces), const(-1)))
            last = Tasklet(end, Load(Memlet(own), t), loc=loop.loc)
            body = (*body, Branch(is_last, Region((last,), loc=loop.loc), loc=loop.loc))
            fetch = Tasklet(Memlet(scan.carried), Load(end, t), loc=loop.loc)
            after = (Branch(lt(ZERO, Sym(pieces)), Region((fetch,), loc=loop.loc), loc=loop.loc),)
        span = Range(ZERO, Sym(pieces), ONE)
        out.append(Map((p,), (span,), Region(body, loc=loop.loc), private=(own, *private), loc=loop.loc))
        out += after
        program = replace(self.program, data=self.data)
        if any(isinstance(n, Map) and why_not_on_device(program, n) for n in out):
            self.data = before
            return None
        self.cx.note(loop.loc, "scan in pieces", name=scan.carried)
        return tuple(out)

    def _piece(self, scan: _Scan, size: str, p: str) -> Range:
        """The iterations of piece `p`."""
        span = scan.loop.span
        first = add(span.start, mul(Sym(size), Sym(p)))
        return Range(first, minimum(span.stop, add(first, Sym(size))), ONE)

    def _step(
        self,
        scan: _Scan,
        wide: DType,
        threads: tuple[str, Expr],
        start: Expr,
        inner: tuple[str, Range],
        value: Expr,
        to: Memlet | None = None,
        each: Memlet | None = None,
    ) -> Map:
        """Threads that run through a loop each, from `start` on. The end goes to `to`, and what it was before each value to `each`."""
        loc, running, old = scan.loop.loc, Memlet(self._scalar("running", wide)), self.fresh("old")
        now = Load(running, wide)
        nodes: list[Node] = []
        if each is not None:
            nodes = [Let(old, value, loc=loc), Tasklet(each, now, loc=loc)]
            value = Sym(old, wide)
        nodes.append(Tasklet(running, Op(scan.operation, (now, value), wide), loc=loc))
        body: list[Node] = [Tasklet(running, start, loc=loc), Loop(*inner, Region(tuple(nodes), loc=loc), loc=loc)]
        if to is not None:
            body.append(Tasklet(to, now, loc=loc))
        v, n = threads
        return Map((v,), (Range(ZERO, n, ONE),), Region(tuple(body), loc=loc), private=(running.data,), loc=loc)

    def _array(self, base: str, t: DType, shape: tuple[Expr, ...], loop: Loop, out: list[Node]) -> str:
        name = self.fresh(base)
        self.data[name] = Array(t, shape)
        out.append(Alloc(name, loc=loop.loc))
        return name

    def _scalar(self, base: str, t: DType) -> str:
        name = self.fresh(base)
        self.data[name] = Scalar(t)
        return name


def _as(t: DType, e: Expr) -> Expr:
    return e if e.dtype == t else Cast(t, e)


def _combined(node: Node) -> int:
    """How many statements combine values."""
    return sum(isinstance(n, Tasklet) and n.out.wcr is not None for n in walk(node))
