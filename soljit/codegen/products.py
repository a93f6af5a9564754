"""Products through `blas.h`: NumPy's own BLAS for the types it knows, packed copies for strides it cannot read."""

from __future__ import annotations

from soljit.base.place import Loc
from soljit.codegen.context import Context, cpp_type
from soljit.codegen.memory import Window
from soljit.ir.types import DType

_LETTER = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}


def has_routines(t: DType) -> bool:
    """Does a BLAS have routines for this type?"""
    return t.name in _LETTER


def routines(cx: Context, t: DType) -> str:
    """The addresses of gemm, gemv and dot for a type, as an initializer; NULL without a BLAS."""
    cx.tables.headers.add("blas")
    cx.tables.uses(t)
    letter = _LETTER.get(t.name)
    if letter is None or not cx.tables.features.blas:
        return "sol_blas{nullptr, nullptr, nullptr}"
    dot = f"cblas_{letter}dot" + ("u_sub" if letter in "cz" else "")
    slots = [cx.tables.slot(f"blas:{f}") for f in (f"cblas_{letter}gemm", f"cblas_{letter}gemv", dot)]
    return "sol_blas{" + ", ".join(f"sol_slots[{k}]" for k in slots) + "}"


def emit_product(cx: Context, a: Window, b: Window, out: Window, single: str, loc: Loc) -> None:
    """`out = a @ b`; `single` is the target of a product of vectors."""
    t = a.dtype
    f, kind = routines(cx, t), cpp_type(t)
    if len(a.lengths) == 1 and len(b.lengths) == 1:
        cx.out.line(f"{single} = sol_dot<{kind}>({f}, {a.lengths[0]}, {a.first}, {a.strides[0]}, {b.first}, {b.strides[0]});")
        return
    matrix_a, matrix_b = len(a.lengths) == 2, len(b.lengths) == 2
    inner = a.lengths[-1]
    sizes = [a.lengths[0] if matrix_a else "1", b.lengths[1] if matrix_b else "1", inner]
    left = [a.first, a.strides[0] if matrix_a else inner, a.strides[-1]]
    right = [b.first, b.strides[0], b.strides[1] if matrix_b else "1"]
    target = [out.first, out.strides[0] if matrix_a else "1", out.strides[-1] if matrix_b else "1"]
    call = f"sol_gemm<{kind}>({', '.join(map(str, (f, *sizes, *left, *right, *target)))})"
    place = cx.tables.raising("builtins.MemoryError", None, (), loc)
    if cx.exit_label is None:
        cx.out.line(f"if (SOL_UNLIKELY(!{call})) return frame->place = {place}, SOL_RAISE;")
    else:
        cx.out.line(f"if (SOL_UNLIKELY(!{call})) {{ frame->place = {place}; {cx.exit_label} }}")
