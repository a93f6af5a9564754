"""Which memory is current where, and who needs it later: what decides about transfers between host and device.

`current_before(program)`: for each node and each pair, the spaces in which all of its elements are what the program computed last.
A write in one space makes the other one old; a copy of all elements makes both current.
`needed_after(program)`: for each node and each pair, the spaces that may be read before all of their elements are written, with
the first reason. A write of a part counts as a read, for what it leaves alone must be current: two half-current copies cannot be joined.

A program that ends by an exception copies home what is newer on the device (`ir/spaces.py`), so a `Raise` needs nothing. For that, what
is newer on the device must be current there, and the host must not write an argument that is: such a write is a need, too.

Both walk the tree as `analysis/liveness.py` does; loops take as many rounds as it needs until nothing changes, which is two or three.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from soljit.analysis.coverage import runs
from soljit.analysis.pairs import Pairs, Touch, pairs_of
from soljit.base.place import Loc
from soljit.ir.data import Array
from soljit.ir.expr import TRUE
from soljit.ir.nodes import Alloc, Branch, Break, Continue, Loop, Node, Program, Raise, Region, Return, While
from soljit.ir.spaces import DEVICE, HOST

Spaces = frozenset[str]
Current = Mapping[str, Spaces]  # home → spaces
UNWRITTEN = "unwritten"  # stands among the spaces while no element has a value that counts: then any value will do
ZERO = "zero"  # stands among them while all elements are the zeros that the memory was made with
_NOWHERE: Spaces = frozenset()
_ANYWHERE: Spaces = frozenset({HOST, DEVICE, UNWRITTEN})
_BOTH: Spaces = frozenset({HOST, DEVICE})


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
    forward = _Forward(pairs)
    start = {
        h: frozenset({HOST}) if isinstance(d := pairs.data[h], Array) and not d.transient else _ANYWHERE
        for h in pairs.mirror
    }
    forward.region(body, start)
    return forward.before


def needed_in(pairs: Pairs, body: Region) -> Mapping[Node, Needed]:
    """`needed_after` of a program with these pairs and this body."""
    backward = _Backward(pairs)
    backward.exit = {h: {HOST: Need("escapes", body)} for h in pairs.arguments | pairs.held}
    backward.region(body, backward.exit)
    return backward.after


# --- forward ----------------------------------------------------------------------------------------------------------


def _meet(states: Iterable[Current | None]) -> Current | None:
    """What holds on all ways; None: no way leads here."""
    out: Current | None = None
    for s in states:
        if out is None or s is None or s is out:
            out = s if out is None else out
        else:
            out = {h: a if a is (b := s[h]) else a & b for h, a in out.items()}
    return out


@dataclass
class _Forward:
    """Goes through the program; a state is None where control does not come.

    exits: for each loop around, the states at its Breaks and at its Continues
    """

    pairs: Pairs
    before: dict[Node, Current] = field(default_factory=dict)
    exits: list[tuple[list[Current], list[Current]]] = field(default_factory=list)

    def region(self, region: Region, state: Current | None) -> Current | None:
        for n in region.nodes:
            if state is None:
                return None
            self.before[n] = _meet((self.before.get(n), state)) or state
            state = self.node(n, state)
        return state

    def node(self, n: Node, state: Current) -> Current | None:
        match n:
            case Region():
                return self.region(n, state)
            case Loop() | While():
                return self.loop(n, state)
            case Branch():
                return _meet((self.region(n.then, state), self.region(n.orelse, state)))
            case Break() | Continue():
                self.exits[-1][isinstance(n, Continue)].append(state)
                return None
            case Raise() | Return():
                return None
            case Alloc():
                return self.alloc(n, state)
            case _:
                return self.leaf(n, state)

    def loop(self, n: Loop | While, state: Current) -> Current | None:
        head = state
        while True:
            self.exits.append(([], []))
            end = self.region(n.body, head)
            breaks, continues = self.exits.pop()
            back = _meet((end, *continues))
            new = _meet((head, back)) or head
            if new == head:
                break
            head = new
        if isinstance(n, While):
            return _meet((None if n.cond == TRUE else head, *breaks))
        return _meet((back if runs(n.span, self.pairs.facts) else head, *breaks))

    def alloc(self, n: Alloc, state: Current) -> Current:
        """Fresh memory: filled with zeros, or with anything."""
        if n.data in self.pairs.mirror:
            return {**state, n.data: frozenset({HOST, ZERO}) if n.zero else _ANYWHERE}
        home = self.pairs.home.get(n.data)
        if home is None or UNWRITTEN in state[home]:
            return state
        if n.zero and ZERO in state[home]:
            return {**state, home: state[home] | {DEVICE}}
        return {**state, home: state[home] - {DEVICE}}

    def leaf(self, n: Node, state: Current) -> Current:
        moved = self.pairs.transfer(n)
        touches = self.pairs.touches(n)
        if moved is None and not any(t.writes for t in touches):
            return state
        new = dict(state)
        for t in touches:
            if moved is not None and t.home == moved.home:
                continue
            if t.writes:
                new[t.home] = frozenset({t.space}) if t.whole else state[t.home] & {t.space}
        if moved is not None:
            old = state[moved.home]
            if moved.whole:
                new[moved.home] = old | _BOTH
            elif moved.source not in old:
                new[moved.home] = old - {moved.space}
        return new


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

    exit: what is needed where the program is left in the ordinary way
    ways: for each loop around, what is needed behind it and at its next iteration
    """

    pairs: Pairs
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

    def touched(self, n: Node, need: Needed) -> Needed:
        """What is needed in front of a node that touches pairs, if `need` is needed behind it."""
        moved = self.pairs.transfer(n)
        for t in self.pairs.touches(n):
            if moved is not None and t.home == moved.home:
                continue
            if t.whole and t.writes and not (t.space == HOST and t.home in self.pairs.arguments):
                need = _without(need, t.home, t.space)
            else:
                need = _with(need, t.home, t.space, Need(self.deed(t), n))
        return need

    def deed(self, t: Touch) -> str:
        return "read" if t.reads else "write" if t.whole else "part"

    def leaf(self, n: Node, need: Needed) -> Needed:
        moved = self.pairs.transfer(n)
        need = self.touched(n, need)
        if moved is None:
            return need
        if moved.whole:
            need = _without(need, moved.home, moved.space)
        return _with(need, moved.home, moved.source, Need("copy", n))


def _without(need: Needed, home: str, space: str) -> Needed:
    old = need.get(home, {})
    return need if space not in old else {**need, home: {s: why for s, why in old.items() if s != space}}


def _with(need: Needed, home: str, space: str, why: Need) -> Needed:
    return {**need, home: {**need.get(home, {}), space: why}}
