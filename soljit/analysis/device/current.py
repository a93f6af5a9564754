"""Which memory is current where, as a program goes: the half of `analysis/device/residency.py` that looks forward.

Array variables make it that memory has several names. What is done under one of them counts for all that may have memory in common
there, and what a variable stands for is known as well as what it was bound to (`analysis/memory/bindings.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from weakref import WeakKeyDictionary

from soljit.analysis.device.pairs import Pairs, Transfer
from soljit.analysis.flow.forward import Forward
from soljit.analysis.memory.bindings import Bindings, nothing_bound
from soljit.analysis.memory.coverage import is_whole
from soljit.base.records import dataclass
from soljit.ir.core.data import Array
from soljit.ir.core.nodes import Alloc, Bind, Call, Callback, Node, Region
from soljit.ir.walk.spaces import DEVICE, HOST, base_of

Spaces = frozenset[str]
Current = Mapping[str, Spaces]  # home → spaces
UNWRITTEN = "unwritten"  # stands among the spaces while no element has a value that counts: then any value will do
ZERO = "zero"  # stands among them while all elements are the zeros that the memory was made with
_NOWHERE: Spaces = frozenset()
_ANYWHERE: Spaces = frozenset({HOST, DEVICE, UNWRITTEN})
_BOTH: Spaces = frozenset({HOST, DEVICE})


@dataclass(frozen=True, slots=True)
class State:
    """What is known at a place.

    own:   name → spaces that are not old by what was done under this very name. Memory is current in a space if that holds for
           all names that it may have
    known: variables and what they may stand for → spaces that are current for certain, whatever other names say
    """

    own: Current
    known: Current = field(default_factory=dict)
    bindings: Bindings = field(default_factory=lambda: nothing_bound(()))


def current(pairs: Pairs, state: State, home: str) -> Spaces:
    """The spaces in which all elements are current."""
    spaces = state.own[home]
    for other in pairs.overlapping(home, state.bindings):
        spaces &= state.own[other]
    if not state.known:
        return spaces
    pieces = state.bindings.stands.get(home, _NOWHERE)
    certain = [state.known.get(piece, _NOWHERE) for piece in pieces]
    return spaces | state.known.get(home, _NOWHERE) | (certain[0].intersection(*certain) if certain else _NOWHERE)


_KNOWN: WeakKeyDictionary[Region, tuple[Pairs, Mapping[Node, State]]] = WeakKeyDictionary()


def states(pairs: Pairs, body: Region) -> Mapping[Node, State]:
    """The states in front of all nodes of a body that control may reach, remembered for as long as it lives."""
    known = _KNOWN.get(body)
    if known is None or known[0] is not pairs:
        forward = _Forward(pairs.facts, pairs=pairs)
        arguments = {h for h in pairs.mirror if isinstance(d := pairs.data[h], Array) and not d.transient}
        own = {h: frozenset({HOST}) if h in arguments else _ANYWHERE for h in pairs.mirror.keys() | pairs.variables}
        forward.region(body, State(own, {}, nothing_bound(pairs.variables)))
        known = _KNOWN[body] = pairs, forward.before
    return known[1]


def _common(a: Current, b: Current) -> Current:
    return a if a is b else {h: x if x is (y := b.get(h, _NOWHERE)) else x & y for h, x in a.items()}


@dataclass
class _Forward(Forward[State]):
    pairs: Pairs = field(kw_only=True)

    def both(self, a: State, b: State) -> State:
        return State(_common(a.own, b.own), _common(a.known, b.known), a.bindings.both(b.bindings))

    def leaf(self, n: Node, state: State) -> State:
        match n:
            case Alloc():
                return self.alloc(n, state)
            case Bind() if n.ref in self.pairs.variables:
                return self.bind(n, state)
            case Bind():
                return state
            case _:
                state = self.touch(n, state)
                for name in self.pairs.variables.intersection(n.outs) if isinstance(n, (Call, Callback)) else ():
                    pieces = self.pairs.alias.homes(name) | {f"{piece}'" for piece in self.pairs.alias.homes(name)}
                    state = self.left(name, state)
                    own = {**state.own, name: frozenset({HOST})}
                    state = State(own, {**state.known, name: _NOWHERE}, state.bindings.given(name, pieces))
                return state

    def left(self, name: str, state: State) -> State:
        """What is old in the memory of `name` is so under its other names."""
        old = state.own[name]
        if not self.pairs.variables or old >= _BOTH:
            return state
        around = sorted(state.bindings.covering(name) - {name})[:1]
        others = around or list(self.pairs.overlapping(name, state.bindings))
        return replace(state, own={**state.own, **{h: state.own[h] & old for h in others if h in state.own}})

    def alloc(self, n: Alloc, state: State) -> State:
        """Fresh memory: filled with zeros, or with anything."""
        if n.data in self.pairs.mirror:
            state = self.left(n.data, state)
            own = {**state.own, n.data: frozenset({HOST, ZERO}) if n.zero else _ANYWHERE}
            if not self.pairs.variables:
                return State(own)
            return State(own, {**state.known, n.data: _NOWHERE}, state.bindings.allocated(n.data))
        home = self.pairs.home.get(n.data)
        if home is None or UNWRITTEN in state.own[home]:
            return state
        old = state.own[home]
        new = old | {DEVICE} if n.zero and ZERO in old else old - {DEVICE}
        return replace(state, own={**state.own, home: new})

    def bind(self, n: Bind, state: State) -> State:
        """The variable gets another memory, of which as much is known as by the other name."""
        source = base_of(self.pairs.data, n.source.data)
        pieces = self.pairs.pieces(source, state.bindings)
        whole = source == n.source.data and is_whole(n.source, self.pairs.walked(source), self.pairs.facts)
        own, known = _BOTH, _NOWHERE
        if source in state.own:
            own |= current(self.pairs, state, source) & {UNWRITTEN, ZERO}
            known = state.known.get(source, _NOWHERE)
        if source == n.ref:
            own = state.own[n.ref]
        else:
            state = self.left(n.ref, state)
        bindings = state.bindings.bound(n.ref, source, pieces, whole)
        return State({**state.own, n.ref: own}, {**state.known, n.ref: known}, bindings)

    def touch(self, n: Node, state: State) -> State:
        """What is written becomes old elsewhere; what is copied is current on both sides."""
        moved = self.pairs.transfer(n)
        touches = self.pairs.touches(n)
        if moved is None and not any(t.writes for t in touches):
            return state
        own, known = dict(state.own), dict(state.known)
        for t in touches:
            if t.writes and (moved is None or t.home != moved.home):
                here = frozenset({t.space})
                own[t.home] = here if t.whole else state.own[t.home] & here
                if self.pairs.variables:
                    for h in (t.home, *self.pairs.overlapping(t.home, state.bindings)):
                        known[h] = known.get(h, _NOWHERE) & here
                    for h in state.bindings.covered(t.home) & own.keys() if t.whole else ():
                        own[h] = known[h] = here
        if moved is not None:
            self.move(moved, state, own, known)
        return State(own, known, state.bindings)

    def move(self, moved: Transfer, state: State, own: dict[str, Spaces], known: dict[str, Spaces]) -> None:
        """A transfer. What an argument stands for is home only if it is copied by its own name (`ir/walk/spaces.py`)."""
        old = current(self.pairs, state, moved.home)
        if moved.source not in old and (not moved.whole or self.pairs.variables):
            for h in self.pairs.overlapping(moved.home, state.bindings):
                own[h] -= {moved.space}
                known[h] = known.get(h, _NOWHERE) - {moved.space}
            if not moved.whole:
                own[moved.home] -= {moved.space}
                known[moved.home] = known.get(moved.home, _NOWHERE) - {moved.space}
        if moved.whole:
            own[moved.home] |= _BOTH
            if self.pairs.variables:
                for h in (state.bindings.covered(moved.home) & own.keys()) - self.pairs.excepted(moved):
                    own[h] |= _BOTH
                    known[h] = _BOTH
