"""Shapes as arguments: of new arrays, and those that an array gets instead of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.descriptions import describe, py_type
from soljit.frontend_ast.values.values import Arr, Num, Object, Static, Tup, Value
from soljit.frontend_ast.views.object_items import as_index
from soljit.frontend_ast.views.subscripts import index_of
from soljit.ir import symbolic
from soljit.ir.core.expr import Const, Expr, const
from soljit.ir.core.types import i64

Shape = tuple[Expr, ...]


# --- reshape ----------------------------------------------------------------------------------------------------------


def new_shape(cx: Lowering, a: Arr, items: Sequence[Value]) -> Shape | None:
    """A shape argument with its -1 filled in; emits the exception (and gives None) if it does not fit."""
    sizes: list[Expr] = []
    for x in items:
        x = index_of(cx, x)
        if isinstance(x, Object):
            x = as_index(cx, x)
        if isinstance(x, Num) and x.dtype.is_int:
            sizes.append(symbolic.simplify(cx.cast(x.expr, i64)))
            continue
        if isinstance(x, Static) and type(x.obj) is int:  # beyond 64 bits
            cx.raise_("ValueError", "Maximum allowed dimension exceeded")
        else:
            cx.raise_("TypeError", f"'{py_type(x)}' object cannot be interpreted as an integer")
        return None
    unknown: list[int] = []
    open_: list[int] = []  # may be negative or not, as far as is known now
    for k, n in enumerate(sizes):
        negative = cx.decide(symbolic.lt(n, const(0)))
        if negative is None:
            open_.append(k)
        elif negative:
            unknown.append(k)
    if len(unknown) > 1:
        cx.raise_("ValueError", "can only specify one unknown dimension")
        return None
    total = cx.let(cx.size_of(a.shape), "size")
    if open_:
        return _settled_at_run_time(cx, total, [cx.let(n, "n") for n in sizes], unknown, open_)
    known = cx.size_of([n for k, n in enumerate(sizes) if k not in unknown])
    text = _mismatch(len(sizes), unknown)
    operands = [total, *(n for k, n in enumerate(sizes) if k not in unknown)]
    if not unknown:
        if not cx.prove(symbolic.eq(known, total)):
            cx.check(symbolic.eq(known, total), "ValueError", text, operands)
        return None if cx.current.done else tuple(cx.let(n, "n") for n in sizes)
    rest = symbolic.floordiv(total, known)
    if symbolic.mul(rest, known) != total or not cx.prove(symbolic.ne(known, const(0))):
        cx.check(symbolic.ne(known, const(0)), "ValueError", text, operands)
        if not cx.current.done:
            cx.check(symbolic.eq(symbolic.mod(total, known), const(0)), "ValueError", text, operands)
        if cx.current.done:
            return None
    sizes[unknown[0]] = rest
    return tuple(cx.let(n, "n") for n in sizes)


def _settled_at_run_time(
    cx: Lowering, total: Expr, sizes: list[Expr], unknown: list[int], open_: list[int]
) -> Shape | None:
    """A shape in which only the run tells whether a length is the unknown one."""
    zero, one = const(0), const(1)
    candidates = unknown + open_
    missing = symbolic.total(symbolic.select(symbolic.lt(sizes[k], zero), one, zero) for k in candidates)
    cx.check(symbolic.le(missing, one), "ValueError", "can only specify one unknown dimension")
    given_ = [symbolic.select(symbolic.lt(n, zero), one, n) if k in candidates else n for k, n in enumerate(sizes)]
    known = cx.let(symbolic.prod(given_), "known")
    divides = symbolic.conj(symbolic.ne(known, zero), symbolic.eq(symbolic.mod(total, known), zero))
    for k in candidates:  # the message leaves out the unknown length, so each has its own
        fits = symbolic.disj(symbolic.ge(sizes[k], zero), divides)
        cx.check(fits, "ValueError", _mismatch(len(sizes), [k]), [total, *(n for d, n in enumerate(sizes) if d != k)])
    if not unknown:
        fits = symbolic.disj(symbolic.ge(missing, one), symbolic.eq(known, total))
        cx.check(fits, "ValueError", _mismatch(len(sizes), []), [total, *sizes])
    if cx.current.done:
        return None
    rest = symbolic.floordiv(total, known)
    filled = [symbolic.select(symbolic.lt(n, zero), rest, n) if k in candidates else n for k, n in enumerate(sizes)]
    return tuple(cx.let(n, "n") for n in filled)


def _mismatch(ndim: int, unknown: list[int]) -> str:
    """NumPy's message; it leaves out a leading unknown dimension."""
    parts: list[str] = []
    k = 1
    for d in range(ndim):
        if d in unknown:
            if parts:
                parts.append("newaxis")
            continue
        parts.append(f"{{{k}}}")
        k += 1
    return "cannot reshape array of size {0} into shape (" + ",".join(parts) + ("," if ndim == 1 else "") + ")"


def shape_of(cx: Lowering, v: Value) -> tuple[Expr, ...]:
    """A shape argument: an integer or a sequence of integers; negative sizes raise."""
    out = []
    for x in _lengths_of(cx, v):
        if isinstance(x, Object):
            x = as_index(cx, x)
        if isinstance(x, Num) and x.dtype.is_int:
            e = cx.cast(x.expr, i64)
        elif isinstance(x, Static) and isinstance(x.obj, (int, np.integer)) and i64.lowest <= x.obj <= i64.highest:
            e = Const(int(x.obj), i64)
        elif isinstance(x, Static) and type(x.obj) is int:
            cx.raise_("ValueError", "Maximum allowed dimension exceeded")
            e = Const(0, i64)
        else:
            raise cx.unsupported(f"{describe(x)} as a length")

        cx.check(symbolic.ge(e, Const(0, i64)), "ValueError", "negative dimensions are not allowed")
        out.append(cx.let(e, "n"))
    return tuple(out)


def _lengths_of(cx: Lowering, v: Value) -> list[Value]:
    """The lengths that a shape argument names."""
    if isinstance(v, Tup):
        return v.items
    if isinstance(v, Arr) and v.ndim == 1 and v.dtype.is_int:
        n = cx.static_int(v.shape[0])
        if n is None or n > 64:
            raise cx.unsupported("a shape whose number of dimensions is not known at compile time")
        return [Num(cx.let(v.element((Const(k, i64),))), False) for k in range(n)]
    return [v]
