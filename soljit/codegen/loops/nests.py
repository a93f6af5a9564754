"""Loop nests: a map's loops with its reductions, heads of loops, and what the compiler is told about the iterations."""

from __future__ import annotations

import re
from collections.abc import Callable

from soljit.analysis.loops.map_reductions import Reduction, stays_apart, written_in_place
from soljit.base.records import dataclass
from soljit.codegen.memory.placement import declare_locals
from soljit.codegen.spelling.arithmetic import product, total
from soljit.codegen.spelling.expressions import index
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import SUM, Text
from soljit.ir.core.expr import Expr, Extent, Load, Range, Stride, subexpressions
from soljit.ir.core.nodes import Map, Region
from soljit.ir.walk import computed, is_straight

Emit = Callable[[Context, Region], None]
_WRITTEN_OUT = {"unrolled": "SOL_UNROLLED", "rolled": "SOL_ROLLED"}


@dataclass
class Nest:
    """The loops of a map from dimension `first` inwards, with its reductions sorted by how they are done."""

    cx: Context
    map: Map
    first: int
    region: Emit
    plain: list[Reduction]
    blocked: list[Reduction]
    flat: int  # loops from here inwards are flattened into blocks

    @property
    def last(self) -> int:
        return len(self.map.vars)


def ahead(v: str, stop: Text, step: Text) -> str:
    """Tell whether the variable of a range has not come to its end."""
    if step.text.lstrip("-").isdigit():
        return f"{v} {'<' if int(step.text) > 0 else '>'} {stop.at(SUM)}"
    return f"{step} > 0 ? {v} < {stop.at(SUM)} : {v} > {stop.at(SUM)}"


def loop_head(cx: Context, var: str, start: Text, stop: Text, step: Text) -> str:
    """The `for` of a range."""
    v = cx.names.symbol(var)
    if step.text.lstrip("-").isdigit():
        k = int(step.text)
        turn = f"++{v}" if k == 1 else f"--{v}" if k == -1 else f"{v} += {k}"
        return f"for (int64_t {v} = {start}; {ahead(v, stop, step)}; {turn})"
    if step.text.isidentifier():
        s, head = step.text, f"int64_t {v} = {start}"
    else:
        s = cx.names.fresh(f"{var}_step")
        head = f"int64_t {v} = {start}, {s} = {step}"
    return f"for ({head}; {ahead(v, stop, Text(s))}; {v} += {s})"


def steady(cx: Context, var: str, what: str, e: Expr) -> Text:
    """A bound or step of a loop, which is evaluated once: a constant in front of the loop, unless it plainly never changes."""
    text = index(cx, e)
    if not re.search(r"[\[(?]", text.text) and not any(
        isinstance(x, (Load, Extent, Stride)) for x in subexpressions(e)
    ):
        return text
    name = cx.names.fresh(f"{var}_{what}")
    cx.out.line(f"const int64_t {name} = {text};")
    return Text(name)


def position(cx: Context, start: Text, span: Range, done: Text) -> Text:
    """The variable's value in a loop from `start`, after so many iterations."""
    return total(start, product(done, index(cx, span.step)))


def loops_of_thread(cx: Context, m: Map, region: Emit, first: int = 0) -> None:
    """The loops of a map from number `first` on, one iteration after another in one thread."""
    if first == len(m.vars):
        declare_locals(cx, m)
        region(cx, m.body)
        return
    span = m.spans[first]
    start = index(cx, span.start)
    stop, step = (steady(cx, m.vars[first], what, e) for what, e in (("stop", span.stop), ("step", span.step)))
    if (role := m.schedule[first] if m.schedule else "seq") in _WRITTEN_OUT:
        cx.out.line(_WRITTEN_OUT[role])
    with cx.out.block(loop_head(cx, m.vars[first], start, stop, step)):
        loops_of_thread(cx, m, region, first + 1)


def pragma(cx: Context, m: Map, var: str) -> None:
    """Tell the compiler that the iterations of the innermost loop are independent, if the body is straight code."""
    if not is_straight(m.body):
        return
    held = [a.target for a in cx.accumulators]
    written = written_in_place(cx.program, cx.homes, m)
    if not all(w in held or stays_apart(m, w, (var,)) for w in written):
        return
    variables = any(a.kind != "slot" for a in cx.accumulators if any(a.target == w for w in written))
    simple = all(t.dtype.kind in "biuf" and t.dtype.name != "f16" for t in computed(m.body))
    simd = len(m.schedule) == len(m.vars) and m.schedule[-1] == "lanes" and simple and not variables
    cx.out.line("#pragma omp simd" if simd else "SOL_IVDEP")
