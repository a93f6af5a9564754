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
the upload in front. Exceptions need no download (`ir/spaces.py`). Memory that is made in the loop stays in it.

What the host does in branches that not every iteration takes gets its copies there: uploads behind it, downloads in front. Each
plan is carried out, and kept if the analysis then finds that all who read find current memory.

cancel_transfers should come before, drop_dead_transfers behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from soljit.analysis.pairs import Pairs, pairs_of
from soljit.analysis.residency import Current, current_in
from soljit.ir.nodes import Branch, Loop, Node, Program, Region, Return, While
from soljit.ir.spaces import DEVICE, HOST
from soljit.ir.tree import walk
from soljit.passes.cancel_transfers import idle
from soljit.passes.manager import Context
from soljit.passes.transfer_plans import Arm, Plan, arms, inserted, moved_in
from soljit.passes.transfers import whole_copy, with_body, without


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
        current = current_in(pairs, body)
        plans = []
        for loop in _loops(body, depth):
            for home, copies in moved_in(loop, pairs, DEVICE).items():
                if loop in current and HOST in current[loop][home]:
                    found = arms(pairs, loop, home, DEVICE) or [] if every else []
                    plans.append(_upload(pairs, loop, home, copies, found))
        body = _tried(pairs, body, plans, every)
    return body


def _upload(pairs: Pairs, loop: Loop | While, home: str, copies: list[Node], found: list[Arm]) -> Plan:
    """In front of the loop, and behind what the host writes in arms."""
    loc = copies[0].loc
    behind = {a.last: whole_copy(pairs, home, DEVICE, loc) for a in found}
    return Plan(home, copies, {loop: whole_copy(pairs, home, DEVICE, loc)}, behind)


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
    while plans:
        tried = without(inserted(body, plans), [n for p in plans for n in p.gone])
        current = current_in(pairs, tried)
        wrong = [p for p in plans if not _arrives(p, current)]
        if not wrong:
            return tried
        plans = [p for p in plans if p not in wrong]
    return body


def _plans(pairs: Pairs, loop: Loop | While) -> Iterator[Plan]:
    """The pairs whose downloads may leave the loop as far as the loop's nodes tell."""
    returns = [n for n in walk(loop.body) if isinstance(n, Return)]
    for home, copies in moved_in(loop, pairs, HOST).items():
        found = arms(pairs, loop, home, HOST)
        if (
            home in pairs.held
            or found is None
            or not all(m is not None and m.whole for m in map(pairs.transfer, copies))
        ):
            continue
        loc = copies[-1].loc
        before: dict[Node, None] = dict.fromkeys([*returns, *(a.first for a in found)])
        yield Plan(
            home,
            copies,
            {n: whole_copy(pairs, home, HOST, loc) for n in before},
            {loop: whole_copy(pairs, home, HOST, loc)},
            [n for a in found for n in a.touching],
        )


def _arrives(plan: Plan, current: Mapping[Node, Current]) -> bool:
    """Do the new downloads bring what the old ones brought: is the device's side current there, and the host's where it is touched?"""
    there = all(DEVICE in current[c][plan.home] for c in plan.new if c in current)
    return there and all(HOST in current[n][plan.home] for n in plan.touching if n in current)
