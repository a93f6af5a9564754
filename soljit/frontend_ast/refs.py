"""Refs, the containers of array variables, and the memory order of what they are bound to."""

from __future__ import annotations

from collections.abc import Sequence

from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.values import Arr
from soljit.ir import symbolic
from soljit.ir.data import Ref, View
from soljit.ir.expr import Const, Expr
from soljit.ir.types import DType, i64


def new_ref(cx: Lowering, dtype: DType, ndim: int, order: str, origins: frozenset[str], hint: str) -> str:
    name = cx.fresh(hint)
    origins = frozenset(o for o in origins if o != name)
    cx.lengths.pop(name, None)
    cx.identities.pop(name, None)
    cx.data[name] = Ref(dtype, ndim, order, tuple(sorted(origins)))
    cx.origins[name] = origins
    return name


def order_of(cx: Lowering, v: Arr) -> str:
    """ "C" or "F" if the view certainly is contiguous in that order, else "A"."""
    d = cx.data[v.data]
    n = v.ndim
    if n == 0:
        return "C"
    whole = len(v.dims) == n and sorted(x.axis for x in v.dims) == list(range(n))
    shape = getattr(d, "shape", None)
    if not whole or any(x.offset != Const(0, i64) or x.step != Const(1, i64) for x in v.dims):
        return "A"
    if shape is not None and any(v.shape[x.axis] != s for x, s in zip(v.dims, shape)):
        return "A"
    if isinstance(d, Ref):
        base = d.order
    elif isinstance(d, View):
        base = "C" if _in_order(d.shape, d.strides, True) else "F" if _in_order(d.shape, d.strides, False) else "A"
    elif getattr(d, "strides", None) is None:
        base = "C"
    else:
        base = "F" if cx.is_fortran(v.data) else "A"
    axes = [x.axis for x in v.dims]
    if axes == list(range(n)):
        return base
    if axes == list(range(n))[::-1] and base in "CF":
        return "F" if base == "C" else "C"
    return "A"


def _in_order(shape: Sequence[Expr], strides: Sequence[Expr], last_fastest: bool) -> bool:
    """Are these certainly the strides of a contiguous array, the last (or first) axis fastest?"""
    step: Expr = Const(1, i64)
    pairs = list(zip(shape, strides))
    for n, stride in reversed(pairs) if last_fastest else pairs:
        if n != Const(1, i64) and stride != step:
            return False
        step = symbolic.mul(step, n)
    return True
