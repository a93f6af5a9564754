"""Calls of NumPy's scalar types: `np.float64(x)` is a NumPy scalar, or an array converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any  # Python constants of any type

import numpy as np

from soljit.base.knowledge.pure import Impure, attempt
from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.elementwise import cast_elements, materialize
from soljit.frontend_ast.arrays.operands import as_operand
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.constants import number
from soljit.frontend_ast.values.values import Num, Static, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, const
from soljit.ir.core.types import f64, from_numpy


def scalar_of(cx: Lowering, cls: type, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`np.float64(x)` and so on: a NumPy scalar, or an array converted."""
    dtype = from_numpy(cls)
    if dtype is None or dtype.numpy.type is not cls:
        made: Value | None = cx.above.call_function(cx, cls, list(args), dict(kwargs))
        if made is None:
            raise cx.unsupported(f"np.{cls.__name__}")
        return made
    constants = [_python_constant(a) for a in (*args, *kwargs.values())]
    if None not in constants:
        return _made_now(cx, cls, [c for c in constants if c is not None], len(args), list(kwargs))
    if kwargs or len(args) > 1:
        raise cx.unsupported(f"np.{cls.__name__} of several values that are not known at compile time")
    x = as_operand(cx, args[0])
    if isinstance(x, Num):
        return Num(as_element(cx, x, dtype) if x.weak else cx.cast(x.expr, dtype), False)
    single = x.ndim == 0 or (cls is np.float64 and numpy_versions.LINES_ARE_NUMBERS and not x.dtype.is_complex)
    if single and cx.decide(symbolic.eq(cx.size_of(x.shape), const(1))):
        return Num(cx.cast(x.element((const(0),) * x.ndim), dtype), False)
    return materialize(cx, cast_elements(x, dtype))


def _python_constant(v: Value) -> tuple[Any] | None:
    """The Python object that a value is for certain."""
    if isinstance(v, Static) and (v.obj is None or isinstance(v.obj, (str, int))):
        return (v.obj,)
    return (v.expr.value,) if isinstance(v, Num) and v.weak and isinstance(v.expr, Const) else None


def _made_now(cx: Lowering, cls: Any, values: list[tuple[Any]], positional: int, names: list[str]) -> Value:
    given = [v for (v,) in values]
    try:
        made = number(attempt(cls, given[:positional], dict(zip(names, given[positional:]))))
    except Impure:
        raise cx.unsupported(f"making an object of class {cls.__name__}") from None
    except RecursionError:
        raise
    except Exception as e:
        cx.raise_like(e)
        return Num(cx.cast(const(0), f64), False)
    assert made is not None
    return made
