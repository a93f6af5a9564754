"""Writing one element: plainly, or combined with what is there (`wcr`), or into what stands for it during a reduction."""

from __future__ import annotations

from soljit.analysis.loops import sums
from soljit.base.errors import InternalError
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.expressions import apply
from soljit.codegen.spelling.literals import literal
from soljit.codegen.spelling.operations import HALF
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Accumulator, Context
from soljit.codegen.writing.text import UNARY, Text
from soljit.ir.core.expr import Memlet
from soljit.ir.core.types import DType, b1, f32


def combine(cx: Context, out: Memlet, new: Text, t: DType, at: str | None = None) -> None:
    """Write `new` to `out`; `at` spells the element where the memlet names several."""
    acc = _accumulator(cx, out) if at is None else None
    if acc is not None:
        assert out.wcr is not None
        match acc.kind:
            case "slot":
                cx.out.line(f"{acc.text} = {new};")
            case "push":
                cx.out.line(f"{acc.text}.push({new});")
            case "count":
                cx.out.line(f"{acc.text} += {new};")
            case "variable":
                cx.out.line(f"{acc.text} = {combined(cx, out.wcr, Text(acc.text), new, sums.accumulated(t, out.wcr))};")
            case _:
                raise InternalError(f"accumulator {acc!r}")
        return
    target = at or str(memory_of(cx).element(out))
    if out.wcr is None:
        cx.out.line(f"{target} = {new};")
    elif out.data in cx.atomic:
        cx.out.line(f"sol_atomic_add(&{target}, ({cpp_type(t)}){new.at(UNARY)});")
    else:
        old = f"sol_true({target})" if t == b1 and out.subset else target
        cx.out.line(f"{target} = {combined(cx, out.wcr, Text(old), new, t)};")


def _accumulator(cx: Context, out: Memlet) -> Accumulator | None:
    return next((a for a in reversed(cx.accumulators) if a.target == out), None)


def is_counted(cx: Context, out: Memlet) -> bool:
    """Tell whether truth values themselves go where `out` is accumulated."""
    acc = _accumulator(cx, out)
    return acc is not None and acc.kind == "count"


def combined(cx: Context, wcr: str, old: Text, new: Text, t: DType) -> Text:
    """The value of `old` combined with `new`, both of type `t`."""
    cx.tables.uses(t)
    if t == b1:
        wcr = {"add": "lor", "mul": "land", "min": "land", "max": "lor"}.get(wcr, wcr)
    if wcr in ("land", "lor"):  # both are there: without a branch, the loop becomes vector code
        wcr = {"land": "band", "lor": "bor"}[wcr]
    if t.name == "f16":
        halves = [Text(f"(float){x.at(UNARY)}", UNARY) for x in (old, new)]
        return Text(f"sol_f16({apply(cx, HALF.get(wcr, wcr), halves, f32)})")
    return apply(cx, wcr, [old, new], t)


def identity(wcr: str, t: DType) -> str:
    """The value that changes nothing."""
    return literal(sums.identity(wcr, t))


def cpp_accumulator(t: DType, wcr: str) -> str:
    """The C++ type in which values of type `t` are accumulated."""
    return cpp_type(sums.accumulated(t, wcr))
