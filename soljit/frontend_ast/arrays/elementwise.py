"""Elementwise computation: broadcasting, ufunc application, materialization, and stores into arrays.

A ufunc on arrays gives a `Lazy` whose element expression nests those of its operands, so that a whole NumPy expression becomes one
Map with one Tasklet. NumPy's K order decides the memory order of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from soljit.frontend_ast.arrays import powers
from soljit.frontend_ast.arrays.axis_order import k_order
from soljit.frontend_ast.arrays.exact_comparisons import COMPARE, comparison_operands
from soljit.frontend_ast.arrays.ufunc_kernels import KERNELS
from soljit.frontend_ast.arrays.widening import note_widened
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.state import TEMPORARY
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, Static, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Cast, Const, Expr, Load, Memlet, Op, const, is_const, subexpressions
from soljit.ir.core.types import DType, b1, f64, i64

Index = tuple[Expr, ...]


def shape_text(shapes: Sequence[Sequence[Expr]]) -> tuple[str, list[Expr]]:
    """NumPy's way to print shapes, "(2,3) (4,)", as a template with its operands."""
    parts: list[str] = []
    operands: list[Expr] = []
    for shape in shapes:
        names = []
        for n in shape:
            names.append(f"{{{len(operands)}}}")
            operands.append(n)
        parts.append("(" + ",".join(names) + ("," if len(names) == 1 else "") + ")")
    return " ".join(parts), operands


def broadcast(
    cx: Lowering,
    shapes: Sequence[tuple[Expr, ...]],
    error: str = "ValueError",
    text: str = "operands could not be broadcast together with shapes",
    out: tuple[Expr, ...] | None = None,
) -> tuple[Index, list[Callable[[Index], Index]]]:
    """The broadcast shape, and for each operand the map from indices of the result to its own.

    out: the shape of the array to be written, which NumPy names in its message, too.
    """
    ndim = max((len(s) for s in shapes), default=0)
    result: list[Expr] = []
    stretch: list[dict[int, Expr | None]] = [{} for _ in shapes]  # result dim → None (index 0) or factor
    for k in range(ndim):
        sizes = {i: s[k - ndim + len(s)] for i, s in enumerate(shapes) if k - ndim + len(s) >= 0}
        n = _broadcast_dim(cx, sizes, shapes if out is None else [*shapes, out], error, text)
        for i, s in sizes.items():
            if s == n or is_const(n, 1):
                continue
            if is_const(s, 1) or cx.prove(symbolic.eq(s, const(1))):
                stretch[i][k] = None
            elif not cx.prove(symbolic.eq(s, n)):
                stretch[i][k] = cx.let(Op("select", (symbolic.eq(s, const(1)), const(0), const(1)), i64), "stretch")
        result.append(n)

    def mapping(i: int) -> Callable[[Index], Index]:
        first = ndim - len(shapes[i])
        rules = stretch[i]
        if not rules and first == 0:
            return lambda index: index

        def apply(index: Index) -> Index:
            out = []
            for k in range(first, ndim):
                if k not in rules:
                    out.append(index[k])
                else:
                    factor = rules[k]
                    out.append(const(0) if factor is None else symbolic.mul(index[k], factor))
            return tuple(out)

        return apply

    return tuple(result), [mapping(i) for i in range(len(shapes))]


def _broadcast_dim(
    cx: Lowering, sizes: dict[int, Expr], shapes: Sequence[tuple[Expr, ...]], error: str, problem: str
) -> Expr:
    n: Expr = const(1)
    for s in sizes.values():
        if s == n or is_const(s, 1):
            continue
        if is_const(n, 1):
            n = s
            continue
        same = cx.same_size(n, s)
        if same:
            if isinstance(s, Const):
                n = s
            continue
        if one := cx.decide(symbolic.eq(s, const(1))):
            continue
        if other_one := cx.decide(symbolic.eq(n, const(1))):
            n = s
            continue
        text, operands = shape_text(shapes)
        message = f"{problem} {text} "
        either = symbolic.disj(symbolic.eq(s, const(1)), symbolic.eq(n, const(1)))
        cx.check(either if same is False else symbolic.disj(symbolic.eq(s, n), either), error, message, operands)
        if cx.current.done:
            return n
        if one is False:
            n = s  # the other one is equal to it, or 1
        elif other_one is None:
            n = cx.let(Op("select", (symbolic.eq(n, const(1)), s, n), i64), "n")
    return n


def element_of(value: Num | Array) -> Callable[[Index], Expr]:
    """The function from indices to the element's expression."""
    if isinstance(value, Num):
        expr = value.expr
        return lambda _: expr
    return value.element


def apply_ufunc(
    cx: Lowering, ufunc: np.ufunc, args: Sequence[Num | Array], dtype: DType | None = None, out: Value | None = None
) -> Value | list[Value]:
    """Apply an elementwise ufunc of NumPy: a strong Num if all operands are numbers, else a Lazy (a list for several outputs).

    out: the array that the result is for.
    """
    kernel = KERNELS.get(ufunc.__name__)
    if kernel is None:
        raise cx.unsupported(f"np.{ufunc.__name__} is not compiled elementwise")
    operands = [(a.dtype, isinstance(a, Num) and a.weak) for a in args]
    if ufunc.__name__ in COMPARE and dtype is None:
        args, operands = comparison_operands(cx, list(args), operands)
    try:
        loop = promotion.resolve(ufunc, operands, dtype)
    except TypeError:  # NumPy raises it again when the program runs
        failed = cx.above.call_back(cx, ufunc, list(args), {} if dtype is None else {"dtype": Static(dtype.numpy)})
        return _nothing(ufunc, failed)
    types_in, types_out = loop[: ufunc.nin], loop[ufunc.nin :]
    if isinstance(out, Arr) and not np.can_cast(types_out[0].numpy, out.dtype.numpy, "same_kind"):
        named: dict[str, Value] = {} if dtype is None else {"dtype": Static(dtype.numpy)}
        return _nothing(ufunc, cx.above.call_back(cx, ufunc, list(args), named | {"out": out}))  # which raises
    check_weak_ints(cx, args, types_in)
    if dtype is None:
        note_widened(cx, args, types_in)
    if ufunc is np.power and types_in[1].kind == "i":
        exponent = args[1] if isinstance(args[1], Num) else materialize(cx, args[1])
        args = [args[0], powers.check_exponents(cx, args[0], exponent, out)]
    arrays = [a for a in args if not isinstance(a, Num)]
    known: list[Any] = list(args)

    def compute(values: list[Expr], out: int) -> Expr:
        converted = [cx.cast(v, t) for v, t in zip(values, types_in)]
        return cx.cast(kernel(cx, converted, known, out), types_out[out])

    if not arrays:
        values = [a.expr for a in args if isinstance(a, Num)]
        results: list[Value] = [Num(cx.opaque(compute(values, k)), False) for k in range(ufunc.nout)]
        return results[0] if ufunc.nout == 1 else results
    shapes = [() if isinstance(a, Num) else a.shape for a in args]
    shape, maps = broadcast(cx, shapes, out=out.shape if isinstance(out, (Arr, Lazy)) else None)
    elements = [element_of(a) for a in args]
    rank = cx.order_of_new(shape, k_order(cx, arrays, len(shape)))
    if ufunc is np.power and powers.is_one_for_all(cx, args[1], shape):
        known[1] = powers.ONE

    def lazy(k: int) -> Lazy:
        return Lazy(
            types_out[k], shape, lambda ix: _eager(compute([e(m(ix)) for e, m in zip(elements, maps)], k)), rank
        )

    if not shape:  # 0-d operands give NumPy scalars
        results = [Num(compute([e(()) for e in elements], k), False) for k in range(ufunc.nout)]
    else:
        results = [lazy(k) for k in range(ufunc.nout)]
    return results[0] if ufunc.nout == 1 else results


def _eager(e: Expr) -> Expr:
    """Of arrays both operands are there: without the branch of a lazy operation, loops become vector code."""
    if isinstance(e, Op) and e.name in ("land", "lor"):
        return Op({"land": "band", "lor": "bor"}[e.name], e.args, e.dtype)
    return e


def _nothing(ufunc: np.ufunc, result: Value) -> Value | list[Value]:
    """Values to go on with after a call that cannot succeed, or what it gave after all."""
    if isinstance(result, (Num, Arr)):
        return result
    if isinstance(result, Tup):
        return list(result.items)
    nothing: list[Value] = [Num(Const(0.0, f64), False)] * ufunc.nout
    return nothing[0] if ufunc.nout == 1 else nothing


def check_weak_int(cx: Lowering, e: Expr, dtype: DType, failure: tuple[str, str] | None = None) -> None:
    """A Python int that meets an integer array must fit its type (OverflowError, as NumPy raises, or `failure`)."""
    if dtype is i64:
        return
    ok = symbolic.conj(symbolic.le(const(dtype.lowest), e), symbolic.le(e, const(min(dtype.highest, (1 << 63) - 1))))
    text = f"Python integer {{0}} out of bounds for {dtype.numpy.name}"
    cx.check(ok, *(failure or ("OverflowError", text)), [e])


def check_weak_ints(cx: Lowering, args: Sequence[Value], types: Sequence[DType]) -> None:
    """The Python ints among the operands of a ufunc must fit the types of its loop."""
    for a, t in zip(args, types):
        if isinstance(a, Num) and a.weak and a.dtype is i64 and t.is_int:
            check_weak_int(cx, a.expr, t)


def cast_elements(value: Array, dtype: DType) -> Array:
    """The array converted elementwise (unsafe casting), deferred."""
    if value.dtype is dtype:
        return value
    element = value.element
    return Lazy(dtype, value.shape, lambda ix: Cast(dtype, element(ix)), value.rank)


def materialize(cx: Lowering, value: Array, hint: str = TEMPORARY) -> Arr:
    """The array in memory: itself if it is there already."""
    if isinstance(value, Arr):
        return value
    return copy_array(cx, value, value.rank, hint)


def copy_array(
    cx: Lowering, value: Array, rank: tuple[int, ...] | None = None, hint: str = TEMPORARY, dtype: DType | None = None
) -> Arr:
    """A new array with these elements in memory order `rank` (C if None), converted to `dtype`."""
    out = cx.alloc(dtype or value.dtype, value.shape, rank, hint=hint)
    with cx.map(out.shape, out.rank) as index:
        cx.emit(nodes.Tasklet(out.at(index), cx.cast(value.element(index), out.dtype)))
    return out


def store(cx: Lowering, target: Arr, value: Num | Array) -> None:
    """`target[...] = value`: broadcast, converted as NumPy's item assignment does; right when the memory overlaps."""
    if not target.writable:
        cx.raise_("ValueError", "assignment destination is read-only")
    if cx.current.done:
        return
    if cx.raising and value.dtype.kind in "fc" and value.dtype is not target.dtype:
        raise cx.unsupported("a conversion of floats where floating-point errors raise", "use astype")
    if isinstance(value, Num):
        if value.weak and value.dtype is i64 and target.dtype.is_int:
            check_weak_int(cx, value.expr, target.dtype)
        code = cx.let(cx.cast(value.expr, target.dtype), "value")
        with cx.map(target.shape, target.rank) as index:
            cx.emit(nodes.Tasklet(target.at(index), code))
        return
    shape = drop_leading_ones(cx, value.shape, target.shape)
    skip = value.ndim - len(shape)
    fits = broadcast_into(cx, shape, target.shape)
    if fits is None:
        return
    element = value.element

    def code_at(index: Index) -> Expr:
        return cx.cast(element((const(0),) * skip + fits(index)), target.dtype)

    with cx.map(target.shape, target.rank) as index:
        code = code_at(index)
        out = target.at(index)
        body = cx.current
        cx.emit(nodes.Tasklet(out, code))
    walked = {d.axis for d in target.dims}
    repeated = {k for k, n in enumerate(target.shape) if k not in walked and not is_const(n, 1)}
    if repeated or overlaps(cx, out, code, body):
        cx.current.items.pop()
        temporary = cx.alloc(target.dtype, target.shape, target.rank)
        cx.note("copied for overlap", name=temporary.data)
        with cx.map(target.shape, target.rank) as index:
            cx.emit(nodes.Tasklet(temporary.at(index), code_at(index)))
        once = [cx.let(symbolic.minimum(n, const(1)), "n") if k in repeated else n for k, n in enumerate(target.shape)]
        with cx.map(
            tuple(once), target.rank
        ) as index:  # of what is written to one element several times the last stays
            last = tuple(
                symbolic.sub(n, const(1)) if k in repeated else i for k, (n, i) in enumerate(zip(target.shape, index))
            )
            cx.emit(nodes.Tasklet(target.at(last), temporary.element(last)))


def overlaps(cx: Lowering, out: Memlet, code: Expr, body: Block) -> bool:
    """Tell whether writing `out` in one iteration may change what another iteration still reads."""
    names = cx.alias_of(out.data)
    exprs = [code, *(n.value for n in body.items if isinstance(n, nodes.Let))]
    for e in exprs:
        for x in subexpressions(e):
            if (
                isinstance(x, Load)
                and x.memlet.data in names
                and (x.memlet.data != out.data or x.memlet.subset != out.subset)
            ):
                return True
    return any(not isinstance(n, (nodes.Let, nodes.Tasklet)) for n in body.items)


INTO = "could not broadcast input array from shape {0} into shape {1}"


def drop_leading_ones(
    cx: Lowering, shape: Index, target: Index, message: str = INTO, named: Index | None = None
) -> Index:
    """The shape of a value to be stored, without as many axes of length 1 in front as the target has less.

    message, named: as in `broadcast_into`, for axes of which only the run tells their length
    """
    while len(shape) > len(target):
        one = symbolic.eq(shape[0], const(1))
        known = cx.decide(one)
        if known is None:
            cx.check(one, "ValueError", *_mismatch(message, shape if named is None else named, target))
        if known is False:
            break
        shape = shape[1:]
    return shape


def _mismatch(message: str, given: Index, target: Index) -> tuple[str, list[Expr]]:
    """The text for shapes that do not fit, and what is to be put into it."""
    second = ",".join(f"{{{len(given) + k}}}" for k in range(len(target))) + ("," if len(target) == 1 else "")
    texts = [shape_text([given])[0], f"({second})"]
    return message.replace("{0}", "\0").replace("{1}", texts[1]).replace("\0", texts[0]), [*given, *target]


def broadcast_into(
    cx: Lowering,
    shape: Index,
    target: Index,
    message: str = INTO,
    named: Index | None = None,
) -> Callable[[Index], Index] | None:
    """The map from target indices to indices of a value of `shape`; emits the ValueError (and gives None) if it does not fit.

    named: the shape that the message names, if it is another one
    """
    text, operands = _mismatch(message, shape if named is None else named, target)
    if len(shape) > len(target):
        cx.raise_("ValueError", text, operands)
        return None
    first = len(target) - len(shape)
    rules: list[Expr | None | bool] = []
    for n, m in zip(shape, target[first:]):
        if n == m:
            rules.append(True)
        elif is_const(n, 1):
            rules.append(None)
        elif cx.same_size(n, m):
            rules.append(True)
        elif cx.decide(symbolic.eq(n, const(1))):
            rules.append(None)
        else:
            one = symbolic.eq(n, const(1))
            cx.check(symbolic.disj(symbolic.eq(n, m), one), "ValueError", text, operands)
            if cx.current.done:
                return None
            rules.append(cx.let(Op("select", (one, const(0), const(1)), i64), "stretch"))

    def apply(index: Index) -> Index:
        out: list[Expr] = []
        for rule, i in zip(rules, index[first:]):
            out.append(i if rule is True else const(0) if rule is None else symbolic.mul(i, rule))  # type: ignore[arg-type]
        return tuple(out)

    return apply


def truth(cx: Lowering, e: Expr) -> Expr:
    """Tell whether the number is not zero."""
    if e.dtype is b1:
        return e
    return Op("ne", (e, cx.cast(Const(0, i64), e.dtype)), b1)
