"""What array variables stand for at a place of a program: which names may show the same memory there, and which certainly do.

    bind(u_2, u[0:n])             u_2 is u
    for t in range(T):            u_2 may be u, or the t of an earlier iteration
        alloc(t)                  (this t is neither)
        …
        bind(u_2, t[0:n])         u_2 is t

Memory that an `Alloc` makes is another one each time it runs: what a variable stood for before is then called `t'`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from soljit.base.records import dataclass

UNBOUND = "?"  # stands among the pieces of a variable that may have no memory yet
Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Bindings:
    """The bindings at one place.

    stands: variable → pieces of memory that it may stand for: names of arrays (and of their groups), of older memory, UNBOUND
    covers: container → those that certainly include all of its memory, itself among them; itself alone, if it is not there
    """

    stands: Mapping[str, Names]
    covers: Mapping[str, Names]

    def covering(self, name: str) -> Names:
        """The names of memory that certainly includes all that `name` stands for."""
        return self.covers.get(name, frozenset((name,)))

    def covered(self, name: str) -> Names:
        """The names of memory that lies in that of `name` for certain."""
        return frozenset((name, *(k for k, around in self.covers.items() if name in around)))

    def is_bound(self, name: str) -> bool:
        """Tell whether this container has memory here, if it is an array variable."""
        return UNBOUND not in self.stands.get(name, ())

    def both(self, other: Bindings) -> Bindings:
        """What holds on both of two ways."""
        if self is other or self == other:
            return self
        stands = {k: a | other.stands[k] for k, a in self.stands.items()}
        common = self.covers.keys() & other.covers.keys()
        covers = {k: c for k in common if len(c := self.covers[k] & other.covers[k]) > 1}
        return Bindings(stands, covers)

    def bound(self, ref: str, source: str, pieces: Names, whole: bool) -> Bindings:
        """Behind a Bind of `ref` to `source`, a container (or a part of it) that may be these pieces of memory."""
        around = self.covering(source) - {ref}
        covers = _without(self.covers, ref)
        covers[ref] = around | {ref}
        if whole:
            for k in self.covered(source) - {ref}:
                covers[k] = covers.get(k, frozenset((k,))) | {ref}
        return Bindings({**self.stands, ref: pieces}, covers)

    def given(self, ref: str, pieces: Names) -> Bindings:
        """`ref` gets its memory from a call."""
        return Bindings({**self.stands, ref: pieces}, _without(self.covers, ref))

    def allocated(self, array: str) -> Bindings:
        """Behind an Alloc: what stood for the old memory does so no longer by this name."""
        old = f"{array}'"
        stands = {k: (p - {array}) | {old} if array in p else p for k, p in self.stands.items()}
        return replace(self, stands=stands, covers=_without(self.covers, array))


def _without(covers: Mapping[str, Names], name: str) -> dict[str, Names]:
    """What covers what, if `name` stands for something else from here on."""
    return {k: c for k, around in covers.items() if k != name and len(c := around - {name}) > 1}


def nothing_bound(variables: Iterable[str]) -> Bindings:
    """The bindings at the beginning of a program."""
    return Bindings({name: frozenset((UNBOUND,)) for name in variables}, {})
