"""Which of the user's lines the loops of a program carry.

A statement of a helper that is compiled into its caller is another statement for each call. Compared with the program as the front end made it, this says which lines share a
loop that they do not share in the source: `Lines(final).shared(m, Lines(lowered))`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from soljit.analysis.explain.wording import of_the_user, plain
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.ir.core.nodes import Callback, Copy, Let, LibraryNode, Loop, Map, Node, Program, Tasklet, While
from soljit.ir.walk.tree import children_nodes

Spot = tuple[tuple[str, int], ...]  # file and line of a statement, and of the calls that led to it
_WORK = (Tasklet, Let, LibraryNode, Copy, Callback)
_THREADS = ("thread", "strips")  # variables that only count pieces


def spot(loc: Loc) -> Spot:
    """What tells a statement, in one of the calls of its function, apart from others."""
    return tuple((x.file, x.line) for x in of_the_user(loc).chain())


@dataclass
class Lines:
    """The statements of a program (without the functions that it calls) under its loops.

    under: loops (by id) → the statements in them; direct: those not in a loop inside; depth: how many loops of the source or of arrays a loop is below, itself included
    """

    program: Program
    under: dict[int, dict[Spot, Loc]] = field(default_factory=dict)
    direct: dict[int, dict[Spot, Loc]] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=dict)
    chains: dict[Spot, set[tuple[tuple[int, int], ...]]] = field(default_factory=dict)
    nodes: list[tuple[Node, tuple[Node, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._look(self.program.body, (), ())

    def _look(self, node: Node, loops: tuple[Node, ...], chain: tuple[tuple[int, int], ...]) -> None:
        self.nodes.append((node, loops))
        match node:
            case Map():
                counted = [k for k, v in enumerate(node.vars) if plain(v) not in _THREADS]
                loops, chain = (*loops, node), (*chain, *((id(node), k) for k in counted))
                self.depth[id(node)] = len(chain)
            case Loop() | While():
                loops, chain = (*loops, node), (*chain, (id(node), 0))
                self.depth[id(node)] = len(chain)
        if isinstance(node, _WORK) and node.loc.line:
            key, loc = spot(node.loc), of_the_user(node.loc)
            self.chains.setdefault(key, set()).add(chain)
            for around in loops:
                self.under.setdefault(id(around), {}).setdefault(key, loc)
            if loops:
                self.direct.setdefault(id(loops[-1]), {}).setdefault(key, loc)
        for n in children_nodes(node):
            self._look(n, loops, chain)

    def together(self, a: Spot, b: Spot) -> int:
        """How many loops the two statements have in common."""
        pairs = ((x, y) for x in self.chains.get(a, ()) for y in self.chains.get(b, ()))
        return max((_common(x, y) for x, y in pairs), default=0)

    def shared(self, m: Map, source: Lines) -> Iterator[tuple[Spot, Spot]]:
        """The pairs of statements for which this map is a loop that they do not share in the source."""
        here, depth = list(self.under.get(id(m), {})), self.depth[id(m)]
        for k, a in enumerate(here):
            for b in here[:k]:
                if a[0] != b[0] and source.together(a, b) < depth:
                    yield b, a

    def loops(self) -> Iterator[tuple[Map | Loop | While, tuple[Node, ...]]]:
        """All loops, each with those around it."""
        return ((n, around) for n, around in self.nodes if isinstance(n, Map | Loop | While))


def _common(x: tuple[tuple[int, int], ...], y: tuple[tuple[int, int], ...]) -> int:
    return next((k for k, (a, b) in enumerate(zip(x, y)) if a != b), min(len(x), len(y)))
