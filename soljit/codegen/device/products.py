"""Products of matrices by cuBLAS: `struct sol_product` of `device.h`, filled in at the call."""

from __future__ import annotations

from soljit.base.errors import InternalError
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.memory.windows import ONE, ZERO, Window
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import PRODUCT, SUM, Text
from soljit.ir.core.expr import Const, Expr, Memlet
from soljit.ir.core.nodes import LibraryNode

_TYPES = {"f32": "SOL_F32", "f64": "SOL_F64", "c64": "SOL_C64", "c128": "SOL_C128"}


def declare_product(cx: Context, n: LibraryNode, name: str) -> None:
    """Define the `sol_product` of this call under a name."""
    if n.op != "matmul" or n.attrs.get("triangle"):
        raise InternalError(f"{n.op} is not done by a device")
    a, b = (_matrices(cx, x, row) for x, row in zip(n.ins, (True, False)))
    out = _matrices(cx, n.outs[0], len(_window(cx, n.ins[0]).lengths) == 1)
    count = next((w.lengths[0] for w in (out, a, b) if len(w.lengths) == 3), ONE)
    rows, inner = a.lengths[-2:]
    sizes = ", ".join(map(str, (rows, b.lengths[-1], inner, count)))
    alpha, beta = (_factor(x) for x in n.ins[2:] or (Const(1.0, out.dtype), Const(0.0, out.dtype)))
    operands = ", ".join(_operand(w) for w in (a, b, out))
    cx.out.line(f"const sol_product {name} = {{{_TYPES[out.dtype.name]}, {sizes}, {operands}, {alpha}, {beta}}};")


def _window(cx: Context, x: Memlet | Expr) -> Window:
    assert isinstance(x, Memlet)
    return memory_of(cx).window(x)


def _matrices(cx: Context, x: Memlet | Expr, row: bool) -> Window:
    """An operand as a matrix or a stack of them: a vector is one row, or one column."""
    w = _window(cx, x)
    if len(w.lengths) > 1:
        return w
    (n,), (s,) = w.lengths, w.strides
    lengths, strides = ((ONE, n), (ZERO, s)) if row else ((n, ONE), (s, ZERO))
    return Window(w.dtype, w.pointer, w.offset, lengths, strides)


def _operand(w: Window) -> str:
    """The place of the first element, and distances between rows, columns and matrices."""
    at = w.pointer
    if w.offset.text != "0":
        at = Text(f"{at.at(SUM)} + (uint64_t)({w.offset.at(PRODUCT)} * {w.dtype.size})", SUM)
    step = w.strides[0] if len(w.strides) == 3 else ZERO
    return f"{{{at}, {w.strides[-2]}, {w.strides[-1]}, {step}}}"


def _factor(x: Memlet | Expr) -> str:
    if not isinstance(x, Const):
        raise InternalError("a product with a factor that is not known")
    value = complex(x.value)
    return f"{{{value.real!r}, {value.imag!r}}}"
