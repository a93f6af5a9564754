"""Whether the choices that passes made for a map are what the IR promises. The part of `ir/verify/program.py` about schedules.

A schedule has a role for each variable. Threads share outer variables only, and only the innermost variable runs in lanes. Threads have parts of
elements into which the body combines values; only a map on threads, whose condition is a least amount of work, is watched. An unrolled variable
has a constant number of values. Only a body without loops is run in blocks or in pieces. Divisors are 64-bit integers that no iteration changes.
"""

from __future__ import annotations

from collections.abc import Callable

from soljit.ir.core.expr import Const, Load, Op, Sym, subexpressions
from soljit.ir.core.nodes import Branch, Loop, Map, Region, Tasklet
from soljit.ir.core.types import i64
from soljit.ir.symbolic import range_length
from soljit.ir.text.spelling import spell
from soljit.ir.walk import data_written, is_straight, symbols_defined, walk
from soljit.ir.walk.spaces import is_spread

ROLES = ("seq", "unrolled", "rolled", "threads", "lanes", "grid", "block", "cluster")


def schedule_faults(m: Map, fault: Callable[[str], None]) -> None:
    """Report what is wrong with the schedule of a map."""
    text = f"the schedule {', '.join(m.schedule)}"
    if len(m.schedule) not in (0, len(m.vars)):
        fault(f"a map with {len(m.vars)} variables has {text}")
    for word in m.schedule:
        if word not in ROLES:
            fault(f"the schedule {word} is unknown")
    if "threads" in m.schedule[m.schedule.count("threads") :]:
        fault(f"{text}: threads share outer variables only")
    if "lanes" in m.schedule[:-1]:
        fault(f"{text}: only the innermost variable runs in lanes")
    for word, span in zip(m.schedule, m.spans):
        if word == "unrolled" and not isinstance(range_length(span), Const):
            fault(f"{text}: the number of iterations of an unrolled loop is not constant")
    if (m.parts or m.watched) and "threads" not in m.schedule:
        fault("a map has parts or is watched, but not on threads")
    if m.watched and not (isinstance(m.when, Op) and m.when.name == "le"):
        fault("a map is watched without a least amount of work")
    if m.cluster is not None and is_spread(m):
        fault("a block map has a cluster of blocks")
    combined = {n.out for n in walk(m.body) if isinstance(n, Tasklet) and n.out.wcr is not None}
    for what, memlets in {
        "threads have parts of": m.parts,
        "the map ends with": m.until,
        "the map counts": m.counted,
    }.items():
        for memlet in memlets:
            if memlet not in combined:
                fault(f"{what} {memlet.data}, into which nothing is combined so")
    if m.blocks is not None and not 0 <= m.blocks <= len(m.vars):
        fault(f"{m.blocks} of {len(m.vars)} loops are blocks")
    if not 0 <= m.in_place <= (m.blocks or 0):
        fault(f"blocks of {m.in_place} loops are read in place, {m.blocks or 0} are blocks")
    if m.in_place and not all(isinstance(n, Tasklet) and isinstance(n.code, Load) for n in m.body.nodes):
        fault("blocks of computed terms are read in place")
    if m.buffered and not m.blocks == len(m.buffered) == len(m.vars):
        fault(f"{len(m.buffered)} of {len(m.vars)} loops read through a buffer, {m.blocks or 0} are blocks")
    if (m.blocks or m.until or m.counted) and not is_straight(m.body):
        fault("a map whose body has loops is cut into blocks or pieces")
    if m.few and m.blocks != 1 and not m.until:
        fault("a map that is neither a sum in blocks of one loop nor ends early has few iterations")
    divisor_faults(m, m.vars, fault)


def loop_faults(n: Loop, fault: Callable[[str], None]) -> None:
    """Report what is wrong with what passes have said of a loop."""
    divisor_faults(n, (n.var,), fault)
    if n.words:
        match n.body.nodes:
            case (Branch(cond=Load(), orelse=Region(nodes=())),):
                pass
            case _:
                fault("a loop over words is no branch on an element of a mask")


def divisor_faults(n: Map | Loop, variables: tuple[str, ...], fault: Callable[[str], None]) -> None:
    """Report divisors that are no integers, or that iterations change."""
    changed = {*variables, *symbols_defined(n.body), *data_written(n.body)}
    for d in n.divisors:
        used = {x.name if isinstance(x, Sym) else x.memlet.data for x in subexpressions(d) if isinstance(x, Sym | Load)}
        if d.dtype != i64 or used & changed:
            fault(f"the divisor {spell(d)} is no 64-bit integer that stays the same in all iterations")
