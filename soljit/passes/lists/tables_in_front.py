"""Take what is read from the tables of pools out of loops that leave the tables alone. A helper of `unbox_lists`.

    for k in range(n):                          size = pool_size[h]
        size = pool_size[h]              →      for k in range(n):
        if k >= size: raise …                       if k >= size: raise …

Proof: the symbols that are moved may be read anywhere, since they are read at the place of a list that exists; nothing else shows the memory of a pool, and nothing
in the loop writes these tables.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from soljit.ir.core.expr import symbols
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Region, While
from soljit.ir.walk import data_written, loads_of, symbols_defined, walk


def in_front(region: Region, safe: Set[str]) -> Region:
    """The region with these symbols in front of the loops that they do not depend on."""
    out: list[Node] = []
    for n in region.nodes:
        match n:
            case Loop() | While() | Map():
                body = in_front(n.body, safe)
                before, body = _taken_out(n, body, safe)
                out += [*before, n if body is n.body else replace(n, body=body)]
            case Branch():
                then, orelse = in_front(n.then, safe), in_front(n.orelse, safe)
                out.append(n if then is n.then and orelse is n.orelse else replace(n, then=then, orelse=orelse))
            case _:
                out.append(n)
    return (
        region
        if len(out) == len(region.nodes) and all(a is b for a, b in zip(out, region.nodes))
        else Region(tuple(out))
    )


def _taken_out(loop: Loop | While | Map, body: Region, safe: Set[str]) -> tuple[list[Node], Region]:
    if not any(isinstance(n, Let) and n.name in safe for n in walk(body)):
        return [], body
    written = data_written(body)
    inside = symbols_defined(replace(loop, body=body))
    before: list[Node] = []
    return before, _without(body, safe, written, inside, before)


def _without(body: Region, safe: Set[str], written: Set[str], inside: set[str], before: list[Node]) -> Region:
    """What is left of a region, or of an arm of a branch in it."""
    rest: list[Node] = []
    for n in body.nodes:
        if isinstance(n, Branch):
            then, orelse = (_without(x, safe, written, inside, before) for x in (n.then, n.orelse))
            n = n if then is n.then and orelse is n.orelse else replace(n, then=then, orelse=orelse)
            rest.append(n)
        elif (
            isinstance(n, Let)
            and n.name in safe
            and not symbols(n.value) & inside
            and not any(m.data in written for m in loads_of([n.value]))
        ):
            before.append(n)
            inside.discard(n.name)
        else:
            rest.append(n)
    same = len(rest) == len(body.nodes) and all(a is b for a, b in zip(rest, body.nodes))
    return body if same else replace(body, nodes=tuple(rest))
