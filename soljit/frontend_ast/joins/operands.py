"""Operands that were evaluated before others: they are what they were then, whatever the others change.

The value of an expression may be a load that has not been taken yet, or an array that is computed where it is used. What is evaluated after it and changes
memory that it reads moves behind it: the value is taken in front of all that has been emitted since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from soljit.base.records import dataclass
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.written_since import roots_written_since
from soljit.frontend_ast.values.composites import parts_of
from soljit.frontend_ast.values.values import (
    Arr,
    Flat,
    Lazy,
    Method,
    Num,
    Object,
    OneShot,
    RangeVal,
    SliceVal,
    Tup,
    Union,
    Value,
)
from soljit.ir.symbolic import Facts
from soljit.ir.walk.effects import loads_of

V = TypeVar("V", bound=Value)


@dataclass(frozen=True)
class Point:
    """Where in the program the operands are that stand already."""

    block: Block
    count: int
    containers: int
    facts: Facts


def point(cx: Lowering) -> Point:
    """Where the program is now."""
    return Point(cx.current, len(cx.current.items), len(cx.data), cx.facts)


def taken_before(cx: Lowering, then: Point, values: Sequence[V]) -> list[V]:
    """The values as they were at `then`: those that have been changed since are taken there."""
    if cx.current is not then.block or len(cx.current.items) == then.count:
        return list(values)
    written = roots_written_since(cx, then.count)
    if not written:
        return list(values)
    new = set(cx.made_since(then.containers))
    old = {m for m in written if m in cx.data and m not in new}
    return [_at(cx, then, v) if _is_stale(cx, v, written, old) else v for v in values]


def _at(cx: Lowering, then: Point, v: V) -> V:
    facts, cx.facts = cx.facts, then.facts
    try:
        with cx.aside() as front:
            pinned = pin(cx, v)
    finally:
        cx.facts = facts
    then.block.items[then.count : then.count] = front.items
    return pinned  # type: ignore[return-value]


def _is_stale(cx: Lowering, v: Value, written: frozenset[str], old: set[str]) -> bool:
    """Does the value read any of this memory? An array that is not computed yet may read all of it that is old."""
    for x in _leaves(v):
        match x:
            case Num():
                if any(not written.isdisjoint(cx.roots_of(m.data)) for m in loads_of([x.expr])):
                    return True
            case Arr() | Object():
                if x.data in cx.rebindable and x.data in written:
                    return True
            case _:
                if old:
                    return True
    return False


def _leaves(v: Value) -> Iterator[Value]:
    """What of a value may be changed: no constants, and nothing that is the same object whenever it is asked for."""
    match v:
        case Num() | Arr() | Object() | Lazy() | Union():
            yield v
        case Tup(mutable=False) | SliceVal() | RangeVal() | Flat() | Method():
            for x in parts_of(v):
                yield from _leaves(x)
        case OneShot():
            for x in v.steps:
                yield from _leaves(x)
