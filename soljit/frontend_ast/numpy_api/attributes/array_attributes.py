"""Attributes of arrays and NumPy scalars."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.arrays.strides import linear_access
from soljit.frontend_ast.calls.attribute_reads import dtype_value
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import attribute
from soljit.frontend_ast.objects.iterators import remember
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.object_types import Element, ObjectType
from soljit.frontend_ast.values.values import Arr, Flat, Lazy, Num, Static, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import const


def size_of(cx: Lowering, a: Arr | Lazy | Num) -> Num:
    """Number of elements, a Python int."""
    return Num(cx.size_of(() if isinstance(a, Num) else a.shape), True)


@attribute("shape")
def shape(cx: Lowering, a: Any) -> Value:
    """Lengths as Python ints."""
    return Tup([] if isinstance(a, Num) else [Num(n, True) for n in a.shape])


@attribute("ndim")
def ndim(cx: Lowering, a: Any) -> Value:
    """Number of dimensions."""
    return Num(const(0 if isinstance(a, Num) else a.ndim), True)


@attribute("size")
def size(cx: Lowering, a: Any) -> Value:
    """Number of elements."""
    return size_of(cx, a)


@attribute("dtype")
def dtype(cx: Lowering, a: Any) -> Value:
    """The dtype object."""
    return dtype_value(a.dtype)


@attribute("itemsize")
def itemsize(cx: Lowering, a: Any) -> Value:
    """Bytes of an element."""
    return Num(const(a.dtype.size), True)


@attribute("nbytes")
def nbytes(cx: Lowering, a: Any) -> Value:
    """Bytes of all elements."""
    return Num(symbolic.mul(size_of(cx, a).expr, const(a.dtype.size)), True)


@attribute("device")
def device(cx: Lowering, a: Any) -> Value:
    """Where the memory is."""
    return Static("cpu")


@attribute("strides")
def strides_of(cx: Lowering, a: Any) -> Value:
    """Strides in bytes."""
    if isinstance(a, Num):
        return Tup([])
    x = materialize(cx, a)
    made = getattr(cx.data[x.data], "transient", False) and len(x.dims) == x.ndim
    if made and cx.decide(symbolic.eq(cx.size_of(x.shape), const(0))):
        return Tup([Num(const(0), True)] * x.ndim)  # NumPy makes arrays without elements so
    _, s = linear_access(cx, x)
    return Tup([Num(symbolic.mul(e, const(x.dtype.size)), True) for e in s])


@attribute("flat")
def flat(cx: Lowering, a: Any) -> Value:
    """a.flat"""
    x = materialize(cx, as_array(cx, a))
    if cx.loc in cx.learned.dynamic:
        iterator = Element("object", object=ObjectType(np.flatiter))
        return call_by_name(cx, "builtins.getattr", [x, Static("flat")], iterator)
    return remember(cx, Flat(x))
