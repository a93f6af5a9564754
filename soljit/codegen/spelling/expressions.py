"""Expressions as C++ text.

`value` spells an expression so that its C++ value is exactly the IR's: integers wrap, nothing is undefined. `index` is for
subscripts, lengths and bounds, which the IR promises to stay in range: plain + - * that the C++ compiler understands best.
Both return a `Text`, which knows how tightly it binds, so that parentheses stand only where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from soljit.base.errors import InternalError
from soljit.codegen.spelling.arithmetic import PLAIN, binary, plain_arithmetic
from soljit.codegen.spelling.literals import literal
from soljit.codegen.spelling.operations import HALF, spell_op
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import LOOSE, PRIMARY, PRODUCT, SUM, UNARY, Text
from soljit.ir.core.expr import Cast, Const, Expr, Extent, Load, Op, Stride, Sym
from soljit.ir.core.types import DType, b1, f16, f32, f64, i64


def value(cx: Context, e: Expr) -> Text:
    """The value of `e`."""
    return _spell(cx, e, False)


def index(cx: Context, e: Expr) -> Text:
    """The value of i64 expression `e`, known not to overflow anywhere inside."""
    return _spell(cx, e, e.dtype == i64)


def _spell(cx: Context, e: Expr, plain: bool) -> Text:
    match e:
        case Const():
            cx.tables.uses(e.dtype)
            text = literal(e)
            return Text(text, UNARY if text.startswith("-") else PRIMARY)
        case Sym():
            return Text(cx.names.symbol(e.name))
        case Load():
            element = cx.places.element(e.memlet)
            return Text(f"sol_true({element})") if e.dtype == b1 and e.memlet.subset else element
        case Extent():
            return cx.places.extent(e.data, e.dim)
        case Stride():
            return cx.places.stride(e.data, e.dim)
        case Cast():
            return _cast(cx, e, plain)
        case Op(name="select") if e in cx.positions:
            return Text(cx.positions[e])
        case Op() if cx.ready and e in cx.ready:
            return Text(cx.ready[e])
        case Op() if plain and e.name in PLAIN:
            return plain_arithmetic(e.name, [_spell(cx, a, True) for a in e.args])
        case Op():
            return _op(cx, e, plain)
        case _:
            raise InternalError(f"unknown expression {e!r}")


# --- conversions --------------------------------------------------------------------------------------------------------


def _cast(cx: Context, e: Cast, plain: bool) -> Text:
    if (
        isinstance(e.arg, Load)
        and e.arg.dtype == b1
        and e.arg.memlet.subset
        and e.dtype.kind in "iuf"
        and e.dtype != f16
    ):
        return Text(f"({cpp_type(e.dtype)})sol_bit({cx.places.element(e.arg.memlet)})", UNARY)
    inner = _spell(cx, e.arg, plain and e.arg.dtype == i64)
    return convert(cx, inner, e.arg.dtype, e.dtype)


def convert(cx: Context, x: Text, source: DType, target: DType) -> Text:
    """Value `x` of type `source` as `target`, as NumPy converts on x86."""
    if source == target:
        return x
    cx.tables.uses(source)
    cx.tables.uses(target)
    if source == f16 and target.name == "u32":  # NumPy's loop over halves is the scalar one
        return Text(f"(uint32_t)sol_to_i64({_float_of_half(x)})", UNARY)
    if source == f16:
        return convert(cx, _float_of_half(x), f32, target)
    if target.kind == "b":
        return Text(
            f"sol_truth({x})" if source.is_complex else f"{x.at(SUM)} != 0", PRIMARY if source.is_complex else LOOSE
        )
    if source.is_complex:
        if target.is_complex:
            return Text(f"sol_to_{target.name}({x})")
        return convert(cx, Text(f"{x.at(PRIMARY)}.re"), source.real, target)
    if target.is_complex:
        real = convert(cx, x, source, target.real)
        return Text(f"{cpp_type(target)}{{{real}, 0}}")
    if target == f16:
        return Text(f"sol_f16({x})" if source.is_float else f"sol_f16((float){x.at(UNARY)})")
    if source == b1 and target in (f32, f64):  # vectors of truth values as long as those of the floats
        return Text(f"{x.at(UNARY)} ? 1.0f : 0.0f" if target == f32 else f"{x.at(UNARY)} ? 1.0 : 0.0", LOOSE)
    if source == i64 and target == f64 and cx.in_map:  # the same number
        return Text(f"sol_double({x})")
    if source.is_float and target.is_int:
        return _float_to_int(x, target)
    return Text(f"({cpp_type(target)}){x.at(UNARY)}", UNARY)


def _float_of_half(x: Text) -> Text:
    return Text(f"(float){x.at(UNARY)}", UNARY)


def _float_to_int(x: Text, t: DType) -> Text:
    wide = {"i64": "i64", "u64": "u64", "u32": "u32"}.get(t.name, "i32")
    call = Text(f"sol_to_{wide}({x})")
    return call if t.name == wide else Text(f"({cpp_type(t)}){call}", UNARY)


# --- operations ---------------------------------------------------------------------------------------------------------


_SECOND_OF_EQUALS = bool(np.signbit(np.nextafter(np.float16(0.0), np.float16(-0.0))))  # from NumPy 2.5 on, of halves

with np.errstate(invalid="ignore"):
    _NAN_HAS_NO_ANGLE = bool(np.isnan(np.arccosh(np.array([complex(0, np.nan)])).imag[0]))  # before NumPy 2.3


def _op(cx: Context, e: Op, plain: bool) -> Text:
    args = [_spell(cx, a, plain and a.dtype == i64) for a in e.args]
    t = e.args[-1].dtype
    cx.tables.uses(t)
    cx.tables.uses(e.dtype)
    if t == f16 and e.name not in ("select", "nextafter", "spacing"):
        halves = [_float_of_half(a) for a in args]
        out = apply(cx, HALF.get(e.name, e.name), halves, f32)
        return Text(f"sol_f16({out})") if e.dtype == f16 else out
    if t == f16 and e.name == "nextafter" and _SECOND_OF_EQUALS:
        return Text(f"sol_nextafter_to({args[0]}, {args[1]})")
    if e.name == "select" and t.is_complex and isinstance(e.args[1], Sym) and isinstance(e.args[2], Sym):
        return Text(f"sol_chosen({args[0]}, {args[1]}, {args[2]})")
    if e.name == "arccosh" and t.is_complex and _NAN_HAS_NO_ANGLE:
        return Text(f"sol_cacosh_of_nan({args[0]})")
    if e.name in ("floordiv", "mod") and e.args[1] in cx.divisors:
        return Text(f"sol_{e.name}({args[0]}, {cx.divisors[e.args[1]]})")
    if e.name == "sub" and t.is_float and cx.tables.fp == "strict" and _may_be_product(e.args[0]):
        args[0] = Text(f"sol_rounded({args[0]})")
    return apply(cx, e.name, args, t)


def _may_be_product(e: Expr) -> bool:
    """Tell whether the C++ compiler could see a product here, and fuse it with what it is added to."""
    match e:
        case Op():
            return e.name == "mul"
        case Load():
            return not e.memlet.subset
        case _:
            return isinstance(e, Sym)


def apply(cx: Context, name: str, args: list[Text], t: DType) -> Text:
    """Operation `name` on arguments of type `t` (not f16)."""
    text, binds = spell_op(cx, name, [a.text for a in args], t)
    if binds == "call":
        return Text(text)
    return _INFIX[binds](text, args)


def _loose(sign: str, args: list[Text]) -> Text:
    return Text(f" {sign} ".join(a.at(UNARY) for a in args), LOOSE)


def _prefix(sign: str, args: list[Text]) -> Text:
    return Text(sign + args[0].at(PRIMARY), UNARY)


_INFIX: dict[str, Callable[[str, list[Text]], Text]] = {
    "sum": lambda sign, a: binary(sign, SUM, *a),
    "product": lambda sign, a: binary(sign, PRODUCT, *a),
    "loose": _loose,
    "prefix": _prefix,
    "chain": lambda sign, a: Text(f" {sign} ".join(x.at(UNARY) for x in a), LOOSE),
    "select": lambda _, a: Text(f"{a[0].at(UNARY)} ? {a[1].at(UNARY)} : {a[2].at(UNARY)}", LOOSE),
    "cast": lambda prefix, a: Text(prefix + a[0].at(UNARY), UNARY),
}
