"""Arrays made of comprehensions and iterations whose length only the run tells: np.array([f(k) for k in range(n)]), np.fromiter."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.elementwise import copy_array, store
from soljit.frontend_ast.arrays.literals import array_of
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.expressions import comprehensions
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.iteration import counted_loops, targets
from soljit.frontend_ast.iteration.static_items import static_steps
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import CONVERSIONS, implements
from soljit.frontend_ast.objects import iterators
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import (
    Arr,
    Generated,
    Iteration,
    Lazy,
    Num,
    OneShot,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.frontend_ast.views.indexing import get_item
from soljit.frontend_ast.views.numpy_arguments import dtype_of
from soljit.frontend_ast.views.subscripts import basic_view
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import TRUE, Const, Expr, Sym, const, subexpressions
from soljit.ir.core.types import DType, b1, f64, i64

Steps = Generated | Iteration


def array_of_steps(cx: Lowering, v: Steps, dtype: DType | None = None) -> Arr | None:
    """The items as an array; None if their number is open, or if they are not all of one type and shape."""
    source = v.source if isinstance(v, Generated) else v
    if isinstance(v, Generated) and not _one_generator(v):
        return None
    some = cx.decide(symbolic.gt(source.length, const(0)))
    if some is False:
        return cx.alloc(dtype or f64, (const(0),), hint="items")
    if some is None and dtype is None:
        return None  # an empty list would make an array of floats, whatever the items are
    before, mark = frozenset(cx.taken), cx.snapshot()
    with counted_loops.counted(cx, Iteration(source.length, source.item), "i") as (_, x):
        sample = _item(cx, v, x)
    names = {e.name for n in _shape(sample) for e in subexpressions(n) if isinstance(e, Sym)}
    cx.restore(mark)
    if sample is None or not names <= before or (some is None and not isinstance(sample, Num)):
        return None
    kind = dtype or promotion.array_literal_dtype([sample.dtype])
    out = cx.alloc(kind, (cx.let(source.length, "length"), *_shape(sample)), hint="items")
    steps: list[Expr] = []

    def item(k: Expr) -> Value:
        steps.append(k)
        return source.item(k)

    with counted_loops.counted(cx, Iteration(source.length, item), "i") as (_, x):
        made = _item(cx, v, x)
        if isinstance(made, Num):
            cx.emit(nodes.Tasklet(out.at((steps[-1],)), as_element(cx, made, out.dtype)))
        elif made is not None:
            rest = [SliceVal(None, None, None)] * made.ndim
            store(cx, basic_view(cx, out, [Num(steps[-1], True), *rest]), made)
    return out


def _shape(item: Num | Arr | Lazy | None) -> tuple[Expr, ...]:
    return item.shape if isinstance(item, (Arr, Lazy)) else ()


def _item(cx: Lowering, v: Steps, x: Value) -> Num | Arr | Lazy | None:
    """What a step gives, if it is a number or an array."""
    x = _value(cx, v, x)
    if isinstance(x, Generated):
        return array_of_steps(cx, x)
    if isinstance(x, Union) and all(k.form == "scalar" for k in x.kinds) and len({k.dtype for k in x.kinds}) == 1:
        x = unions.split(cx, [x], _strong)  # a float of Python or of NumPy
    if isinstance(x, Tup) and all(isinstance(i, (Num, Arr, Lazy, Tup)) for i in x.items):
        return array_of(cx, x)
    return x if isinstance(x, (Num, Arr, Lazy)) else None


def _value(cx: Lowering, v: Steps, x: Value) -> Value:
    """What a step gives."""
    if isinstance(v, Generated):
        targets.bind_target(cx, v.frame, v.node.generators[0].target, x)
        inner = v.node.elt
        lists = isinstance(inner, ast.ListComp)
        x = comprehensions.lower(cx, v.frame, inner, True) if lists else evaluate(cx, v.frame, inner)
    return x


def _strong(values: list[Value]) -> Value:
    (x,) = values
    assert isinstance(x, Num)
    return Num(x.expr, False)


def settled(cx: Lowering, v: Generated, dtype: DType | None = None) -> Value:
    """A list that a comprehension makes, as an array if it can be one, else as Python's list."""
    if not v.is_list:
        return v
    made = array_of_steps(cx, v, dtype)
    if made is None and dtype is None and _one_generator(v):
        return _ints_or_floats(cx, v) or _empty_or_not(cx, v)
    return made if made is not None else iterators.settled(cx, v)


def _one_generator(v: Generated) -> bool:
    return len(v.node.generators) == 1 and not v.node.generators[0].ifs


def _empty_or_not(cx: Lowering, v: Generated) -> Value:
    """An array of numbers, which is one of floats if there are none."""
    some = symbolic.gt(v.source.length, const(0))
    mark = cx.snapshot()
    with counted_loops.counted(cx, Iteration(v.source.length, v.source.item), "i") as (_, x):
        sample = _item(cx, v, x)
    cx.restore(mark)
    if cx.decide(some) is not None or not isinstance(sample, Num):
        return iterators.settled(cx, v)
    kind = promotion.array_literal_dtype([sample.dtype])

    def option(k: int) -> Value:
        made = array_of_steps(cx, v, kind) if k == 0 else cx.alloc(f64, (const(0),), hint="items")
        assert made is not None
        return made

    if kind is f64:
        return option(0)
    return unions.choose(cx, symbolic.select(some, const(0), const(1)), 2, option, "items")


def _ints_or_floats(cx: Lowering, v: Generated) -> Value | None:
    """An array of items that are ints or floats, as only the run tells: one of floats if one of them is, or if there are none."""
    mark = cx.snapshot()
    with counted_loops.counted(cx, Iteration(v.source.length, v.source.item), "i") as (_, x):
        sample = _value(cx, v, x)
    cx.restore(mark)
    if not isinstance(sample, Union) or sample.wide is None or {k.dtype for k in sample.kinds} != {i64, f64}:
        return None
    length = cx.let(v.source.length, "length")
    floats = cx.alloc(f64, (length,), hint="items")
    found = cx.scalar(b1, "floats")
    cx.write(found, symbolic.eq(length, const(0)))
    steps: list[Expr] = []

    def item(k: Expr) -> Value:
        steps.append(k)
        return v.source.item(k)

    with counted_loops.counted(cx, Iteration(v.source.length, item), "i") as (_, x):
        made = _value(cx, v, x)
        assert isinstance(made, Union) and made.wide is not None
        cx.emit(nodes.Tasklet(floats.at((steps[-1],)), made.wide))
        for k, kind in enumerate(made.kinds):
            if kind.dtype is f64:
                with cx.block(symbolic.eq(made.tag, const(k))) as block:
                    cx.write(found, TRUE)
                cx.branch(symbolic.eq(made.tag, const(k)), block)

    def option(k: int) -> Value:
        return floats if k == 0 else copy_array(cx, floats, (0,), dtype=i64)

    return unions.choose(cx, symbolic.select(cx.read(found), const(0), const(1)), 2, option, "items")


CONVERSIONS[Generated] = settled


@implements(np.fromiter)
def fromiter(cx: Lowering, iter: Value, dtype: Value, count: Value | None = None) -> Value:
    """np.fromiter"""
    t = dtype_of(cx, dtype)
    steps: Any = iter if isinstance(iter, (Generated, Iteration)) else None
    if isinstance(iter, (RangeVal, Arr, Lazy)):
        steps = counted_loops.iteration_of(cx, iter)
    elif isinstance(iter, (Tup, OneShot)):
        steps = static_steps(cx, iter)
    made = array_of_steps(cx, steps, t) if steps is not None else None
    if made is None or made.ndim != 1:
        if not isinstance(iter, (Generated, Iteration)):
            raise cx.unsupported("np.fromiter of this iterable")
        more = [count] if count is not None else []
        return call_value(cx, Static(np.fromiter), [iterators.settled(cx, iter), dtype, *more])
    wanted = count.expr if isinstance(count, Num) else const(-1)
    if isinstance(wanted, Const) and wanted.value == -1:
        return made
    n = cx.let(cx.cast(wanted, i64), "count")
    text = "iterator too short: Expected {0} but iterator had only {1} items."
    cx.check(symbolic.le(n, made.shape[0]), "ValueError", text, [n, made.shape[0]])
    if cx.decide(symbolic.ge(n, const(0))) is not True:
        raise cx.unsupported("np.fromiter with a count that may be negative")
    return get_item(cx, made, SliceVal(None, Num(n, True), None))
