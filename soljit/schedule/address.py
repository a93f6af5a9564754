"""Addresses of loops: the user's line and variables, `L14.i.j` for the map of line 14 over its `i` and `j`.

A line may hold several loops over variables of one name (`b = a[1:] + a[:-1].sum()` has two over `i0`): `L14.i0[2]` is the second one
that a pass met. Numbers that the compiler puts behind names (`i_3`) do not count, so addresses survive changes in other lines. A call of a
library's routine is addressed by its operation, `L31.matmul`; a loop of a function that the program calls by that function, `fib.L3.i`.

Loops of functions that are compiled into their caller stand at the caller's line: that is a line of the function that the schedule is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from soljit.base.records import dataclass
from soljit.ir.core.expr import FALSE, TRUE
from soljit.ir.core.nodes import Branch, LibraryNode, Loop, Map, Node, Program, While

_NUMBER = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a loop stands.

    line:     lines below the function's `def`; None where the program knows no line
    names:    the loop's variables, outermost first; or the operation of a library's routine
    count:    which one of several with these names on this line, from 1
    function: the function of the program that holds it; "" for the compiled function itself
    """

    line: int | None
    names: tuple[str, ...]
    count: int = 1
    function: str = ""

    def text(self, first: int) -> str:
        """The address as users write it, in a file where the function's `def` is on line `first`."""
        parts = [self.function] if self.function else []
        parts += ["L0" if self.line is None else f"L{first + self.line}", *self.names]
        return ".".join(parts) + (f"[{self.count}]" if self.count > 1 else "")


def plain(name: str) -> str:
    """The variable's name without the compiler's number."""
    return _NUMBER.sub("", name)


def is_beside(node: object) -> bool:
    """Tell whether it is a map beside blocks, for small sizes: that follows from the step that made the blocks, so it has no address and no steps."""
    return isinstance(node, Map) and node.when in (TRUE, FALSE)


class Addresses:
    """The addresses of all loops that a program has had so far: a loop keeps its address from pass to pass."""

    def __init__(self) -> None:
        self.function = ""  # which function of the program passes look at
        self.first: int | None = None  # the line of the program's `def`
        self._programs: list[tuple[str, Program]] = []  # that have not been looked through
        self._last: Program | None = None
        self._again: dict[
            int, tuple[Node, tuple[str, ...]]
        ] = {}  # loops of the last program that have the names of an earlier one
        self._counts: dict[tuple[str, int | None, tuple[str, ...]], dict[tuple[str, ...], int]] = {}

    def copy(self) -> Addresses:
        """The same addresses; either may learn others."""
        new = Addresses()
        new.function, new.first, new._last = self.function, self.first, self._last
        new._programs, new._again = [*self._programs], {**self._again}
        new._counts = {k: {**counts} for k, counts in self._counts.items()}
        return new

    def begin(self, program: Program) -> None:
        """Lines count from the `def` of the first program, also those of the functions that it calls."""
        if self.first is None:
            self.first = program.loc.line

    def see(self, program: Program, function: str) -> None:
        """A pass looks at this program, or at this function of it. It is looked through when somebody asks for an address."""
        self.function = function
        if self._last is not program:
            self._last = program
            self._programs.append((function, program))

    def of(self, node: Node) -> Address:
        """The address of a loop, a map or a library node."""
        self._look()
        line, exact = self._line(node), _exact(node)
        names = _plain(node, exact)
        counts = self._counts.get((self.function, line, names), {})
        known = self._again.get(id(node), (node, exact))[1]
        if known in counts:
            return Address(line, names, counts[known], self.function)
        return Address(line, exact[:1] if isinstance(node, LibraryNode) else exact, 1, self.function)

    def known(self) -> list[Address]:
        """All addresses there are."""
        self._look()
        return [Address(k[1], k[2], n, k[0]) for k, counts in self._counts.items() for n in counts.values()]

    def _look(self) -> None:
        for function, program in self._programs:
            stack: list[Node] = [program.body]
            met: dict[tuple[object, ...], int] = {}
            self._again.clear()
            while stack:
                node = stack.pop()
                if is_beside(node):
                    continue
                if isinstance(node, Loop | Map | LibraryNode):
                    exact = _exact(node)
                    key = (function, self._line(node), _plain(node, exact))
                    met[key, exact] = n = met.get((key, exact), 0) + 1
                    if n > 1:  # parts of one loop
                        exact = (*exact, f"part {n}")
                        self._again[id(node)] = (node, exact)
                    counts = self._counts.setdefault(key, {})
                    counts.setdefault(exact, len(counts) + 1)
                if isinstance(node, Loop | Map | While):
                    stack.append(node.body)
                elif isinstance(node, Branch):
                    stack += (node.orelse, node.then)
                else:
                    stack += reversed(getattr(node, "nodes", ()))
        self._programs.clear()

    def _line(self, node: Node) -> int | None:
        loc = node.loc
        while loc.caller is not None:
            loc = loc.caller
        return loc.line - (self.first or 0) if loc.line else None


def _exact(node: Node) -> tuple[str, ...]:
    """What tells the loop apart from all others of its line."""
    match node:
        case Map():
            return node.vars
        case Loop():
            return (node.var,)
        case LibraryNode():
            return (node.op, *(m.data for m in node.outs))
    raise TypeError(f"a {type(node).__name__} has no address")


def _plain(node: Node, exact: tuple[str, ...]) -> tuple[str, ...]:
    return exact[:1] if isinstance(node, LibraryNode) else tuple(map(plain, exact))


def labels(m: Map) -> tuple[str, ...]:
    """What recipes call the loops of a map, each by another name."""
    short = tuple(map(plain, m.vars))
    return short if len(set(short)) == len(short) else m.vars


def positions(m: Map, names: Iterable[object]) -> tuple[int, ...]:
    """The loops of the map that have these labels; -1 for a name that none has."""
    known = labels(m)
    return tuple(known.index(n) if n in known else -1 for n in names)
