"""Keep short rows of sums in registers: a few neighbours of them, for a few iterations of a loop around, while their terms are added up.

    for i, j in map(range(n), range(m)):          for i, J in map(range(n), range(0, m, 4)):
        alloc(s)                                      for C in range(0, c, 16):
        for c in map(range(C)): s[c] = 0      →           alloc(s0), …, alloc(s3) of 16 elements
        for k, c in map(range(K), range(C)):              for c in map(range(16)): s0[c] = 0; …; s3[c] = 0
            s[c] += a[i, j + k] * w[k, c]                 for k, c in map(range(K), range(16)):
        for c in map(range(C)): b[i, j, c] = s[c]             s0[c] += a[i, J + k] * w[k, C + c]; …; s3[c] += a[i, J + 3 + k] * w[k, C + c]
                                                          for c in map(range(16)): b[i, J, C + c] = s0[c]; …

Why that keeps each element's operations and their order is `analysis/reordering/held_sums.py`. Blocks that would go beyond the end begin earlier, and compute some elements twice. Loops of a constant
number of elements become vector instructions without loads and stores in between; rows that are shorter than the shortest vector, or long, stay as they are.

Needs maps without schedules, and must come before `schedule_maps`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from soljit.analysis.memory.accesses import Aliases, aliases, effects
from soljit.analysis.reordering.held_sums import HeldSums, held_sums, shares
from soljit.base.records import dataclass
from soljit.base.sentences import Said
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import FALSE, ONE, ZERO, Expr, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region
from soljit.ir.symbolic import add, conj, floordiv, le, minimum, mul, select, simplify, sub
from soljit.ir.walk import (
    FreshNames,
    is_straight,
    map_memlets,
    rename_data,
    rename_symbols,
    rewrite,
    substitute_in,
    symbols_defined,
    walk,
)
from soljit.passes.manager import Context
from soljit.passes.reordering.time_blocks import Writer
from soljit.schedule.policy import YES, Choice

ROWS = 4  # iterations that go together
_BYTES = (64, 32, 16)  # of the neighbours that do; the first that are there
_MOST = 512  # elements of a row; of a longer one the blocks of a term lie too far apart


def hold_sums(program: Program, cx: Context) -> Program:
    """Keep the sums of every map in which that is right in registers."""
    h = _Holder(program, cx, FreshNames(program), dict(program.data), aliases(program))
    body = rewrite(program.body, lambda n: h.held(n) if isinstance(n, Map) and not n.schedule else None)
    return program if body is program.body else replace(program, body=body, data=h.data)


@dataclass
class _Holder:
    program: Program
    cx: Context
    _fresh: FreshNames
    data: dict[str, Data]
    alias: Aliases

    def held(self, m: Map) -> tuple[Node, ...] | None:
        """The map in blocks, or None if it stays as it is."""
        if not any(isinstance(n, Alloc) for n in m.body.nodes):
            return None
        found = held_sums(m, self.program, self.alias)
        reason = found if isinstance(found, Said) else None
        wanted = isinstance(found, HeldSums) and shares(m, found, self.program)
        choice = self.cx.policy.decide("hold", (m,), lambda: YES if wanted else None, lambda _: reason)
        if isinstance(found, Said) or not isinstance(choice, Choice):
            return None
        rows = int(choice.options.get("rows", ROWS))
        size = min(self.data[x].dtype.size for x in found.names)
        widths = [int(choice.options["lanes"])] if "lanes" in choice.options else [n // size for n in _BYTES]
        self.cx.note(m.loc, "held sums", names=found.names, count=rows, loop=m.vars[found.loop])
        return tuple(self._blocks(m, found, rows, [n for n in widths if n > 0]))

    def _blocks(self, m: Map, found: HeldSums, rows: int, widths: Sequence[int]) -> list[Node]:
        """Blocks of iterations, if there are enough for one; else each by itself."""
        write, span = Writer(self._fresh, m.loc), m.spans[found.loop]
        count = simplify(sub(span.stop, span.start))
        right = (le(const(rows), count), le(const(widths[-1]), found.length), le(found.length, const(_MOST)))
        whole = write.let("together", simplify(conj(*right)))
        if whole == FALSE:
            return [m]
        blocks = write.let("blocks", select(whole, floordiv(add(count, const(rows - 1)), const(rows)), count))
        var, loc = m.vars[found.loop], m.loc
        block, row = self._fresh(f"{var}_block"), self._fresh(var)
        first = add(span.start, minimum(mul(Sym(block), const(rows)), sub(count, const(rows))))
        together = self._widths(_Rows(m.body, found, var, Sym(row), rows), widths)
        alone = Region((Let(var, add(span.start, Sym(block)), loc=loc), *m.body.nodes), loc=loc)
        body = Region((Branch(whole, Region((Let(row, first, loc=loc), together), loc=loc), alone, loc=loc),), loc=loc)
        held = replace(
            m,
            vars=tuple(block if v == var else v for v in m.vars),
            spans=tuple(Range(ZERO, blocks, ONE) if v == var else s for v, s in zip(m.vars, m.spans)),
            body=body,
            private=tuple(dict.fromkeys((*m.private, *_made(body)))),
        )
        return [*write.nodes, held]

    def _widths(self, of: _Rows, widths: Sequence[int]) -> Node:
        """Blocks of the widest vectors that are not longer than the rows."""
        node: Node = self._columns(of, widths[-1])
        for width in reversed(widths[:-1]):
            enough = simplify(le(const(width), of.held.length))
            wider = self._columns(of, width)
            node = Branch(enough, Region((wider,), loc=wider.loc), Region((node,), loc=wider.loc), loc=wider.loc)
        return node

    def _columns(self, of: _Rows, width: int) -> Loop:
        """All elements of the sums, so many at a time."""
        loc, length = of.body.loc, of.held.length
        column, first = self._fresh("column"), self._fresh("first")
        body = self._fresh.other_symbols(of.body)
        rows = [self._row(body, of, r, width, first) for r in range(of.count)]
        start = Let(first, minimum(Sym(column), sub(length, const(width))), loc=loc)
        nodes = (start, *(x for copies in zip(*rows, strict=True) for x in _together(copies)))
        return Loop(column, Range(ZERO, length, const(width)), Region(nodes, loc=loc), loc=loc)

    def _row(self, body: Region, of: _Rows, number: int, width: int, first: str) -> Sequence[Node]:
        """One iteration of those that go together, for so many elements, with arrays and names of its own. Maps keep their variables."""
        scalars = {a.data for a in effects(body).writes if isinstance(self.data.get(a.data), Scalar)}
        containers = {x: self._fresh(x) for x in sorted(scalars | {*of.held.names})}
        self.data |= {new: replace(self.data[x]) for x, new in containers.items()}
        for x in of.held.names:
            d = self.data[x]
            assert isinstance(d, Array)
            self.data[containers[x]] = Array(d.dtype, (*d.shape[:-1], const(width)))
        kept = {v for n in walk(body) if isinstance(n, Map) for v in n.vars}
        names = {x: self._fresh(x) for x in sorted(symbols_defined(body) - kept)}
        body = substitute_in(
            rename_data(rename_symbols(body, names), containers), {of.var: add(of.first, const(number))}
        )
        own = {containers[x] for x in of.held.names}
        return _shifted(body, Sym(first), width, own).nodes


@dataclass(frozen=True)
class _Rows:
    """Iterations that go together: the body of each, of which loop they are, which is the first one, and how many they are."""

    body: Region
    held: HeldSums
    var: str
    first: Expr
    count: int


def _made(body: Region) -> Iterator[str]:
    """Arrays that are made in it, outside of other maps."""
    for n in body.nodes:
        match n:
            case Alloc():
                yield n.data
            case Loop():
                yield from _made(n.body)
            case Branch():
                yield from _made(n.then)
                yield from _made(n.orelse)
            case _:
                pass


def _shifted(body: Region, first: Expr, width: int, own: Collection[str]) -> Region:
    """The body for so many elements from the first one on, of which these arrays have nothing else."""
    return replace(body, nodes=tuple(_for_some(n, first, width, own) if isinstance(n, Map) else n for n in body.nodes))


def _for_some(m: Map, first: Expr, width: int, own: Collection[str]) -> Map:
    if not is_straight(m.body):
        return replace(m, body=_shifted(m.body, first, width, own))
    at = Sym(m.vars[-1])
    body = substitute_in(m.body, {at.name: add(first, at)})
    body = map_memlets(body, lambda x: replace(x, subset=(*x.subset[:-1], at)) if x.data in own else x)
    return replace(m, spans=(*m.spans[:-1], Range(ZERO, const(width), ONE)), body=body)


def _together(nodes: Sequence[Node]) -> Sequence[Node]:
    """One node of each iteration: maps become one."""
    maps = [n for n in nodes if isinstance(n, Map)]
    if not maps:
        return nodes
    if is_straight(maps[0].body):
        inside = [x for n in maps for x in n.body.nodes]
    else:
        inside = [x for of in zip(*(n.body.nodes for n in maps), strict=True) for x in _together(of)]
    private = tuple(dict.fromkeys(x for n in maps for x in n.private))
    return [replace(maps[0], body=replace(maps[0].body, nodes=tuple(inside)), private=private)]
