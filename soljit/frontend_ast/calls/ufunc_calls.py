"""Calls of ufuncs with `out`, `where` and `dtype`, and their methods `outer` and `at`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.frontend_ast.arrays import operands
from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.arrays.elementwise import (
    apply_ufunc,
    broadcast,
    broadcast_into,
    check_weak_ints,
    materialize,
    overlaps,
    shape_text,
    store,
)
from soljit.frontend_ast.arrays.operands import as_operand, mask_of, weak_of
from soljit.frontend_ast.arrays.ufunc_kernels import KERNELS
from soljit.frontend_ast.calls.callbacks import callback
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values import numpy_versions, promotion
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import NONE, Arr, Lazy, Num, Tup, Value
from soljit.frontend_ast.views import numpy_arguments
from soljit.frontend_ast.views.array_indexing import expand
from soljit.frontend_ast.views.fancy_indexing import Gather, nest_loops, private
from soljit.frontend_ast.views.object_indices import as_far_as_known, has_objects
from soljit.frontend_ast.views.out_arguments import number_in
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr, Load, const
from soljit.ir.core.types import DType, b1


def call(cx: Lowering, ufunc: np.ufunc, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`ufunc(*args, out=, where=, dtype=)`."""
    if ufunc is np.matmul or ufunc.__name__ not in KERNELS:
        return callback.call_back(cx, ufunc, args, kwargs)
    if unknown := kwargs.keys() - {"out", "where", "dtype"}:
        raise cx.unsupported(f"np.{ufunc.__name__} with {min(unknown)}=")
    out: Value | None = kwargs.get("out")
    if len(args) > ufunc.nin and (out is not None or len(args) > ufunc.nin + ufunc.nout):
        raise cx.unsupported(f"np.{ufunc.__name__} with {len(args)} positional arguments")
    if len(args) != ufunc.nin:
        were = numpy_versions.ONE_WAS if len(args) == 1 else "were"
        text = f"{ufunc.__name__}() takes from {ufunc.nin} to {ufunc.nin + ufunc.nout} positional arguments but {len(args)} {were} given"
        cx.raise_("TypeError", text)
        return NONE
    operands = [as_operand(cx, a) for a in args]
    if ufunc.nin == 1:  # one Python number alone is an array of it
        operands = [_strong(x) for x in operands]
    dtype = numpy_arguments.dtype_of(cx, kwargs.get("dtype"))
    mask = mask_of(cx, kwargs.get("where"))
    if isinstance(mask, Num) and cx.prove(mask.expr):
        mask = None
    if mask is not None and ufunc is np.power and not isinstance(operands[1], Num) and operands[1].dtype.is_int:
        unused = apply_ufunc(cx, np.multiply, [operands[1], mask])  # exponents that are not used may be negative
        assert isinstance(unused, (Num, Arr, Lazy))
        operands[1] = unused
    outs = list(out.items) if isinstance(out, Tup) else [out]
    if numpy_arguments.given(out) and len(outs) != ufunc.nout:
        raise cx.unsupported(f"out={describe(out) if out else None}")
    for o in outs:
        if numpy_arguments.given(o) and not isinstance(o, Arr):
            raise cx.unsupported(f"out={describe(o) if o else None}")
    targets = [o for o in outs if isinstance(o, Arr)]
    if not all(o.writable for o in targets):
        cx.raise_("ValueError", "output array is read-only")
        return NONE
    stretched = all(isinstance(x, Num) for x in operands) and any(o.ndim for o in targets)
    if (
        ufunc.nout > 1
        and targets
        and (stretched or not all(_same_shape(cx, x, targets[0]) for x in [*operands, *targets]))
    ):
        raise cx.unsupported(f"np.{ufunc.__name__} of arrays of several shapes into several arrays")
    loop = _loop_into(ufunc, operands, dtype, targets[0]) if len(targets) == 1 else None
    if loop is not None:
        check_weak_ints(cx, operands, loop)
        if cx.current.done or not _fits(cx, targets[0], operands, mask):
            return NONE
    result = apply_ufunc(cx, ufunc, operands, dtype, targets[0] if len(targets) == 1 else None)
    if isinstance(result, list):
        found = [materialize(cx, r) if isinstance(r, Lazy) else r for r in result]
        if not targets and mask is None:
            return Tup(found)
        places = outs if len(outs) == len(found) else [None] * len(found)
        return Tup([_delivered(cx, r, o, mask) for r, o in zip(found, places)])
    if isinstance(result, Arr):  # NumPy's own
        return result
    return _delivered(cx, result, outs[0], mask)


def _same_shape(cx: Lowering, x: Num | Arr | Lazy, y: Arr) -> bool:
    return isinstance(x, Num) or x.ndim == y.ndim and all(cx.same_size(n, m) for n, m in zip(x.shape, y.shape))


def _loop_into(
    ufunc: np.ufunc, operands: list[Num | Arr | Lazy], dtype: DType | None, out: Arr
) -> tuple[DType, ...] | None:
    """The types of the loop whose result goes into `out`, if there is one. NumPy looks for it before it compares shapes."""
    try:
        loop = promotion.resolve(ufunc, [(x.dtype, weak_of(x)) for x in operands], dtype)
    except TypeError:
        return None
    return loop if np.can_cast(loop[-1].numpy, out.dtype.numpy, "same_kind") else None


def _fits(cx: Lowering, out: Arr, operands: list[Num | Arr | Lazy], mask: Num | Arr | Lazy | None) -> bool:
    """The operands and the mask together must have the shape of `out`, or one that is stretched to it."""
    given = [*operands, out, *([mask] if mask is not None else [])]
    shapes = [() if isinstance(x, Num) else x.shape for x in given]
    if all(s == () or s == out.shape for s in shapes):
        return True
    shape, _ = broadcast(cx, shapes)
    text, sizes = shape_text([out.shape, shape])
    first, _, second = text.partition(" ")
    message = f"non-broadcastable output operand with shape {first} doesn't match the broadcast shape {second}"
    if len(shape) != out.ndim:
        cx.raise_("ValueError", message, sizes)
    for n, m in zip(out.shape, shape):
        if n != m:
            cx.check(symbolic.eq(n, m), "ValueError", message, sizes)
    return not cx.current.done


def _delivered(cx: Lowering, result: Value, out: Value | None, mask: Num | Arr | Lazy | None) -> Value:
    """One result of a call: stored in `out`, or new."""
    assert isinstance(result, (Num, Lazy, Arr))
    if isinstance(out, Arr):
        return _into(cx, result, out, mask)
    return result if mask is None else _fresh_masked(cx, result, mask)


def _into(cx: Lowering, result: Num | Lazy | Arr, out: Arr, where: Value | None) -> Value:
    """Store into `out` (same-kind casting), only where a mask holds."""
    if not np.can_cast(result.dtype.numpy, out.dtype.numpy, "same_kind"):
        raise cx.unsupported(f"out={describe(out)}")
    if where is None:
        store(cx, out, result)
        return out
    _store_where(cx, out, result, where)
    return out


def _fresh_masked(cx: Lowering, result: Num | Lazy | Arr, where: Value) -> Value:
    """`where=` without `out`: other elements are uninitialised in NumPy; here they are zero."""
    mask = operands.as_operand(cx, where)
    shapes = [s.shape for s in (result, mask) if isinstance(s, (Arr, Lazy))]

    shape, _ = broadcast(cx, shapes)
    arrays = [x for x in (result, mask) if not isinstance(x, Num)]
    out = cx.alloc(result.dtype, shape, k_order(cx, arrays, len(shape)), zero=True)
    _store_where(cx, out, result, mask)
    return out if shape else number_in(cx, out)


def _store_where(cx: Lowering, out: Arr, result: Num | Lazy | Arr, where: Value) -> None:
    mask = operands.as_operand(cx, where)
    if cx.current.done:
        return
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
            bad = bad or overlaps(cx, out.at(ix), c, cx.current)
            cx.branch(c, yes)
            return bad

    if emit(*parts):
        if result.dtype is not out.dtype:  # NumPy converts all of a copy of `out`, and back
            raise cx.unsupported("where= with out= of another type that overlaps operands")
        cx.current.items.pop()
        temporaries = [materialize(cx, Lazy(t, out.shape, p, out.rank)) for t, p in zip((result.dtype, b1), parts)]
        emit(*(x.element for x in temporaries))


def _broadcast_element(v: Lazy | Arr, fits: Any) -> Any:
    return lambda ix: v.element(fits(ix))


def _strong(v: Num | Arr | Lazy) -> Num | Arr | Lazy:
    """The methods of ufuncs make arrays of Python numbers."""
    return Num(v.expr, False) if isinstance(v, Num) else v


def _outer(cx: Lowering, ufunc: np.ufunc, a: Value, b: Value, **kwargs: Value) -> Value:
    if ufunc.nin != 2:
        return callback.call_back(cx, ufunc.outer, [a, b], kwargs)
    x, y = _strong(operands.as_operand(cx, a)), _strong(operands.as_operand(cx, b))
    if isinstance(x, (Arr, Lazy)) and isinstance(y, (Arr, Lazy)):
        n, m, element = x.ndim, y.ndim, x.element
        shape = (*x.shape, *(const(1) for _ in range(m)))
        x = Lazy(x.dtype, shape, lambda ix: element(ix[:n]), (*x.rank, *range(n, n + m)))
    return call(cx, ufunc, [x, y], dict(kwargs))


def _at(cx: Lowering, ufunc: np.ufunc, a: Value, indices: Value, b: Value | None = None) -> Value:
    """Unbuffered in-place operation: repeated indices accumulate."""
    if not isinstance(a, Arr):
        raise cx.unsupported(f"np.{ufunc.__name__}.at of {describe(a)}")
    if not a.writable:  # which NumPy does not always notice
        raise cx.unsupported(f"np.{ufunc.__name__}.at of a read-only array")
    try:  # types come before indices
        promotion.resolve(
            ufunc, [(a.dtype, False), *([(operands.as_operand(cx, b).dtype, False)] if b is not None else [])]
        )
    except TypeError:
        return callback.call_back(cx, ufunc.at, [a, indices] + ([b] if b is not None else []), {})
    indices = as_far_as_known(cx, indices)
    if has_objects(indices):
        return callback.call_back(cx, ufunc.at, [a, indices] + ([b] if b is not None else []), {})
    parts = [operands.as_operand(cx, p) if isinstance(p, Tup) else p for p in expand(cx, indices, a.ndim)]
    if not any(isinstance(p, (Arr, Lazy)) for p in parts):
        return callback.call_back(cx, ufunc.at, [a, indices] + ([b] if b is not None else []), {})
    parts = [private(cx, a, p) if isinstance(p, (Arr, Lazy)) else p for p in parts]
    gather = Gather.make(cx, a, parts)
    values: list[Num | Lazy | Arr] = []
    if b is not None:
        v = operands.as_operand(cx, b)
        if isinstance(v, Num):
            v = Num(cx.let(v.expr, "value"), False)  # as an array of it
        else:
            v = private(cx, a, v)
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


# `ufunc.outer(a, b)` and so on: handler(cx, ufunc, …); `numpy_api/computing/reductions.py` and `numpy_api/computing/scans.py` add theirs, other methods go back to NumPy
METHODS: dict[str, Callable[..., Value]] = {"outer": _outer, "at": _at}
