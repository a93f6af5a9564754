"""The parts of a loop that updates rows of an array by one of them, as far as the text tells: `PartFinder(…).steps(nodes)`.

What parts are, and what makes it right to delay them, is `analysis/reordering/panels.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from soljit.analysis.loops.affine_region import region_of
from soljit.analysis.memory.accesses import Aliases, effects
from soljit.analysis.memory.affine import affine
from soljit.base.place import NOWHERE, Loc
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array
from soljit.ir.core.expr import ONE, Expr, Memlet, Op, Range, Sym, loads
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import difference, maximum, minimum, simplify
from soljit.ir.walk import rewrite_expr, substitute, substitute_in, walk


@dataclass(frozen=True)
class Sweep:
    """Elements of the row get new values, each from itself: `out = value`, for `var` in `span`. column: of the element that is written

    in_order: behind column k it reads the element of that column as it has left it
    """

    out: Memlet
    var: str
    span: Range
    column: Expr
    value: Expr
    in_order: bool = False
    loc: Loc = NOWHERE


Item = Let | Tasklet | Sweep


@dataclass(frozen=True)
class Part:
    """A loop over rows, or two, the second of which takes what the first one passes on.

    nodes, walkers: as it stands there, and the variables that walk the rows; span, row: of the first one
    items:          what it does for the row
    in_order:       rows behind row k read it as the part has left it
    """

    nodes: tuple[Map | Loop, ...]
    walkers: tuple[str, ...]
    span: Range
    row: Expr
    items: tuple[Item, ...]
    in_order: bool = False

    @property
    def var(self) -> str:
        """The variable that `span` and `row` are about."""
        return self.walkers[0]

    @property
    def sweeps(self) -> tuple[Sweep, ...]:
        return tuple(x for x in self.items if isinstance(x, Sweep))


@dataclass
class PartFinder:
    """Finds the parts, and in which dimension of each array its rows follow each other."""

    program: Program
    alias: Aliases
    k: str
    written: frozenset[str]
    changing: frozenset[str]  # symbols that the loop defines
    index: Mapping[str, Expr]  # of those, what each is made of, for index expressions in front of parts
    rows: dict[str, int] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    passing: set[str] = field(default_factory=set)  # arrays that sweeps fill, each read in one place

    def steps(self, nodes: Sequence[Node]) -> list[Node | Part] | Said:
        """Nests come first: they tell which arrays have rows."""
        out: dict[int, Node | Part] = {}
        reason: Said | None = None
        for n in sorted(range(len(nodes)), key=lambda n: not _is_nest(nodes[n])):
            node = nodes[n]
            found = self._part(node) if isinstance(node, Map | Loop) else node
            if isinstance(found, Said):
                reason = reason or (found if _is_nest(node) else None)
            out[n] = node if isinstance(found, Said) else found
        steps = self._merged([out[n] for n in range(len(nodes))])
        if any(x.sweeps for x in steps if isinstance(x, Part)):
            return steps
        return reason or said("no panels")

    # --- one part -----------------------------------------------------------------------------------------------------

    def _part(self, node: Map | Loop) -> Part | Said:
        inner = substitute_in(node, self.index) if self.index else node
        reason: Said | None = None
        for var in inner.vars if isinstance(inner, Map) else (inner.var,):
            known = dict(self.rows), set(self.given), set(self.passing)
            found = self._along(inner, var)
            if isinstance(found, Part):
                return replace(found, nodes=(node,))
            self.rows, self.given, self.passing = known
            reason = reason or found
        return reason or said("no panels")

    def _along(self, node: Map | Loop, var: str) -> Part | Said:
        """The node as a part whose rows `var` walks."""
        body, span = node.body, node.span if isinstance(node, Loop) else node.spans[node.vars.index(var)]
        if isinstance(node, Map) and len(node.vars) == 2:
            other = 1 - node.vars.index(var)
            inner = Map((node.vars[other],), (node.spans[other],), body, loc=node.loc)
            body = Region((inner,), loc=node.loc)
        elif isinstance(node, Map) and len(node.vars) > 2:
            return said("no panels")
        if isinstance(node, Loop):
            body, span = _unconditional(body, span, var, self.k)
        row = self._row(body, var, _is_nest(node))
        if row is None or span.step != ONE:
            return said("no panels")
        items: list[Item] = []
        index = region_of(body).lets
        for n in body.nodes:
            item = self._item(n, row, index)
            if isinstance(item, Said):
                return item
            items += item
        joined = self._joined(items)
        if len(joined) < len(items):
            for x in joined:
                reason = self._why_not_read(x.value, row, x.out) if isinstance(x, Sweep) else None
                if reason is not None:
                    return reason
        return Part((node,), (var,), span, row, tuple(joined), isinstance(node, Loop))

    def _row(self, body: Region, var: str, nest: bool) -> Expr | None:
        """The row of an iteration: where it touches arrays that are known to have rows, or, in a nest, where it writes."""
        lets = region_of(body).lets
        row: Expr | None = None
        accesses = [a for a in effects(body).accesses if a.data in self.written - self.passing]
        for a in sorted(accesses, key=lambda a: a.data not in self.rows):
            if a.data in self.rows or (nest and a.write):
                for d in [self.rows[a.data]] if a.data in self.rows else range(len(a.subset)):
                    s = a.subset[d] if a.subset else None
                    if isinstance(s, Expr) and _walks(substitute(s, lets), var):
                        row = row or simplify(substitute(s, lets))
                        if a.write and difference(substitute(s, lets), row) == 0:
                            self.rows.setdefault(a.data, d)
        return row

    def _item(self, n: Node, row: Expr, index: Mapping[str, Expr]) -> list[Item] | Said:
        match n:
            case Let():
                value = substitute(n.value, index)
                return [] if n.name in index else self._why_not_read(value, row) or [replace(n, value=value)]
            case Tasklet():
                out, code = substitute(n.out, index), substitute(n.code, index)
                reason = self._why_not_write(out, row) or self._why_not_read(code, row)
                return reason or [replace(n, out=out, code=code)]
            case Map() | Loop():
                return self._sweep(n, row, index)
            case Alloc():
                return [] if self._is_passing(n.data) else said("by the pivot", name=n.data)
            case _:
                return said("no panels")

    def _sweep(self, n: Map | Loop, row: Expr, index: Mapping[str, Expr]) -> list[Item] | Said:
        names, spans = (n.vars, n.spans) if isinstance(n, Map) else ((n.var,), (n.span,))
        *lets, last = n.body.nodes
        if len(names) != 1 or spans[0].step != ONE or not isinstance(last, Tasklet):
            return said("no panels")
        if self.program.data[last.out.data].dtype != last.code.dtype:
            return said("no panels")
        whole = dict(index)
        for x in lets:
            if not isinstance(x, Let):
                return said("no panels")
            whole[x.name] = substitute(x.value, whole)
        out, value = substitute(last.out, whole), substitute(last.code, whole)
        if len(out.subset) == 1 and self._is_passing(out.data):
            column: Expr | Range | None = out.subset[0]
        else:
            dim = self._dim(out, row) if len(out.subset) == 2 else None
            column = None if dim is None else out.subset[1 - dim]
        if not isinstance(column, Expr) or not _walks(column, names[0]):
            return said("by the pivot", name=out.data)
        reason = None
        if self._is_passing(out.data):
            self.passing.add(out.data)  # what it reads is asked for the sweep that takes it
        else:
            reason = self._why_not_read(value, row, out)
        return reason or [
            Sweep(out, names[0], substitute(spans[0], index), column, value, isinstance(n, Loop), last.loc)
        ]

    # --- accesses -----------------------------------------------------------------------------------------------------

    def _dim(self, m: Memlet, row: Expr) -> int | None:
        """The dimension of rows, if the access is to this row."""
        if len(m.subset) > 2 or m.data in self.given:
            return None
        for d in [self.rows[m.data]] if m.data in self.rows else range(len(m.subset)):
            s = m.subset[d]
            if isinstance(s, Expr) and difference(s, row) == 0:
                self.rows[m.data] = d
                return d
        return None

    def _why_not_write(self, m: Memlet, row: Expr) -> Said | None:
        dim = self._dim(m, row)
        if dim is None or (len(m.subset) == 2 and not self.is_k(m.subset[1 - dim])):
            return said("by the pivot", name=m.data)
        return None

    def _why_not_read(self, value: Expr, row: Expr, own: Memlet | None = None) -> Said | None:
        """own: the element that a sweep writes"""
        for x in loads(value):
            m = x.memlet
            if m.data not in self.written or m == own or m.data in self.passing:
                continue
            if any(isinstance(s, Range) for s in m.subset) or not m.subset:
                return said("by the pivot", name=m.data)
            if m.data in self.rows and self.is_k(m.subset[self.rows[m.data]]):
                continue
            dim = self._dim(m, row)
            if dim is None:
                if m.data in self.rows or len(m.subset) != 1:
                    return said("by the pivot", name=m.data)
                self.given.add(m.data)
            elif len(m.subset) == 2 and not self.is_k(m.subset[1 - dim]) and not _same(m, own):
                return said("by the pivot", name=m.data)
        return None

    def is_k(self, s: Expr | Range) -> bool:
        """Tell whether the index is that of the step."""
        return isinstance(s, Expr) and difference(s, Sym(self.k)) == 0

    # --- arrays on the way --------------------------------------------------------------------------------------------

    def _is_passing(self, name: str) -> bool:
        """Tell whether this is an array that only the program sees, written in one place and read in one."""
        d = self.program.data.get(name)
        if not isinstance(d, Array) or not d.transient:
            return False
        accesses = effects(self.program.body).accesses
        touching = [a for a in accesses if self.alias.may_alias(a.data, name) and (a.subset or not a.write)]
        return all(a.data == name for a in touching) and sorted(a.write for a in touching) == [False, True]

    def _merged(self, steps: Sequence[Node | Part]) -> list[Node | Part]:
        """Sweeps of all rows into an array and from there to another one are one sweep."""
        out: list[Node | Part] = []
        for x in steps:
            last = out[-1] if out else None
            joined = self._both(last, x) if isinstance(last, Part) and isinstance(x, Part) else None
            if joined is not None:
                out.pop()
            out.append(joined or x)
        return out

    def _both(self, a: Part, b: Part) -> Part | None:
        if len(a.items) != 1 or len(b.items) != 1 or a.in_order or b.in_order:
            return None
        names = {b.var: Sym(a.var)}
        (second,) = b.items
        if not isinstance(second, Sweep) or not _equal(substitute(b.span, names), a.span):
            return None
        out, value = substitute(second.out, names), substitute(second.value, names)
        second = replace(second, out=out, value=value, column=substitute(second.column, names))
        joined = self._joined((*a.items, second))
        row, only = simplify(substitute(b.row, names)), joined[0]
        if len(joined) > 1 or not isinstance(only, Sweep) or self._why_not_read(only.value, row, out) is not None:
            return None
        return Part((*a.nodes, *b.nodes), (*a.walkers, *b.walkers), a.span, row, tuple(joined))

    def _joined(self, items: Sequence[Item]) -> list[Item]:
        """Sweeps into an array that is only passed on, and from there to another one, are one sweep: all elements are read before one is written."""
        out: list[Item] = []
        for x in items:
            last = out[-1] if out else None
            if isinstance(x, Sweep) and isinstance(last, Sweep) and last.out.data in self.passing:
                names = {last.var: Sym(x.var)}
                read = {y for y in loads(x.value) if y.memlet.data == last.out.data}
                there = substitute(last.out, names)
                plain = not last.in_order and not x.in_order and _equal(substitute(last.span, names), x.span)
                if plain and len(read) == 1 and all(_same(y.memlet, there) for y in read):
                    what, by = read.pop(), substitute(last.value, names)
                    out[-1] = replace(x, value=_replaced(x.value, what, by))
                    continue
            out.append(x)
        return out


def _is_nest(n: Node) -> bool:
    inner = isinstance(n, Map | Loop) and any(isinstance(x, Map | Loop) for x in walk(n.body))
    return inner or (isinstance(n, Map) and len(n.vars) > 1)


def _unconditional(body: Region, span: Range, var: str, k: str) -> tuple[Region, Range]:
    """What a loop does for rows other than row k, and for which rows, if its body is one condition on the row's number."""
    match body.nodes:
        case (Branch(cond=Op(name="ne", args=(Sym(name=a), Sym(name=b))), then=then, orelse=Region(nodes=())),):
            return (then, span) if {a, b} == {var, k} else (body, span)
        case (Branch(cond=Op(name="lt", args=(Sym(name=a), Sym(name=b))), then=then, orelse=Region(nodes=())),):
            if (a, b) == (k, var):
                return then, replace(span, start=maximum(span.start, Sym(k)))
            if (a, b) == (var, k):
                return then, replace(span, stop=minimum(span.stop, Sym(k)))
    return body, span


def _walks(e: Expr, var: str) -> bool:
    form = affine(e, (var,))
    return form is not None and form.of(var) == 1


def _equal(a: Range, b: Range) -> bool:
    return all(difference(x, y) == 0 for x, y in zip(a.children, b.children))


def _same(a: Memlet, b: Memlet | None) -> bool:
    """Tell whether these are the same element."""
    if b is None or a.data != b.data or len(a.subset) != len(b.subset):
        return False
    pairs = zip(a.subset, b.subset)
    return all(isinstance(x, Expr) and isinstance(y, Expr) and difference(x, y) == 0 for x, y in pairs)


def _replaced(e: Expr, what: Expr, by: Expr) -> Expr:
    return rewrite_expr(e, lambda x: by if x == what else None)
