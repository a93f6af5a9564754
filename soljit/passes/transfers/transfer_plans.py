"""A transfer of one pair out of one loop: which copies go, which come, and where.

What the host does in the loop may stand in branches: `if t % 100 == 0: log(A[0])`. Then the copies that it needs may stand in these
branches, too: downloads in front of it, uploads behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from soljit.analysis.device.pairs import Pairs, Touch
from soljit.analysis.memory.accesses import below, effects
from soljit.base.records import dataclass
from soljit.ir.core.nodes import Alloc, Branch, Loop, Node, Region, Return, While
from soljit.ir.walk.spaces import HOST
from soljit.passes.transfers.copies import around, transfers_in


@dataclass
class Plan:
    """What becomes of the transfers of a pair, or of all pairs that array variables tie together, to one space in a loop.

    homes:    the pairs
    gone:     the copies in the loop that go
    before, behind: new copies, by the node that they stand at
    touching: the nodes in the loop that touch the host's side
    """

    homes: frozenset[str]
    gone: list[Node]
    before: dict[Node, list[Node]] = field(default_factory=dict)
    behind: dict[Node, list[Node]] = field(default_factory=dict)
    touching: list[Node] = field(default_factory=list)

    @property
    def new(self) -> list[Node]:
        return [c for copies in (*self.before.values(), *self.behind.values()) for c in copies]


@dataclass(frozen=True)
class Arm:
    """An arm of a branch in which the host touches a pair: the first and the last node of the arm that do."""

    first: Node
    last: Node
    touching: tuple[Node, ...]


def inserted(body: Region, plans: Sequence[Plan]) -> Region:
    """The body with the new copies of all plans."""
    before: dict[Node, list[Node]] = {}
    behind: dict[Node, list[Node]] = {}
    for p in plans:
        for n, copies in p.before.items():
            before.setdefault(n, []).extend(copies)
        for n, copies in p.behind.items():
            behind.setdefault(n, []).extend(copies)
    return around(body, before, behind)


def moved_in(loop: Loop | While, pairs: Pairs, space: str) -> dict[str, list[Node]]:
    """The transfers to a space in a loop, by pair, of memory that is made outside."""
    made = effects(loop).allocs
    found: dict[str, list[Node]] = {}
    for n, moved in transfers_in(loop.body, pairs):
        if moved.space == space and moved.home not in made and pairs.mirror[moved.home] not in made:
            found.setdefault(moved.home, []).append(n)
    return found


def arms(pairs: Pairs, loop: Loop | While, home: str, space: str) -> list[Arm] | None:
    """Arms that hold all that the host does with a pair, or with what is tied to it, in the loop, and no transfer of it to `space`; None: there are none.

    For uploads only what the host writes counts. No loop stands between, for copies in it would run more often than those that
    go. What leaves the program is left out.
    """
    gatherer = _Arms(pairs, pairs.group(home), space)
    if gatherer.touches(loop, head_only=True) or not gatherer.gather(loop.body):
        return None
    return gatherer.found


@dataclass
class _Arms:
    pairs: Pairs
    homes: frozenset[str]
    space: str
    found: list[Arm] = field(default_factory=list)

    def gather(self, region: Region) -> bool:
        """Take apart a region that runs in every iteration; False if the host touches the pair there."""
        for n in region.nodes:
            if not self.touches(n):
                continue
            if not isinstance(n, Branch) or self.touches(n, head_only=True):
                return False
            for arm in (n.then, n.orelse):
                nodes = [x for x in arm.nodes if self.touches(x)]
                if not nodes:
                    continue
                if any(t.home in self.homes and t.space == self.space for _, t in transfers_in(arm, self.pairs)):
                    if not self.gather(arm):
                        return False
                else:
                    self.found.append(Arm(nodes[0], nodes[-1], tuple(y for x in nodes for y in self.touching(x))))
        return True

    def touches(self, node: Node, head_only: bool = False) -> bool:
        return any(True for _ in self.touching(node, head_only))

    def touching(self, node: Node, head_only: bool = False) -> Iterator[Node]:
        """The nodes that touch the host's side other than by whole downloads of the pair, and other than a Return."""
        for n, _ in [(node, ())] if head_only else below(node):
            moved = self.pairs.transfer(n)
            if moved is not None and moved.home in self.homes:
                if self.space == HOST and not (moved.whole and moved.space == HOST):
                    yield n
            elif not isinstance(n, (Alloc, Return)) and any(map(self.counts, self.pairs.touches(n))):
                yield n

    def counts(self, t: Touch) -> bool:
        return t.home in self.homes and t.space == HOST and (t.writes or self.space == HOST)
