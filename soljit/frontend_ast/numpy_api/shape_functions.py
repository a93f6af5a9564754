"""NumPy's functions that give an array another shape: reshape, ravel, transpose and their relatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from soljit.frontend_ast import numpy_versions
from soljit.frontend_ast.choices import choose
from soljit.frontend_ast.elementwise import copy_array, materialize
from soljit.frontend_ast.known_items import iterate_static
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.memory_orders import k_order
from soljit.frontend_ast.numpy_api.shaping import flattened, ravel, reshaped, shaped_view, transposed
from soljit.frontend_ast.numpy_api.table import (
    as_array,
    given,
    implements,
    method,
    static_of,
)
from soljit.frontend_ast.python_numbers import py_type
from soljit.frontend_ast.strides import is_contiguous
from soljit.frontend_ast.values import Arr, Lazy, Num, Object, Static, Tup, Value
from soljit.ir import symbolic
from soljit.ir.data import Ref
from soljit.ir.expr import Expr, Op, const
from soljit.ir.types import b1, i64

Shape = tuple[Expr, ...]


def array(cx: Lowering, v: Value) -> Arr:
    """An array-like argument in memory."""
    return materialize(cx, as_array(cx, v))


def integer(cx: Lowering, v: Value) -> Expr:
    """An integer argument."""
    if isinstance(v, Num) and (v.dtype.is_int or v.dtype is b1):
        return cx.let(cx.cast(v.expr, i64))
    raise cx.unsupported("an argument that is not an integer")


def settled(cx: Lowering, compute: Callable[[], Any]) -> Any:
    """What Python code over compile-time values gives; if it raises, the program raises that (and None is given)."""
    try:
        return compute()
    except RecursionError:
        raise
    except Exception as e:
        cx.raise_like(e)
        return None


# --- reshape ----------------------------------------------------------------------------------------------------------


def new_shape(cx: Lowering, a: Arr, items: Sequence[Value]) -> Shape | None:
    """A shape argument with its -1 filled in; emits the exception (and gives None) if it does not fit."""
    sizes: list[Expr] = []
    for x in items:
        x = cx.special.index_of(cx, x)
        if isinstance(x, Object):
            x = cx.objects.as_index(cx, x)
        if isinstance(x, Num) and x.dtype.is_int:
            sizes.append(symbolic.simplify(cx.cast(x.expr, i64)))
            continue
        if isinstance(x, Static) and type(x.obj) is int:  # beyond 64 bits
            cx.raise_("ValueError", "Maximum allowed dimension exceeded")
        else:
            cx.raise_("TypeError", f"'{py_type(x)}' object cannot be interpreted as an integer")
        return None
    unknown: list[int] = []
    open_: list[int] = []  # may be negative or not, as far as is known now
    for k, n in enumerate(sizes):
        negative = cx.decide(symbolic.lt(n, const(0)))
        if negative is None:
            open_.append(k)
        elif negative:
            unknown.append(k)
    if len(unknown) > 1:
        cx.raise_("ValueError", "can only specify one unknown dimension")
        return None
    total = cx.let(cx.size_of(a.shape), "size")
    if open_:
        return _settled_at_run_time(cx, total, [cx.let(n, "n") for n in sizes], unknown, open_)
    known = cx.size_of([n for k, n in enumerate(sizes) if k not in unknown])
    text = _mismatch(len(sizes), unknown)
    operands = [total, *(n for k, n in enumerate(sizes) if k not in unknown)]
    if not unknown:
        if not cx.prove(symbolic.eq(known, total)):
            cx.check(symbolic.eq(known, total), "ValueError", text, operands)
        return None if cx.current.done else tuple(cx.let(n, "n") for n in sizes)
    rest = symbolic.floordiv(total, known)
    if symbolic.mul(rest, known) != total or not cx.prove(symbolic.ne(known, const(0))):
        cx.check(symbolic.ne(known, const(0)), "ValueError", text, operands)
        if not cx.current.done:
            cx.check(symbolic.eq(symbolic.mod(total, known), const(0)), "ValueError", text, operands)
        if cx.current.done:
            return None
    sizes[unknown[0]] = rest
    return tuple(cx.let(n, "n") for n in sizes)


def _settled_at_run_time(
    cx: Lowering, total: Expr, sizes: list[Expr], unknown: list[int], open_: list[int]
) -> Shape | None:
    """A shape in which only the run tells whether a length is the unknown one."""
    zero, one = const(0), const(1)
    candidates = unknown + open_
    missing = symbolic.total(symbolic.select(symbolic.lt(sizes[k], zero), one, zero) for k in candidates)
    cx.check(symbolic.le(missing, one), "ValueError", "can only specify one unknown dimension")
    given_ = [symbolic.select(symbolic.lt(n, zero), one, n) if k in candidates else n for k, n in enumerate(sizes)]
    known = cx.let(symbolic.prod(given_), "known")
    divides = symbolic.conj(symbolic.ne(known, zero), symbolic.eq(symbolic.mod(total, known), zero))
    for k in candidates:  # the message leaves out the unknown length, so each has its own
        fits = symbolic.disj(symbolic.ge(sizes[k], zero), divides)
        cx.check(fits, "ValueError", _mismatch(len(sizes), [k]), [total, *(n for d, n in enumerate(sizes) if d != k)])
    if not unknown:
        fits = symbolic.disj(symbolic.ge(missing, one), symbolic.eq(known, total))
        cx.check(fits, "ValueError", _mismatch(len(sizes), []), [total, *sizes])
    if cx.current.done:
        return None
    rest = symbolic.floordiv(total, known)
    filled = [symbolic.select(symbolic.lt(n, zero), rest, n) if k in candidates else n for k, n in enumerate(sizes)]
    return tuple(cx.let(n, "n") for n in filled)


def _mismatch(ndim: int, unknown: list[int]) -> str:
    """NumPy's message; it leaves out a leading unknown dimension."""
    parts: list[str] = []
    k = 1
    for d in range(ndim):
        if d in unknown:
            if parts:
                parts.append("newaxis")
            continue
        parts.append(f"{{{k}}}")
        k += 1
    return "cannot reshape array of size {0} into shape (" + ",".join(parts) + ("," if ndim == 1 else "") + ")"


def order_of_call(cx: Lowering, order: Value | None, a: Arr) -> str:
    """An `order` argument as "C", "F" or "K" ("A": Fortran if the array is contiguous so, and not in C order, too)."""
    named = static_of(cx, order) if given(order) else "C"
    o = named.upper() if isinstance(named, str) else named
    if o in ("C", "F"):
        return str(o)
    if o not in ("A", "K"):
        cx.raise_("ValueError", f"order must be one of 'C', 'F', 'A', or 'K' (got '{named}')")
        return "C"
    c, f = is_contiguous(cx, a), is_contiguous(cx, reverse(a))
    if not isinstance(c, bool) or not isinstance(f, bool):
        raise cx.unsupported(f"order='{o}' of an array whose layout is not known at compile time")
    if o == "A":
        return "F" if f and not c else "C"
    if c or f:
        return "C" if c else "F"
    return "K"


def in_order(cx: Lowering, a: Arr, order: str) -> Arr:
    """The view whose C order is this order of `a`."""
    return transposed(a, k_order(cx, [a], a.ndim)) if order == "K" else reverse(a) if order == "F" else a


def reverse(a: Arr) -> Arr:
    """The transpose."""
    return transposed(a, tuple(range(a.ndim))[::-1])


def reshape_to(cx: Lowering, a: Arr, items: Sequence[Value], order: Value | None, copy: Value | None) -> Arr:
    """a.reshape(items, order=order, copy=copy)"""
    how = order_of_call(cx, order, a)
    if given(order) and str(static_of(cx, order)).upper() == "K":
        cx.raise_("ValueError", "order 'K' is not permitted for reshaping")
        return a
    shape = new_shape(cx, a, items)
    if shape is None:
        return a
    copies = static_of(cx, copy) if given(copy) else None
    if copy is not None and not numpy_versions.RESHAPE_TAKES_COPY:
        raise cx.unsupported("reshape with copy")
    if isinstance(copies, str):
        cx.raise_("ValueError", "strings are not allowed for 'copy' keyword. Use True/False/None instead.")
        return a
    x = reverse(a) if how == "F" else a
    shape = shape[::-1] if how == "F" else shape
    if copies is None:
        out = reshaped(cx, x, shape)
    elif copies:
        out = reshaped(cx, copy_array(cx, x), shape)
    else:
        view = shaped_view(cx, x, shape)
        out = view or reshaped(cx, x, shape)
        if view is None and isinstance(cx.data[out.data], Ref):
            raise cx.unsupported("reshape with copy=False of an array whose layout is not known at compile time")
        if view is None:
            cx.raise_("ValueError", "Unable to avoid creating a copy while reshaping.")
    return reverse(out) if how == "F" else out


def sizes_of(cx: Lowering, shape: Value) -> Sequence[Value]:
    """The items of a shape argument: a tuple or list, or one integer."""
    if isinstance(shape, Tup):
        return shape.items
    if isinstance(shape, (Arr, Lazy)) and shape.ndim == 1:
        return iterate_static(cx, shape)
    if isinstance(shape, Object):
        raise cx.unsupported("a shape whose number of dimensions is not known at compile time")
    if isinstance(shape, Num) and not shape.dtype.is_int:
        cx.raise_("TypeError", "expected a sequence of integers or a single integer, got '{0}'", [shape.expr])
        return [Num(const(1), True)]
    return [shape]


def _check_given(cx: Lowering, shape: Value) -> None:
    if isinstance(shape, Static) and shape.obj is None:
        raise cx.unsupported("reshape(None)")


@implements(np.reshape)
def reshape(
    cx: Lowering,
    a: Value,
    shape: Value | None = None,
    order: Value | None = None,
    *,
    newshape: Value | None = None,
    copy: Value | None = None,
) -> Value:
    """np.reshape; what is `shape` was `newshape` once."""
    shape = newshape if shape is None else shape
    assert shape is not None
    _check_given(cx, shape)
    return scalar_again(a, reshape_to(cx, array(cx, a), sizes_of(cx, shape), order, copy))


@method("reshape")
def reshape_method(
    cx: Lowering, a: Value, *shape: Value, order: Value | None = None, copy: Value | None = None
) -> Value:
    """a.reshape"""
    if not shape:
        cx.raise_("TypeError", "reshape() takes exactly 1 argument (0 given)")
        return a
    _check_given(cx, shape[0])
    items = sizes_of(cx, shape[0]) if len(shape) == 1 else shape
    return scalar_again(a, reshape_to(cx, array(cx, a), items, order, copy))


def scalar_again(a: Value, result: Value) -> Value:
    """The result of a method: 0-d ones of NumPy scalars are scalars again."""
    return a if isinstance(a, Num) and not a.weak and isinstance(result, Arr) and result.ndim == 0 else result


@implements(np.ravel)
@method("ravel")
def ravel_function(cx: Lowering, a: Value, order: Value | None = None) -> Value:
    """np.ravel"""
    x = array(cx, a)
    x = in_order(cx, x, order_of_call(cx, order, x))
    contiguous = is_contiguous(cx, x)
    if x.writable or isinstance(contiguous, bool):
        return ravel(cx, x)

    def option(k: int) -> Arr:
        return ravel(cx, copy_array(cx, x) if k else x)

    return choose(cx, Op("select", (contiguous, const(0), const(1)), i64), 2, option, "raveled")  # a copy is writable


@method("flatten")
def flatten(cx: Lowering, a: Value, order: Value | None = None) -> Value:
    """a.flatten(): always a copy."""
    x = array(cx, a)
    return flattened(cx, in_order(cx, x, order_of_call(cx, order, x)))
