"""Products with a vector become loops.

    lib.matmul(outs=[s], ins=[A[i, 0:k], x[0:k]])         →       s = 0.0
                                                                  for j in map(range(k)): s += A[i, j] * x[j]

The BLAS multiplies a matrix with a vector as fast as a loop can, with exactly NumPy's bits, so a product becomes loops only where they
have something to gain that a call has not:

* a map in front computes the matrix (or an operand, if both are vectors) and can be fused with them;
* an operand is another part of a matrix in each iteration of a loop: then the loops can be exchanged and given to threads;
* the matrix has a few elements, of known number: then a call costs more than the work;
* the BLAS does not know the type.

Where products have NumPy's bits (`Context.order_of`), vectors that are in memory anyway stay with the BLAS, and so do operands with a few elements, of known
number: `prepare_loops` writes them in the order in which the BLAS adds.

Matrices of one row or one column are vectors. Products of other matrices stay calls. The loops run in the order in which the matrix lies in memory.

Needs no proof: the sum has the same terms, and sums may be reassociated. It must come before parallelize_loops.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from soljit.analysis.memory.accesses import below, names_written
from soljit.analysis.memory.affine import element_stride, mentions
from soljit.analysis.memory.escaping import escaping
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Op, Range, Sym, subexpressions, zero_of
from soljit.ir.core.nodes import LibraryNode, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, linear, mul, range_length, sub
from soljit.ir.walk import FreshNames, rewrite, same, walk
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice

FEW = 64  # multiplications: up to so many, when the number is known, a call costs more than the work


def expand_products(program: Program, cx: Context) -> Program:
    """Replace products with a vector in which loops have something to gain."""
    name = FreshNames(program)
    variables = {
        v
        for n, _ in below(program.body)
        if isinstance(n, Map | Loop)
        for v in (n.vars if isinstance(n, Map) else (n.var,))
    }

    exact = cx.order_of is not None
    kept = _in_memory(program) if exact else set[str]()
    once = {id(n) for n in program.body.nodes}

    def fn(n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, Region):
            nodes = in_order(n.nodes)
            return None if same(nodes, n.nodes) else replace(n, nodes=tuple(nodes))
        return None

    def gains(found: tuple[LibraryNode, tuple[Memlet, Memlet]], n: Node, computed: set[str]) -> Choice | None:
        moving = variables if found[0] is n else set[str]()  # stacks of matrices are products at once
        made = computed - kept if _are_vectors(found[1]) else computed
        return YES if _gains(found[1], made, program, moving, exact) else None

    def in_order(nodes: Sequence[Node]) -> list[Node]:
        out: list[Node] = []
        computed: set[str] = set()
        for n in nodes:
            found = _with_vectors(n, program)
            if found and cx.policy.decide("loops", (n,), functools.partial(gains, found, n, computed), lambda _: None):
                out.extend(_expanded(found[0], *found[1], program.data, name("i"), name("k")))
            else:
                out.append(n)
                if found:
                    cx.note(n.loc, "product with vector")
            if isinstance(n, Map):
                computed |= names_written(n)
                kept.update(names_written(n) if exact and id(n) in once and _moves(n) else ())
        return out

    return rewrite(program, fn)


def _with_vectors(n: Node, program: Program) -> tuple[LibraryNode, tuple[Memlet, Memlet]] | None:
    """A product with a vector that loops may replace, with its operands; None for another node. Matrices of one row or column are vectors."""
    if not isinstance(n, LibraryNode) or n.op != "matmul" or n.attrs or len(n.ins) != 2:
        return None
    if program.data[n.outs[0].data].dtype.name == "f16":
        return None  # summed in single precision
    a, b = n.ins
    if not (isinstance(a, Memlet) and isinstance(b, Memlet)) or {len(a.dims), len(b.dims)} > {1, 2}:
        return None
    out = n.outs[0]
    if len(b.dims) == 2 and _is_one(b, 1):
        b, out = _narrowed(b, 1), _narrowed(out, len(out.dims) - 1)
    if len(a.dims) == 2 and _is_one(a, 0):
        a, out = _narrowed(a, 0), _narrowed(out, 0)
    if len(a.dims) == len(b.dims) == 2:
        return None
    return (n if out is n.outs[0] else replace(n, outs=(out,), ins=(a, b))), (a, b)


def _is_one(m: Memlet, dim: int) -> bool:
    """Tell whether a dimension has one element."""
    length = linear(range_length(operand_span(m, dim)))
    return length.is_const and length.const == 1


def _narrowed(m: Memlet, dim: int) -> Memlet:
    """The operand without a dimension of one element."""
    axis = m.dims[dim]
    subset = list(m.subset)
    if axis >= 0:
        s = subset[axis]
        assert isinstance(s, Range)
        subset[axis] = s.start
    return Memlet(m.data, tuple(subset), tuple(x for k, x in enumerate(m.dims) if k != dim))


def _gains(
    operands: tuple[Memlet, Memlet], computed: set[str], program: Program, variables: set[str], exact: bool
) -> bool:
    """Tell whether loops are better than a call."""
    a, b = operands
    if program.data[a.data].dtype.kind not in "fc":
        return True
    varies = any(mentions(s, v) for m in operands for s in m.subset for v in variables)
    vectors = len(a.dims) == len(b.dims) == 1
    matrix = a if len(a.dims) == 2 else b
    sizes = [linear(range_length(operand_span(matrix, k))) for k in range(len(matrix.dims))]
    few = all(x.is_const for x in sizes) and math.prod(x.const for x in sizes) <= FEW
    if few and (exact or not vectors):
        return not exact
    if vectors:
        return (varies and (len(a.subset) > 1 or len(b.subset) > 1)) or not computed.isdisjoint((a.data, b.data))
    return varies or matrix.data in computed


def _in_memory(program: Program) -> set[str]:
    """What is in memory whether a product of vectors becomes loops or not: others may hold it, or a call reads it."""
    calls = (n for n in walk(program.body) if isinstance(n, LibraryNode))
    read = (
        m for n in calls if (found := _with_vectors(n, program)) is None or not _are_vectors(found[1]) for m in n.ins
    )
    others = {name for name, d in program.data.items() if not (isinstance(d, Array) and d.transient)}
    return others | escaping(program, program.functions) | {m.data for m in read if isinstance(m, Memlet)}


def _are_vectors(operands: tuple[Memlet, Memlet]) -> bool:
    return all(len(m.dims) == 1 for m in operands)


def _moves(m: Map) -> bool:
    """Tell whether a map only moves elements from place to place. Where that happens once, loops could save little."""
    return all(isinstance(n, Tasklet) and _is_moved(n.code) for n in m.body.nodes)


def _is_moved(e: Expr) -> bool:
    e = e.args[0] if isinstance(e, Op) and e.name in ("conj", "real", "imag") else e
    return isinstance(e, Load) and not any(
        isinstance(x, Load) for s in e.memlet.subset if isinstance(s, Expr) for x in subexpressions(s)
    )


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
    """Tell whether the dimension that is summed over lies closer together in memory than the other one."""
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
