"""Compute a function of few integers once for each of them, where a nest of loops asks for it again and again.

    for i in range(n):                              if there are many more iterations than values of j - i:
        for j in range(m):                              alloc(table)
            A[i, j] = f(x, f64(j - i))          →       for k in map(range(n + m - 1)): table[k] = f(x, f64(k - n + 1))
                                                        for i in range(n):
                                                            for j in range(m):
                                                                A[i, j] = table[j - i + n - 1]
                                                    else: as before

Only functions of the C library, which are called for one number at a time and cost a hundred times as much as a load; the
others are vector code. The text of the nest is there twice, so it must be short.

Proof: the operation is pure and total; it reads, besides what no iteration changes, one sum of loop variables with constant
factors, which lies between its values at the ends of the loops (from the inside out: each end is a sum of outer variables
again). So the table holds exactly what the nest would compute. What stands behind a condition is not looked at, nor nests that may be left
early, since they may never ask for it. canonicalize must come earlier, so that sums of loop variables stand where they are used, and privatize_sums and schedule_maps later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from soljit.analysis.cost.work import known, times, work
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import affine, names_in
from soljit.base.records import dataclass
from soljit.base.sentences import Plain
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import (
    ONE,
    ZERO,
    Cast,
    Const,
    Expr,
    Load,
    Memlet,
    Op,
    Range,
    Sym,
    const,
    is_const,
    subexpressions,
)
from soljit.ir.core.nodes import (
    Alloc,
    Branch,
    Break,
    Continue,
    Let,
    Loop,
    Map,
    Node,
    Program,
    Region,
    Return,
    Tasklet,
    While,
)
from soljit.ir.core.ops import LIBM
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, conj, is_index, le, linear, sub
from soljit.ir.walk import FreshNames, map_exprs, on_regions, same, substitute, values, walk
from soljit.passes.manager import Context

_TIMES = 5  # what a value costs, for each value in the table: so much must the nest have to do
_LONGEST = 60  # nodes of a nest that is there twice
_Loops = tuple[tuple[str, Range], ...]


@dataclass(frozen=True, slots=True)
class _Use:
    """`asked` is `value`, a function of the sum `index`, which lies between `first` and `last`, both known in front of the nest."""

    asked: Op
    value: Expr
    index: Expr
    first: Expr
    last: Expr


def tabulate_functions(program: Program, cx: Context) -> Program:
    """Make tables for the outermost nests that are worth it."""
    t = _Tables(program, cx, dict(program.data), FreshNames(program))
    body = t.region(program.body)
    return program if body is program.body else replace(program, body=body, data=t.data)


@dataclass
class _Tables:
    program: Program
    cx: Context
    data: dict[str, Data]
    _fresh: FreshNames

    def region(self, region: Region) -> Region:
        """Look at the nests of a region, from the outside in."""
        out: list[Node] = []
        for n in region.nodes:
            new = self.nest(n) if isinstance(n, (Loop, Map)) else None
            if new is not None:
                out += new
            else:
                out.append(n if isinstance(n, Map) else on_regions(n, self.region))
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def nest(self, nest: Loop | Map) -> tuple[Node, ...] | None:
        """The nest with tables in front of it, or None if it has no use for them."""
        e = effects(nest)
        inside = list(walk(nest))
        if e.python or e.allocs or e.binds or len(inside) > _LONGEST:
            return None
        if any(isinstance(n, (Break, Continue, Return, While)) for n in inside):
            return None
        uses = {u.asked: u for u in _uses(nest, frozenset(e.defines))}
        total = work(nest)
        if not uses or not known(total) or not names_in(total).isdisjoint(e.defines):
            return None
        before: list[Node] = []
        fill: list[Node] = []
        enough: list[Expr] = []
        loads: dict[Expr, Expr] = {}
        for u in uses.values():
            name, size = self._fresh("table"), self._fresh("size")
            before.append(Let(size, add(sub(u.last, u.first), ONE), loc=nest.loc))
            enough += [le(ONE, Sym(size)), le(times(const(_TIMES * self.cx.machine.function), Sym(size)), total)]
            self.data[name] = Array(u.value.dtype, (Sym(size),))
            k = self._fresh("k")
            one = _with(u.value, {u.index: add(Sym(k), u.first)})
            row = Region((Tasklet(Memlet(name, (Sym(k),)), one, loc=nest.loc),), loc=nest.loc)
            fill += [Alloc(name, loc=nest.loc), Map((k,), (Range(ZERO, Sym(size), ONE),), row, loc=nest.loc)]
            loads[u.asked] = Load(Memlet(name, (sub(u.index, u.first),)), u.value.dtype)
        names = sorted({LIBM[x.name] for x in uses})
        self.cx.note(nest.loc, "tabulated", functions=Plain(", ".join(names)))
        looked_up = map_exprs(nest, loads.get)
        choice = Branch(
            conj(*enough), Region((*fill, looked_up), loc=nest.loc), Region((nest,), loc=nest.loc), loc=nest.loc
        )
        return (*before, choice)


def _with(e: Expr, what: Mapping[Expr, Expr]) -> Expr:
    """The expression with parts of it replaced, the outermost ones first."""
    if e in what:
        return what[e]
    match e:
        case Op():
            return replace(e, args=tuple(_with(a, what) for a in e.args))
        case Cast():
            return replace(e, arg=_with(e.arg, what))
    return e


def _uses(
    node: Loop | Map, inside: frozenset[str], loops: _Loops = (), lets: Mapping[str, Expr] = {}
) -> Iterator[_Use]:
    """The functions that every iteration of at least two loops inside each other computes of a sum of their variables."""
    loops += ((node.var, node.span),) if isinstance(node, Loop) else tuple(zip(node.vars, node.spans))
    known = dict(lets)
    for n in node.body.nodes:
        if isinstance(n, (Loop, Map)):
            yield from _uses(n, inside, loops, known)
        elif isinstance(n, (Let, Tasklet)) and len(loops) > 1:
            for v in values(n):
                for x in subexpressions(v) if isinstance(v, Expr) else ():
                    if isinstance(x, Op) and x.name in LIBM and (found := _use(x, loops, inside, known)) is not None:
                        yield found
        if isinstance(n, Let):
            known[n.name] = substitute(n.value, known)


def _use(asked: Op, loops: _Loops, inside: frozenset[str], lets: Mapping[str, Expr]) -> _Use | None:
    value = substitute(asked, lets)
    sums = dict.fromkeys(_sums(value, inside))
    if len(sums) != 1 or any(isinstance(x, Load) for x in subexpressions(value)):
        return None
    (index,) = sums
    others = _with(value, {index: ZERO})
    first, last = _end(index, loops, False), _end(index, loops, True)
    if first is None or last is None:
        return None
    if any(not names_in(x).isdisjoint(inside) or not known(x) for x in (others, first, last)):
        return None
    return _Use(asked, value, index, first, last)


def _sums(e: Expr, inside: frozenset[str]) -> Iterator[Expr]:
    """The largest integer parts that mention what is defined in the nest."""
    if e.dtype is i64 and is_index(e) and not isinstance(e, Const):
        if not names_in(e).isdisjoint(inside):
            yield e
        return
    for c in e.children:
        yield from _sums(c, inside)


def _end(index: Expr, loops: _Loops, largest: bool) -> Expr | None:
    """The smallest or largest value of a sum of loop variables with constant factors, or a number beyond it."""
    for var, span in reversed(loops):
        form = affine(index, (var,))
        if form is None or not (is_const(span.step, 1) or is_const(span.step, -1)):
            return None
        factor = form.of(var)
        upwards = is_const(span.step, 1)
        if factor:
            least = span.start if upwards else add(span.stop, ONE)
            most = sub(span.stop, ONE) if upwards else span.start
            index = (
                linear(substitute(index, {var: ZERO}))
                + linear(most if (factor > 0) == largest else least).scaled(factor)
            ).expr
    return index
