"""What a device and its link can do, measured below soljit: copies, launches, waits, memory, modules, NVRTC."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.gpu.driver import EMPTY, Driver, least
from soljit.runtime.devices import nvrtc

Record = dict[str, Any]
MiB = 1 << 20
GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden" / "cuda"
ATTRIBUTES = {  # CUDA's numbers
    "compute capability, major": 75,
    "compute capability, minor": 76,
    "multiprocessors": 16,
    "clock, kHz": 13,
    "memory clock, kHz": 36,
    "memory bus, bits": 37,
    "second-level cache, bytes": 38,
    "copy engines": 40,
    "pageable memory access": 88,
    "pageable access by the host's page tables": 100,
    "concurrent managed access": 89,
    "memory pools": 115,
    "host registration": 99,
}


def facts(d: Driver, quick: bool) -> Iterator[Record]:
    """What the machine is."""
    g = d.device
    yield {"what": "device", "name": g.name, "arch": g.arch, "memory": g.memory, "driver": g.driver}
    yield {"what": "attributes", **{name: d.attribute(number) for name, number in ATTRIBUTES.items()}}
    yield {"what": "nvrtc", "version": nvrtc.why_not() or ".".join(map(str, nvrtc.nvrtc().version))}
    yield {"what": "host", "cores": os.cpu_count(), "kernel": platform.release(), "tracking": tracking()}


def tracking() -> str:
    """Can the system tell which pages of an array were written (userfaultfd, and PAGEMAP_SCAN of Linux 6.7)?"""
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        return "not Linux on x86-64 or ARM"
    import ctypes

    number = {"x86_64": 323, "aarch64": 282}[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(number, os.O_CLOEXEC | os.O_NONBLOCK | 1)  # UFFD_USER_MODE_ONLY
    if fd < 0:
        return f"no userfaultfd: {os.strerror(ctypes.get_errno())}"
    os.close(fd)
    release = tuple(int(n) for n in platform.release().split("-")[0].split(".")[:2] if n.isdigit())
    return "userfaultfd" + (", and a kernel that is new enough" if release >= (6, 7) else ", but the kernel is too old")


def link(d: Driver, quick: bool) -> Iterator[Record]:
    """Copies between host and device, from pageable and from pinned memory."""
    for size in (4096, MiB) if quick else (MiB, 16 * MiB, 256 * MiB, 1024 * MiB):
        repeat = 2 if quick else max(3, min(20, 2048 * MiB // size))
        pageable = np.ones(size, np.uint8)
        page = d.ffi.cast("void*", pageable.ctypes.data)
        with d.memory(size) as at, d.pinned(size) as pin:
            for name, to_device, host in (
                ("upload pageable", True, page),
                ("download pageable", False, page),
                ("upload pinned", True, pin),
                ("download pinned", False, pin),
            ):

                def copy(to_device: bool = to_device, host: Any = host, at: int = at, size: int = size) -> None:
                    if to_device:
                        d.must("cuMemcpyHtoDAsync_v2", at, host, size, d.stream)
                    else:
                        d.must("cuMemcpyDtoHAsync_v2", host, at, size, d.stream)
                    d.wait()

                yield _rate(name, size, least(copy, repeat))


def latency(d: Driver, quick: bool) -> Iterator[Record]:
    """Launches, waits and the smallest copies. Launches go through cffi here, which costs some tenths of a microsecond each."""
    module = d.out("void**", "cuModuleLoadData", d.image(EMPTY))
    kernel = d.out("void**", "cuModuleGetFunction", module, b"empty")
    n = d.ffi.new("int64_t*", 1)
    arguments = d.ffi.new("void*[]", [n])
    count = 10 if quick else 2000

    def launches() -> None:
        launch, stream = d.lib.cuLaunchKernel, d.stream
        for _ in range(count):
            launch(kernel, 1, 1, 1, 256, 1, 1, 0, stream, arguments, d.ffi.NULL)
        d.wait()

    yield {"what": "launch of an empty kernel, one after the other", "seconds": least(launches, 5) / count}

    yield from _graphs(d, kernel, arguments, quick)

    def one() -> None:
        d.must("cuLaunchKernel", kernel, 1, 1, 1, 256, 1, 1, 0, d.stream, arguments, d.ffi.NULL)
        d.wait()

    turns = 2 if quick else 200
    yield {"what": "launch of an empty kernel, and wait", "seconds": least(one, turns)}
    yield {"what": "wait for nothing", "seconds": least(d.wait, turns)}
    with d.memory(8) as at, d.pinned(8) as pin:

        def fetch() -> None:
            d.must("cuMemcpyDtoHAsync_v2", pin, at, 8, d.stream)
            d.wait()

        yield {"what": "fetch of 8 bytes, and wait", "seconds": least(fetch, turns)}

        def poke() -> None:
            d.must("cuMemcpyHtoDAsync_v2", at, pin, 8, d.stream)
            d.wait()

        yield {"what": "poke of 8 bytes, and wait", "seconds": least(poke, turns)}


def _graphs(d: Driver, kernel: object, arguments: object, quick: bool) -> Iterator[Record]:
    """What a launch costs in a graph of launches, and what the graph costs."""
    for count in (4, 32) if quick else (2, 8, 32, 128):
        node = d.ffi.new("node_t*", {"kernel": kernel, "grid": [1, 1, 1], "block": [256, 1, 1], "with": arguments})
        start = time.perf_counter()
        graph, nodes = d.out("void**", "cuGraphCreate", 0), d.ffi.new("void*[]", count)
        for k in range(count):
            d.must("cuGraphAddKernelNode_v2", nodes + k, graph, nodes + k - 1 if k else d.ffi.NULL, min(k, 1), node)
        ready = d.out("void**", "cuGraphInstantiateWithFlags", graph, 0)
        made = time.perf_counter() - start
        turns = 2 if quick else max(2, 4096 // count)

        def launches(ready: object = ready, turns: int = turns) -> None:
            for _ in range(turns):
                d.must("cuGraphLaunch", ready, d.stream)
            d.wait()

        def changes(ready: object = ready, nodes: Any = nodes, node: object = node, count: int = count) -> None:
            for k in range(count):
                d.must("cuGraphExecKernelNodeSetParams_v2", ready, nodes[k], node)

        what = f"launch of an empty kernel in a graph of {count}"
        seconds = least(launches, 5) / (turns * count)
        yield {"what": what, "seconds": seconds, "made": made / count, "changed": least(changes, 3) / count}
        d.must("cuGraphExecDestroy", ready)
        d.must("cuGraphDestroy", graph)


def memory(d: Driver, quick: bool) -> Iterator[Record]:
    """Copies within the device (bytes read and written both count), fills, and allocations."""
    for size in (MiB,) if quick else (16 * MiB, 64 * MiB, 256 * MiB, 1024 * MiB):
        with d.memory(size) as a, d.memory(size) as b:
            turns = 1 if quick else max(2, 4096 * MiB // size)
            d.must("cuMemsetD8Async", a, 1, size, d.stream)

            def copies(a: int = a, b: int = b, size: int = size, turns: int = turns) -> None:
                for _ in range(turns):
                    d.must("cuMemcpyDtoDAsync_v2", b, a, size, d.stream)
                d.wait()

            yield _rate("device copy", 2 * size, least(copies, 3) / turns)

            def fills(a: int = a, size: int = size, turns: int = turns) -> None:
                for _ in range(turns):
                    d.must("cuMemsetD8Async", a, 1, size, d.stream)
                d.wait()

            yield _rate("device fill", size, least(fills, 3) / turns)

    def allocate() -> None:
        d.must("cuMemFreeAsync", d.out("uint64_t*", "cuMemAllocAsync", MiB, d.stream), d.stream)

    yield {"what": "allocate and free 1 MiB in order", "seconds": least(allocate, 3 if quick else 300)}


def modules(d: Driver, quick: bool) -> Iterator[Record]:
    """Compiling kernels and loading them."""
    texts = [p.read_text() for p in sorted(GOLDEN.glob("*.cu"))][: 1 if quick else None]
    compiled, loading = [], []
    images = []
    for text in texts:
        start = time.perf_counter()
        images.append(d.image(text))
        compiled.append(time.perf_counter() - start)
    for image in images:
        start = time.perf_counter()
        module = d.out("void**", "cuModuleLoadData", image)
        loading.append(time.perf_counter() - start)
        d.must("cuModuleUnload", module)
    compiler = "g++" if d.device.arch == "emulated" else "NVRTC"
    yield {
        "what": f"{compiler}, golden programs",
        "count": len(texts),
        "seconds": statistics.median(compiled),
        "first": compiled[0],
        "most": max(compiled),
    }
    yield {
        "what": "load of a module",
        "count": len(texts),
        "seconds": statistics.median(loading),
        "bytes": int(statistics.median(map(len, images))),
    }


def _rate(what: str, size: int, seconds: float) -> Record:
    return {"what": what, "bytes": size, "seconds": seconds, "rate": size / seconds}
