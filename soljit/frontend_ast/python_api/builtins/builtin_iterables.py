"""Python's builtin functions that make or consume iterables."""

from __future__ import annotations

import ast
import functools
import operator
import types
from collections.abc import Callable, Sequence

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.generator_calls import consume, mapped_or_filtered
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.iteration.folds import as_generator, fold, steps_of, visit_items
from soljit.frontend_ast.iteration.static_items import iterate_static, static_steps, steps_in
from soljit.frontend_ast.iteration.thunks import is_once, one_shot, thunk
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.joins.binding import items_of, pin
from soljit.frontend_ast.joins.tagged_numbers import is_tagged, numeric, pick
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numbers.operators import binary, to_bool
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.objects.objects import dict_of, list_of
from soljit.frontend_ast.python_api.builtins.builtin_functions import int_index
from soljit.frontend_ast.python_api.builtins.single_pass import by_python, does_something
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import (
    Dict,
    Func,
    Generated,
    Iteration,
    Method,
    Num,
    Object,
    OneShot,
    RangeVal,
    SliceVal,
    Static,
    Thunk,
    Tup,
    Value,
    taken,
)
from soljit.frontend_ast.views.numpy_arguments import given
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.types import b1, i64


def watched(*vs: Value, backwards: bool = False) -> list[tuple[Tup, list[Value], bool]]:
    """The lists among these, for `OneShot`."""
    lists = [(v, list(v.items), backwards) for v in vs if isinstance(v, Tup) and v.mutable]
    return lists + [w for v in vs if isinstance(v, OneShot) for w in v.watched]


def joined(cx: Lowering, compute: Sequence[Callable[[], Value]], *vs: Value) -> OneShot:
    """Items made of those of others: later if one of those is."""
    wait = any(map(_waits, vs))
    return OneShot([thunk(cx, f) if wait else f() for f in compute], watched(*vs))


def _may_change(f: Value) -> bool:
    """Tell whether calling a function could change anything."""
    if isinstance(f, Func):
        return not isinstance(f.tree, ast.Lambda) or may_have_effects(f.tree.body)
    return (
        does_something(f) if isinstance(f, Method) else isinstance(f, Static) and isinstance(f.obj, types.FunctionType)
    )


def _waits(v: Value) -> bool:
    """Tell whether some items of an iterator are computed when they are taken."""
    return isinstance(v, OneShot) and any(isinstance(x, Thunk) for x in v.steps)


@implements(enumerate)
def enumerate_(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    """enumerate"""
    first = const(0) if start is None else int_index(cx, start)
    it = steps_of(cx, v)
    if it is None:

        def numbered(k: int, x: Value) -> Value:
            return Tup([Num(symbolic.add(first, const(k)), True), taken(x)])

        return joined(cx, [functools.partial(numbered, k, x) for k, x in enumerate(steps_in(cx, v))], v)
    source = it
    return Iteration(it.length, lambda k: Tup([Num(symbolic.add(first, k), True), source.item(k)]), once=is_once(v))


@implements(zip)
def zip_(cx: Lowering, *vs: Value, strict: Value | None = None) -> Value:
    """zip"""
    if given(strict) and static_of(cx, strict):
        raise cx.unsupported("zip(strict=True)", "compare the lengths before")
    its = [steps_of(cx, v) for v in vs]
    _none_left_over(cx, vs, its)
    if all(it is None for it in its):
        rows = list(zip(*(steps_in(cx, v) for v in vs)))
        return joined(cx, [functools.partial(lambda xs: Tup(list(map(taken, xs))), xs) for xs in rows], *vs)
    for v in vs:
        if _waits(v):  # what it does stands between the steps of the others
            needed(cx, v)
            raise cx.unsupported("zip of this iterator and of an array", "make a list of it")
    full = [it if it is not None else static_steps(cx, v) for it, v in zip(its, vs)]
    n = full[0].length
    for it in full[1:]:
        shorter = cx.decide(symbolic.le(it.length, n))
        n = it.length if shorter else n if shorter is False else cx.facts.minimum(n, it.length)
    return Iteration(n, lambda k: Tup([it.item(k) for it in full]), once=any(map(is_once, vs)))


def _none_left_over(cx: Lowering, vs: Sequence[Value], its: Sequence[Iteration | None]) -> None:
    """`zip` takes an item of each in turn, also before it finds that a later one has none: Python does that where it is seen."""
    for k, v in enumerate(vs[:-1]):
        if is_once(v):
            lengths = [
                const(len(steps_in(cx, x))) if it is None else it.length for x, it in zip(vs[k:], its[k:], strict=True)
            ]
            if not all(cx.decide(symbolic.le(lengths[0], n)) for n in lengths[1:]):
                by_python(cx, v)


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
        return OneShot(iterate_static(cx, v)[::-1], watched=watched(v, backwards=True))
    source = it
    return Iteration(it.length, lambda k: source.item(symbolic.sub(symbolic.sub(source.length, const(1)), k)))


@implements(map)
def map_(cx: Lowering, f: Value, *vs: Value) -> Value:
    """map"""
    its = [steps_of(cx, v) for v in vs]
    if all(it is None for it in its):

        def result(xs: tuple[Value, ...]) -> Value:
            return pin(cx, calls.call_value(cx, f, list(map(taken, xs))))

        def as_generator() -> Value:
            return mapped_or_filtered(cx, map, f, *vs)

        steps = [functools.partial(result, xs) for xs in zip(*(steps_in(cx, v) for v in vs))]
        made = one_shot(
            cx, steps, _may_change(f), as_generator if len(vs) == 1 else None
        )  # what f does is seen between the steps
        made.watched = watched(*vs)
        return made
    zipped = zip_(cx, *vs)
    assert isinstance(zipped, Iteration)

    def item(k: Expr) -> Value:
        x = zipped.item(k)
        assert isinstance(x, Tup)
        return calls.call_value(cx, f, list(x.items))

    return Iteration(zipped.length, item, once=zipped.once or does_something(f))


@implements(sum)
def sum_(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    """sum: from left to right, starting with 0."""
    first = start if start is not None else Num(const(0), True)
    mark = cx.snapshot()
    try:
        return fold(cx, v, first, lambda a, b: binary(cx, ast.Add, a, b), "sum")
    except UnsupportedError:
        if not isinstance(v, Generated) or v.is_list:
            raise
        cx.restore(mark)
        stepped: Value | None = consume(cx, sum, [as_generator(cx, v), first])
        if stepped is None:
            raise
        return stepped


def _same_numbers(a: Tup, b: Tup) -> bool:
    """Whether both are plain tuples of numbers with the same types, place by place."""
    if a.cls or b.cls or a.mutable or b.mutable or len(a.items) != len(b.items):
        return False
    return all(
        isinstance(x, Num) and isinstance(y, Num) and (x.dtype, x.weak) == (y.dtype, y.weak)
        for x, y in zip(a.items, b.items)
    )


def _select_number(condition: Expr, a: Value, b: Value) -> Num:
    """`a if condition else b` for numbers of one type."""
    assert isinstance(a, Num) and isinstance(b, Num)
    return Num(Op("select", (condition, a.expr, b.expr), a.dtype), a.weak)


def _extreme(cx: Lowering, name: str, vs: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    kind = ast.Lt if name == "min" else ast.Gt

    def better(a: Value, b: Value) -> Value:
        if not (isinstance(a, Num) and isinstance(b, Num)):
            less = to_bool(cx, binary(cx, kind, b, a))
            if isinstance(less, Const):
                return b if less.value else a
            if isinstance(a, Num) or isinstance(b, Num) or not (isinstance(a, Tup) and isinstance(b, Tup)):
                raise cx.unsupported(f"{name} of {describe(a)} and {describe(b)}")
            if not _same_numbers(a, b):
                raise cx.unsupported(f"{name} of tuples")
            less = cx.let(less, "less")
            return Tup([_select_number(less, y, x) for x, y in zip(a.items, b.items)])
        x, y = cx.let(a.expr, "x"), cx.let(b.expr, "y")
        less = to_bool(cx, binary(cx, kind, Num(y, b.weak), Num(x, a.weak)))
        if isinstance(less, Const):
            return Num(y, b.weak) if less.value else Num(x, a.weak)
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            known = cx.decide(less)
            if known is not None:
                return Num(y, b.weak) if known else Num(x, a.weak)
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            return unions.select(cx, less, Num(y, b.weak), Num(x, a.weak))
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
            other = pin(cx, v)
            total = _either(cx, kind, total, other) or unions.split(cx, [total, other], lambda vs: better(*vs))
        return total
    v = vs[0]
    if "default" in kwargs and isinstance(v, (Tup, OneShot)) and not v.items:
        return kwargs["default"]
    if "default" in kwargs and not isinstance(v, (Tup, OneShot, Object)):
        compare = Static(operator.lt if name == "min" else operator.gt)
        return inline_function(cx, _extreme_or, [v, kwargs["default"], compare], {})  # type: ignore[arg-type]
    return fold(cx, v, None, better, name)


def _either(cx: Lowering, kind: type[ast.AST], a: Value, b: Value) -> Value | None:
    """The lesser, or greater, of numbers with tags, in one expression; None of others."""
    if not (is_tagged(a) or is_tagged(b)) or not (numeric(a) and numeric(b)):
        return None
    less = unions.operate(cx, kind, b, a, lambda x, y: binary(cx, kind, x, y), True)
    return pick(cx, cx.let(unions.truth_of(cx, less), "less"), b, a)


def _extreme_or(items, default, better):  # type: ignore[no-untyped-def]
    best, empty = default, True
    for x in items:
        if empty or better(x, best):
            best, empty = x, False
    return best


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

    v = calls.iterated(cx, v)
    source = v.source if isinstance(v, Generated) else v
    if isinstance(source, Iteration):
        found = cx.scalar(b1, name)
        cx.write(found, start.expr)

        def visit(x: Value) -> None:
            c = to_bool(cx, x)
            hit = c if stop_at else symbolic.negate(c)
            with cx.block(hit) as yes:
                cx.write(found, Const(stop_at, b1))
                cx.emit(nodes.Break())  # the items after it are not looked at
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
    return Tup([] if v is None else items_of(cx, iterate_static(cx, v)))


@implements(list)
def list_(cx: Lowering, v: Value | None = None) -> Value:
    """list of a sequence of static length"""
    return list_of(cx, [] if v is None else items_of(cx, iterate_static(cx, v)))


@implements(dict)
def dict_(cx: Lowering, v: Value | None = None, /, **kwargs: Value) -> Value:
    """dict from keywords"""
    if v is not None and not isinstance(v, Dict):
        raise cx.unsupported("dict of a sequence")
    items = {**(v.items if isinstance(v, Dict) else {}), **kwargs}
    return dict_of(cx, {k: pin(cx, x) for k, x in items.items()})


@implements(sorted)
def sorted_(cx: Lowering, v: Value, **kwargs: Value) -> Value:
    """sorted of constants"""
    items = items_of(cx, iterate_static(cx, v))
    reverse = bool(static_of(cx, kwargs.pop("reverse", None)))
    if kwargs:
        raise cx.unsupported("sorted with key")
    values = [static_of(cx, x) for x in items]
    try:
        order = sorted(range(len(values)), key=values.__getitem__, reverse=reverse)
    except TypeError:
        raise cx.unsupported("sorted of values that do not compare") from None
    return list_of(cx, [items[k] for k in order])


@implements(slice)
def slice_(cx: Lowering, *args: Value) -> Value:
    """slice"""
    parts: list[Value | None] = [None if isinstance(a, Static) and a.obj is None else a for a in args]
    if len(parts) == 1:
        return SliceVal(None, parts[0], None)
    return SliceVal(parts[0], parts[1], parts[2] if len(parts) > 2 else None)
