"""Which copies are made for the caller only, and what host code needs of arguments: what device arrays can do without.

An argument that is a device array may be current on the device alone, before the program and behind it. Then

* a download counts only if host code of the program itself reads the array behind it (`for_the_caller`: those that do not),
* host code that reads an array before it is copied home, or writes it, must be told of before (`used_on_host`).

A result stays on the device, too, if the device has all of it at each `Return` (`handed_over`). Its mirror must be there at that place, and
what is returned must be a container or a view of it. What an array variable stands for is looked up when the program runs: it is an argument, or
comes home.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from weakref import WeakKeyDictionary

from soljit.analysis.device.current import states
from soljit.analysis.device.pairs import Pairs, Transfer, pairs_of
from soljit.analysis.device.residency import Need, Needed, _Backward, _with, _without, current_before
from soljit.analysis.memory.accesses import below, effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Alloc, Copy, Node, Program, Region, Return
from soljit.ir.walk.effects import loads_of, memlets_read
from soljit.ir.walk.spaces import DEVICE, HOST, base_of, is_device_call, is_kernel
from soljit.ir.walk.tree import children_nodes, values


@dataclass(frozen=True, slots=True)
class CallerCopies:
    """See the head of this file.

    for_the_caller: copies to the host that nobody in the program needs
    used_on_host:   array parameters that host code reads before they are copied home, or writes → does it write them?
    handed_over:    for each Return, the mirrors of what it returns that the device has all of
    """

    for_the_caller: frozenset[Copy]
    used_on_host: Mapping[str, bool]
    handed_over: Mapping[Return, tuple[str, ...]]


_KNOWN: WeakKeyDictionary[Program, CallerCopies] = WeakKeyDictionary()


def caller_copies(program: Program) -> CallerCopies:
    """What of a program with kernels only the caller wants, remembered for as long as the program lives."""
    known = _KNOWN.get(program)
    if known is None:
        known = _KNOWN[program] = _find(program)
    return known


def _find(program: Program) -> CallerCopies:
    pairs = pairs_of(program)
    handed = _handed_over(program, pairs)
    before = states(pairs, program.body) if pairs.variables else {}
    walk = _ForTheProgram(pairs, before, kept=frozenset(h for homes in handed.values() for h in homes))
    walk.exit = {h: {HOST: Need("escapes", program.body)} for h in pairs.held}
    first = walk.region(program.body, walk.exit)
    copies = [n for n in walk.after if isinstance(n, Copy)]
    moves = [(n, moved) for n in copies if (moved := pairs.transfer(n)) is not None and moved.space == HOST]
    read, written = _touched_on_host(program, pairs)
    used = {}
    for p in program.params:
        pieces = pairs.alias.homes(p.name) if p.kind == "array" else frozenset()
        early = HOST in first.get(p.name, {}) if p.name in pairs.mirror else not read.isdisjoint(pieces)
        if early or not written.isdisjoint(pieces):
            used[p.name] = not written.isdisjoint(pieces)
    return CallerCopies(
        frozenset(n for n, moved in moves if moved.whole and not walk.is_needed(n, moved)),
        used,
        {n: tuple(pairs.mirror[h] for h in homes) for n, homes in handed.items()},
    )


@dataclass
class _ForTheProgram(_Backward):
    """What the program itself needs: uploads of arguments need nothing, since either side may be current, and neither does a Return of
    what the device has."""

    kept: frozenset[str] = field(default_factory=frozenset)

    def is_needed(self, n: Copy, moved: Transfer) -> bool:
        """Does the program read what this copies to the host, by whatever name?"""
        names = [moved.home]
        if n in self.states:
            names += self.pairs.overlapping(moved.home, self.states[n].bindings)
        return any(HOST in self.after[n].get(name, {}) for name in names)

    def leaf(self, n: Node, need: Needed) -> Needed:
        moved = self.pairs.transfer(n)
        if moved is None or not moved.whole or moved.space != DEVICE or not self.is_given(n, moved.home):
            return super().leaf(n, need)
        need = self.touched(n, need)
        for h in self.covered(n, moved.home):
            need = _without(need, h, DEVICE)
        return need

    def is_given(self, n: Node, home: str) -> bool:
        """Is this an argument, whatever it stands for at this node?"""
        if home in self.pairs.variables:
            return n in self.states and self.pairs.pieces(home, self.states[n].bindings) <= self.pairs.arguments
        return home in self.pairs.arguments

    def touched(self, n: Node, need: Needed) -> Needed:
        if not isinstance(n, Return):
            return super().touched(n, need)
        loaded = {(self.pairs.where(k)[0], h) for k in _loaded(n) for h in self.pairs.where(k)[1]}
        for t in self.pairs.touches(n):
            given = t.home in self.kept or t.home in self.pairs.arguments or t.home in self.pairs.variables
            if not (given and t.space == HOST) or (t.space, t.home) in loaded:
                need = _with(need, t.home, t.space, Need(self.deed(t), n))
        return need


def _loaded(n: Return) -> set[str]:
    """Containers of which a Return needs single elements."""
    return {m.data for m in loads_of(values(n))}


def _handed_over(program: Program, pairs: Pairs) -> dict[Return, tuple[str, ...]]:
    """For each Return the fresh arrays that it returns and the device has; none that another Return takes from the host."""
    current = current_before(program)
    chains = {n: chain for n, chain in below(program.body) if isinstance(n, (Alloc, Return))}
    made = {n.data: chain for n, chain in chains.items() if isinstance(n, Alloc)}
    found: dict[Return, set[str]] = {}
    refused: set[str] = set()
    for n, chain in chains.items():
        if not isinstance(n, Return):
            continue
        named = {base_of(program.data, v.data) for v in n.values if isinstance(v, Memlet)}
        for t in pairs.touches(n):
            d, mirror = program.data.get(t.home), pairs.mirror.get(t.home)  # None: an array variable of the host
            fresh = isinstance(d, Array) and d.transient and t.home in named and t.home not in pairs.held
            if fresh and DEVICE in current.get(n, {}).get(t.home, ()) and _is_around(made.get(mirror or ""), chain):
                found.setdefault(n, set()).add(t.home)
            else:
                refused.add(t.home)
    return {n: tuple(sorted(homes - refused)) for n, homes in found.items()}


def _is_around(outer: tuple[Node, ...] | None, chain: tuple[Node, ...]) -> bool:
    """Is what was made below the nodes `outer` still there below `chain`?"""
    return outer is not None and len(outer) <= len(chain) and all(a is b for a, b in zip(outer, chain))


def _touched_on_host(program: Program, pairs: Pairs) -> tuple[frozenset[str], frozenset[str]]:
    """Pieces of memory that host code reads, and those that it writes. What is handed to the caller is not read."""
    read, written = set[str](), set[str]()
    for n, chain in below(program.body):
        if any(is_kernel(c) for c in (n, *chain)) or is_device_call(n, program.data) or isinstance(n, (Alloc, Region)):
            continue
        if pairs.transfer(n) is not None:
            continue
        if children_nodes(n):
            read |= {m.data for m in memlets_read(n)}
        elif isinstance(n, Return):
            read |= _loaded(n)
        else:
            read |= {a.data for a in effects(n).reads}
            written |= {a.data for a in effects(n).writes}
    pieces = [frozenset().union(*(pairs.alias.homes(k) for k in names)) for names in (read, written)]
    return pieces[0], pieces[1]
