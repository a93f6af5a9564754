"""Where in the source the arrays, numbers and functions come from that a schedule names."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from soljit.analysis.explain.wording import of_the_user
from soljit.base.place import Loc
from soljit.ir.core.nodes import Alloc, Let, Program
from soljit.ir.walk.effects import memlets_written
from soljit.ir.walk.tree import walk


def where_made(names: Collection[str], program: Program) -> dict[str, Loc]:
    """The places where a program gets the memory of a container, or gives it or a symbol the first value; and those of its functions."""
    found = {
        name: next((n.loc for n in walk(f.body) if n.loc.line), f.loc)
        for name, f in program.functions.items()
        if name in names
    }
    for p in (program, *program.functions.values()) if names else ():
        for name, loc in _made(p):
            if name in names and loc.line:
                found.setdefault(name, of_the_user(loc))
    return found


def _made(program: Program) -> Iterator[tuple[str, Loc]]:
    for n in walk(program.body):
        match n:
            case Alloc():
                yield n.data, n.loc
            case Let():
                yield n.name, n.loc
            case _:
                yield from ((m.data, n.loc) for m in memlets_written(n))
