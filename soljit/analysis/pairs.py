"""Pairs of a host container and its mirror on the device, and what nodes do to them.

`pairs_of(program)` finds the pairs and answers for each node: `touches(node)`, what a leaf, a map or the head of a loop or branch
reads and writes of which pair in which memory, views and other names of the memory included, and `transfer(node)`, whether it is
a copy between the two containers of a pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from soljit.analysis.accesses import Aliases, effects
from soljit.analysis.coverage import is_whole, written_whole
from soljit.analysis.situation import facts_of
from soljit.ir.data import Array, Ref
from soljit.ir.effects import memlets_read
from soljit.ir.expr import Expr
from soljit.ir.nodes import Branch, Call, Callback, Copy, Loop, Node, Program, Region, While
from soljit.ir.spaces import DEVICE, HOST, mirrors, storage_of
from soljit.ir.symbolic import Facts
from soljit.ir.tree import walk
from soljit.ir.types import obj


@dataclass(frozen=True, slots=True)
class Touch:
    """What one node does to the memory of one pair on one side.

    home:  the host container of the pair
    space: HOST or DEVICE
    whole: certainly every element is written before any is read
    """

    home: str
    space: str
    reads: bool
    writes: bool
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Transfer:
    """A copy between the two containers of a pair, to `space`; `whole`: of all elements."""

    home: str
    space: str
    whole: bool

    @property
    def source(self) -> str:
        """The space that it copies from."""
        return HOST if self.space == DEVICE else DEVICE


class Pairs:
    """The pairs of a program. Bodies may change as long as containers and bindings of Refs stay the same.

    mirror:    host container → its mirror; a container with several mirrors is no pair
    arguments: host containers whose mirrors go home when an exception leaves the program
    held:      host containers that somebody else may look at at any time, an object that was given them, say
    facts:     what is known on entry
    """

    def __init__(self, program: Program) -> None:
        self.data = program.data
        of = mirrors(program)
        count = Counter(of.values())
        self.mirror: dict[str, str] = {h: d for d, h in of.items() if count[h] == 1 and h in self.data}
        self.home = {d: h for h, d in self.mirror.items()}
        self.facts: Facts = facts_of(program)
        self.alias = Aliases(program)
        self._by_home: dict[tuple[str, str], set[str]] = {}
        for h, d in self.mirror.items():
            for space, name in ((HOST, h), (DEVICE, d)):
                for piece in self.alias.homes(name):
                    self._by_home.setdefault((space, piece), set()).add(h)
        params = {p.name for p in program.params}
        self.arguments = frozenset(h for h in self.mirror if h in params)
        self.held = frozenset(self._held(program))
        self._names: dict[str, tuple[str, frozenset[str]]] = {}
        self._touches: WeakKeyDictionary[Node, tuple[Touch, ...]] = WeakKeyDictionary()
        self._transfers: WeakKeyDictionary[Node, Transfer | None] = WeakKeyDictionary()

    def _held(self, program: Program) -> Iterator[str]:
        names = {k for k, d in self.data.items() if isinstance(d, Ref) and d.dtype is obj}
        for n in walk(program.body):
            if isinstance(n, (Call, Callback)):
                names |= {a.data for a in effects(n).accesses}
        seen = frozenset().union(*(self.alias.homes(n) for n in names))
        for h in self.mirror.keys() - self.arguments:
            d = self.data[h]
            if (isinstance(d, Array) and not d.transient) or not self.alias.homes(h).isdisjoint(seen):
                yield h

    def shape(self, name: str) -> tuple[Expr, ...]:
        """The lengths of a container of a pair."""
        d = self.data[name]
        return d.shape if isinstance(d, Array) else ()

    def side(self, home: str, space: str) -> str:
        """The container of the pair that lies there."""
        return home if space == HOST else self.mirror[home]

    def where(self, name: str) -> tuple[str, frozenset[str]]:
        """The space of a container, and the pairs whose memory there it may be."""
        if name not in self._names:
            storage = storage_of(self.data, name)
            space = HOST if storage in ("", HOST) else storage
            found = (self._by_home.get((space, piece), set()) for piece in self.alias.homes(name))
            self._names[name] = space, frozenset().union(*found)
        return self._names[name]

    def transfer(self, node: Node) -> Transfer | None:
        """The node as a copy of the same elements between the two containers of a pair."""
        if not isinstance(node, Copy) or node.dst.wcr is not None:
            return None
        if node not in self._transfers:
            self._transfers[node] = self._transfer(node)
        return self._transfers[node]

    def _transfer(self, node: Copy) -> Transfer | None:
        for host, device, space in ((node.src, node.dst, DEVICE), (node.dst, node.src, HOST)):
            if self.home.get(device.data) == host.data:
                shape = self.shape(host.data)
                if is_whole(host, shape, self.facts) and is_whole(device, shape, self.facts):
                    return Transfer(host.data, space, True)
                if host.subset == device.subset and host.axes == device.axes:
                    return Transfer(host.data, space, False)
        return None

    def touches(self, node: Node) -> tuple[Touch, ...]:
        """What a leaf or a map does to pairs; of a loop or branch, what its head does (span or condition)."""
        known = self._touches.get(node)
        if known is None:
            known = self._touches[node] = tuple(self._find(node))
        return known

    def _find(self, node: Node) -> Iterator[Touch]:
        if isinstance(node, Region):
            return
        if isinstance(node, (Loop, While, Branch)):
            reads, writes = {m.data for m in memlets_read(node)}, set[str]()
        else:
            e = effects(node)
            reads, writes = {a.data for a in e.reads}, {a.data for a in e.writes}
            if isinstance(node, Copy) and node.dst.wcr is not None:
                reads.add(node.dst.data)
        found: dict[tuple[str, str], list[set[str]]] = {}
        for k, names in enumerate((reads, writes)):
            for name in names:
                space, homes = self.where(name)
                for h in homes:
                    found.setdefault((h, space), [set(), set()])[k].add(name)
        for (h, space), (r, w) in sorted(found.items()):
            name = self.side(h, space)
            whole = w == {name} and r <= {name} and written_whole(node, name, self.shape(name), self.facts)
            yield Touch(h, space, bool(r), bool(w), whole)


_PAIRS: WeakKeyDictionary[Program, Pairs] = WeakKeyDictionary()


def pairs_of(program: Program) -> Pairs:
    """The pairs of `program`, remembered for as long as it lives."""
    known = _PAIRS.get(program)
    if known is None:
        known = _PAIRS[program] = Pairs(program)
    return known


def touches(program: Program, node: Node) -> tuple[Touch, ...]:
    """What a node does to the pairs of `program`."""
    return pairs_of(program).touches(node)


def escaping(program: Program) -> frozenset[str]:
    """Host containers of pairs that somebody sees behind the program's end or even before: arguments, and what is held."""
    pairs = pairs_of(program)
    return pairs.arguments | pairs.held
