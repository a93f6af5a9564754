"""Pairs of a host container and its mirror on the device, and what nodes do to them.

`pairs_of(program)` finds the pairs and answers for each node: `touches(node)`, what a leaf, a map or the head of a loop or branch
reads and writes of which pair in which memory, views and other names of the memory included, and `transfer(node)`, whether it is
a copy between the two containers of a pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from soljit.analysis.flow.program_point import facts_of
from soljit.analysis.memory.accesses import Aliases, effects
from soljit.analysis.memory.bindings import UNBOUND, Bindings
from soljit.analysis.memory.coverage import is_whole, written_whole
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import ONE, Expr, Extent, Load, Range, Stride, subexpressions, symbols
from soljit.ir.core.nodes import Bind, Branch, Call, Callback, Copy, Loop, Node, Program, Region, While
from soljit.ir.core.types import obj
from soljit.ir.symbolic import Facts, linear, range_length, simplify
from soljit.ir.walk import memlets_read, walk
from soljit.ir.walk.spaces import DEVICE, HOST, base_of, mirrors, storage_of


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
    variables: array variables of the host that may stand for memory of pairs. Those that have mirrors are pairs, too: a transfer
               of such a pair copies what the variable stands for at the time (`analysis/memory/bindings.py`).
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
        self.variables = frozenset(
            name
            for name, v in self.data.items()
            if isinstance(v, Ref) and v.dtype is not obj and v.storage == HOST
            if name in self.mirror or any((HOST, piece) in self._by_home for piece in self.alias.homes(name))
        )
        for name in self.variables - self.mirror.keys():
            for piece in self.alias.homes(name):
                self._by_home.setdefault((HOST, piece), set()).add(name)
        self._lengths = {name: _lengths(program, name) for name in self.variables}
        params = {p.name for p in program.params}
        self.arguments = frozenset(h for h in self.mirror if h in params)
        self.held = frozenset(self._held(program))
        self._groups: dict[str, frozenset[str]] = {}
        self._names: dict[str, tuple[str, frozenset[str]]] = {}
        self._touches: WeakKeyDictionary[Node, tuple[Touch, ...]] = WeakKeyDictionary()
        self._transfers: WeakKeyDictionary[Node, Transfer | None] = WeakKeyDictionary()

    def _held(self, program: Program) -> Iterator[str]:
        names = {k for k, d in self.data.items() if isinstance(d, Ref) and d.dtype is obj}
        for n in walk(program.body):
            if isinstance(n, (Call, Callback)):
                names |= {a.data for a in effects(n).accesses}
        seen = self.alias.homes_of(names)
        for h in self.mirror.keys() - self.arguments:
            d = self.data[h]
            if (isinstance(d, Array) and not d.transient) or not self.alias.homes(h).isdisjoint(seen):
                yield h

    def shape(self, name: str) -> tuple[Expr, ...]:
        """The lengths of a container of a pair."""
        d = self.data[name]
        if isinstance(d, Ref):
            return self._lengths[name] or tuple(Extent(name, k) for k in range(d.ndim))
        return d.shape if isinstance(d, Array) else ()

    def walked(self, name: str) -> tuple[Expr, ...]:
        """The lengths as copies of all of a container name them."""
        d = self.data[name]
        return lengths(name, d) if isinstance(d, (Array, Ref)) else ()

    def side(self, home: str, space: str) -> str:
        """The container of the pair that lies there."""
        return home if space == HOST else self.mirror[home]

    def where(self, name: str) -> tuple[str, frozenset[str]]:
        """The space of a container, and the pairs whose memory there it may be.

        Of an array, those are no variables, and of a variable, it is itself: `pieces` tells what these may have in common.
        """
        if name not in self._names:
            storage = storage_of(self.data, name)
            space = HOST if storage in ("", HOST) else storage
            base = base_of(self.data, name)
            home = self.home.get(base, base)
            if home in self.variables:
                self._names[name] = space, frozenset((home,))
            else:
                found = (self._by_home.get((space, piece), set()) for piece in self.alias.homes(name))
                homes = frozenset().union(*found)
                self._names[name] = space, homes - self.variables if isinstance(self.data.get(base), Array) else homes
        return self._names[name]

    def group(self, home: str) -> frozenset[str]:
        """The pairs and variables that array variables tie to this pair; itself alone if there are none."""
        if home not in self._groups:
            names, pieces = {home}, self.alias.homes(home)
            while more := {v for v in self.variables - names if not pieces.isdisjoint(self.alias.homes(v))}:
                pieces = pieces.union(*(self.alias.homes(v) for v in more))
                names |= more
            if len(names) > 1 or home in self.variables:
                names |= {h for h in self.mirror if not pieces.isdisjoint(self.alias.homes(h))}
            self._groups |= dict.fromkeys(names, frozenset(names))
        return self._groups[home]

    def pieces(self, home: str, bindings: Bindings) -> frozenset[str]:
        """The pieces of memory that a container may stand for."""
        known = bindings.stands.get(home)
        return self.alias.homes(home) if known is None else known

    def overlapping(self, home: str, bindings: Bindings) -> Iterator[str]:
        """The other pairs and variables that may have memory in common with this one, at a place with these bindings."""
        if self.variables:
            pieces = self.pieces(home, bindings) - {UNBOUND}
            for other in self.mirror.keys() | self.variables:
                if other != home and not pieces.isdisjoint(self.pieces(other, bindings)):
                    yield other

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
                shape = self.walked(host.data)
                if is_whole(host, shape, self.facts) and is_whole(device, shape, self.facts):
                    return Transfer(host.data, space, True)
                if host.subset == device.subset and host.axes == device.axes:
                    return Transfer(host.data, space, False)
        return None

    def excepted(self, moved: Transfer) -> frozenset[str]:
        """The arguments for which a transfer does not count: they are home only if they are copied by their own names."""
        return self.arguments - {moved.home} if moved.space == HOST else frozenset()

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
            whole = w == {name} and r <= {name} and written_whole(node, name, self.shape(h), self.facts)
            yield Touch(h, space, bool(r), bool(w), whole)


def _lengths(program: Program, name: str) -> tuple[Expr, ...] | None:
    """The lengths that an array variable has whatever it is bound to, if they are sizes of arguments."""
    sizes = {*program.symbols, *(p.name for p in program.params if p.kind == "scalar")}
    found: tuple[Expr, ...] | None = None
    for n in walk(program.body):
        if isinstance(n, (Call, Callback)) and name in n.outs:
            return None
        if isinstance(n, Bind) and n.ref == name:
            m = n.source
            if any(isinstance(x, (Load, Extent, Stride)) for e in m.children for x in subexpressions(e)):
                return None
            walked = [m.subset[k] if k >= 0 else None for k in m.dims]
            if not all(linear(r.step).is_const for r in walked if isinstance(r, Range)):
                return None
            new = tuple(simplify(range_length(r)) if isinstance(r, Range) else ONE for r in walked)
            if any(not symbols(e) <= sizes for e in new) or (found is not None and new != found):
                return None
            found = new
    return found


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


def lengths(name: str, d: Array | Ref) -> tuple[Expr, ...]:
    """The lengths of a container; those of an array variable are what they are at the time."""
    return d.shape if isinstance(d, Array) else tuple(Extent(name, k) for k in range(d.ndim))


def escaping(program: Program) -> frozenset[str]:
    """Host containers of pairs that somebody sees behind the program's end or even before: arguments, and what is held."""
    pairs = pairs_of(program)
    return pairs.arguments | pairs.held
