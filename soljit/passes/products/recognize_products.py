"""Make library calls of loops that multiply matrices.

    for i, j, k in map(range(n), range(i + 1), range(m)):
        C[i, j] += alpha * A[i, k] * A[j, k]
                                                     →
    for i, k in map(range(n), range(m)): T[i, k] = alpha * A[i, k]
    lib.matmul(outs=[C[0:n, 0:n]], ins=[T[0:n, 0:m], A[0:n, 0:m].axes(1, 0), 1.0, 1.0], attrs={"triangle": "lower"})

One loop variable (the rows) occurs in the target and one factor, one (the columns) in the target and the other factor,
and one (the sum) in both factors. A factor that is no plain element becomes a temporary matrix, with the products that
the user wrote, so nothing but the order of the sum changes. A sum of such products becomes several calls. Columns may
run up to the row or from it on: then a triangle is written.

If the product stands in a map with other things, the map is split first (its iterations are independent).
Only outside of loops, where the matrices may be expected to be large. collapse_maps must come earlier.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from soljit.analysis.cost.work import known
from soljit.analysis.memory.accesses import aliases, effects
from soljit.analysis.memory.affine import affine, mentions, names_in
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Load, Memlet, Op, Range, Sym, const, subexpressions
from soljit.ir.core.nodes import Alloc, LibraryNode, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, linear, range_length, sub
from soljit.ir.walk import FreshNames, same
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice


def recognize_products(program: Program, cx: Context) -> Program:
    """Replace products of matrices among the outermost nodes of the program."""
    r = _Recognizer(program, cx, dict(program.data), FreshNames(program))
    nodes = [x for n in program.body.nodes for x in (r.map(n) if isinstance(n, Map) else (n,))]
    if same(nodes, program.body.nodes):
        return program
    return replace(program, body=replace(program.body, nodes=tuple(nodes)), data=r.data)


@dataclass(frozen=True)
class _Product:
    """Target[row, column] += left[row, sum] * right[sum, column], `sign` 1.0 or -1.0."""

    out: Memlet
    left: Expr
    right: Expr
    sign: float
    row: str
    column: str
    inner: str
    triangle: str


@dataclass
class _Recognizer:
    program: Program
    cx: Context
    data: dict[str, Data]
    _fresh: FreshNames

    def map(self, m: Map) -> tuple[Node, ...]:
        """What `m` becomes: itself, or calls and what is left of it."""
        if m.schedule or not all(known(x) for s in m.spans for x in s.children):
            return (m,)
        whole = self._calls(m)
        if whole is not None:
            return whole
        if not all(isinstance(n, Map) for n in m.body.nodes) or m.private or effects(m.body).allocs:
            return (m,)
        parts: list[Node] = []
        found = False
        for n in m.body.nodes:
            assert isinstance(n, Map)
            nest = replace(n, vars=m.vars + n.vars, spans=m.spans + n.spans, loc=n.loc)
            calls = self._calls(nest)
            found |= calls is not None
            parts += calls if calls is not None else (nest,)
        return tuple(parts) if found else (m,)

    def _calls(self, m: Map) -> tuple[Node, ...] | None:
        if len(m.vars) != 3 or len(m.body.nodes) != 1 or m.private:
            return None
        products = functools.cache(lambda: self._products(m))
        no_sum = "its body is no sum of products of elements of two matrices, into a third one"
        choice = self.cx.policy.decide("library", (m,), lambda: YES, lambda _: None if products() else no_sum)
        if not isinstance(choice, Choice):
            return None
        self.cx.note(m.loc, "product found")
        return tuple(n for p in products() for n in self._call(m, p))

    # --- which --------------------------------------------------------------------------------------------------------

    def _products(self, m: Map) -> list[_Product]:
        """The products that the map adds up; none if it does anything else."""
        t = m.body.nodes[0]
        if not isinstance(t, Tasklet) or t.out.wcr != "add" or t.code.dtype.name not in ("f32", "f64"):
            return []
        found = [self._product(m, t.out, term, sign) for term, sign in _terms(t.code, 1.0)]
        return [p for p in found if p is not None] if None not in found else []

    def _product(self, m: Map, out: Memlet, term: Expr, sign: float) -> _Product | None:
        if not (isinstance(term, Op) and term.name in ("mul", "scalar_mul")) or any(s.step != ONE for s in m.spans):
            return None
        spans = dict(zip(m.vars, m.spans))
        inner = [v for v in m.vars if not any(mentions(s, v) for s in out.subset)]
        if len(inner) != 1:
            return None
        k = inner[0]
        row, column = (v for v in m.vars if v != k)
        x, y = term.args
        if not (_uses(x, m.vars) == {row, k} and _uses(y, m.vars) == {column, k}):
            x, y = y, x
        if not (_uses(x, m.vars) == {row, k} and _uses(y, m.vars) == {column, k}):
            return None
        triangle = _triangle(row, column, spans)
        if triangle is None or any(mentions(spans[k], v) for v in (row, column)):
            return None
        plain = Memlet(out.data, out.subset)
        if _window(plain, (row, column), spans) is None or not self._apart(out, (x, y)):
            return None
        return _Product(plain, x, y, sign, row, column, k, triangle)

    def _apart(self, out: Memlet, factors: tuple[Expr, ...]) -> bool:
        """Tell whether the target is no operand, and the operands are arrays that nothing changes meanwhile."""
        alias = aliases(self.program)
        read = [x.memlet.data for f in factors for x in subexpressions(f) if isinstance(x, Load)]
        return isinstance(self.data.get(out.data), Array) and not any(alias.may_alias(out.data, r) for r in read)

    # --- the call -----------------------------------------------------------------------------------------------------

    def _call(self, m: Map, p: _Product) -> list[Node]:
        spans = dict(zip(m.vars, m.spans))
        if p.triangle:
            spans[p.row], spans[p.column] = _square(p, spans)
        spans = {v: self._not_negative(s) for v, s in spans.items()}
        nodes: list[Node] = []
        left = self._operand(m, p.left, (p.row, p.inner), spans, nodes)
        right = self._operand(m, p.right, (p.inner, p.column), spans, nodes)
        out = _window(p.out, (p.row, p.column), spans)
        assert out is not None
        t = self.data[p.out.data].dtype
        scales = (Const(p.sign, t), Const(1.0, t))
        attrs = {"triangle": p.triangle} if p.triangle else {}
        nodes.append(LibraryNode("matmul", (out,), (left, right, *scales), attrs, loc=m.loc))
        return nodes

    def _not_negative(self, span: Range) -> Range:
        """The range with an end that is not before its start."""
        return replace(span, stop=self.cx.facts(self.program).maximum(span.start, span.stop))

    def _operand(self, m: Map, e: Expr, names: tuple[str, str], spans: dict[str, Range], nodes: list[Node]) -> Memlet:
        """The matrix of a factor, computed into a temporary if it is no plain element of an array."""
        if isinstance(e, Load) and (found := _window(e.memlet, names, spans)) is not None:
            return found
        temporary = self._fresh("factor")
        lengths = tuple(range_length(spans[v]) for v in names)
        self.data[temporary] = Array(e.dtype, lengths)
        index = tuple(sub(Sym(v), spans[v].start) for v in names)
        body = Region((Tasklet(Memlet(temporary, index), e, loc=m.loc),), loc=m.loc)
        nodes += [Alloc(temporary, loc=m.loc), Map(names, tuple(spans[v] for v in names), body, loc=m.loc)]
        whole = tuple(Range(ZERO, sub(spans[v].stop, spans[v].start), ONE) for v in names)
        return Memlet(temporary, whole)


def _terms(code: Expr, sign: float) -> list[tuple[Expr, float]]:
    """The members of a sum with their signs; a sign inside a product is taken out, which changes no bit."""
    match code:
        case Op(name="add", args=(a, b)):
            return _terms(a, sign) + _terms(b, sign)
        case Op(name="sub", args=(a, b)):
            return _terms(a, sign) + _terms(b, -sign)
        case Op(name="neg", args=(a,)):
            return _terms(a, -sign)
        case _:
            return [(code, sign)]


def _uses(e: Expr, names: tuple[str, ...]) -> set[str]:
    return set(names_in(e)) & set(names)


def _window(m: Memlet, names: tuple[str, str], spans: dict[str, Range]) -> Memlet | None:
    """The operand whose element (a, b) is what `m` is for these values of the two variables."""
    subset: list[Expr | Range] = []
    axes: dict[str, int] = {}
    for k, s in enumerate(m.subset):
        if isinstance(s, Range):
            return None
        used = [v for v in names if mentions(s, v)]
        if not used:
            if any(isinstance(x, Load) for x in subexpressions(s)):
                return None
            subset.append(s)
            continue
        form = affine(s, names)
        if len(used) > 1 or used[0] in axes or form is None or form.of(used[0]) != 1:
            return None
        span, fixed = spans[used[0]], form.rest.expr
        axes[used[0]] = k
        subset.append(Range(add(span.start, fixed), add(span.stop, fixed), ONE))
    if len(axes) < 2:
        return None
    return Memlet(m.data, tuple(subset), tuple(axes[v] for v in names))


def _triangle(row: str, column: str, spans: dict[str, Range]) -> str | None:
    """ "" for a rectangle, "lower" or "upper" for columns up to (from) the row; None for any other shape."""
    rows, columns = spans[row], spans[column]
    if any(mentions(s, column) for s in (rows,)):
        return None
    if not mentions(columns, row):
        return ""
    start, stop = affine(columns.start, (row,)), affine(columns.stop, (row,))
    if start is None or stop is None or start.rest.terms or (stop.rest.terms and stop.of(row)):
        return None
    if start.of(row) == 0 and stop.of(row) == 1:
        skipped = linear(rows.start) - start.rest + stop.rest  # elements of the first row
        return "lower" if skipped.is_const and skipped.const in (0, 1) else None
    if start.of(row) == 1 and stop.of(row) == 0:
        last = stop.rest - (linear(rows.stop).shifted(-1) + start.rest)  # elements of the last row
        return "upper" if last.is_const and last.const in (0, 1) else None
    return None


def _square(p: _Product, spans: dict[str, Range]) -> tuple[Range, Range]:
    """Rows without an empty one at the point of the triangle, and columns from the first to the last."""
    rows, columns = spans[p.row], spans[p.column]
    start, stop = affine(columns.start, (p.row,)), affine(columns.stop, (p.row,))
    assert start is not None and stop is not None
    if p.triangle == "lower":
        empty = (linear(rows.start) - start.rest + stop.rest).const == 0
        rows = Range(add(rows.start, const(1)) if empty else rows.start, rows.stop, ONE)
        return rows, Range(columns.start, add(sub(rows.stop, ONE), stop.rest.expr), ONE)
    empty = (stop.rest - (linear(rows.stop).shifted(-1) + start.rest)).const == 0
    rows = Range(rows.start, sub(rows.stop, const(1)) if empty else rows.stop, ONE)
    return rows, Range(add(rows.start, start.rest.expr), columns.stop, ONE)
