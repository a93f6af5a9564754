"""How much work lowering may be, counted in steps, so that a program ends in the same way on every machine.

A step is an expression or a statement that is lowered. What stands in the source once is mostly lowered once; a program meets a bound
if its parts are lowered over and over: by loops that are unrolled, by functions that are compiled along at every call, by copies for
every type. At the first bound the function is lowered again in general forms (`Learned.compact`): loops run over Python's lists,
calls are calls of functions of the program, generators are Python's. At the second one it is refused.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from dataclasses import field
from typing import Any

from soljit.base.clock import check
from soljit.base.records import dataclass
from soljit.frontend_ast.values.learned import Restart

STEPS = 3_000  # of one round of lowering, that are free
TIMES = 3  # and so many for each node of the source
GENERAL = 3  # so many times that in general forms
ROUNDS = 16  # so many times that in all rounds together
LOOP = 10  # so many steps a loop over elements of arrays counts
FURTHER = 16  # at least so many steps a round goes on after something was found that it should have known
COPIES = 8  # in general forms: of a statement, by the unrolled loops around it
CALLS = 2  # in general forms: of one function, that are compiled in place
KINDS = 3  # in general forms: of the constants that one function is called with, before they become numbers of run time


TOO_LARGE = (
    "this is too large to compile: parts of it would have to be compiled over and over, for each item or call",
    "put numbers into arrays, and loops into functions that are called less often",
)


class TooMuch(Exception):
    """A bound is met. Caught where a function is lowered as a whole, and by nothing that tries one form and then another."""


@dataclass
class Work:
    """The steps of one lowering, in rounds. source: nodes of the syntax trees that take part; loops: over elements of arrays, made in all rounds"""

    source: int = 0
    steps: int = 0
    loops: int = 0
    most: int = 0
    total: int = 0
    general: bool = False
    until: int | None = None  # the step at which this round ends, since it has found something
    short: int = 0  # rounds that ended so
    shares: bool = True  # functions that are called often may become functions of the program
    in_place: dict[Any, set[Any]] = field(default_factory=dict)  # functions → where they are called
    called: dict[int, int] = field(default_factory=dict)  # functions by id → calls in this round
    kinds: dict[int, set[object]] = field(default_factory=dict)  # and what they were called with
    _trees: dict[int, ast.AST] = field(default_factory=dict)

    def add_source(self, tree: ast.AST) -> None:
        """One more function takes part."""
        if id(tree) not in self._trees:
            self._trees[id(tree)] = tree
            self.source += _size(tree)
            self._settle()

    def new_round(self, general: bool) -> None:
        """Lowering begins anew."""
        self.total += self.steps
        self.steps, self.general, self.until = 0, general, None
        self.called.clear()
        self.in_place.clear()
        self.kinds.clear()
        self._settle()

    def _settle(self) -> None:
        once = STEPS + TIMES * self.source
        self.most = min(once * (GENERAL if self.general else 1), ROUNDS * once - self.total)

    def step(self, changed: bool) -> None:
        """One more step. changed: this round has learned something (`Learned.changed`)"""
        check()
        self.steps += 1
        if changed and self.until is None:
            self.ends_soon()
        if self.until is not None and self.steps > self.until:
            self.short += 1
            raise Restart
        if self.steps > self.most:
            raise TooMuch

    @property
    def cost(self) -> int:
        """What lowering costs so far, and compiling what was made, in steps."""
        return self.steps + LOOP * self.loops

    def ends_soon(self) -> None:
        """Something was found that this round should have known from the start. It goes on for as long as it took to come here, since more
        may be found; then another one begins. Each round that ends so lets later ones go on for longer: some findings show only at the end.
        """
        if self.until is None:
            self.until = 2 * self.steps + (FURTHER << self.short)

    def unrolls(self, copies: int, items: int) -> bool:
        """Tell whether a loop over so many items may be unrolled, which stands in loops that make so many copies of it."""
        return not self.general or copies * items <= COPIES

    def compiles_in_place(self, function: object) -> bool:
        """Tell whether one more call of this function may be compiled in place."""
        count = self.called[id(function)] = self.called.get(id(function), 0) + 1
        return not self.general or count <= CALLS

    def keeps_constants(self, function: object, kinds: Iterable[object]) -> bool:
        """Tell whether a function may be compiled for these constants, too."""
        known = self.kinds.setdefault(id(function), set())
        known.add(tuple(kinds))
        return len(known) <= KINDS


@functools.lru_cache(1024)
def _size(tree: ast.AST) -> int:
    return sum(1 for _ in ast.walk(tree))
