"""Looks for signals in loops: which loops look, and what their iterations count for, says `analysis/cost/looks.py`.

    int64_t left = SOL_LOOK;
    …
    for (int64_t i = 0; i < n; ++i) {
      …
      if (SOL_UNLIKELY((left -= 12) < 0) && !(left = sol_look(frame, 3))) return SOL_PYTHON;
    }

Each thread of a team has a count of its own. They leave their region by `goto`, and then the function.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soljit.analysis.cost.looks import goes_on, is_looking
from soljit.codegen.spelling.expressions import value
from soljit.codegen.writing.context import Context
from soljit.ir.core.expr import Const, Expr
from soljit.ir.core.nodes import Loop, Map, Region, While
from soljit.ir.walk import walk

_MOST = 1 << 20  # operations, as `sol_work` in prelude.h


def before(cx: Context, body: Region, number: int = 0, work: str = "") -> str:
    """The line of each iteration of a loop that looks; "" if it does not look. What it needs is written, in front of the loop. work: what to count instead."""
    look = cx.looks.loops.get((id(body), number))
    if look is None or cx.in_kernel or cx.block is not None:
        return ""
    cx.tables.headers.add("look")
    size = work or _size(cx, look.work)
    place = cx.tables.raising("", None, (), look.loc)
    thread = f", {cx.thread}" if cx.thread else ""
    return (
        f"if (SOL_UNLIKELY(({cx.left} -= {size}) < 0) && !({cx.left} = sol_look(frame, {place}{thread}))) {leave(cx)}"
    )


@contextmanager
def iteration(cx: Context, line: str, body: Region) -> Iterator[None]:
    """What is written inside is an iteration, which looks at its end: what stands in front of a way out of a loop is computed in each run of it, so that the
    compiler may take it out. One with a `continue` looks when it begins."""
    early = line and goes_on(body)
    if early:
        cx.out.line(line)
    yield
    if line and not early:
        cx.out.line(line)


def arm(cx: Context, r: Region) -> None:
    """Begin an arm of a branch."""
    work = cx.looks.arms.get(id(r))
    if work is not None and not cx.in_kernel and cx.block is None:
        cx.tables.headers.add("look")
        cx.out.line(f"{cx.left} -= {_size(cx, work)};")


def leave(cx: Context) -> str:
    """How a function is left whose loop was interrupted."""
    return f"goto {cx.leave};" if cx.leave else "return SOL_PYTHON;"


def after_region(cx: Context) -> None:
    """Behind the region of a team that looks."""
    cx.out.line(f"if (SOL_UNLIKELY(frame->stopped)) {leave(cx)}")


def are_in(cx: Context, m: Map) -> bool:
    """Tell whether there are looks in a map."""
    loops, arms = cx.looks.loops, cx.looks.arms  # what arms count is a thread's own
    return any(id(n) in arms or isinstance(n, (Loop, While, Map)) and is_looking(loops, n) for n in walk(m))


def _size(cx: Context, work: Expr) -> str:
    if isinstance(work, Const):
        return str(max(1, min(int(work.value.real), _MOST)))
    name = cx.names.fresh("work")
    cx.out.line(f"const int64_t {name} = sol_work({value(cx, work)});")
    return name
