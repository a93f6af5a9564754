"""Grids of coordinates: mgrid, ogrid, r_, c_, s_, meshgrid, indices, fromfunction."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.conversion import as_element
from soljit.frontend_ast.arrays.elementwise import copy_array, materialize
from soljit.frontend_ast.arrays.operands import as_array, in_memory
from soljit.frontend_ast.arrays.ufunc_kernels import op, scalar_op
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import READ_ITEM, implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numbers import operators
from soljit.frontend_ast.numpy_api.making import patterns
from soljit.frontend_ast.numpy_api.shapes import joining
from soljit.frontend_ast.numpy_api.shapes.broadcasting import stretched
from soljit.frontend_ast.objects.objects import call_by_name, list_of
from soljit.frontend_ast.python_api.library.math_functions import to_int
from soljit.frontend_ast.values import numpy_versions, promotion
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, SliceVal, Static, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import dtype_of, flag_of
from soljit.frontend_ast.views.object_indices import has_objects
from soljit.frontend_ast.views.reshaping import insert_axes, reshaped, with_units
from soljit.frontend_ast.views.shape_arguments import shape_of
from soljit.frontend_ast.views.subscripts import in_parts
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import FALSE, Cast, Const, Expr, Op, const
from soljit.ir.core.types import DType, b1, f64, i64

_MAKERS = ("mgrid", "ogrid", "r_", "c_")


def get_item(cx: Lowering, owner: Static, index: Value) -> Value:
    """`owner[index]` for NumPy's objects that are indexed to make something."""
    obj = owner.obj
    if obj is np.s_:
        return index
    if obj is np.index_exp:
        return index if isinstance(index, Tup) and not index.mutable else Tup([index])
    name = next((n for n in _MAKERS if obj is getattr(np, n)), None)
    if name is not None and has_objects(index):
        made: Value = call_by_name(cx, f"numpy.{name}.__getitem__", [index], ANY, fresh=True)
        return made
    if obj is np.mgrid or obj is np.ogrid:
        return _grid(cx, index, obj is np.ogrid)
    if obj is np.r_ or obj is np.c_:
        return _joined(cx, index, obj is np.c_)
    raise cx.unsupported(f"indexing {getattr(obj, '__name__', type(obj).__name__)}")


READ_ITEM[Static] = get_item


def _axis(cx: Lowering, s: Value) -> tuple[Value, Value, Value]:
    s = in_parts(cx, s)
    if not isinstance(s, SliceVal) or s.stop is None:
        raise cx.unsupported("np.mgrid of something else than slices with an end")
    return s.start or Num(const(0), True), s.stop, s.step or Num(const(1), True)


def _number_count(cx: Lowering, step: Value) -> Num | None:
    """The size of a complex step such as `5j` or `n * 1j`, int(abs(step)): how many values from start to stop, both included."""
    if not isinstance(step, Num) or not step.dtype.is_complex:
        return None
    n = _imaginary_int(step.expr)
    if n is None:
        n = to_int(cx, cx.cast(scalar_op("abs", step.expr), f64)).expr
    if cx.decide(symbolic.ge(n, const(0))) is not True:
        n = cx.let(symbolic.select(symbolic.lt(n, const(0)), symbolic.neg(n), n), "n")
    cx.facts = cx.facts.with_size(n)
    return Num(const(1) if cx.decide(symbolic.eq(n, const(1))) else n, True)


def _imaginary_int(e: Expr) -> Expr | None:
    """The n of `n * 1j` and `complex(0, n)`."""
    match e:
        case Const(value=unit) if unit.real == 0 and float(unit.imag).is_integer():
            return const(int(unit.imag))
        case Op("mul" | "scalar_mul", (Cast(arg=n), Const(value=unit)) | (Const(value=unit), Cast(arg=n))):
            return n if n.dtype is i64 and unit == 1j else None
        case Op("complex", (Const(value=0.0), Cast(arg=n))):
            return n if n.dtype is i64 else None
    return None


def _coordinates(cx: Lowering, s: Value, dtype: DType) -> tuple[Expr, Expr, Any]:
    """(length, does it run away from its end, function from index to coordinate): start + k * step, as NumPy computes it."""
    parts = _axis(cx, s)
    start, stop, step = parts
    if not all(isinstance(p, Num) for p in parts):
        raise cx.unsupported("np.mgrid of values that are not numbers")
    assert isinstance(start, Num) and isinstance(stop, Num) and isinstance(step, Num)
    count = _number_count(cx, step)
    lo, hi = cx.let(cx.cast(start.expr, dtype)), cx.let(cx.cast(stop.expr, dtype))
    away: Expr = FALSE
    if count is not None:
        n = count.expr
        steps = cx.cast(symbolic.sub(n, const(1)), dtype)
        between = Op("div", (Op("sub", (hi, lo), dtype), steps), dtype)
        single = symbolic.eq(n, const(1))
        by = cx.let(between if cx.prove(single) is False else Op("select", (single, Const(1.0, dtype), between), dtype))
    elif dtype is i64:
        by = cx.cast(step.expr, i64)
        cx.check(symbolic.ne(by, const(0)), "ZeroDivisionError", "division by zero")
        behind = symbolic.sub(lo, hi)
        away = symbolic.disj(
            symbolic.conj(symbolic.gt(by, const(0)), symbolic.ge(behind, by)),
            symbolic.conj(symbolic.lt(by, const(0)), symbolic.le(behind, by)),
        )
        n = cx.let(cx.range_length(lo, hi, by), "n")
        return n, away, lambda i: symbolic.add(lo, symbolic.mul(by, i))
    else:
        by = cx.let(cx.cast(step.expr, dtype))
        ratio = operators.binary(cx, ast.Div, operators.binary(cx, ast.Sub, stop, start), step)
        assert isinstance(ratio, Num)
        whole = to_int(cx, op("ceil", cx.cast(ratio.expr, f64))).expr
        away = symbolic.lt(whole, const(0))
        n = cx.let(Op("max", (whole, const(0)), i64), "n")
        cx.facts = cx.facts.with_size(n)
    return n, away, lambda i: Op("add", (Op("mul", (cx.cast(i, dtype), by), dtype), lo), dtype)


def _grid(cx: Lowering, index: Value, sparse: bool) -> Value:
    parts = index.items if isinstance(index, Tup) else [index]
    numbers = [p for s in parts for p in _axis(cx, s) if isinstance(p, Num)]
    real = [p for p in numbers if not p.dtype.is_complex]
    dtype = i64 if len(real) == len(numbers) and all(p.dtype.is_int for p in numbers) else f64
    if any(not p.weak and p.dtype not in (i64, f64) for p in real):
        raise cx.unsupported("np.mgrid of NumPy scalars of small types")
    if not isinstance(index, Tup) and len(real) == len(numbers):
        return patterns.arange(cx, *_axis(cx, index))
    axes = [_coordinates(cx, s, dtype) for s in parts]
    shape = tuple(n for n, _, _ in axes)
    if not isinstance(index, Tup):
        n, _, at = axes[0]
        return materialize(cx, Lazy(dtype, (n,), lambda ix: at(ix[0]), (0,)), "grid")
    if sparse:
        return Tup([_one_axis(cx, dtype, k, len(axes), n, at) for k, (n, _, at) in enumerate(axes)])
    cx.check(
        symbolic.negate(symbolic.disj(*[away for _, away, _ in axes])),
        "ValueError",
        "negative dimensions are not allowed",
    )
    out = cx.alloc(dtype, (const(len(axes)), *shape), hint="grid")
    for k, (_, _, at) in enumerate(axes):
        with cx.map(shape) as ix:
            cx.emit(nodes.Tasklet(out.at((const(k), *ix)), at(ix[k])))
    return out


def _one_axis(cx: Lowering, dtype: DType, k: int, ndim: int, n: Expr, at: Any) -> Arr:
    line = materialize(cx, Lazy(dtype, (n,), lambda ix: at(ix[0]), (0,)), "grid")
    return insert_axes(line, [d for d in range(ndim) if d != k])


def _joined(cx: Lowering, index: Value, columns: bool) -> Value:
    """np.r_[...] and np.c_[...] of numbers, slices and arrays."""
    items = list(index.items) if isinstance(index, Tup) and not index.mutable else [index]
    if items and isinstance(items[0], Static) and isinstance(items[0].obj, str) and not columns:
        return _directed(cx, items[0].obj, items[1:])
    arrays, dtype = _parts(cx, items)
    ndim = 2 if columns else 1
    arrays = [_at_least(a, ndim, columns) for a in arrays]
    if len({a.ndim for a in arrays}) > 1:
        raise cx.unsupported("np.r_ and np.c_ of arrays of different rank")
    return joining.join(cx, arrays, arrays[0].ndim - 1 if columns else 0, dtype)


def _directed(cx: Lowering, directive: str, items: list[Value]) -> Value:
    """np.r_["axis[,ndmin[,place]]", …]: where to join, how many dimensions at least, and where new ones do not go."""
    try:
        numbers = [int(x) for x in directive.split(",")]
    except ValueError:
        raise cx.unsupported(f"np.r_ with {directive!r}") from None
    if len(numbers) > 3:
        raise cx.unsupported(f"np.r_ with {directive!r}")
    axis, ndmin, place = [*numbers, *(0, 1, -1)[len(numbers) :]]
    arrays, dtype = _parts(cx, items)
    widened = []
    for a in arrays:
        missing = ndmin - a.ndim
        if missing > 0:
            k = place if place >= 0 else place + missing + 1
            order = [d for d in range(ndmin) if not k <= d < k + a.ndim] if 0 <= k <= missing else None
            if order is None:
                raise cx.unsupported(f"np.r_ with {directive!r}")
            a = joining.widened(a, order)
        widened.append(a)
    if len({a.ndim for a in widened}) > 1 or not -widened[0].ndim <= axis < widened[0].ndim:
        raise cx.unsupported("np.r_ of arrays of different rank")
    return joining.join(cx, widened, axis % widened[0].ndim, dtype)


def _parts(cx: Lowering, items: list[Value]) -> tuple[list[Array], DType]:
    """Numbers, slices and arrays as arrays, and their common type."""
    arrays: list[Array] = []
    weak: list[bool] = []
    for x in items:
        if isinstance(x, Static):
            raise cx.unsupported("np.r_ with directives")
        weak.append(isinstance(x, Num) and x.weak)
        if isinstance(x, SliceVal):
            start, stop, step = _axis(cx, x)
            count = _number_count(cx, step)
            made = (
                patterns.linspace(cx, start, stop, count)
                if count is not None
                else patterns.arange(cx, start, stop, step)
            )
            assert isinstance(made, Arr)
            arrays.append(made)
        else:
            arrays.append(as_array(cx, x))
    dtype = promotion.result_type([(a.dtype, w) for a, w in zip(arrays, weak)])
    for k, x in enumerate(items):
        if isinstance(x, Num) and x.weak and x.dtype is not dtype:
            arrays[k] = as_array(cx, Num(as_element(cx, x, dtype), False))
    return arrays, dtype


def _at_least(a: Array, ndim: int, columns: bool) -> Array:
    if a.ndim >= ndim:
        return a
    if columns and a.ndim == 1:
        return joining.widened(a, (1,))
    return joining.widened(a, range(ndim - a.ndim))


@implements(np.meshgrid)
def meshgrid(
    cx: Lowering, *xi: Value, copy: Value | None = None, sparse: Value | None = None, indexing: Value | None = None
) -> Value:
    """np.meshgrid: a tuple of arrays."""
    how = static_of(cx, indexing) if indexing is not None else "xy"
    if how not in ("xy", "ij"):
        cx.raise_("ValueError", "Valid values for `indexing` are 'xy' and 'ij'.")
        return Tup([])
    lines = [in_memory(cx, x) for x in xi]
    lines = [reshaped(cx, x, (cx.let(cx.size_of(x.shape)),)) if x.ndim != 1 else x for x in lines]
    ndim = len(lines)
    place = list(range(ndim))
    if how == "xy" and ndim > 1:
        place[0], place[1] = 1, 0
    shape: list[Expr] = [const(1)] * ndim
    for k, line in zip(place, lines):
        shape[k] = line.shape[0]
    copies = copy is None or flag_of(cx, copy, True)
    out: list[Value] = []
    for k, line in zip(place, lines):
        view = with_units(cx, insert_axes(line, [d for d in range(ndim) if d != k]))
        if not flag_of(cx, sparse):
            view = replace(stretched(cx, view, tuple(shape)), writable=line.writable)
        out.append(copy_array(cx, view) if copies else view)
    is_list = not copies and flag_of(cx, sparse) and numpy_versions.MESHES_ARE_LISTS
    return list_of(cx, out) if is_list else Tup(out)


@implements(np.indices)
def indices(cx: Lowering, dimensions: Value, dtype: Value | None = None, sparse: Value | None = None) -> Value:
    """np.indices"""
    t = dtype_of(cx, dtype, i64)
    assert t is not None
    if isinstance(dimensions, Num) or t is b1:
        raise cx.unsupported("np.indices of a number or of bools")
    shape = shape_of(cx, dimensions)
    if flag_of(cx, sparse):
        return Tup([_one_axis(cx, t, k, len(shape), n, lambda i: cx.cast(i, t)) for k, n in enumerate(shape)])
    out = cx.alloc(t, (const(len(shape)), *shape), hint="indices")
    for k in range(len(shape)):
        with cx.map(shape) as ix:
            cx.emit(nodes.Tasklet(out.at((const(k), *ix)), cx.cast(ix[k], t)))
    return out


@implements(np.fromfunction)
def fromfunction(cx: Lowering, function: Value, shape: Value, *, dtype: Value | None = None, **kwargs: Value) -> Value:
    """np.fromfunction: the function of whole coordinate arrays."""
    t = dtype_of(cx, dtype, f64)
    assert t is not None
    sizes = shape_of(cx, shape)

    def axis(k: int) -> Lazy:
        return Lazy(t, sizes, lambda ix: cx.cast(ix[k], t), tuple(range(len(sizes))))

    result: Value = call_value(cx, function, [axis(k) for k in range(len(sizes))], kwargs)
    return result
