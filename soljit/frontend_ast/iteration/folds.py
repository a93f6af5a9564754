"""Folds: the items of an iterable of any kind, visited one by one and combined in order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from soljit.frontend_ast.iteration import counted_loops, targets
from soljit.frontend_ast.iteration.counted_loops import steps_of_object
from soljit.frontend_ast.iteration.heads import evaluate_head
from soljit.frontend_ast.iteration.static_items import iterate_static
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.joins.type_lattice import join_numbers
from soljit.frontend_ast.lowering.generator_expressions import generator_of
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.objects import make_object, truth
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.python_operators import message_of
from soljit.frontend_ast.values.values import (
    NONE,
    Dict,
    Generated,
    Iteration,
    Num,
    Object,
    OneShot,
    Static,
    Tup,
    Value,
    taken,
)
from soljit.frontend_ast.values.variables import ScalarVar
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, TRUE, Op, const
from soljit.ir.core.types import b1


def as_generator(cx: Lowering, v: Generated) -> Value:
    """A generator expression as a generator, whose steps are lowered where they are taken."""
    return generator_of(v.frame, v.node, v.source)


def steps_of(cx: Lowering, v: Value) -> Iteration | None:
    """How to step through a value by number; None: its items are static."""
    return None if isinstance(v, (Tup, OneShot, Static, Dict)) else counted_loops.iteration_of(cx, v)


def fold(cx: Lowering, v: Value, start: Value | None, step: Callable[[Value, Value], Value], what: str) -> Value:
    """Combine the items of an iterable in order; without a start the first item starts (empty iterables raise)."""
    try:
        known = iterate_static(cx, v) if isinstance(v, (Tup, Static, Dict)) else None
        items = v.steps if isinstance(v, OneShot) else known
    except RecursionError:
        raise
    except Exception:
        items = None
    if items is not None:
        if start is None and not items:
            cx.raise_(
                "ValueError",
                f"{what}() arg is an empty sequence" if what in ("min", "max") else f"{what} of an empty sequence",
            )
            return NONE
        total = start if start is not None else taken(items[0])
        for x in items if start is not None else items[1:]:
            total = pin(cx, step(total, taken(x)))
        return total
    return _fold_run_time(cx, v, start, step, what)


def _fold_run_time(
    cx: Lowering, v: Value, start: Value | None, step: Callable[[Value, Value], Value], what: str
) -> Value:
    """A loop with an accumulator whose type settles after a trial."""
    source = (
        v.source if isinstance(v, Generated) else None if isinstance(v, Object) else counted_loops.iteration_of(cx, v)
    )
    if source is None and not isinstance(v, Object):
        raise cx.unsupported(f"{what} of {describe(v)}")
    if start is None:
        v = _checked_before(cx, v, source, what)
    kind: tuple[Any, bool] | None = (start.dtype, start.weak) if isinstance(start, Num) else None
    if start is not None and kind is None:
        raise cx.unsupported(f"{what} that starts with {describe(start)}")
    mark = (len(cx.current.items), cx.facts)
    for _ in range(4):
        needed: list[tuple[Any, bool]] = []
        var = ScalarVar(cx.scalar(kind[0], what), kind[0], kind[1]) if kind else None
        other = kind is not None and isinstance(start, Num) and kind != (start.dtype, start.weak)
        first = cx.scalar(b1, "first") if start is None or other else None
        if first:
            cx.write(first, TRUE)
        if start is not None and var is not None:
            assert isinstance(start, Num)
            cx.write(var.data, cx.cast(start.expr, var.dtype))

        visit = _accumulation(cx, var, first, start is None, step, needed, what)
        if source is None:
            visit_any(cx, v, visit)
        else:
            visit_items(cx, v, source, visit)
        want = kind
        for k in needed:
            want = k if want is None else join_numbers(want, k)
        if want == kind and var is not None:
            total = Num(cx.let(cx.read(var.data), what), var.weak)
            if first is None:
                return total
            return _unless_empty(cx, v, source, start, total, first, what)
        kind = want
        del cx.current.items[mark[0] :]
        cx.facts = mark[1]
    raise cx.unsupported(f"the type of this {what} does not settle")


def _checked_before(cx: Lowering, v: Value, source: Iteration | None, what: str) -> Value:
    """Without a value to start with: raise in front of the loop if it is known there that nothing will come. The iterable."""
    if source is None:
        v = cx.above.list_of_steps(cx, v)
        cx.check(truth(cx, v), "TypeError", "reduce() of empty iterable with no initial value")
    else:
        error = "TypeError" if what == "reduce" else "ValueError"
        cx.check(symbolic.gt(source.length, const(0)), error, empty_message(what, v))
    return v


def _accumulation(
    cx: Lowering,
    var: ScalarVar | None,
    first: str | None,
    starts_empty: bool,
    step: Callable[[Value, Value], Value],
    needed: list[tuple[Any, bool]],
    what: str,
) -> Callable[[Value], None]:
    """What is done with each item: `var` takes another step. Without `var`, in the trial, only the item's type is written down.

    first: a scalar that is true before the first item; starts_empty: the first item is the value to start with; needed: gets types
    """

    def visit(x: Value) -> None:
        if not isinstance(x, Num):
            raise cx.unsupported(f"{what} over {describe(x)}")
        if var is None:
            needed.append((x.dtype, x.weak))
            return
        total = step(Num(cx.read(var.data), var.weak), x)
        if not isinstance(total, Num):
            raise cx.unsupported(f"{what} over {describe(x)}")
        needed.extend([(total.dtype, total.weak), *([(x.dtype, x.weak)] if starts_empty else [])])
        value = cx.cast(total.expr, var.dtype)
        if first and starts_empty:
            value = Op("select", (cx.read(first), cx.cast(x.expr, var.dtype), value), var.dtype)
        cx.write(var.data, value)
        if first:
            cx.write(first, FALSE)

    return visit


def _unless_empty(
    cx: Lowering, v: Value, source: Iteration | None, start: Value | None, total: Num, first: str, what: str
) -> Value:
    """`total`, if the loop has seen an item; else the value to start with, or Python's exception if there is none."""
    whole = source is not None and not (isinstance(v, Generated) and _filters(v))
    if whole and source is not None:
        some = symbolic.gt(source.length, const(0))
    else:
        some = symbolic.negate(cx.read(first))
    if start is None:
        cx.check(some, "TypeError" if what == "reduce" else "ValueError", empty_message(what, v))
        return total
    assert isinstance(start, Num)
    known = cx.decide(some)
    if known is not None:
        return total if known else start
    return unions.select(cx, cx.let(some, "some"), total, start)


def empty_message(what: str, v: Value) -> str:
    """What Python says of an empty iterable."""
    if what == "reduce":
        return "reduce() of empty iterable with no initial value"
    return message_of(lambda: min([])).replace("min", what)


def _filters(v: Generated) -> bool:
    """Tell whether a generator expression may give fewer items than it has steps."""
    return len(v.node.generators) > 1 or any(g.ifs for g in v.node.generators)


def visit_items(cx: Lowering, v: Value, source: Iteration, visit: Callable[[Value], None]) -> None:
    """Emit a loop over the items of an iterable or comprehension."""
    with counted_loops.counted(cx, source, "i") as (_, item):
        if not isinstance(v, Generated):
            visit(item)
            return
        fr = v.frame
        _generator(cx, fr, v.node, 0, item, visit)


def visit_any(cx: Lowering, v: Value, visit: Callable[[Value], object]) -> None:
    """Emit a loop over the items of any iterable; what is static is unrolled."""
    if isinstance(v, Generated):
        visit_items(cx, v, v.source, lambda x: (visit(x), None)[1])
        return
    if isinstance(v, Object):
        with steps_of_object(cx, v) as (_, item):
            visit(item)
        return
    it = counted_loops.iteration_of(cx, v)
    if it is None:
        items = iterate_static(cx, v)
        if not cx.work.unrolls(cx.copies, len(items)):
            visit_any(cx, make_object(cx, Tup(items, None, True)), visit)
            return
        for k, x in enumerate(items):
            with cx.on_way(k, len(items)) if cx.work.general else nullcontext():
                visit(x)
        return
    with counted_loops.counted(cx, it, "i") as (_, item):
        visit(item)


def _generator(cx: Lowering, fr: Any, node: Any, k: int, item: Value, visit: Callable[[Value], None]) -> None:
    g = node.generators[k]
    targets.bind_target(cx, fr, g.target, item)

    def inside() -> None:
        if k + 1 < len(node.generators):
            seq = evaluate_head(cx, fr, node.generators[k + 1].iter)
            it = counted_loops.iteration_of(cx, seq)
            if it is None:
                for x in iterate_static(cx, seq):
                    _generator(cx, fr, node, k + 1, x, visit)
                return
            with counted_loops.counted(cx, it, "j") as (_, x):
                _generator(cx, fr, node, k + 1, x, visit)
            return
        visit(cx.above.evaluate(cx, fr, node.elt))

    conds = list(g.ifs)

    def guarded() -> None:
        if not conds:
            inside()
            return
        c = cx.above.condition(cx, fr, conds.pop(0))
        with cx.block(c) as yes:
            guarded()
        cx.branch(c, yes)

    guarded()
