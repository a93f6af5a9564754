"""Maps on threads: the outer iterations are cut into one contiguous piece per thread.

Reductions into elements that all loops leave in place get one partial result per thread, combined in the order of the threads, so
that the result is the same from run to run for a given number of threads. Other elements of arrays are combined in place: the
pass that chose the schedule has made sure that different iterations combine different ones.

Which they are, how many loops are cut, and whether the region watches whether threads pay at present (openmp.h), says the map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from soljit.analysis.loops.map_reductions import Reduction, reductions
from soljit.analysis.loops.sums import accumulated
from soljit.base.records import dataclass
from soljit.codegen.loops import looks
from soljit.codegen.loops.profile import team
from soljit.codegen.loops.shared_values import share_copies
from soljit.codegen.memory.combine import combine, cpp_accumulator, identity
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.arithmetic import product, total
from soljit.codegen.spelling.expressions import index, value
from soljit.codegen.writing.context import Accumulator, Context
from soljit.codegen.writing.text import Text
from soljit.ir.core.expr import Expr, Range, Sym, subexpressions
from soljit.ir.core.libraries import CALLS_BLAS
from soljit.ir.core.nodes import Alloc, Call, Callback, LibraryNode, Map, Program
from soljit.ir.symbolic import add, mul
from soljit.ir.walk import exprs, walk

LONG = 90  # expressions in the iterations of a region within a loop


@dataclass(frozen=True)
class Plan:
    """How many outer loops are cut, and which reductions get partial results."""

    threads: int
    partial: tuple[Reduction, ...]


def _plan(cx: Context, m: Map) -> Plan:
    found = {r.target: r for r in reductions(cx.program, cx.homes, m)}
    return Plan(m.schedule.count("threads"), tuple(found[w] for w in m.parts))


def emit(cx: Context, m: Map, nest: Callable[[Map, int], None]) -> None:
    """The parallel region around `nest`."""
    p = _plan(cx, m)
    cx.tables.headers.add("openmp")
    cx.tables.openmp = True
    out = cx.out
    with out.block():
        counts = [cx.names.fresh(f"{v}_count") for v in m.vars[: p.threads]]
        for name, span in zip(counts, m.spans):
            out.line(f"const int64_t {name} = {memory_of(cx).length(span)};")
        total_ = " * ".join(counts)
        many = cx.names.fresh("threads")
        watch = ""
        if m.when is None:
            out.line(f"const int {many} = sol_threads({total_});")
        elif m.watched:
            least, work = m.threshold
            watch, size = cx.names.fresh("watch"), cx.names.fresh("work")
            out.line(f"const int64_t {size} = {value(cx, work)};")
            out.line(f"sol_watch {watch}({value(cx, least)}, {size});")
            out.line(f"const int {many} = {watch}.threads({total_});")
        else:
            out.line(f"const int {many} = ({value(cx, m.when)}) ? sol_threads({total_}) : 1;")
        if _one_text(cx, m, p):
            _team(cx, m, p, nest, counts, many, watch, alone=True)
        else:
            with out.block(f"if ({many} > 1)"):
                _team(cx, m, p, nest, counts, many, watch)
            with out.block("else"):  # no threads to start: the loops as they are
                nest(m, 0)
        if watch:
            out.line(f"{watch}.end({many});")


def _one_text(cx: Context, m: Map, p: Plan) -> bool:
    """Tell whether one thread runs the text of the team, as a team of one: it gives the same bits, and what it takes to enter the region (the
    shared variables go through memory) does not count, because that happens once a call, or the iterations take long.
    """
    if p.threads > 1 or not all(r.blocked or r.dtype.kind in "biu" for r in p.partial):
        return False
    return not cx.in_loop or sum(1 for e in exprs(m) for _ in subexpressions(e)) > LONG


@lru_cache(maxsize=1)  # asked for each parallel loop of one program after the other
def _calls_python(program: Program) -> bool:
    return any(isinstance(n, Callback) for n in walk(program.body))


def _calls_blas(cx: Context, m: Map) -> bool:
    """Tell whether threads of the team may call NumPy's BLAS, which then takes one thread for each of them."""
    called = {n.function for n in walk(m.body) if isinstance(n, Call)}
    called.update(*map(cx.tables.reached, called))
    bodies = [m.body, *(cx.tables.functions[f].body for f in called)]
    calls = (n for body in bodies for n in walk(body) if isinstance(n, LibraryNode))
    return any(n.op in CALLS_BLAS and "loops" not in n.attrs for n in calls)


def _team(
    cx: Context,
    m: Map,
    p: Plan,
    nest: Callable[[Map, int], None],
    counts: list[str],
    many: str,
    watch: str,
    alone: bool = False,
) -> None:
    """Every thread of the team does its piece, then the partial results are combined."""
    out = cx.out
    parts = [cx.names.fresh(f"{r.target.data}_parts") for r in p.partial]
    for name, r in zip(parts, p.partial):
        cx.tables.uses(r.dtype)
        out.line(f"{cpp_accumulator(r.dtype, r.wcr)} {name}[SOL_MAX_THREADS];")
        start = identity(r.wcr, accumulated(r.dtype, r.wcr))
        out.line(f"sol_begin_parts<{cpp_accumulator(r.dtype, r.wcr)}>({name}, {many}, {start});")
    fails = any(isinstance(n, Alloc) for n in walk(m.body))
    failed = cx.names.fresh("failed")
    if fails:
        out.line(f"int32_t {failed} = SOL_OK;")
    if _calls_python(cx.program):
        out.line(f"if ({many} > 1) services->let_go(frame);" if alone else "services->let_go(frame);")
    if _calls_blas(cx, m):
        few = f"{many} > 1 ? 1 : 0" if alone else "1"
        out.line(f"const sol_few_threads {cx.names.fresh('few')}({cx.tables.blas_threads()}, {few});")
    own = share_copies(cx, m)
    own += [piece] if (piece := team(cx, many)) else []
    out.line(f"#pragma omp parallel num_threads({many})")
    with out.block():
        for line in own:
            out.line(line)
        _piece(cx, m, p, nest, counts, parts, failed if fails else "", watch, many if alone else "")
    if looks.are_in(cx, m):
        looks.after_region(cx)
    if fails:
        out.line(f"if (SOL_UNLIKELY({failed} != SOL_OK)) return {failed};")
    for name, r in zip(parts, p.partial):
        t = cx.names.fresh("t")
        with out.block(f"for (int {t} = 0; {t} < {many}; ++{t})"):
            combine(cx, r.target, Text(f"{name}[{t}]"), r.dtype)
            out.line(f"SOL_ONE_BY_ONE({t});")


def _piece(
    cx: Context,
    m: Map,
    p: Plan,
    nest: Callable[[Map, int], None],
    counts: list[str],
    parts: list[str],
    failed: str,
    watch: str,
    many: str,
) -> None:
    """What one thread does."""
    out = cx.out
    me, team = cx.names.fresh("thread"), cx.names.fresh("team")
    if many:
        out.line(f"const int {me} = {many} > 1 ? sol_thread() : 0, {team} = {many} > 1 ? sol_team() : 1;")
    else:
        out.line(f"const int {me} = sol_thread(), {team} = sol_team();")
    first, last = cx.names.fresh(f"{m.vars[0]}_first"), cx.names.fresh(f"{m.vars[0]}_last")
    whole = " * ".join(counts)
    out.line(
        f"const int64_t {first} = sol_piece({whole}, {me}, {team}), {last} = sol_piece({whole}, {me} + 1, {team});"
    )
    if watch:
        out.line(f"{watch}.begin({me});")
    around = cx.exit_label, cx.leave, cx.thread, cx.left
    label = cx.names.fresh("leave") if failed or looks.are_in(cx, m) else ""
    if looks.are_in(cx, m):
        cx.left = cx.names.fresh("left")
        out.line(f"int64_t {cx.left} = SOL_LOOK;")
    cx.exit_label = f"{failed} = SOL_RAISE; goto {label};" if failed else ""
    cx.leave, cx.thread = label, cx.thread or me
    locals_ = [_local(cx, r, p.threads > 1) for r in p.partial]
    cx.accumulators += locals_
    with out.block():
        if p.threads == 1:
            nest(replace(m, spans=(_cut(cx, m.spans[0], first, last), *m.spans[1:])), 0)
        else:
            _collapsed(cx, m, p.threads, counts, first, last, nest)
    if locals_:
        del cx.accumulators[-len(locals_) :]
    cx.exit_label, cx.leave, cx.thread, cx.left = around
    if label:
        out.line(f"{label}:;")
    for a, name in zip(locals_, parts):
        out.line(f"{name}[{me}] = {a.text}{'.total()' if a.kind == 'push' else ''};")
    if watch:
        out.line(f"{watch}.finish({me});")


def _local(cx: Context, r: Reduction, many: bool) -> Accumulator:
    name = cx.names.fresh(f"{r.target.data}_part")
    t = cpp_accumulator(r.dtype, r.wcr)
    if many and r.blocked and r.wcr == "add":
        cx.tables.headers.add("reduce")
        cx.out.line(f"sol_cascade<{t}> {name};")
        return Accumulator(r.target, "push", name)
    cx.out.line(f"{t} {name} = {identity(r.wcr, accumulated(r.dtype, r.wcr))};")
    return Accumulator(r.target, "variable", name)


def _cut(cx: Context, span: Range, first: str, last: str) -> Range:
    """Iterations `first`… below `last` of `span`."""
    cx.names.adopt(first)
    cx.names.adopt(last)

    def at(name: str) -> Expr:
        return add(span.start, mul(Sym(name), span.step))

    return Range(at(first), at(last), span.step)


def _collapsed(
    cx: Context, m: Map, threads: int, counts: list[str], first: str, last: str, nest: Callable[[Map, int], None]
) -> None:
    """One loop over all iterations of several loops."""
    q = cx.names.fresh("q")
    look = looks.before(cx, m.body, threads - 1)
    with cx.out.block(f"for (int64_t {q} = {first}; {q} < {last}; ++{q})"), looks.iteration(cx, look, m.body):
        rest = Text(q)
        for k in range(threads - 1, -1, -1):
            place = rest if k == 0 else Text(f"{rest.at(3)} % {counts[k]}", 3)
            span = m.spans[k]
            at = total(index(cx, span.start), product(place, index(cx, span.step)))
            cx.out.line(f"const int64_t {cx.names.symbol(m.vars[k])} = {at};")
            rest = Text(f"{rest.at(3)} / {counts[k]}", 3)
        nest(m, threads)
