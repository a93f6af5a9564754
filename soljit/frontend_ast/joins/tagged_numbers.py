"""Numbers whose type depends on the path and that share one variable: a tag, and the number in a type that holds it exactly.

What is computed from them is computed once, wherever every type gives the same number. The tag is asked only for what a caller sees: whether the result
is Python's or NumPy's, and whether a division by zero raises.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.joins.type_lattice import fitting, wide_dtype, widen
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.operators import UFUNCS
from soljit.frontend_ast.values.promotion import resolve
from soljit.frontend_ast.values.python_operators import COMPARE_IR, PYTHON, message_of
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Tup, Union, Value
from soljit.frontend_ast.values.variables import Kind
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, TRUE, Const, Expr, Op, const
from soljit.ir.core.types import PYTHON_CLASSES, DType, b1, f64, i64

Numeric = tuple[DType, bool]  # type of a number or of an array's elements; weak?
Loop = tuple[tuple[DType, ...], bool]  # the types in which an operation computes; is the result a Python number?
_SAME_VALUE = (ast.Add, ast.Sub, ast.Mult, ast.Div, *COMPARE_IR)  # exact for small ints in any type
_OF_FLOATS = (ast.Add, ast.Sub, ast.Mult)  # give the same float whoever made the numbers,
_QUOTIENTS = (ast.Div, ast.FloorDiv, ast.Mod)  # unless they divide by zero


def is_tagged(v: Value) -> bool:
    """Tell whether this is a number with a tag."""
    return isinstance(v, Union) and v.wide is not None


def numeric(v: Value) -> list[Numeric]:
    """The types that a number, or an array's elements, may have; none for other values."""
    match v:
        case Num():
            return [(v.dtype, v.weak)]
        case Arr() | Lazy():
            return [(v.dtype, False)]
        case Union() if v.wide is not None:
            return [(k.dtype, k.weak) for k in v.kinds]
    return []


def are_floats(*values: Value) -> bool:
    """Tell whether all are float64, of Python or of NumPy."""
    return all(types and all(t is f64 for t, _ in types) for types in map(numeric, values))


def wide(v: Value) -> Num | Arr | Lazy:
    """A number of the type that holds every option."""
    if isinstance(v, Union):
        assert v.wide is not None
        return Num(v.wide, all(k.weak for k in v.kinds))
    assert isinstance(v, (Num, Arr, Lazy))
    return v


def in_one_type(values: Sequence[Value]) -> list[Value]:
    """The values, numbers with tags in the type that holds them: for what converts its arguments anyway."""
    return [wide(v) if is_tagged(v) else v for v in values]


def is_weak(v: Value) -> Expr:
    """Tell whether a number is Python's."""
    if isinstance(v, Num):
        return TRUE if v.weak else FALSE
    if not isinstance(v, Union):
        return FALSE
    found = [symbolic.eq(v.tag, const(k)) for k, kind in enumerate(v.kinds) if kind.weak]
    return TRUE if len(found) == len(v.kinds) else symbolic.disj(*found)


def of_either_maker(cx: Lowering, e: Expr, weak: Expr) -> Num | Union:
    """A number that is Python's under this condition, NumPy's otherwise."""
    if isinstance(weak, Const):
        return Num(e, bool(weak.value))
    kinds = (Kind("scalar", e.dtype, True), Kind("scalar", e.dtype))
    return Union(symbolic.select(weak, const(0), const(1)), kinds, (), e)


def pick(cx: Lowering, cond: Expr, a: Value, b: Value) -> Num | Union | None:
    """`a if cond else b` for numbers that are there, in one expression; None: they share no type that holds both."""
    if not all(numeric(v) and isinstance(v, (Num, Union)) for v in (a, b)):
        return None
    kind = fitting(cx, fitting(cx, widen(cx, kind_of(cx, a), kind_of(cx, b)), a), b)
    x, y = wide(a), wide(b)
    assert isinstance(x, Num) and isinstance(y, Num)
    if kind.form != "union":
        return Num(symbolic.select(cond, x.expr, y.expr), x.weak)
    if not kind.wide:
        return None
    dtype = wide_dtype(kind)
    tag = symbolic.select(cond, tag_among(kind.items, a), tag_among(kind.items, b))
    return Union(tag, kind.items, (), symbolic.select(cond, cx.cast(x.expr, dtype), cx.cast(y.expr, dtype)))


def tag_among(kinds: Sequence[Kind], v: Value) -> Expr:
    """The tag of a number among these types."""
    types = [(k.dtype, k.weak) for k in kinds]
    if not isinstance(v, Union):
        assert isinstance(v, Num)
        return const(types.index((v.dtype, v.weak)))
    found: Expr = const(types.index((v.kinds[-1].dtype, v.kinds[-1].weak)))
    places = [types.index((k.dtype, k.weak)) for k in v.kinds]
    if places == list(range(len(places))):
        return v.tag
    for k in reversed(range(len(places) - 1)):
        found = symbolic.select(symbolic.eq(v.tag, const(k)), const(places[k]), found)
    return found


# --- operators ----------------------------------------------------------------------------------------------------------


def widened(kind: type[ast.AST], left: Value, right: Value, only_truth: bool = False) -> tuple[Value, Value] | None:
    """The operands in the types that hold all their options, if the operation then gives the same in every case.

    only_truth: whether the result is a Python or a NumPy bool does not matter
    """
    sides = (numeric(left), numeric(right))
    if kind not in _SAME_VALUE or not all(sides):
        return None
    pair = wide(left), wide(right)
    exact = only_truth and kind in COMPARE_IR and all(_exact_in_floats(v) for v in pair)
    if exact and all(_keeps(kind, pair, a, b) for a, b in product(*sides)):
        return pair
    loops = {_loop(kind, a, b) for a, b in product(*sides)}
    loop = next(iter(loops))
    a, b = ((v.dtype, getattr(v, "weak", False)) for v in pair)
    if len(loops) != 1 or loop is None or _loop(kind, a, b) != loop:
        return None
    return pair


def by_either_maker(
    cx: Lowering, kind: type[ast.AST], left: Value, right: Value, lower: Callable[[Value, Value], Value]
) -> Value | None:
    """The result where every type gives the same number, which may be Python's or NumPy's; None: it has to be lowered for each."""
    sides = (numeric(left), numeric(right))
    if cx.raising or not all(sides) or isinstance(left, (Arr, Lazy)) or isinstance(right, (Arr, Lazy)):
        return None
    loops = {_loop(kind, a, b) for a, b in product(*sides)}
    types = {x[0] if x is not None else None for x in loops}
    a, b = wide(left), wide(right)
    assert isinstance(a, Num) and isinstance(b, Num)
    if len(types) != 1 or (ins := next(iter(types))) is None:
        return None
    if kind in COMPARE_IR:
        if not all(v.dtype is t for v, t in zip((a, b), ins)):
            return None
    elif ins != (f64, f64, f64) or kind not in (*_OF_FLOATS, *_QUOTIENTS):
        return None
    weak = symbolic.conj(is_weak(left), is_weak(right))
    if kind in _QUOTIENTS:
        if not (a.dtype is b.dtype is f64) or (text := _of_zero(kind, *sides)) is None:
            return None
        b = Num(cx.let(b.expr, "divisor"), b.weak)
        weak = cx.let(weak, "of_python")
        cx.check(
            symbolic.disj(symbolic.negate(weak), Op("ne", (b.expr, Const(0.0, f64)), b1)), "ZeroDivisionError", text
        )
    found = lower(Num(a.expr, False), Num(b.expr, False))
    if not isinstance(found, Num) or found.dtype is not ins[2]:
        return None
    return of_either_maker(cx, found.expr, weak)


def by_one_loop(
    cx: Lowering, kind: type[ast.AST], left: Value, right: Value, lower: Callable[[Value, Value], Value]
) -> Value | None:
    """The result where NumPy computes in the same types whatever the tags say: a Python float and a float32, added to a float32; None elsewhere."""
    sides = (numeric(left), numeric(right))
    if cx.raising or kind not in (*_OF_FLOATS, ast.Div) or not all(sides):
        return None
    if isinstance(left, (Arr, Lazy)) or isinstance(right, (Arr, Lazy)):
        return None
    loops = {_loop(kind, a, b) for a, b in product(*sides)}
    loop = next(iter(loops))
    if len(loops) != 1 or loop is None or loop[1]:
        return None
    operands = []
    for v, t in zip((left, right), loop[0]):
        x = wide(v)
        assert isinstance(x, Num)
        operands.append(Num(cx.cast(x.expr, t), False))
    return lower(*operands)


def _of_zero(kind: type[ast.AST], left: Sequence[Numeric], right: Sequence[Numeric]) -> str | None:
    """What Python says of a division by zero of these types; None if that depends on the type."""
    pairs = [(a[0].number_class(True)(1), b[0].number_class(True)(0)) for a, b in product(left, right) if a[1] and b[1]]
    texts = {message_of(lambda x=x, y=y: PYTHON[kind](x, y)) for x, y in pairs}  # type: ignore[misc]
    return next(iter(texts)) if len(texts) == 1 else None


def _exact_in_floats(v: Value) -> bool:
    """Tell whether the number is of a type (or a constant) that float64 holds exactly."""
    if not isinstance(v, Num):
        return False
    return v.dtype.is_float or (isinstance(v.expr, Const) and not v.dtype.is_complex and abs(v.expr.value) <= 2**53)


def _keeps(kind: type[ast.AST], pair: tuple[Value, Value], a: Numeric, b: Numeric) -> bool:
    """Tell whether NumPy compares numbers of these types as they are. (A Python number beside a float32 becomes one.)"""
    loop = _loop(kind, a, b)
    if loop is None:
        return False
    small = [isinstance(v, Num) and isinstance(v.expr, Const) and abs(v.expr.value) <= 2048 for v in pair]
    return all(
        (t.is_float and t.size >= x.size) if x.is_float else (t.size >= 8 or fits)
        for (x, _), t, fits in zip((a, b), loop[0], small)
    )


def _loop(kind: type[ast.AST], a: Numeric, b: Numeric) -> Loop | None:
    """The types in which an operation computes and whether its result is a Python number; None where there are none."""
    if a[1] and b[1]:
        order = [*PYTHON_CLASSES]
        common = order[max(order.index(a[0]), order.index(b[0]), 1)]
        common = f64 if kind is ast.Div and common is i64 else common
        return (common, common, b1 if kind in COMPARE_IR else common), True
    try:
        return resolve(UFUNCS[kind], [a, b]), False
    except (TypeError, KeyError):
        return None


def one_sign(cx: Lowering, kind: type[ast.AST], v: Value, lower: Callable[[Value], Value]) -> Value | None:
    """`-v`, `+v` and `abs(v)` of floats of one dtype with a tag: the same float, whoever made it; None for others."""
    if (
        cx.raising
        or not isinstance(v, Union)
        or v.wide is None
        or not all(k.dtype is v.wide.dtype and k.dtype.is_float for k in v.kinds)
    ):
        return None
    found = lower(Num(v.wide, all(k.weak for k in v.kinds)))
    if kind is ast.Invert or not isinstance(found, Num) or found.dtype is not v.wide.dtype:
        return None
    return Union(v.tag, v.kinds, (), found.expr, v.settled)


# --- functions ----------------------------------------------------------------------------------------------------------


def operands_of_ufunc(cx: Lowering, ufunc: np.ufunc, args: Sequence[Value]) -> list[Value] | None:
    """Arguments of a ufunc in the types that hold all their options, if it then computes the same in every case."""
    sides = [numeric(v) for v in args]
    if len(args) != ufunc.nin or not all(sides):
        return None
    try:
        loops = {resolve(ufunc, [(t, w and ufunc.nin > 1) for t, w in types]) for types in product(*sides)}
        pair = [wide(v) for v in args]
        loops.add(resolve(ufunc, [(v.dtype, getattr(v, "weak", False) and ufunc.nin > 1) for v in pair]))
    except TypeError:
        return None
    return [*pair] if len(loops) == 1 else None


def arguments(cx: Lowering, function: object, args: Sequence[Value]) -> list[Value] | None:
    """Arguments of a function in the types that hold all their options, if it then gives the same in every case; None: it may not."""
    if isinstance(function, np.ufunc):
        return operands_of_ufunc(cx, function, args)
    convert = any(function is f for f in _CONVERT) or function is round and len(args) == 1
    if convert or getattr(function, "__module__", None) == "math" and getattr(function, "__name__", "") not in _BY_TYPE:
        return in_one_type(args)
    return None


_CONVERT: tuple[object, ...] = (int, float, np.float64, np.float32)  # give what the number is, whatever its type
_BY_TYPE = ("comb", "dist", "factorial", "fsum", "gcd", "isqrt", "lcm", "ldexp", "nextafter", "perm", "prod", "sumprod")


def as_index(owner: Value, v: Value) -> Value:
    """A subscript that is an int of Python's or of NumPy's: which of them makes no difference to arrays, lists and tuples."""
    if not isinstance(owner, (Arr, Lazy, Tup)):
        return v
    if isinstance(v, Union) and v.wide is not None and v.wide.dtype is i64 and all(k.dtype.is_int for k in v.kinds):
        return Num(v.wide, True)
    return v
