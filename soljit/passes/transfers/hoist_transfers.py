"""Move transfers out of loops: uploads in front, downloads behind.

    for t in range(T):                                    copy(A_dev, A)
        copy(A_dev, A)                                    for t in range(T):
        map, schedule("grid"): A_dev[i] = …          →        map, schedule("grid"): A_dev[i] = …
        copy(A, A_dev)                                        if t % 100 == 0:
        if t % 100 == 0:                                          copy(A, A_dev)
            s = A[0]                                              s = A[0]
                                                          copy(A, A_dev)

Outer loops come first. An upload in front of a loop is tried out: if it makes uploads in the loop idle, as nothing in it writes the
host's side but the downloads themselves, it stays and they go. In a loop that is not run it does no harm, for the host's side is
current in front of the loop. Then downloads leave the loop, if nothing else in it touches the host's side, and if the device's side is
current wherever the loop is left: behind it, and in front of each `Return` in it. A loop that is not run finds it current because of
the upload in front. Exceptions need no download (`ir/walk/spaces.py`). Transfers of memory that is made in the loop stay in it, unless array
variables carry it out: all pairs that bindings tie together leave the loop at once, and come home under those of their names that
somebody needs (`u_2`, the last of many arrays that were bound to it).

What the host does in branches that not every iteration takes gets its copies there: uploads behind it, downloads in front. Each
plan is carried out, and kept if the analysis then finds that all who read find current memory.

cancel_transfers should come before, drop_dead_transfers behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from soljit.analysis.device.current import Current
from soljit.analysis.device.pairs import Pairs, pairs_of
from soljit.analysis.device.residency import bound_in, current_in, needs_in
from soljit.ir.core.expr import ZERO
from soljit.ir.core.nodes import Branch, Let, Loop, Node, Program, Region, Return, While
from soljit.ir.walk import walk
from soljit.ir.walk.spaces import DEVICE, HOST
from soljit.passes.manager import Context
from soljit.passes.transfers.cancel_transfers import idle
from soljit.passes.transfers.copies import transfers_in, whole_copy, with_body, without
from soljit.passes.transfers.transfer_plans import Arm, Plan, arms, inserted, moved_in


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


# --- uploads ----------------------------------------------------------------------------------------------------------


def _raise(pairs: Pairs, body: Region, depth: int) -> Region:
    """Uploads in front of the loops of this depth, where uploads in them become idle by that: all, or some of them at least."""
    for every in (True, False):
        current, bound = current_in(pairs, body), bound_in(pairs, body)
        plans = []
        for loop in _loops(body, depth):
            for home, copies in moved_in(loop, pairs, DEVICE).items():
                if loop in current and HOST in current[loop][home] and bound(loop, home):
                    found = arms(pairs, loop, home, DEVICE) or [] if every else []
                    if all(bound(a.last, home) for a in found):
                        plans.append(_upload(pairs, loop, home, copies, found))
        body = _tried(pairs, body, plans, every)
    return body


def _upload(pairs: Pairs, loop: Loop | While, home: str, copies: list[Node], found: list[Arm]) -> Plan:
    """In front of the loop, and behind what the host writes in arms."""
    loc = copies[0].loc
    behind: dict[Node, list[Node]] = {a.last: [whole_copy(pairs, home, DEVICE, loc)] for a in found}
    return Plan(frozenset((home,)), copies, {loop: [whole_copy(pairs, home, DEVICE, loc)]}, behind)


def _tried(pairs: Pairs, body: Region, plans: list[Plan], every: bool) -> Region:
    """The body with the plans by which one (or every one) of the copies in the loop becomes idle."""
    gone = set(idle(pairs, inserted(body, plans))) if plans else set()
    helps = all if every else any
    good = [p for p in plans if helps(c in gone for c in p.gone)]
    if not good:
        return body
    body = inserted(body, good)
    ours = {c for p in good for c in (*p.gone, *p.new)}
    return without(body, [n for n in idle(pairs, body) if n in ours])


# --- downloads --------------------------------------------------------------------------------------------------------


def _lower(pairs: Pairs, body: Region, depth: int) -> Region:
    """Downloads behind the loops of this depth, and where the host looks, instead of in every iteration."""
    current = current_in(pairs, body)
    plans = [p for loop in _loops(body, depth) if loop in current for p in _plans(pairs, loop)]
    plans = _completed(pairs, body, plans)
    while plans:
        tried = without(inserted(body, plans), [n for p in plans for n in p.gone])
        current, bound = current_in(pairs, tried), bound_in(pairs, tried)
        wrong = [p for p in plans if not _arrives(pairs, p, current, bound)]
        if not wrong:
            return tried
        plans = [p for p in plans if p not in wrong]
    return body


def _plans(pairs: Pairs, loop: Loop | While) -> Iterator[Plan]:
    """The pairs whose downloads may leave the loop as far as the loop's nodes tell, each with those that are tied to it."""
    returns = [n for n in walk(loop.body) if isinstance(n, Return)]
    outside, done = moved_in(loop, pairs, HOST), set[str]()
    for home in dict.fromkeys(moved.home for _, moved in transfers_in(loop.body, pairs) if moved.space == HOST):
        homes = pairs.group(home)
        if home in done or (len(homes) == 1 and home not in outside):
            continue
        done |= homes
        found = arms(pairs, loop, home, HOST)
        downloads = [(n, m) for n, m in transfers_in(loop.body, pairs) if m.home in homes and m.space == HOST]
        if homes.isdisjoint(pairs.held) and found is not None and all(m.whole for _, m in downloads):
            before = dict.fromkeys((*returns, *(a.first for a in found)))
            looked_at = [n for a in found for n in a.touching]
            yield Plan(homes, [n for n, _ in downloads], {n: [] for n in before}, {loop: []}, looked_at)


def _completed(pairs: Pairs, body: Region, plans: list[Plan]) -> list[Plan]:
    """The plans with their new downloads. Of pairs that are tied together, those are copied that are needed there: a plan goes if one has no mirror."""
    marked = [replace(p, before=_marks(p.before), behind=_marks(p.behind)) for p in plans]
    bare = without(inserted(body, marked), [n for p in plans for n in p.gone])
    needed = needs_in(pairs, bare) if any(len(p.homes) > 1 for p in plans) else {}

    def wanted(p: Plan, mark: Node) -> list[str]:
        homes = [h for h in p.homes if len(p.homes) == 1 or HOST in needed.get(mark, {}).get(h, {})]
        # variables last: what they stand for may be home by then
        return sorted(homes, key=lambda h: (h not in pairs.arguments, h))

    out = []
    for p, m in zip(plans, marked):
        before = {n: wanted(p, mark) for n, (mark,) in m.before.items()}
        behind = {n: wanted(p, mark) for n, (mark,) in m.behind.items()}
        if all(h in pairs.mirror for homes in (*before.values(), *behind.values()) for h in homes):
            loc = p.gone[-1].loc
            out.append(
                replace(
                    p,
                    before={n: [whole_copy(pairs, h, HOST, loc) for h in homes] for n, homes in before.items()},
                    behind={n: [whole_copy(pairs, h, HOST, loc) for h in homes] for n, homes in behind.items()},
                )
            )
    return out


def _marks(places: Mapping[Node, object]) -> dict[Node, list[Node]]:
    """A node that does nothing at each place, to ask what is needed there."""
    return {n: [Let("here", ZERO)] for n in places}


def _arrives(pairs: Pairs, plan: Plan, current: Mapping[Node, Current], bound: Callable[[Node, str], bool]) -> bool:
    """Tell whether the new downloads bring what the old ones brought: the device's side is current there, and the host's where it is touched."""
    for c in plan.new:
        moved = pairs.transfer(c)
        if c in current and moved is not None and not (DEVICE in current[c][moved.home] and bound(c, moved.home)):
            return False
    for n in plan.touching:
        moved = pairs.transfer(n)
        homes = [t.home for t in pairs.touches(n) if t.space == HOST] if moved is None else [moved.home]
        if n in current and any(HOST not in current[n][h] for h in homes if h in plan.homes):
            return False
    return True
