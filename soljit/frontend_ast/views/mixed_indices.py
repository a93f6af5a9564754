"""Subscripts of arrays whose parts may be of several types: one test whether all are integers; if not, Python takes the subscript as it is.

Code of its own for each combination of types is made only while there are few, all of which are known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.joins.binding import narrow, pin
from soljit.frontend_ast.joins.tagged_numbers import as_index
from soljit.frontend_ast.joins.unions import act, choose, split
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import escape
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Object, SliceVal, Tup, Union, Value
from soljit.frontend_ast.values.variables import Kind
from soljit.frontend_ast.views.object_items import store_object
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, Expr, Op, const
from soljit.ir.core.types import i64, u64

MOST = 8  # combinations of the types of one subscript that get code of their own


def are_many(types: Iterable[Sequence[Kind]]) -> bool:
    """Tell whether a subscript whose parts have these types is taken in one form, by integers or by Python."""
    types = list(types)
    return any(k.object is not None for kinds in types for k in kinds) or math.prod(map(len, types)) > MOST


def read_item(cx: Lowering, owner: Value, index: Value, read: Callable[[Value, Value], Value]) -> Value:
    """`owner[index]`. read: gives it for values of one type"""
    index = as_index(owner, index)
    if not isinstance(owner, (Arr, Lazy)) or not _in_one_form(index) or _are_two_known(index):
        return split(cx, [owner, index], lambda vs: read(*vs))
    a = materialize(cx, owner)

    def by_python() -> Value:
        escape(cx, a)
        return call_by_name(cx, "operator.getitem", [a, index], ANY)

    integers = _are_integers(index)
    if integers == FALSE:
        return by_python()
    which = cx.let(Op("select", (integers, const(0), const(1)), i64), "which")
    return choose(cx, which, 2, lambda k: by_python() if k else read(a, _as_integers(cx, index)), "item")


def write_item(
    cx: Lowering, owner: Value, index: Value, value: Value, store: Callable[[Value, Value, Value], None]
) -> None:
    """`owner[index] = value`. store: does it for values of one type"""
    index = as_index(owner, index)
    if not isinstance(owner, Arr) or not _in_one_form(index):
        act(cx, [owner, index, value], lambda vs: store(*vs))
        return
    value = pin(cx, value) if isinstance(value, Lazy) else value
    integers = _are_integers(index)
    if integers == FALSE:
        store_object(cx, owner, index, value)
        return
    integers = cx.let(integers, "integers")
    with cx.block(integers) as one:
        act(cx, [_as_integers(cx, index), value], lambda vs: store(owner, *vs))
    with cx.block(symbolic.negate(integers)) as other:
        store_object(cx, owner, index, value)
    cx.branch(integers, one, other)


def _parts(index: Value) -> list[Value]:
    """The parts of a subscript and the bounds of its slices."""
    parts = index.items if isinstance(index, Tup) and not index.mutable else [index]
    bounds = [b for x in parts for b in ((x.start, x.stop, x.step) if isinstance(x, SliceVal) else (x,))]
    return [b for b in bounds if b is not None]


def _in_one_form(index: Value) -> bool:
    unions = [x for x in _parts(index) if isinstance(x, Union)]
    return bool(unions) and are_many(u.kinds for u in unions)


def _are_two_known(index: Value) -> bool:
    """Tell whether one part is of one of two types, both of which tell what is read."""
    kinds = [k for x in _parts(index) if isinstance(x, Union) for k in x.kinds]
    return len(kinds) == 2 and all(k.object is None or k.object.cls is not None for k in kinds)


def _is_integer(k: Kind) -> bool:
    return k.form == "scalar" and k.dtype is not None and k.dtype.is_int and k.dtype is not u64


def _are_integers(index: Value) -> Expr:
    """Tell whether all parts whose type depends on the path are integers, and no other part is certainly none."""
    asked: list[Expr] = []
    for x in _parts(index):
        if isinstance(x, Union):
            asked.append(
                symbolic.disj(*(symbolic.eq(x.tag, const(k)) for k, kind in enumerate(x.kinds) if _is_integer(kind)))
            )
        elif isinstance(x, Object) and x.type.cls is not None and not hasattr(x.type.cls, "__index__"):
            return FALSE
    return symbolic.conj(*asked)


def _as_integers(cx: Lowering, index: Value) -> Value:
    """The index where these parts are integers."""
    match index:
        case Union():
            found = [k for k, kind in enumerate(index.kinds) if _is_integer(kind)]
            if len(found) == 1:
                return narrow(cx, index, found[0])
            which: Expr = const(len(found) - 1)
            for n in reversed(range(len(found) - 1)):
                which = symbolic.select(symbolic.eq(index.tag, const(found[n])), const(n), which)
            return choose(cx, cx.let(which, "type"), len(found), lambda n: _integer(cx, narrow(cx, index, found[n])))
        case SliceVal():
            return SliceVal(*(b if b is None else _as_integers(cx, b) for b in (index.start, index.stop, index.step)))
        case Tup():
            return Tup([_as_integers(cx, x) for x in index.items])
    return index


def _integer(cx: Lowering, v: Value) -> Num:
    assert isinstance(v, Num)
    return Num(cx.cast(v.expr, i64), True)
