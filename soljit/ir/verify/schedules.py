"""Are the choices that passes made for a map what the IR promises? The part of `ir/verify/program.py` about schedules.

A schedule has a role for each variable. Threads share outer variables only, and only the innermost variable runs in lanes.
"""

from __future__ import annotations

from collections.abc import Callable

from soljit.ir.core.nodes import Map

ROLES = ("seq", "threads", "lanes", "grid", "block")


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
