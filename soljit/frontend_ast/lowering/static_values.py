"""Values that must be known while compiling, as Python objects."""

from __future__ import annotations

from typing import Any

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Dict, Num, SliceVal, Static, Tup, Value
from soljit.ir.core.expr import Const
from soljit.ir.core.types import b1


def static_of(cx: Lowering, v: Value | None) -> Any:
    """The Python object of a value that must be known at compile time (integers may become guards). None gives None."""
    match v:
        case None:
            return None
        case Static():
            return v.obj
        case Num():
            if isinstance(v.expr, Const):
                return v.expr.value
            if v.dtype.is_int or v.dtype is b1:
                n = cx.static_int(v.expr)
                if n is not None:
                    return bool(n) if v.dtype is b1 else n
                cx.unroll_for(v.expr)
        case Tup():
            items = [static_of(cx, x) for x in v.items]
            return items if v.mutable else tuple(items)
        case SliceVal():
            return slice(*[static_of(cx, p) for p in (v.start, v.stop, v.step)])
        case Dict():
            return {k: static_of(cx, x) for k, x in v.items.items()}
    raise cx.unsupported(f"an argument of type {describe(v)} must be known at compile time", "use a constant")
