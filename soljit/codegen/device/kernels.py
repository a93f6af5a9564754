"""Kernels: a map with a grid as a function of the device.

An iteration of the grid's loops is a thread, or a block of threads if block maps are in its body (`blocks_of_threads.py`). The last loop lies along x,
where neighbouring threads touch neighbouring elements. Along y and z a thread or block goes on with every so many-th iteration, since those
dimensions of a grid are short. Loops that are not of the grid run in each thread. Where threads add to the same elements, they do so by
atomic operations. A kernel gets the pointers of device memory that it touches, then by value what its text names: sizes, strides,
symbols and scalars of the host.

`__launch_bounds__(256, 1)` says that one block at a time is enough, so that ptxas spends registers on values that are on their way from memory at
the same time. Without the 1 it saves them, and the loads of a loop wait for each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from soljit.analysis.device.offload import atomic_sums
from soljit.codegen.device import blocks_of_threads
from soljit.codegen.loops.nests import Emit, ahead, loops_of_thread
from soljit.codegen.memory.containers import Memory, memory_of
from soljit.codegen.source import Kernel
from soljit.codegen.spelling.expressions import index
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Block, Context
from soljit.codegen.writing.names import spelled
from soljit.codegen.writing.tables import DeviceTables, Tables
from soljit.codegen.writing.text import SUM
from soljit.codegen.writing.writer import Writer
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import is_const
from soljit.ir.core.nodes import Let, Loop, Map, Node, Region, While
from soljit.ir.core.ops import INDEX
from soljit.ir.core.types import DType
from soljit.ir.walk import children_nodes, data_used, data_written, symbols_defined, walk
from soljit.ir.walk.spaces import base_of, has_blocks, on_device

AXES = "xyz"


def kernel(cx: Context, m: Map, region: Emit) -> Kernel:
    """Write the kernel of map `m`; what its launch must know."""
    device = device_of(cx)
    name = f"k{len(device.kernels)}_{spelled(cx.program.name)}"
    inner = _context(cx, device)
    inner.atomic = atomic_sums(cx.program, m, [k for k, word in enumerate(m.schedule) if word == "grid"])
    _grid(inner, m, region)
    text = inner.out.text
    pointers = _pointers(inner, m)
    values = _values(cx, m, text)
    parameters = [*(p for p, _ in pointers), *(f"const {t} {n}" for n, t in values)]
    out = device.out
    out.line()
    out.mark(m.loc)
    repeats = any(isinstance(n, (Loop, While, Map)) for n in walk(m.body))
    bounds = f"{math.prod(m.threads)}, 1" if repeats else f"{math.prod(m.threads)}"
    out.line(f'extern "C" __global__ void __launch_bounds__({bounds}) {name}({", ".join(parameters)}) {{')
    out.lines += text.splitlines()
    out.line("}")
    made = Kernel(name, m.loc, m.threads, (*(n for _, n in pointers), *(n for n, _ in values)))
    device.kernels.append(made)
    return made


def device_of(cx: Context) -> DeviceTables:
    """What the kernels of a file share."""
    if cx.tables.device is None:
        cx.tables.device = DeviceTables(Writer())
    return cx.tables.device


def _context(cx: Context, device: DeviceTables) -> Context:
    """A context for the body: the names, lengths and strides of the host code around, functions and headers of the device."""
    features = replace(cx.tables.features, avx512=False, svml=False, blas=False, clang=True)
    inner = Context(cx.program, Tables(cx.tables.fp, features, {}), cx.names, Writer(1), cx.escaping)
    inner.places = Memory(inner, memory_of(cx))
    inner.homes = cx.homes
    inner.in_map, inner.in_kernel = 1, True
    return inner


def _grid(cx: Context, m: Map, region: Emit) -> None:
    """The loops of the grid, then those of the thread, then the body."""
    grid, by_blocks = m.schedule.count("grid"), has_blocks(m)
    unit = "block" if by_blocks else "thread"
    if by_blocks:
        lane = cx.names.fresh("lane")
        cx.out.line(f"const int64_t {lane} = sol_lane();")
        own = frozenset(n.name for n in walk(m) if isinstance(n, Let))
        cx.block = Block(math.prod(m.threads), lane, own)
    if m.cluster is not None and cx.block:
        cx.block.rank, cx.block.ranks = cx.names.fresh("rank"), cx.names.fresh("ranks")
        cx.out.line(f"const int64_t {cx.block.rank} = sol_thread_x(), {cx.block.ranks} = sol_threads_x();")
    for k in range(grid):
        axis = AXES[grid - 1 - k]
        v = cx.names.symbol(m.vars[k])
        start, stop, step = (index(cx, x) for x in (m.spans[k].start, m.spans[k].stop, m.spans[k].step))
        at = "0" if m.cluster is not None else f"sol_{unit}_{axis}()"
        if not is_const(m.spans[k].step, 1):
            at = f"{at} * {step.at(4)}"
        first = at if start.text == "0" else f"{start.at(SUM)} + {at}"
        test = ahead(v, stop, step)
        if axis == "x":
            cx.out.line(f"const int64_t {v} = {first};")
            cx.out.line(f"if ({test}) {{")
        else:
            turn = f"sol_blocks_{axis}()" if by_blocks else f"sol_blocks_{axis}() * {_threads(m, grid, k)}"
            if not is_const(m.spans[k].step, 1):
                turn = f"{turn} * {step.at(4)}"
            cx.out.line(f"for (int64_t {v} = {first}; {test}; {v} += {turn}) {{")
        cx.out.level += 1
    loops_of_thread(cx, m, region, grid)
    if by_blocks and grid > 1:
        blocks_of_threads.meet(cx)  # before the block goes on with another iteration
    for _ in range(grid):
        cx.out.level -= 1
        cx.out.line("}")


def _threads(m: Map, grid: int, k: int) -> int:
    """Threads of a block along loop `k` of the grid."""
    at = k - (grid - len(m.threads))
    return m.threads[at] if at >= 0 else 1


def geometry(m: Map) -> tuple[tuple[int, int, int], ...]:
    """Which loop lies along x, y and z, how many threads an iteration of it is, and how many a block has there; x first."""
    grid = m.schedule.count("grid")
    if has_blocks(m):
        width = math.prod(m.threads)
        return tuple((k, width, width) if k == grid - 1 else (k, 1, 1) for k in reversed(range(grid)))
    return tuple((k, 1, _threads(m, grid, k)) for k in reversed(range(grid)))


# --- parameters ---------------------------------------------------------------------------------------------------------


def _pointers(cx: Context, m: Map) -> list[tuple[str, str]]:
    """Device memory that a kernel touches: the parameter, and its name."""
    data = cx.program.data
    used = sorted({base_of(data, n) for n in data_used(m) if on_device(data, n)})
    written = {base_of(data, n) for n in data_written(m)}
    out = []
    for name in used:
        d = data[name]
        const = "" if name in written else "const "
        restrict = memory_of(cx).restrict(name) if isinstance(d, Array) else ""
        pointer = f"{const}{cpp_type(d.dtype)}* {restrict}"
        out.append((f"{pointer}{cx.names.data(name)}", cx.names.data(name)))
    return out


def _values(cx: Context, m: Map, text: str) -> list[tuple[str, str]]:
    """What the text of a kernel names of the host, by value: the name and its C++ type."""
    known = dict.fromkeys(memory_of(cx).settled(), "int64_t")
    p = cx.program
    known |= {cx.names.symbol(name): "int64_t" for name in p.symbols}
    known |= {cx.names.symbol(a.name): cpp_type(a.dtype) for a in p.params if a.kind == "scalar" and a.dtype}
    known |= {cx.names.symbol(name): cpp_type(t) for name, t in _defined(p.body).items()}
    inside = {name for n in walk(m) if isinstance(n, Map) for name in (*n.private, *cx.homes.get(id(n.body), ()))}
    known |= {
        cx.names.data(k): cpp_type(d.dtype) for k, d in p.data.items() if isinstance(d, Scalar) and k not in inside
    }
    variables = [cx.names.data(k) for k, d in p.data.items() if isinstance(d, Ref)]
    numbers = re.compile(rf"({'|'.join(variables)})_[ns]\d+") if variables else None
    known |= {x: "int64_t" for x in re.findall(r"\w+", text) if numbers and numbers.fullmatch(x)}
    own = {cx.names.symbol(name) for name in symbols_defined(m)}
    used = set(re.findall(r"(?<![.\w])\w+", text)) - own  # members of structures are no names
    return [(name, kind) for name, kind in sorted(known.items()) if name in used]


_DEFINED: WeakKeyDictionary[Region, dict[str, DType]] = WeakKeyDictionary()


def _defined(body: Region) -> dict[str, DType]:
    """Symbols that host code defines outside of maps: those in scope are the ones that a kernel can name. Remembered for all kernels."""
    known = _DEFINED.get(body)
    if known is None:
        known = _DEFINED[body] = dict(_definitions(body))
    return known


def _definitions(node: Node) -> Iterator[tuple[str, DType]]:
    if isinstance(node, Let):
        yield node.name, node.value.dtype
    elif isinstance(node, Loop):
        yield node.var, INDEX
    if not isinstance(node, Map):
        for n in children_nodes(node):
            yield from _definitions(n)
