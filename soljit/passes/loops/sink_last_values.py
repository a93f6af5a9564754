"""Set scalars behind a loop of which only the last value is used.

    for i in range(0, n):                          for i in range(0, n):
        y[i] = x[i] * 2.0              →               y[i] = x[i] * 2.0
        k = i + 1                                  if 0 < n:
                                                       k = n

Proof: the loop does not read the scalar, does not end early, and each of its iterations sets it to an expression of the loop's variable and of
numbers that stay the same. So what it holds behind the loop is the value of the last iteration, if there is one. Exceptions and returns that leave
the function leave its scalars, too. It comes behind count_loops; promote_scalars makes symbols of what stands behind the loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Const, Expr, Extent, Load, Memlet, Range, Stride, const, subexpressions, symbols
from soljit.ir.core.nodes import Branch, Break, Continue, Loop, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, floordiv, gt, lt, mul, sub
from soljit.ir.walk import data_read, data_written, rewrite, substitute, symbols_defined
from soljit.passes.manager import Context


def sink_last_values(program: Program, cx: Context) -> Program:
    """The program with such scalars set behind their loops."""

    def fn(n: Node) -> tuple[Node, ...] | None:
        if not isinstance(n, Loop) or not isinstance(n.span.step, Const):
            return None
        found = list(_last_values(program, n))
        if not found:
            return None
        gone = {id(t) for t in found}
        body = replace(n.body, nodes=tuple(x for x in n.body.nodes if id(x) not in gone))
        last = {n.var: _last(n.span)}
        behind = tuple(replace(t, code=substitute(t.code, last)) for t in found)
        ahead = lt if n.span.step.value.real > 0 else gt
        nothing = Region((), loc=n.loc)
        cond = ahead(n.span.start, n.span.stop)
        return replace(n, body=body), Branch(cond, Region(behind, loc=n.loc), nothing, loc=n.loc)

    body = rewrite(program.body, fn)
    return program if body is program.body else replace(program, body=body)


def _last(span: Range) -> Expr:
    """The last value of a range that is not empty."""
    assert isinstance(span.step, Const)
    step = int(span.step.value.real)
    if abs(step) == 1:
        return sub(span.stop, const(step))
    if step > 0:
        steps = floordiv(sub(sub(span.stop, span.start), const(1)), const(step))
    else:
        steps = floordiv(sub(sub(span.start, span.stop), const(1)), const(-step))
    return add(span.start, mul(const(step), steps))


def _last_values(program: Program, n: Loop) -> Iterator[Tasklet]:
    """The statements of the body that set a scalar of which only the last value counts."""
    here = list(_of_this_loop(n.body))
    candidates = [
        x for x in n.body.nodes if isinstance(x, Tasklet) and isinstance(program.data.get(x.out.data), Scalar)
    ]
    if not candidates or any(isinstance(x, (Break, Continue)) for x in here):
        return
    if any(isinstance(x, (Load, Extent, Stride)) for e in n.span.children for x in subexpressions(e)):
        return
    read, defined = data_read(n), symbols_defined(n.body)
    writes = Counter(name for x in n.body.nodes for name in data_written(x))
    for t in candidates:
        name = t.out.data
        if (
            t.out.wcr is None
            and t.out == Memlet(name)
            and writes[name] == 1
            and name not in read
            and _is_of(t.code, defined)
        ):
            yield t


def _is_of(e: Expr, defined: set[str]) -> bool:
    """Tell whether an expression reads no memory and no symbol of the body."""
    return not symbols(e) & defined and not any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(e))


def _of_this_loop(region: Region) -> Iterator[Node]:
    """The nodes of a loop's body that stand in no loop inside of it."""
    for n in region.nodes:
        yield n
        if isinstance(n, Branch):
            yield from _of_this_loop(n.then)
            yield from _of_this_loop(n.orelse)
