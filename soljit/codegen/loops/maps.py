"""Maps as loop nests.

Reductions go through locals while the loops run; sums of floats, minima and maxima are computed in blocks (`blocks.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from soljit.analysis.loops.map_reductions import Reduction, reductions, widest
from soljit.analysis.loops.sums import accumulated
from soljit.codegen.loops import looks, parallel, shared_nests
from soljit.codegen.loops.blocks import emit_blocks
from soljit.codegen.loops.call_strips import Call, calls_of, emit_calls, is_all, using, whole_loop
from soljit.codegen.loops.divisors import with_divisors
from soljit.codegen.loops.nests import Emit, Nest, loop_head, pragma, steady
from soljit.codegen.loops.whole_vectors import emit_vectors, lanes
from soljit.codegen.memory.combine import combine, cpp_accumulator, identity
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.memory.placement import declare_locals
from soljit.codegen.spelling.expressions import index
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Accumulator, Context
from soljit.codegen.writing.text import PRODUCT, SUM, UNARY, Text
from soljit.ir.core.nodes import Map
from soljit.ir.core.types import b1
from soljit.ir.walk import is_straight

_COUNTED = {8: 192, 16: 1 << 15, 32: 1 << 30}  # truth values that are counted in integers of so many bits


def emit_map(cx: Context, m: Map, region: Emit) -> None:
    """A map, on threads if its schedule says so."""
    cx.in_map += 1
    with with_divisors(cx, m):
        if "threads" in m.schedule:
            parallel.emit(cx, m, lambda inner, depth: nest(cx, inner, depth, region))
        else:
            nest(cx, m, 0, region)
    cx.in_map -= 1


def nest(cx: Context, m: Map, first: int, region: Emit) -> None:
    """The loops of `m` from dimension `first` inwards, and its body."""
    found = [replace(r, level=max(r.level, first)) for r in reductions(cx.program, cx.homes, m)]
    found = [r for r in found if r.level < len(m.vars)]
    blocked = [r for r in found if r.blocked] if m.blocks is not None else []
    plain = [r for r in found if r not in blocked]
    flat = max(first, len(m.vars) - (m.blocks or 0))
    with shared_nests.candidate(cx, m, first, found):
        _loops(Nest(cx, m, first, region, plain, blocked, flat), first)


def _loops(n: Nest, depth: int) -> None:
    with _accumulators(n, depth):
        if depth == n.last:
            _body(n, n.blocked if n.flat == n.last else [])
        elif depth == n.flat:
            emit_blocks(n)
        else:
            span = n.map.spans[depth]
            start = index(n.cx, span.start)
            stop, step = (
                steady(n.cx, n.map.vars[depth], "stop", span.stop),
                steady(n.cx, n.map.vars[depth], "step", span.step),
            )
            straight = depth == n.last - 1 and is_straight(n.map.body)
            look = looks.before(n.cx, n.map.body, depth, "4 * SOL_PIECE" if straight else "")
            if depth < n.last - 1:
                with (
                    n.cx.out.block(loop_head(n.cx, n.map.vars[depth], start, stop, step)),
                    looks.iteration(n.cx, look, n.map.body),
                ):
                    _loops(n, depth + 1)
                return
            with (
                _otherwise(n, depth, start, stop),
                _pieces(n, look, start, stop, step) as (start, stop),
                _counted(n, start, stop, step) as (start, stop),
            ):
                calls = calls_of(n.cx, n.map) if step.text == "1" else ()
                if calls:
                    _in_strips(n, calls, start, stop)
                    return
                if step.text == "1" and (count := lanes(n)):
                    emit_vectors(n, start, stop, count, lambda: _loops(n, depth + 1))
                    return
                pragma(n.cx, n.map, n.map.vars[depth])
                with (
                    n.cx.out.block(loop_head(n.cx, n.map.vars[depth], start, stop, step)),
                    looks.iteration(n.cx, "" if straight else look, n.map.body),
                ):
                    _loops(n, depth + 1)


@contextmanager
def _otherwise(n: Nest, depth: int, start: Text, stop: Text) -> Iterator[None]:
    """What is done where a loop that may end early has more than a few iterations. A few are done one by one."""
    cx, m = n.cx, n.map
    if not (m.few and m.until):
        yield
        return
    goes_on = next(
        f"{r.undecided}{a.text}"
        for a in cx.accumulators
        for r in n.plain
        if a.target == r.target and r.target in m.until
    )
    cx.tables.headers.add("reduce")
    var = cx.names.symbol(m.vars[-1])
    head = f"for (int64_t {var} = {start}; {var} < {stop.at(SUM)} && {goes_on}; ++{var})"
    with cx.out.block(f"if ({stop.at(SUM)} - {start.at(PRODUCT)} < SOL_SINGLY)"), cx.out.block(head):
        _loops(n, depth + 1)
    with cx.out.block("else"):
        yield


def _in_strips(n: Nest, calls: tuple[Call, ...], start: Text, stop: Text) -> None:
    """The innermost loop, a strip at a time: first the calls, then what is done with them."""
    cx, var = n.cx, n.map.vars[-1]
    cx.tables.headers.add("vector")
    first, count, k = (cx.names.fresh(x) for x in (f"{var}_first", "count", "k"))

    def iteration() -> None:
        cx.out.line(f"const int64_t {cx.names.symbol(var)} = {first} + {k};")

    whole = whole_loop(cx, n.map, calls)
    strip = f"{stop.at(SUM)} - {start.at(PRODUCT)}" if whole and is_all(cx, calls, var) else "SOL_STRIP"
    with cx.out.block(f"for (int64_t {first} = {start}; {first} < {stop.at(SUM)}; {first} += {strip})"):
        cx.out.line(f"const int64_t {count} = sol_imin<int64_t>({strip}, {stop.at(SUM)} - {first});")
        ready = emit_calls(cx, calls, var, strip, count, k, iteration, whole)
        if ready is None:
            return
        pragma(cx, n.map, var)
        with using(cx, ready), cx.out.block(f"for (int64_t {k} = 0; {k} < {count}; ++{k})"):
            iteration()
            _loops(n, n.last)


@contextmanager
def _pieces(n: Nest, look: str, start: Text, stop: Text, step: Text) -> Iterator[tuple[Text, Text]]:
    """The bounds of the innermost loop: of pieces of it, each of which looks for signals, where its iterations must not. Where nothing but a truth value is
    computed, until that is decided."""
    cx = n.cx
    acc = next((a.text for a in reversed(cx.accumulators) if a.target in n.map.until), None)
    looks_apart = look and step.text == "1" and is_straight(n.map.body)
    if acc is None and not looks_apart:
        yield start, stop
        return
    goes_on = "" if acc is None else next(f" && {r.undecided}{acc}" for r in n.plain if r.target in n.map.until)
    first, end = (cx.names.fresh(f"{n.map.vars[-1]}_{what}") for what in ("first", "end"))
    cx.tables.headers.add("reduce")
    with cx.out.block(f"for (int64_t {first} = {start}; {first} < {stop.at(SUM)}{goes_on}; {first} += SOL_PIECE)"):
        cx.out.line(f"const int64_t {end} = sol_imin<int64_t>({first} + SOL_PIECE, {stop});")
        with looks.iteration(cx, look if looks_apart else "", n.map.body):
            yield Text(first), Text(end)


@contextmanager
def _counted(n: Nest, start: Text, stop: Text, step: Text) -> Iterator[tuple[Text, Text]]:
    """The bounds of the innermost loop: of pieces of it, where truth values are counted, so short that an integer as wide as the numbers
    that they are about holds the count of one. Then as many are added at once as are compared."""
    cx, bits = n.cx, widest(n.map)
    targets = {a.target for a in cx.accumulators if a.kind == "variable"}
    counts = [r for r in n.plain if r.target in targets and r.target in n.map.counted]
    if not counts:
        yield start, stop
        return
    first, end = (cx.names.fresh(f"{n.map.vars[-1]}_{what}") for what in ("first", "end"))
    parts = [cx.names.fresh(f"{r.target.data}_part") for r in counts]
    with cx.out.block(f"for (int64_t {first} = {start}; {first} < {stop.at(SUM)}; {first} += {_COUNTED[bits]})"):
        cx.out.line(f"const int64_t {end} = sol_imin<int64_t>({first} + {_COUNTED[bits]}, {stop});")
        cx.out.line(f"uint{bits}_t {', '.join(f'{p} = 0' for p in parts)};")
        cx.accumulators += [Accumulator(r.target, "count", p) for r, p in zip(counts, parts)]
        yield Text(first), Text(end)
        del cx.accumulators[-len(parts) :]
        for r, p in zip(counts, parts):
            combine(cx, r.target, Text(f"({_type(cx, r)}){p}", UNARY), r.dtype)


def _body(n: Nest, terms: list[Reduction]) -> None:
    """One iteration. The sum of what a body with loops contributes is a term of the sum over the iterations."""
    cx = n.cx
    names = [cx.names.fresh(f"{r.target.data}_term") for r in terms]
    for name, r in zip(names, terms):
        t = cpp_accumulator(r.dtype, r.wcr)
        cx.out.line(f"{t} {name} = {identity(r.wcr, accumulated(r.dtype, r.wcr))};")
    cx.accumulators += [Accumulator(r.target, "variable", name) for name, r in zip(names, terms)]
    declare_locals(cx, n.map)
    n.region(cx, n.map.body)
    if terms:
        del cx.accumulators[-len(terms) :]
    for name, r in zip(names, terms):
        combine(cx, r.target, Text(name), r.dtype)


# --- accumulators -------------------------------------------------------------------------------------------------------


@contextmanager
def _accumulators(n: Nest, depth: int) -> Iterator[None]:
    """Locals for the reductions that start at this loop; afterwards they go where the elements are."""
    cx = n.cx
    opened: list[tuple[Reduction, Accumulator, str]] = []
    for r in n.plain:
        if r.level == depth:
            opened.append((r, *_variable(cx, r, n.map)))
    for r in n.blocked:
        if r.level == depth and depth < n.flat:
            opened.append((r, *(_cascade(cx, r) if r.wcr == "add" else _variable(cx, r, n.map))))
    cx.accumulators += [a for _, a, _ in opened]
    yield
    if opened:
        del cx.accumulators[-len(opened) :]
    for r, _, result in opened:
        _finish(cx, r, result)


def _finish(cx: Context, r: Reduction, result: str) -> None:
    if result.startswith("="):  # the accumulator started with the old value
        cx.out.line(f"{memory_of(cx).element(r.target)} = {result[1:]};")
    else:
        combine(cx, r.target, Text(result), r.dtype)


def _variable(cx: Context, r: Reduction, m: Map) -> tuple[Accumulator, str]:
    """A local that starts with the element's value, or with nothing if that is itself being accumulated elsewhere."""
    name = cx.names.fresh(f"{r.target.data}_acc")
    t = accumulated(r.dtype, r.wcr)
    fresh = any(a.target == r.target for a in cx.accumulators) or r.blocked or t != r.dtype
    t = t if fresh else r.dtype
    kind = cpp_accumulator(r.dtype, r.wcr) if fresh else _type(cx, r)
    if r.dtype == b1:
        kind = f"int{widest(m)}_t"  # vectors of truth values as long as those of the numbers that they are about
    start = identity(r.wcr, t) if fresh else str(memory_of(cx).element(r.target))
    cx.out.line(f"{kind} {name} = {start};")
    return Accumulator(r.target, "variable", name), name if fresh else f"={name}"


def _type(cx: Context, r: Reduction) -> str:
    cx.tables.uses(r.dtype)
    return cpp_type(r.dtype)


def _cascade(cx: Context, r: Reduction) -> tuple[Accumulator, str]:
    name = cx.names.fresh(f"{r.target.data}_sum")
    cx.tables.headers.add("reduce")
    cx.tables.uses(r.dtype)
    cx.out.line(f"sol_cascade<{cpp_accumulator(r.dtype, r.wcr)}> {name};")
    return Accumulator(r.target, "push", name), f"{name}.total()"
