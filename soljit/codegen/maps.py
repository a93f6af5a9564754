"""Maps as loop nests.

Reductions go through locals while the loops run. Sums of floats (and minima, maxima) are computed in blocks: one inner loop fills a
small buffer with contributions, which vectorizes like any elementwise loop, and `reduce.h` sums it up in exactly the order in
which NumPy sums a contiguous array. Loops that a sum runs over completely are flattened into one sequence of blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from soljit.analysis.affine import step
from soljit.codegen import parallel
from soljit.codegen.combine import accumulated, combine, cpp_accumulator, identity
from soljit.codegen.context import Accumulator, Context, cpp_type
from soljit.codegen.expressions import index, product, total
from soljit.codegen.memory import memory_of
from soljit.codegen.placement import declare_locals
from soljit.codegen.reductions import Reduction, reductions, stays_apart, written_in_place
from soljit.codegen.text import SUM, Text
from soljit.ir.expr import Expr, Extent, Load, Memlet, Range, Stride, is_const, subexpressions, symbols
from soljit.ir.nodes import Branch, Let, Map, Region, Tasklet
from soljit.ir.tree import walk
from soljit.ir.types import b1

Emit = Callable[[Context, Region], None]
TINY = 8  # NumPy adds up fewer elements one by one


def emit_map(cx: Context, m: Map, region: Emit) -> None:
    """A map, on threads if its schedule says so and its writes allow it."""
    cx.in_map += 1
    threads = 0
    while threads < len(m.schedule) and m.schedule[threads] == "omp":
        threads += 1
    plan = parallel.plan(cx, m, threads) if threads and cx.exit_label is None else None
    if plan is None:
        nest(cx, m, 0, region)
    else:
        parallel.emit(cx, m, plan, lambda inner, depth: nest(cx, inner, depth, region))
    cx.in_map -= 1


def loop_head(cx: Context, var: str, start: Text, stop: Text, step: Text) -> str:
    """The `for` of a range."""
    v = cx.names.symbol(var)
    if step.text.lstrip("-").isdigit():
        k = int(step.text)
        turn = f"++{v}" if k == 1 else f"--{v}" if k == -1 else f"{v} += {k}"
        return f"for (int64_t {v} = {start}; {v} {'<' if k > 0 else '>'} {stop.at(SUM)}; {turn})"
    if step.text.isidentifier():
        s, head = step.text, f"int64_t {v} = {start}"
    else:
        s = cx.names.fresh(f"{var}_step")
        head = f"int64_t {v} = {start}, {s} = {step}"
    return f"for ({head}; {s} > 0 ? {v} < {stop.at(SUM)} : {v} > {stop.at(SUM)}; {v} += {s})"


def steady(cx: Context, var: str, what: str, e: Expr) -> Text:
    """A bound or step of a loop, which is evaluated once: a constant in front of the loop, unless it plainly never changes."""
    text = index(cx, e)
    if not re.search(r"[\[(?]", text.text) and not any(
        isinstance(x, (Load, Extent, Stride)) for x in subexpressions(e)
    ):
        return text
    name = cx.names.fresh(f"{var}_{what}")
    cx.out.line(f"const int64_t {name} = {text};")
    return Text(name)


@dataclass
class Nest:
    """The loops of a map from dimension `first` inwards, with its reductions sorted by how they are done."""

    cx: Context
    map: Map
    first: int
    region: Emit
    plain: list[Reduction]
    blocked: list[Reduction]
    flat: int  # loops from here inwards are flattened into blocks

    @property
    def last(self) -> int:
        return len(self.map.vars)


def nest(cx: Context, m: Map, first: int, region: Emit) -> None:
    """The loops of `m` from dimension `first` inwards, and its body."""
    found = [replace(r, level=max(r.level, first)) for r in reductions(cx, m)]
    found = [r for r in found if r.level < len(m.vars)]
    blocked = [r for r in found if r.blocked]
    flat = len(m.vars)
    if blocked and not _straight(m.body):
        flat = len(m.vars)
    elif blocked:
        flat = max(r.level for r in blocked)
        while any(symbols(e) & {*m.vars[flat:]} for s in m.spans[flat:] for e in s.children):
            flat += 1
        if _few(cx, m, flat):
            blocked, flat = [], len(m.vars)
    plain = [r for r in found if r not in blocked]
    _loops(Nest(cx, m, first, region, plain, blocked, flat), first)


def _few(cx: Context, m: Map, flat: int) -> bool:
    count = 1
    for s in m.spans[flat:]:
        length = memory_of(cx).length(s).text
        if not length.isdigit():
            return False
        count *= int(length)
    return count < TINY


def _loops(n: Nest, depth: int) -> None:
    with _accumulators(n, depth):
        if depth == n.last:
            _body(n, n.blocked if n.flat == n.last else [])
        elif depth == n.flat:
            _blocks(n)
        else:
            span = n.map.spans[depth]
            start = index(n.cx, span.start)
            stop, step = (
                steady(n.cx, n.map.vars[depth], "stop", span.stop),
                steady(n.cx, n.map.vars[depth], "step", span.step),
            )
            if depth < n.last - 1:
                with n.cx.out.block(loop_head(n.cx, n.map.vars[depth], start, stop, step)):
                    _loops(n, depth + 1)
                return
            with _until_decided(n, start, stop, step) as (start, stop):
                pragma(n.cx, n.map, n.map.vars[depth])
                with n.cx.out.block(loop_head(n.cx, n.map.vars[depth], start, stop, step)):
                    _loops(n, depth + 1)


@contextmanager
def _until_decided(n: Nest, start: Text, stop: Text, step: Text) -> Iterator[tuple[Text, Text]]:
    """The bounds of the innermost loop: of pieces of it, where nothing but a truth value is computed, until that is decided."""
    cx, tasks = n.cx, [x for x in walk(n.map.body) if isinstance(x, Tasklet)]
    r = n.plain[0] if len(n.plain) == 1 and all(x.out == n.plain[0].target for x in tasks) else None
    acc = next((a.text for a in reversed(cx.accumulators) if r is not None and a.target == r.target), None)
    if (
        r is None
        or acc is None
        or r.undecided is None
        or step.text != "1"
        or not _straight(n.map.body)
        or _few(cx, n.map, n.last - 1)
    ):
        yield start, stop
        return
    first, end = (cx.names.fresh(f"{n.map.vars[-1]}_{what}") for what in ("first", "end"))
    cx.tables.headers.add("reduce")
    with cx.out.block(
        f"for (int64_t {first} = {start}; {first} < {stop.at(SUM)} && {r.undecided}{acc}; {first} += SOL_PIECE)"
    ):
        cx.out.line(f"const int64_t {end} = sol_imin<int64_t>({first} + SOL_PIECE, {stop});")
        yield Text(first), Text(end)


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


def pragma(cx: Context, m: Map, var: str) -> None:
    """Tell the compiler that the iterations of the innermost loop are independent, if the body is straight code."""
    if not _straight(m.body):
        return
    held = [a.target for a in cx.accumulators]
    if not all(w in held or stays_apart(m, w, (var,)) for w in written_in_place(cx, m)):
        return
    variables = any(a.kind != "slot" for a in cx.accumulators if any(a.target == w for w in written_in_place(cx, m)))
    simple = all(t.dtype.kind in "biuf" and t.dtype.name != "f16" for t in _codes(m.body))
    simd = len(m.schedule) == len(m.vars) and m.schedule[-1] == "simd" and simple and not variables
    cx.out.line("#pragma omp simd" if simd else "SOL_IVDEP")


def _straight(body: Region) -> bool:
    return all(isinstance(n, (Region, Let, Tasklet, Branch)) for n in walk(body))


def _codes(body: Region) -> Iterator[Expr]:
    for n in walk(body):
        if isinstance(n, Let):
            yield n.value
        elif isinstance(n, Tasklet):
            yield n.code


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
        kind = f"int{_widest(m)}_t"  # vectors of truth values as long as those of the numbers that they are about
    start = identity(r.wcr, t) if fresh else str(memory_of(cx).element(r.target))
    cx.out.line(f"{kind} {name} = {start};")
    return Accumulator(r.target, "variable", name), name if fresh else f"={name}"


def _widest(m: Map) -> int:
    """Bits of the widest number that the innermost loop reads."""
    loads = (x for e in _codes(m.body) for x in subexpressions(e) if isinstance(x, Load))
    return max((8 * x.dtype.numpy.itemsize for x in loads if x.dtype.kind in "iuf"), default=8)


def _type(cx: Context, r: Reduction) -> str:
    cx.tables.uses(r.dtype)
    return cpp_type(r.dtype)


def _cascade(cx: Context, r: Reduction) -> tuple[Accumulator, str]:
    name = cx.names.fresh(f"{r.target.data}_sum")
    cx.tables.headers.add("reduce")
    cx.tables.uses(r.dtype)
    cx.out.line(f"sol_cascade<{cpp_accumulator(r.dtype, r.wcr)}> {name};")
    return Accumulator(r.target, "push", name), f"{name}.total()"


# --- blocks -------------------------------------------------------------------------------------------------------------


@dataclass
class Sum:
    """One reduction done in blocks: the buffer of contributions, and what adds them up."""

    reduction: Reduction
    values: str
    result: str


def _blocks(n: Nest) -> None:
    """Loops `flat`… as one sequence of blocks."""
    cx, m = n.cx, n.map
    cx.tables.headers.add("reduce")
    inner = m.vars[-1]
    lengths = [cx.names.fresh(f"{v}_count") for v in m.vars[n.flat :]]
    for name, span in zip(lengths, m.spans[n.flat :]):
        cx.out.line(f"const int64_t {name} = {memory_of(cx).length(span)};")
    starts = [steady(cx, v, "start", s.start) for v, s in zip(m.vars[n.flat :], m.spans[n.flat :])]
    blocks, block = cx.names.fresh(f"{inner}_blocks"), cx.names.fresh(f"{inner}_block")
    unit = ", 2" if all(r.dtype.is_complex for r in n.blocked) else ""
    sum_order = any(r.wcr == "add" for r in n.blocked)
    kind, size = ("sol_blocks", "SOL_BLOCK") if sum_order else ("sol_pieces", "SOL_PIECE")
    cx.out.line(f"{kind} {blocks}({' * '.join(lengths)}{unit if sum_order else ''});")
    sums = [_sum(cx, r) for r in n.blocked]
    positions = [cx.names.fresh(f"{v}_done") for v in m.vars[n.flat :]]
    cx.out.line(f"int64_t {', '.join(f'{p} = 0' for p in positions)};")
    source = _neighbours(n) if len(positions) == 1 else None
    with cx.out.block(f"while (const int64_t {block} = {blocks}.next())"):
        if source is not None:
            at = _position(cx, starts[-1], m.spans[-1], Text(positions[0]))
            cx.out.line(f"const int64_t {cx.names.symbol(inner)} = {at};")
            sums[0].values = f"&{memory_of(cx).element(source)}"
        for s in sums if source is None else ():
            cx.out.line(f"{cpp_accumulator(s.reduction.dtype, s.reduction.wcr)} {s.values}[{size}];")
        if source is not None:
            cx.out.line(f"{positions[0]} += {block};")
        elif len(positions) == 1:
            _fill(n, sums, block, "", starts[-1], positions[-1])
            cx.out.line(f"{positions[0]} += {block};")
        else:
            _rows(n, sums, block, lengths, starts, positions)
        for s in sums:
            if s.reduction.wcr == "add":
                cx.out.line(f"{s.result}.push(sol_block_sum({s.values}, {block}), {blocks}.merges);")
            else:
                cx.out.line(f"{s.result} = sol_block_{s.reduction.wcr}({s.result}, {s.values}, {block});")
    for s in sums:
        result = f"{s.result}.total()" if s.reduction.wcr == "add" else s.result
        combine(cx, s.reduction.target, Text(result), s.reduction.dtype)


def _neighbours(n: Nest) -> Memlet | None:
    """What is reduced, if that is just elements that stand next to each other in memory, of the type of the accumulator."""
    body, (r, *others) = n.map.body.nodes, n.blocked
    if len(body) != 1 or not isinstance(body[0], Tasklet) or not isinstance(body[0].code, Load) or others:
        return None
    m, var = body[0].code.memlet, n.map.vars[-1]
    plain = body[0].code.dtype == accumulated(r.dtype, r.wcr) == r.dtype and is_const(n.map.spans[-1].step, 1)
    return m if plain and step(n.cx.program.data, m, var) == 1 else None


def _sum(cx: Context, r: Reduction) -> Sum:
    cx.tables.uses(r.dtype)
    t = cpp_accumulator(r.dtype, r.wcr)
    values = cx.names.fresh(f"{r.target.data}_values")
    result = cx.names.fresh(f"{r.target.data}_{'sum' if r.wcr == 'add' else r.wcr}")
    if r.wcr == "add":
        cx.out.line(f"sol_tree<{t}> {result};")
    else:
        cx.out.line(f"{t} {result} = {identity(r.wcr, r.dtype)};")
    return Sum(r, values, result)


def _rows(n: Nest, sums: list[Sum], block: str, lengths: list[str], starts: list[Text], positions: list[str]) -> None:
    """Fill a block from several rows: as much of this row as there is, then on to the next."""
    cx = n.cx
    filled, run = cx.names.fresh("filled"), cx.names.fresh("run")
    with cx.out.block(f"for (int64_t {filled} = 0; {filled} < {block};)"):
        cx.out.line(f"const int64_t {run} = sol_imin<int64_t>({block} - {filled}, {lengths[-1]} - {positions[-1]});")
        for v, span, start, p in zip(n.map.vars[n.flat : -1], n.map.spans[n.flat : -1], starts, positions):
            cx.out.line(f"const int64_t {cx.names.symbol(v)} = {_position(cx, start, span, Text(p))};")
        _fill(n, sums, run, f"{filled} + ", starts[-1], positions[-1])
        cx.out.line(f"{filled} += {run};")
        cx.out.line(f"{positions[-1]} += {run};")
        for k in range(len(positions) - 1, 0, -1):
            cx.out.line("  " * (len(positions) - 1 - k) + f"if ({positions[k]} == {lengths[k]}) {{")
            cx.out.line("  " * (len(positions) - k) + f"{positions[k]} = 0;")
            cx.out.line("  " * (len(positions) - k) + f"++{positions[k - 1]};")
        for k in range(1, len(positions)):
            cx.out.line("  " * (len(positions) - 1 - k) + "}")


def _position(cx: Context, start: Text, span: Range, done: Text) -> Text:
    return total(start, product(done, index(cx, span.step)))


def _fill(n: Nest, sums: list[Sum], count: str, filled: str, start: Text, done: str) -> None:
    """The innermost loop: contributions into the buffers."""
    cx, m = n.cx, n.map
    var, span = m.vars[-1], m.spans[-1]
    k = cx.names.fresh("k")
    slots = []
    for s in sums:
        slots.append(Accumulator(s.reduction.target, "slot", f"{s.values}[{filled}{k}]"))
    cx.accumulators += slots
    pragma(cx, m, var)
    del cx.accumulators[-len(slots) :]
    with cx.out.block(f"for (int64_t {k} = 0; {k} < {count}; ++{k})"):
        at = _position(cx, start, span, Text(f"{done} + {k}", SUM))
        cx.out.line(f"const int64_t {cx.names.symbol(var)} = {at};")
        inside = []
        for s, slot in zip(sums, slots):
            r = s.reduction
            if r.single:
                inside.append(slot)
                continue
            name = cx.names.fresh(f"{r.target.data}_term")
            cx.out.line(f"{cpp_accumulator(r.dtype, r.wcr)} {name} = {identity(r.wcr, accumulated(r.dtype, r.wcr))};")
            inside.append(Accumulator(r.target, "variable", name))
        cx.accumulators += inside
        declare_locals(cx, m)
        n.region(cx, m.body)
        del cx.accumulators[-len(inside) :]
        for slot, a in zip(slots, inside):
            if a is not slot:
                cx.out.line(f"{slot.text} = {a.text};")
