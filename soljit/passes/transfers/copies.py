"""What the passes that take transfers away have in common: leaving copies out of a program, and making new ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from soljit.analysis.device.pairs import Pairs, Transfer
from soljit.base.place import Loc
from soljit.ir.core.expr import ONE, ZERO, Expr, Memlet, Range
from soljit.ir.core.nodes import Copy, Node, Program, Region
from soljit.ir.walk import rewrite, walk
from soljit.ir.walk.spaces import DEVICE, HOST


def transfers_in(node: Node, pairs: Pairs) -> Iterator[tuple[Node, Transfer]]:
    """The copies between the two sides of pairs, in program order."""
    for n in walk(node):
        moved = pairs.transfer(n)
        if moved is not None:
            yield n, moved


def without(body: Region, gone: Collection[Node]) -> Region:
    """The body without these nodes."""
    ids = {id(n) for n in gone}
    return rewrite(body, lambda n: () if id(n) in ids else None, top_down=True) if ids else body


def around(body: Region, before: Mapping[Node, list[Node]], behind: Mapping[Node, list[Node]]) -> Region:
    """The body with more nodes, in front of nodes and behind them."""

    def fn(n: Node) -> tuple[Node, ...] | None:
        return (*before.get(n, ()), n, *behind.get(n, ())) if n in before or n in behind else None

    return rewrite(body, fn, top_down=True)


def whole_copy(pairs: Pairs, home: str, space: str, loc: Loc) -> Copy:
    """A transfer of all elements of a pair to `space`."""
    other = HOST if space == DEVICE else DEVICE
    return copy_of_all(pairs.side(home, space), pairs.side(home, other), pairs.walked(home), loc)


def copy_of_all(to: str, source: str, shape: tuple[Expr, ...], loc: Loc) -> Copy:
    """A copy of all elements of a container to another one of the same shape."""
    subset = tuple(Range(ZERO, n, ONE) for n in shape)
    return Copy(Memlet(to, subset), Memlet(source, subset), loc=loc)


def with_body(program: Program, body: Region) -> Program:
    """The program with another body; itself if it is the same one."""
    return program if body is program.body else replace(program, body=body)
