"""itertools over what can be stepped through by number: ranges, arrays, tuples, and other iterators of these."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.iteration import counted_loops
from soljit.frontend_ast.iteration.folds import steps_of
from soljit.frontend_ast.iteration.static_items import iterate_static, static_steps
from soljit.frontend_ast.iteration.thunks import is_once
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.python_api.builtins.builtin_functions import int_index
from soljit.frontend_ast.python_api.builtins.single_pass import by_python, does_something, listed, taken_once
from soljit.frontend_ast.values.values import (
    ENDLESS,
    Dict,
    Generator,
    Iteration,
    Num,
    Object,
    OneShot,
    Static,
    Tup,
    Value,
)
from soljit.frontend_ast.views.numpy_arguments import given
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.types import b1, f64, i64

STATIC = 256  # as many items are made at compile time


def _is_static(cx: Lowering, v: Value) -> bool:
    return steps_of(cx, v) is None


def _steps(cx: Lowering, v: Value) -> Iteration:
    """The steps through a value, through a tuple of numbers by their numbers."""
    found = steps_of(cx, v)
    if found is not None:
        return found
    return static_steps(cx, v)


def _made(cx: Lowering, vs: Sequence[Value], make: Callable[..., Sequence[tuple[Value, ...]]]) -> Value | None:
    """Tuples made at compile time, where all items are known."""
    if any(isinstance(v, Object) for v in vs):
        raise cx.unsupported("this iterator of Python objects")
    if not all(_is_static(cx, v) for v in vs):
        return None
    found = list(itertools.islice(make(*(iterate_static(cx, v) for v in vs)), STATIC + 1))
    return OneShot([Tup(list(x)) for x in found]) if len(found) <= STATIC else None


@implements(itertools.product)
def product(cx: Lowering, *iterables: Value, repeat: Value | None = None) -> Value:
    """itertools.product"""
    vs = listed(cx, *iterables) * (static_of(cx, repeat) if given(repeat) else 1)
    made = _made(cx, vs, lambda *xs: itertools.product(*xs))  # type: ignore[arg-type]
    if made is not None:
        return made
    its = [_steps(cx, v) for v in vs]
    total: Expr = const(1)
    for it in its:
        total = symbolic.mul(total, it.length)

    def item(k: Expr) -> Value:
        out: list[Value] = []
        for it in reversed(its):
            out.append(it.item(cx.let(symbolic.mod(k, it.length), "k")))
            k = cx.let(symbolic.floordiv(k, it.length), "k")
        return Tup(out[::-1])

    return Iteration(cx.let(total, "n"), item)


@implements(itertools.combinations)
def combinations(cx: Lowering, iterable: Value, r: Value) -> Value:
    """itertools.combinations; of a run-time number of items: pairs."""
    return _pairs(cx, iterable, r, itertools.combinations, 1)


@implements(itertools.combinations_with_replacement)
def combinations_with_replacement(cx: Lowering, iterable: Value, r: Value) -> Value:
    """itertools.combinations_with_replacement; of a run-time number of items: pairs."""
    return _pairs(cx, iterable, r, itertools.combinations_with_replacement, 0)


def _pairs(cx: Lowering, v: Value, r: Value, function: Callable[..., object], apart: int) -> Value:
    size = static_of(cx, r)
    (v,) = listed(cx, v)
    made = _made(cx, [v], lambda x: function(x, size))  # type: ignore[arg-type, return-value]
    if made is not None:
        return made
    if size != 2:
        raise cx.unsupported("combinations of other than two of many items")
    it = _steps(cx, v)
    n = it.length
    total = symbolic.floordiv(symbolic.mul(n, symbolic.add(n, const(1 - 2 * apart))), const(2))

    def first_of(i: Expr) -> Expr:
        """The number of the first pair that begins with item i."""
        twice = symbolic.sub(symbolic.add(symbolic.mul(const(2), n), const(1 - 2 * apart)), i)
        return Op("floordiv", (Op("mul", (i, twice), i64), const(2)), i64)

    def item(k: Expr) -> Value:
        b = cx.cast(symbolic.add(symbolic.mul(const(2), n), const(1 - 2 * apart)), f64)
        root = Op("sub", (Op("mul", (b, b), f64), Op("mul", (cx.cast(k, f64), Const(8.0, f64)), f64)), f64)
        guess = Op("mul", (Op("sub", (b, Op("sqrt", (root,), f64)), f64), Const(0.5, f64)), f64)
        i = cx.let(cx.cast(guess, i64), "i")
        for _ in range(2):  # the square root may be rounded
            i = cx.let(Op("select", (Op("gt", (first_of(i), k), b1), Op("sub", (i, const(1)), i64), i), i64), "i")
        for _ in range(2):
            after = cx.let(Op("add", (i, const(1)), i64), "i")
            i = cx.let(Op("select", (Op("le", (first_of(after), k), b1), after, i), i64), "i")
        offset = Op("sub", (k, first_of(i)), i64)
        j = cx.let(Op("add", (offset, Op("add", (i, const(apart)), i64)), i64), "j")
        inside = symbolic.conj(symbolic.ge(i, const(0)), symbolic.lt(i, n))
        cx.facts = cx.facts.assume(symbolic.conj(inside, symbolic.conj(symbolic.ge(j, i), symbolic.lt(j, n))))
        return Tup([it.item(i), it.item(j)])

    return Iteration(cx.let(total, "n"), item)


@implements(itertools.permutations)
def permutations(cx: Lowering, iterable: Value, r: Value | None = None) -> Value:
    """itertools.permutations; of a run-time number of items: pairs."""
    size = static_of(cx, r) if given(r) else None
    (iterable,) = listed(cx, iterable)
    made = _made(cx, [iterable], lambda x: itertools.permutations(x, size))  # type: ignore[arg-type, return-value]
    if made is not None:
        return made
    if size != 2:
        raise cx.unsupported("permutations of other than two of many items")
    it = _steps(cx, iterable)
    n = it.length
    others = symbolic.sub(n, const(1))

    def item(k: Expr) -> Value:
        i = cx.let(symbolic.floordiv(k, others), "i")
        j = cx.let(symbolic.mod(k, others), "j")
        j = cx.let(Op("select", (symbolic.ge(j, i), symbolic.add(j, const(1)), j), i64), "j")
        inside = symbolic.conj(symbolic.ge(i, const(0)), symbolic.lt(i, n))
        cx.facts = cx.facts.assume(symbolic.conj(inside, symbolic.conj(symbolic.ge(j, const(0)), symbolic.lt(j, n))))
        return Tup([it.item(i), it.item(j)])

    return Iteration(cx.let(symbolic.mul(n, cx.facts.maximum(others, const(0))), "n"), item)


@implements(itertools.chain)
def chain(cx: Lowering, *iterables: Value) -> Value:
    """itertools.chain"""
    if any(map(is_once, iterables)) and len(iterables) == 2:
        return taken_once(cx, itertools.chain, *iterables)
    by_python(cx, *iterables)
    if all(_is_static(cx, v) for v in iterables):
        return OneShot([x for v in iterables for x in iterate_static(cx, v)])
    its = [_steps(cx, v) for v in iterables]
    starts: list[Expr] = [const(0)]
    for it in its:
        starts.append(cx.let(symbolic.add(starts[-1], it.length), "n"))

    def item(k: Expr) -> Value:
        which: Expr = const(len(its) - 1)
        for j in reversed(range(len(its) - 1)):
            which = Op("select", (symbolic.lt(k, starts[j + 1]), const(j), which), i64)
        return unions.choose(
            cx, cx.let(which, "which"), len(its), lambda j: its[j].item(symbolic.sub(k, starts[j])), "item"
        )

    return Iteration(starts[-1], item) if len(its) > 1 else its[0]


@implements(itertools.chain.from_iterable)
def chain_from_iterable(cx: Lowering, iterable: Value) -> Value:
    """itertools.chain.from_iterable of what is known at compile time, or computed one by one."""
    if isinstance(iterable, Generator) or is_once(iterable):
        return taken_once(cx, itertools.chain.from_iterable, iterable)
    return chain(cx, *iterate_static(cx, iterable))


@implements(itertools.islice)
def islice(cx: Lowering, iterable: Value, *bounds: Value) -> Value:
    """itertools.islice"""
    if isinstance(iterable, (Object, Dict)):
        raise cx.unsupported("islice of this")
    parts = [int_index(cx, b) if given(b) else None for b in bounds]
    start, stop, step = [None, *parts, None] if len(parts) == 1 else [*parts, None, None][:3]
    it = None if is_once(iterable) else _steps(cx, iterable)
    first, by = start if start is not None else const(0), step if step is not None else const(1)
    text = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize."
    cx.check(symbolic.ge(first, const(0)), "ValueError", text)
    cx.check(symbolic.ge(by, const(1)), "ValueError", "Step for islice() must be a positive integer or None.")
    end = const(ENDLESS) if it is None else it.length
    if stop is not None:
        text = "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
        cx.check(symbolic.ge(stop, const(0)), "ValueError", text)
        end = cx.facts.minimum(stop, end)
    if it is None:
        return taken_once(cx, itertools.islice, iterable, *(Num(e, True) for e in (first, end, by)))
    n = cx.let(cx.range_length(first, end, by), "n")
    return Iteration(n, lambda k: it.item(symbolic.add(first, symbolic.mul(by, k))))


@implements(itertools.count)
def count(cx: Lowering, start: Value | None = None, step: Value | None = None) -> Value:
    """itertools.count of ints"""
    if any(isinstance(v, Num) and not (v.weak and v.dtype is i64) for v in (start, step)):
        raise cx.unsupported("itertools.count of other than ints", "multiply in the loop")
    first = int_index(cx, start) if start is not None else const(0)
    by = int_index(cx, step) if step is not None else const(1)
    return Iteration(const(ENDLESS), lambda k: Num(symbolic.add(first, symbolic.mul(by, k)), True))


@implements(itertools.repeat)
def repeat(cx: Lowering, object: Value, times: Value | None = None) -> Value:
    """itertools.repeat"""
    n = const(ENDLESS) if times is None else cx.facts.maximum(int_index(cx, times), const(0))
    return Iteration(n, lambda k: object)


@implements(itertools.cycle)
def cycle(cx: Lowering, iterable: Value) -> Value:
    """itertools.cycle"""
    if is_once(iterable):
        return taken_once(cx, itertools.cycle, iterable)
    it = _steps(cx, iterable)
    n = cx.let(it.length, "n")
    some = symbolic.gt(n, const(0))
    if cx.decide(some):
        return Iteration(const(ENDLESS), lambda k: it.item(cx.let(symbolic.mod(k, n), "k")))
    endless = Op("select", (some, const(ENDLESS), const(0)), i64)
    return Iteration(cx.let(cx.facts.simplify(endless), "n"), lambda k: it.item(cx.let(symbolic.mod(k, n), "k")))


@implements(itertools.pairwise)
def pairwise(cx: Lowering, iterable: Value) -> Value:
    """itertools.pairwise"""
    if is_once(iterable):
        return taken_once(cx, itertools.pairwise, iterable)
    it = _steps(cx, iterable)
    n = cx.let(cx.facts.maximum(symbolic.sub(it.length, const(1)), const(0)), "n")
    return Iteration(n, lambda k: Tup([it.item(k), it.item(symbolic.add(k, const(1)))]))


@implements(itertools.zip_longest)
def zip_longest(cx: Lowering, *iterables: Value, fillvalue: Value | None = None) -> Value:
    """itertools.zip_longest"""
    by_python(cx, *iterables)
    fill = fillvalue if fillvalue is not None else Static(None)
    if all(_is_static(cx, v) for v in iterables):
        rows = itertools.zip_longest(*(iterate_static(cx, v) for v in iterables), fillvalue=fill)
        return OneShot([Tup(list(x)) for x in rows])
    its = [_steps(cx, v) for v in iterables]
    n = its[0].length
    for it in its[1:]:
        n = cx.facts.maximum(n, it.length)

    def item(k: Expr) -> Value:
        out: list[Value] = []
        for it in its:
            inside = symbolic.lt(k, it.length)
            if cx.prove(inside):
                out.append(it.item(k))
                continue
            which = cx.let(Op("select", (inside, const(0), const(1)), i64), "which")

            def option(j: int, it: Iteration = it) -> Value:
                return fill if j else it.item(k)

            out.append(unions.choose(cx, which, 2, option, "item"))
        return Tup(out)

    return Iteration(cx.let(n, "n"), item)


@implements(itertools.starmap)
def starmap(cx: Lowering, function: Value, iterable: Value) -> Value:
    """itertools.starmap"""
    if is_once(iterable) or does_something(function):
        return taken_once(cx, itertools.starmap, function, iterable)
    it = counted_loops.iteration_of(cx, iterable)
    if it is None:
        items = [iterate_static(cx, x) for x in iterate_static(cx, iterable)]
        return OneShot([calls.call_value(cx, function, xs) for xs in items])
    source = it
    return Iteration(it.length, lambda k: calls.call_value(cx, function, iterate_static(cx, source.item(k))))
