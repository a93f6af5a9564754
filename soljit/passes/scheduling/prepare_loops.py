"""Say what loops on processors work out before their first iteration, which look at a mask by words, and which products are loops.

    for i in range(0, n):                      →    with loop(i=range(0, n)), divisors(k):
        y[i] = x[i] % k

    for i in range(0, n):                      →    with loop(i=range(0, n)), words():
        if mask[i]:
            y[i] = x[i]

Dividing by a 64-bit integer that stays the same is a product and a shift, after some work of its own. 64 elements of a mask that follow each other
are the bits of a word: a branch that cannot be foreseen is left for each word, not for each element. A product of matrices with so few elements, of
known number, that a call of the BLAS would cost more is written as loops, if the order in which the BLAS adds can be written.

Maps take the divisors of all loops in them, for threads share maps. It comes behind `schedule_maps`, as `order_sums` does.
"""

from __future__ import annotations

import math
from dataclasses import replace

from soljit.analysis.memory.accesses import aliases, names_written
from soljit.analysis.memory.affine import FAR, element_stride, step
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, View
from soljit.ir.core.expr import ONE, Const, Expr, Load, Memlet, Op, Range, Sym, is_const, subexpressions
from soljit.ir.core.nodes import Branch, LibraryNode, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import b1, f16, i64
from soljit.ir.symbolic import range_length
from soljit.ir.walk import computed, on_regions, same, symbols_defined
from soljit.ir.walk.spaces import is_device_call, is_kernel
from soljit.passes.manager import Context
from soljit.passes.products.expand_products import FEW

MOST = 3  # statements of a body that is written twice, for words with many bits and with few


def prepare_loops(program: Program, cx: Context) -> Program:
    """Write the divisors of all loops and maps that processors run, and mark the loops over words."""
    body = _Planner(program, cx).region(program.body, frozenset(), False)
    return program if body is program.body else replace(program, body=body)


@dataclass(frozen=True)
class _Planner:
    program: Program
    cx: Context

    def region(self, region: Region, known: frozenset[Expr], in_map: bool) -> Region:
        """known: what has been prepared around here."""
        nodes = tuple(self.node(n, known, in_map) for n in region.nodes)
        return region if same(nodes, region.nodes) else replace(region, nodes=nodes)

    def node(self, n: Node, known: frozenset[Expr], in_map: bool) -> Node:
        if is_kernel(n):
            return n
        if isinstance(n, LibraryNode):
            order = "" if "loops" in n.attrs else self.order(n)
            return replace(n, attrs={**n.attrs, "loops": order}) if order else n
        if isinstance(n, Loop) and self.has_words(n):
            return n if n.words else replace(n, words=True)
        if not isinstance(n, Map) and (in_map or not isinstance(n, Loop)):
            return on_regions(n, lambda r: self.region(r, known, in_map))
        new = _divisors(n, known)
        body = self.region(n.body, known.union(new), in_map or isinstance(n, Map))
        return n if body is n.body and new == n.divisors else replace(n, body=body, divisors=new)

    def order(self, n: LibraryNode) -> str:
        """In which order loops add up a product of two matrices or vectors with a few multiplications, of constant number; "" if it stays a call."""
        if n.op != "matmul" or n.attrs.get("triangle") or is_device_call(n, self.program.data):
            return ""
        a, b = (self.lengths(m) for m in n.ins[:2])
        if a is None or b is None or max(len(a), len(b)) > 2 or math.prod(a) * math.prod(b[1:]) > FEW:
            return ""
        t = self.program.data[n.outs[0].data].dtype
        if t.kind not in "fc" or t is f16 or 0 in (*a, *b):
            return "plain"
        if self.cx.order_of is None:
            return "fused"
        ways = [self.by_rows(m) for m in n.ins[:2]]
        found = {self.cx.order_of(t.name, tuple(a), tuple(b), (x, y)) for x in ways[0] for y in ways[1]}
        return found.pop() if len(found) == 1 else ""

    def by_rows(self, m: object) -> tuple[bool, ...]:
        """Whether the rows of a matrix, or the elements of a vector, lie together; both answers where that is not known."""
        assert isinstance(m, Memlet)
        d = self.program.data[m.data]
        dims = m.dims if m.subset else tuple(range(len(d.shape) if isinstance(d, Array | View) else 0))
        steps = [self.apart(d, m, axis) for axis in dims]
        if steps[-1] == 1 or steps[-1:] == [-1] and len(steps) == 1:
            return (True,)
        if len(steps) == 2 and steps[0] == 1:
            return (False,)
        return (True, False)

    def apart(self, d: Data, m: Memlet, axis: int) -> int:
        """Elements between neighbours along an axis of an operand; FAR if that is not known."""
        s = m.subset[axis] if m.subset and axis >= 0 else None
        by = s.step if isinstance(s, Range) else ONE
        return int(by.value.real) * element_stride(d, axis) if isinstance(by, Const) and axis >= 0 else FAR

    def lengths(self, m: object) -> list[int] | None:
        """How long the dimensions of an operand are, if that is known."""
        assert isinstance(m, Memlet)
        d, found = self.program.data[m.data], []
        subset: tuple[object, ...] = m.subset
        if not subset and isinstance(d, Array | View):
            subset = d.shape
        for axis in m.dims if m.subset else range(len(subset)):
            s = Const(1, i64) if axis < 0 else subset[axis]
            n = range_length(s) if isinstance(s, Range) and isinstance(s.step, Const) else s
            if not isinstance(n, Const):
                return None
            found.append(int(n.value.real))
        return found if subset else None

    def has_words(self, n: Loop) -> bool:
        """Tell whether all that the loop does is a little for each element of a mask, which follow each other and which it leaves alone."""
        match n.body.nodes:
            case (Branch(cond=Load(memlet=mask, dtype=dtype), then=then, orelse=Region(nodes=())),):
                pass
            case _:
                return False
        if dtype is not b1 or not is_const(n.span.step, 1):
            return False
        if len(then.nodes) > MOST or not all(isinstance(x, Tasklet) for x in then.nodes):
            return False
        if any(isinstance(s, Range) for s in mask.subset) or step(self.program.data, mask, n.var) != 1:
            return False
        loads = (x for s in mask.subset if isinstance(s, Expr) for x in subexpressions(s) if isinstance(x, Load))
        return not aliases(self.program).any_alias(names_written(then), [mask.data, *(x.memlet.data for x in loads)])


def _divisors(n: Map | Loop, known: frozenset[Expr]) -> tuple[Expr, ...]:
    """The integers by which iterations divide and which none of them changes, in the order of the program."""
    variables = n.vars if isinstance(n, Map) else (n.var,)
    moving = {*variables, *symbols_defined(n.body), *names_written(n.body)}
    found: dict[Expr, None] = {}
    for x in (x for e in computed(n.body) for x in subexpressions(e)):
        if isinstance(x, Op) and x.name in ("floordiv", "mod") and x.dtype == i64:
            d = x.args[1]
            if d not in known and not isinstance(d, Const) and _is_steady(d, moving):
                found[d] = None
    return tuple(found)


def _is_steady(e: Expr, moving: set[str]) -> bool:
    """Tell whether it is made of numbers and scalars alone that stay as they are."""
    for x in subexpressions(e):
        if isinstance(x, Sym) and x.name in moving:
            return False
        if isinstance(x, Load) and (x.memlet.subset or x.memlet.data in moving):
            return False
    return True
