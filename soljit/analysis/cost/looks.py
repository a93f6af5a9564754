"""At which loops compiled code looks whether a signal has come, as by Ctrl-C, and what their iterations count for.

A function has a count of operations until it looks, some ten microseconds of them. Loops that go once over the elements of arrays only count as a whole: memory bounds how long they take. All
others take off what an iteration does, as `work` estimates it, and look when nothing is left: the loops over time, of searches, of what is nested more deeply than arrays have axes, and
every While, of which nobody knows how long it runs. What branches do counts where it is done, if it is more than a few steps.

What raises inside of a `try` has handlers there, which compiled code could not run for what a signal's handler raises: loops in it, and in functions called there, do not look.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType

from soljit.analysis.cost.work import middle_of, times, trips, work
from soljit.analysis.memory.affine import mentions
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Extent, Load, Memlet, Range, Stride, Sym, const, subexpressions
from soljit.ir.core.libraries import CALLS_BLAS
from soljit.ir.core.nodes import (
    Branch,
    Break,
    Call,
    Callback,
    Continue,
    Copy,
    LibraryNode,
    Loop,
    Map,
    Node,
    Program,
    Raise,
    Region,
    Return,
    While,
)
from soljit.ir.symbolic import add, linear, sub
from soljit.ir.walk import children_nodes, memlets_read, memlets_written, substitute, values, walk

_SMALL = 4096  # operations in all: such loops are steps of what is around them
_HEAVY = 64  # operations for an element of a nest beside which a count is nothing
_LONG = 512  # such operations of an iteration
_OUTER, _DEEPEST = 2, 4  # loops in each other that look; that look if their iterations are long
_MOST_PARTS = 40  # of an expression that says how much an iteration does
_BY_DATA, _BY_ARRAYS = 4, 64  # times as much work if lengths are loaded, or are those of arrays that only the run knows


@dataclass(frozen=True)
class Look:
    """work: of one iteration, without that of loops which look, over what is known in front of the loop. loc: what is interrupted."""

    work: Expr
    loc: Loc


@dataclass(frozen=True)
class Looks:
    """loops: by the id of the body, and the number of the loop in a map. arms: the work of arms of branches, by their ids."""

    loops: Mapping[tuple[int, int], Look] = field(default_factory=dict)
    arms: Mapping[int, Expr] = field(default_factory=dict)


def looks_of(program: Program) -> Looks:
    """The loops that look."""
    visitor = _Visitor()
    visitor.visit(program.body, 0, program.loc)
    return Looks(visitor.loops, visitor.arms)


def is_looking(loops: Collection[tuple[int, int]], n: Loop | While | Map) -> bool:
    """Tell whether a loop, or one of a map, is among these."""
    return any((id(n.body), k) in loops for k in range(len(n.vars) if isinstance(n, Map) else 1))


def called_in_try(programs: Collection[Program], reached: Callable[[str], Collection[str]]) -> frozenset[str]:
    """The functions that a `try` may call, directly or not: they do not look. reached: those that a function calls."""
    found: set[str] = set()
    for p in programs:
        for n in walk(p.body):
            if isinstance(n, Call) and n.loc.in_try:
                found.update((n.function, *reached(n.function)))
    return frozenset(found)


class _Visitor:
    def __init__(self) -> None:
        self.loops: dict[tuple[int, int], Look] = {}
        self.arms: dict[int, Expr] = {}

    def visit(self, node: Node, depth: int, around: Loc) -> None:
        """Find the loops in `node`, which `depth` loops hold."""
        loc = node.loc if node.loc.line else around
        match node:
            case Loop() | While() | Map() if node.loc.in_try:
                return
            case Loop() | Map() if _is_small(node):
                return
            case Loop() | Map():
                self._nest(node.body, _variables(node), _spans(node), depth, loc)
                last = node.schedule.count("threads") - 1 if isinstance(node, Map) else 0
                if isinstance(node, Map) and any(
                    (id(node.body), k) in self.loops for k in range(last)
                ):  # one loop goes over the iterations of all that are cut
                    self._look(node.body, node.vars, node.spans, last, loc)
            case While() if not _runs_once(node.body):
                self.visit(node.body, depth + 1, loc)
                self._mark(node.body)
                self.loops[id(node.body), 0] = Look(self._own(node.body), loc)
            case _:
                for n in children_nodes(node):
                    self.visit(n, depth, loc)

    def _nest(self, body: Region, variables: Sequence[str], spans: Sequence[Range], depth: int, loc: Loc) -> None:
        self.visit(body, depth + len(variables), loc)
        chains = [_uncut(variables[k:], spans[k:]) for k in range(len(variables))]
        if _is_pass(body, chains[0]):
            return
        before = dict(self.arms)
        self._mark(body)
        rest = self._rest(body)
        if depth and _is_pass(rest, chains[0]):  # a loop around it looks, and counts all that may be done here
            self.arms = before
            return
        owes = any(id(n) in self.arms for n in walk(body))  # what no loop around the arms has looked for
        for k in reversed(range(len(variables))):
            if depth + k < _DEEPEST and (not _is_pass(rest, chains[k]) or owes and depth + k == 0):
                self._look(body, variables, spans, k, loc, depth + k)

    def _look(
        self, body: Region, variables: Sequence[str], spans: Sequence[Range], k: int, loc: Loc, depth: int = 0
    ) -> None:
        """Loop `k` of a nest looks. What the loops in it do counts there if they look, too."""
        middle = {variables[k]: middle_of(spans[k], {})}
        counts = []
        looks = False
        for j in range(k + 1, len(variables)):
            looks = looks or (id(body), j) in self.loops
            counts.append(trips(spans[j], middle))
            middle[variables[j]] = middle_of(spans[j], middle)
        size = ONE if looks else times(*counts, self._own(body, middle))
        if depth < _OUTER or not isinstance(size, Const) or size.value.real >= _LONG:
            self.loops[id(body), k] = Look(size, loc)

    def _own(self, body: Region, middle: Mapping[str, Expr] = MappingProxyType({})) -> Expr:
        rest = self._rest(body)
        return _bounded(work(rest, middle), rest)

    def _mark(self, body: Region) -> None:
        """Arms of branches of an iteration that are not short count when they are run."""
        for n in body.nodes:
            if isinstance(n, (Region, Branch)) or isinstance(n, While) and _runs_once(n.body):
                for arm in children_nodes(n):
                    assert isinstance(arm, Region)
                    self._mark(arm)
                    size = self._own(arm)
                    if isinstance(n, Branch) and (not isinstance(size, Const) or size.value.real >= _HEAVY):
                        self.arms[id(arm)] = size

    def _rest(self, node: Region) -> Region:
        """What is done in a region without the loops that look, and without arms that do."""
        kept: list[Node] = []
        for n in () if id(node) in self.arms else node.nodes:
            match n:
                case Region():
                    kept.append(self._rest(n))
                case Loop() | Map() | While() if is_looking(self.loops, n):
                    pass
                case While() if _runs_once(n.body):
                    kept.append(self._rest(n.body))
                case Loop() | Map():
                    kept.append(replace(n, body=self._rest(n.body)))
                case Branch():
                    kept.append(replace(n, then=self._rest(n.then), orelse=self._rest(n.orelse)))
                case _:
                    kept.append(n)
        return Region(tuple(kept))


def _variables(n: Loop | Map) -> tuple[str, ...]:
    return n.vars if isinstance(n, Map) else (n.var,)


def _spans(n: Loop | Map) -> tuple[Range, ...]:
    return n.spans if isinstance(n, Map) else (n.span,)


def _is_small(n: Loop | Map) -> bool:
    outer = [s for s in _spans(n) if not any(mentions(s, v) for v in _variables(n))]
    if not all(isinstance(trips(s, {}), Const) for s in outer):
        return False  # a length that only the run knows: no need to multiply it by all that is done inside
    size = work(n)
    if not isinstance(size, Const) or size.value.real >= _SMALL:
        return False
    return not any(isinstance(x, (While, Call, Callback, LibraryNode)) or _unknown(x) > 1 for x in walk(n))


def _runs_once(body: Region) -> bool:
    """Tell whether a While is no loop: a `try`, or what a return leaves."""
    return bool(body.nodes) and isinstance(body.nodes[-1], (Break, Return, Raise)) and not goes_on(body)


def goes_on(node: Node) -> bool:
    """Tell whether the body of a loop has a `continue` of it."""
    if isinstance(node, Continue):
        return True
    return isinstance(node, (Region, Branch)) and any(map(goes_on, children_nodes(node)))


# --- passes over memory ---------------------------------------------------------------------------------------------------


def _is_pass(body: Region, variables: frozenset[str]) -> bool:
    """Tell whether loops with these variables go over the elements of arrays: their iterations, and those of the loops in them, are not more than elements,
    and do little each."""
    whole = [n for n in body.nodes if isinstance(n, Copy) or isinstance(n, LibraryNode) and n.op not in CALLS_BLAS]
    if any(isinstance(n, (Call, Callback, LibraryNode, Copy)) and n not in whole for n in walk(body)):
        return False
    if any(isinstance(n, While) and not _runs_once(n.body) for n in walk(body)):
        return False
    inner = list(_loops(body))
    if inner:
        return all(_is_pass(n.body, _uncut((*variables, *_variables(n)), _spans(n))) for n in inner)
    size = work(Region(tuple(n for n in body.nodes if n not in whole)))
    light = isinstance(size, Const) and size.value.real < (_HEAVY if len(variables) > 1 else _LONG)
    return light and any(_moves(m, variables) for n in walk(body) for m in (*memlets_read(n), *memlets_written(n)))


def _uncut(variables: Sequence[str], spans: Sequence[Range]) -> frozenset[str]:
    """These variables without those of loops that hold a piece of one of these ranges in each iteration: all together go over the range once."""
    return frozenset(v for v in variables if not any(_ends_where_the_next_begins(s, v) for s in spans))


def _ends_where_the_next_begins(s: Range, v: str) -> bool:
    start = substitute(s.start, {v: add(Sym(v), ONE)})
    return start is not s.start and sub(start, s.stop) == ZERO


def _loops(node: Node) -> Iterator[Loop | Map]:
    """The outermost loops below, without small ones."""
    for n in children_nodes(node):
        if isinstance(n, (Loop, Map)) and not _is_small(n):
            yield n
        elif not isinstance(n, (Loop, Map)):
            yield from _loops(n)


def _moves(m: Memlet, variables: frozenset[str]) -> bool:
    """Tell whether other values of these variables are other elements: each stands alone in a subscript."""
    alone = set()
    for s in m.subset:
        if not isinstance(s, Range):
            found = {x.name for x, _ in linear(s).terms if isinstance(x, Sym) and x.name in variables}
            alone |= found if len(found) == 1 else set()
    return alone == variables


# --- how much an iteration does -------------------------------------------------------------------------------------------


def _bounded(size: Expr, body: Region) -> Expr:
    """An estimate that is not too long to be written down, and higher where lengths are not known in front."""
    factor = max((_unknown(n) for n in walk(body)), default=1)
    if sum(1 for _ in subexpressions(size)) > _MOST_PARTS:
        size = const(1 << 10)
    return times(size, const(factor)) if factor > 1 else size


def _unknown(n: Node) -> int:
    spans: Sequence[Range] = ()
    if isinstance(n, (Loop, Map)):
        spans = _spans(n)
    elif isinstance(n, (LibraryNode, Copy)):
        spans = [s for m in values(n) if isinstance(m, Memlet) for s in m.subset if isinstance(s, Range)]
    parts = [x for s in spans for e in s.children for x in subexpressions(e)]
    if any(isinstance(x, (Extent, Stride)) for x in parts):
        return _BY_ARRAYS
    return _BY_DATA if any(isinstance(x, Load) for x in parts) else 1
