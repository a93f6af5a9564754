"""Copies of elements from one container to another."""

from __future__ import annotations

from soljit.codegen.memory.combine import combine
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.memory.windows import Window
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import Text
from soljit.ir.core.nodes import Copy


def emit_copy(cx: Context, n: Copy) -> None:
    """A loop over each dimension, or one memcpy where both sides are plainly one block."""
    dst, src = memory_of(cx).window(n.dst), memory_of(cx).window(n.src)
    cx.tables.uses(dst.dtype)
    if n.dst.wcr is None and dst.lengths and _is_block(dst) and _is_block(src):
        bytes_ = " * ".join(["sizeof(" + cpp_type(dst.dtype) + ")", *(f"(size_t){x.at(4)}" for x in dst.lengths)])
        cx.out.line(f"__builtin_memcpy({dst.first}, {src.first}, {bytes_});")
        return
    with cx.out.block():
        subscripts = []
        for k, length in enumerate(dst.lengths):
            v = cx.names.fresh(f"c{k}")
            subscripts.append(Text(v))
            if k == len(dst.lengths) - 1 and n.dst.wcr is None:
                cx.out.line("SOL_IVDEP")
            cx.out.line(f"for (int64_t {v} = 0; {v} < {length}; ++{v}) {{")
            cx.out.level += 1
        target, new = str(dst.at(subscripts)), src.at(subscripts)
        combine(cx, n.dst, new, src.dtype, at=target)
        for _ in subscripts:
            cx.out.level -= 1
            cx.out.line("}")


def _is_block(w: Window) -> bool:
    """Tell whether the strides, as they are spelled, are those of C order."""
    step = "1"
    for n, s in reversed(list(zip(w.lengths, w.strides))):
        if s.text != step:
            return False
        step = n.text if step == "1" else f"{step} * {n.at(4)}"
    return True
