"""Kernels whose iterations are blocks of threads: block maps, what stands beside them, and barriers.

All threads of a block go through the body in step. They spread the iterations of a block map; values that a block map combines into
one element or number are combined by each thread for its iterations, then in a fixed order over the threads. Numbers of the block are computed by
every thread, all of which get the same; elements are written by the first thread.

Of the blocks of a cluster each computes numbers and what maps combine; other maps are spread over the threads of all blocks, the first of which
writes elements, and barriers are those of the cluster.

A barrier stands where a thread might otherwise touch what another one writes: `Pending` knows what was touched since the last one. A
loop's body ends at a barrier, if anything is pending, so that its next iteration may begin with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from soljit.analysis.loops.sums import Fold, block_folds
from soljit.analysis.memory.accesses import aliases, effects
from soljit.base.errors import InternalError
from soljit.codegen.loops.nests import Emit, ahead, loop_head, loops_of_thread, steady
from soljit.codegen.memory.combine import accumulated, combine, identity
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.expressions import index, value
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Accumulator, Context, Pending
from soljit.codegen.writing.text import SUM, Text
from soljit.ir.core.expr import is_const
from soljit.ir.core.nodes import Branch, Break, Continue, Let, Loop, Map, Node, Region, Tasklet, While
from soljit.ir.core.types import b1
from soljit.ir.walk import memlets_read
from soljit.ir.walk.spaces import DEVICE, storage_of

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
    assert cx.block is not None
    match n:
        case Region():
            region(cx, n)
        case Let():
            _touch(cx, _reads(cx, n), set())
            _plainly(cx, n, region)
        case Tasklet() if not _is_shared(cx, n.out.data):
            _touch(cx, _reads(cx, n), set())
            _plainly(cx, n, region)
        case Tasklet():
            _touch(cx, _reads(cx, n), _memory(cx, n.out.data), first=True)
            with cx.out.block(_first(cx)):
                _plainly(cx, n, region)
        case Map():
            _map(cx, n, region)
        case Loop():
            _touch(cx, _reads(cx, n), set())
            start = index(cx, n.span.start)
            stop, step = (steady(cx, n.var, what, e) for what, e in (("stop", n.span.stop), ("step", n.span.step)))
            with _repeated(cx, loop_head(cx, n.var, start, stop, step)):
                region(cx, n.body)
        case While():
            _touch(cx, _reads(cx, n), set())
            with _repeated(cx, f"while ({value(cx, n.cond)})"):
                _touch(cx, _reads(cx, n), set())
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
    p = cx.block
    assert p is not None
    if p.read_by_all or p.written_by_all or p.read_by_first or p.written_by_first:
        cx.out.line("sol_meet();" if p.rank else "sol_barrier();")
        cx.block = Pending(p.threads, p.lane, p.rank, p.ranks)


def _touch(cx: Context, reads: set[str], writes: set[str], first: bool = False) -> None:
    """Shared memory is touched next, by the first thread or by several: a barrier in front of it, if another thread has to be done before."""
    p = cx.block
    assert p is not None
    written = p.written_by_all if first else p.written_by_all | p.written_by_first
    read = p.read_by_all if first else p.read_by_all | p.read_by_first
    if not written.isdisjoint(reads | writes) or not read.isdisjoint(writes):
        meet(cx)
        p = cx.block
        assert p is not None
    if first:
        p.read_by_first |= reads
        p.written_by_first |= writes
    else:
        p.read_by_all |= reads
        p.written_by_all |= writes


def _first(cx: Context) -> str:
    """The head of what one thread alone does."""
    assert cx.block is not None
    return f"if ({cx.block.rank or cx.block.lane} == 0)"


def _reads(cx: Context, n: Node) -> set[str]:
    """Shared memory that a node itself reads."""
    return {home for m in memlets_read(n) for home in _memory(cx, m.data)}


def _memory(cx: Context, name: str) -> set[str]:
    """The shared memory that a container is, or may stand for."""
    return set(aliases(cx.program).homes(name)) if _is_shared(cx, name) else set()


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
    """The body of a loop of the block: behind it stands what was pending in front, since it may not run."""
    before = cx.block
    assert before is not None
    cx.block = _copy(before)
    with cx.out.block(head):
        yield
        meet(cx)
    cx.block = _joined(before, cx.block)


def _copy(p: Pending) -> Pending:
    return replace(
        p,
        read_by_all={*p.read_by_all},
        written_by_all={*p.written_by_all},
        read_by_first={*p.read_by_first},
        written_by_first={*p.written_by_first},
    )


def _joined(a: Pending, b: Pending) -> Pending:
    """What is pending where two ways join."""
    out = _copy(a)
    out.read_by_all |= b.read_by_all
    out.written_by_all |= b.written_by_all
    out.read_by_first |= b.read_by_first
    out.written_by_first |= b.written_by_first
    return out


def _branch(cx: Context, n: Branch, region: Emit) -> None:
    _touch(cx, _reads(cx, n), set())
    before = cx.block
    assert before is not None
    cx.block = _copy(before)
    with cx.out.block(f"if ({value(cx, n.cond)})"):
        region(cx, n.then)
    then, cx.block = cx.block, _copy(before)
    if n.orelse.nodes:
        with cx.out.block("else"):
            region(cx, n.orelse)
    cx.block = _joined(then, cx.block)


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
    count = m.schedule.count("block")
    found = block_folds(cx.program, m)
    if found is None:
        raise InternalError("the iterations of a block map combine values that threads cannot")
    targets = {f.target.data for f in found}
    e = effects(m)
    writes = {home for a in e.writes if a.data not in targets for home in _memory(cx, a.data)}
    reads = {home for a in e.reads if a.data not in targets for home in _memory(cx, a.data)}
    _touch(cx, reads, writes)
    if not found:
        p = cx.block
        assert p is not None
        _spread(cx, m, count, region, *((p.rank, p.ranks) if p.rank else (p.lane, str(p.threads))))
        return
    if cx.block and cx.block.rank and writes:
        raise InternalError("a map that each block of a cluster does writes elements")
    with cx.out.block():
        registers = [_register(cx, f) for f in found]
        cx.accumulators += [Accumulator(r.fold.target, "push" if r.is_sum else "variable", r.name) for r in registers]
        p = cx.block
        assert p is not None
        _spread(cx, m, count, region, p.lane, str(p.threads))
        del cx.accumulators[-len(registers) :]
        for r in registers:
            cx.out.line(f"const {r.cpp} {r.name}_all = sol_block_fold<{r.joins}>({r.name});")
        if not p.rank:
            cx.block = Pending(p.threads, p.lane)  # the folds have met at barriers
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
    home = _memory(cx, f.target.data)
    _touch(cx, home, home, first=True)
    with cx.out.block(_first(cx)):
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
