"""The table of NumPy functions: which handler lowers which function, and how.

A handler is a function of the lowering and the call's values, with NumPy's own parameter names and defaults:

    @implements(np.fliplr)
    def fliplr(cx, m): ...

Optional parameters default to None (meaning "not given"). Static arguments arrive as values, too: `static_of`, `axis_of`, `dtype_of`
turn them into Python objects. A handler gives a value; it raises `cx.unsupported(...)` for what it does not compile, and the
call then goes back to NumPy (`callback.py`) if the function is one of NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.pure import is_operand
from soljit.frontend_ast.descriptions import describe, described
from soljit.frontend_ast.iterator_objects import needed
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.creation import array_of
from soljit.frontend_ast.values import (
    Arr,
    Dict,
    Flat,
    Lazy,
    Num,
    Object,
    OneShot,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.ir import symbolic
from soljit.ir.expr import Const, Expr
from soljit.ir.types import DType, b1, from_numpy, i64

Handler = Callable[..., Value]


@dataclass(frozen=True)
class Entry:
    """How a function is compiled: by `handler`; `remark` says what part is left to NumPy."""

    handler: Handler
    remark: str = ""


CONVERSIONS: dict[
    type, Callable[[Lowering, Any, DType | None], Value]
] = {}  # values that NumPy's functions get as something else
FUNCTIONS: dict[int, tuple[Any, Entry]] = {}  # id of the function → (function, entry)
CALLED: dict[type, Handler] = {}  # callable objects: handler(cx, object, …)
METHODS: dict[str, Handler] = {}  # array methods: handler(cx, array, …)
ATTRIBUTES: dict[str, Callable[[Lowering, Any], Value]] = {}
CONTAINER_METHODS: dict[tuple[type, str], Handler] = {}  # methods of lists, tuples, dicts, slices: handler(cx, container, …)
READ_ITEM: dict[type, Callable[[Lowering, Any, Value], Value]] = {}  # `owner[index]`: read(cx, owner, index)
STORE_ITEM: dict[type, Callable[[Lowering, Any, Value, Value], None]] = {}  # `owner[index] = value`


def implements(*functions: Any, remark: str = "") -> Callable[[Handler], Handler]:
    """Register the handler of NumPy (or math, builtin) functions; None stands for one that this NumPy lacks."""

    def register(handler: Handler) -> Handler:
        for f in functions:
            if f is not None:
                FUNCTIONS[id(f)] = (f, Entry(handler, remark))
        return handler

    return register


def called(*classes: type) -> Callable[[Handler], Handler]:
    """Register the handler of calls of objects of these classes; the object comes first."""

    def register(handler: Handler) -> Handler:
        for c in classes:
            CALLED[c] = handler
        return handler

    return register


def method(*names: str) -> Callable[[Handler], Handler]:
    """Register the handler of an array method."""

    def register(handler: Handler) -> Handler:
        for n in names:
            METHODS[n] = handler
        return handler

    return register


def attribute(name: str) -> Callable[[Callable[[Lowering, Any], Value]], Callable[[Lowering, Any], Value]]:
    """Register an array attribute."""

    def register(handler: Callable[[Lowering, Any], Value]) -> Callable[[Lowering, Any], Value]:
        ATTRIBUTES[name] = handler
        return handler

    return register


def find(function: Any) -> Entry | None:
    """The entry of a function object."""
    found = FUNCTIONS.get(id(function))
    return found[1] if found is not None and found[0] is function else None


# --- static arguments -------------------------------------------------------------------------------------------------


def static_of(cx: Lowering, v: Value | None) -> Any:
    """The Python object of a value that must be known at compile time (integers may become guards). None gives None."""
    match v:
        case None:
            return None
        case Static():
            return v.obj
        case Num():
            if isinstance(v.expr, Const):
                return v.expr.value
            if v.dtype.is_int or v.dtype is b1:
                n = cx.static_int(v.expr)
                if n is not None:
                    return bool(n) if v.dtype is b1 else n
                cx.unroll_for(v.expr)
        case Tup():
            items = [static_of(cx, x) for x in v.items]
            return items if v.mutable else tuple(items)
        case SliceVal():
            return slice(*[static_of(cx, p) for p in (v.start, v.stop, v.step)])
        case Dict():
            return {k: static_of(cx, x) for k, x in v.items.items()}
    raise cx.unsupported(f"an argument of type {describe(v)} must be known at compile time", "use a constant")


def given(v: Value | None) -> bool:
    """Was an optional argument passed (and not None or np._NoValue)?"""
    return v is not None and not (isinstance(v, Static) and (v.obj is None or v.obj is np._NoValue))


def flag_of(cx: Lowering, v: Value | None, default: bool = False) -> bool:
    """A bool argument such as `keepdims`."""
    return bool(static_of(cx, v)) if given(v) else default


def dtype_of(cx: Lowering, v: Value | None, default: DType | None = None) -> DType | None:
    """A dtype argument (a type, a string, a dtype, a Python type)."""
    if not given(v):
        return default
    obj = static_of(cx, v)
    try:
        found = from_numpy(obj) if is_operand(obj) or isinstance(obj, type) else None
    except TypeError:
        found = None
    if found is None:
        raise cx.unsupported(f"dtype {described(obj)}")
    return found


def axis_of(cx: Lowering, v: Value | None, ndim: int) -> int | None:
    """One axis, normalized; None if not given. Raises AxisError as NumPy does."""
    if not given(v):
        return None
    return normal_axis(cx, static_of(cx, v), ndim)


def normal_axis(cx: Lowering, axis: Any, ndim: int) -> int:
    if axis is None:
        cx.raise_("TypeError", "'NoneType' object cannot be interpreted as an integer")
        return 0
    if not isinstance(axis, (int, np.integer)) or isinstance(axis, bool):
        raise cx.unsupported(f"axis {described(axis)}")
    if not i64.lowest <= axis <= i64.highest:
        cx.raise_("OverflowError", "Python int too large to convert to C long")
        return 0
    if not -ndim <= axis < ndim:
        cx.raise_("numpy.exceptions.AxisError", f"axis {int(axis)} is out of bounds for array of dimension {ndim}")
        return 0
    return int(axis) % ndim


def axes_of(
    cx: Lowering, v: Value | None, ndim: int, twice: str | None = "duplicate value in 'axis'"
) -> tuple[int, ...] | None:
    """An axis argument that may be a tuple; None (all axes) if not given. `twice`: what NumPy says of an axis named again; None: that is allowed."""
    if not given(v):
        return None
    obj = static_of(cx, v)
    axes = tuple(normal_axis(cx, a, ndim) for a in (obj if isinstance(obj, (tuple, list)) else (obj,)))
    if not cx.current.done and twice is not None and len(set(axes)) != len(axes):
        cx.raise_("ValueError", twice)
    if cx.current.done:
        return axes[: min(1, ndim)]
    return axes


def shape_of(cx: Lowering, v: Value) -> tuple[Expr, ...]:
    """A shape argument: an integer or a sequence of integers; negative sizes raise."""
    out = []
    for x in _lengths_of(cx, v):
        if isinstance(x, Object):
            x = cx.objects.as_index(cx, x)
        if isinstance(x, Num) and x.dtype.is_int:
            e = cx.cast(x.expr, i64)
        elif isinstance(x, Static) and isinstance(x.obj, (int, np.integer)) and i64.lowest <= x.obj <= i64.highest:
            e = Const(int(x.obj), i64)
        elif isinstance(x, Static) and type(x.obj) is int:
            cx.raise_("ValueError", "Maximum allowed dimension exceeded")
            e = Const(0, i64)
        else:
            raise cx.unsupported(f"{describe(x)} as a length")

        cx.check(symbolic.ge(e, Const(0, i64)), "ValueError", "negative dimensions are not allowed")
        out.append(cx.let(e, "n"))
    return tuple(out)


def _lengths_of(cx: Lowering, v: Value) -> list[Value]:
    """The lengths that a shape argument names."""
    if isinstance(v, Tup):
        return v.items
    if isinstance(v, Arr) and v.ndim == 1 and v.dtype.is_int:
        n = cx.static_int(v.shape[0])
        if n is None or n > 64:
            raise cx.unsupported("a shape whose number of dimensions is not known at compile time")
        return [Num(cx.let(v.element((Const(k, i64),))), False) for k in range(n)]
    return [v]


_NO_ARRAYS: tuple[
    Any, ...
] = (  # to these a list or `a.flat` is not the array of its items: they write into it, or look at its type
    *(np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis, np.random.shuffle),
    *(np.block, np.histogramdd, np.isfortran, np.shares_memory, np.may_share_memory, np.expand_dims, np.squeeze),
)


def _tells_lists_from_arrays(function: Any) -> bool:
    in_place = getattr(function, "__name__", "") == "at" and isinstance(getattr(function, "__self__", None), np.ufunc)
    return in_place or any(function is f for f in _NO_ARRAYS)


def converted(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value]) -> list[Value]:
    """Arguments as NumPy's functions get them."""
    if function is not np.fromiter and any(isinstance(v, OneShot) for v in args):
        raise cx.unsupported("an iterator as an argument of NumPy's functions", "make a list of it")
    if not any(type(v) in CONVERSIONS for v in args):
        return args
    if _tells_lists_from_arrays(function):
        if any(isinstance(v, Flat) for v in args):
            needed(cx, next(v for v in args if isinstance(v, Flat)))
            raise cx.unsupported(f"a.flat as an argument of np.{function.__name__}", "pass the array")
        return [cx.objects.settled(cx, v) for v in args]
    given_type = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    makes_array = any(function is f for f in (np.array, np.asarray, np.asanyarray))
    if makes_array and any(isinstance(v, Flat) for v in args):
        needed(cx, next(v for v in args if isinstance(v, Flat)))
        raise cx.unsupported("an array of a.flat, which may be a view or read-only", "use a.flatten()")
    try:
        dtype = dtype_of(cx, given_type) if makes_array else None
    except UnsupportedError:  # an array of records, dates, objects: NumPy makes it of the list
        return [cx.objects.settled(cx, v) for v in args]
    return [CONVERSIONS[type(v)](cx, v, dtype) if type(v) in CONVERSIONS else v for v in args]


def weak_of(v: Value) -> bool:
    """Is this a Python number?"""
    return isinstance(v, Num) and v.weak


def as_operand(cx: Lowering, v: Value) -> Num | Arr | Lazy:
    """What NumPy makes of an array-like argument."""
    if isinstance(v, (Num, Arr, Lazy)):
        return v
    if isinstance(v, (Tup, RangeVal)):
        return array_of(cx, v)
    raise cx.unsupported(f"{describe(v)} where an array is expected")


def mask_of(cx: Lowering, where: Value | None) -> Num | Arr | Lazy | None:
    """What `where=` lets through; None if it was not passed. NumPy takes truth values only, and None for one."""
    if where is None or isinstance(where, Static) and where.obj is np._NoValue:
        return None
    mask = as_operand(cx, where)
    if mask.dtype is not b1:
        raise cx.unsupported("where= that is not of type bool")
    return mask


def as_array(cx: Lowering, v: Value) -> Arr | Lazy:
    """Likewise, but numbers become 0-d arrays."""
    a = as_operand(cx, v)
    if isinstance(a, Num):
        expr = cx.let(a.expr)
        return Lazy(a.dtype, (), lambda _: expr, ())
    return a
