"""Calls of ufuncs with `out`, `where` and `dtype`, and their methods `outer`, `reduce`, `accumulate`, `at`, `reduceat`."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.frontend_ast.elementwise import apply_ufunc, broadcast, broadcast_into, materialize, overlaps, store
from soljit.frontend_ast.fancy_indexing import Gather, nest_loops
from soljit.frontend_ast.indexing import expand
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api import callback, reductions, scans, table
from soljit.frontend_ast.numpy_api.ufunc_kernels import KERNELS
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.values import NONE, Arr, Lazy, Num, Static, Tup, Value
from soljit.ir import nodes, symbolic
from soljit.ir.expr import Expr, Load, const
from soljit.ir.types import b1


def call(cx: Lowering, ufunc: np.ufunc, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`ufunc(*args, out=, where=, dtype=)`."""
    known = {"out", "where", "dtype"}
    if ufunc is np.matmul or ufunc.__name__ not in KERNELS or set(kwargs) - known:
        return callback.call(cx, ufunc, args, kwargs)
    out: Value | None = kwargs.get("out")
    if len(args) > ufunc.nin:
        if out is not None or len(args) > ufunc.nin + ufunc.nout:
            raise cx.unsupported(f"np.{ufunc.__name__} with {len(args)} positional arguments")
        out = args[ufunc.nin] if ufunc.nout == 1 else Tup(args[ufunc.nin :])
        args = args[: ufunc.nin]
    if len(args) != ufunc.nin:
        text = f"{ufunc.__name__}() takes from {ufunc.nin} to {ufunc.nin + ufunc.nout} positional arguments but {len(args)} were given"
        cx.raise_("TypeError", text)
        return NONE
    operands = [table.as_operand(cx, a) for a in args]
    dtype = table.dtype_of(cx, kwargs.get("dtype"))
    result = apply_ufunc(cx, ufunc, operands, dtype, out)
    where = kwargs.get("where")
    masked = table.given(where) and not (isinstance(where, Num) and cx.prove(where.expr))
    if isinstance(result, list):
        if table.given(out) or masked:
            return callback.call(cx, ufunc, args, kwargs)
        return Tup([materialize(cx, r) if isinstance(r, Lazy) else r for r in result])
    if isinstance(result, Arr):  # NumPy's own
        return result
    assert isinstance(result, (Num, Lazy))
    if table.given(out):
        if isinstance(out, Tup) and len(out.items) == 1:
            out = out.items[0]
        if not isinstance(out, Arr):
            raise cx.unsupported(f"out={describe(out) if out else None}")
        return _into(cx, ufunc, result, out, where if masked else None)
    if masked:
        assert where is not None
        return _fresh_masked(cx, result, where)
    return result


def _into(cx: Lowering, ufunc: np.ufunc, result: Num | Lazy, out: Arr, where: Value | None) -> Value:
    """Store into `out` (same-kind casting), only where a mask holds."""
    if not np.can_cast(result.dtype.numpy, out.dtype.numpy, "same_kind"):
        raise cx.unsupported(f"out={describe(out)}")
    if not out.writable:
        cx.raise_("ValueError", "output array is read-only")
        return out
    if where is None:
        store(cx, out, result)
        return out
    _store_where(cx, out, result, where)
    return out


def _fresh_masked(cx: Lowering, result: Num | Lazy, where: Value) -> Value:
    """`where=` without `out`: other elements are uninitialised in NumPy; here they are zero."""
    mask = table.as_operand(cx, where)
    shapes = [s.shape for s in (result, mask) if isinstance(s, (Arr, Lazy))]

    shape, _ = broadcast(cx, shapes)
    out = cx.alloc(result.dtype, shape, zero=True)
    _store_where(cx, out, result, mask)
    return out


def _store_where(cx: Lowering, out: Arr, result: Num | Lazy, where: Value) -> None:
    mask = table.as_operand(cx, where)
    parts: list[Any] = []
    for v in (result, mask):
        if isinstance(v, Num):
            e = v.expr
            parts.append(lambda ix, e=e: e)
            continue
        fits = broadcast_into(cx, v.shape, out.shape)
        if fits is None:
            return
        parts.append(_broadcast_element(v, fits))

    def emit(value: Any, cond: Any) -> bool:
        with cx.map(out.shape, out.rank) as ix:
            c = cx.let(cx.cast(cond(ix), b1), "cond")
            with cx.block() as yes:
                code = cx.cast(value(ix), out.dtype)
                cx.emit(nodes.Tasklet(out.at(ix), code))
                bad = overlaps(cx, out.at(ix), code, cx.current)
            cx.branch(c, yes)
            return bad or overlaps(cx, out.at(ix), c, cx.current) and False

    if emit(*parts):
        cx.current.items.pop()
        shape_like = Lazy(result.dtype, out.shape, parts[0], out.rank)
        temporary = materialize(cx, shape_like)
        emit(temporary.element, parts[1])


def _broadcast_element(v: Lazy | Arr, fits: Any) -> Any:
    return lambda ix: v.element(fits(ix))


def _outer(cx: Lowering, ufunc: np.ufunc, a: Value, b: Value, **kwargs: Value) -> Value:
    x, y = table.as_operand(cx, a), table.as_operand(cx, b)
    if isinstance(x, (Arr, Lazy)) and isinstance(y, (Arr, Lazy)):
        n, m, element = x.ndim, y.ndim, x.element
        shape = (*x.shape, *(const(1) for _ in range(m)))
        x = Lazy(x.dtype, shape, lambda ix: element(ix[:n]), tuple(range(n + m)))
    return call(cx, ufunc, [x, y], dict(kwargs))


def _reduce(cx: Lowering, ufunc: np.ufunc, a: Value, axis: Value | None = None, dtype: Value | None = None, out: Value | None = None,
            keepdims: Value | None = None, initial: Value | None = None, where: Value | None = None) -> Value:  # fmt: skip

    return reductions.reduce_ufunc(cx, ufunc, a, axis, dtype, out, keepdims, initial, where)


def _accumulate(
    cx: Lowering,
    ufunc: np.ufunc,
    a: Value,
    axis: Value | None = None,
    dtype: Value | None = None,
    out: Value | None = None,
) -> Value:

    return scans.accumulate_ufunc(cx, ufunc, a, axis, dtype, out)


def _at(cx: Lowering, ufunc: np.ufunc, a: Value, indices: Value, b: Value | None = None) -> Value:
    """Unbuffered in-place operation: repeated indices accumulate."""
    if not isinstance(a, Arr):
        raise cx.unsupported(f"np.{ufunc.__name__}.at of {describe(a)}")

    parts = [table.as_operand(cx, p) if isinstance(p, Tup) else p for p in expand(cx, indices, a.ndim)]
    if not any(isinstance(p, (Arr, Lazy)) for p in parts):
        return callback.call(cx, ufunc.at, [a, indices] + ([b] if b is not None else []), {})
    gather = Gather.make(cx, a, parts)
    values: list[Num | Lazy | Arr] = []
    if b is not None:
        v = table.as_operand(cx, b)
        if isinstance(v, (Arr, Lazy)):
            v = materialize(cx, v)
            fits = broadcast_into(cx, v.shape, gather.shape, "array is not broadcastable to correct shape")
            if fits is None:
                return NONE
            element = v.element
            v = Lazy(v.dtype, gather.shape, lambda ix: element(fits(ix)), tuple(range(len(gather.shape))))
        values.append(v)

    def body(ix: tuple[Expr, ...]) -> None:
        at = gather.base.at(gather.at(ix))

        old = Num(Load(at, a.dtype), False)
        now: list[Any] = [old, *(v if isinstance(v, Num) else Num(v.element(ix), False) for v in values)]
        new = apply_ufunc(cx, ufunc, now)
        assert isinstance(new, Num)
        cx.emit(nodes.Tasklet(at, cx.cast(new.expr, a.dtype)))

    nest_loops(cx, gather.shape, body)
    return NONE


# `ufunc.outer(a, b)` and so on: handler(cx, ufunc, …); the other methods go back to NumPy
METHODS: dict[str, Any] = {"outer": _outer, "reduce": _reduce, "accumulate": _accumulate, "at": _at}

__all__ = ["METHODS", "Static", "call", "symbolic"]
