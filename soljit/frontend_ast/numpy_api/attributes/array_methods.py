"""Array methods that are another function under their own name, and the small rest: item, fill, sort, partition, conj, copyto."""

from __future__ import annotations

import math

import numpy as np

from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.elementwise import apply_ufunc, materialize, store
from soljit.frontend_ast.arrays.operands import as_array, as_operand
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import METHODS, implements, method
from soljit.frontend_ast.objects.objects import call_by_name, list_of
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.values.values import NONE, Arr, Flat, Lazy, Num, Static, Tup, Value
from soljit.frontend_ast.views import flat_elements
from soljit.frontend_ast.views.indexing import get_item, set_item
from soljit.frontend_ast.views.numpy_arguments import given
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.types import b1, i64, u64
from soljit.support.limits import TOO_LARGE

_SAME_NAME = ["argsort", "searchsorted", "diagonal", "trace", "repeat", "argpartition"]


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
    if not x.dtype.is_complex and not (isinstance(x, Num) and x.weak and x.dtype is b1):
        return x
    if isinstance(x, Num) and x.dtype is b1:
        return Num(cx.cast(x.expr, i64), True)
    result = apply_ufunc(cx, np.conjugate, [x])
    assert isinstance(result, Value)
    return Num(result.expr, a.weak) if isinstance(result, Num) and isinstance(a, Num) else result


@method("choose")
def choose(cx: Lowering, a: Value, first: Value, *others: Value, **kwargs: Value) -> Value:
    """a.choose(choices), a.choose(choice, choice, …)"""
    choices = Tup([first, *others]) if others else first
    return calls.call_numpy(cx, np.choose, [a, choices], kwargs)


@method("item")
def item(cx: Lowering, a: Value, *args: Value) -> Value:
    """a.item(): a Python number."""
    index = list(args[0].items) if len(args) == 1 and isinstance(args[0], Tup) else list(args)
    if isinstance(a, Num) and not index:
        return python_number(cx, a)
    arr = materialize(cx, as_array(cx, a))
    if len(index) == 1 and arr.ndim != 1:
        x = flat_elements.get(cx, Flat(arr), index[0], flat_elements.OUTSIDE)
    elif index:
        if len(index) != arr.ndim:
            cx.raise_("ValueError", "incorrect number of indices for array")
            return a
        x = get_item(cx, arr, Tup(index))
    else:
        one = symbolic.eq(cx.size_of(arr.shape), const(1))
        cx.check(one, "ValueError", "can only convert an array of size 1 to a Python scalar")
        x = Num(arr.element(tuple(const(0) for _ in arr.shape)), False)
    if not isinstance(x, Num):
        raise cx.unsupported("a.item() with something that is not an index")
    return python_number(cx, x)


def python_number(cx: Lowering, x: Num) -> Num:
    """A NumPy scalar as a Python number."""
    if x.dtype is u64:
        small = Op("le", (x.expr, Const(i64.highest, u64)), b1)
        cx.check(small, "OverflowError", TOO_LARGE)
    return Num(cx.cast(x.expr, x.dtype.python), True)


MOST_ITEMS = 64  # of a list that the compiler knows item by item


@method("tolist")
def tolist(cx: Lowering, a: Value) -> Value:
    """a.tolist(): nested lists of Python numbers."""
    if isinstance(a, Num):
        return python_number(cx, a)
    x = materialize(cx, as_array(cx, a))
    lengths = [int(n.value.real) for n in x.shape if isinstance(n, Const)]
    if len(lengths) == x.ndim and math.prod(lengths) <= MOST_ITEMS:
        return _nested(cx, x, lengths, ())
    name, function = "numpy.ndarray.tolist", np.ndarray.tolist
    return call_by_name(cx, name, [x], result_of(cx, function, [x]))


def _nested(cx: Lowering, x: Arr, lengths: list[int], index: tuple[Expr, ...]) -> Value:
    if not lengths:
        return python_number(cx, Num(cx.let(x.element(index)), False))
    return list_of(cx, [_nested(cx, x, lengths[1:], (*index, const(k))) for k in range(lengths[0])])


@method("partition")
def partition(cx: Lowering, a: Value, *args: Value, **kwargs: Value) -> Value:
    """a.partition()"""
    if not isinstance(a, Arr):
        raise cx.unsupported("a.partition() of something that is not an array in memory")
    if "axis" in kwargs and not given(kwargs["axis"]):
        cx.raise_("TypeError", "'NoneType' object cannot be interpreted as an integer")
        return NONE
    if not a.writable:
        cx.raise_("ValueError", "partition array is read-only")
        return NONE
    result = calls.call_object(cx, np.partition, [a, *args], kwargs)
    if cx.current.done:
        return NONE
    if not isinstance(result, (Arr, Lazy)):
        raise cx.unsupported("a.partition() with such positions")
    store(cx, a, result)
    return NONE


@method("fill")
def fill(cx: Lowering, a: Value, value: Value) -> Value:
    """a.fill(value)"""
    if not isinstance(a, Arr):
        raise cx.unsupported("fill of something that is not an array in memory")
    if not a.writable:
        cx.raise_("ValueError", "assignment destination is read-only")
        return NONE
    x = as_operand(cx, value)
    if not isinstance(x, Num) and x.ndim > 0:
        if a.dtype is b1:
            raise cx.unsupported("a.fill(b) of an array of bools by an array")
        try:
            np.zeros(1, a.dtype.numpy).fill(np.zeros((2,) * x.ndim, x.dtype.numpy))
        except (TypeError, ValueError) as e:
            cx.raise_(type(e).__name__, str(e))
        return NONE
    store(cx, a, Num(as_element(cx, x, a.dtype), False) if isinstance(x, Num) else x)
    return NONE


@implements(np.copyto, remark="of arrays, everywhere")
def copyto(cx: Lowering, dst: Value, src: Value, casting: Value | None = None, where: Value | None = None) -> Value:
    """np.copyto: nothing happens to an array that is given as both, even if it is read-only."""
    if not isinstance(dst, Arr) or not isinstance(src, (Arr, Lazy)) or casting is not None or where is not None:
        raise cx.unsupported("np.copyto in this form")
    if not np.can_cast(src.dtype.numpy, dst.dtype.numpy, "same_kind"):
        raise cx.unsupported("np.copyto between these types")
    if isinstance(src, Arr) and (src.data, src.shape, src.dims) == (dst.data, dst.shape, dst.dims):
        return NONE
    set_item(cx, dst, Static(Ellipsis), src)
    return NONE
