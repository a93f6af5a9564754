"""Nodes as C++ statements.

A map is a loop nest; its schedule says which loops run on threads and which are vectorized. Sums of floats into a place that a
loop does not move are made of blocks with one accumulator each, combined pairwise (`reduce.h`): at least as accurate as
NumPy's sums and the same for a given number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from soljit.base.errors import InternalError
from soljit.codegen import calls, parallel, placement
from soljit.codegen.context import Context, cpp_type
from soljit.codegen.expressions import index, value
from soljit.codegen.memory import Memory
from soljit.codegen.text import Text
from soljit.ir import nodes
from soljit.ir.data import Array, Ref, Scalar
from soljit.ir.expr import Expr, Load, Memlet, Range, subexpressions, symbols
from soljit.ir.types import DType


def memory(cx: Context) -> Memory:
    """The places of a context."""
    assert isinstance(cx.places, Memory)
    return cx.places


def statements(cx: Context, region: nodes.Region) -> None:
    """All nodes of a region, in order."""
    for n in region.nodes:
        statement(cx, n)


def statement(cx: Context, n: nodes.Node) -> None:
    """One node."""
    if not isinstance(n, nodes.Region):
        cx.out.mark(n.loc)
    match n:
        case nodes.Region():
            statements(cx, n)
        case nodes.Let():
            cx.out.line(f"const {cpp_type(n.value.dtype)} {cx.names.symbol(n.name)} = {_value(cx, n.value)};")
        case nodes.Tasklet():
            _tasklet(cx, n)
        case nodes.Alloc():
            memory(cx).alloc(n.data, n.zero, n.loc)
        case nodes.Map():
            _map(cx, n)
        case nodes.Loop():
            _loop(cx, n)
        case nodes.While():
            with cx.out.block(f"while ({value(cx, n.cond)})"):
                statements(cx, n.body)
        case nodes.Branch():
            _branch(cx, n)
        case nodes.Break():
            cx.out.line("break;")
        case nodes.Continue():
            cx.out.line("continue;")
        case nodes.Raise():
            _raise(cx, n)
        case nodes.Return():
            calls.emit_return(cx, n)
        case nodes.Bind():
            calls.bind(cx, n)
        case nodes.Copy():
            _copy(cx, n)
        case nodes.LibraryNode():
            calls.library(cx, n)
        case nodes.Callback():
            calls.callback(cx, n)
        case nodes.Call():
            calls.call(cx, n)
        case _:
            raise InternalError(f"unknown node {n!r}")


def _value(cx: Context, e: Expr) -> Text:
    """Index arithmetic stays plain; other i64 values wrap."""
    return value(cx, e)


# --- tasklets ---------------------------------------------------------------------------------------------------------


def combined(cx: Context, wcr: str, old: str, new: Text, t: DType) -> str:
    """The value of `old` combined with `new`."""
    from soljit.codegen.expressions import apply

    names = {"add": "add", "mul": "mul", "min": "min", "max": "max", "land": "land", "lor": "lor", "band": "band", "bor": "bor", "bxor": "bxor"}
    cx.tables.uses(t)
    if t.kind == "b" and wcr in ("add", "mul"):
        names = {"add": "lor", "mul": "land"}
    if t.name == "f16":
        inner = apply(cx, names[wcr], [Text(f"(float){old}", 4), Text(f"(float){new.at(4)}", 4)], _F32)
        return f"sol_f16({inner})"
    return str(apply(cx, names[wcr], [Text(old), new], t))


_F32 = DType("f32", "f", 4)


def _tasklet(cx: Context, n: nodes.Tasklet) -> None:
    acc = next((a for a in reversed(cx.accumulators) if a.target == n.out), None)
    code = value(cx, n.code)
    if acc is not None:
        assert n.out.wcr is not None
        cx.out.line(f"{acc.variable} = {combined(cx, n.out.wcr, acc.variable, code, n.code.dtype)};")
        return
    target = str(memory(cx).element(n.out))
    if n.out.wcr is None:
        cx.out.line(f"{target} = {code};")
    else:
        cx.out.line(f"{target} = {combined(cx, n.out.wcr, target, code, n.code.dtype)};")


# --- loops ------------------------------------------------------------------------------------------------------------


def head(cx: Context, var: str, span: Range) -> str:
    """The `for` of a range."""
    start, stop, step = index(cx, span.start), index(cx, span.stop), index(cx, span.step)
    v = cx.names.symbol(var)
    if step.text.lstrip("-").isdigit():
        k = int(step.text)
        turn = f"++{v}" if k == 1 else f"--{v}" if k == -1 else f"{v} += {k}"
        return f"for (int64_t {v} = {start}; {v} {'<' if k > 0 else '>'} {stop}; {turn})"
    s = cx.names.fresh(f"{var}_step")
    e = cx.names.fresh(f"{var}_stop")
    return f"for (int64_t {v} = {start}, {e} = {stop}, {s} = {step}; {s} > 0 ? {v} < {e} : {v} > {e}; {v} += {s})"


def _loop(cx: Context, n: nodes.Loop) -> None:
    span = n.span
    stop = index(cx, span.stop)
    if any(isinstance(x, Load) for x in subexpressions(span.stop)):  # evaluated once
        name = cx.names.fresh(f"{n.var}_stop")
        cx.out.line(f"const int64_t {name} = {stop};")
        v = cx.names.symbol(n.var)
        step = index(cx, span.step).text
        if step.lstrip("-").isdigit():
            sign = "<" if int(step) > 0 else ">"
            with cx.out.block(f"for (int64_t {v} = {index(cx, span.start)}; {v} {sign} {name}; {v} += {step})"):
                statements(cx, n.body)
            return
    with cx.out.block(head(cx, n.var, span)):
        statements(cx, n.body)


def _map(cx: Context, n: nodes.Map) -> None:
    cx.in_map += 1
    threads = 0
    while threads < len(n.schedule) and n.schedule[threads] == "omp":
        threads += 1
    if threads and cx.exit_label is None and parallel.possible(cx, n, threads):
        parallel.emit(cx, n, threads)
    else:
        nest(cx, n, 0)
    cx.in_map -= 1


def nest(cx: Context, n: nodes.Map, depth: int) -> None:
    """The loops of a map from dimension `depth` inwards."""
    if depth == len(n.vars):
        placement.declare_locals(cx, n)
        statements(cx, n.body)
        return
    if depth == len(n.vars) - 1:
        _innermost(cx, n, depth)
        return
    with cx.out.block(head(cx, n.vars[depth], n.spans[depth])):
        nest(cx, n, depth + 1)


def reductions(n: nodes.Map, var: str) -> list[nodes.Tasklet]:
    """Tasklets at the top of the body that combine into a place that `var` does not move and the body does not read otherwise."""
    local = {x.name for x in n.body.nodes if isinstance(x, nodes.Let)}
    found = []
    for x in n.body.nodes:
        if isinstance(x, nodes.Tasklet) and x.out.wcr is not None:
            used = set().union(*(symbols(e) for e in x.out.children)) if x.out.children else set()
            loads = any(isinstance(y, Load) for e in x.out.children for y in subexpressions(e))
            if var in used or used & local or loads or _touched(n.body, x):
                continue
            found.append(x)
    return found


def _touched(body: nodes.Region, t: nodes.Tasklet) -> bool:
    """Is the container of `t` read or written by anything else in the body?"""
    from soljit.ir.effects import data_used

    return any(t.out.data in data_used(x) for x in body.nodes if x is not t) or any(
        isinstance(y, Load) and y.memlet.data == t.out.data for y in subexpressions(t.code)
    )


def _innermost(cx: Context, n: nodes.Map, depth: int) -> None:
    var, span = n.vars[depth], n.spans[depth]
    found = [t for t in reductions(n, var) if not _is_shared(cx, t, n)]
    simd = len(n.schedule) == len(n.vars) and n.schedule[depth] == "simd"
    if not found:
        if simd and _vectorizable(n.body):
            cx.out.line("SOL_IVDEP")
        with cx.out.block(head(cx, var, span)):
            placement.declare_locals(cx, n)
            statements(cx, n.body)
        return
    _reduce(cx, n, depth, found)


def _is_shared(cx: Context, t: nodes.Tasklet, n: nodes.Map) -> bool:
    """Is the target private to an iteration?"""
    return t.out.data in n.private or t.out.data in placement.locals_of(cx, n)


def _vectorizable(body: nodes.Region) -> bool:
    return all(isinstance(x, (nodes.Let, nodes.Tasklet, nodes.Branch)) for x in body.nodes)


def _reduce(cx: Context, n: nodes.Map, depth: int, found: Sequence[nodes.Tasklet]) -> None:
    """An innermost loop that reduces: local accumulators, blocks for sums of floats."""
    from soljit.codegen.context import Accumulator

    var, span = n.vars[depth], n.spans[depth]
    blocked = all(t.out.wcr == "add" and t.code.dtype.name in ("f32", "f64") for t in found) and index(cx, span.step).text == "1"
    accumulators = []
    with cx.out.block():
        for t in found:
            name = cx.names.fresh(f"{t.out.data}_acc")
            accumulators.append(Accumulator(t.out, "", name))
        if not blocked:
            for t, a in zip(found, accumulators):
                cx.out.line(f"{cpp_type(t.code.dtype)} {a.variable} = {memory(cx).element(t.out)};")
            cx.accumulators += accumulators
            with cx.out.block(head(cx, var, span)):
                placement.declare_locals(cx, n)
                statements(cx, n.body)
            del cx.accumulators[-len(accumulators) :]
            for t, a in zip(found, accumulators):
                cx.out.line(f"{memory(cx).element(t.out)} = {a.variable};")
        else:
            _blocked(cx, n, depth, found, accumulators)


def _blocked(cx: Context, n: nodes.Map, depth: int, found: Sequence[nodes.Tasklet], accumulators: Sequence[object]) -> None:
    from soljit.codegen.context import Accumulator

    cx.tables.headers.add("reduce")
    var, span = n.vars[depth], n.spans[depth]
    v, end, stop = cx.names.symbol(var), cx.names.fresh("block_end"), cx.names.fresh("block_stop")
    start = cx.names.fresh("block")
    sums = []
    accs = [a for a in accumulators if isinstance(a, Accumulator)]
    for t, a in zip(found, accs):
        s = cx.names.fresh(f"{t.out.data}_sum")
        sums.append(s)
        cx.out.line(f"sol_cascade<{cpp_type(t.code.dtype)}> {s};")
    cx.out.line(f"const int64_t {stop} = {index(cx, span.stop)};")
    with cx.out.block(f"for (int64_t {start} = {index(cx, span.start)}; {start} < {stop}; {start} += SOL_BLOCK)"):
        cx.out.line(f"const int64_t {end} = {stop} - {start} < SOL_BLOCK ? {stop} : {start} + SOL_BLOCK;")
        for t, a in zip(found, accs):
            cx.out.line(f"{cpp_type(t.code.dtype)} {a.variable} = 0;")
        if _vectorizable(n.body):
            cx.out.line(f"#pragma omp simd reduction(+ : {', '.join(a.variable for a in accs)})")
        cx.accumulators += accs
        with cx.out.block(f"for (int64_t {v} = {start}; {v} < {end}; ++{v})"):
            placement.declare_locals(cx, n)
            statements(cx, n.body)
        del cx.accumulators[-len(accs) :]
        for s, a in zip(sums, accs):
            cx.out.line(f"{s}.push({a.variable});")
    for t, s in zip(found, sums):
        target = memory(cx).element(t.out)
        cx.out.line(f"{target} = {target} + {s}.total();")


# --- control flow -----------------------------------------------------------------------------------------------------


def _branch(cx: Context, n: nodes.Branch) -> None:
    raises = any(isinstance(x, nodes.Raise) for x in n.then.nodes)
    cond = f"SOL_UNLIKELY({value(cx, n.cond)})" if raises else str(value(cx, n.cond))
    with cx.out.block(f"if ({cond})", "}" if not n.orelse.nodes else "} else {"):
        statements(cx, n.then)
    if n.orelse.nodes:
        cx.out.level += 1
        statements(cx, n.orelse)
        cx.out.level -= 1
        cx.out.line("}")


def _raise(cx: Context, n: nodes.Raise) -> None:
    place = cx.tables.raising(n.exception, n.message, tuple(e.dtype for e in n.operands), n.loc)
    word = 0
    for e in n.operands:
        cx.out.line(f"sol_put<{cpp_type(e.dtype)}>(frame->operands + {word}, {value(cx, e)});")
        word += 2 if e.dtype.name == "c128" else 1
    cx.out.line(f"return frame->place = {place}, SOL_RAISE;")


def _copy(cx: Context, n: nodes.Copy) -> None:
    dst, src = memory(cx).window(n.dst), memory(cx).window(n.src)
    subscripts = []
    for k, length in enumerate(dst.lengths):
        v = cx.names.fresh(f"c{k}")
        subscripts.append(Text(v))
        cx.out.line("  " * k + f"for (int64_t {v} = 0; {v} < {length}; ++{v})")
    cx.out.line("  " * len(subscripts) + f"{dst.at(subscripts)} = {src.at(subscripts)};")


__all__ = ["Array", "Memlet", "Ref", "Scalar", "memory", "nest", "reductions", "statement", "statements"]
