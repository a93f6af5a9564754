"""What each ufunc computes on elements of its loop type: one row a ufunc.

A kernel takes the lowering, the operands converted to the loop's input types, the original operands (to see constants, as NumPy's own
fast paths do) and the number of the output, and gives a pure expression. The caller has resolved types and broadcast shapes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from soljit.frontend_ast.values import numpy_versions
from soljit.ir.core.expr import Cast, Const, Expr, Op
from soljit.ir.core.ops import MATH_BINARY, MATH_UNARY, OPS
from soljit.ir.core.types import b1, f32, f64, i64, u64

Kernel = Callable[[Any, list[Expr], Sequence[Any], int], Expr]  # (Lowering, operands, original values, output)


def op(name: str, *args: Expr) -> Expr:
    """An operation with the result type that its row in `ir/core/ops.py` gives."""
    first = args[1] if name == "select" else args[0]
    return Op(name, args, OPS[name].result(first.dtype))


def scalar_op(name: str, *args: Expr) -> Expr:
    """The operation on Python's numbers and NumPy's scalars, where that differs from NumPy's loop over arrays."""
    special = f"{'scalar' if args[0].dtype.is_complex else 'libm'}_{name}"
    return op(special if special in OPS and args[0].dtype.kind in OPS[special].args else name, *args)


def _plain(name: str, on_bool: str | None = None) -> Kernel:
    def kernel(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
        return op(on_bool if on_bool is not None and x[0].dtype is b1 else name, *x)

    return kernel


def _comparison(name: str) -> Kernel:
    """NumPy compares int64 with uint64 exactly: what is negative is less than everything unsigned."""

    def kernel(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
        a, b = x
        if a.dtype is b.dtype:
            return op(name, a, b)
        mixed, signed = (name, a) if a.dtype is i64 else (_MIRRORED.get(name, name), b)
        unsigned = b if signed is a else a
        negative = op("lt", signed, Const(0, i64))
        compared = op(mixed, Cast(u64, signed), unsigned)
        if mixed in ("lt", "le", "ne"):
            return op("lor", negative, compared)
        return op("land", op("lnot", negative), compared)

    return kernel


_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _real_only(name: str) -> Kernel:
    """Functions that do nothing to integers and bools (floor, conj, …)."""

    def kernel(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
        kinds = OPS[name].args
        return op(name, *x) if x[0].dtype.kind in kinds else x[0]

    return kernel


def _predicate(name: str, otherwise: bool) -> Kernel:
    """isnan & co.: constant for types that have no such values."""

    def kernel(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
        return op(name, *x) if x[0].dtype.kind in "fc" else Const(otherwise, b1)

    return kernel


def _logical(name: str) -> Kernel:
    def kernel(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
        t = [_truth(cx, e) for e in x]
        if name == "lxor":
            return op("ne", *t)
        return op(name, *t)

    return kernel


def _truth(cx: Any, e: Expr) -> Expr:
    return e if e.dtype is b1 else op("ne", e, cx.cast(Const(0, i64), e.dtype))


def _square(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
    e = cx.let(x[0], "x")
    return op("mul", e, e)


def _reciprocal(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
    a = x[0]
    one, zero = (cx.cast(Const(k, i64), a.dtype) for k in (1, 0))
    if a.dtype.is_complex:
        return _complex_reciprocal(cx, a)
    if not a.dtype.is_int:
        return op("div", one, a)
    a = cx.let(a, "x")
    of_zero = Const(a.dtype.lowest, a.dtype) if a.dtype.name in ("i32", "i64") else zero
    result = op("select", op("eq", a, zero), of_zero, zero)
    result = op("select", op("eq", a, one), one, result)
    if a.dtype.kind == "u":
        return result
    minus_one = cx.cast(Const(-1, i64), a.dtype)
    return op("select", op("eq", a, minus_one), minus_one, result)


def _complex_reciprocal(cx: Any, a: Expr) -> Expr:
    """One division by the larger part, as NumPy's loop does it."""
    a = cx.let(a, "z")
    re, im = cx.let(op("real", a), "re"), cx.let(op("imag", a), "im")
    upright = cx.let(op("le", op("abs", im), op("abs", re)), "real_is_larger")
    large, small = (op("select", upright, *pair) for pair in ((re, im), (im, re)))
    ratio = cx.let(op("div", small, large), "ratio")
    below = cx.let(op("add", large, op("mul", small, ratio)), "below")
    one = cx.cast(Const(1, i64), re.dtype)
    parts = (op("div", one, below), op("div", op("neg", ratio), below))
    swapped = (op("div", ratio, below), op("div", op("neg", one), below))
    return op("complex", *(op("select", upright, *pair) for pair in zip(parts, swapped)))


def _power(cx: Any, x: list[Expr], values: Sequence[Any], _out: int) -> Expr:
    """NumPy's loop for one exponent of all elements looks for the simple ones; a square of floats is a product."""
    exponent = getattr(values[1], "expr", None)
    if x[0].dtype not in (f32, f64):
        square = isinstance(exponent, Const) and exponent.value == 2 and x[0].dtype.kind in "iuf"
        return _square(cx, x[:1], values, 0) if square else op("pow", *x)
    if isinstance(exponent, Const):
        simple = _SIMPLE_POWERS.get(exponent.value)
        return simple(cx, x[:1], values, 0) if simple else op("pow", *x)
    if getattr(values[1], "ndim", 0):
        return op("pow", *x)
    base, to = cx.let(x[0], "x"), cx.let(x[1], "exponent")
    result = op("pow", base, to)
    for value, simple in _SIMPLE_POWERS.items():
        if value:  # of zero pow is exact
            is_value = op("eq", to, cx.cast(Const(value, f64), to.dtype))
            result = op("select", is_value, simple(cx, [base], values, 0), result)
    return result


_ALL_SIMPLE_POWERS: dict[complex, Kernel] = {
    -1.0: _reciprocal,
    0.0: lambda cx, x, values, out: cx.cast(Const(1, i64), x[0].dtype),
    0.5: lambda cx, x, values, out: op("sqrt", x[0]),
    1.0: lambda cx, x, values, out: x[0],
    2.0: _square,
}
_SIMPLE_POWERS = {k: simple for k, simple in _ALL_SIMPLE_POWERS.items() if k in numpy_versions.SIMPLE_POWERS or k == 0}


def _sign(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
    return op("sign", x[0])


def _absolute(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
    return x[0] if x[0].dtype.kind in "bu" else op("abs", x[0])


def _heaviside(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
    a = cx.let(x[0], "x")
    zero, one = cx.cast(Const(0.0, f64), a.dtype), cx.cast(Const(1.0, f64), a.dtype)
    step = op("select", op("lt", a, zero), zero, one)
    return op("select", op("isnan", a), a, op("select", op("eq", a, zero), x[1], step))


def _scaled(numerator: float, denominator: float) -> Kernel:
    """A multiple of the operand; NumPy divides in the type that it multiplies in."""

    def kernel(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
        t = x[0].dtype
        work = f32 if t.name == "f16" else t
        factor = work.numpy.type(numerator) / work.numpy.type(denominator)
        return cx.cast(op("mul", cx.cast(x[0], work), Const(float(factor), work)), t)  # type: ignore[no-any-return]

    return kernel


def _clip(cx: Any, x: list[Expr], values: Sequence[Any], _out: int) -> Expr:
    """NumPy's two loops differ in which of two equal zeros they keep: the operand's if the bounds are single numbers."""
    value, low, high = (cx.let(e, n) for e, n in zip(x, ("x", "low", "high")))
    t = value.dtype
    if t.kind not in "fc" or t.name == "f16":
        largest, smallest = ("lor", "land") if t is b1 else ("max", "min")
        return op(smallest, op(largest, value, low), high)
    if numpy_versions.CLIP_KEEPS_ZEROS and t.is_float and not any(getattr(v, "ndim", 0) for v in values[1:]):
        raised = cx.let(op("select", op("lt", value, low), low, value), "raised")
        clipped = op("select", op("lt", high, raised), high, raised)
        return op("select", op("isnan", low), low, op("select", op("isnan", high), high, clipped))
    raised = cx.let(op("select", op("lor", op("isnan", value), _before(low, value)), value, low), "raised")
    return op("select", op("lor", op("isnan", raised), _before(raised, high)), raised, high)


def _before(a: Expr, b: Expr) -> Expr:
    """a < b; of complex numbers in lexicographic order."""
    if not a.dtype.is_complex:
        return op("lt", a, b)
    (ar, ai), (br, bi) = ((op("real", z), op("imag", z)) for z in (a, b))
    return op("select", op("eq", ar, br), op("lt", ai, bi), op("lt", ar, br))


def _divmod(cx: Any, x: list[Expr], _values: Sequence[Any], out: int) -> Expr:
    return op("mod" if out else "floordiv", *x)


def _modf(cx: Any, x: list[Expr], _values: Sequence[Any], out: int) -> Expr:
    a = cx.let(x[0], "x")
    whole = op("trunc", a)
    if out:
        return whole
    infinite = op("isinf", a)
    zero = cx.cast(Const(0.0, f64), a.dtype)
    return op("copysign", op("select", infinite, zero, op("sub", a, whole)), a)


def _frexp(cx: Any, x: list[Expr], _values: Sequence[Any], out: int) -> Expr:
    return op("frexp_e" if out else "frexp_m", x[0])


def _ldexp(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
    return op("ldexp", x[0], cx.cast(x[1], x[0].dtype))


def _bitwise_count(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
    a = x[0]
    if a.dtype.kind == "i":
        a = op("abs", a)
    return op("popcount", a)


def _float_power(cx: Any, x: list[Expr], values: Sequence[Any], _out: int) -> Expr:
    """NumPy's loop calls the C library, unlike that of `power`."""
    return op("pow" if x[0].dtype.is_complex else "libm_pow", *x)


def _conjugate(cx: Any, x: list[Expr], _values: Sequence[Any], _out: int) -> Expr:
    return op("conj", x[0]) if x[0].dtype.is_complex else x[0]


KERNELS: dict[str, Kernel] = {
    "add": _plain("add", "lor"),
    "subtract": _plain("sub"),
    "multiply": _plain("mul", "land"),
    "divide": _plain("div"),
    "true_divide": _plain("div"),
    "floor_divide": _plain("floordiv"),
    "remainder": _plain("mod"),
    "mod": _plain("mod"),
    "fmod": _plain("fmod"),
    "divmod": _divmod,
    "negative": _plain("neg"),
    "positive": lambda cx, x, values, out: x[0],
    "power": _power,
    "float_power": _float_power,
    "absolute": _absolute,
    "fabs": _absolute,
    "sign": _sign,
    "square": _square,
    "reciprocal": _reciprocal,
    "conjugate": _conjugate,
    "maximum": _plain("max", "lor"),
    "minimum": _plain("min", "land"),
    "fmax": _plain("fmax", "lor"),
    "fmin": _plain("fmin", "land"),
    "bitwise_and": _plain("band", "land"),
    "bitwise_or": _plain("bor", "lor"),
    "bitwise_xor": _plain("bxor", "ne"),
    "invert": _plain("invert", "lnot"),
    "bitwise_count": _bitwise_count,
    "left_shift": _plain("shl"),
    "right_shift": _plain("shr"),
    "equal": _comparison("eq"),
    "not_equal": _comparison("ne"),
    "less": _comparison("lt"),
    "less_equal": _comparison("le"),
    "greater": _comparison("gt"),
    "greater_equal": _comparison("ge"),
    "logical_and": _logical("land"),
    "logical_or": _logical("lor"),
    "logical_not": _logical("lnot"),
    "logical_xor": _logical("lxor"),
    "isnan": _predicate("isnan", False),
    "isinf": _predicate("isinf", False),
    "isfinite": _predicate("isfinite", True),
    "signbit": _plain("signbit"),
    "copysign": _plain("copysign"),
    "nextafter": _plain("nextafter"),
    "spacing": _plain("spacing"),
    "floor": _real_only("floor"),
    "ceil": _real_only("ceil"),
    "trunc": _real_only("trunc"),
    "rint": _plain("rint"),
    "heaviside": _heaviside,
    "clip": _clip,
    "deg2rad": _scaled(math.pi, 180.0),
    "radians": _scaled(math.pi, 180.0),
    "rad2deg": _scaled(180.0, math.pi),
    "degrees": _scaled(180.0, math.pi),
    "modf": _modf,
    "frexp": _frexp,
    "ldexp": _ldexp,
    "gcd": _plain("gcd"),
    "lcm": _plain("lcm"),
    **{n: _plain(n) for n in (*MATH_UNARY, *MATH_BINARY)},
}
