"""Loops that wait: nothing that they do can end them, so another thread has to change what they look at, or they run for ever.

Compiled code need not look again, since nothing in the loop changes what it has read. Python does.
"""

from __future__ import annotations

from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Expr, Extent, Stride, subexpressions
from soljit.ir.core.nodes import (
    Branch,
    Break,
    Call,
    Callback,
    Continue,
    Let,
    Loop,
    Map,
    Node,
    Program,
    Raise,
    Region,
    Return,
    While,
)
from soljit.ir.walk.effects import data_written, loads_of, symbols_of
from soljit.ir.walk.tree import walk
from soljit.support.limits import is_limit


def waiting_loop(program: Program, quiet: bool = False) -> While | None:
    """A loop that waits; None: there is none. quiet: what the program calls back does not look for it at what it was given."""
    return next((n for n in walk(program.body) if isinstance(n, While) and _waits(n, program, quiet)), None)


def _waits(loop: While, program: Program, quiet: bool) -> bool:
    written = data_written(loop.body)
    looked_at, inside = _looked_at(loop)
    if any(isinstance(n, (Call, Callback)) for n in walk(loop.body)) and (looked_at or not quiet):
        return False
    if inside or not _outcomes(loop.body) & {"on", "round"}:
        return False
    if looked_at and any(not isinstance(program.data.get(name), Scalar) for name in written):
        return False  # it may be what the loop looks at
    return written.isdisjoint(looked_at)


def _looked_at(loop: While) -> tuple[set[str], bool]:
    """What the conditions read on which the loop may be left, and whether they depend on where an inner loop is."""
    lets: dict[str, Expr] = {}
    inner: set[str] = set()
    todo: list[Expr] = [loop.cond]
    for n in walk(loop.body):
        match n:
            case Let():
                lets[n.name] = n.value
            case Loop():
                inner.add(n.var)
            case Map():
                inner.update(n.vars)
            case Branch() if any(map(_leaves, walk(n))):
                todo.append(n.cond)
            case While() if any(isinstance(x, Return) for x in walk(n)):
                todo.append(n.cond)
    data: set[str] = set()
    names: set[str] = set()
    while todo:
        e = todo.pop()
        data.update(m.data for m in loads_of([e]))
        data.update(x.data for x in subexpressions(e) if isinstance(x, (Extent, Stride)))
        new = symbols_of(e) - names
        names |= new
        todo += [lets[name] for name in new & lets.keys()]
    return data, not names.isdisjoint(inner)


def _leaves(n: Node) -> bool:
    """Not: by an int that no longer fits 64 bits, which counting takes centuries for."""
    return isinstance(n, (Break, Continue, Return)) or isinstance(n, Raise) and not is_limit(n.exception, n.message)


def _outcomes(region: Region) -> set[str]:
    """How control may leave a region: "on" at its end, "round" into the next iteration, "out" of the loop."""
    found: set[str] = set()
    for n in region.nodes:
        match n:
            case Break() | Return() | Raise():
                return found | {"out"}
            case Continue():
                return found | {"round"}
            case Branch():
                both = _outcomes(n.then) | _outcomes(n.orelse)
                found |= both - {"on"}
                if "on" not in both:
                    return found
    return found | {"on"}
