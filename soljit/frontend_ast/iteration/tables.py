"""Known items that a loop reads one by one: numbers, and tuples of numbers, in tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from soljit.frontend_ast.arrays.literals import array_of
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Num, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, const
from soljit.ir.core.types import i64


def is_table(items: Sequence[Value]) -> bool:
    """Tell whether the items are numbers of one type, or tuples of these."""
    match items[0]:
        case Num(weak=weak) as first:
            return all(isinstance(x, Num) and x.weak == weak and x.dtype is first.dtype for x in items)
        case Tup(items=parts, cls=None, mutable=False):
            alike = all(
                isinstance(x, Tup) and x.cls is None and not x.mutable and len(x.items) == len(parts) for x in items
            )
            return alike and all(map(is_table, _columns(items)))
        case _:
            return False


def _columns(items: Sequence[Value]) -> list[list[Value]]:
    return [list(column) for column in zip(*(x.items for x in items if isinstance(x, Tup)))]


def table_of(cx: Lowering, items: Sequence[Value]) -> Callable[[Expr], Value]:
    """What gives the item of each number: evenly spaced integers are computed, other numbers read from an array."""
    first = items[0]
    if isinstance(first, Tup):
        columns = [table_of(cx, column) for column in _columns(items)]
        return lambda k: Tup([column(k) for column in columns])
    assert isinstance(first, Num)
    numbers = [x.expr for x in items if isinstance(x, Num)]
    known = [int(e.value.real) for e in numbers if isinstance(e, Const) and e.dtype is i64]
    steps = {b - a for a, b in pairwise(known)}
    if len(known) == len(numbers) and len(steps) <= 1:
        start, step = const(known[0]), const(steps.pop() if steps else 0)
        return lambda k: Num(symbolic.add(start, symbolic.mul(step, k)), first.weak)
    values = array_of(cx, Tup(list(items)))
    return lambda k: Num(values.element((k,)), first.weak)
