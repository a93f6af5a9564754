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
from bench.sizes import GUESS, Sizes, program_of
from soljit.analysis.cost.work import work
from soljit.analysis.memory.accesses import effects
from soljit.base.settings import current
from soljit.cli.screen import print_table
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Range
from soljit.ir.core.nodes import Branch, Copy, Let, Loop, Map, Node, Program, Region, While
from soljit.ir.walk.spaces import is_kernel, is_transfer, on_device


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
    settings = current()._replace(target="null", device="emulated", offload="always", strict=True)
    program, arguments = program_of(function, values, settings)
    walk = _Walk(program, arguments, gpu)
    walk.node(program.body, 1.0)
    return walk.counts


class _Walk:
    """A walk through a program with the values of its sizes; variables of loops have their middle value."""

    def __init__(self, program: Program, arguments: list[Any], gpu: Gpu) -> None:
        self.data, self.gpu, self.counts = program.data, gpu, Counts()
        self.sizes = Sizes(program, arguments, self.counts.guesses)
        self.number = self.sizes.number

    def node(self, n: Node, times: float) -> None:
        """Count what `times` runs of a node take."""
        match n:
            case Region():
                for inner in n.nodes:
                    self.node(inner, times)
            case Let():
                if n.value.dtype.kind in "biu":  # others are no sizes
                    value = self.number(n.value, GUESS, f"{n.name} is known by the run only")
                    self.sizes.define(n.name, value, n.value.dtype)
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
        start, step, turns = self.sizes.turns(span)
        self.sizes.define(var, start + step * (max(turns, 1) - 1) / 2)
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
            if on_device(self.data, a.data):
                self.sizes.touch(moved, a, turns, self.enter)
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
