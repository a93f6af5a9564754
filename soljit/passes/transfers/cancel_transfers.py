"""Take away transfers whose two sides are equal already.

    copy(A_dev, A)                                        copy(A_dev, A)
    map, schedule("grid"): B_dev[i] = A_dev[i] * 2.0      map, schedule("grid"): B_dev[i] = A_dev[i] * 2.0
    copy(B, B_dev)                                    →   copy(B, B_dev)
    copy(A_dev, A); copy(B_dev, B)
    map, schedule("grid"): …                              map, schedule("grid"): …

A copy does nothing if on every way to it both sides are current (`analysis/device/residency.py`), or if nothing has been written into
the memory yet. place_on_device makes the copies.
"""

from __future__ import annotations

from soljit.analysis.device.pairs import Pairs, pairs_of
from soljit.analysis.device.residency import current_in
from soljit.ir.core.nodes import Node, Program, Region
from soljit.ir.walk.spaces import DEVICE, HOST
from soljit.passes.manager import Context
from soljit.passes.transfers.copies import transfers_in, with_body, without


def cancel_transfers(program: Program, cx: Context) -> Program:
    """Leave out all copies that change nothing."""
    pairs = pairs_of(program)
    return with_body(program, without(program.body, idle(pairs, program.body))) if pairs.mirror else program


def idle(pairs: Pairs, body: Region) -> list[Node]:
    """The transfers between sides that are equal."""
    current = current_in(pairs, body)
    return [n for n, moved in transfers_in(body, pairs) if {HOST, DEVICE} <= current.get(n, {}).get(moved.home, set())]
