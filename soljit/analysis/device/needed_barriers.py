"""Which barriers the threads of a block, or of a cluster of blocks, need: between an access and a later one that may touch the same element in another thread.

All threads go through the statements of a kernel in the same order. Accesses stand for all of their iterations; two of them need no barrier if none
of them writes, if their elements lie apart, or if the same thread does both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from enum import IntEnum

from soljit.analysis.memory.accesses import Access
from soljit.analysis.memory.overlap import disjoint
from soljit.base.records import dataclass
from soljit.ir.symbolic import Facts


class Who(IntEnum):
    """Who touches memory, or waits: the first thread of all, threads of the first block, threads of all blocks. A block that is alone is the first."""

    THREAD = 0
    BLOCK = 1
    ALL = 2


@dataclass(frozen=True, slots=True)
class Touch:
    """An access to one of these pieces of memory. settled: the threads of the first block have met since"""

    access: Access
    homes: frozenset[str]
    who: Who
    settled: bool = False


def who_waits(before: Iterable[Touch], after: Iterable[Touch], facts: Facts, unstable: Collection[str]) -> Who | None:
    """The threads that must meet between accesses; None if there is no need. unstable: symbols that each iteration has for itself"""
    after = tuple(after)
    found = {_who_waits(a, b, facts, unstable) for a in before for b in after}
    return Who.ALL if Who.ALL in found else Who.BLOCK if Who.BLOCK in found else None


def have_met(touched: Iterable[Touch], who: Who) -> tuple[Touch, ...]:
    """What is left of these accesses to wait for, when the threads of the first block or all have met."""
    return () if who is Who.ALL else tuple(t if t.who is Who.ALL else replace(t, settled=True) for t in touched)


def _who_waits(a: Touch, b: Touch, facts: Facts, unstable: Collection[str]) -> Who | None:
    if not (a.access.write or b.access.write) or a.homes.isdisjoint(b.homes):
        return None
    last = max(a.who, b.who)
    if last is Who.THREAD or (last is Who.BLOCK and a.settled):
        return None
    return None if disjoint(a.access, b.access, facts, unstable) else last
