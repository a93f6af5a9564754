"""Sums of floats, minima and maxima in blocks.

One inner loop fills a small buffer with contributions, which vectorizes like any elementwise loop, and `reduce.h` sums it up in exactly
the order in which NumPy sums an array. Loops that a sum runs over completely are flattened into one sequence of blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import zip_longest

from soljit.analysis.loops.map_reductions import Reduction, elements_of
from soljit.analysis.loops.sums import accumulated
from soljit.base.records import dataclass
from soljit.codegen.loops import looks
from soljit.codegen.loops.call_strips import calls_of, emit_calls, using
from soljit.codegen.loops.lane_sums import add_up, stay_in_registers
from soljit.codegen.loops.nests import Nest, position, pragma, steady
from soljit.codegen.memory.combine import combine, cpp_accumulator, identity
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.memory.placement import declare_locals
from soljit.codegen.spelling.expressions import index
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Accumulator, Context
from soljit.codegen.writing.text import SUM, Text
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Map


@dataclass
class Sum:
    """One reduction done in blocks: the buffer of contributions and its size, what adds them up, and the sum."""

    reduction: Reduction
    values: str
    buffer: str
    result: str
    total: str


def emit_blocks(n: Nest) -> None:
    """Loops `flat`… as one sequence of blocks."""
    cx, m = n.cx, n.map
    cx.tables.headers.add("reduce")
    lengths = [cx.names.fresh(f"{v}_count") for v in m.vars[n.flat :]]
    for name, span in zip(lengths, m.spans[n.flat :]):
        cx.out.line(f"const int64_t {name} = {memory_of(cx).length(span)};")
    starts = [steady(cx, v, "start", s.start) for v, s in zip(m.vars[n.flat :], m.spans[n.flat :])]
    rows = _in_place(n)
    if len(rows) == 1 and n.blocked[0].wcr != "add":
        _at_once(n, n.blocked[0], rows[0], starts, " * ".join(lengths))
        return
    few = m.few and not calls_of(cx, m)
    if few:
        _few(n, lengths[0], starts[0])
    with cx.out.block("else") if few else nullcontext():
        _in_blocks(n, lengths, starts, rows)


def _in_blocks(n: Nest, lengths: list[str], starts: list[Text], rows: list[Memlet]) -> None:
    """Loops as one sequence of blocks. rows: what each sum is of, if it is read where it is."""
    cx, m = n.cx, n.map
    inner = m.vars[-1]
    blocks, block = cx.names.fresh(f"{inner}_blocks"), cx.names.fresh(f"{inner}_block")
    unit = ", 2" if all(r.dtype.is_complex for r in n.blocked) else ""
    sum_order = any(r.wcr == "add" for r in n.blocked)
    kind, size = ("sol_blocks", "SOL_BLOCK") if sum_order else ("sol_pieces", "SOL_PIECE")
    whole = " * ".join(lengths)
    count = _pieces(cx, m, lengths) if sum_order else whole
    cx.out.line(f"{kind} {blocks}({count}{unit if sum_order else ''});")
    together = not rows and len(n.blocked) > 1 and count == whole and _are_alike(n.blocked)
    sums = _together(cx, n.blocked) if together else [_sum(cx, r, size) for r in n.blocked]
    positions = [cx.names.fresh(f"{v}_done") for v in (m.vars[-1:] if rows else m.vars[n.flat :])]
    cx.out.line(f"int64_t {', '.join(f'{p} = 0' for p in positions)};")
    held = sum_order and not rows and len(positions) == 1 and stay_in_registers(n)
    added: list[str] = []  # the sums of a block, if there is no buffer
    look = next(filter(None, (looks.before(cx, m.body, k, "4 * SOL_BLOCK") for k in range(n.flat, n.last))), "")
    with cx.out.block(f"while (const int64_t {block} = {blocks}.next())"):
        if look:
            cx.out.line(look)
        if rows:
            _stand_at(n, starts)
            for s, row in zip(sums, rows):
                s.values = f"&{memory_of(cx).element(row)} + {positions[0]}"
        elif held:
            added = add_up(n, block, starts[-1], positions[-1])
        else:
            for buffer in dict.fromkeys(s.buffer for s in sums):
                cx.out.line(f"{buffer};")
            if len(positions) == 1:
                _fill(n, sums, size, block, "", starts[-1], positions[-1])
            else:
                _rows(n, sums, size, block, lengths, starts, positions)
        if together and held:
            cx.out.line(f"{sums[0].result}.add({{{', '.join(added)}}}, {blocks}.merges);")
        elif together:
            cx.out.line(f"{sums[0].result}.push({sums[0].values.removesuffix('[0]')}, {block}, {blocks}.merges);")
        for s, total in () if together else zip_longest(sums, added):
            if s.reduction.wcr == "add":
                cx.out.line(f"{s.result}.push({total or f'sol_block_sum({s.values}, {block})'}, {blocks}.merges);")
                if count != whole and accumulated(s.reduction.dtype, "add") != s.reduction.dtype:
                    cx.out.line(f"if ({blocks}.end_a_piece()) {s.result}.round_to<{cpp_type(s.reduction.dtype)}>();")
            else:
                cx.out.line(f"{s.result} = sol_block_{s.reduction.wcr}({s.result}, {s.values}, {block});")
        if len(positions) == 1:
            cx.out.line(f"{positions[0]} += {block};")
    for s in sums:
        combine(cx, s.reduction.target, Text(s.total), s.reduction.dtype)


def _few(n: Nest, length: str, start: Text) -> None:
    """Sums of a few terms, one after the other. They are computed four at a time, and the last one again where there are fewer: a branch for each would be guessed wrongly."""
    cx, m = n.cx, n.map
    k, j = cx.names.fresh("k"), cx.names.fresh("j")
    sums = [cx.names.fresh(f"{r.target.data}_few") for r in n.blocked]
    terms = [cx.names.fresh(f"{r.target.data}_terms") for r in n.blocked]
    types = [cpp_accumulator(r.dtype, r.wcr) for r in n.blocked]
    with cx.out.block(f"if ({length} < SOL_SINGLY)"):
        for t, name, r in zip(types, sums, n.blocked):
            cx.out.line(f"{t} {name} = {identity(r.wcr, r.dtype)};")
        with cx.out.block(f"for (int64_t {k} = 0; {k} < {length}; {k} += 4)"):
            for t, name in zip(types, terms):
                cx.out.line(f"{t} {name}[4];")
            cx.accumulators += [Accumulator(r.target, "slot", f"{x}[{j}]") for r, x in zip(n.blocked, terms)]
            cx.out.line("SOL_WHOLLY_UNROLLED")
            with cx.out.block(f"for (int {j} = 0; {j} < 4; ++{j})"):
                at = Text(f"sol_imin<int64_t>({k} + {j}, {length} - 1)")
                cx.out.line(f"const int64_t {cx.names.symbol(m.vars[-1])} = {position(cx, start, m.spans[-1], at)};")
                declare_locals(cx, m)
                n.region(cx, m.body)
            del cx.accumulators[-len(terms) :]
            for x, name in zip(terms, sums):
                cx.out.line(f"for (int {j} = 0; {j} < 4; ++{j}) {name} += sol_term({x}[{j}], {k} + {j} < {length});")
        for name, r in zip(sums, n.blocked):
            combine(cx, r.target, Text(name), r.dtype)


def _pieces(cx: Context, m: Map, lengths: list[str]) -> str:
    """How many elements are added up at a time: all, or as many as NumPy's buffer holds."""
    whole_rows = cx.tables.features.whole_rows
    if not m.buffered or not whole_rows:
        count = " * ".join(lengths)
        return count if whole_rows else f"sol_buffered({count}, SOL_BUFFER)"
    sizes, apart = cx.names.fresh("sizes"), cx.names.fresh("apart")
    for name, texts in ((sizes, lengths), (apart, [index(cx, s).text for s in m.buffered])):
        cx.out.line(f"const int64_t {name}[] = {{{', '.join(reversed(texts))}}};")
    return f"sol_buffered({len(lengths)}, {sizes}, {apart}, {str(m.converted).lower()})"


def _stand_at(n: Nest, starts: list[Text]) -> None:
    """Declare the variables of the loops, each at its first value."""
    for v, start in zip(n.map.vars[n.flat :], starts):
        n.cx.out.line(f"const int64_t {n.cx.names.symbol(v)} = {start};")


def _at_once(n: Nest, r: Reduction, row: Memlet, starts: list[Text], count: str) -> None:
    """The extreme of elements that stand next to each other."""
    cx = n.cx
    cx.tables.uses(r.dtype)
    with cx.out.block():
        _stand_at(n, starts)
        t = cpp_accumulator(r.dtype, r.wcr)
        found = f"sol_block_{r.wcr}<{t}>({identity(r.wcr, r.dtype)}, &{memory_of(cx).element(row)}, {count})"
        combine(cx, r.target, Text(found), r.dtype)


def _in_place(n: Nest) -> list[Memlet]:
    """What each sum is of, if it is read where it is."""
    if n.last - n.flat > n.map.in_place:
        return []
    terms = elements_of(n.map)
    return [terms[r.target] for r in n.blocked]


def _sum(cx: Context, r: Reduction, size: str) -> Sum:
    cx.tables.uses(r.dtype)
    t = cpp_accumulator(r.dtype, r.wcr)
    values = cx.names.fresh(f"{r.target.data}_values")
    result = cx.names.fresh(f"{r.target.data}_{'sum' if r.wcr == 'add' else r.wcr}")
    if r.wcr == "add":
        cx.out.line(f"sol_tree<{t}> {result};")
    else:
        cx.out.line(f"{t} {result} = {identity(r.wcr, r.dtype)};")
    return Sum(r, values, f"{t} {values}[{size}]", result, f"{result}.total()" if r.wcr == "add" else result)


def _are_alike(found: Sequence[Reduction]) -> bool:
    """Tell whether they are sums of one type of floats, so that one function adds a block to each."""
    kinds = {cpp_accumulator(r.dtype, "add") for r in found if r.wcr == "add"}
    return len(kinds) == 1 and kinds < {"float", "double"} and all(r.wcr == "add" for r in found)


def _together(cx: Context, found: Sequence[Reduction]) -> list[Sum]:
    """Alike sums, whose contributions are the rows of one buffer."""
    for r in found:
        cx.tables.uses(r.dtype)
    t, name = cpp_accumulator(found[0].dtype, "add"), found[0].target.data
    values, result = cx.names.fresh(f"{name}_values"), cx.names.fresh(f"{name}_sums")
    cx.out.line(f"sol_sums<{t}, {len(found)}> {result};")
    buffer = f"{t} {values}[{len(found)}][SOL_BLOCK]"
    return [Sum(r, f"{values}[{k}]", buffer, result, f"{result}.total({k})") for k, r in enumerate(found)]


def _rows(
    n: Nest, sums: list[Sum], size: str, block: str, lengths: list[str], starts: list[Text], positions: list[str]
) -> None:
    """Fill a block from several rows: as much of this row as there is, then on to the next."""
    cx = n.cx
    filled, run = cx.names.fresh("filled"), cx.names.fresh("run")
    with cx.out.block(f"for (int64_t {filled} = 0; {filled} < {block};)"):
        cx.out.line(f"const int64_t {run} = sol_imin<int64_t>({block} - {filled}, {lengths[-1]} - {positions[-1]});")
        for v, span, start, p in zip(n.map.vars[n.flat : -1], n.map.spans[n.flat : -1], starts, positions):
            cx.out.line(f"const int64_t {cx.names.symbol(v)} = {position(cx, start, span, Text(p))};")
        _fill(n, sums, size, run, f"{filled} + ", starts[-1], positions[-1])
        cx.out.line(f"{filled} += {run};")
        cx.out.line(f"{positions[-1]} += {run};")
        for k in range(len(positions) - 1, 0, -1):
            cx.out.line("  " * (len(positions) - 1 - k) + f"if ({positions[k]} == {lengths[k]}) {{")
            cx.out.line("  " * (len(positions) - k) + f"{positions[k]} = 0;")
            cx.out.line("  " * (len(positions) - k) + f"++{positions[k - 1]};")
        for k in range(1, len(positions)):
            cx.out.line("  " * (len(positions) - 1 - k) + "}")


def _fill(n: Nest, sums: list[Sum], size: str, count: str, filled: str, start: Text, done: str) -> None:
    """The innermost loop: contributions into the buffers."""
    cx, m = n.cx, n.map
    var, span = m.vars[-1], m.spans[-1]
    k = cx.names.fresh("k")
    slots = []
    for s in sums:
        slots.append(Accumulator(s.reduction.target, "slot", f"{s.values}[{filled}{k}]"))

    def iteration() -> None:
        at = position(cx, start, span, Text(f"{done} + {k}", SUM))
        cx.out.line(f"const int64_t {cx.names.symbol(var)} = {at};")

    ready = emit_calls(cx, calls_of(cx, m), var, size, count, k, iteration) or {}
    cx.accumulators += slots
    pragma(cx, m, var)
    del cx.accumulators[-len(slots) :]
    with using(cx, ready), cx.out.block(f"for (int64_t {k} = 0; {k} < {count}; ++{k})"):
        iteration()
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
