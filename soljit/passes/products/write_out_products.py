"""Write products of matrices and vectors as maps, where a device has no library for them.

    lib.matmul(outs=[C[0:n, 0:m]],                   for i, j in map(range(n), range(m)), private(s):
               ins=[A[0:n, 0:k], B[0:k, 0:m]])  →        s = 0.0
                                                         for l in range(k): s = s + A[i, l] * B[l, j]
                                                         C[i, j] = s

A thread adds up one element in the order of the inner dimension, in the type of the operands (halves in single precision), which is as accurate as a
BLAS. The inner product of two vectors becomes a sum over a map, which `split_sums` gives to many threads. A call in the middle of
a program would cost transfers of all its operands.

Where the device has cuBLAS, products stay calls that are marked for it, if it can address the operands (`analysis/device/products.py`). If that depends
on strides or lengths of the run, the program chooses: a `Branch` has the call and the map. Products of a stack of matrices, which are a
map around one product, become one call. Of a triangle the whole square is computed, and the triangle taken from it.

Needs no proof: it is what the library computes, in another order. It must come before split_sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from soljit.analysis.device.products import addressable, unreachable, why_not_product
from soljit.analysis.memory.affine import affine, mentions
from soljit.base.records import dataclass
from soljit.base.sentences import Plain
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import FALSE, ONE, TRUE, Cast, Expr, Load, Memlet, Op, Range, Sym, zero_of
from soljit.ir.core.nodes import Alloc, Branch, Let, LibraryNode, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType, f16, f32
from soljit.ir.symbolic import Facts, add, le
from soljit.ir.walk import FreshNames, N, on_regions, rewrite, same
from soljit.passes.manager import Context
from soljit.passes.products.expand_products import at, operand_span


def write_out_products(program: Program, cx: Context) -> Program:
    """Replace all products by maps, but for those that a library of the device does."""
    w = _Writer(program, cx, dict(program.data), FreshNames(program))
    body = w.region(program.body)
    return program if body is program.body else replace(program, body=body, data=w.data)


def products_written_out(node: N, data: dict[str, Data], fresh: FreshNames) -> N:
    """The node with all products in it as maps. data: the containers, which get what the sums need"""

    def fn(n: Node) -> tuple[Node, ...] | None:
        if isinstance(n, LibraryNode) and n.op in ("matmul", "ger"):
            return (_outer(n, data, fresh),) if n.op == "ger" else _product(n, data, fresh)
        return None

    return rewrite(node, fn)


@dataclass
class _Writer:
    program: Program
    cx: Context
    data: dict[str, Data]
    name: FreshNames

    def region(self, region: Region) -> Region:
        """The region with all products in it done."""
        nodes = tuple(x for n in region.nodes for x in self.node(n))
        return region if same(nodes, region.nodes) else replace(region, nodes=nodes)

    def node(self, n: Node) -> tuple[Node, ...]:
        match n:
            case LibraryNode(op="matmul" | "ger"):
                return self.product(n)
            case Map():
                return self.map(n)
            case Region():
                return (self.region(n),)
            case _:
                return (on_regions(n, self.region),)

    def map(self, m: Map) -> tuple[Node, ...]:
        """A map, or the calls that it is; other nodes that stand beside the products keep a map of theirs."""
        if m.schedule or m.private or any(isinstance(n, (Let, Alloc)) for n in m.body.nodes):
            return (self.in_kernel(m),)
        if (
            len(m.vars) == 1
            and len(m.body.nodes) == 1
            and (stack := _stack(m, self.cx.facts(self.program))) is not None
        ):
            return self.product(stack, m)
        out: list[Node] = []
        run: list[Node] = []
        for n in m.body.nodes:
            calls = self.calls(replace(m, body=replace(m.body, nodes=(n,)), loc=n.loc))
            if calls:
                out += [*self.rest(m, run), *calls]
                run = []
            else:
                run.append(n)
        return (*out, *self.rest(m, run)) if out else (self.in_kernel(m),)

    def rest(self, m: Map, nodes: list[Node]) -> tuple[Node, ...]:
        """A map of these nodes of its body. Iterations are independent, so that the nodes may have a map each."""
        return (self.in_kernel(replace(m, body=replace(m.body, nodes=tuple(nodes)))),) if nodes else ()

    def calls(self, m: Map) -> tuple[Node, ...]:
        """The calls that a map with one node is; none if it stays a map. Of several loops around a product one becomes the stack, the others stay."""
        facts = self.cx.facts(self.program)
        best = _best_of_stack(m)
        others = [k for k in range(len(m.vars)) if k != best]
        stack = _stack(replace(m, vars=(m.vars[best],), spans=(m.spans[best],)), facts)
        if stack is None or any(mentions(m.spans[k], m.vars[best]) for k in others):
            return ()
        if self.why_loops(stack) or addressable(self.program, stack, facts) != TRUE:
            return ()
        nodes: tuple[Node, ...] = self.product(stack)
        for k in reversed(others):
            nodes = (Loop(m.vars[k], m.spans[k], Region(nodes, loc=m.loc), loc=m.loc),)
        return nodes

    def in_kernel(self, m: Map) -> Map:
        """A map with all products in it written out: a kernel calls no library."""

        def fn(n: Node) -> Node | tuple[Node, ...] | None:
            if isinstance(n, LibraryNode) and n.op in ("matmul", "ger"):
                self.cx.note(n.loc, "product by loops", why=Plain(""))
                return self.written_out(n)
            return None

        return rewrite(m, fn)

    def written_out(self, n: LibraryNode) -> tuple[Node, ...]:
        return (_outer(n, self.data, self.name),) if n.op == "ger" else _product(n, self.data, self.name)

    def product(self, n: LibraryNode, stack: Map | None = None) -> tuple[Node, ...]:
        """What becomes of a product that stands in no map; or of the map `stack` around one, which is the product of a stack."""
        why = self.why_loops(n)
        condition: Expr = TRUE
        if not why:
            facts = self.cx.facts(self.program)
            condition = addressable(self.program, n, facts)
            if condition == FALSE:
                why = f"cuBLAS cannot address {unreachable(self.program, n, facts)}"
        if not why and condition == TRUE:
            return self.called(n)
        loops = self.written_out(n) if stack is None else (self.in_kernel(stack),)
        if why:
            self.cx.note(n.loc, "product by loops", why=Plain(f": {why}"))
            return loops
        self.cx.note(n.loc, "product by cuBLAS")
        return (Branch(condition, Region(self.called(n), loc=n.loc), Region(loops, loc=n.loc), loc=n.loc),)

    def why_loops(self, n: LibraryNode) -> str:
        """Why cuBLAS does not compute this product, whatever the strides are; "" if it does."""
        if n.op == "ger":
            return "each element is one product"
        why = why_not_product(self.program, n)
        if why is not None:
            return why
        return "" if self.cx.has("cublas") else self.cx.why_without("cublas")

    def called(self, n: LibraryNode) -> tuple[Node, ...]:
        """The call; of a triangle with what takes it from the square."""
        part = n.attrs.get("triangle")
        if part is None:
            return (replace(n, attrs={**n.attrs, "by": "cublas"}),)
        out, (a, b, *scale) = n.outs[0], n.ins
        t, square = self.data[out.data].dtype, self.name("square")
        spans = (operand_span(out, 0), operand_span(out, 1))
        self.data[square] = Array(t, (spans[0].stop, spans[1].stop))
        call = replace(n, outs=(Memlet(square, spans),), ins=(a, b), attrs={"by": "cublas"})
        i, j = self.name("i"), self.name("j")
        index = (Sym(i), Sym(j))
        target = at(out, index)
        factors = tuple(x for x in scale if isinstance(x, Expr))
        value = _scaled(Load(Memlet(square, index), t), target, factors, t)
        inside = Branch(_in_triangle(part, *index), Region((Tasklet(target, value, loc=n.loc),), loc=n.loc), loc=n.loc)
        return Alloc(square, loc=n.loc), call, Map((i, j), spans, Region((inside,), loc=n.loc), loc=n.loc)


def _in_triangle(part: object, i: Expr, j: Expr) -> Expr:
    return le(j, i) if part == "lower" else le(i, j)


def _best_of_stack(m: Map) -> int:
    """The loop along which most operands of the product in a map move, the innermost of these."""
    body = m.body.nodes[0] if m.body.nodes else None
    operands = [x for x in (*body.outs, *body.ins) if isinstance(x, Memlet)] if isinstance(body, LibraryNode) else []
    moves = [sum(any(mentions(s, v) for s in x.subset) for x in operands) for v in m.vars]
    return max(range(len(m.vars)), key=lambda k: (moves[k], k))


def _stack(m: Map, facts: Facts) -> LibraryNode | None:
    """The product of a stack of matrices that a map over one variable is; None if it is none."""
    n, (span,) = m.body.nodes[0], m.spans
    if not isinstance(n, LibraryNode) or n.op != "matmul" or n.attrs or span.step != ONE:
        return None
    span = replace(span, stop=facts.maximum(span.start, span.stop))
    a, b = n.ins[:2]
    if not isinstance(a, Memlet) or not isinstance(b, Memlet) or len(a.dims) == len(b.dims) == 1:
        return None
    left, right = len(a.dims) == 1, len(b.dims) == 1  # vectors are matrices of one row, or of one column
    a = replace(a, axes=(-1, *a.dims)) if left else a
    b = replace(b, axes=(*b.dims, -1)) if right else b
    out = n.outs[0]
    out = replace(out, axes=(-1, *out.dims) if left else (*out.dims, -1) if right else out.dims)
    found = [x for x in (_stacked(x, m.vars[0], span) for x in (out, a, b)) if x is not None]
    if len(found) != 3 or len(found[0].dims) != 3 or max(len(found[1].dims), len(found[2].dims)) != 3:
        return None
    return replace(n, outs=(found[0],), ins=(found[1], found[2], *n.ins[2:]))


def _stacked(x: Memlet, var: str, span: Range) -> Memlet | None:
    """The matrices of all iterations; the one matrix if it is the same in all. None if it is not as simple."""
    moved = [k for k, s in enumerate(x.subset) if mentions(s, var)]
    if not moved:
        return x
    s = x.subset[moved[0]]
    form = None if len(moved) > 1 or isinstance(s, Range) else affine(s, (var,))
    if form is None or form.of(var) != 1:
        return None
    wide = Range(add(span.start, form.rest.expr), add(span.stop, form.rest.expr), ONE)
    return Memlet(x.data, (*x.subset[: moved[0]], wide, *x.subset[moved[0] + 1 :]), (moved[0], *x.dims))


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
        nodes = (Branch(_in_triangle(part, i, j), Region(nodes, loc=n.loc), loc=n.loc),)
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
