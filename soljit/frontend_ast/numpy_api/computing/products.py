"""Products: matmul, dot, vdot, inner and outer, through the BLAS where that is NumPy's way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from soljit.frontend_ast.arrays.array_variables import order_of
from soljit.frontend_ast.arrays.axis_order import order_of_stacks
from soljit.frontend_ast.arrays.elementwise import (
    apply_ufunc,
    broadcast,
    cast_elements,
    check_weak_ints,
    materialize,
    shape_text,
)
from soljit.frontend_ast.arrays.memlets import in_window, part
from soljit.frontend_ast.arrays.operands import as_operand, weak_of
from soljit.frontend_ast.arrays.widening import note_widened
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements, method
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, Value
from soljit.frontend_ast.views.numpy_arguments import given
from soljit.frontend_ast.views.out_arguments import deliver, number_in
from soljit.frontend_ast.views.reshaping import reshaped, transposed
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Memlet, Op, const
from soljit.ir.core.types import DType, b1, c64, c128, f32, f64, promote

Index = tuple[Expr, ...]


def operand(cx: Lowering, a: Array, dtype: DType) -> Arr:
    """An operand of a product in memory, of type `dtype`, that a window can describe."""
    return in_window(cx, cast_elements(a, dtype))[0]


@implements(np.matmul)
def matmul(cx: Lowering, x1: Value, x2: Value, out: Value | None = None) -> Value:
    """np.matmul and `@`: stacks of matrices broadcast; vectors lose their dimension."""
    if isinstance(out, Arr) and not (out.writable and _goes_into(cx, x1, x2, out)):
        raise cx.unsupported("np.matmul into a read-only array, or one of a type that does not fit")
    a, b = as_operand(cx, x1), as_operand(cx, x2)
    for k, v in enumerate((a, b)):
        if isinstance(v, Num) or v.ndim == 0:
            check_weak_ints(cx, (a, b), [promotion.result_type([(x.dtype, weak_of(x)) for x in (a, b)])] * 2)
            text = f"matmul: Input operand {k} does not have enough dimensions (has 0, gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)"
            cx.raise_("ValueError", text)
            return x1
    assert not isinstance(a, Num) and not isinstance(b, Num)
    n, m = a.shape[-1], b.shape[-2 if b.ndim > 1 else 0]
    if not cx.same_size(n, m):
        core = 0
        text = f"matmul: Input operand 1 has a mismatch in its core dimension {core}, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size {{0}} is different from {{1}})"
        cx.check(symbolic.eq(n, m), "ValueError", text, [m, n])
        if cx.current.done:
            return x1
    for n, m in zip(reversed(a.shape[:-2]), reversed(b.shape[:-2])):
        if not (cx.same_size(n, m) or cx.decide(symbolic.eq(n, const(1))) or cx.decide(symbolic.eq(m, const(1)))):
            raise cx.unsupported("stacks of matrices that do not certainly fit")
    result = product(cx, a, b)
    return deliver(cx, result, out)


def _goes_into(cx: Lowering, x1: Value, x2: Value, out: Arr) -> bool:
    """NumPy looks at types before shapes."""
    dtype = promote(as_operand(cx, x1).dtype, as_operand(cx, x2).dtype)
    return np.can_cast(dtype.numpy, out.dtype.numpy, "same_kind")


def product(cx: Lowering, a: Array, b: Array) -> Num | Arr:
    """`a @ b` for operands whose inner dimensions agree."""
    dtype = promote(a.dtype, b.dtype)
    note_widened(cx, (a, b), (dtype, dtype))
    x, y = operand(cx, a, dtype), operand(cx, b, dtype)
    if a.ndim == 1 and b.ndim == 1:
        name = cx.scalar(dtype, "dot")
        cx.emit(nodes.LibraryNode("matmul", (Memlet(name),), (_window(x), _window(y))))
        return Num(cx.let(cx.read(name), "dot"), False)
    rows = (x.shape[-2],) if x.ndim > 1 else ()
    cols = (y.shape[-1],) if y.ndim > 1 else ()
    if x.ndim <= 2 and y.ndim <= 2:
        out = cx.alloc(dtype, (*rows, *cols), hint="product")
        cx.emit(nodes.LibraryNode("matmul", (_window(out),), (_window(x), _window(y))))
        return out
    stack, maps = broadcast(cx, [x.shape[:-2], y.shape[:-2]])
    if x.ndim > 2 and y.ndim <= 2 and order_of(cx, x) == "C":
        return _flattened(cx, x, y, rows, cols)
    order = order_of_stacks(cx, [a, b], [min(a.ndim, 2), min(b.ndim, 2)], len(stack))
    shape = (*stack, *rows, *cols)
    out = cx.alloc(dtype, shape, (*order, *range(len(stack), len(shape))), hint="product")
    with cx.map(stack, order, "s") as ix:
        left = part(x, dict(enumerate(maps[0](ix)))) if x.ndim > 1 else _window(x)
        right = part(y, dict(enumerate(maps[1](ix)))) if y.ndim > 1 else _window(y)
        cx.emit(nodes.LibraryNode("matmul", (part(out, dict(enumerate(ix))),), (left, right)))
    return out


def _flattened(cx: Lowering, x: Arr, y: Arr, rows: Index, cols: Index) -> Arr:
    """A contiguous stack times one matrix or vector is one product with the stack's rows."""

    many = cx.size_of((*x.shape[:-2], *rows))
    flat = reshaped(cx, x, (many, x.shape[-1]))
    out = product(cx, flat, y)
    assert isinstance(out, Arr)
    return reshaped(cx, out, (*x.shape[:-2], *rows, *cols))


def _window(a: Arr) -> Memlet:
    w = a.window()
    assert w is not None
    return w


def _scaled(cx: Lowering, products: Lazy, factor: Num | Arr | Lazy) -> Lazy:
    """Multiples of an array as the BLAS adds them to zeros: to which it adds nothing if the factor is 0."""
    in_order = replace(products, rank=tuple(range(products.ndim)))
    if cx.decide(symbolic.le(cx.size_of(products.shape), const(1))):
        return in_order
    zero = cx.cast(Const(0.0, f64), products.dtype)
    f = cx.let(cx.cast(factor.expr if isinstance(factor, Num) else factor.element(()), products.dtype), "factor")

    def element(index: tuple[Expr, ...]) -> Expr:
        added = Op("add", (products.element(index), zero), products.dtype)
        return Op("select", (Op("eq", (f, zero), b1), zero, added), products.dtype)

    return replace(in_order, element=element)


@implements(np.dot)
def dot(cx: Lowering, a: Value, b: Value, out: Value | None = None) -> Value:
    """np.dot for up to two dimensions."""
    x, y = as_operand(cx, a), as_operand(cx, b)
    if isinstance(x, Num) or isinstance(y, Num) or x.ndim == 0 or y.ndim == 0:
        x, y = (Num(v.expr, False) if isinstance(v, Num) else v for v in (x, y))  # Python numbers become arrays
        result = apply_ufunc(cx, np.multiply, [x, y])
        assert isinstance(result, Value)
        if isinstance(result, Lazy) and result.ndim <= 2 and result.dtype in (f32, f64, c64, c128):
            result = _scaled(cx, result, x if isinstance(x, Num) or x.ndim == 0 else y)
    else:
        if x.ndim > 2 or y.ndim > 2:
            raise cx.unsupported("np.dot of more than two dimensions")
        n, m = x.shape[-1], y.shape[0]
        if not cx.same_size(n, m):
            text, operands = shape_text([x.shape, y.shape])
            first, _, second = text.partition(" ")
            k = len(operands)
            template = f"shapes {first} and {second} not aligned: {{{k}}} (dim {x.ndim - 1}) != {{{k + 1}}} (dim 0)"
            cx.check(symbolic.eq(n, m), "ValueError", template, [*operands, n, m])
            if cx.current.done:
                return a
        result = product(cx, x, y)
    if given(out) and not (isinstance(out, Arr) and order_of(cx, out) == "C"):
        raise cx.unsupported("np.dot into an array that is not in C order")
    delivered = deliver(cx, result, out, "no")
    return number_in(cx, delivered) if isinstance(delivered, Arr) and delivered.ndim == 0 else delivered


@method("dot")
def dot_method(cx: Lowering, a: Value, b: Value, out: Value | None = None) -> Value:
    """a.dot(b)"""
    return dot(cx, a, b, out)


@implements(np.vdot)
def vdot(cx: Lowering, a: Value, b: Value) -> Value:
    """np.vdot: flattened, the first conjugated."""
    x, y = as_operand(cx, a), as_operand(cx, b)
    if isinstance(x, Num) or isinstance(y, Num) or x.ndim != 1 or y.ndim != 1:
        raise cx.unsupported("np.vdot of other than vectors")
    n, m = x.shape[0], y.shape[0]
    if not cx.same_size(n, m):
        cx.check(symbolic.eq(n, m), "ValueError", "cannot reshape array of size {0} into shape ({1},)", [m, n])
        if cx.current.done:
            return a
    left = apply_ufunc(cx, np.conjugate, [x]) if x.dtype.is_complex else x
    assert isinstance(left, Value)
    return dot(cx, left, y)


@implements(np.inner)
def inner(cx: Lowering, a: Value, b: Value) -> Value:
    """np.inner of vectors and matrices."""
    x, y = as_operand(cx, a), as_operand(cx, b)
    if isinstance(x, Num) or isinstance(y, Num) or x.ndim > 2 or y.ndim > 2 or 0 in (x.ndim, y.ndim):
        raise cx.unsupported("np.inner in this form")
    if y.ndim == 2:
        y = transposed(materialize(cx, y), (1, 0))
    if not cx.same_size(x.shape[-1], y.shape[0]):
        raise cx.unsupported("np.inner of different or unknown lengths")
    return product(cx, x, y)


@implements(np.outer)
def outer(cx: Lowering, a: Value, b: Value, out: Value | None = None) -> Value:
    """np.outer: the products of all pairs of (flattened) elements."""
    x, y = as_operand(cx, a), as_operand(cx, b)
    if isinstance(x, Num) or isinstance(y, Num) or x.ndim != 1 or y.ndim != 1 or given(out):
        raise cx.unsupported("np.outer in this form")
    ex, ey = x.element, y.element
    column = Lazy(x.dtype, (x.shape[0], const(1)), lambda ix: ex(ix[:1]), (0, 1))
    row = Lazy(y.dtype, (const(1), y.shape[0]), lambda ix: ey(ix[1:]), (0, 1))
    result = apply_ufunc(cx, np.multiply, [column, row])
    assert isinstance(result, Value)
    return result
