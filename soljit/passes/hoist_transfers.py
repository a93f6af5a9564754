"""Move transfers out of loops: uploads in front, downloads behind.

    for t in range(T):                                    copy(A_dev, A)
        copy(A_dev, A)                                    for t in range(T):
        map, schedule("grid"): A_dev[i] = …          →        map, schedule("grid"): A_dev[i] = …
        copy(A, A_dev)                                    copy(A, A_dev)

Outer loops come first. An upload in front of a loop is tried out: if it makes uploads in the loop idle, as nothing in it writes the
host's side but the downloads themselves, it stays and they go. In a loop that is not run it does no harm, for the host's side is
current in front of the loop. Then downloads leave the loop, if nothing else in it touches the host's side, and if the device's side is
current wherever the loop is left: behind it, and in front of each `Return` in it. A loop that is not run finds it current because of
the upload in front. Exceptions need no download (`ir/spaces.py`). Memory that is made in the loop stays in it.

cancel_transfers should come before, drop_dead_transfers behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from soljit.analysis.accesses import effects
from soljit.analysis.pairs import Pairs, pairs_of
from soljit.analysis.residency import Current, current_in
from soljit.ir.nodes import Branch, Copy, Loop, Node, Program, Region, Return, While
from soljit.ir.spaces import DEVICE, HOST
from soljit.ir.tree import walk
from soljit.passes.cancel_transfers import idle
from soljit.passes.manager import Context
from soljit.passes.transfers import around, transfers_in, whole_copy, with_body, without


def hoist_transfers(program: Program, cx: Context) -> Program:
    """Empty loops of transfers, the outermost ones first."""
    pairs, body = pairs_of(program), program.body
    if not pairs.mirror:
        return program
    depth = 0
    while any(True for _ in _loops(body, depth)):
        body = _lower(pairs, _raise(pairs, body, depth), depth)
        depth += 1
    return with_body(program, body)


def _loops(node: Node, depth: int) -> Iterator[Loop | While]:
    """The loops with so many loops around."""
    match node:
        case Region():
            for n in node.nodes:
                yield from _loops(n, depth)
        case Branch():
            yield from _loops(node.then, depth)
            yield from _loops(node.orelse, depth)
        case Loop() | While():
            if depth == 0:
                yield node
            else:
                yield from _loops(node.body, depth - 1)
        case _:
            pass


def _moved_in(loop: Loop | While, pairs: Pairs, space: str) -> dict[str, list[Node]]:
    """The transfers to a space in a loop, by pair, of memory that is made outside."""
    made = effects(loop).allocs
    found: dict[str, list[Node]] = {}
    for n, moved in transfers_in(loop.body, pairs):
        if moved.space == space and moved.home not in made and pairs.mirror[moved.home] not in made:
            found.setdefault(moved.home, []).append(n)
    return found


# --- uploads ----------------------------------------------------------------------------------------------------------


def _raise(pairs: Pairs, body: Region, depth: int) -> Region:
    """Uploads in front of the loops of this depth, where uploads in them become idle by that."""
    current = current_in(pairs, body)
    before: dict[Node, list[Copy]] = {}
    inside: dict[Node, tuple[Copy, list[Node]]] = {}
    for loop in _loops(body, depth):
        for home, copies in _moved_in(loop, pairs, DEVICE).items():
            if loop in current and HOST in current[loop][home]:
                new = whole_copy(pairs, home, DEVICE, copies[0].loc)
                before.setdefault(loop, []).append(new)
                inside[new] = new, copies
    if not before:
        return body
    tried = around(body, before, {})
    gone = set(idle(pairs, tried))
    useless = [new for new, copies in inside.values() if new not in gone and gone.isdisjoint(copies)]
    if len(useless) == len(inside):
        return body
    helped = {n for new, copies in inside.values() if new not in useless for n in copies if n in gone}
    return without(tried, [*useless, *(new for new in inside if new in gone), *helped])


# --- downloads --------------------------------------------------------------------------------------------------------


@dataclass
class _Plan:
    """Downloads of one pair out of one loop: those that go, those that come, and where."""

    home: str
    gone: list[Node]
    before: dict[Node, Copy] = field(default_factory=dict)
    behind: dict[Node, Copy] = field(default_factory=dict)


def _lower(pairs: Pairs, body: Region, depth: int) -> Region:
    """Downloads behind the loops of this depth instead of in them."""
    current = current_in(pairs, body)
    plans = [p for loop in _loops(body, depth) if loop in current for p in _plans(pairs, loop)]
    while plans:
        tried = _carried_out(body, plans)
        current = current_in(pairs, tried)
        wrong = [p for p in plans if not _arrives(p, current)]
        if not wrong:
            return tried
        plans = [p for p in plans if p not in wrong]
    return body


def _plans(pairs: Pairs, loop: Loop | While) -> Iterator[_Plan]:
    """The pairs whose downloads may leave the loop as far as the loop's nodes tell."""
    found = _moved_in(loop, pairs, HOST)
    for home in _touched_by_host(pairs, loop):
        found.pop(home, None)
    returns = [n for n in walk(loop.body) if isinstance(n, Return)]
    for home, copies in found.items():
        if home not in pairs.held:
            plan = _Plan(home, copies)
            loc = copies[-1].loc
            plan.behind[loop] = whole_copy(pairs, home, HOST, loc)
            plan.before = {n: whole_copy(pairs, home, HOST, loc) for n in returns}
            yield plan


def _touched_by_host(pairs: Pairs, loop: Loop | While) -> set[str]:
    """The pairs whose host's side something in the loop touches, other than a whole download or what leaves the program."""
    out: set[str] = set()
    for n in walk(loop.body):
        moved = pairs.transfer(n)
        if moved is not None and (moved.space == DEVICE or not moved.whole):
            out.add(moved.home)
        if not isinstance(n, Return):
            out |= {t.home for t in pairs.touches(n) if t.space == HOST and (moved is None or t.home != moved.home)}
    if isinstance(loop, While):
        out |= {t.home for t in pairs.touches(loop) if t.space == HOST}
    return out


def _carried_out(body: Region, plans: list[_Plan]) -> Region:
    before: dict[Node, list[Copy]] = {}
    behind: dict[Node, list[Copy]] = {}
    for p in plans:
        for n, copy in p.before.items():
            before.setdefault(n, []).append(copy)
        for n, copy in p.behind.items():
            behind.setdefault(n, []).append(copy)
    return without(around(body, before, behind), [n for p in plans for n in p.gone])


def _arrives(plan: _Plan, current: Mapping[Node, Current]) -> bool:
    """Is the device's side current wherever the loop is left, so that the new downloads bring what the old ones brought?"""
    copies = [*plan.before.values(), *plan.behind.values()]
    return all(DEVICE in current[c][plan.home] for c in copies if c in current)
