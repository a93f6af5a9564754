"""Take away transfers whose destination nobody reads before it is written anew.

    copy(B_dev, B)                                        (B_dev is written whole)
    map, schedule("grid"): B_dev[i] = A_dev[i] * 2.0      map, schedule("grid"): B_dev[i] = A_dev[i] * 2.0
    copy(B, B_dev)                                    →   (B comes home below)
    map, schedule("grid"): B_dev[i] = B_dev[i] + 1.0      map, schedule("grid"): B_dev[i] = B_dev[i] + 1.0
    copy(B, B_dev)                                        copy(B, B_dev)

Arguments are seen by the caller at the end, so the last download stays. An upload goes only where the host's side is current, and a
download stays if host code writes the argument before the next transfer: so an exception finds nothing on the device that is
newer there and yet old (`ir/walk/spaces.py`). Memory that somebody else may look at while the program runs keeps its downloads.

cancel_transfers and hoist_transfers come earlier: the copies that they need may look dead afterwards.
"""

from __future__ import annotations

from soljit.analysis.device.kept_transfers import why_kept
from soljit.analysis.device.pairs import Pairs, pairs_of
from soljit.analysis.device.residency import current_in, needed_in
from soljit.base.sentences import Plain
from soljit.ir.core.nodes import Copy, Loop, Node, Program, Region, While
from soljit.ir.walk import walk
from soljit.ir.walk.spaces import DEVICE, HOST
from soljit.passes.manager import Context
from soljit.passes.transfers.copies import transfers_in, with_body, without


def drop_dead_transfers(program: Program, cx: Context) -> Program:
    """Leave out dead uploads and dead downloads in turn until none is left."""
    pairs, body = pairs_of(program), program.body
    if not pairs.mirror:
        return program
    while True:
        gone = _dead(pairs, body, DEVICE) or _dead(pairs, body, HOST)
        if not gone:
            break
        body = without(body, gone)
    program = with_body(program, body)
    _tell(program, pairs, cx)
    return program


def _tell(program: Program, pairs: Pairs, cx: Context) -> None:
    """Say why arrays are still copied in loops."""
    for loop in walk(program.body):
        if isinstance(loop, (Loop, While)):
            for n, moved in transfers_in(loop.body, pairs):
                if isinstance(n, Copy) and pairs.shape(moved.home):
                    where = "device" if moved.space == DEVICE else "host"
                    cx.note(n.loc, "copied again", name=moved.home, where=Plain(where), why=why_kept(program, n))


def _dead(pairs: Pairs, body: Region, space: str) -> list[Node]:
    """The transfers to this space that nobody needs."""
    needed, current = needed_in(pairs, body), current_in(pairs, body)
    return [
        n
        for n, moved in transfers_in(body, pairs)
        if moved.space == space
        and n in current
        and space not in needed[n].get(moved.home, {})
        and (HOST in current[n][moved.home] if space == DEVICE else moved.home not in pairs.held)
    ]
