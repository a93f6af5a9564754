"""Regions under construction, and how they end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from soljit.base.place import NOWHERE
from soljit.ir.core import nodes


class Block(nodes.Node):
    """A region under construction. `done`: control does not reach its end (it ends in Return, Raise, Break or Continue)."""

    __slots__ = ("attempts", "done", "items")

    def __init__(self) -> None:
        object.__setattr__(self, "items", [])
        object.__setattr__(self, "attempts", [])
        object.__setattr__(self, "done", False)
        object.__setattr__(self, "loc", NOWHERE)

    items: list[nodes.Node]
    done: bool
    attempts: list[Any]  # the try statements whose exceptions leave this block, if it is the body of a loop

    def finish(self) -> None:
        """Control does not go on after what has been emitted."""
        object.__setattr__(self, "done", True)


def freeze(node: nodes.Node) -> nodes.Node:
    """The node with all blocks below it turned into regions."""
    match node:
        case Block():
            return nodes.Region(tuple(freeze(n) for n in node.items))
        case nodes.Branch():
            return replace(node, then=freeze(node.then), orelse=freeze(node.orelse))  # type: ignore[arg-type]
        case nodes.Loop() | nodes.While() | nodes.Map():
            return replace(node, body=freeze(node.body))  # type: ignore[arg-type]
    return node


def below(node: nodes.Node) -> Iterator[nodes.Node]:
    """All nodes inside a block under construction."""
    stack: list[nodes.Node] = [node]
    while stack:
        n = stack.pop()
        yield n
        match n:
            case Block():
                stack.extend(n.items)
            case nodes.Branch():
                stack.extend((n.then, n.orelse))
            case nodes.Loop() | nodes.While() | nodes.Map():
                stack.append(n.body)


class Unreachable(Exception):
    """What follows is not lowered, because the type of a recursive call's result is not known yet (`calls/recursion/recursion.py`)."""
