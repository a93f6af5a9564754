"""How each operation of `ir/core/ops.py` is spelled for each kind of type: an operator or a function of the prelude.

`spell_op` gives the text and how it is built: "call" (complete), or the operator with its class. Floats use C++'s operators
(the flags of the build forbid contraction), integers the wrapping functions, complex numbers overloaded operators.
"""

from __future__ import annotations

from soljit.base.errors import InternalError
from soljit.codegen.spelling import device_math
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.spelling.vectormath import math_function
from soljit.codegen.writing.context import Context
from soljit.ir.core.ops import MATH_UNARY
from soljit.ir.core.special import SPECIAL
from soljit.ir.core.types import DType

Spelling = tuple[str, str]

_OPERATORS: dict[str, Spelling] = {
    "add": ("+", "sum"),
    "sub": ("-", "sum"),
    "mul": ("*", "product"),
    "div": ("/", "product"),
}
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_LOGIC: dict[str, Spelling] = {
    "land": ("&&", "loose"),
    "lor": ("||", "loose"),
    "lnot": ("!", "prefix"),
    "select": ("", "select"),
}
_BITS = {"band": "&", "bor": "|", "bxor": "^"}
# Integer operations with one function of the prelude, sol_<second><T>(…).
_INTEGER = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "floordiv": "floordiv",
    "mod": "mod",
    "fmod": "ifmod",
    "neg": "neg",
    "abs": "iabs",
    "sign": "isign",
    "pow": "ipow",
    "min": "imin",
    "max": "imax",
    "fmin": "imin",
    "fmax": "imax",
    "gcd": "gcd",
    "powmod": "powmod",
    "lcm": "lcm",
    "add_overflows": "add_overflows",
    "sub_overflows": "sub_overflows",
    "mul_overflows": "mul_overflows",
    "shl": "shl",
    "shr": "shr",
    "popcount": "popcount",
    "threads": "threads_now",
}
_REAL = {
    "floordiv": "ffloordiv",
    "mod": "fremainder",
    "fmod": "fmod",
    "abs": "fabs",
    "sign": "sign",
    "min": "min",
    "max": "max",
    "fmin": "fmin",
    "fmax": "fmax",
    "isnan": "isnan",
    "isinf": "isinf",
    "isfinite": "isfinite",
    "signbit": "signbit",
    "copysign": "copysign",
    "nextafter": "nextafter",
    "spacing": "spacing",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "rint",
    "whole": "whole_of",
    "ldexp": "ldexp",
    "frexp_m": "frexp_m",
    "frexp_e": "frexp_e",
    "logaddexp": "logaddexp",
    "logaddexp2": "logaddexp2",
    "hypot": "hypot",
}
HALF = {"min": "hmin", "max": "hmax", "fmin": "hfmin", "fmax": "hfmax"}  # of halves in float
_REAL |= {v: v for v in HALF.values()}
_COMPLEX = {
    "abs": "cabs",
    "sign": "csign",
    "pow": "cpow",
    "min": "cmin",
    "max": "cmax",
    "fmin": "cfmin",
    "fmax": "cfmax",
    "isnan": "cisnan",
    "isinf": "cisinf",
    "isfinite": "cisfinite",
    "rint": "crint",
    "conj": "conj",
} | {f: f"c{f.replace('arc', 'a')}" for f in MATH_UNARY}


def spell_op(cx: Context, name: str, args: list[str], t: DType) -> Spelling:
    """The operation on arguments of type `t`, whose texts are `args`."""
    if name in _LOGIC:
        return _LOGIC[name]
    if name in SPECIAL:
        cx.tables.headers |= {"real", "special"}
    if t.is_complex:
        return _complex(cx, name, args, t)
    if name in _COMPARE:
        return _COMPARE[name], "loose"
    if t.is_float:
        return _real(cx, name, args, t)
    if name in _BITS:
        return _BITS[name], "loose"
    if t.kind == "b":
        return _bool(name, args)
    return _integer(name, args, t)


def _call(function: str, args: list[str]) -> Spelling:
    return f"{function}({', '.join(args)})", "call"


def _bool(name: str, args: list[str]) -> Spelling:
    match name:
        case "invert":
            return "!", "prefix"
        case "min" | "fmin":
            return "&", "loose"
        case "max" | "fmax":
            return "|", "loose"
        case _:
            raise InternalError(f"no {name} of bool")


def _integer(name: str, args: list[str], t: DType) -> Spelling:
    if name in SPECIAL:
        return _call(f"sol_{name}<{cpp_type(t)}>", args)
    if name == "invert":
        return f"({cpp_type(t)})(~({args[0]}))", "call"
    if name == "int_div":
        return _call("sol_int_div", args)
    if name not in _INTEGER:
        raise InternalError(f"no {name} of {t}")
    return _call(f"sol_{_INTEGER[name]}<{cpp_type(t)}>", args)


def _real(cx: Context, name: str, args: list[str], t: DType) -> Spelling:
    if name in _OPERATORS:
        return _OPERATORS[name]
    if name == "neg":
        return "-", "prefix"
    if name == "complex":
        return f"{'sol_c64' if t.name == 'f32' else 'sol_c128'}{{{args[0]}, {args[1]}}}", "call"
    if name in SPECIAL:
        return _call(f"sol_{name}", args)
    named = device_math.math_function if cx.in_kernel else math_function
    if function := named(cx.tables, name, t, cx.in_map > 0):
        return _call(function, args)
    if name not in _REAL:
        raise InternalError(f"no {name} of {t}")
    # Literals of another C++ type would make the overloads ambiguous; every argument has type t.
    return _call(f"sol_{_REAL[name]}", args)


def _complex(cx: Context, name: str, args: list[str], t: DType) -> Spelling:
    if name == "mul" and cx.tables.features.fma:
        return _call("sol_cmul_fma", args)
    if name == "abs":
        return _call("sol_cabs_loop", args)
    name = name.removeprefix("scalar_")
    if name in _OPERATORS:
        return _OPERATORS[name]
    if name in _COMPARE:
        if name in ("eq", "ne"):
            return _COMPARE[name], "loose"
        return _call(f"sol_c{name}", args)
    match name:
        case "neg":
            return "-", "prefix"
        case "real" | "imag":
            return f"({args[0]}).{name[:2]}", "call"
    if name not in _COMPLEX:
        raise InternalError(f"no {name} of {t}")
    return _call(f"sol_{_COMPLEX[name]}", args)
