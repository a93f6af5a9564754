"""Values that a parallel region uses and that C++ hands to threads by address: structures, and bools whose bits are asked for.

Memory whose address has left the function may change at every store, in the loops of one thread, too: what a loop divides by would be read again
for each element. So the threads are given a copy that nothing else uses, and each of them makes one of its own, under the name that the loops use.
"""

from __future__ import annotations

from soljit.codegen.memory.placement import local_names
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Load, Op, Sym, subexpressions
from soljit.ir.core.nodes import Map
from soljit.ir.core.types import DType, b1
from soljit.ir.walk import data_written, exprs, symbols_defined, walk


def share_copies(cx: Context, m: Map) -> list[str]:
    """Declare the copies that the threads of a region around `m` share, and return the declarations that each thread begins with."""
    own = []
    for name, kind in sorted(_by_address(cx, m)):
        shared = cx.names.fresh(f"{name}_shared")
        cx.out.line(f"const {kind} {shared} = {name};")
        own.append(f"const {kind} {name} = {shared};")
    return own


def _by_address(cx: Context, m: Map) -> set[tuple[str, str]]:
    """Their C++ names and types."""
    found = set()
    defined = symbols_defined(m)
    inside = data_written(m).union(*(local_names(cx, x) for x in walk(m) if isinstance(x, Map)))
    for x in (x for e in exprs(m) for x in subexpressions(e)):
        if isinstance(x, Op) and x.name in ("floordiv", "mod") and x.args[1] in cx.divisors:
            found.add((cx.divisors[x.args[1]], "sol_divisor"))
        elif isinstance(x, Sym) and _is_structure(x.dtype) and x.name not in defined:
            found.add((cx.names.symbol(x.name), cpp_type(x.dtype)))
        elif isinstance(x, Load) and isinstance(cx.data(x.memlet.data), Scalar) and x.memlet.data not in inside:
            if _is_structure(x.dtype) or x.dtype == b1:
                found.add((cx.names.data(x.memlet.data), cpp_type(x.dtype)))
    return found


def _is_structure(t: DType) -> bool:
    return t.kind == "c" or t.name == "f16"
