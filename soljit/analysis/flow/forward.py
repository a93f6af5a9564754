"""Facts that hold on all ways to a node: a walk from the beginning of a program, along its structure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import field
from typing import Generic, TypeVar

from soljit.analysis.memory.coverage import runs
from soljit.base.records import dataclass
from soljit.ir.core.expr import TRUE
from soljit.ir.core.nodes import Branch, Break, Continue, Loop, Node, Raise, Region, Return, While
from soljit.ir.symbolic import Facts

S = TypeVar("S")


@dataclass
class Forward(ABC, Generic[S]):
    """Goes through a program; a state is None where control does not come.

    Subclasses say what a leaf or a map does (`leaf`), and what holds where two ways meet (`both`). Loops take as many rounds as
    it needs until nothing changes, so `both` must come to an end.
    exits: for each loop around, the states at its Breaks and at its Continues
    """

    facts: Facts
    before: dict[Node, S] = field(default_factory=dict)
    exits: list[tuple[list[S], list[S]]] = field(default_factory=list)

    @abstractmethod
    def leaf(self, n: Node, state: S) -> S:
        """The state behind a leaf or a map."""

    @abstractmethod
    def both(self, a: S, b: S) -> S:
        """What holds on both of two ways."""

    def meet(self, states: Iterable[S | None]) -> S | None:
        """What holds on all ways; None: no way leads here."""
        out: S | None = None
        for s in states:
            if s is not None and s is not out:
                out = s if out is None else self.both(out, s)
        return out

    def region(self, region: Region, state: S | None) -> S | None:
        for n in region.nodes:
            if state is None:
                return None
            known = self.before.get(n)
            self.before[n] = state if known is None else self.both(known, state)
            state = self.node(n, state)
        return state

    def node(self, n: Node, state: S) -> S | None:
        match n:
            case Region():
                return self.region(n, state)
            case Loop() | While():
                return self.loop(n, state)
            case Branch():
                return self.meet((self.region(n.then, state), self.region(n.orelse, state)))
            case Break() | Continue():
                self.exits[-1][isinstance(n, Continue)].append(state)
                return None
            case Raise() | Return():
                return None
            case _:
                return self.leaf(n, state)

    def loop(self, n: Loop | While, state: S) -> S | None:
        head = state
        while True:
            self.exits.append(([], []))
            end = self.region(n.body, head)
            breaks, continues = self.exits.pop()
            back = self.meet((end, *continues))
            new = head if back is None else self.both(head, back)
            if new == head:
                break
            head = new
        if isinstance(n, While):
            return self.meet((None if n.cond == TRUE else head, *breaks))
        return self.meet((back if runs(n.span, self.facts) else head, *breaks))
