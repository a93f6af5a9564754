"""Write products of matrices and vectors as maps, for devices without a library of their own.

    lib.matmul(outs=[C[0:n, 0:m]],                   for i, j in map(range(n), range(m)), private(s):
               ins=[A[0:n, 0:k], B[0:k, 0:m]])  →        s = 0.0
                                                         for l in range(k): s = s + A[i, l] * B[l, j]
                                                         C[i, j] = s

A thread adds up one element in the order of the inner dimension, in the type of the operands (halves in single precision), which is as accurate as a
BLAS. The inner product of two vectors becomes a sum over a map, which `split_sums` gives to many threads. A call in the middle of
a program would cost transfers of all its operands.

Needs no proof: it is what the library computes, in another order. It must come before split_sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from soljit.ir.data import Data, Scalar
from soljit.ir.expr import Cast, Expr, Load, Memlet, Op, Sym
from soljit.ir.nodes import Branch, LibraryNode, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import le
from soljit.ir.tree import rewrite
from soljit.ir.types import DType, f16, f32
from soljit.ir.walk import FreshNames
from soljit.passes.expand_products import at, operand_span
from soljit.passes.fold_expressions import zero_of
from soljit.passes.manager import Context


def write_out_products(program: Program, cx: Context) -> Program:
    """Replace all products by maps."""
    data, name = dict(program.data), FreshNames(program)

    def fn(n: Node) -> Node | tuple[Node, ...] | None:
        if isinstance(n, LibraryNode) and n.op in ("matmul", "ger"):
            cx.note(n.loc, "a product is computed by loops")
            return _outer(n, data, name) if n.op == "ger" else _product(n, data, name)
        return None

    body = rewrite(program.body, fn)
    return program if body is program.body else replace(program, body=body, data=data)


def _outer(n: LibraryNode, data: dict[str, Data], name: Callable[[str], str]) -> Map:
    """out[i, j] += alpha * x[i] * y[j]"""
    (out,), (alpha, x, y) = n.outs, n.ins
    assert isinstance(alpha, Expr) and isinstance(x, Memlet) and isinstance(y, Memlet)
    t, i, j = data[out.data].dtype, name("i"), name("j")
    value = Op("mul", (Op("mul", (alpha, _load(x, (Sym(i),), data)), t), _load(y, (Sym(j),), data)), t)
    target = at(out, (Sym(i), Sym(j)))
    task = Tasklet(target, Op("add", (Load(target, t), value), t), loc=n.loc)
    spans = (operand_span(out, 0), operand_span(out, 1))
    return Map((i, j), spans, Region((task,), loc=n.loc), loc=n.loc)


def _product(n: LibraryNode, data: dict[str, Data], name: Callable[[str], str]) -> tuple[Node, ...]:
    """alpha * (a @ b) + beta * out"""
    out, (a, b, *scale) = n.outs[0], n.ins
    assert isinstance(a, Memlet) and isinstance(b, Memlet)
    t, inner = data[out.data].dtype, name("k")
    rows = [(name("i"), operand_span(a, 0))] if len(a.dims) == 2 else []
    columns = [(name("j"), operand_span(b, 1))] if len(b.dims) == 2 else []
    along = operand_span(a, len(a.dims) - 1)
    left = _load(a, (*(Sym(v) for v, _ in rows), Sym(inner)), data)
    right = _load(b, (Sym(inner), *(Sym(v) for v, _ in columns)), data)
    target = at(out, tuple(Sym(v) for v, _ in (*rows, *columns)))
    wide = f32 if t is f16 else t
    terms = [x if t is wide else Cast(wide, x) for x in (left, right)]
    term = Op("land" if t.kind == "b" else "mul", tuple(terms), wide)
    combine = "lor" if t.kind == "b" else "add"
    sum_ = name("product")
    data[sum_] = Scalar(wide)
    start = Tasklet(Memlet(sum_), zero_of(wide), loc=n.loc)
    whole = Load(Memlet(sum_), wide)
    value = _scaled(whole if t is wide else Cast(t, whole), target, tuple(x for x in scale if isinstance(x, Expr)), t)
    finish = Tasklet(target, value, loc=n.loc)
    if not rows and not columns:
        add = Tasklet(Memlet(sum_, wcr=combine), term, loc=n.loc)
        return start, Map((inner,), (along,), Region((add,), loc=n.loc), loc=n.loc), finish
    step = Tasklet(Memlet(sum_), Op(combine, (whole, term), wide), loc=n.loc)
    nodes: tuple[Node, ...] = (start, Loop(inner, along, Region((step,), loc=n.loc), loc=n.loc), finish)
    part = n.attrs.get("triangle")
    if part is not None:
        i, j = Sym(rows[0][0]), Sym(columns[0][0])
        nodes = (Branch(le(j, i) if part == "lower" else le(i, j), Region(nodes, loc=n.loc), loc=n.loc),)
    loops = (*rows, *columns)
    names, spans = tuple(v for v, _ in loops), tuple(s for _, s in loops)
    return (Map(names, spans, Region(nodes, loc=n.loc), private=(sum_,), loc=n.loc),)


def _scaled(product: Expr, target: Memlet, scale: tuple[Expr, ...], t: DType) -> Expr:
    if not scale:
        return product
    alpha, beta = scale
    return Op("add", (Op("mul", (alpha, product), t), Op("mul", (beta, Load(target, t)), t)), t)


def _load(m: Memlet, index: tuple[Expr, ...], data: dict[str, Data]) -> Load:
    return Load(at(m, index), data[m.data].dtype)
