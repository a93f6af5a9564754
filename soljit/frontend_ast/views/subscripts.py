"""One subscript, an integer or a slice, and the views that they make of an array."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.constants import constant, member_number
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Arr, Dim, Lazy, Num, SliceVal, Static, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Op, Sym, const
from soljit.ir.core.types import b1, i64, u64

_BEYOND_ARRAYS = 1 << 60
_ALL: tuple[Expr, Expr] = (const(0), const(1))  # start and step of a full slice


def in_parts(cx: Lowering, v: Value) -> Value:
    """A slice that is known, in parts; any other value itself."""
    if not isinstance(v, Static) or not isinstance(v.obj, slice):
        return v
    s = v.obj
    return SliceVal(*[None if p is None else constant(p) for p in (s.start, s.stop, s.step)])


def integer_index(cx: Lowering, v: Value) -> Expr:
    """An index of Python's, an integer or a bool; what lies beyond 64 bits counts as the largest."""
    v = member_number(v)
    if isinstance(v, (Arr, Lazy)) and v.ndim == 0 and v.dtype.is_int:
        v = Num(v.element(()), False)
    if isinstance(v, Num) and v.dtype is u64:
        e = cx.let(v.expr, "index")
        large = Op("gt", (e, Const(i64.highest, u64)), b1)
        return cx.let(Op("select", (large, const(i64.highest), cx.cast(e, i64)), i64), "index")
    if isinstance(v, Num) and (v.dtype.is_int or v.dtype is b1):
        return cx.cast(v.expr, i64)
    raise cx.unsupported(f"an index of type {describe(v)}")


def position(cx: Lowering, e: Expr, n: Expr, axis: int, message: str = "") -> Expr:
    """A checked, non-negative index into a dimension of length n."""
    message = message or f"index {{0}} is out of bounds for axis {axis} with size {{1}}"
    e = symbolic.simplify(e)
    if cx.decide(symbolic.ge(e, const(0))):
        cx.check(symbolic.lt(e, n), "IndexError", message, [e, n])
        return e
    if cx.decide(symbolic.lt(e, const(0))):
        cx.check(symbolic.ge(e, symbolic.neg(n)), "IndexError", message, [e, n])
        return symbolic.add(e, n)
    e = cx.let(e, "k")
    cx.check(symbolic.conj(symbolic.ge(e, symbolic.neg(n)), symbolic.lt(e, n)), "IndexError", message, [e, n])
    k = Op("select", (symbolic.lt(e, const(0)), symbolic.add(e, n), e), i64)
    name = cx.fresh("k")
    cx.emit(nodes.Let(name, k))
    cx.facts = cx.facts.with_range(name, const(0), n)
    return Sym(name)


def slice_of(cx: Lowering, s: SliceVal, n: Expr) -> tuple[Expr, Expr, Expr]:
    """(start, step, length) of a slice of a dimension of length n; the step is a constant."""
    s = SliceVal(*map(_within_64_bits, (s.start, s.stop, s.step)))
    if any(isinstance(p, Static) and isinstance(p.obj, np.ndarray) for p in (s.start, s.stop, s.step)):
        raise cx.unsupported("a slice made outside whose bounds are arrays", "make it of ints")
    if any(_not_an_index(p) for p in (s.start, s.stop, s.step)):
        cx.raise_("TypeError", "slice indices must be integers or None or have an __index__ method")
        return const(0), const(1), const(0)
    step = 1 if s.step is None else cx.static_int(integer_index(cx, s.step))
    if step is None:
        assert s.step is not None
        return _slice_by(cx, s, cx.let(integer_index(cx, s.step), "step"), n)
    if step == 0:
        cx.raise_("ValueError", "slice step cannot be zero")
        step = 1
    lo, hi = (const(0), n) if step > 0 else (const(-1), symbolic.sub(n, const(1)))
    start = (lo if step > 0 else hi) if s.start is None else clip(cx, integer_index(cx, s.start), n, lo, hi)
    stop = (hi if step > 0 else lo) if s.stop is None else clip(cx, integer_index(cx, s.stop), n, lo, hi)
    if step < 0:  # counted downwards: range_length handles it, stop may be -1
        count = cx.range_length(start, stop, const(step))
        return start, const(step), count
    return start, const(step), cx.range_length(start, stop, const(step))


def _within_64_bits(v: Value | None) -> Value | None:
    """A bound or step; one that is beyond 64 bits as one that is larger than any array."""
    if isinstance(v, Static) and type(v.obj) is int:
        return Num(const(_BEYOND_ARRAYS if v.obj > 0 else -_BEYOND_ARRAYS), True)
    return v


def _not_an_index(v: Value | None) -> bool:
    match v:
        case Num():
            return not v.dtype.is_int and not (v.dtype is b1 and v.weak)
        case Arr() | Lazy():
            return v.ndim > 0 or not v.dtype.is_int
        case Static():
            return v.obj is not None
    return v is not None


def _slice_by(cx: Lowering, s: SliceVal, step: Expr, n: Expr) -> tuple[Expr, Expr, Expr]:
    """A slice whose step is known only at run time."""
    cx.check(symbolic.ne(step, const(0)), "ValueError", "slice step cannot be zero")
    up = cx.decide(symbolic.gt(step, const(0)))
    if up is None:
        rising = symbolic.gt(step, const(0))
        last = symbolic.sub(n, const(1))
        lo, hi = (cx.let(Op("select", (rising, *ends), i64), "end") for ends in ((const(0), const(-1)), (n, last)))
        first, final = (cx.let(Op("select", (rising, *ends), i64), "end") for ends in ((lo, hi), (hi, lo)))
    else:
        lo, hi = (const(0), n) if up else (const(-1), symbolic.sub(n, const(1)))
        first, final = (lo, hi) if up else (hi, lo)
    start = first if s.start is None else clip(cx, integer_index(cx, s.start), n, lo, hi)
    stop = final if s.stop is None else clip(cx, integer_index(cx, s.stop), n, lo, hi)
    count = cx.let(cx.range_length(start, stop, step), "count")
    cx.facts = cx.facts.with_size(count) if isinstance(count, Sym) else cx.facts
    return start, step, count


def clip(cx: Lowering, e: Expr, n: Expr, lo: Expr, hi: Expr) -> Expr:
    """A slice bound: negative ones count from the end, then clamped to lo..hi."""
    e = symbolic.simplify(e)
    sign = cx.settle(symbolic.ge(e, const(0)))
    if sign is None:
        e = cx.let(Op("select", (symbolic.lt(e, const(0)), symbolic.add(e, n), e), i64), "bound")
    elif sign is False:
        e = symbolic.add(e, n)
    if sign is not True:
        low = cx.settle(symbolic.ge(e, lo))
        e = e if low else lo if low is False else cx.facts.maximum(e, lo)
    high = cx.settle(symbolic.le(e, hi))
    return e if high else hi if high is False else cx.facts.minimum(e, hi)


def basic_view(cx: Lowering, a: Arr, parts: list[Value]) -> Arr:
    """The view that integers, slices and newaxis select."""
    rules: list[tuple[Expr, Expr, int]] = []  # per old axis: offset, step, new axis
    shape: list[Expr] = []
    source: list[int] = []  # per new axis: old axis or -1
    axis = 0
    for p in parts:
        if isinstance(p, Static) and p.obj is Ellipsis:
            continue
        if isinstance(p, Static):
            shape.append(const(1))
            source.append(-1)
            continue
        n = a.shape[axis]
        if isinstance(p, SliceVal):
            if p.start is None and p.stop is None and p.step is None:
                start, step, count = _ALL[0], _ALL[1], n
            else:
                start, step, count = slice_of(cx, p, n)
            rules.append((start, step, len(shape)))
            shape.append(count)
            source.append(axis)
        else:
            e = integer_index(cx, p)
            if isinstance(p, (Num, Arr, Lazy)) and p.dtype is u64:
                wide = p.expr if isinstance(p, Num) else p.element(())
                fits = Op("le", (wide, Const(i64.highest, u64)), b1)
                cx.check(fits, "OverflowError", "Python int too large to convert to C long")
            rules.append((position(cx, e, n, axis), const(0), -1))
        axis += 1
    dims = []
    for d in a.dims:
        if d.axis < 0:
            dims.append(d)
            continue
        offset, by, new = rules[d.axis]
        at = symbolic.add(d.offset, symbolic.mul(d.step, offset))
        dims.append(Dim(at, symbolic.mul(d.step, by) if new >= 0 else const(1), new))
    units = tuple((source.index(k), s) for k, s in a.units if k in source)
    return replace(
        a, shape=tuple(shape), dims=tuple(dims), rank=view_rank(a.rank, source), whole=False, made="", units=units
    )


def view_rank(old: tuple[int, ...], source: list[int]) -> tuple[int, ...]:
    """Memory order of the new axes, given which old axis each came from."""
    new_of = {s: k for k, s in enumerate(source) if s >= 0}
    kept = [new_of[o] for o in old if o in new_of]
    if kept == sorted(kept):
        return tuple(range(len(source)))
    return (*kept, *(k for k, s in enumerate(source) if s < 0))


def index_of(cx: Lowering, v: Value) -> Value:
    """The int that an instance of the user's is as an index (PEP 357), also in a tuple or as the bound of a slice; any other value itself."""
    match v:
        case SliceVal():
            return SliceVal(*(None if x is None else index_of(cx, x) for x in (v.start, v.stop, v.step)))
        case Tup() if not v.mutable and v.cls is None:
            return Tup([index_of(cx, x) for x in v.items])
    return cx.above.call_special(cx, v, "__index__") or v
