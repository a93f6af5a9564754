"""The words in which numbers, arrays and objects enter and leave functions."""

from __future__ import annotations

from soljit.codegen.memory.containers import memory_of
from soljit.codegen.memory.windows import Window
from soljit.codegen.spelling.arithmetic import product
from soljit.codegen.spelling.expressions import value
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import Text
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Expr, Memlet
from soljit.ir.core.nodes import Result, Return
from soljit.ir.core.types import DType


def scalar_words(t: DType) -> int:
    """Words of a scalar."""
    return 2 if t.name == "c128" else 1


def put(cx: Context, to: str, at: int, e: Expr) -> int:
    """Write the words of a number behind `to + at`; where the next ones go."""
    cx.out.line(f"sol_put<{cpp_type(e.dtype)}>({to} + {at}, {value(cx, e)});")
    return at + scalar_words(e.dtype)


def sizes_of(w: Window) -> list[str]:
    """Lengths, then strides in bytes."""
    size = Text(str(w.dtype.size))
    return [str(x) for x in (*w.lengths, *(product(s, size) for s in w.strides))]


def put_array(cx: Context, to: str, at: int, w: Window, owner: str) -> int:
    """Write the words of an array: elements, owner, lengths and strides."""
    cx.out.line(f"{to}[{at}] = (int64_t)({w.first});")
    cx.out.line(f"{to}[{at + 1}] = (int64_t){owner};")
    for k, n in enumerate(sizes_of(w)):
        cx.out.line(f"{to}[{at + 2 + k}] = {n};")
    return at + 2 + 2 * len(w.lengths)


def _put_nothing(cx: Context, at: int, r: Result) -> int:
    """The words of a leaf that does not exist on this path."""
    words = 2 if r.kind in ("array", "object") else scalar_words(r.dtype)
    for k in range(words):
        cx.out.line(f"out[{at + k}] = 0;")
    return at + (2 + 2 * r.ndim if r.kind in ("array", "object") else words)


def emit_return(cx: Context, n: Return) -> None:
    """Write the results' words. Arrays share the ownership of their memory."""
    memory, at, given = memory_of(cx), 0, dict(n.numbered())
    for k, r in enumerate(cx.program.results):
        v = given.get(k)
        if v is None:
            at = _put_nothing(cx, at, r)
        elif isinstance(v, Memlet):
            at = put_array(cx, "out", at, memory.window(v), f"sol_retain({memory.owner(v.data)})")
        else:
            at = put(cx, "out", at, v)
    cx.out.line("return SOL_OK;")


def receive(cx: Context, words: str, outs: tuple[str, ...], drops: tuple[tuple[bool, DType, int], ...]) -> None:
    """Take the words of results. `drops` tells for each leaf: an array?, dtype, ndim; nameless arrays are released."""
    at = 0
    for name, (is_array, t, ndim) in zip(outs, drops, strict=True):
        if not is_array:
            if name:
                cx.tables.uses(t)
                cx.out.line(f"{cx.names.data(name)} = sol_get<{cpp_type(t)}>({words} + {at});")
            at += scalar_words(t)
            continue
        if not name:
            cx.out.line(f"sol_release(services, (sol_buffer*){words}[{at + 1}]);")
        else:
            d, v = cx.data(name), cx.names.data(name)
            assert isinstance(d, Ref)
            cx.out.line(f"{v}_own.take((sol_buffer*){words}[{at + 1}]);")
            cx.out.line(f"{v} = ({cpp_type(t)}*){words}[{at}];")
            for k in range(ndim):
                cx.out.line(f"{v}_n{k} = {words}[{at + 2 + k}];")
            if d.order == "A":
                for k in range(ndim):
                    cx.out.line(f"{v}_s{k} = {words}[{at + 2 + ndim + k}] / {t.size};")
        at += 2 + 2 * ndim
