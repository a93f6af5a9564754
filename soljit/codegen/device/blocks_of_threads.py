"""Kernels whose iterations are blocks of threads: block maps, what stands beside them, and barriers.

All threads of a block go through the body in step. They spread the iterations of a block map; values that a block map combines into
one element or number are combined by each thread for its iterations, then in a fixed order over the threads. Numbers of the block are computed by
every thread, all of which get the same; elements are written by the first thread.

Of the blocks of a cluster each computes numbers and what maps combine; maps with the schedule "cluster" are spread over the threads of all blocks, other
maps over those of the first block, whose first thread writes elements.

A barrier stands where a thread might otherwise touch what another one writes (`analysis/device/needed_barriers.py`): of the block, or of all blocks. A
loop's body ends at a barrier, if anything was touched since the last one, so that its next iteration may begin with nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext

from soljit.analysis.device.needed_barriers import Touch, Who, have_met, who_waits
from soljit.analysis.flow.program_point import facts_of
from soljit.analysis.loops.sums import Fold, accumulated, block_folds
from soljit.analysis.memory.accesses import Access, aliases, effects
from soljit.base.errors import InternalError
from soljit.base.records import dataclass
from soljit.codegen.loops.nests import Emit, ahead, loop_head, loops_of_thread, steady
from soljit.codegen.memory.combine import combine, identity
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.expressions import index, value
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Accumulator, Block, Context
from soljit.codegen.writing.text import SUM, Text
from soljit.ir.core.expr import is_const
from soljit.ir.core.nodes import Branch, Break, Continue, Let, Loop, Map, Node, Region, Tasklet, While
from soljit.ir.core.types import b1
from soljit.ir.walk import memlets_read
from soljit.ir.walk.spaces import DEVICE, SPREAD, storage_of

_FOLDS = {
    "add": "sol_plus",
    "mul": "sol_times",
    "min": "sol_least",
    "max": "sol_greatest",
    "land": "sol_and",
    "band": "sol_and",
    "lor": "sol_or",
    "bor": "sol_or",
    "bxor": "sol_xor",
}
_TRUTH = {"add": "lor", "max": "lor", "mul": "land", "min": "land"}


def statement(cx: Context, n: Node, region: Emit) -> None:
    """One node of a block's body."""
    match n:
        case Region():
            region(cx, n)
        case Let():
            _reads(cx, n)
            _plainly(cx, n, region)
        case Tasklet() if not _is_shared(cx, n.out.data):
            _reads(cx, n)
            _plainly(cx, n, region)
        case Tasklet():
            _touch(cx, effects(n).accesses, Who.THREAD)
            with cx.out.block(f"if ({_rank(cx)} == 0)"):
                _plainly(cx, n, region)
        case Map():
            _map(cx, n, region)
        case Loop():
            _reads(cx, n)
            start = index(cx, n.span.start)
            stop, step = (steady(cx, n.var, what, e) for what, e in (("stop", n.span.stop), ("step", n.span.step)))
            with _repeated(cx, loop_head(cx, n.var, start, stop, step)):
                region(cx, n.body)
        case While():
            _reads(cx, n)
            with _repeated(cx, f"while ({value(cx, n.cond)})"):
                _reads(cx, n)
                region(cx, n.body)
        case Branch():
            _branch(cx, n, region)
        case Break() | Continue():
            meet(cx)
            cx.out.line("break;" if isinstance(n, Break) else "continue;")
        case _:
            raise InternalError(f"{type(n).__name__} in the body of a block")


def meet(cx: Context) -> None:
    """A barrier, if anything was touched since the last one."""
    if _block(cx).touched:
        _wait(cx, Who.ALL)


def _block(cx: Context) -> Block:
    assert cx.block is not None
    return cx.block


def _rank(cx: Context) -> str:
    """The number of the thread among all threads of the kernel."""
    block = _block(cx)
    return block.rank or block.lane


def _wait(cx: Context, who: Who) -> None:
    """A barrier of the block, or of all blocks."""
    block = _block(cx)
    cx.out.line("sol_meet();" if block.rank and who is Who.ALL else "sol_barrier();")
    block.touched = have_met(block.touched, who if block.rank else Who.ALL)


def _touch(cx: Context, accesses: Iterable[Access], who: Who) -> None:
    """Memory is touched next: a barrier in front of it, if another thread has to be done before."""
    block = _block(cx)
    shared = (a for a in accesses if _is_shared(cx, a.data))
    touches = [Touch(a, aliases(cx.program).homes(a.data), who if block.rank else min(who, Who.BLOCK)) for a in shared]
    if (waits := who_waits(block.touched, touches, facts_of(cx.program), block.own)) is not None:
        _wait(cx, waits)
    block.touched = tuple(dict.fromkeys((*block.touched, *touches)))


def _reads(cx: Context, n: Node) -> None:
    """Every thread reads what a node itself reads."""
    _touch(cx, [Access(m.data, m.subset, False) for m in memlets_read(n)], Who.ALL)


def _is_shared(cx: Context, name: str) -> bool:
    """Tell whether all threads of the block see this memory."""
    return storage_of(cx.program.data, name) in (DEVICE, "shared")


def _plainly(cx: Context, n: Node, region: Emit) -> None:
    """A node as one thread alone does it."""
    block, cx.block = cx.block, None
    region(cx, n if isinstance(n, Region) else Region((n,)))
    cx.block = block


@contextmanager
def _repeated(cx: Context, head: str) -> Iterator[None]:
    """The body of a loop of the block: behind it stands what was touched in front, since it may not run."""
    before = _block(cx).touched
    with cx.out.block(head):
        yield
        meet(cx)
    _block(cx).touched = before


def _branch(cx: Context, n: Branch, region: Emit) -> None:
    _reads(cx, n)
    block = _block(cx)
    before = block.touched
    with cx.out.block(f"if ({value(cx, n.cond)})"):
        region(cx, n.then)
    then, block.touched = block.touched, before
    if n.orelse.nodes:
        with cx.out.block("else"):
            region(cx, n.orelse)
    block.touched = tuple(dict.fromkeys((*then, *block.touched)))


# --- block maps ---------------------------------------------------------------------------------------------------------


@dataclass
class _Register:
    """Where a thread combines the values of one fold: the C++ variable, its type, what it starts with, and what joins two of them."""

    fold: Fold
    name: str
    cpp: str
    start: str
    joins: str
    is_sum: bool


def _map(cx: Context, m: Map, region: Emit) -> None:
    """A map whose first loops are spread over the threads."""
    count = sum(word in SPREAD for word in m.schedule)
    found = block_folds(cx.program, m)
    if found is None:
        raise InternalError("the iterations of a block map combine values that threads cannot")
    block, by_all = _block(cx), "cluster" in m.schedule
    targets = {f.target.data for f in found}
    touched = [a for a in effects(m).accesses if a.data not in targets]
    if found and block.rank and (by_all or any(a.write and _is_shared(cx, a.data) for a in touched)):
        raise InternalError("a map that each block of a cluster does writes elements")
    _touch(cx, touched, Who.ALL if by_all or found else Who.BLOCK)
    if not found:
        if by_all:
            _spread(cx, m, count, region, block.rank, block.ranks)
            return
        with cx.out.block(f"if ({block.rank} < {block.threads})") if block.rank else nullcontext():
            _spread(cx, m, count, region, block.lane, str(block.threads))
        return
    with cx.out.block():
        registers = [_register(cx, f) for f in found]
        cx.accumulators += [Accumulator(r.fold.target, "push" if r.is_sum else "variable", r.name) for r in registers]
        _spread(cx, m, count, region, block.lane, str(block.threads))
        del cx.accumulators[-len(registers) :]
        for r in registers:
            cx.out.line(f"const {r.cpp} {r.name}_all = sol_block_fold<{r.joins}>({r.name});")
        block.touched = have_met(block.touched, Who.BLOCK if block.rank else Who.ALL)  # at the barriers of the folds
        for r in registers:
            _finish(cx, r)


def _register(cx: Context, f: Fold) -> _Register:
    name, t = cx.names.fresh(f"{f.target.data}_mine"), f.dtype
    cx.tables.uses(t)
    if f.wcr == "add" and t.kind in "fc":
        single = "sol_kept_sum" if t.name in ("f64", "c128") else "sol_wide_sum"
        cpp = f"sol_complex_sum<{single}>" if t.is_complex else single
        cx.out.line(f"{cpp} {name};")
        return _Register(f, name, cpp, "", "sol_joined", True)
    cpp = cpp_type(accumulated(t, f.wcr))
    start = identity(f.wcr, accumulated(t, f.wcr))
    cx.out.line(f"{cpp} {name} = {start};")
    joins = _FOLDS[_TRUTH.get(f.wcr, f.wcr) if t == b1 else f.wcr]
    if t.is_complex and f.wcr in ("min", "max"):
        joins = {"min": "sol_cleast", "max": "sol_cgreatest"}[f.wcr]
    return _Register(f, name, cpp, start, joins, False)


def _finish(cx: Context, r: _Register) -> None:
    """Combine what all threads have into the target: a number of every thread's, or an element, by the first thread."""
    f, t = r.fold, r.fold.dtype
    text = Text(f"{r.name}_all")
    if r.is_sum:
        total = f"{r.name}_all.total()"
        text = Text(
            {"f32": f"(float){total}", "f16": f"sol_f16({total})", "c64": f"sol_to_c64({total})"}.get(t.name, total)
        )
    elif t.name == "f16":
        text = Text(f"sol_f16({r.name}_all)")
    if not _is_shared(cx, f.target.data):
        combine(cx, f.target, text, t)
        return
    _touch(cx, [Access(f.target.data, f.target.subset, write) for write in (False, True)], Who.THREAD)
    with cx.out.block(f"if ({_rank(cx)} == 0)"):
        combine(cx, f.target, text, t)


def _spread(cx: Context, m: Map, count: int, region: Emit, lane: str, threads: str) -> None:
    """The first `count` loops over so many threads, of which `lane` is the own one; the others in each thread."""
    starts = [index(cx, s.start) for s in m.spans[:count]]
    if count == 1:
        stop, step = (
            steady(cx, m.vars[0], what, e) for what, e in (("stop", m.spans[0].stop), ("step", m.spans[0].step))
        )
        v = cx.names.symbol(m.vars[0])
        one = is_const(m.spans[0].step, 1)
        first = lane if one else f"{lane} * {step.at(4)}"
        first = first if starts[0].text == "0" else f"{starts[0].at(SUM)} + {first}"
        turn = threads if one else f"{threads} * {step.at(4)}"
        with cx.out.block(f"for (int64_t {v} = {first}; {ahead(v, stop, step)}; {v} += {turn})"):
            _iteration(cx, m, count, region)
        return
    names = [cx.names.fresh(f"{v}_count") for v in m.vars[:count]]
    with cx.out.block():
        for name, s in zip(names, m.spans):
            cx.out.line(f"const int64_t {name} = {memory_of(cx).length(s)};")
        all_, at = cx.names.fresh("all"), cx.names.fresh("at")
        cx.out.line(f"const int64_t {all_} = {' * '.join(names)};")
        with cx.out.block(f"for (int64_t {at} = {lane}; {at} < {all_}; {at} += {threads})"):
            rest = at
            places: list[str] = []
            for k in reversed(range(count)):
                place = f"sol_within({rest}, {names[k]})" if k else rest
                step = index(cx, m.spans[k].step)
                place = place if is_const(m.spans[k].step, 1) else f"{place} * {step.at(4)}"
                place = place if starts[k].text == "0" else f"{starts[k].at(SUM)} + {place}"
                places.append(f"const int64_t {cx.names.symbol(m.vars[k])} = {place};")
                if k > 1:
                    before = cx.names.fresh("rest")
                    places.append(f"const int64_t {before} = sol_before({rest}, {names[k]});")
                    rest = before
                elif k == 1:
                    rest = f"sol_before({rest}, {names[k]})"
            for line in places:
                cx.out.line(line)
            _iteration(cx, m, count, region)


def _iteration(cx: Context, m: Map, count: int, region: Emit) -> None:
    block, cx.block = cx.block, None
    loops_of_thread(cx, m, region, count)
    cx.block = block
