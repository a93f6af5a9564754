"""How much work a node is: `work(node)` in units of about one simple operation, as an expression over sizes.

Iterations of inner loops are counted with their real lengths; a length that depends on a variable of an outer loop is
taken at the middle of that variable's range, which is exact for the sum over a triangle. What only data tell (a bound
that is loaded, a While) counts as a fixed guess. The result is good for choices, not for time; it is a product of sums
as the loops are nested, not multiplied out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from soljit.ir.core.expr import (
    ONE,
    Cast,
    Const,
    Expr,
    Extent,
    Load,
    Memlet,
    Op,
    Range,
    Stride,
    const,
    subexpressions,
    symbols,
)
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
    Call,
    Callback,
    Copy,
    Let,
    LibraryNode,
    Loop,
    Map,
    Node,
    Region,
    Tasklet,
    While,
)
from soljit.ir.core.ops import LIBM, MATH_BINARY, MATH_UNARY
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, floordiv, linear, range_length, select, sub
from soljit.ir.walk import substitute

_GUESS = const(16)  # iterations of a loop whose length only the data tell
_CALL = 2000  # a callback, a function call

_COSTS: dict[str, int] = {
    "div": 4,
    "floordiv": 10,
    "mod": 10,
    "sqrt": 6,
    "pow": 40,
    **dict.fromkeys(("ldexp", "frexp_m", "frexp_e", "nextafter", "spacing"), 10),
    **dict.fromkeys((n for n in (*MATH_UNARY, *MATH_BINARY) if n != "sqrt"), 20),
}
_COSTS |= {n: _COSTS[of] for n, of in LIBM.items()}


def work(node: Node, middle: Mapping[str, Expr] = MappingProxyType({})) -> Expr:
    """Estimated operations of one run of `node`, over symbols that are known in front of it; `middle`: what stands for others."""
    return _work(node, middle)


@lru_cache(maxsize=8192)
def operations(e: Expr) -> int:
    """Operations of one evaluation."""
    count = 0
    for x in subexpressions(e):
        if isinstance(x, Op):
            count += _COSTS.get(x.name, 1) * (4 if x.dtype.is_complex else 1)
        elif isinstance(x, (Load, Cast)):
            count += 1
    return count


def plus(*parts: Expr) -> Expr:
    """A sum, constants together at its end."""
    return _joined("add", parts, 0)


def times(*parts: Expr) -> Expr:
    """A product, constants together at its end."""
    return _joined("mul", parts, 1)


def _joined(name: str, parts: tuple[Expr, ...], neutral: int) -> Expr:
    rest: list[Expr] = []
    number = neutral
    stack = list(reversed(parts))
    while stack:
        x = stack.pop()
        if isinstance(x, Const):
            number = number + int(x.value.real) if name == "add" else number * int(x.value.real)
        elif isinstance(x, Op) and x.name == name:
            stack += reversed(x.args)
        else:
            rest.append(x)
    if name == "mul" and number == 0:
        return const(0)
    if number != neutral or not rest:
        rest.append(const(number))
    out = rest[0]
    for x in rest[1:]:
        out = Op(name, (out, x), i64)
    return out


def trips(span: Range, middle: Mapping[str, Expr]) -> Expr:
    """Length of a loop, outer variables replaced by the middle of their ranges; perhaps negative if it is empty."""
    step = linear(span.step)
    if not step.is_const or step.const == 0 or not all(known(x) for x in span.children):
        return _GUESS
    span = substitute(span, middle) if middle else span
    return sub(span.stop, span.start) if step.const == 1 else range_length(span)


def known(e: Expr) -> bool:
    """Tell whether `e` can be evaluated in front of the loop: it reads nothing that changes."""
    return not any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(e))


def middle_of(span: Range, middle: Mapping[str, Expr]) -> Expr:
    """The middle value of a loop variable."""
    if not all(known(x) for x in span.children):
        return const(0)
    return floordiv(add(substitute(span.start, middle), substitute(span.stop, middle)), const(2))


def _work(node: Node, middle: Mapping[str, Expr]) -> Expr:
    match node:
        case Region():
            inner: dict[str, Expr] = dict(middle)
            parts = []
            for n in node.nodes:
                parts.append(_work(n, inner))
                if isinstance(n, Let):
                    inner[n.name] = substitute(n.value, inner) if known(n.value) else const(0)
            return plus(*parts)
        case Loop():
            body = _work(node.body, {**middle, node.var: middle_of(node.span, middle)})
            return times(trips(node.span, middle), plus(body, ONE))
        case Map():
            return _map(node, middle)
        case While():
            return times(_GUESS, plus(_work(node.body, middle), const(1 + operations(node.cond))))
        case Branch() if any(isinstance(n, Map) and "unrolled" in n.schedule for n in node.then.nodes):
            return _work(node.orelse, middle)  # the same as a loop that is not written out
        case Branch() if node.orelse.nodes and known(node.cond) and middle.keys().isdisjoint(symbols(node.cond)):
            return select(node.cond, _work(node.then, middle), _work(node.orelse, middle))
        case Branch():
            return plus(_work(node.then, middle), _work(node.orelse, middle), const(1 + operations(node.cond)))
        case Tasklet():
            return const(1 + operations(node.code))
        case Let():
            return const(operations(node.value))
        case Copy():
            return elements(node.src, middle)
        case LibraryNode():
            return _library(node, middle)
        case Alloc() | Bind():
            return const(50)
        case Call() | Callback():
            return const(_CALL)
        case _:
            return ONE


def _map(node: Map, middle: Mapping[str, Expr]) -> Expr:
    inner = dict(middle)
    count: list[Expr] = []
    for v, s in zip(node.vars, node.spans):
        count.append(trips(s, inner))
        inner[v] = middle_of(s, inner)
    return times(*count, _work(node.body, inner))


def elements(m: Memlet, middle: Mapping[str, Expr]) -> Expr:
    """How many elements an operand has."""
    return times(*(trips(s, middle) for s in m.subset if isinstance(s, Range)))


def _library(node: LibraryNode, middle: Mapping[str, Expr]) -> Expr:
    if node.op == "matmul" and isinstance(node.ins[0], Memlet):
        s = node.ins[0].subset[node.ins[0].dims[-1]]
        return times(elements(node.outs[0], middle), trips(s, middle) if isinstance(s, Range) else ONE)
    operands = plus(ONE, *(elements(m, middle) for m in (*node.ins, *node.outs) if isinstance(m, Memlet)))
    return times(operands, const(20)) if node.op in ("sort", "argsort", "loop") else operands
