"""Builtin functions that step through generators: Python functions that are compiled along."""

from __future__ import annotations

import functools
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import Dict, Generated, Generator, Iteration, Num, Object, OneShot, Static, Value
from soljit.ir.core.expr import const


def mapped_or_filtered(cx: Lowering, function: Any, f: Value, items: Value) -> Value:
    """map or filter of a generator."""
    nothing = isinstance(f, Static) and f.obj is None
    step = _mapped if function is map else _true if nothing else chosen_items
    return inline_function(cx, step, [f, items], {})  # type: ignore[arg-type]


def _true(f: Any, items: Any) -> Any:
    """filter(None, …), in Python: this is compiled, as the following are."""
    for x in items:
        if x:
            yield x


def chosen_items(f: Any, items: Any) -> Any:
    """filter"""
    for x in items:
        if f(x):
            yield x


def _mapped(f: Any, items: Any) -> Any:
    """map"""
    for x in items:
        yield f(x)


def _mapped_two(f: Any, items: Any, others: Any) -> Any:
    for x, y in zip(items, others):
        yield f(x, y)


def _mapped_three(f: Any, items: Any, others: Any, more: Any) -> Any:
    for x, y, z in zip(items, others, more):
        yield f(x, y, z)


MAPPED = (_mapped, _mapped_two, _mapped_three)


def _listed(items: Any) -> Any:
    """What a generator yields, in Python: this is compiled."""
    out = []
    for item in items:
        out.append(item)  # noqa: PERF402
    return out


def _numbered(items: Any, start: Any) -> Any:
    """enumerate of what a generator yields, in Python: this is compiled."""
    number = start
    for item in items:
        yield number, item
        number += 1


def numbered(cx: Lowering, generator: Generator, start: Value | None = None) -> Value:
    """enumerate of a generator"""
    first = Num(const(0), True) if start is None else start
    return inline_function(cx, _numbered, [generator, first], {})  # type: ignore[arg-type]


def _any(items: Any) -> bool:
    """any, in Python: this is compiled, as the following are."""
    for x in items:  # noqa: SIM110
        if x:
            return True
    return False


def _all(items: Any) -> bool:
    for x in items:  # noqa: SIM110
        if not x:
            return False
    return True


def _next(items: Any) -> Any:
    for x in items:
        return x
    raise StopIteration


def _next_or(items: Any, default: Any) -> Any:
    for x in items:
        return x
    return default


def _zip_first(items: Any, others: Any) -> Any:
    k = 0
    for x in items:
        if k >= len(others):
            return
        yield x, others[k]
        k += 1  # noqa: SIM113 (this is compiled)


def _zip_second(others: Any, items: Any) -> Any:
    k = 0
    if k < len(others):
        for x in items:
            yield others[k], x
            k += 1
            if k >= len(others):
                return


def _sum(items: Any, start: Any) -> Any:
    total = start
    for x in items:
        total = total + x
    return total


def _reduce(function: Any, items: Any) -> Any:
    value, some = None, False
    for x in items:
        if some:
            value = function(value, x)
        else:
            value, some = x, True
    if not some:
        raise TypeError("reduce() of empty iterable with no initial value")
    return value


def _reduce_from(function: Any, items: Any, value: Any) -> Any:
    for x in items:
        value = function(value, x)
    return value


def _folded(cx: Lowering, function: Any, args: list[Value], items: Value) -> Value | None:
    """A fold over a generator. Where that cannot be compiled the items may be gathered first if nobody can tell."""
    mark = cx.snapshot()
    try:
        return inline_function(cx, function, args, {})
    except UnsupportedError:
        if not isinstance(items, Generator) or may_have_effects(items.tree):
            raise
        cx.restore(mark)
        return None


def _is_sequence(v: Value) -> bool:
    """Tell whether this has a length, and items by their numbers."""
    if isinstance(v, Object):
        return v.type.cls in (list, tuple, str)
    return not isinstance(v, (Iteration, Generated, OneShot, Dict))


def consume(cx: Lowering, function: Any, args: list[Value]) -> Value | None:
    """A builtin that steps through a generator; None: not one of those that are known."""
    where = [k for k, a in enumerate(args) if isinstance(a, Generator)]
    match [*args]:
        case [Generator()] if function is any or function is all or function is next:
            return inline_function(cx, {any: _any, all: _all, next: _next}[function], args, {})  # type: ignore[arg-type]
        case [Generator(), _] if function is next:
            return inline_function(cx, _next_or, args, {})  # type: ignore[arg-type]
        case [Generator(), *_] if function is sum:
            return _folded(cx, _sum, args if len(args) > 1 else [*args, Num(const(0), True)], args[0])
        case [_, Generator()] if function is functools.reduce:
            return _folded(cx, _reduce, args, args[1])
        case [_, Generator(), _] if function is functools.reduce:
            return _folded(cx, _reduce_from, args, args[1])
        case [a, b] if function is zip and len(where) == 1:
            if _is_sequence(b if where == [0] else a):
                return inline_function(cx, _zip_second if where == [1] else _zip_first, args, {})  # type: ignore[arg-type]
    return None


def list_of_generator(cx: Lowering, generator: Generator) -> Value:
    """A list of all that a generator yields."""
    return inline_function(cx, _listed, [generator], {})  # type: ignore[arg-type]
