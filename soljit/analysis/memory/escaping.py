"""Containers whose memory may be held by something that outlives their scope: array variables, results, Python objects."""

from __future__ import annotations

from collections.abc import Mapping

from soljit.analysis.memory.accesses import aliases
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Bind, Call, Callback, Program, Result, Return
from soljit.ir.walk import reached, walk
from soljit.ir.walk.spaces import base_of


def is_owned(r: Result) -> bool:
    """Does a result own memory or an object?"""
    return r.kind in ("array", "object")


def shares_memory(callee: Program) -> bool:
    """Tell whether something may hold memory of the arguments after the call: a result, or a Python object."""
    return any(map(is_owned, callee.results)) or any(p.kind == "object" for p in callee.params)


def escaping(program: Program, functions: Mapping[str, Program]) -> frozenset[str]:
    """Containers whose memory may be held by something that outlives their scope. functions: those that it calls, as far as they are known"""
    held: set[str] = set()
    for n in walk(program.body):
        held.update(home for name in reached(n) for home in aliases(program).homes(name) if home in program.data)
        match n:
            case Bind():
                held.add(n.source.data)
            case Return():
                held.update(v.data for v in n.values if isinstance(v, Memlet))
            case Callback():
                held.update(v.data for v in n.ins if isinstance(v, Memlet))
            case Call() if n.function not in functions or shares_memory(functions[n.function]):
                held.update(v.data for v in n.ins if isinstance(v, Memlet))
    return frozenset(base_of(program.data, name) for name in held)
