"""`choice` of Python's random generators: an item of a sequence at a position that the generator draws."""

from __future__ import annotations

from collections.abc import Callable

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Arr, Num, Object, RangeVal, Static, Tup, Value
from soljit.frontend_ast.views.indexing import get_item
from soljit.ir import symbolic
from soljit.ir.core.expr import const
from soljit.support.random_streams import chooses_by_position


def chosen(cx: Lowering, randrange: Callable[[list[Value]], Value], sequence: Value) -> Value | None:
    """`choice(sequence)` by the same generator's `randrange`; None: that is left to Python."""
    if not chooses_by_position() or not _is_sequence(sequence):
        return None
    n = cx.above.call(cx, Static(len), [sequence], {})
    assert isinstance(n, Num)
    cx.check(symbolic.lt(const(0), n.expr), "IndexError", "Cannot choose from an empty sequence")
    return get_item(cx, sequence, randrange([n]))


def _is_sequence(v: Value) -> bool:
    match v:
        case Tup():
            return v.cls is None
        case Arr():
            return v.ndim == 1
        case Object():
            return v.type.cls in (list, tuple, str)
    return isinstance(v, RangeVal)
