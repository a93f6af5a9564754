"""What a named GPU should take for the kernels, without one: transfers and launches counted in the optimized program, times by a roofline.

Nothing is run. The program that the device would get is made for the arguments of a preset and walked with their sizes: each kernel takes its bytes
over the memory's bandwidth or its operations over the rate of arithmetic, whichever is more, and at least a launch; each transfer its bytes over the
link's bandwidth, and a latency. Data sheets' numbers are used as they are, so times are what no GPU of this kind should beat by much, not predictions.
A loop whose length only the data tell counts as 16 turns, an undecided branch as half of both sides; both are marked.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.benchmark import load, names
from bench.run import machine
from soljit.analysis.cost.work import work
from soljit.analysis.memory.accesses import effects
from soljit.base.settings import current
from soljit.cli.screen import print_table
from soljit.driver import compile_function
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Expr, Load, Range, subexpressions, symbols
from soljit.ir.core.nodes import Branch, Copy, Let, Loop, Map, Node, Program, Region, While
from soljit.ir.core.signature import StaticArg
from soljit.ir.interpret.activation import Activation
from soljit.ir.text.parser import from_text
from soljit.ir.walk.spaces import is_kernel, is_transfer, on_device
from soljit.runtime.store.cache import open_cache
from soljit.runtime.values.arguments import describe, leaf_types

GUESS = 16


@dataclass(frozen=True)
class Gpu:
    """Bytes a second of the memory and of the link one way, operations of float64 a second (no tensor cores), seconds of a launch and of a copy."""

    memory: float
    link: float
    arithmetic: float
    launch: float = 2.5e-6
    latency: float = 8e-6


GPUS = {  # from NVIDIA's data sheets; the link is PCIe x16 of the fourth or fifth generation, raw
    "A100": Gpu(2.04e12, 32e9, 9.7e12),
    "H100": Gpu(3.35e12, 64e9, 34e12),
    "H200": Gpu(4.8e12, 64e9, 34e12),
    "B200": Gpu(8.0e12, 64e9, 37e12),
    "L40S": Gpu(0.864e12, 32e9, 1.4e12),
    "RTX4090": Gpu(1.008e12, 32e9, 1.3e12),
}


@dataclass
class Counts:
    """What a call takes. kernel_bytes: what kernels must read and write at least; kernel_seconds: on the GPU in question."""

    launches: float = 0
    uploads: float = 0
    upload_bytes: float = 0
    downloads: float = 0
    download_bytes: float = 0
    pokes: float = 0
    fetches: float = 0
    kernel_bytes: float = 0
    kernel_operations: float = 0
    kernel_seconds: float = 0
    guesses: list[str] = field(default_factory=list)


def expect(name: str, preset: str, out: str) -> int:
    """Print and write what is expected of a GPU."""
    known = {k.lower(): k for k in GPUS}
    if name.lower() not in known:
        raise SystemExit(f"there are no data of {name!r}; there are {', '.join(GPUS)}")
    gpu = GPUS[known[name.lower()]]
    records, rows = [], []
    for kernel in names():
        try:
            counts = counted(kernel, preset, gpu)
        except Exception as e:  # noqa: BLE001 (the next one goes on)
            records.append({"part": "expected", "what": kernel, "failed": f"{type(e).__name__}: {e}"[:300]})
            continue
        moved = (counts.upload_bytes + counts.download_bytes) / gpu.link
        moved += gpu.latency * (counts.uploads + counts.downloads + counts.pokes + counts.fetches)
        records.append(
            {"part": "expected", "what": kernel, "preset": preset, **asdict(counts), "transfer_seconds": moved}
        )
        rows.append(_row(kernel, counts, moved))
    place = Path(out or f"bench/results/gpu-expected-{known[name.lower()].lower()}-{preset}.json")
    place.parent.mkdir(parents=True, exist_ok=True)
    head = {"kind": "expected", "gpu": known[name.lower()], "data": asdict(gpu), "machine": machine(), "preset": preset}
    place.write_text(json.dumps(head | {"records": records}, indent=1) + "\n")
    title = f"EXPECTED of one {known[name.lower()]}, preset {preset}, not measured ({time.strftime('%Y-%m-%d')})"
    heads = [
        "kernel",
        "launches",
        "uploads",
        "MB up",
        "downloads",
        "MB down",
        "pokes",
        "fetches",
        "MB in kernels",
        "ms in kernels",
        "ms in transfers",
    ]
    print_table(title, heads, rows)
    print("~: something only the run tells was guessed")
    print(place)
    return 1 if any("failed" in r for r in records) else 0


def _row(kernel: str, c: Counts, moved: float) -> list[str]:
    mark = " ~" if c.guesses else ""
    numbers = (c.launches, c.uploads, c.upload_bytes / 1e6, c.downloads, c.download_bytes / 1e6, c.pokes, c.fetches,
               c.kernel_bytes / 1e6, c.kernel_seconds * 1e3, moved * 1e3)  # fmt: skip
    return [kernel + mark, *(f"{x:.0f}" if x == int(x) and x < 1e7 else f"{x:.3g}" for x in numbers)]


def counted(kernel: str, preset: str, gpu: Gpu = GPUS["H100"]) -> Counts:
    """What a call of this kernel takes with the sizes of a preset."""
    benchmark = load(kernel, preset)
    return counted_call(benchmark.function, [*benchmark.arguments.values()], gpu)


def counted_call(function: Any, values: list[Any], gpu: Gpu = GPUS["H100"]) -> Counts:
    """What a call of any function takes."""
    program, arguments = _program(function, values)
    walk = _Walk(program, arguments, gpu)
    walk.node(program.body, 1.0)
    return walk.counts


def _program(function: Any, arguments: list[Any]) -> tuple[Program, list[Any]]:
    """The program that the device would get for a call, and the values of its parameters."""
    settings = current()._replace(target="null", device="emulated", offload="always", strict=True)
    code = function.__code__
    call = describe(tuple(arguments), code.co_varnames[: code.co_argcount])
    cache = open_cache(settings)
    record = compile_function(function, call.types, call.leaves, settings, cache).built()
    given = [x for x, t in zip(call.leaves, leaf_types(call.types)) if not isinstance(t, StaticArg)]
    return from_text(cache.text(dict(record.texts)["ir"])), given


class _Walk:
    """A walk through a program with the values of its sizes; variables of loops have their middle value."""

    def __init__(self, program: Program, arguments: list[Any], gpu: Gpu) -> None:
        self.data = program.data
        self.frame = Activation(program, arguments, program.functions).frame
        self.gpu, self.counts = gpu, Counts()

    def number(self, e: Expr, otherwise: float, what: str) -> float:
        """The value; `otherwise`, noted as a guess, if only the run tells."""
        try:
            if not any(isinstance(x, Load) for x in subexpressions(e)):
                return float(self.frame.eval(e))
        except Exception:  # noqa: BLE001 (what is missing has many names)
            pass
        if what not in self.counts.guesses:
            self.counts.guesses.append(what)
        return otherwise

    def node(self, n: Node, times: float) -> None:
        """Count what `times` runs of a node take."""
        match n:
            case Region():
                for inner in n.nodes:
                    self.node(inner, times)
            case Let():
                if n.value.dtype.kind in "biu":  # others are no sizes
                    value = self.number(n.value, GUESS, f"{n.name} is known by the run only")
                    self.frame.symbols[n.name] = n.value.dtype.numpy.type(value)
            case Map() if is_kernel(n):
                self.kernel(n, times)
            case Map():
                turns = 1.0
                for var, span in zip(n.vars, n.spans):
                    turns *= self.enter(var, span)
                self.node(n.body, times * turns)
            case Copy() if is_transfer(n, self.data):
                self.transfer(n, times)
            case Loop():
                self.node(n.body, times * self.enter(n.var, n.span))
            case While():
                self.counts.guesses.append("a while loop")
                self.node(n.body, times * GUESS)
            case Branch():
                taken = self.number(n.cond, 0.5, "a branch")
                self.node(n.then, times * taken)
                if n.orelse is not None:
                    self.node(n.orelse, times * (1 - taken))
            case _:
                pass

    def enter(self, var: str, span: Range) -> float:
        """How many turns a loop takes; its variable gets the middle value."""
        start = self.number(span.start, 0, "a bound of a loop")
        stop = self.number(span.stop, start + GUESS, "a bound of a loop")
        step = self.number(span.step, 1, "a step of a loop")
        turns = max(0.0, -(-(stop - start) // step))
        self.frame.symbols[var] = span.start.dtype.numpy.type(int(start + step * (max(turns, 1) - 1) / 2))
        return turns

    def kernel(self, m: Map, times: float) -> None:
        """A launch: what it must read and write, and what it computes."""
        turns = {}
        for var, span in zip(m.vars, m.spans):
            turns[var] = self.enter(var, span)
        if not all(turns.values()):
            return
        moved: dict[tuple[str, bool], float] = {}
        found = effects(m)
        for a in (*found.reads, *found.writes):
            d = self.data.get(a.data)
            if not isinstance(d, Array) or not on_device(self.data, a.data):
                continue
            inner = dict(turns)
            for var, span in a.loops:
                if var not in inner:
                    inner[var] = self.enter(var, span)
            touched, whole = 1.0, 1.0
            for var in {s for e in a.subset for s in _names(e)} & inner.keys():
                touched *= inner[var]
            for size in d.shape:
                whole *= self.number(size, GUESS, f"the size of {a.data}")
            key = (a.data, a.write)
            moved[key] = max(moved.get(key, 0.0), min(touched, whole) * d.dtype.size)
        size, operations = sum(moved.values()), self.number(work(m), 0.0, "the work of a kernel")
        c, gpu = self.counts, self.gpu
        c.launches += times
        c.kernel_bytes += times * size
        c.kernel_operations += times * operations
        c.kernel_seconds += times * max(size / gpu.memory, operations / gpu.arithmetic, gpu.launch)

    def transfer(self, n: Copy, times: float) -> None:
        """A copy of all of a container."""
        up = on_device(self.data, n.dst.data)
        d = self.data[n.dst.data]
        shape = d.shape if isinstance(d, Array) else ()
        size = float(d.dtype.size)
        for length in shape:
            size *= self.number(length, GUESS, f"the size of {n.dst.data}")
        if not size:
            return
        c = self.counts
        if not shape:
            c.pokes += times * up
            c.fetches += times * (not up)
        elif up:
            c.uploads += times
            c.upload_bytes += times * size
        else:
            c.downloads += times
            c.download_bytes += times * size


def _names(e: Expr | Range) -> set[str]:
    if isinstance(e, Range):
        return symbols(e.start) | symbols(e.stop) | symbols(e.step)
    return set(symbols(e))
