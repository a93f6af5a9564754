"""Which memory is current where, and who needs it later: what decides about transfers between host and device.

`current_before(program)`: for each node and each pair, the spaces in which all of its elements are what the program computed last.
A write in one space makes the other one old; a copy of all elements makes both current.
`needed_after(program)`: for each node and each pair, the spaces that may be read before all of their elements are written, with
the first reason. A write of a part counts as a read, for what it leaves alone must be current: two half-current copies cannot be joined.

A program that ends by an exception copies home what is newer on the device (`ir/walk/spaces.py`), so a `Raise` needs nothing. For that, what
is newer on the device must be current there, and the host must not write an argument that is: such a write is a need, too.

Both walk the tree as `analysis/flow/liveness.py` does; loops take as many rounds as it needs until nothing changes, which is two or three.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from weakref import WeakKeyDictionary

from soljit.analysis.device.current import Current, State, current, states
from soljit.analysis.device.pairs import Pairs, Touch, pairs_of
from soljit.analysis.memory.coverage import runs
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.ir.core.expr import TRUE
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
    Break,
    Call,
    Callback,
    Continue,
    Loop,
    Node,
    Program,
    Raise,
    Region,
    Return,
    While,
)
from soljit.ir.walk.spaces import DEVICE, HOST, base_of


@dataclass(frozen=True, slots=True)
class Need:
    """Why a space must be current: the first node that wants it.

    deed: "read", "write" (an argument is written by host code), "part" (not known to write all), "copy" or "escapes"
    """

    deed: str
    node: Node

    @property
    def loc(self) -> Loc:
        return self.node.loc


Needed = Mapping[str, Mapping[str, Need]]  # home → space → why


def current_before(program: Program) -> Mapping[Node, Current]:
    """For each node that control may reach: home → the spaces in which all of it is current."""
    return _known(program)[0]


def needed_after(program: Program) -> Mapping[Node, Needed]:
    """For each node: home → the spaces that may be read behind it before they are written whole."""
    return _known(program)[1]


_KNOWN: WeakKeyDictionary[Program, tuple[Mapping[Node, Current], Mapping[Node, Needed]]] = WeakKeyDictionary()


def _known(program: Program) -> tuple[Mapping[Node, Current], Mapping[Node, Needed]]:
    known = _KNOWN.get(program)
    if known is None:
        pairs = pairs_of(program)
        known = _KNOWN[program] = current_in(pairs, program.body), needed_in(pairs, program.body)
    return known


def current_in(pairs: Pairs, body: Region) -> Mapping[Node, Current]:
    """`current_before` of a program with these pairs and this body."""
    if not pairs.variables:
        return {n: s.own for n, s in states(pairs, body).items()}
    return {n: {h: current(pairs, s, h) for h in s.own} for n, s in states(pairs, body).items()}


def needed_in(pairs: Pairs, body: Region) -> Mapping[Node, Needed]:
    """`needed_after` of a program with these pairs and this body."""
    needed = needs_in(pairs, body)
    if not pairs.variables:
        return needed
    out = dict(needed)
    for n, state in states(pairs, body).items():
        moved = pairs.transfer(n)
        if moved is not None:
            need = needed.get(n, {})
            others = [need[h] for h in pairs.overlapping(moved.home, state.bindings) if h in need]
            for more in others:
                out[n] = {**out[n], moved.home: {**more, **out[n].get(moved.home, {})}}
    return out


def needs_in(pairs: Pairs, body: Region) -> Mapping[Node, Needed]:
    """The same, for each name by itself: what others may need that have memory in common with it is left out."""
    backward = _Backward(pairs, states(pairs, body) if pairs.variables else {})
    backward.exit = {h: {HOST: Need("escapes", body)} for h in pairs.arguments | pairs.held}
    backward.region(body, backward.exit)
    return backward.after


def bound_in(pairs: Pairs, body: Region) -> Callable[[Node, str], bool]:
    """Tells whether a container has memory for certain in front of a node."""
    known = states(pairs, body) if pairs.variables else {}
    return lambda n, home: n not in known or known[n].bindings.is_bound(home)


# --- backward ---------------------------------------------------------------------------------------------------------


def _union(*ways: Needed) -> Needed:
    """What is needed on some way; the first reasons count."""
    out, *others = ways
    for way in others:
        if way is not out:
            more = {h: {**needs, **out.get(h, {})} for h, needs in way.items() if out.get(h) is not needs}
            out = {**out, **more} if more else out
    return out


def _same(a: Needed, b: Needed) -> bool:
    return a.keys() == b.keys() and all(a[h].keys() == b[h].keys() for h in a)


@dataclass
class _Backward:
    """Goes through the program from its end.

    states: what is known in front of the nodes, if there are variables
    exit: what is needed where the program is left in the ordinary way
    ways: for each loop around, what is needed behind it and at its next iteration
    """

    pairs: Pairs
    states: Mapping[Node, State] = field(default_factory=dict)
    exit: Needed = field(default_factory=dict)
    after: dict[Node, Needed] = field(default_factory=dict)
    ways: list[tuple[Needed, Needed]] = field(default_factory=list)

    def region(self, region: Region, need: Needed) -> Needed:
        for n in reversed(region.nodes):
            self.after[n] = need if n not in self.after else _union(self.after[n], need)
            need = self.node(n, need)
        return need

    def node(self, n: Node, need: Needed) -> Needed:
        match n:
            case Region():
                return self.region(n, need)
            case Loop() | While():
                return self.loop(n, need)
            case Branch():
                both = _union(self.region(n.then, need), self.region(n.orelse, need))
                return self.touched(n, both)
            case Break():
                return self.ways[-1][0]
            case Continue():
                return self.ways[-1][1]
            case Return():
                return self.touched(n, self.exit)
            case Raise():
                return self.touched(n, {h: {HOST: Need("escapes", n)} for h in self.pairs.held})
            case Alloc():
                return self.alloc(n, need)
            case Bind():
                return self.bind(n, need)
            case _:
                return self.leaf(n, need)

    def loop(self, n: Loop | While, need: Needed) -> Needed:
        endless = isinstance(n, While) and n.cond == TRUE
        first: Needed = {}
        while True:
            head = (
                self.touched(n, first if endless else _union(first, need))
                if isinstance(n, While)
                else _union(first, need)
            )
            self.ways.append((need, head))
            new = _union(first, self.region(n.body, head))
            self.ways.pop()
            if _same(new, first):
                break
            first = new
        if isinstance(n, While):
            return head
        return self.touched(n, first if runs(n.span, self.pairs.facts) else head)

    def alloc(self, n: Alloc, need: Needed) -> Needed:
        """What was in the memory before does not count."""
        home, space = (n.data, HOST) if n.data in self.pairs.mirror else (self.pairs.home.get(n.data), DEVICE)
        return need if home is None else _without(need, home, space)

    def bind(self, n: Bind, need: Needed) -> Needed:
        """What is needed of the variable is needed of what it is bound to."""
        source = base_of(self.pairs.data, n.source.data)
        if n.ref not in self.pairs.variables or n.ref == source or n.ref not in need:
            return need
        for space, why in need[n.ref].items() if source in self.pairs.mirror or source in self.pairs.variables else ():
            if space not in need.get(source, {}):
                need = _with(need, source, space, why)
        return {h: needs for h, needs in need.items() if h != n.ref}

    def covered(self, n: Node, home: str) -> frozenset[str]:
        """The names of memory that lies in this container for certain, at a node."""
        return self.states[n].bindings.covered(home) if n in self.states else frozenset((home,))

    def touched(self, n: Node, need: Needed) -> Needed:
        """What is needed in front of a node that touches pairs, if `need` is needed behind it."""
        moved = self.pairs.transfer(n)
        if isinstance(n, (Call, Callback)) and not self.pairs.variables.isdisjoint(n.outs):
            need = {h: needs for h, needs in need.items() if h not in n.outs}
        for t in self.pairs.touches(n):
            if moved is not None and t.home == moved.home:
                continue
            if t.whole and t.writes and not (t.space == HOST and t.home in self.pairs.arguments):
                for h in self.covered(n, t.home):
                    if not (t.space == HOST and h in self.pairs.arguments):
                        need = _without(need, h, t.space)
            else:
                need = _with(need, t.home, t.space, Need(self.deed(t), n))
            if t.writes and n in self.states:
                for h in self.pairs.overlapping(t.home, self.states[n].bindings):
                    if h in self.pairs.arguments:
                        need = _with(need, h, t.space, Need("part", n))
        return need

    def deed(self, t: Touch) -> str:
        return "read" if t.reads else "write" if t.whole else "part"

    def leaf(self, n: Node, need: Needed) -> Needed:
        moved = self.pairs.transfer(n)
        need = self.touched(n, need)
        if moved is None:
            return need
        if moved.whole:
            for h in self.covered(n, moved.home) - self.pairs.excepted(moved):
                need = _without(need, h, moved.space)
        return _with(need, moved.home, moved.source, Need("copy", n))


def _without(need: Needed, home: str, space: str) -> Needed:
    old = need.get(home, {})
    return need if space not in old else {**need, home: {s: why for s, why in old.items() if s != space}}


def _with(need: Needed, home: str, space: str, why: Need) -> Needed:
    return {**need, home: {**need.get(home, {}), space: why}}
