"""Sums of products over several axes: tensordot, einsum, kron, cross.

What is a matrix product in disguise goes to `products.product`; the rest becomes a loop nest with an accumulator for
each element of the result.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.frontend_ast.arrays.axis_order import axes_by_stride
from soljit.frontend_ast.arrays.elementwise import apply_ufunc, broadcast, copy_array, materialize
from soljit.frontend_ast.arrays.operands import as_array, in_memory
from soljit.frontend_ast.arrays.ufunc_kernels import op, scalar_op
from soljit.frontend_ast.calls.callbacks.callback import call_back
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numpy_api.computing.products import product
from soljit.frontend_ast.numpy_api.making.diagonals import diagonal_view
from soljit.frontend_ast.values import numpy_versions, promotion
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, Static, Value
from soljit.frontend_ast.views.numpy_arguments import dtype_of, given
from soljit.frontend_ast.views.out_arguments import deliver, number_in
from soljit.frontend_ast.views.reshaping import insert_axes, reshaped, transposed
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Op, const, is_const
from soljit.ir.core.types import DType, b1, i64, promote

Index = tuple[Expr, ...]


def contracted(cx: Lowering, a: Arr, b: Arr, axes_a: Sequence[int], axes_b: Sequence[int]) -> Arr:
    """Sum over pairs of axes of equal length: the free axes of `a`, then those of `b`, as one matrix product."""
    free_a = [k for k in range(a.ndim) if k not in axes_a]
    free_b = [k for k in range(b.ndim) if k not in axes_b]
    shape = (*(a.shape[k] for k in free_a), *(b.shape[k] for k in free_b))
    rows, cols = cx.size_of(shape[: len(free_a)]), cx.size_of(shape[len(free_a) :])
    inner = cx.size_of([a.shape[k] for k in axes_a])
    rows, cols, inner = cx.let(rows, "rows"), cx.let(cols, "cols"), cx.let(inner, "inner")
    left = reshaped(cx, transposed(a, [*free_a, *axes_a]), (rows, inner))
    right = reshaped(cx, transposed(b, [*axes_b, *free_b]), (inner, cols))
    result = product(cx, left, right)
    assert isinstance(result, Arr)
    return reshaped(cx, result, shape)


@implements(np.tensordot)
def tensordot(cx: Lowering, a: Value, b: Value, axes: Value | None = None) -> Value:
    """np.tensordot"""
    x, y = in_memory(cx, a), in_memory(cx, b)
    wanted: Any = static_of(cx, axes) if axes is not None else 2
    if isinstance(wanted, int):
        pairs: tuple[list[int], list[int]] = (list(range(-wanted, 0)), list(range(wanted)))
    else:
        sides = wanted if isinstance(wanted, (tuple, list)) else []
        lists = [list(v) if isinstance(v, (tuple, list)) else [v] for v in sides]
        if len(lists) != 2 or not all(isinstance(k, int) for side in lists for k in side):
            raise cx.unsupported("np.tensordot over such axes")
        pairs = (lists[0], lists[1])
    if len(pairs[0]) != len(pairs[1]):
        cx.raise_("ValueError", "shape-mismatch for sum")
        return x
    for i, j in zip(*pairs):
        if not (-x.ndim <= i < x.ndim and -y.ndim <= j < y.ndim):
            cx.raise_("IndexError", "tuple index out of range")
            return x
        if x.shape[i] != y.shape[j] and not cx.same_size(x.shape[i], y.shape[j]):
            cx.check(symbolic.eq(x.shape[i], y.shape[j]), "ValueError", "shape-mismatch for sum")
            if cx.current.done:
                return x
    axes_a, axes_b = [k % x.ndim for k in pairs[0]], [k % y.ndim for k in pairs[1]]
    if len(set(axes_a)) != len(axes_a) or len(set(axes_b)) != len(axes_b):
        raise cx.unsupported("np.tensordot with an axis given twice")
    if x.dtype is b1 and y.dtype is b1:
        raise cx.unsupported("np.tensordot of bools")
    return contracted(cx, x, y, axes_a, axes_b)


@implements(np.kron)
def kron(cx: Lowering, a: Value, b: Value) -> Value:
    """np.kron: every element of `a` times all of `b`."""
    x, y = as_array(cx, a), as_array(cx, b)
    if x.ndim == 0 or y.ndim == 0:
        left = x if x.ndim else Num(cx.let(x.element(())), False)
        right = y if y.ndim else Num(cx.let(y.element(())), False)
        result = apply_ufunc(cx, np.multiply, [left, right])
        assert isinstance(result, Value)
        return result
    x, y = materialize(cx, x), materialize(cx, y)
    ndim = max(x.ndim, y.ndim)
    x, y = (insert_axes(v, range(ndim - v.ndim)) for v in (x, y))
    spread = [insert_axes(x, range(1, 2 * ndim, 2)), insert_axes(y, range(0, 2 * ndim, 2))]
    product = apply_ufunc(cx, np.multiply, spread)
    assert isinstance(product, Lazy)
    shape = [cx.let(symbolic.mul(n, m)) for n, m in zip(x.shape, y.shape)]
    return reshaped(cx, materialize(cx, product), shape)


@implements(np.cross)
def cross(cx: Lowering, a: Value, b: Value) -> Value:
    """np.cross along the last axis, of 3-vectors or 2-vectors."""
    x, y = as_array(cx, a), as_array(cx, b)
    if x.ndim == 0 or y.ndim == 0:
        raise cx.unsupported("np.cross of numbers")
    x, y = materialize(cx, x), materialize(cx, y)
    return _cross_of(cx, x, y, [3, 2] if numpy_versions.CROSSES_IN_THE_PLANE else [3])


def _cross_of(cx: Lowering, x: Arr, y: Arr, lengths: Sequence[int]) -> Value:
    """The product of vectors of one of these lengths, or whatever NumPy gives for others."""
    if not lengths:
        return call_back(cx, np.cross, [x, y], {})
    n, *others = lengths
    whether = [symbolic.eq(v.shape[-1], const(n)) for v in (x, y)]
    answers = [cx.decide(c) for c in whether]
    if False in answers:
        return _cross_of(cx, x, y, others)
    if None not in answers:
        return _cross(cx, x, y, n)

    def option(k: int) -> Value:
        return _cross(cx, x, y, n) if k == 0 else _cross_of(cx, x, y, others)

    return choose(cx, Op("select", (symbolic.conj(*whether), const(0), const(1)), i64), 2, option, "cross")


def _cross(cx: Lowering, x: Arr, y: Arr, n: int) -> Value:
    shape, maps = broadcast(cx, [x.shape[:-1], y.shape[:-1]])
    if cx.current.done:
        return x
    dtype = promote(x.dtype, y.dtype)
    if dtype is b1:
        raise cx.unsupported("np.cross of bools")
    out = cx.alloc(dtype, shape if n == 2 else (*shape, const(3)), hint="cross")
    with cx.map(shape) as ix:
        u = [cx.let(cx.cast(x.element((*maps[0](ix), const(k))), dtype), "u") for k in range(n)]
        v = [cx.let(cx.cast(y.element((*maps[1](ix), const(k))), dtype), "v") for k in range(n)]
        for k in range(3) if n == 3 else (2,):
            i, j = (k + 1) % 3, (k + 2) % 3
            code = Op("sub", (Op("mul", (u[i], v[j]), dtype), Op("mul", (u[j], v[i]), dtype)), dtype)
            cx.emit(nodes.Tasklet(out.at((*ix, const(k)) if n == 3 else ix), code))
    return out


# --- einsum -----------------------------------------------------------------------------------------------------------


def _subscripts(cx: Lowering, text: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """Labels of the operands and of the result, the ellipsis spelled out with capital digits."""
    text = text.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise cx.unsupported("np.einsum with another number of operands than subscripts")
    spare = "".join(chr(0x2160 + k) for k in range(32))
    widest = 0
    for k, (term, n) in enumerate(zip(terms, ranks)):
        if "..." in term:
            extra = n - len(term.replace("...", ""))
            if extra < 0 or term.count("...") > 1:
                raise cx.unsupported("np.einsum with subscripts that do not fit")
            widest = max(widest, extra)
            terms[k] = term.replace("...", spare[32 - extra :])
    hidden = spare[32 - widest :] if widest else ""
    if hidden and arrow and "..." not in right:
        raise cx.unsupported("np.einsum that leaves out what an ellipsis stands for")
    if arrow:
        out = right.replace("...", hidden)
    else:
        labels = "".join(terms)
        out = hidden + "".join(sorted(c for c in set(labels) if labels.count(c) == 1 and c not in hidden))
    good = all(len(t) == n and all(c.isalpha() or c in spare for c in t) for t, n in zip(terms, ranks))
    if not good or len(set(out)) != len(out) or any(c not in "".join(terms) for c in out):
        raise cx.unsupported("np.einsum with such subscripts")
    return terms, out


def _as_text(cx: Lowering, values: Sequence[Value]) -> tuple[str, list[Value]]:
    """Operands followed by lists of their labels, and perhaps one of the result's: the subscripts as a string, and the operands."""
    lists = [static_of(cx, v) for v in (*values[1::2], *values[2 * (len(values) // 2) :])]
    if not all(
        isinstance(x, (list, tuple)) and all(e is ... or type(e) is int and 0 <= e < 52 for e in x) for x in lists
    ):
        raise cx.unsupported("np.einsum with such lists of subscripts")
    terms = ["".join("..." if e is ... else _LETTERS[e] for e in x) for x in lists]
    arrow = "->" + terms.pop() if len(values) % 2 else ""
    return ",".join(terms) + arrow, list(values[: 2 * len(terms) : 2])


_LETTERS = string.ascii_uppercase + string.ascii_lowercase


@implements(np.einsum, remark="subscripts that are known")
def einsum(cx: Lowering, subscripts: Value, *operands: Value, out: Value | None = None, optimize: Value | None = None,
           dtype: Value | None = None, order: Value | None = None, casting: Value | None = None) -> Value:  # fmt: skip
    """np.einsum with subscripts in a string, or in lists behind the operands."""
    if not operands:
        raise cx.unsupported("np.einsum without operands")
    text, given_operands = (
        (subscripts.obj, list(operands))
        if isinstance(subscripts, Static) and isinstance(subscripts.obj, str)
        else _as_text(cx, [subscripts, *operands])
    )
    arrays: list[Array] = [as_array(cx, v) for v in given_operands]
    terms, result = _subscripts(cx, text, [x.ndim for x in arrays])
    optimized = optimize is not None and bool(static_of(cx, optimize))
    sizes = _label_sizes(cx, terms, arrays)
    rules = "safe" if casting is None else static_of(cx, casting)
    if (
        rules not in ("no", "equiv", "safe", "same_kind", "unsafe")
        or given(order)
        and static_of(cx, order) not in (*"CFAK",)
    ):
        raise cx.unsupported("np.einsum with such an order or casting")
    asked = dtype_of(cx, dtype)
    if len(arrays) == 1 and not given(out) and set(terms[0]) == set(result) and isinstance(arrays[0], Arr):
        return _rearranged(cx, arrays[0], terms[0], result) if result else number_in(cx, arrays[0])
    results = [out] if isinstance(out, Arr) else []  # sums are taken in its type, too
    t = promotion.result_type([(x.dtype, False) for x in (*arrays, *results)])
    if (
        asked not in (None, t)
        or given(order)
        and static_of(cx, order) != "K"
        or (given(out) or rules in ("no", "equiv"))
        and rules != "safe"
    ):
        raise cx.unsupported("np.einsum in another type or memory order than its own")
    if len(arrays) == 2 and not given(out) and t.kind in "fc":
        step = (
            -1 if optimized else 1
        )  # on its path NumPy takes the last operand first, and leaves the result as it comes
        as_product = _as_product(cx, terms[::step], result, arrays[::step])
        if as_product is not None:
            return as_product if optimized else _laid_out(cx, as_product, _rank(terms, result, arrays))
    if optimized and len(arrays) > 1:
        raise cx.unsupported("np.einsum with optimize")
    value = _summed(cx, terms, result, [materialize(cx, x) for x in arrays], sizes, t)
    return deliver(cx, value, out, "safe")


def _rank(terms: Sequence[str], result: str, arrays: Sequence[Array]) -> tuple[int, ...]:
    """The memory order of the result: that in which NumPy's iterator walks the operands."""
    return tuple(k for k in _walk(terms, _labels(terms, result), arrays) if k < len(result))


def _labels(terms: Sequence[str], result: str) -> list[str]:
    """Those of the result, then those that are summed over."""
    return [*result, *sorted(set("".join(terms)) - set(result))]


def _walk(terms: Sequence[str], labels: Sequence[str], arrays: Sequence[Array]) -> tuple[int, ...]:
    """The labels in the order in which NumPy's iterator walks the operands, the fastest last."""
    places: list[dict[int, int]] = []
    for term, x in zip(terms, arrays):
        walked = {d.axis for d in x.dims} if isinstance(x, Arr) else set(range(x.ndim))
        seen: dict[int, int] = {}
        for axis, label in enumerate(term):
            if axis in walked and not is_const(x.shape[axis], 1):
                here = x.rank.index(axis)
                seen[labels.index(label)] = min(here, seen.get(labels.index(label), here))
        places.append(seen)
    return axes_by_stride(places, len(labels))


def _laid_out(cx: Lowering, value: Arr, rank: tuple[int, ...]) -> Arr:
    return value if value.rank == rank else copy_array(cx, value, rank)


def _label_sizes(cx: Lowering, terms: Sequence[str], arrays: Sequence[Array]) -> dict[str, Expr]:
    sizes: dict[str, Expr] = {}
    for term, x in zip(terms, arrays):
        for label, n in zip(term, x.shape):
            have = sizes.setdefault(label, n)
            if have != n and not cx.same_size(have, n):
                raise cx.unsupported("np.einsum with different or unknown lengths under one label")
    return sizes


def _rearranged(cx: Lowering, a: Arr, term: str, result: str) -> Arr:
    """One operand and no sum: a view."""
    labels = list(term)
    while len(set(labels)) < len(labels):
        label = next(c for c in labels if labels.count(c) > 1)
        i = labels.index(label)
        j = labels.index(label, i + 1)
        a = diagonal_view(cx, a, const(0), i, j, writable=True)
        labels = [c for k, c in enumerate(labels) if k not in (i, j)] + [label]
    return transposed(a, [labels.index(c) for c in result])


def _as_product(cx: Lowering, terms: Sequence[str], result: str, arrays: Sequence[Array]) -> Arr | None:
    """Two operands whose common labels are all summed: a matrix product."""
    a, b = terms
    common = [c for c in a if c in b]
    if len(set(a)) < len(a) or len(set(b)) < len(b) or not common or any(c in result for c in common):
        return None
    free = [c for c in a + b if c not in common]
    if sorted(free) != sorted(result) or not free:
        return None
    x, y = materialize(cx, arrays[0]), materialize(cx, arrays[1])
    value = contracted(cx, x, y, [a.index(c) for c in common], [b.index(c) for c in common])
    return transposed(value, [free.index(c) for c in result])


def _summed(
    cx: Lowering, terms: Sequence[str], result: str, arrays: Sequence[Arr], sizes: dict[str, Expr], dtype: DType
) -> Value:
    summed = [c for c in dict.fromkeys("".join(terms)) if c not in result]

    def element(at: dict[str, Expr]) -> Expr:
        factors = [cx.cast(x.element(tuple(at[c] for c in term)), dtype) for term, x in zip(terms, arrays)]
        value = factors[0]
        for f in factors[1:]:
            value = op("land", value, f) if dtype is b1 else scalar_op("mul", value, f)
        return value

    def total(outer: dict[str, Expr]) -> Expr:
        acc = cx.scalar(dtype, "acc")
        cx.write(acc, cx.cast(Const(0, i64), dtype))
        with cx.map([sizes[c] for c in summed], hint="s") as ix:
            cx.write(acc, element(outer | dict(zip(summed, ix))), "lor" if dtype is b1 else "add")
        return cx.read(acc)

    if not result:
        return Num(cx.let(total({}), "sum"), False)
    shape = [sizes[c] for c in result]
    if not summed:
        axes: Index = tuple(shape)
        zero = cx.cast(Const(0, i64), dtype)  # NumPy adds to it: no product is -0.0
        plain = dtype.kind in "biu"

        def alone(ix: Index) -> Expr:
            value = element(dict(zip(result, ix)))
            return value if plain else op("add", zero, value)

        return materialize(cx, Lazy(dtype, axes, alone, _rank(terms, result, arrays)))
    out = cx.alloc(dtype, shape, _rank(terms, result, arrays), hint="einsum")
    labels = _labels(terms, result)
    walk = _walk(terms, labels, arrays)
    if walk[-1] < len(result):  # neighbours in memory are added to different elements: row by row
        with cx.map(out.shape, out.rank) as ix:
            cx.emit(nodes.Tasklet(out.at(ix), cx.cast(Const(0, i64), dtype)))
        with cx.map([sizes[c] for c in labels], walk) as ix:
            target = out.at(ix[: len(result)])
            added = nodes.Tasklet(replace(target, wcr="lor" if dtype is b1 else "add"), element(dict(zip(labels, ix))))
            cx.emit(added)
        return out
    with cx.map(out.shape) as ix:
        cx.emit(nodes.Tasklet(out.at(ix), total(dict(zip(result, ix)))))
    return out
