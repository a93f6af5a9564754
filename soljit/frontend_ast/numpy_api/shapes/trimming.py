"""np.trim_zeros: the smallest part of an array that holds all that is not zero."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast.arrays.elementwise import truth
from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.values import Arr, Num, SliceVal, Tup, Value
from soljit.frontend_ast.views.indexing import get_item
from soljit.frontend_ast.views.numpy_arguments import axes_of, given
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, Op, const
from soljit.ir.core.types import i64


@implements(np.trim_zeros)
def trim_zeros(cx: Lowering, filt: Value, trim: Value | None = None, axis: Value | None = None) -> Value:
    """np.trim_zeros: a view."""
    if isinstance(filt, (Num, Tup)):
        raise cx.unsupported("np.trim_zeros of a number or a list", "make an array of it")
    x = in_memory(cx, filt)
    sides = static_of(cx, trim) if trim is not None else "fb"
    if not isinstance(sides, str):
        raise cx.unsupported(f"trim={sides!r}")
    sides = sides.lower()
    if not numpy_versions.TRIMS_AXES and (x.ndim != 1 or sides not in ("fb", "bf", "f", "b")):
        raise cx.unsupported("np.trim_zeros in this form")
    if sides not in ("fb", "bf", "f", "b"):
        cx.raise_("ValueError", f"unexpected character(s) in `trim`: {sides!r}")
        return x
    axes = axes_of(cx, axis, x.ndim) if given(axis) else tuple(range(x.ndim))
    assert axes is not None
    if not axes:
        return x
    bounds = _bounds(cx, x)
    empty = cx.let(symbolic.eq(bounds[0][1], const(0)), "empty")
    full = SliceVal(None, None, None)
    parts: list[Value] = [full] * x.ndim
    for k in axes:
        start, stop = bounds[k]
        first = start if "f" in sides else const(0)
        last = stop if "b" in sides else x.shape[k]
        first, last = (cx.let(Op("select", (empty, const(0), e), i64), "bound") for e in (first, last))
        parts[k] = SliceVal(Num(first, True), Num(last, True), None)
    return get_item(cx, x, Tup(parts))


def _bounds(cx: Lowering, x: Arr) -> list[tuple[Expr, Expr]]:
    """For each axis where the part that is not zero starts and ends (0 for an array of zeros)."""
    starts = [cx.scalar(i64, "start") for _ in x.shape]
    stops = [cx.scalar(i64, "stop") for _ in x.shape]
    for k, n in enumerate(x.shape):
        cx.write(starts[k], n)
        cx.write(stops[k], const(0))
    with cx.map(x.shape) as ix:
        here = cx.let(truth(cx, x.element(ix)), "here")
        for k, n in enumerate(x.shape):
            cx.write(starts[k], Op("select", (here, ix[k], n), i64), "min")
            cx.write(stops[k], Op("select", (here, symbolic.add(ix[k], const(1)), const(0)), i64), "max")
    return [(cx.let(cx.read(a), "start"), cx.let(cx.read(b), "stop")) for a, b in zip(starts, stops)]
