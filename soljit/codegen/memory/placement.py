"""Where mutable scalars, array variables and arrays on the stack are declared: in the body of the map to whose iterations they belong
(`analysis/memory/homes.py`), else at the top of the function.
"""

from __future__ import annotations

from soljit.analysis.memory.homes import of_iteration
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.nodes import Map


def local_names(cx: Context, m: Map) -> set[str]:
    """Containers that every iteration of `m` has for itself."""
    return of_iteration(cx.homes, m)


def declare_locals(cx: Context, m: Map | None) -> None:
    """Declare what belongs to an iteration of `m`, or to the function."""
    for name in cx.homes.get(0 if m is None else id(m.body), ()):
        d = cx.data(name)
        match d:
            case Scalar():
                cx.tables.uses(d.dtype)
                cx.out.line(f"{cpp_type(d.dtype)} {cx.names.data(name)};")
            case Ref(storage="cuda"):
                pass  # declared behind the session (`codegen/device/offload.py`)
            case Ref():
                memory_of(cx).declare_ref(name)
            case Array():
                memory_of(cx).alloc(name, False, cx.program.loc)
