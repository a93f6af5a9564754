"""Array variables (`Ref`s) that may have a mirror on the device, and which containers belong together by them.

    for t in range(T):                    u_2 stands for u, then for the t of an iteration. If
        alloc(t); …                       u_2 gets a mirror, u and t get one, and u_2's mirror is
        bind(u_2, t[0:n])                 bound to the mirror of what u_2 is bound to.

`why_not(program, name)` tells what keeps an array variable on the host, `tied(program, name)` what gets mirrors along with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from weakref import WeakKeyDictionary

from soljit.analysis.memory.accesses import effects
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Data, Ref
from soljit.ir.core.nodes import Call, Callback, Program, Region
from soljit.ir.core.types import obj
from soljit.ir.walk import walk
from soljit.ir.walk.spaces import HOST, base_of


@dataclass
class _Known:
    """sources: Ref → what it may be bound to; given: Refs that a call gives their memory; private: containers of maps"""

    sources: dict[str, set[str]] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    private: frozenset[str] = frozenset()


_KNOWN: WeakKeyDictionary[Region, _Known] = WeakKeyDictionary()


def _known(body: Region) -> _Known:
    """The bindings of a body, remembered for as long as it lives."""
    known = _KNOWN.get(body)
    if known is None:
        e = effects(body)
        known = _KNOWN[body] = _Known(private=e.private)
        for ref, source in e.bindings:
            known.sources.setdefault(ref, set()).add(source)
        if e.binds:
            known.given = {name for n in walk(body) if isinstance(n, (Call, Callback)) for name in n.outs}
    return known


def why_not(program: Program, name: str) -> Said | None:
    """What keeps an array variable on the host, as a part of a sentence; None if nothing does."""
    known, seen, pending = _known(program.body), set[str](), [name]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        d: Data | None = program.data.get(one)
        if isinstance(d, Ref) and d.dtype is not obj and d.storage == HOST:
            if one in known.given:
                return said("given memory", name=one)
            pending += [base_of(program.data, x) for x in (*known.sources.get(one, ()), *d.alias)]
        elif isinstance(d, Array) and d.storage == HOST and one not in known.private:
            if d.alias is not None and _shared(program.data, one, d.alias):
                return said("shared by a variable", array=one, name=name)
        else:
            return said("known to others", name=name)
    return None


def _shared(data: Mapping[str, Data], name: str, group: str) -> bool:
    return any(isinstance(d, Array) and d.alias == group and k != name for k, d in data.items())


def tied(program: Program, name: str) -> frozenset[str]:
    """The containers that get mirrors if array variable `name` gets one: those that it is tied to by any chain of bindings."""
    if not isinstance(program.data.get(name), Ref):
        return frozenset()
    sources = {
        ref: {base_of(program.data, x) for x in (*_known(program.body).sources.get(ref, ()), *d.alias)}
        for ref, d in program.data.items()
        if isinstance(d, Ref) and why_not(program, ref) is None
    }
    seen, more = set[str](), {name}
    while more:
        seen |= more
        more = {x for name in more for x in sources.get(name, ())}
        more |= {ref for ref, behind in sources.items() if not behind.isdisjoint(seen)}
        more -= seen
    return frozenset(seen)
