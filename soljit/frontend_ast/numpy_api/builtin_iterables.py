"""Python's builtin functions that make or consume iterables."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from soljit.frontend_ast import calls, choices, comprehensions, iteration
from soljit.frontend_ast.binding import pin
from soljit.frontend_ast.indexing import get_item
from soljit.frontend_ast.kinds import join_numbers
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.builtin_functions import int_index
from soljit.frontend_ast.numpy_api.table import given, implements, static_of
from soljit.frontend_ast.operators import binary, describe, to_bool
from soljit.frontend_ast.python_numbers import constant, message_of
from soljit.frontend_ast.values import (
    NONE,
    Dict,
    Generated,
    Iteration,
    Num,
    Object,
    OneShot,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.frontend_ast.variables import ScalarVar
from soljit.ir import symbolic
from soljit.ir.expr import FALSE, TRUE, Const, Expr, Op, const
from soljit.ir.types import b1, i64


def steps_of(cx: Lowering, v: Value) -> Iteration | None:
    """How to step through a value by number; None: its items are static."""
    return None if isinstance(v, (Tup, Static, Dict)) else iteration.iteration_of(cx, v)


@implements(enumerate)
def enumerate_(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    """enumerate"""
    first = const(0) if start is None else int_index(cx, start)
    it = steps_of(cx, v)
    if it is None:
        return OneShot(
            [Tup([Num(symbolic.add(first, const(k)), True), x]) for k, x in enumerate(calls.iterate_static(cx, v))]
        )
    source = it
    return Iteration(it.length, lambda k: Tup([Num(symbolic.add(first, k), True), source.item(k)]))


@implements(zip)
def zip_(cx: Lowering, *vs: Value, strict: Value | None = None) -> Value:
    """zip"""
    if given(strict) and static_of(cx, strict):
        raise cx.unsupported("zip(strict=True)", "compare the lengths before")
    its = [steps_of(cx, v) for v in vs]
    if all(it is None for it in its):
        return OneShot([Tup(list(xs)) for xs in zip(*(calls.iterate_static(cx, v) for v in vs))])
    full = [it if it is not None else _static_steps(cx, v) for it, v in zip(its, vs)]
    n = full[0].length
    for it in full[1:]:
        shorter = cx.decide(symbolic.le(it.length, n))
        n = it.length if shorter else n if shorter is False else cx.facts.minimum(n, it.length)
    return Iteration(n, lambda k: Tup([it.item(k) for it in full]))


def _static_steps(cx: Lowering, v: Value) -> Iteration:
    items = Tup(calls.iterate_static(cx, v))

    return Iteration(const(len(items.items)), lambda k: get_item(cx, items, Num(k, True)))


@implements(reversed)
def reversed_(cx: Lowering, v: Value) -> Value:
    """reversed"""
    if isinstance(v, RangeVal):
        n = cx.range_length(v.start, v.stop, v.step)
        last = symbolic.add(v.start, symbolic.mul(v.step, symbolic.sub(n, const(1))))
        backwards = RangeVal(last, symbolic.sub(v.start, v.step), symbolic.neg(v.step))
        step = v.step
        return Iteration(n, lambda k: Num(symbolic.sub(last, symbolic.mul(step, k)), True), backwards)
    it = steps_of(cx, v)
    if it is None:
        return OneShot(calls.iterate_static(cx, v)[::-1])
    source = it
    return Iteration(it.length, lambda k: source.item(symbolic.sub(symbolic.sub(source.length, const(1)), k)))


@implements(map)
def map_(cx: Lowering, f: Value, *vs: Value) -> Value:
    """map"""
    its = [steps_of(cx, v) for v in vs]
    if all(it is None for it in its):
        return OneShot(
            [pin(cx, calls.call_value(cx, f, list(xs))) for xs in zip(*(calls.iterate_static(cx, v) for v in vs))]
        )
    zipped = zip_(cx, *vs)
    assert isinstance(zipped, Iteration)

    def item(k: Expr) -> Value:
        x = zipped.item(k)
        assert isinstance(x, Tup)
        return calls.call_value(cx, f, list(x.items))

    return Iteration(zipped.length, item)


def fold(cx: Lowering, v: Value, start: Value | None, step: Callable[[Value, Value], Value], what: str) -> Value:
    """Combine the items of an iterable in order; without a start the first item starts (empty iterables raise)."""
    try:
        items = calls.iterate_static(cx, v) if isinstance(v, (Tup, Static, Dict)) else None
    except Exception:
        items = None
    if items is not None:
        if start is None and not items:
            cx.raise_(
                "ValueError",
                f"{what}() arg is an empty sequence" if what in ("min", "max") else f"{what} of an empty sequence",
            )
            return NONE
        total = start if start is not None else items[0]
        for x in items if start is not None else items[1:]:
            total = pin(cx, step(total, x))
        return total
    return _fold_run_time(cx, v, start, step, what)


def _fold_run_time(
    cx: Lowering, v: Value, start: Value | None, step: Callable[[Value, Value], Value], what: str
) -> Value:
    """A loop with an accumulator whose type settles after a trial."""
    source = v.source if isinstance(v, Generated) else None if isinstance(v, Object) else iteration.iteration_of(cx, v)
    assert source is not None or isinstance(v, Object)
    if start is None and source is None:
        v = cx.objects.list_of_steps(cx, v)
        some = cx.objects.truth(cx, v)
        cx.check(some, "TypeError", "reduce() of empty iterable with no initial value")
    elif start is None and source is not None:
        if what == "reduce":
            cx.check(symbolic.gt(source.length, const(0)), "TypeError", empty_message(what, v))
        else:
            cx.check(symbolic.gt(source.length, const(0)), "ValueError", empty_message(what, v))
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

        def visit(
            x: Value, var: ScalarVar | None = var, first: str | None = first, needed: list[tuple[Any, bool]] = needed
        ) -> None:
            if not isinstance(x, Num):
                raise cx.unsupported(f"{what} over {describe(x)}")
            if var is None:
                needed.append((x.dtype, x.weak))
                return
            total = step(Num(cx.read(var.data), var.weak), x)
            if not isinstance(total, Num):
                raise cx.unsupported(f"{what} over {describe(x)}")
            needed.extend([(total.dtype, total.weak), *([(x.dtype, x.weak)] if start is None else [])])
            value = cx.cast(total.expr, var.dtype)
            if first and start is None:
                value = Op("select", (cx.read(first), cx.cast(x.expr, var.dtype), value), var.dtype)
            cx.write(var.data, value)
            if first:
                cx.write(first, FALSE)

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
            whole = source is not None and not (isinstance(v, Generated) and _filters(v))
            some = (
                symbolic.gt(source.length, const(0))
                if whole and source is not None
                else symbolic.negate(cx.read(first))
            )
            if start is None:
                cx.check(some, "TypeError" if what == "reduce" else "ValueError", empty_message(what, v))
                return total
            assert isinstance(start, Num)
            known = cx.decide(some)
            if known is not None:
                return total if known else start
            return choices.select(cx, cx.let(some, "some"), total, start)
        kind = want
        del cx.current.items[mark[0] :]
        cx.facts = mark[1]
    raise cx.unsupported(f"the type of this {what} does not settle")


def empty_message(what: str, v: Value) -> str:
    """What Python says of an empty iterable."""
    if what == "reduce":
        return "reduce() of empty iterable with no initial value"
    return message_of(lambda: min([])).replace("min", what)


def _filters(v: Generated) -> bool:
    """May a generator expression give fewer items than it has steps?"""
    return len(v.node.generators) > 1 or any(g.ifs for g in v.node.generators)


def visit_items(cx: Lowering, v: Value, source: Iteration, visit: Callable[[Value], None]) -> None:
    """Emit a loop over the items of an iterable or comprehension."""
    with iteration.counted(cx, source, "i") as (_, item):
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
        with cx.objects.steps(cx, v) as (_, item):
            visit(item)
        return
    it = iteration.iteration_of(cx, v)
    if it is None:
        for x in calls.iterate_static(cx, v):
            visit(x)
        return
    with iteration.counted(cx, it, "i") as (_, item):
        visit(item)


def _generator(cx: Lowering, fr: Any, node: Any, k: int, item: Value, visit: Callable[[Value], None]) -> None:
    g = node.generators[k]
    comprehensions.bind_target(cx, fr, g.target, item)

    def inside() -> None:
        if k + 1 < len(node.generators):
            seq = cx.evaluate(cx, fr, node.generators[k + 1].iter)
            it = iteration.iteration_of(cx, seq)
            if it is None:
                for x in calls.iterate_static(cx, seq):
                    _generator(cx, fr, node, k + 1, x, visit)
                return
            with iteration.counted(cx, it, "j") as (_, x):
                _generator(cx, fr, node, k + 1, x, visit)
            return
        visit(cx.evaluate(cx, fr, node.elt))

    conds = list(g.ifs)

    def guarded() -> None:
        if not conds:
            inside()
            return
        c = to_bool(cx, cx.evaluate(cx, fr, conds.pop(0)))
        with cx.block(c) as yes:
            guarded()
        cx.branch(c, yes)

    guarded()


@implements(sum)
def sum_(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    """sum: from left to right, starting with 0."""
    return fold(
        cx, v, start if start is not None else Num(const(0), True), lambda a, b: binary(cx, ast.Add, a, b), "sum"
    )


def _extreme(cx: Lowering, name: str, vs: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    kind = ast.Lt if name == "min" else ast.Gt

    def better(a: Value, b: Value) -> Value:
        if not (isinstance(a, Num) and isinstance(b, Num)):
            less = to_bool(cx, binary(cx, kind, b, a))
            if isinstance(less, Const):
                return b if less.value else a
            if isinstance(a, Num) or isinstance(b, Num) or not (isinstance(a, Tup) and isinstance(b, Tup)):
                raise cx.unsupported(f"{name} of {describe(a)} and {describe(b)}")
            raise cx.unsupported(f"{name} of tuples")
        x, y = cx.let(a.expr, "x"), cx.let(b.expr, "y")
        less = to_bool(cx, binary(cx, kind, Num(y, b.weak), Num(x, a.weak)))
        if isinstance(less, Const):
            return Num(y, b.weak) if less.value else Num(x, a.weak)
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            known = cx.decide(less)
            if known is not None:
                return Num(y, b.weak) if known else Num(x, a.weak)
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            return choices.select(cx, less, Num(y, b.weak), Num(x, a.weak))
        dtype, weak = a.dtype, a.weak
        if dtype is i64 and weak:
            pick = symbolic.minimum if name == "min" else symbolic.maximum
            return Num(cx.facts.simplify(pick(cx.cast(x, i64), cx.cast(y, i64))), weak)
        return Num(Op("select", (less, cx.cast(y, dtype), cx.cast(x, dtype)), dtype), weak)

    if set(kwargs) - {"default"}:
        raise cx.unsupported(f"{name} with key", "write a loop")
    if len(vs) > 1:
        total = pin(cx, vs[0])
        for v in vs[1:]:
            total = choices.split(cx, [total, pin(cx, v)], lambda vs: better(*vs))
        return total
    v = vs[0]
    if "default" in kwargs and isinstance(v, Tup) and not v.items:
        return kwargs["default"]
    return fold(cx, v, None, better, name)


@implements(min)
def min_(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
    """min: the first of equal smallest items."""
    return _extreme(cx, "min", vs, kwargs)


@implements(max)
def max_(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
    """max: the first of equal largest items."""
    return _extreme(cx, "max", vs, kwargs)


def _logical(cx: Lowering, v: Value, stop_at: bool) -> Value:
    name = "any" if stop_at else "all"
    start = Num(Const(not stop_at, b1), True)

    def step(a: Value, b: Value) -> Value:
        x, y = to_bool(cx, a), to_bool(cx, b)
        return Num((symbolic.disj if stop_at else symbolic.conj)(x, y), True)

    if isinstance(v, Generated):
        source = v.source
        found = cx.scalar(b1, name)
        cx.write(found, start.expr)

        def visit(x: Value) -> None:
            c = to_bool(cx, x)
            hit = c if stop_at else symbolic.negate(c)
            with cx.block(hit) as yes:
                cx.write(found, Const(stop_at, b1))
            cx.branch(hit, yes)

        visit_items(cx, v, source, visit)
        return Num(cx.let(cx.read(found), name), True)
    return fold(cx, v, start, step, name)


@implements(any)
def any_(cx: Lowering, v: Value) -> Value:
    """any"""
    return _logical(cx, v, True)


@implements(all)
def all_(cx: Lowering, v: Value) -> Value:
    """all"""
    return _logical(cx, v, False)


@implements(tuple)
def tuple_(cx: Lowering, v: Value | None = None) -> Value:
    """tuple of a sequence of static length"""
    return Tup([] if v is None else [pin(cx, x) for x in calls.iterate_static(cx, v)])


@implements(list)
def list_(cx: Lowering, v: Value | None = None) -> Value:
    """list of a sequence of static length"""
    return cx.objects.list_of(cx, [] if v is None else [pin(cx, x) for x in calls.iterate_static(cx, v)])  # type: ignore[no-any-return]


@implements(dict)
def dict_(cx: Lowering, v: Value | None = None, **kwargs: Value) -> Value:
    """dict from keywords"""
    if v is not None and not isinstance(v, Dict):
        raise cx.unsupported("dict of a sequence")
    return cx.objects.dict_of(cx, {**(v.items if isinstance(v, Dict) else {}), **kwargs})  # type: ignore[no-any-return]


@implements(sorted)
def sorted_(cx: Lowering, v: Value, **kwargs: Value) -> Value:
    """sorted of constants"""
    items = calls.iterate_static(cx, v)
    reverse = bool(static_of(cx, kwargs.pop("reverse", None)))
    if kwargs:
        raise cx.unsupported("sorted with key")
    keyed = sorted((static_of(cx, x) for x in items), reverse=reverse)
    return cx.objects.list_of(cx, [constant(cx, k) for k in keyed])  # type: ignore[no-any-return]


@implements(slice)
def slice_(cx: Lowering, *args: Value) -> Value:
    """slice"""
    parts: list[Value | None] = [None if isinstance(a, Static) and a.obj is None else a for a in args]
    if len(parts) == 1:
        return SliceVal(None, parts[0], None)
    return SliceVal(parts[0], parts[1], parts[2] if len(parts) > 2 else None)
