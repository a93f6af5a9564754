"""Which nodes of a list touch a container, kept up to date while nodes are replaced."""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping, Sequence

from soljit.analysis.memory.accesses import touched
from soljit.ir.core.nodes import Node, Region


class Users:
    """A list of nodes, and of each container the places of those that touch it."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = list(nodes)
        self._places: dict[str, list[int]] = {}
        for k, n in enumerate(self.nodes):
            for name in touched(n):
                self._places.setdefault(name, []).append(k)

    def of(self, name: str) -> Sequence[int]:
        """The places of the nodes that touch this container, in order."""
        return self._places.get(name, ())

    def replaced(self, changed: Mapping[int, Node]) -> Users:
        """With other nodes at some places; a region stands for all nodes in it."""
        if any(isinstance(n, Region) for n in changed.values()):
            every = [changed.get(k, n) for k, n in enumerate(self.nodes)]
            return Users([m for n in every for m in (n.nodes if isinstance(n, Region) else (n,))])
        for k, n in changed.items():
            before, now = touched(self.nodes[k]), touched(n)
            for name in before - now:
                self._places[name].remove(k)
            for name in now - before:
                insort(self._places.setdefault(name, []), k)
            self.nodes[k] = n
        return self
