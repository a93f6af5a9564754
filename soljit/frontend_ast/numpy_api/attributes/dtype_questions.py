"""Questions about dtypes, shapes and sizes, which the compiler answers: np.result_type, np.finfo, np.ndim and the like."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.objects.contents import sample_of
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.values import NONE, Arr, Lazy, Num, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import axes_of, computed_now, given
from soljit.ir.core.expr import Const, const


def _about_types(function: Any) -> None:
    @implements(function)
    def handler(cx: Lowering, *args: Value, **kwargs: Value) -> Value:
        values, named = [_example(cx, v) for v in args], {k: _example(cx, v) for k, v in kwargs.items()}
        found = computed_now(cx, lambda: (function(*values, **named),))
        return NONE if found is None else constant(found[0])


def _example(cx: Lowering, v: Value) -> Any:
    """A Python object of the value's type; the value itself if it is known."""
    if isinstance(v, (Arr, Lazy)) or isinstance(v, Num) and not isinstance(v.expr, Const):
        return sample_of(cx, v, 1)
    known = static_of(cx, v)
    return v.dtype.numpy.type(known) if isinstance(v, Num) and not v.weak else known


for _f in (
    *(np.iinfo, np.finfo, np.result_type, np.promote_types, np.can_cast, np.dtype, np.issubdtype, np.isdtype),
    *(np.common_type, np.mintypecode, np.typename),
):
    _about_types(_f)


@implements(np.min_scalar_type)
def min_scalar_type(cx: Lowering, a: Value) -> Value:
    """np.min_scalar_type of arrays and constants."""
    if isinstance(a, Num) and not isinstance(a.expr, Const):
        raise cx.unsupported("np.min_scalar_type of a number that is not known at compile time")
    if isinstance(a, (Arr, Lazy)) and a.ndim == 0:
        raise cx.unsupported("np.min_scalar_type of a 0-d array")
    return constant(np.min_scalar_type(_example(cx, a)))


@implements(np.ndim)
def ndim(cx: Lowering, a: Value) -> Value:
    """np.ndim"""
    return Num(const(0 if isinstance(a, Num) else as_array(cx, a).ndim), True)


@implements(np.shape)
def shape(cx: Lowering, a: Value) -> Value:
    """np.shape"""
    return Tup([] if isinstance(a, Num) else [Num(n, True) for n in as_array(cx, a).shape])


@implements(np.size)
def size(cx: Lowering, a: Value, axis: Value | None = None) -> Value:
    """np.size"""
    x = as_array(cx, a)
    if given(axis) and not numpy_versions.SIZE_TAKES_AXES:
        one = static_of(cx, axis)
        if not isinstance(one, int) or not -x.ndim <= one < x.ndim:
            raise cx.unsupported("np.size along this axis")
    axes = axes_of(cx, axis, x.ndim)
    return Num(cx.size_of(x.shape if axes is None else [x.shape[k] for k in axes]), True)
