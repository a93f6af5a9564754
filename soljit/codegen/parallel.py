"""Maps on threads: the outer iterations are cut into one contiguous piece per thread.

Reductions into scalars that live outside get one partial result per thread, combined in the order of the threads, so that the result
is the same from run to run for a given number of threads.
"""

from __future__ import annotations

from soljit.codegen import statements as st
from soljit.codegen.context import Context, cpp_type
from soljit.codegen.expressions import index, value
from soljit.ir import nodes
from soljit.ir.data import Array, Scalar
from soljit.ir.effects import data_written
from soljit.ir.expr import Const, Memlet, symbols
from soljit.ir.tree import walk
from soljit.ir.types import DType

_START = {"add": 0, "mul": 1, "land": True, "lor": False, "bor": 0, "bxor": 0, "band": -1}


def _outer_reductions(cx: Context, n: nodes.Map) -> dict[str, tuple[str, DType]] | None:
    """Scalars from outside that the map reduces into: name → (wcr, dtype); None if something else forbids threads."""
    from soljit.codegen.placement import locals_of

    inside: set[str] = set(n.private)
    for m in walk(n):
        if isinstance(m, nodes.Map):
            inside |= locals_of(cx, m) | set(m.private)
    allocated = {a.data for a in walk(n) if isinstance(a, nodes.Alloc)}
    out: dict[str, tuple[str, DType]] = {}
    for x in walk(n.body):
        if isinstance(x, (nodes.Callback, nodes.Call, nodes.Bind, nodes.Return, nodes.Raise)):
            return None
        if not isinstance(x, nodes.Tasklet):
            continue
        d = cx.data(x.out.data)
        if isinstance(d, Scalar) and x.out.data not in inside:
            if x.out.wcr is None or x.code.dtype.is_complex or x.code.dtype.name == "f16":
                return None
            if out.setdefault(x.out.data, (x.out.wcr, x.code.dtype))[0] != x.out.wcr:
                return None
    if any(a in cx.escaping for a in allocated):
        return None
    return out


def possible(cx: Context, n: nodes.Map, threads: int) -> bool:
    """Can the outer `threads` dimensions run on threads? What the pass proved, but for writes that several iterations combine."""
    found = _outer_reductions(cx, n)
    if found is None:
        return False
    from soljit.codegen.placement import locals_of

    allocated = {a.data for a in walk(n) if isinstance(a, nodes.Alloc)} | set(n.private) | locals_of(cx, n)
    outer = set(n.vars[:threads])
    for x in walk(n.body):
        if isinstance(x, nodes.Tasklet) and x.out.wcr is not None and isinstance(cx.data(cx.root(x.out.data)), Array):
            used = set().union(*(symbols(e) for e in x.out.children)) if x.out.children else set()
            if cx.root(x.out.data) not in allocated and not outer <= used:
                return False
    written = data_written(n.body)
    return not any(name in found and name in written and isinstance(cx.data(name), Array) for name in found)


def identity(cx: Context, wcr: str, t: DType) -> str:
    """The start of a partial result."""
    from soljit.codegen.literals import literal

    if wcr in ("min", "max"):
        if t.kind == "b":
            return "true" if wcr == "min" else "false"
        if t.is_int:
            return literal(Const(t.highest if wcr == "min" else t.lowest, t))
        return literal(Const(float("inf") if wcr == "min" else float("-inf"), t))
    if wcr == "band" and t.kind == "u":
        return literal(Const(t.highest, t))
    if t.kind == "b":
        return "true" if wcr in ("land", "mul", "band") else "false"
    return literal(Const(_START[wcr], t))


def emit(cx: Context, n: nodes.Map, threads: int) -> None:
    """The parallel region."""
    cx.tables.headers.add("openmp")
    cx.tables.openmp = True
    out = cx.out
    partials = _outer_reductions(cx, n) or {}
    with out.block():
        total = cx.names.fresh("total")
        sizes = []
        for k in range(threads):
            size = cx.names.fresh(f"{n.vars[k]}_count")
            sizes.append(size)
            out.line(f"const int64_t {size} = {st.memory(cx).length(n.spans[k])};")
        out.line(f"const int64_t {total} = {' * '.join(sizes)};")
        when = "true" if n.when is None else str(value(cx, n.when))
        many = cx.names.fresh("threads")
        out.line(f"const int {many} = {total} > 1 && ({when}) ? sol_threads() : 1;")
        arrays = {}
        for name, (wcr, t) in partials.items():
            arrays[name] = cx.names.fresh(f"{name}_parts")
            out.line(f"{cpp_type(t)} {arrays[name]}[SOL_MAX_THREADS];")
            out.line(f"for (int k = 0; k < SOL_MAX_THREADS; ++k) {arrays[name]}[k] = {identity(cx, wcr, t)};")
        failed = cx.names.fresh("failed")
        out.line(f"int32_t {failed} = 0;")
        out.line(f"#pragma omp parallel num_threads({many}) if ({many} > 1)")
        with out.block():
            me = cx.names.fresh("thread")
            out.line(f"const int {me} = sol_thread();")
            lo, hi, q = cx.names.fresh("first"), cx.names.fresh("last"), cx.names.fresh("q")
            out.line(f"const int64_t {lo} = sol_piece({total}, {me}, sol_team()), {hi} = sol_piece({total}, {me} + 1, sol_team());")
            label = cx.names.fresh("leave")
            cx.exit_label = f"{failed} = 1; goto {label};"
            saved = {name: cx.names.data(name) for name in partials}
            for name, (wcr, t) in partials.items():
                local = cx.names.fresh(name)
                out.line(f"{cpp_type(t)} {local} = {identity(cx, wcr, t)};")
                cx.names.rename(name, local)
            with out.block(f"for (int64_t {q} = {lo}; {q} < {hi}; ++{q})"):
                rest = q
                for k in range(threads - 1, -1, -1):
                    span = n.spans[k]
                    position = rest if k == 0 else f"({rest}) % {sizes[k]}"
                    start, step = index(cx, span.start), index(cx, span.step)
                    v = cx.names.symbol(n.vars[k])
                    out.line(f"const int64_t {v} = {start.at(2)} + ({position}) * {step.at(3)};")
                    rest = f"{rest} / {sizes[k]}"
                st.nest(cx, n, threads)
            for name in partials:
                out.line(f"{arrays[name]}[{me}] = {cx.names.data(name)};")
                cx.names.rename(name, saved[name])
            cx.exit_label = None
            out.level -= 1
            out.line(f"{label}:;")
            out.level += 1
        out.line(f"if (SOL_UNLIKELY({failed})) return SOL_RAISE;")
        for name, (wcr, t) in partials.items():
            target = str(st.memory(cx).element(Memlet(name)))
            from soljit.codegen.text import Text

            code = st.combined(cx, wcr, target, Text(f"{arrays[name]}[k]"), t)
            out.line(f"for (int k = 0; k < {many}; ++k) {target} = {code};")
