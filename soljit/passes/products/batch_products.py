"""Take products of vectors and matrices out of a loop, all of them at once as one product of matrices.

    for i in range(n):                                    lib.matmul(outs=[P[0:n, 0:m]], ins=[X[0:n, 0:k], Y[0:k, 0:m]])
        lib.matmul(outs=[t[0:m]],                  →      for i in range(n):
                   ins=[X[i, 0:k], Y[0:k, 0:m]])              for e in map(range(m)): t[e] = P[i, e]
        …

    with map(i=range(n)):                                 lib.matmul(outs=[P[0:n, 0:m]], ins=[X[0:n, 0:k], Y[0:k, 0:m]])
        lib.matmul(outs=[P[i, 0:m]],               →
                   ins=[X[i, 0:k], Y[0:k, 0:m]])

Two products of vectors become one of a matrix and a vector, so that two loops around an inner product give a product of
matrices. If the second operand starts at the loop's variable (`Y[0:k, i:m]`), only the upper triangle is computed.

Proof: nothing in the loop writes the operands, and the result goes to an array that only this loop's iteration sees
anyway (a map's iterations are independent, and it has nothing but the product). An expression cannot fail, so computing it for an iteration that never comes does no harm.
It must come before expand_products. Fusion takes away the copies.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.cost.work import known
from soljit.analysis.memory.accesses import Aliases, aliases, effects
from soljit.analysis.memory.affine import affine, mentions, names_in
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Range, Sym
from soljit.ir.core.nodes import Alloc, LibraryNode, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, linear, sub
from soljit.ir.walk import FreshNames, rewrite
from soljit.passes.manager import Context


def batch_products(program: Program, cx: Context) -> Program:
    """Take products out of loops, inner loops first."""
    b = _Batcher(program, cx, aliases(program), dict(program.data), FreshNames(program))

    def fn(n: Node) -> Node | tuple[Node, ...] | None:
        return b.loop(n) if isinstance(n, Loop) else b.map(n) if isinstance(n, Map) else None

    body = rewrite(program.body, fn)
    return program if body is program.body else replace(program, body=body, data=b.data)


@dataclass(frozen=True)
class _Batch:
    """A product whose operand `moving` is row or column number `var` of a matrix; `from_var`: the other one's start."""

    node: LibraryNode
    moving: int
    dim: int
    from_var: bool


@dataclass
class _Batcher:
    program: Program
    cx: Context
    alias: Aliases
    data: dict[str, Data]
    _fresh: FreshNames

    def loop(self, loop: Loop) -> tuple[Node, ...] | None:
        """The products in front and the loop, or None if there are none to take."""
        if loop.span.step != ONE or not all(map(known, loop.span.children)) or effects(loop.body).leaves:
            return None
        before: list[Node] = []
        out: list[Node] = []
        for n in loop.body.nodes:
            batch = self._batch(loop, n) if isinstance(n, LibraryNode) else None
            if batch is None:
                out.append(n)
            else:
                out.append(self._take(loop, batch, before))
        if not before:
            return None
        self.cx.note(loop.loc, "products at once")
        return (*before, replace(loop, body=replace(loop.body, nodes=tuple(out))))

    def map(self, m: Map) -> Node | None:
        """The map without the dimension that the product takes over; None if there is none."""
        if len(m.body.nodes) != 1 or m.schedule:
            return None
        node = m.body.nodes[0]
        if not isinstance(node, LibraryNode) or node.op != "matmul" or len(node.ins) != 2 or node.attrs:
            return None
        for k in reversed(range(len(m.vars))):
            inner = [x for j, s in enumerate(m.spans) if j != k for x in s.children]
            if m.spans[k].step != ONE or any(m.vars[k] in names_in(x) for x in inner):
                continue
            whole = _as_matrix(node, m.vars[k], replace(m.spans[k], stop=self._not_negative(m.spans[k]).stop))
            if whole is None or any(
                m.vars[j] in names_in(x) for j in range(k + 1, len(m.vars)) for x in m.spans[k].children
            ):
                continue
            self.cx.note(m.loc, "rows at once")
            if len(m.vars) == 1:
                return whole
            vars_, spans = (*m.vars[:k], *m.vars[k + 1 :]), (*m.spans[:k], *m.spans[k + 1 :])
            return replace(m, vars=vars_, spans=spans, body=replace(m.body, nodes=(whole,)))
        return None

    # --- which --------------------------------------------------------------------------------------------------------

    def _batch(self, loop: Loop, n: LibraryNode) -> _Batch | None:
        if n.op != "matmul" or len(n.ins) != 2 or n.attrs or not self._invariant(loop, n):
            return None
        a, b = n.ins
        assert isinstance(a, Memlet) and isinstance(b, Memlet)
        out = n.outs[0]
        if self.data[out.data].dtype.name not in ("f32", "f64", "c64", "c128"):
            return None
        for k, (x, other) in enumerate(((a, b), (b, a))):
            dim = _row(x, loop.var)
            if len(x.dims) != 1 or dim is None or len(other.dims) not in (1, 2):
                continue
            moves = [s for s in other.subset if mentions(s, loop.var)]
            if not moves:
                return _Batch(n, k, dim, False)
            if len(other.dims) == 2 and self._upper(loop, other, k, moves):
                return _Batch(n, k, dim, True)
        return None

    def _upper(self, loop: Loop, other: Memlet, moving: int, moves: list[Expr | Range]) -> bool:
        """Tell whether the dimension of the result starts at the loop's variable and ends where the loop ends."""
        axis = other.dims[1] if moving == 0 else other.dims[0]
        s = other.subset[axis] if axis >= 0 else None
        if len(moves) != 1 or moves[0] is not s or not isinstance(s, Range) or s.step != ONE:
            return False
        start = affine(s.start, (loop.var,))
        if start is None or start.of(loop.var) != 1 or mentions(Range(s.stop, s.stop, ONE), loop.var):
            return False
        # the first row starts at span.start + d, the last one has one element: a square
        last = add(sub(loop.span.stop, ONE), start.rest.expr)
        return linear(sub(s.stop, last)) == linear(ONE)

    def _invariant(self, loop: Loop, n: LibraryNode) -> bool:
        """Tell whether the operands are the same in all iterations, and the result is of no interest to others."""
        e = effects(loop.body)
        operands = [m for m in n.ins if isinstance(m, Memlet)]
        if len(operands) != 2 or e.binds or e.python:
            return False
        for m in operands:
            if any(self.alias.may_alias(w.data, m.data) for w in e.writes) or m.data in e.allocs:
                return False
            inside = [x for s in m.subset for x in (s.children if isinstance(s, Range) else (s,))]
            if not all(known(x) and names_in(x).isdisjoint(e.defines) for x in inside):
                return False
        d = self.data.get(n.outs[0].data)
        return isinstance(d, Scalar) or n.outs[0].data in e.allocs

    # --- taking it out ------------------------------------------------------------------------------------------------

    def _take(self, loop: Loop, batch: _Batch, before: list[Node]) -> Node:
        n, span = batch.node, self._not_negative(loop.span)
        loop = replace(loop, span=span)
        moving, other = n.ins[batch.moving], n.ins[1 - batch.moving]
        assert isinstance(moving, Memlet) and isinstance(other, Memlet)
        matrix = _widened(moving, batch.dim, loop, batch.moving == 0)
        rows = sub(span.stop, span.start)
        table, dtype = self._fresh("products"), self.data[n.outs[0].data].dtype
        row = sub(Sym(loop.var), span.start)
        if len(other.dims) == 1:
            self.data[table] = Array(dtype, (rows,))
            before.append(Alloc(table, loc=n.loc))
            whole = Memlet(table, (Range(ZERO, rows, ONE),))
            before.append(replace(n, outs=(whole,), ins=_ordered(matrix, other, batch.moving)))
            return Tasklet(n.outs[0], Load(Memlet(table, (row,)), dtype), loc=n.loc)
        axis = other.dims[1] if batch.moving == 0 else other.dims[0]
        s = other.subset[axis]
        assert isinstance(s, Range)
        start = s.start
        if batch.from_var:
            form = affine(s.start, (loop.var,))
            assert form is not None
            start = add(span.start, form.rest.expr)
            wide = self._not_negative(Range(start, s.stop, ONE))
            subset = (*other.subset[:axis], wide, *other.subset[axis + 1 :])
            other = replace(other, subset=subset)
        wide = self._not_negative(Range(start, s.stop, ONE))
        columns = sub(wide.stop, wide.start)
        # the moving operand gives the rows of the table, also if it is the second one: its transpose is computed
        self.data[table] = Array(dtype, (rows, columns))
        before.append(Alloc(table, loc=n.loc))
        whole = Memlet(table, (Range(ZERO, rows, ONE), Range(ZERO, columns, ONE)))
        if batch.moving == 1:
            matrix, other = _transposed(matrix), _transposed(other)
        attrs = {"triangle": "upper"} if batch.from_var else {}
        before.append(replace(n, outs=(whole,), ins=(matrix, other), attrs=attrs))
        return self._row_of(n, table, row, sub(s.start, start))

    def _not_negative(self, span: Range) -> Range:
        """The range with an end that is not before its start."""
        return replace(span, stop=self.cx.facts(self.program).maximum(span.start, span.stop))

    def _row_of(self, n: LibraryNode, table: str, row: Expr, shift: Expr) -> Node:
        """The map that copies one row of the table to where the product went."""
        out = n.outs[0]
        dtype = self.data[out.data].dtype
        e = self._fresh("e")
        axis = out.dims[0]
        s = out.subset[axis]
        assert isinstance(s, Range)
        target = Memlet(out.data, (*out.subset[:axis], add(s.start, Sym(e)), *out.subset[axis + 1 :]))
        copy = Tasklet(target, Load(Memlet(table, (row, add(shift, Sym(e)))), dtype), loc=n.loc)
        return Map((e,), (Range(ZERO, sub(s.stop, s.start), ONE),), Region((copy,), loc=n.loc), loc=n.loc)


def _as_matrix(n: LibraryNode, var: str, span: Range) -> LibraryNode | None:
    """The product for all values of `var`, which numbers the rows of one operand and of the result."""
    a, b = n.ins
    out = n.outs[0]
    assert isinstance(a, Memlet) and isinstance(b, Memlet)
    if len(b.dims) == 1 and len(a.dims) == 2:  # A @ x for many x: x as rows, times A transposed
        a, b = b, _transposed(a)
    if len(b.dims) != 2 or any(mentions(s, var) for s in b.subset):
        return None
    rows, results = _rows(a, var, span), _rows(out, var, span)
    return None if rows is None or results is None else replace(n, ins=(rows, b), outs=(results,))


def _rows(m: Memlet, var: str, span: Range) -> Memlet | None:
    """A vector, or a matrix of one row, for all values of `var`."""
    if len(m.dims) == 2:
        first, last = m.dims
        if first >= 0:
            s = m.subset[first]
            assert isinstance(s, Range)
            if linear(sub(s.stop, s.start)) != linear(ONE):
                return None
            m = replace(m, subset=(*m.subset[:first], s.start, *m.subset[first + 1 :]))
        m = replace(m, axes=(last,))
    found = [k for k, s in enumerate(m.subset) if mentions(s, var)]
    if len(m.dims) != 1 or m.dims[0] < 0 or len(found) != 1:
        return None
    s = m.subset[found[0]]
    form = None if isinstance(s, Range) else affine(s, (var,))
    if form is None or form.of(var) != 1:
        return None
    wide = Range(add(span.start, form.rest.expr), add(span.stop, form.rest.expr), ONE)
    return Memlet(m.data, (*m.subset[: found[0]], wide, *m.subset[found[0] + 1 :]), (found[0], *m.dims))


def _row(m: Memlet, var: str) -> int | None:
    """The one dimension whose index is the variable plus something fixed; None if it is not so simple."""
    found = [k for k, s in enumerate(m.subset) if mentions(s, var)]
    if len(found) != 1 or any(axis < 0 for axis in m.dims):
        return None
    s = m.subset[found[0]]
    form = None if isinstance(s, Range) else affine(s, (var,))
    return found[0] if form is not None and form.of(var) == 1 else None


def _widened(m: Memlet, dim: int, loop: Loop, rows_first: bool) -> Memlet:
    """All values of the loop's variable in dimension `dim`: rows of a matrix, columns if it is the second operand."""
    s = m.subset[dim]
    assert isinstance(s, Expr)
    form = affine(s, (loop.var,))
    assert form is not None
    fixed = form.rest.expr
    wide = Range(add(loop.span.start, fixed), add(loop.span.stop, fixed), ONE)
    axes = (dim, *m.dims) if rows_first else (*m.dims, dim)
    return Memlet(m.data, (*m.subset[:dim], wide, *m.subset[dim + 1 :]), axes)


def _ordered(matrix: Memlet, other: Memlet, moving: int) -> tuple[Memlet, Memlet]:
    return (matrix, other) if moving == 0 else (other, matrix)


def _transposed(m: Memlet) -> Memlet:
    return replace(m, axes=(m.dims[1], m.dims[0]))
