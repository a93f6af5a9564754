"""The operations of `Op`: one row each, with the meaning on NumPy values.

A row says: name, arity, the class of argument types, the result type, and a NumPy function that computes it (the
interpreter's meaning and the constant folder). All arguments of an op have one dtype unless the row says otherwise.

Notes on meaning (NumPy's, everywhere; what Python does differently the front end spells out):
* integers wrap; `floordiv`/`mod` floor, and give 0 for a zero divisor; `div` is for floats and complex only
* `int_div` is Python's `/` of ints: the float nearest to the exact quotient; 0 for a zero divisor
* `shl`/`shr` by a count outside 0..bits-1 give 0 (or -1 for a negative shr), as NumPy does
* `min`/`max` propagate NaN, `fmin`/`fmax` prefer the number
* `add_overflows` etc. tell whether the exact integer result leaves the dtype
* `land`/`lor`/`select` are lazy
* `scalar_mul`, `scalar_abs` are the product and the absolute value of complex numbers as Python and the operators of NumPy's scalars
  compute them; in `mul` and `abs` there are fused operations where NumPy's loops over arrays have them
* `whole` is the cast of a double to i64 where the result tells what does not fit (its smallest value): of single numbers, faster than the cast
* `libm_exp` etc. are `exp` etc. as the C library computes them: what Python and NumPy's scalars do, unlike NumPy's loops over arrays
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.records import dataclass
from soljit.ir.core.special import SPECIAL
from soljit.ir.core.types import DType, b1, c64, c128, f64, i64


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One operation. `args` is a set of NumPy kinds that the arguments may have; `result` maps argument dtype → dtype."""

    name: str
    arity: int
    args: str
    result: Callable[[DType], DType]
    evaluate: Callable[..., Any]  # NumPy scalars or arrays of any dtype in and out


def _same(t: DType) -> DType:
    return t


def _bool(_: DType) -> DType:
    return b1


def _real(t: DType) -> DType:
    return t.real


def _whole(x: Any) -> Any:
    fits = np.abs(x) < 2.0**63
    return np.where(fits, x, -(2.0**63)).astype(np.int64)[()]


def _overflows(exact: Callable[[int, int], int]) -> Callable[..., Any]:
    def evaluate(a: Any, b: Any) -> Any:
        t = np.asarray(a).dtype
        info = np.iinfo(t)
        out = [not info.min <= exact(int(x), int(y)) <= info.max for x, y in np.broadcast(a, b)]
        return np.array(out, dtype=bool).reshape(np.broadcast(a, b).shape)[()]

    return evaluate


def _int_div(a: Any, b: Any) -> Any:
    out = [int(x) / int(y) if y else 0.0 for x, y in np.broadcast(a, b)]
    return np.array(out, dtype=np.float64).reshape(np.broadcast(a, b).shape)[()]


def _complex(re: Any, im: Any) -> Any:
    out = np.empty(np.broadcast(re, im).shape, np.result_type(np.asarray(re).dtype, np.complex64))
    out.real, out.imag = re, im
    return out[()]


def _ldexp(m: Any, e: Any) -> Any:
    return np.ldexp(m, np.clip(np.asarray(e, np.float64), -(1 << 30), 1 << 30).astype(np.int32))


def _pow(x: Any, y: Any) -> Any:
    """The power itself: of an exponent that is one number NumPy looks at its value first (`frontend_ast/arrays/powers.py`)."""
    return np.power([x], [y])[0] if np.ndim(x) == np.ndim(y) == 0 else np.power(x, y)


def _scalar_mul(a: Any, b: Any) -> Any:
    return _complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def _powmod(a: Any, b: Any, n: Any) -> Any:
    cells = np.broadcast(a, b, n)
    out = [pow(int(x), max(int(y), 0), int(z)) if z else 0 for x, y, z in cells]
    return np.array(out, np.asarray(a).dtype).reshape(cells.shape)[()]


_ROWS: list[tuple[str, int, str, Callable[[DType], DType], Callable[..., Any]]] = [
    # arithmetic
    ("add", 2, "iufc", _same, np.add),
    ("sub", 2, "iufc", _same, np.subtract),
    ("mul", 2, "iufc", _same, np.multiply),
    ("div", 2, "fc", _same, np.true_divide),
    ("int_div", 2, "i", lambda t: f64, _int_div),
    ("floordiv", 2, "iuf", _same, np.floor_divide),
    ("mod", 2, "iuf", _same, np.remainder),
    ("fmod", 2, "iuf", _same, np.fmod),
    ("neg", 1, "iufc", _same, np.negative),
    ("abs", 1, "iufc", _real, np.abs),
    ("sign", 1, "iufc", _same, np.sign),
    ("pow", 2, "iufc", _same, _pow),
    ("min", 2, "biufc", _same, np.minimum),
    ("max", 2, "biufc", _same, np.maximum),
    ("fmin", 2, "biufc", _same, np.fmin),
    ("fmax", 2, "biufc", _same, np.fmax),
    ("gcd", 2, "iu", _same, np.gcd),
    ("powmod", 3, "i", _same, _powmod),  # an exponent below zero counts as 0, and a divisor of zero gives 0
    ("lcm", 2, "iu", _same, np.lcm),
    ("add_overflows", 2, "iu", _bool, _overflows(lambda a, b: a + b)),
    ("sub_overflows", 2, "iu", _bool, _overflows(lambda a, b: a - b)),
    ("mul_overflows", 2, "iu", _bool, _overflows(lambda a, b: a * b)),
    (
        "threads",
        1,
        "i",
        _same,
        np.positive,
    ),  # how many run a parallel map; the argument: how many did when it was compiled
    # bits
    ("band", 2, "biu", _same, np.bitwise_and),
    ("bor", 2, "biu", _same, np.bitwise_or),
    ("bxor", 2, "biu", _same, np.bitwise_xor),
    ("invert", 1, "biu", _same, np.invert),
    ("shl", 2, "iu", _same, np.left_shift),
    ("shr", 2, "iu", _same, np.right_shift),
    ("popcount", 1, "iu", lambda t: t, lambda a: np.bitwise_count(a).astype(np.asarray(a).dtype)),
    # comparison and logic
    ("eq", 2, "biufc", _bool, np.equal),
    ("ne", 2, "biufc", _bool, np.not_equal),
    ("lt", 2, "biufc", _bool, np.less),
    ("le", 2, "biufc", _bool, np.less_equal),
    ("gt", 2, "biufc", _bool, np.greater),
    ("ge", 2, "biufc", _bool, np.greater_equal),
    ("land", 2, "b", _bool, np.logical_and),
    ("lor", 2, "b", _bool, np.logical_or),
    ("lnot", 1, "b", _bool, np.logical_not),
    ("select", 3, "biufc", _same, np.where),  # (b1, T, T) -> T
    # floating point
    ("isnan", 1, "fc", _bool, np.isnan),
    ("isinf", 1, "fc", _bool, np.isinf),
    ("isfinite", 1, "fc", _bool, np.isfinite),
    ("signbit", 1, "f", _bool, np.signbit),
    ("copysign", 2, "f", _same, np.copysign),
    ("nextafter", 2, "f", _same, np.nextafter),
    ("spacing", 1, "f", _same, np.spacing),
    ("floor", 1, "f", _same, np.floor),
    ("ceil", 1, "f", _same, np.ceil),
    ("trunc", 1, "f", _same, np.trunc),
    ("rint", 1, "fc", _same, np.rint),
    ("whole", 1, "f", lambda _: i64, _whole),
    ("ldexp", 2, "f", _same, _ldexp),  # (T, T): exponent in T
    ("frexp_m", 1, "f", _same, lambda a: np.frexp(a)[0]),
    ("frexp_e", 1, "f", lambda t: t, lambda a: np.frexp(a)[1].astype(np.asarray(a).dtype)),  # exponent, in T
    # complex
    ("real", 1, "c", _real, np.real),
    ("imag", 1, "c", _real, np.imag),
    ("conj", 1, "c", _same, np.conjugate),
    ("complex", 2, "f", lambda t: c128 if t is f64 else c64, _complex),
    ("scalar_mul", 2, "c", _same, _scalar_mul),
    ("scalar_abs", 1, "c", _real, lambda a: np.hypot(a.real, a.imag)),
]

# One-argument mathematical functions of floats and complex numbers, named as in NumPy.
MATH_UNARY = [
    "sqrt",
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arccosh",
    "arctanh",
]
# Two-argument mathematical functions of floats.
MATH_BINARY = ["arctan2", "hypot", "logaddexp", "logaddexp2"]

OPS: dict[str, OpInfo] = {r[0]: OpInfo(*r) for r in _ROWS}
OPS |= {n: OpInfo(n, 1, "f" if n == "cbrt" else "fc", _same, getattr(np, n)) for n in MATH_UNARY}
OPS |= {n: OpInfo(n, 2, "f", _same, getattr(np, n)) for n in MATH_BINARY}
OPS |= {n: OpInfo(n, arity, kinds, _same, meaning) for n, (arity, kinds, meaning) in SPECIAL.items()}
LIBM = {f"libm_{n}": n for n in (*MATH_UNARY, "arctan2", "pow") if n != "sqrt"}  # the operation on arrays of each


def _by_libm(name: str) -> Callable[..., Any]:
    """The function of doubles as Python's math module has it; of other floats, and where that raises, as NumPy has it."""
    of_arrays = OPS[name].evaluate
    short = {"arctan2": "atan2"}.get(name, name.replace("arc", "a"))
    of_one: Any = getattr(math, short, None)  # any function of floats

    def evaluate(*args: Any) -> Any:
        if of_one is None or np.ndim(args[0]) or not isinstance(args[0], np.float64):
            return of_arrays(*args)
        try:
            return np.float64(of_one(*map(float, args)))
        except (ValueError, OverflowError):
            return of_arrays(*args)

    return evaluate


OPS |= {n: OpInfo(n, OPS[of].arity, "f", _same, _by_libm(of)) for n, of in LIBM.items()}

COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
INDEX = i64  # the type of sizes and subscripts
