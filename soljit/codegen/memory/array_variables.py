"""Array variables: what they are bound to."""

from __future__ import annotations

import re

from soljit.base.errors import InternalError
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.ir.core.data import Ref
from soljit.ir.core.nodes import Bind


def bind(cx: Context, n: Bind) -> None:
    """Everything is read before the variable changes, because the source may be the variable itself."""
    memory = memory_of(cx)
    w = memory.window(n.source)
    d, name = cx.data(n.ref), cx.names.data(n.ref)
    if not isinstance(d, Ref) or len(w.lengths) != d.ndim:
        raise InternalError(f"{n.ref} cannot be bound to {n.source}")
    numbers = [(f"{name}_n{k}", length) for k, length in enumerate(w.lengths)]
    if d.order == "A":
        numbers += [(f"{name}_s{k}", s) for k, s in enumerate(w.strides)]
    changed = re.compile(rf"\b{name}(_[ns]\d+)?\b")
    take = "" if n.ref in cx.borrowers else f"{name}_own.take(sol_retain({memory.owner(n.source.data)}));"
    if not any(changed.search(str(t)) for t in (w.first, *w.lengths, *w.strides)):
        if take:
            cx.out.line(take)
        cx.out.line(f"{name} = {w.first};")
        for target, text in numbers:
            cx.out.line(f"{target} = {text};")
        return
    with cx.out.block():
        pointer = cx.names.fresh(f"{n.ref}_new")
        cx.out.line(f"{cpp_type(d.dtype)}* const {pointer} = {w.first};")
        new = [(target, cx.names.fresh(target), text) for target, text in numbers]
        for _, local, text in new:
            cx.out.line(f"const int64_t {local} = {text};")
        if take:
            cx.out.line(take)
        cx.out.line(f"{name} = {pointer};")
        for target, local, _ in new:
            cx.out.line(f"{target} = {local};")
