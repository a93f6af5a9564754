"""Refs, the containers of array variables, and the memory order of what they are bound to."""

from __future__ import annotations

from collections.abc import Sequence

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Arr, Array, Lazy, full_view
from soljit.ir import symbolic
from soljit.ir.core.data import Ref, View
from soljit.ir.core.expr import Const, Expr, Extent, Sym, is_const
from soljit.ir.core.types import DType, i64


def new_ref(
    cx: Lowering,
    dtype: DType,
    ndim: int,
    order: str,
    origins: frozenset[str],
    hint: str,
    still: frozenset[int] = frozenset(),
) -> str:
    """A new Ref; still: the axes along which whatever is bound repeats its elements (stride 0)."""
    name = cx.fresh(hint)
    origins = frozenset(o for o in origins if o != name)
    cx.lengths.pop(name, None)
    cx.identities.pop(name, None)
    cx.still.pop(name, None)
    if still:
        cx.still[name] = still
    cx.data[name] = Ref(dtype, ndim, order, tuple(sorted(origins)))
    cx.origins[name] = origins
    return name


def bound_array(cx: Lowering, name: str, dtype: DType, rank: tuple[int, ...], writable: bool) -> Arr:
    """The array that a Ref is bound to now, whose lengths only the run tells."""
    shape = tuple(cx.measure(Extent(name, k)) for k in range(len(rank)))
    cx.facts = cx.facts.with_size(*(n for n in shape if isinstance(n, Sym)))
    return full_view(name, dtype, shape, rank, writable)


def order_of(cx: Lowering, v: Arr) -> str:
    """ "C" or "F" if the view certainly is contiguous in that order, else "A"."""
    d = cx.data[v.data]
    n = v.ndim
    if n == 0:
        return "C"
    whole = len(v.dims) == n and sorted(x.axis for x in v.dims) == list(range(n))
    if not whole or any(x.offset != Const(0, i64) or x.step != Const(1, i64) for x in v.dims):
        return "A"
    if isinstance(d, Ref):
        parts = [k for k, x in enumerate(v.dims) if not cx.is_extent(v.shape[x.axis], Extent(v.data, k))]
    else:
        shape = getattr(d, "shape", ())
        parts = [k for k, x in enumerate(v.dims) if v.shape[x.axis] != shape[k]]
    if isinstance(d, Ref):
        base = d.order
    elif isinstance(d, View):
        base = "C" if _in_order(d.shape, d.strides, True) else "F" if _in_order(d.shape, d.strides, False) else "A"
    elif getattr(d, "strides", None) is None:
        base = "C"
    else:
        base = "F" if cx.is_fortran(v.data) else "A"
    if parts and parts != [0 if base == "C" else n - 1]:  # of the slowest axis the first elements are contiguous, too
        return "A"
    axes = [x.axis for x in v.dims]
    if axes == list(range(n)):
        return base
    if axes == list(range(n))[::-1] and base in "CF":
        return "F" if base == "C" else "C"
    return "A"


def walked_axes(cx: Lowering, a: Array) -> set[int]:
    """The axes whose stride is not 0, as far as one can see."""
    if isinstance(a, Lazy):
        return set(range(a.ndim))
    strides = getattr(cx.data[a.data], "strides", None)
    still = cx.still.get(a.data, ())
    return {d.axis for k, d in enumerate(a.dims) if k not in still and (strides is None or not is_const(strides[k], 0))}


def still_axes(cx: Lowering, a: Array) -> frozenset[int]:
    """The axes longer than 1 whose stride is 0."""
    walked = walked_axes(cx, a)
    return frozenset(k for k, n in enumerate(a.shape) if k not in walked and not is_const(n, 1))


def walk_of(cx: Lowering, a: Array) -> tuple[int, ...]:
    """The axes from slowest to fastest in memory, those of stride 0 left out: what NumPy's K order asks.

    Axes of length 1 have no say; they stand where C order, else Fortran order, has them, if the others are in that order.
    """
    if a.ndim < 2:
        return tuple(range(a.ndim))
    still = still_axes(cx, a)
    long = [k for k in a.rank if k not in still and not is_const(a.shape[k], 1)]
    every = tuple(range(a.ndim))
    full = every if long == sorted(long) else every[::-1] if long == sorted(long)[::-1] else a.rank
    return tuple(k for k in full if k not in still)


def rank_of_walk(walk: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """All axes from slowest to fastest in memory; those of stride 0 come last."""
    return (*walk, *(k for k in range(ndim) if k not in walk))


def _in_order(shape: Sequence[Expr], strides: Sequence[Expr], last_fastest: bool) -> bool:
    """Tell whether these are certainly the strides of a contiguous array, the last (or first) axis fastest."""
    step: Expr = Const(1, i64)
    pairs = list(zip(shape, strides))
    for n, stride in reversed(pairs) if last_fastest else pairs:
        if n != Const(1, i64) and stride != step:
            return False
        step = symbolic.mul(step, n)
    return True
