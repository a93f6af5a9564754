"""Arguments of NumPy's functions that must be known at compile time, such as axes and dtypes, as Python objects; and arguments that NumPy converts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge.pure import is_operand, known
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import CONVERSIONS
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.objects.iterators import needed, settled
from soljit.frontend_ast.values.descriptions import described
from soljit.frontend_ast.values.values import Flat, Num, OneShot, Static, Value
from soljit.ir.core.expr import Expr
from soljit.ir.core.types import DType, b1, from_numpy, i64


def given(v: Value | None) -> bool:
    """Tell whether an optional argument was passed (and not None or np._NoValue)."""
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


def _tells_lists_from_arrays(function: Any) -> bool:
    """To these a list or `a.flat` is not the array of its items: they write into it, or look at its type."""
    facts = known(function)
    return facts is not None and (facts.changes in ("0", "1") or "lists" in facts)


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
        return [settled(cx, v) for v in args]
    given_type = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    makes_array = any(function is f for f in (np.array, np.asarray, np.asanyarray))
    if makes_array and any(isinstance(v, Flat) for v in args):
        needed(cx, next(v for v in args if isinstance(v, Flat)))
        raise cx.unsupported("an array of a.flat, which may be a view or read-only", "use a.flatten()")
    try:
        dtype = dtype_of(cx, given_type) if makes_array else None
    except UnsupportedError:  # an array of records, dates, objects: NumPy makes it of the list
        return [settled(cx, v) for v in args]
    return [CONVERSIONS[type(v)](cx, v, dtype) if type(v) in CONVERSIONS else v for v in args]


def integer_of(cx: Lowering, v: Value) -> Expr:
    """An integer argument."""
    if isinstance(v, Num) and (v.dtype.is_int or v.dtype is b1):
        return cx.let(cx.cast(v.expr, i64))
    raise cx.unsupported("an argument that is not an integer")


def computed_now(cx: Lowering, compute: Callable[[], Any]) -> Any:
    """What Python code over compile-time values gives; if it raises, the program raises that (and None is given)."""
    try:
        return compute()
    except RecursionError:
        raise
    except Exception as e:
        cx.raise_like(e)
        return None
