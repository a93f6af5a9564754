"""Take away host memory of temporaries that only the device uses.

    alloc(t); alloc(t_dev)   (t_dev mirrors t)        alloc(t_dev)   (t_dev mirrors nothing)
    map, schedule("grid"): t_dev[i] = …          →    map, schedule("grid"): t_dev[i] = …
    map, schedule("grid"): b_dev[i] = t_dev[i]        map, schedule("grid"): b_dev[i] = t_dev[i]

Proof: besides its `Alloc` nothing names the host's memory. drop_dead_transfers must come earlier, which takes away the copies that did, and
eliminate_dead_code, which takes away views.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.memory.occurrences import exposed, places
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.nodes import Alloc, Node, Program
from soljit.ir.walk import rewrite
from soljit.ir.walk.spaces import mirrors
from soljit.passes.manager import Context


def drop_host_copies(program: Program, cx: Context) -> Program:
    """Make device memory of their own of all mirrors whose host memory nobody uses, array variables first."""
    found = places(program)
    idle = {
        device: home for device, home in mirrors(program).items() if _is_variable(program, home) and home not in found
    }
    program = _alone(program, idle)
    found, shown = places(program), exposed(program)
    idle = {
        device: home
        for device, home in mirrors(program).items()
        if isinstance(d := program.data[home], Array)
        and d.transient
        and home not in shown
        and all(p.kind == "alloc" for p in found.get(home, ()))
    }
    return _alone(program, idle)


def _is_variable(program: Program, name: str) -> bool:
    return isinstance(program.data[name], Ref)


def _alone(program: Program, idle: Mapping[str, str]) -> Program:
    """The program without the host's side of these pairs."""
    if not idle:
        return program
    homes = {*idle.values()}

    def fn(n: Node) -> Node | tuple[Node, ...] | None:
        return () if isinstance(n, Alloc) and n.data in homes else None

    data = {k: d for k, d in program.data.items() if k not in homes}
    for device in idle:
        d = data[device]
        assert isinstance(d, (Array, Ref))
        data[device] = replace(d, mirror=None)
    return replace(program, body=rewrite(program.body, fn), data=data)
