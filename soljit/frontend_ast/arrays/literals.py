"""Arrays made of nested sequences of numbers and arrays, and of ranges."""

from __future__ import annotations

from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, RangeVal, Tup
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr, const
from soljit.ir.core.types import DType, f64, i64


def array_of(cx: Lowering, v: Tup | RangeVal, dtype: DType | None = None) -> Arr:
    """`np.array` of a nested sequence of numbers and arrays."""
    if isinstance(v, RangeVal):
        return range_array(cx, v, dtype)
    numeric: list[Num | Array] = []
    strong = [array_of(cx, x, dtype) if isinstance(x, Tup) else x for x in v.items]
    for x in strong:
        x = range_array(cx, x) if isinstance(x, RangeVal) else x
        if not isinstance(x, (Num, Arr, Lazy)):
            raise cx.unsupported(f"an array of {describe(x)}")
        numeric.append(x)
    if dtype is None:
        dtype = promotion.array_literal_dtype([x.dtype for x in numeric]) if numeric else f64
    shapes = [() if isinstance(x, Num) else x.shape for x in numeric]
    inner: tuple[Expr, ...] = shapes[0] if shapes else ()
    for s in shapes[1:]:
        same = len(s) == len(inner) and all(cx.same_size(a, b) for a, b in zip(s, inner))
        if not same:
            raise cx.unsupported("an array of sequences of different or unknown lengths")
    out = cx.alloc(dtype, (const(len(numeric)), *inner))
    for k, x in enumerate(numeric):
        if isinstance(x, Num):
            cx.emit(nodes.Tasklet(out.at((const(k),)), as_element(cx, x, dtype)))
            continue
        element = x.element
        with cx.map(inner) as ix:
            cx.emit(nodes.Tasklet(out.at((const(k), *ix)), cx.cast(element(ix), dtype)))
    return out


def range_array(cx: Lowering, r: RangeVal, dtype: DType | None = None) -> Arr:
    n = cx.range_length(r.start, r.stop, r.step)
    if dtype is None and cx.decide(symbolic.eq(n, const(0))):
        return cx.alloc(f64, (const(0),))  # of no items NumPy makes floats
    return materialize(cx, Lazy(i64, (n,), lambda ix: symbolic.add(r.start, symbolic.mul(r.step, ix[0])), (0,)))
