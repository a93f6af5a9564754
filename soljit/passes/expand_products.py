"""Products with a vector become loops.

    lib.matmul(outs=[s], ins=[A[i, 0:k], x[0:k]])         →       s = 0.0
                                                                  for j in map(range(k)): s += A[i, j] * x[j]

Such a product reads each element of the matrix once, so that a loop is as fast as a library's routine; but a loop can
be fused with its neighbours, exchanged with the loops around it and given to threads. Products of two matrices stay
calls. The loops run in the order in which the matrix lies in memory.

A product of two one-dimensional arrays has nothing to gain, and stays a call with exactly NumPy's bits, unless a map in front
computes one of them and could be fused.

Needs no proof: the sum has the same terms, and sums may be reassociated. It must come before parallelize_loops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from soljit.analysis.accesses import names_written
from soljit.analysis.affine import element_stride
from soljit.ir.data import Data
from soljit.ir.expr import ONE, ZERO, Expr, Load, Memlet, Op, Range, Sym
from soljit.ir.nodes import LibraryNode, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, linear, mul, range_length, sub
from soljit.ir.tree import same
from soljit.ir.walk import fresh_name, names_taken, rewrite
from soljit.passes.fold_expressions import zero_of
from soljit.passes.manager import Context


def expand_products(program: Program, cx: Context) -> Program:
    """Replace products in which an operand is a vector."""
    taken: set[str] = set()

    def name(base: str) -> str:
        if not taken:
            taken.update(names_taken(program))
        new = fresh_name(base, taken)
        taken.add(new)
        return new

    def fn(n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, Region):
            nodes = in_order(n.nodes)
            return None if same(nodes, n.nodes) else replace(n, nodes=tuple(nodes))
        return None

    def in_order(nodes: Sequence[Node]) -> list[Node]:
        out: list[Node] = []
        computed: set[str] = set()
        for n in nodes:
            loops = product(n, computed)
            out.extend((n,) if loops is None else loops)
            if isinstance(n, Map):
                computed |= set(names_written(n))
        return out

    def product(n: Node, computed: set[str]) -> tuple[Node, ...] | None:
        if not isinstance(n, LibraryNode) or n.op != "matmul" or n.attrs or len(n.ins) != 2:
            return None
        dtype = program.data[n.outs[0].data].dtype
        if dtype.name == "f16":
            return None  # summed in single precision
        a, b = n.ins
        if not (isinstance(a, Memlet) and isinstance(b, Memlet)) or {len(a.dims), len(b.dims)} > {1, 2}:
            return None
        if len(a.dims) == 2 and len(b.dims) == 2:
            return None
        if dtype.kind in "fc" and len(a.subset) == len(b.subset) == 1 and computed.isdisjoint((a.data, b.data)):
            return None
        return _expanded(n, a, b, program.data, name("i"), name("k"))

    return rewrite(program, fn)


def _expanded(n: LibraryNode, a: Memlet, b: Memlet, data: Mapping[str, Data], i: str, k: str) -> tuple[Node, ...]:
    out = n.outs[0]
    dtype = data[out.data].dtype
    inner = operand_span(a, len(a.dims) - 1)
    matrix = a if len(a.dims) == 2 else b if len(b.dims) == 2 else None
    row, column = (Sym(i), Sym(k)), (Sym(k), Sym(i))
    x = at(a, row if len(a.dims) == 2 else (Sym(k),))
    y = at(b, column if len(b.dims) == 2 else (Sym(k),))
    target = out if matrix is None else at(out, (Sym(i),))
    product = Op("mul", (Load(x, data[x.data].dtype), Load(y, data[y.data].dtype)), dtype)
    if dtype.kind == "b":
        product = Op("land", product.args, dtype)
    body = Region((Tasklet(replace(target, wcr="lor" if dtype.kind == "b" else "add"), product, loc=n.loc),), loc=n.loc)
    first: Node = Tasklet(target, zero_of(dtype), loc=n.loc)
    if matrix is None:
        return first, Map((k,), (inner,), body, loc=n.loc)
    outer = operand_span(matrix, 0 if matrix is a else 1)
    start = Map((i,), (outer,), Region((first,), loc=n.loc), loc=n.loc)
    names, spans = ((i, k), (outer, inner)) if _by_rows(matrix, matrix is a, data) else ((k, i), (inner, outer))
    return start, Map(names, spans, body, loc=n.loc)


def _by_rows(matrix: Memlet, first: bool, data: Mapping[str, Data]) -> bool:
    """Does the dimension that is summed over lie closer together in memory than the other one?"""
    summed, kept = (matrix.dims[1], matrix.dims[0]) if first else (matrix.dims[0], matrix.dims[1])
    if summed < 0 or kept < 0:
        return True
    d = data.get(matrix.data)
    return element_stride(d, summed) <= element_stride(d, kept)


def operand_span(m: Memlet, dim: int) -> Range:
    """`range(length)` of a dimension of an operand."""
    axis = m.dims[dim]
    if axis < 0:
        return Range(ZERO, ONE, ONE)
    s = m.subset[axis]
    assert isinstance(s, Range)
    step = linear(s.step)
    if step.is_const and abs(step.const) == 1:
        return Range(ZERO, sub(s.stop, s.start) if step.const > 0 else sub(s.start, s.stop), ONE)
    return Range(ZERO, range_length(s), ONE)


def at(m: Memlet, index: tuple[Expr, ...]) -> Memlet:
    """The element of an operand at an index."""
    subset = list(m.subset)
    for axis, e in zip(m.dims, index):
        if axis >= 0:
            s = subset[axis]
            assert isinstance(s, Range)
            subset[axis] = add(s.start, mul(s.step, e))
    return Memlet(m.data, tuple(subset))
