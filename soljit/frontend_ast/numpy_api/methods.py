"""Array methods that are another function under their own name, and the small rest: item, sort, partition, conj."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast import calls
from soljit.frontend_ast.elementwise import apply_ufunc, materialize, store
from soljit.frontend_ast.indexing import get_item
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.table import METHODS, as_array, as_operand, method
from soljit.frontend_ast.values import NONE, Arr, Lazy, Num, Tup, Value
from soljit.ir import symbolic
from soljit.ir.expr import const
from soljit.ir.types import b1, c128, f64, i64

_SAME_NAME = ["argsort", "searchsorted", "diagonal", "trace", "repeat", "choose", "ptp", "round", "argpartition"]


def _forward(name: str) -> None:
    function = getattr(np, name)

    @method(name)
    def handler(cx: Lowering, a: Value, *args: Value, **kwargs: Value) -> Value:
        return calls.call_object(cx, function, [a, *args], kwargs)


for _name in _SAME_NAME:
    if _name not in METHODS:
        _forward(_name)


@method("conj", "conjugate")
def conj(cx: Lowering, a: Value) -> Value:
    """a.conj(): the array itself if it is real."""
    x = as_operand(cx, a)
    if isinstance(x, Arr) and not x.dtype.is_complex:
        return x
    result = apply_ufunc(cx, np.conjugate, [x])
    assert isinstance(result, Value)
    return Num(result.expr, a.weak) if isinstance(result, Num) and isinstance(a, Num) else result


@method("item")
def item(cx: Lowering, a: Value, *index: Value) -> Value:
    """a.item(): a Python number."""
    if isinstance(a, Num):
        x: Value = a
    else:
        arr = as_array(cx, a)
        if index:
            key = index[0] if len(index) == 1 else Tup(list(index))
            if len(index) == 1 and arr.ndim != 1:
                raise cx.unsupported("a.item(k) of an array of several dimensions", "use a.flat[k]")
            x = get_item(cx, materialize(cx, arr), key)
        else:
            cx.check(
                symbolic.eq(cx.size_of(arr.shape), const(1)),
                "ValueError",
                "can only convert an array of size 1 to a Python scalar",
            )
            x = Num(arr.element(tuple(const(0) for _ in arr.shape)), False)
    assert isinstance(x, Num)
    if x.dtype.name == "u64":
        raise cx.unsupported("a.item() of uint64", "use a[...] itself")
    kind = {"b": b1, "i": i64, "u": i64, "f": f64, "c": c128}[x.dtype.kind]
    return Num(cx.cast(x.expr, kind), True)


def _in_place(name: str) -> None:
    function = getattr(np, name)

    @method(name)
    def handler(cx: Lowering, a: Value, *args: Value, **kwargs: Value) -> Value:
        if not isinstance(a, Arr):
            raise cx.unsupported(f"a.{name}() of something that is not an array in memory")
        if not a.writable:
            cx.raise_(
                "ValueError", "sort array is read-only" if name == "sort" else "assignment destination is read-only"
            )
            return NONE
        result = calls.call_object(cx, function, [a, *args], kwargs)
        assert isinstance(result, (Arr, Lazy))
        store(cx, a, result)
        return NONE


for _name in ("sort", "partition"):
    _in_place(_name)
