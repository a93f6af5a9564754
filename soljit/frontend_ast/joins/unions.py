"""Unions: values whose type depends on the path, an int or a float, None or an array, arrays of different types; a tag tells which it is.

Such a value is a `Union`: a run-time number tells which of several values it is. An operation on it is lowered once for each
(`split`), under a branch on that number, and what the operations give is merged, to a union again if need be.

Numbers that one type holds exactly (floats of Python's and NumPy's, small constant ints among floats) share a variable of that type: where every type gives
the same number, as in `s = 0` and `s += x` of floats, the operation needs no branch (`tagged_numbers.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.joins.binding import narrow, pin
from soljit.frontend_ast.joins.phi import merge_values
from soljit.frontend_ast.joins.tagged_numbers import by_either_maker, by_one_loop, is_tagged, pick, widened
from soljit.frontend_ast.joins.type_lattice import CannotMerge
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.operators import to_bool
from soljit.frontend_ast.objects.contents import BOOL
from soljit.frontend_ast.objects.objects import call_by_name, make_object
from soljit.frontend_ast.values.values import (
    NONE,
    Dict,
    Instance,
    Method,
    Num,
    Object,
    OneShot,
    SliceVal,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, TRUE, Expr, Op, const
from soljit.ir.core.types import i64
from soljit.support.objects import HERE

METHOD_NAMES = frozenset(
    n
    for cls in (np.ndarray, np.generic, str, list, tuple, dict, set, int, float, complex)
    for n in dir(cls)
    if callable(getattr(cls, n))
)


def holds_union(v: Value) -> bool:
    """Tell whether the type of the value, or of an item, depends on the path."""
    match v:
        case Union():
            return True
        case Instance():  # whose attributes are read one by one
            return False
        case OneShot():
            return any(map(holds_union, v.steps))
        case Tup():
            return any(map(holds_union, v.items))
        case Dict():
            return any(map(holds_union, v.items.values()))
        case Method():
            return holds_union(v.owner)
        case SliceVal():
            return any(p is not None and holds_union(p) for p in (v.start, v.stop, v.step))
    return False


def is_none(v: Value) -> bool:
    return isinstance(v, Static) and v.obj is None


def unions_in(v: Value) -> Iterator[Union]:
    """The unions in a value."""
    if isinstance(v, Union):
        yield v
    if isinstance(v, (Tup, Dict)) and not isinstance(v, Instance):
        for x in v.items.values() if isinstance(v, Dict) else v.items:
            yield from unions_in(x)


def split(cx: Lowering, values: Sequence[Value], lower: Callable[[list[Value]], Value], hint: str = "value") -> Value:
    """What `lower` gives for these values; lowered once for each possible combination of their types."""
    at = next((k for k, v in enumerate(values) if holds_union(v)), None)
    if at is None:
        return lower(list(values))
    union, put = _first(values[at])

    def option(k: int) -> Value:
        chosen = put(narrow(cx, union, k))
        return split(cx, [*values[:at], chosen, *values[at + 1 :]], lower, hint)

    return choose(cx, cx.let(union.tag, "type"), len(union.kinds), option, hint)


def _first(v: Value) -> tuple[Union, Callable[[Value], Value]]:
    """The first union in a value, and how to put another value in its place."""
    if isinstance(v, Union):
        return v, lambda x: x
    if isinstance(v, Method):
        name = v.name
        union, put = _first(v.owner)
        return union, lambda x: Method(put(x), name)
    if isinstance(v, SliceVal):
        parts = [v.start, v.stop, v.step]
        at, part = next((k, p) for k, p in enumerate(parts) if p is not None and holds_union(p))
        union, put = _first(part)

        def with_part(x: Value) -> Value:
            y = put(x)
            new = None if isinstance(y, Static) and y.obj is None else y
            return SliceVal(*[new if k == at else p for k, p in enumerate(parts)])

        return union, with_part
    if isinstance(v, Dict):
        whole = v
        key = next(key for key, x in v.items.items() if holds_union(x))
        union, put = _first(v.items[key])
        return union, lambda x: replace(whole, items={**whole.items, key: put(x)})
    assert isinstance(v, (Tup, OneShot))
    items = v.steps if isinstance(v, OneShot) else v.items
    k = next(k for k, x in enumerate(items) if holds_union(x))
    union, put = _first(items[k])

    def with_item(x: Value) -> Value:
        new = [*items[:k], put(x), *items[k + 1 :]]
        return replace(v, steps=new) if isinstance(v, OneShot) else Tup(new, v.cls, v.mutable, v.home, v.site)

    return union, with_item


def act(cx: Lowering, values: Sequence[Value], lower: Callable[[list[Value]], None]) -> None:
    """Let `lower` do something with these values, as `split` does."""

    def option(vs: list[Value]) -> Value:
        lower(vs)
        return NONE

    split(cx, values, option)


def choose(cx: Lowering, tag: Expr, count: int, option: Callable[[int], Value], hint: str = "value") -> Value:
    """`option(k)` under the condition that the tag is k; the values are merged."""
    arms: list[tuple[Block, Value]] = []
    for k in range(count):
        with cx.block(symbolic.eq(tag, const(k))) as block:
            value = option(k)
            if not block.done:
                value = pin(cx, value)
        arms.append((block, value))
    return joined(cx, tag, arms, hint)


def joined(cx: Lowering, tag: Expr, arms: Sequence[tuple[Block, Value]], hint: str) -> Value:
    """Emit the branches on a tag; the value of the arm that is run."""
    conditions = [symbolic.eq(tag, const(k)) for k in range(len(arms))]
    reached = [(c, b, v) for c, (b, v) in zip(conditions, arms) if not b.done]
    last = reached[0][1:] if len(reached) == 1 else arms[-1] if not reached else None
    for cond, (block, _) in zip(conditions, arms):
        if block.done and (last is None or block is not last[0]):
            cx.branch(cond, block)
    if last is not None:  # one way goes on, or none
        cx.append(last[0])
        if not reached:
            cx.current.finish()
        return last[1]
    try:
        with cx.aside() as holder:  # reads of the result come after the branches
            result = merge_values(cx, [(b, v) for _, b, v in reached], hint)
    except CannotMerge as e:
        raise cx.unsupported(f"what is made here of a value of several types: {e}", "give the value one type") from None
    otherwise = reached[-1][1]
    for cond, block, _ in reached[-2:0:-1]:
        with cx.aside() as both:
            cx.branch(cond, block, otherwise)
        otherwise = both
    cx.branch(reached[0][0], reached[0][1], otherwise)
    cx.append(holder)
    return result


def held_union(cx: Lowering, v: Union) -> Object:
    """The value as a Python object, whichever it is."""
    return choose(cx, v.tag, len(v.kinds), lambda k: make_object(cx, narrow(cx, v, k)), "object")  # type: ignore[return-value]


def select(cx: Lowering, cond: Expr, a: Num, b: Num) -> Value:
    """`a if cond else b` for numbers that are there."""
    picked = pick(cx, cond, a, b)
    if picked is not None:
        return picked
    return Union(symbolic.select(cond, const(0), const(1)), (kind_of(cx, a), kind_of(cx, b)), (a, b), None, True)


def truth_of(cx: Lowering, v: Value) -> Expr:
    """Python's truth value of any value."""
    if isinstance(v, Union) and v.wide is not None:
        return to_bool(cx, Num(v.wide, True))
    found = split(cx, [v], lambda vs: Num(to_bool(cx, vs[0]), True), "cond") if isinstance(v, Union) else None
    if found is None:
        return to_bool(cx, v)
    assert isinstance(found, Num)
    return found.expr


def operate(
    cx: Lowering,
    kind: type[ast.AST],
    left: Value,
    right: Value,
    lower: Callable[[Value, Value], Value],
    only_truth: bool = False,
) -> Value:
    """`left <op> right` where an operand may be a union."""
    if not (holds_union(left) or holds_union(right)):
        return lower(left, right)
    pair = widened(kind, left, right, only_truth)
    if pair is not None:
        return lower(*pair)
    if kind in (ast.Is, ast.IsNot) and any(map(is_tagged, (left, right))) and any(map(is_none, (left, right))):
        return Num(FALSE if kind is ast.Is else TRUE, True)
    same = by_either_maker(cx, kind, left, right, lower) or by_one_loop(cx, kind, left, right, lower)
    if same is not None:
        return same
    return split(cx, [left, right], lambda vs: lower(*vs))


def of_either_type(cx: Lowering, v: Value) -> Value:
    """The value; one that is None or of a known type as a union."""
    if not isinstance(v, Object) or v.beside_none is None:
        return v
    there, found = v, v.beside_none
    is_none = call_by_name(cx, HERE + "is_same", [there, NONE], BOOL)
    assert isinstance(is_none, Num)
    tag = cx.let(Op("select", (is_none.expr, const(0), const(1)), i64), "type")
    return choose(cx, tag, 2, lambda k: call_by_name(cx, HERE + "same", [there], found) if k else NONE)
