"""Python's builtin functions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.frontend_ast import calls, comprehensions, iteration
from soljit.frontend_ast.frames import ScalarVar, join_numbers, pin
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api import callback
from soljit.frontend_ast.numpy_api.math_functions import to_int
from soljit.frontend_ast.numpy_api.table import implements, static_of
from soljit.frontend_ast.numpy_api.ufunc_kernels import op
from soljit.frontend_ast.operators import binary, constant, describe, to_bool, unary
from soljit.frontend_ast.values import (
    NONE,
    Arr,
    Dict,
    Func,
    Generated,
    Iteration,
    Lazy,
    Method,
    Num,
    Opaque,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.ir import symbolic
from soljit.ir.expr import FALSE, TRUE, Const, Expr, Op, const
from soljit.ir.types import b1, c128, f64, i64


def _index(cx: Lowering, v: Value) -> Expr:
    """An integer argument."""
    if isinstance(v, (Arr, Lazy)) and v.ndim == 0:
        v = Num(v.element(()), False)
    if isinstance(v, Num) and (v.dtype.is_int or v.dtype is b1):
        return cx.let(cx.cast(v.expr, i64))
    cx.raise_("TypeError", f"'{describe(v)}' object cannot be interpreted as an integer")
    return const(0)


@implements(range)
def range_(cx: Lowering, a: Value, b: Value | None = None, c: Value | None = None) -> Value:
    """range"""
    start = const(0) if b is None else _index(cx, a)
    stop = _index(cx, a if b is None else b)
    step = const(1) if c is None else _index(cx, c)
    if c is not None:
        cx.check(symbolic.ne(step, const(0)), "ValueError", "range() arg 3 must not be zero")
        if not isinstance(step, Const):
            known = cx.static_int(step)
            step = const(known) if known is not None else step
    return RangeVal(start, stop, step)


@implements(len)
def len_(cx: Lowering, v: Value) -> Value:
    """len"""
    match v:
        case Arr() | Lazy():
            if v.ndim == 0:
                cx.raise_("TypeError", "len() of unsized object")
                return Num(const(0), True)
            return Num(v.shape[0], True)
        case Tup() | Dict():
            return Num(const(len(v.items)), True)
        case RangeVal():
            return Num(cx.range_length(v.start, v.stop, v.step), True)
        case Static() if hasattr(v.obj, "__len__"):
            return Num(const(len(v.obj)), True)
    cx.raise_("TypeError", f"object of type '{describe(v)}' has no len()")
    return Num(const(0), True)


@implements(abs)
def abs_(cx: Lowering, v: Value) -> Value:
    """abs"""
    if isinstance(v, Num) and v.weak:
        e = v.expr
        if isinstance(e, Const):
            return constant(cx, abs(e.value))
        if e.dtype is i64:
            if cx.prove(symbolic.ge(e, const(0))):
                return v
            negated = unary(cx, ast.USub, v)
            assert isinstance(negated, Num)
            return Num(Op("select", (symbolic.lt(e, const(0)), negated.expr, e), i64), True)
        return Num(cx.cast(e, i64) if e.dtype is b1 else op("abs", e), True)
    return _ufunc(cx, np.absolute, v)


def _ufunc(cx: Lowering, f: np.ufunc, *args: Value) -> Value:
    return calls.call_object(cx, f, list(args), {})


@implements(int)
def int_(cx: Lowering, v: Value | None = None) -> Value:
    """int"""
    if v is None:
        return Num(const(0), True)
    if isinstance(v, Static) and isinstance(v.obj, str):
        return constant(cx, int(v.obj))
    v = _scalar(cx, v)
    if v.dtype.is_float:
        return to_int(cx, op("trunc", cx.cast(v.expr, f64)))
    if v.dtype.is_complex:
        cx.raise_("TypeError", "int() argument must be a string, a bytes-like object or a real number, not 'complex'")
        return Num(const(0), True)
    if v.dtype.name == "u64":
        e = cx.let(v.expr)
        cx.check(Op("le", (e, Const(i64.highest, e.dtype)), b1), "OverflowError", "Python int does not fit 64 bits")
        return Num(cx.cast(e, i64), True)
    return Num(cx.cast(v.expr, i64), True)


def _scalar(cx: Lowering, v: Value) -> Num:
    """A number, or the only element of an array."""
    if isinstance(v, Num):
        return v
    if isinstance(v, (Arr, Lazy)):
        cx.check(
            symbolic.eq(cx.size_of(v.shape), const(1)),
            "TypeError",
            "only 0-dimensional arrays can be converted to Python scalars",
        )
        return Num(v.element(tuple(const(0) for _ in v.shape)), False)
    raise cx.unsupported(f"a number from {describe(v)}")


@implements(float)
def float_(cx: Lowering, v: Value | None = None) -> Value:
    """float"""
    if v is None:
        return Num(Const(0.0, f64), True)
    if isinstance(v, Static) and isinstance(v.obj, str):
        return constant(cx, float(v.obj))
    x = _scalar(cx, v)
    if x.dtype.is_complex:
        cx.raise_("TypeError", "float() argument must be a string or a real number, not 'complex'")
    return Num(cx.cast(x.expr, f64), True)


@implements(complex)
def complex_(cx: Lowering, re: Value | None = None, im: Value | None = None) -> Value:
    """complex"""
    a = Num(Const(0.0, f64), True) if re is None else _scalar(cx, re)
    if im is None:
        return Num(cx.cast(a.expr, c128), True)
    b = _scalar(cx, im)
    if a.dtype.is_complex or b.dtype.is_complex:
        return binary(
            cx,
            ast.Add,
            Num(cx.cast(a.expr, c128), True),
            binary(cx, ast.Mult, Num(cx.cast(b.expr, c128), True), constant(cx, 1j)),
        )
    return Num(op("complex", cx.cast(a.expr, f64), cx.cast(b.expr, f64)), True)


@implements(bool)
def bool_(cx: Lowering, v: Value | None = None) -> Value:
    """bool"""
    return Num(FALSE if v is None else to_bool(cx, v), True)


@implements(divmod)
def divmod_(cx: Lowering, a: Value, b: Value) -> Value:
    """divmod"""
    return Tup([binary(cx, ast.FloorDiv, a, b), binary(cx, ast.Mod, a, b)])


@implements(pow)
def pow_(cx: Lowering, a: Value, b: Value) -> Value:
    """pow of two arguments"""
    return binary(cx, ast.Pow, a, b)


@implements(round)
def round_(cx: Lowering, v: Value, ndigits: Value | None = None) -> Value:
    """round: half to even; without digits an int."""
    if not isinstance(v, Num):
        return calls.call_object(cx, np.round, [v] + ([ndigits] if ndigits else []), {})
    if ndigits is None or (isinstance(ndigits, Static) and ndigits.obj is None):
        if v.dtype.is_int or v.dtype is b1:
            return Num(cx.cast(v.expr, i64), True)
        return to_int(cx, op("rint", cx.cast(v.expr, f64)))
    if v.dtype.is_int and v.weak:
        n = cx.static_int(ndigits.expr) if isinstance(ndigits, Num) else None
        if n is not None and n >= 0:
            return v
    if not v.weak:
        return calls.call_object(cx, np.round, [v, ndigits], {})
    raise cx.unsupported("round with digits of a Python float", "use np.round")


# --- iterables --------------------------------------------------------------------------------------------------------


def _steps(cx: Lowering, v: Value) -> Iteration | None:
    return None if isinstance(v, (Tup, Static, Dict)) else iteration.iteration_of(cx, v)


@implements(enumerate)
def enumerate_(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    """enumerate"""
    first = const(0) if start is None else _index(cx, start)
    it = _steps(cx, v)
    if it is None:
        return Tup(
            [Tup([Num(symbolic.add(first, const(k)), True), x]) for k, x in enumerate(calls.iterate_static(cx, v))]
        )
    source = it
    return Iteration(it.length, lambda k: Tup([Num(symbolic.add(first, k), True), source.item(k)]))


@implements(zip)
def zip_(cx: Lowering, *vs: Value, strict: Value | None = None) -> Value:
    """zip"""
    its = [_steps(cx, v) for v in vs]
    if all(it is None for it in its):
        return Tup([Tup(list(xs)) for xs in zip(*(calls.iterate_static(cx, v) for v in vs))])
    full = [it if it is not None else _static_steps(cx, v) for it, v in zip(its, vs)]
    n = full[0].length
    for it in full[1:]:
        shorter = cx.decide(symbolic.le(it.length, n))
        n = it.length if shorter else n if shorter is False else cx.facts.minimum(n, it.length)
    return Iteration(n, lambda k: Tup([it.item(k) for it in full]))


def _static_steps(cx: Lowering, v: Value) -> Iteration:
    items = Tup(calls.iterate_static(cx, v))
    from soljit.frontend_ast.indexing import get_item

    return Iteration(const(len(items.items)), lambda k: get_item(cx, items, Num(k, True)))


@implements(reversed)
def reversed_(cx: Lowering, v: Value) -> Value:
    """reversed"""
    if isinstance(v, RangeVal):
        n = cx.range_length(v.start, v.stop, v.step)
        last = symbolic.add(v.start, symbolic.mul(v.step, symbolic.sub(n, const(1))))
        return RangeVal(last, symbolic.sub(v.start, v.step), symbolic.neg(v.step))
    it = _steps(cx, v)
    if it is None:
        return Tup(calls.iterate_static(cx, v)[::-1])
    source = it
    return Iteration(it.length, lambda k: source.item(symbolic.sub(symbolic.sub(source.length, const(1)), k)))


@implements(map)
def map_(cx: Lowering, f: Value, *vs: Value) -> Value:
    """map"""
    its = [_steps(cx, v) for v in vs]
    if all(it is None for it in its):
        return Tup(
            [pin(cx, calls.call_value(cx, f, list(xs))) for xs in zip(*(calls.iterate_static(cx, v) for v in vs))]
        )
    zipped = zip_(cx, *vs)
    assert isinstance(zipped, Iteration)

    def item(k: Expr) -> Value:
        x = zipped.item(k)
        assert isinstance(x, Tup)
        return calls.call_value(cx, f, list(x.items))

    return Iteration(zipped.length, item)


def fold(cx: Lowering, v: Value, start: Value | None, step: Callable[[Value, Value], Value], what: str) -> Value:
    """Combine the items of an iterable in order; without a start the first item starts (empty iterables raise)."""
    try:
        items = calls.iterate_static(cx, v) if isinstance(v, (Tup, Static, Dict)) else None
    except Exception:
        items = None
    if items is not None:
        if start is None and not items:
            cx.raise_(
                "ValueError",
                f"{what}() arg is an empty sequence" if what in ("min", "max") else f"{what} of an empty sequence",
            )
            return NONE
        total = start if start is not None else items[0]
        for x in items if start is not None else items[1:]:
            total = pin(cx, step(total, x))
        return total
    return _fold_run_time(cx, v, start, step, what)


def _fold_run_time(
    cx: Lowering, v: Value, start: Value | None, step: Callable[[Value, Value], Value], what: str
) -> Value:
    """A loop with an accumulator whose type settles after a trial."""
    source = v.source if isinstance(v, Generated) else iteration.iteration_of(cx, v)
    assert source is not None
    if start is None:
        empty = (
            f"{what}() iterable argument is empty"
            if isinstance(v, Generated) or what in ("min", "max")
            else f"{what} of an empty sequence"
        )
        cx.check(symbolic.gt(source.length, const(0)), "ValueError", empty)
    kind: tuple[Any, bool] | None = (start.dtype, start.weak) if isinstance(start, Num) else None
    if start is not None and kind is None:
        raise cx.unsupported(f"{what} that starts with {describe(start)}")
    mark = (len(cx.current.items), cx.facts)
    for _ in range(4):
        needed: list[tuple[Any, bool]] = []
        var = ScalarVar(cx.scalar(kind[0], what), kind[0], kind[1]) if kind else None
        first = cx.scalar(b1, "first") if start is None else None
        if first:
            cx.write(first, TRUE)
        if start is not None and var is not None:
            assert isinstance(start, Num)
            cx.write(var.data, cx.cast(start.expr, var.dtype))

        def visit(
            x: Value, var: ScalarVar | None = var, first: str | None = first, needed: list[tuple[Any, bool]] = needed
        ) -> None:
            if not isinstance(x, Num):
                raise cx.unsupported(f"{what} over {describe(x)}")
            if var is None:
                needed.append((x.dtype, x.weak))
                return
            total = step(Num(cx.read(var.data), var.weak), x)
            if not isinstance(total, Num):
                raise cx.unsupported(f"{what} over {describe(x)}")
            needed.extend([(total.dtype, total.weak), *([(x.dtype, x.weak)] if first else [])])
            value = cx.cast(total.expr, var.dtype)
            if first:
                value = Op("select", (cx.read(first), cx.cast(x.expr, var.dtype), value), var.dtype)
            cx.write(var.data, value)
            if first:
                cx.write(first, FALSE)

        visit_items(cx, v, source, visit)
        want = kind
        for k in needed:
            want = k if want is None else join_numbers(want, k)
        if want == kind and var is not None:
            return Num(cx.let(cx.read(var.data), what), var.weak)
        kind = want
        del cx.current.items[mark[0] :]
        cx.facts = mark[1]
    raise cx.unsupported(f"the type of this {what} does not settle")


def visit_items(cx: Lowering, v: Value, source: Iteration, visit: Callable[[Value], None]) -> None:
    """Emit a loop over the items of an iterable or comprehension."""
    with iteration.counted(cx, source, "i") as (_, item):
        if not isinstance(v, Generated):
            visit(item)
            return
        fr = v.frame
        _generator(cx, fr, v.node, 0, item, visit)


def _generator(cx: Lowering, fr: Any, node: Any, k: int, item: Value, visit: Callable[[Value], None]) -> None:
    g = node.generators[k]
    comprehensions.bind_target(cx, fr, g.target, item)

    def inside() -> None:
        if k + 1 < len(node.generators):
            seq = cx.evaluate(cx, fr, node.generators[k + 1].iter)
            it = iteration.iteration_of(cx, seq)
            if it is None:
                for x in calls.iterate_static(cx, seq):
                    _generator(cx, fr, node, k + 1, x, visit)
                return
            with iteration.counted(cx, it, "j") as (_, x):
                _generator(cx, fr, node, k + 1, x, visit)
            return
        visit(cx.evaluate(cx, fr, node.elt))

    conds = list(g.ifs)

    def guarded() -> None:
        if not conds:
            inside()
            return
        c = to_bool(cx, cx.evaluate(cx, fr, conds.pop(0)))
        with cx.block(c) as yes:
            guarded()
        cx.branch(c, yes)

    guarded()


@implements(sum)
def sum_(cx: Lowering, v: Value, start: Value | None = None) -> Value:
    """sum: from left to right, starting with 0."""
    return fold(
        cx, v, start if start is not None else Num(const(0), True), lambda a, b: binary(cx, ast.Add, a, b), "sum"
    )


def _extreme(cx: Lowering, name: str, vs: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    kind = ast.Lt if name == "min" else ast.Gt

    def better(a: Value, b: Value) -> Value:
        if not (isinstance(a, Num) and isinstance(b, Num)):
            less = to_bool(cx, binary(cx, kind, b, a))
            if isinstance(less, Const):
                return b if less.value else a
            if isinstance(a, Num) or isinstance(b, Num) or not (isinstance(a, Tup) and isinstance(b, Tup)):
                raise cx.unsupported(f"{name} of {describe(a)} and {describe(b)}")
            raise cx.unsupported(f"{name} of tuples")
        x, y = cx.let(a.expr, "x"), cx.let(b.expr, "y")
        less = to_bool(cx, binary(cx, kind, Num(y, b.weak), Num(x, a.weak)))
        if isinstance(less, Const):
            return Num(y, b.weak) if less.value else Num(x, a.weak)
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            known = cx.decide(less)
            if known is not None:
                return Num(y, b.weak) if known else Num(x, a.weak)
        dtype, weak = join_numbers((a.dtype, a.weak), (b.dtype, b.weak))
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            cx.note(f"{name} of {describe(a)} and {describe(b)} has the type {describe(Num(cx.cast(x, dtype), weak))}")
        if dtype is i64 and weak:
            pick = symbolic.minimum if name == "min" else symbolic.maximum
            return Num(cx.facts.simplify(pick(cx.cast(x, i64), cx.cast(y, i64))), weak)
        return Num(Op("select", (less, cx.cast(y, dtype), cx.cast(x, dtype)), dtype), weak)

    if set(kwargs) - {"default"}:
        raise cx.unsupported(f"{name} with key", "write a loop")
    if len(vs) > 1:
        total = pin(cx, vs[0])
        for v in vs[1:]:
            total = better(total, pin(cx, v))
        return total
    v = vs[0]
    if "default" in kwargs and isinstance(v, Tup) and not v.items:
        return kwargs["default"]
    return fold(cx, v, None, better, name)


@implements(min)
def min_(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
    """min: the first of equal smallest items."""
    return _extreme(cx, "min", vs, kwargs)


@implements(max)
def max_(cx: Lowering, *vs: Value, **kwargs: Value) -> Value:
    """max: the first of equal largest items."""
    return _extreme(cx, "max", vs, kwargs)


def _logical(cx: Lowering, v: Value, stop_at: bool) -> Value:
    name = "any" if stop_at else "all"
    start = Num(Const(not stop_at, b1), True)

    def step(a: Value, b: Value) -> Value:
        x, y = to_bool(cx, a), to_bool(cx, b)
        return Num((symbolic.disj if stop_at else symbolic.conj)(x, y), True)

    if isinstance(v, Generated):
        source = v.source
        found = cx.scalar(b1, name)
        cx.write(found, start.expr)

        def visit(x: Value) -> None:
            c = to_bool(cx, x)
            hit = c if stop_at else symbolic.negate(c)
            with cx.block(hit) as yes:
                cx.write(found, Const(stop_at, b1))
            cx.branch(hit, yes)

        visit_items(cx, v, source, visit)
        return Num(cx.let(cx.read(found), name), True)
    return fold(cx, v, start, step, name)


@implements(any)
def any_(cx: Lowering, v: Value) -> Value:
    """any"""
    return _logical(cx, v, True)


@implements(all)
def all_(cx: Lowering, v: Value) -> Value:
    """all"""
    return _logical(cx, v, False)


@implements(tuple)
def tuple_(cx: Lowering, v: Value | None = None) -> Value:
    """tuple of a sequence of static length"""
    return Tup([] if v is None else [pin(cx, x) for x in calls.iterate_static(cx, v)])


@implements(list)
def list_(cx: Lowering, v: Value | None = None) -> Value:
    """list of a sequence of static length"""
    return Tup([] if v is None else [pin(cx, x) for x in calls.iterate_static(cx, v)], None, True, cx.conditional)


@implements(dict)
def dict_(cx: Lowering, v: Value | None = None, **kwargs: Value) -> Value:
    """dict from keywords"""
    if v is not None and not isinstance(v, Dict):
        raise cx.unsupported("dict of a sequence")
    return Dict({**(v.items if isinstance(v, Dict) else {}), **kwargs})


@implements(sorted)
def sorted_(cx: Lowering, v: Value, **kwargs: Value) -> Value:
    """sorted of constants"""
    items = calls.iterate_static(cx, v)
    reverse = bool(static_of(cx, kwargs.pop("reverse", None)))
    if kwargs:
        raise cx.unsupported("sorted with key")
    keyed = sorted((static_of(cx, x) for x in items), reverse=reverse)
    return Tup([constant(cx, k) for k in keyed], None, True, cx.conditional)


@implements(slice)
def slice_(cx: Lowering, *args: Value) -> Value:
    """slice"""
    parts: list[Value | None] = [None if isinstance(a, Static) and a.obj is None else a for a in args]
    if len(parts) == 1:
        return SliceVal(None, parts[0], None)
    return SliceVal(parts[0], parts[1], parts[2] if len(parts) > 2 else None)


# --- questions about types --------------------------------------------------------------------------------------------


def class_of(v: Value) -> type | None:
    """The Python class of a value."""
    match v:
        case Num():
            if v.weak:
                return {b1: bool, i64: int, f64: float, c128: complex}[v.dtype]
            return v.dtype.numpy.type
        case Arr() | Lazy():
            return np.ndarray
        case Tup():
            return v.cls or (list if v.mutable else tuple)
        case Dict():
            return v.cls or dict
        case Static():
            return type(v.obj)
        case RangeVal():
            return range
        case SliceVal():
            return slice
        case Opaque():
            return v.type
        case Func() | Method():
            return type(class_of)
    return None


@implements(isinstance)
def isinstance_(cx: Lowering, v: Value, classes: Value) -> Value:
    """isinstance, settled at compile time"""
    cls = class_of(v)
    if cls is None:
        raise cx.unsupported(f"isinstance of {describe(v)}")
    return Num(Const(issubclass(cls, static_of(cx, classes)), b1), True)


@implements(type)
def type_(cx: Lowering, v: Value) -> Value:
    """type(x)"""
    cls = class_of(v)
    if cls is None:
        raise cx.unsupported(f"type of {describe(v)}")
    return Static(cls)


@implements(hasattr)
def hasattr_(cx: Lowering, v: Value, name: Value) -> Value:
    """hasattr, settled at compile time"""
    cls = class_of(v)
    key = static_of(cx, name)
    if isinstance(v, Static):
        return Num(Const(hasattr(v.obj, key), b1), True)
    return Num(Const(cls is not None and hasattr(cls, key), b1), True)


@implements(callable)
def callable_(cx: Lowering, v: Value) -> Value:
    """callable"""
    return Num(Const(isinstance(v, (Func, Method)) or (isinstance(v, Static) and callable(v.obj)), b1), True)


@implements(str)
def str_(cx: Lowering, v: Value) -> Value:
    """str of a constant"""
    return Static(str(static_of(cx, v)))


@implements(repr)
def repr_(cx: Lowering, v: Value) -> Value:
    """repr of a constant"""
    return Static(repr(static_of(cx, v)))


@implements(print)
def print_(cx: Lowering, *args: Value, **kwargs: Value) -> Value:
    """print: called back"""
    return callback.call_builtin(cx, builtins.print, list(args), kwargs)


def _about_types(function: Any) -> None:
    @implements(function)
    def handler(cx: Lowering, *args: Value, **kwargs: Value) -> Value:
        def plain(v: Value) -> Any:
            if isinstance(v, (Arr, Lazy)):
                return v.dtype.numpy
            if isinstance(v, Num):
                return {b1: bool, i64: int, f64: float, c128: complex}[v.dtype](0) if v.weak else v.dtype.numpy.type(0)
            return static_of(cx, v)

        return constant(cx, function(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()}))


for _f in (np.iinfo, np.finfo, np.result_type, np.promote_types, np.can_cast, np.dtype):
    _about_types(_f)


@implements(np.ndim)
def ndim(cx: Lowering, a: Value) -> Value:
    """np.ndim"""
    return Num(const(a.ndim if isinstance(a, (Arr, Lazy)) else 0), True)


@implements(np.shape)
def shape(cx: Lowering, a: Value) -> Value:
    """np.shape"""
    return Tup([Num(n, True) for n in a.shape] if isinstance(a, (Arr, Lazy)) else [])


@implements(np.size)
def size(cx: Lowering, a: Value, axis: Value | None = None) -> Value:
    """np.size"""
    if not isinstance(a, (Arr, Lazy)):
        return Num(const(1), True)
    if axis is not None:
        return Num(a.shape[static_of(cx, axis)], True)
    return Num(cx.size_of(a.shape), True)


@implements(np.isscalar)
def isscalar(cx: Lowering, v: Value) -> Value:
    """np.isscalar"""
    return Num(Const(isinstance(v, Num) or (isinstance(v, Static) and isinstance(v.obj, (str, bytes))), b1), True)
