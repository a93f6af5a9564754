"""Sums of what NumPy reads through its iterator's buffer: some thousand elements at a time, whose sums are added one after the other.

That is so for arrays whose elements do not follow each other in equal steps, and for elements of another type. NumPy 2.3 and later
fill the buffer with whole rows (planes, …); earlier ones add all sums in pieces of the buffer's length, whatever they read.
"""

from __future__ import annotations

from collections.abc import Sequence

from soljit.analysis.loops.map_reductions import Reduction
from soljit.analysis.memory.affine import growth
from soljit.base.records import dataclass
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.arithmetic import product, total
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import Text
from soljit.ir.core.expr import Cast, Load, Memlet, Range, is_const
from soljit.ir.core.nodes import Map, Tasklet


def groups(cx: Context, m: Map, sums: Sequence[Reduction]) -> dict[Source | None, list[Reduction]]:
    """The sums over all loops of a map by what NumPy reads through a buffer for them; None: nothing, or they cannot be told apart."""
    if not cx.tables.features.whole_rows:
        return {None: list(sums)}
    found: dict[Source | None, list[Reduction]] = {}
    for r in sums:
        found.setdefault(_source(cx, m, r), []).append(r)
    alone = all(isinstance(x, Tasklet) and any(x.out == r.target for r in sums) for x in m.body.nodes)
    return found if alone or len(found) == 1 else {None: list(sums)}


def pieces(cx: Context, source: Source | None, names: Sequence[str]) -> str:
    """How many elements of `source` (None: of what goes through no buffer) are added up at a time.

    names: the variables that hold the lengths of the loops
    """
    if source is None:
        count = " * ".join(names)
        return count if cx.tables.features.whole_rows else f"sol_buffered({count}, SOL_BUFFER)"
    sizes, apart = cx.names.fresh("sizes"), cx.names.fresh("apart")
    for name, texts in ((sizes, names), (apart, source.steps)):
        cx.out.line(f"const int64_t {name}[] = {{{', '.join(map(str, reversed(texts)))}}};")
    return f"sol_buffered({len(source.steps)}, {sizes}, {apart}, {str(source.converted).lower()})"


@dataclass(frozen=True)
class Source:
    """What NumPy reads through a buffer: elements that are so far apart along the loops."""

    steps: tuple[Text, ...]
    converted: bool


def _source(cx: Context, m: Map, r: Reduction) -> Source | None:
    """What is summed up, if that are elements of an array that may have to go through a buffer."""
    writes = [x for x in m.body.nodes if isinstance(x, Tasklet) and x.out == r.target]
    if r.wcr != "add" or not r.single or len(writes) != 1:
        return None
    code, converted = writes[0].code, False
    if isinstance(code, Cast):
        code, converted = code.arg, True
    if not isinstance(code, Load):
        return None
    steps = _steps(cx, code.memlet, m.vars, m.spans)
    plain = not converted and (len(m.vars) == 1 or follow_each_other(cx, code.memlet, m.vars, m.spans))
    return None if steps is None or plain else Source(steps, converted)


def follow_each_other(cx: Context, m: Memlet, names: Sequence[str], spans: Sequence[Range]) -> bool:
    """Tell whether these loops walk over neighbours in memory, one after the other."""
    steps, expected = _steps(cx, m, names, spans), Text("1")
    for span, s in zip(reversed(spans), reversed(steps or ())):
        if s != expected:
            return False
        n = memory_of(cx).length(span)
        expected = n if expected.text == "1" else product(expected, n)
    return steps is not None


def _steps(cx: Context, m: Memlet, names: Sequence[str], spans: Sequence[Range]) -> tuple[Text, ...] | None:
    """Elements from one turn of each loop to the next, if that is known."""
    found = [_step(cx, m, v, s) for v, s in zip(names, spans)]
    steps = tuple(s for s in found if s is not None)
    return steps if len(steps) == len(found) else None


def _step(cx: Context, m: Memlet, var: str, span: Range) -> Text | None:
    """Elements from one turn of a loop to the next."""
    if not is_const(span.step, 1):
        return None
    moved = growth(m, var)
    if moved is None:
        return None
    strides, apart = memory_of(cx).strides(m.data), Text("0")
    for dim, by in moved.items():
        if by:
            apart = total(apart, product(Text(str(by)), strides[dim]))
    return apart
