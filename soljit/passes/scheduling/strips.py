"""One strip of a map's outermost loop for each thread.

    for i in map(range(a, b)): s += x[i]

    strips = threads(4) if worthwhile else 1                                # 4: how many there are when this is compiled
    for t in map(range(0, strips)):                                         # schedule("threads")
        for i in map(range(a + (b-a)*t//strips, a + (b-a)*(t+1)//strips)):  # schedule("lanes")
            s += x[i]

The inner loop is whole again: it can be vectorized, and it sums in blocks. If the work grows or shrinks along the loop
(a triangle), the strips are interleaved, `range(a + t, b, 4)`, so that each thread has its share; the step must be a
constant, so there are always as many, one for each core of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from soljit.ir.core.expr import ONE, TRUE, ZERO, Expr, Op, Range, Sym, const
from soljit.ir.core.nodes import Let, Map, Node, Region
from soljit.ir.core.types import i64
from soljit.ir.symbolic import add, floordiv, linear, mul, range_length, sub

Fresh = Callable[[str], str]  # makes names


def why_not_cut(span: Range, pieces: str) -> str | None:
    """Why a range cannot be cut into "equal" or "interleaved" pieces; None if it can."""
    step = linear(span.step)
    if pieces == "interleaved":
        return None if step == linear(ONE) else "a loop whose step is not 1 is not cut into interleaved pieces"
    return None if step.is_const and step.const != 0 else "a loop whose step is not constant is not cut into pieces"


def stripped(m: Map, threads: int, when: Expr, fresh: Fresh, dim: int = 0) -> tuple[Node, ...]:
    """The scheduled map `m` cut into strips of loop `dim`."""
    span = m.spans[dim]
    name = fresh("strips")
    count: Expr = count_of_threads(threads)
    nodes: list[Node] = [Let(name, Op("select", (when, count, ONE), i64) if when != TRUE else count, loc=m.loc)]
    strips = Sym(name)
    t = fresh("thread")
    body = replace(m, spans=(*m.spans[:dim], piece(span, Sym(t), strips), *m.spans[dim + 1 :]))
    nodes.append(_over(m, t, strips, when, body))
    return tuple(nodes)


def count_of_threads(threads: int) -> Expr:
    """How many threads there are when the program runs."""
    return Op("threads", (const(threads),), i64)


def piece(span: Range, which: Expr, of: Expr) -> Range:
    """One of so many nearly equal pieces of a range with a constant step."""
    length = sub(span.stop, span.start) if linear(span.step).const == 1 else range_length(span)
    first, last = (floordiv(mul(length, x), of) for x in (which, add(which, ONE)))
    return Range(add(span.start, mul(span.step, first)), add(span.start, mul(span.step, last)), span.step)


def interleaved(m: Map, threads: int, when: Expr, fresh: Fresh) -> tuple[Node, ...]:
    """The scheduled map `m`, every so many iterations of its outermost loop to one strip."""
    span = m.spans[0]
    t = fresh("thread")
    body = replace(m, spans=(Range(add(span.start, Sym(t)), span.stop, const(threads)), *m.spans[1:]))
    return (_over(m, t, const(threads), when, body),)


def _over(m: Map, t: str, strips: Expr, when: Expr, body: Map) -> Map:
    span = Range(ZERO, strips, ONE)
    return Map((t,), (span,), Region((body,), loc=m.body.loc), ("threads",), None if when == TRUE else when, loc=m.loc)
