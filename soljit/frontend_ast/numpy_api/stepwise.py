"""Arrays made of comprehensions and iterations whose length only the run tells: np.array([f(k) for k in range(n)]), np.fromiter."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.frontend_ast import calls, iteration, promotion
from soljit.frontend_ast.indexing import get_item
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.builtin_iterables import visit_items
from soljit.frontend_ast.numpy_api.numpy_scalars import as_element
from soljit.frontend_ast.numpy_api.table import CONVERSIONS, dtype_of, implements
from soljit.frontend_ast.values import Arr, Generated, Iteration, Lazy, Num, RangeVal, SliceVal, Static, Tup, Value
from soljit.ir import nodes, symbolic
from soljit.ir.expr import Const, Expr, Op, Sym, const, subexpressions
from soljit.ir.types import DType, i64

Steps = Generated | Iteration


def array_of_steps(cx: Lowering, v: Steps, dtype: DType | None = None) -> Arr | None:
    """The items as an array; None if they are not all numbers of one type or arrays of one shape, or if some are left out."""
    source = v.source if isinstance(v, Generated) else v
    if isinstance(v, Generated) and (len(v.node.generators) > 1 or v.node.generators[0].ifs):
        return None
    item = _tried(cx, v, source)
    if item is None:
        return None
    kind = dtype or promotion.array_literal_dtype([item.dtype])
    length = cx.let(source.length, "length")
    shape = () if isinstance(item, Num) else item.shape
    out = cx.alloc(kind, (length, *shape), hint="items")
    place = cx.scalar(i64, "k")
    cx.write(place, const(0))

    def visit(x: Value) -> None:
        k = cx.let(cx.read(place), "k")
        _put(cx, out, k, x)
        cx.write(place, Op("add", (k, const(1)), i64))

    visit_items(cx, v, source, visit)
    return out


def _put(cx: Lowering, out: Arr, k: Expr, x: Value) -> None:
    if isinstance(x, Num):
        cx.emit(nodes.Tasklet(out.at((k,)), as_element(cx, x, out.dtype)))
        return
    assert isinstance(x, (Arr, Lazy))
    with cx.map(x.shape) as ix:
        cx.emit(nodes.Tasklet(out.at((k, *ix)), cx.cast(x.element(ix), out.dtype)))


def _tried(cx: Lowering, v: Steps, source: Iteration) -> Num | Arr | Lazy | None:
    """An item, to learn its type; nothing of it stays."""
    mark = cx.snapshot()
    found: list[Value] = []
    visit_items(cx, v, source, found.append)
    cx.restore(mark)
    if len(found) != 1 or not isinstance(found[0], (Num, Arr, Lazy)):
        return None
    item = found[0]
    shape: tuple[Expr, ...] = () if isinstance(item, Num) else item.shape
    names = {s.name for n in shape for s in subexpressions(n) if isinstance(s, Sym)}
    return item if names <= cx.taken and all(cx.is_pure(n) for n in shape) else None


def settled(cx: Lowering, v: Generated, dtype: DType | None = None) -> Value:
    """A list that a comprehension makes, as an array if it can be one, else as Python's list."""
    if not v.is_list:
        return v
    made = array_of_steps(cx, v, dtype)
    return made if made is not None else cx.objects.settled(cx, v)


CONVERSIONS[Generated] = settled


@implements(np.fromiter)
def fromiter(cx: Lowering, iter: Value, dtype: Value, count: Value | None = None) -> Value:
    """np.fromiter"""
    t = dtype_of(cx, dtype)
    steps: Any = iter if isinstance(iter, (Generated, Iteration)) else None
    if isinstance(iter, (RangeVal, Arr, Lazy)):
        steps = iteration.iteration_of(cx, iter)
    elif isinstance(iter, Tup):
        items = Tup(calls.iterate_static(cx, iter))
        steps = Iteration(const(len(items.items)), lambda k: get_item(cx, items, Num(k, True)))
    made = array_of_steps(cx, steps, t) if steps is not None else None
    if made is None or made.ndim != 1:
        if not isinstance(iter, (Generated, Iteration)):
            raise cx.unsupported("np.fromiter of this iterable")
        more = [count] if count is not None else []
        return cx.call(cx, Static(np.fromiter), [cx.objects.settled(cx, iter), dtype, *more])  # type: ignore[no-any-return]
    wanted = count.expr if isinstance(count, Num) else const(-1)
    if isinstance(wanted, Const) and wanted.value == -1:
        return made
    n = cx.let(cx.cast(wanted, i64), "count")
    text = "iterator too short: Expected {0} but iterator had only {1} items."
    cx.check(symbolic.le(n, made.shape[0]), "ValueError", text, [n, made.shape[0]])
    if cx.decide(symbolic.ge(n, const(0))) is not True:
        raise cx.unsupported("np.fromiter with a count that may be negative")
    return get_item(cx, made, SliceVal(None, Num(n, True), None))
