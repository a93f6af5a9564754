"""Draws of random numbers: the condition that draws one natively, in front of the call of Python that draws it otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soljit.codegen.context import Context, cpp_type
from soljit.codegen.expressions import value
from soljit.codegen.text import UNARY
from soljit.ir import pending
from soljit.ir.draws import Draw, draw
from soljit.ir.expr import Const, Expr, Memlet, Sym
from soljit.ir.nodes import Callback
from soljit.ir.types import f64


@contextmanager
def unless_drawn(cx: Context, n: Callback) -> Iterator[None]:
    """What is written inside runs if the number that the call draws, if it is a draw, is not drawn natively."""
    d = draw(cx.program, n)
    if d is None:
        with cx.out.block():
            yield
        return
    guarded = pending.parse(n.target) is not None
    result, *status = n.outs[:-1] if guarded else n.outs
    assert not status
    name = cx.names.data(result) if result else cx.names.fresh("drawn")
    if not result:
        cx.out.line(f"{cpp_type(d.dtype)} {name};")
    condition = _drawn(cx, d, name)
    if guarded and n.outs[-1]:
        cx.out.line(f"{cx.names.data(n.outs[-1])} = 0;")
    with cx.out.block(f"if (SOL_UNLIKELY(!({condition})))"):
        yield


def _drawn(cx: Context, d: Draw, target: str) -> str:
    """The condition that is true if the number is drawn."""
    cx.tables.headers.add("draws")
    generator = _generator(cx, d.generator)
    k = cx.tables.stream(generator)
    routines = [f"sol_slots[{cx.tables.slot(f'random:{name}')}]" for name in d.row.routine.split()]
    given = [_argument(cx, x, integer) for x, integer in zip(d.arguments, d.row.integers)]
    arguments = ", ".join([*routines, f"&frame->streams[{k}]", f"&{target}", *given])
    return f"sol_is_open(frame, {k}, {generator}) && {d.row.function}({arguments})"


def _generator(cx: Context, g: Memlet | Expr | str) -> str:
    if isinstance(g, str):
        return f"sol_slots[{cx.tables.slot(f'generator:{g}')}]"
    if isinstance(g, Memlet):
        return f"(void*){cx.names.data(g.data)}"
    assert isinstance(g, Sym)
    return f"(void*){cx.names.symbol(g.name)}"


def _argument(cx: Context, x: Expr, integer: bool) -> str:
    wanted = "int64_t" if integer else "double"
    if isinstance(x, Const) and not integer:
        x = Const(float(x.value), f64)  # type: ignore[arg-type]
    text = value(cx, x)
    return str(text) if cpp_type(x.dtype) == wanted else f"({wanted}){text.at(UNARY)}"
