"""Constants as C++ literals of exactly their value and type."""

from __future__ import annotations

import math

import numpy as np

from soljit.base.errors import InternalError
from soljit.ir.core.expr import Const
from soljit.ir.core.types import DType


def literal(c: Const) -> str:
    """The literal; negative ones start with a minus sign."""
    t, v = c.dtype, c.value
    if t.kind == "b":
        return "true" if v else "false"
    if t.is_int:
        assert isinstance(v, (int, float))
        return _integer(int(v), t)
    if t.is_float:
        assert isinstance(v, (int, float))
        return _real(float(v), t)
    if t.is_complex:
        z = complex(v)
        return f"{'sol_c64' if t.name == 'c64' else 'sol_c128'}{{{_real(z.real, t.real)}, {_real(z.imag, t.real)}}}"
    raise InternalError(f"no literal for {c!r}")


def _integer(v: int, t: DType) -> str:
    if not t.lowest <= v <= t.highest:
        raise InternalError(f"{v} is no {t}")
    if t.name == "i64" and v == t.lowest:
        return "INT64_MIN"
    if t.name == "i32" and v == t.lowest:
        return "INT32_MIN"
    if t.name == "u64":
        return f"{v}ul"
    if t.name == "u32":
        return f"{v}u"
    return f"{v}l" if t.name == "i64" and abs(v) >= 1 << 15 else str(v)


def _real(v: float, t: DType) -> str:
    if t.name == "f16":
        return f"sol_f16({_real(v, _F32)})"
    suffix, kind = ("f", "float") if t.name == "f32" else ("", "double")
    if math.isnan(v):
        sign = "-" if math.copysign(1.0, v) < 0 else ""
        return f"{sign}SOL_NAN({kind})"
    with np.errstate(over="ignore"):
        v = float(np.float32(v)) if suffix else v
    if math.isinf(v):
        return f"{'-' if v < 0 else ''}SOL_INF({kind})"
    text = str(np.float32(v)) if suffix else repr(v)
    if "." not in text and "e" not in text:
        text += ".0"
    return text + suffix


_F32 = DType("f32", "f", 4)
