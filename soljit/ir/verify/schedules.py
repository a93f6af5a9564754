"""Whether the choices that passes made for a map are what the IR promises. The part of `ir/verify/program.py` about schedules.

A schedule has a role for each variable. Threads share outer variables only, and only the innermost variable runs in lanes. Threads have parts of
elements into which the body combines values; only a map on threads, whose condition is a least amount of work, is watched. An unrolled variable
has a constant number of values.
"""

from __future__ import annotations

from collections.abc import Callable

from soljit.ir.core.expr import Const, Op
from soljit.ir.core.nodes import Map, Tasklet
from soljit.ir.symbolic import range_length
from soljit.ir.walk import walk
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
    if m.parts:
        combined = {n.out for n in walk(m.body) if isinstance(n, Tasklet) and n.out.wcr is not None}
        for part in m.parts:
            if part not in combined:
                fault(f"threads have parts of {part.data}, into which nothing is combined so")
