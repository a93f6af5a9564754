"""NVRTC beside the C++ compiler: what each takes for the kernels of `bench/kernels`, which compile side by side in a first call.

NVRTC needs no GPU. Processor time is told, too, since it does not hang on how busy the machine is.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from bench.benchmark import Benchmark, load, names
from bench.gpu.driver import Driver
from bench.gpu.rates import Record
from soljit.base.settings import Settings, current
from soljit.codegen.source import Source
from soljit.driver import context
from soljit.frontend_ast.lower import lower_function
from soljit.passes.pipeline import optimize
from soljit.runtime.build.toolchain import Toolchain, compile_text, toolchain
from soljit.runtime.devices import nvrtc
from soljit.runtime.store.cache import open_cache
from soljit.runtime.values.arguments import describe
from soljit.targets.table import find_target

ARCH = "sm_90"  # where there is no GPU


def compilers(d: Driver, quick: bool) -> Iterator[Record]:
    """Each kernel, then the medians."""
    arch = ARCH if d.device.arch == "emulated" else d.device.arch
    tools = toolchain()
    nvrtc.compile_kernels('#include "soljit/kernel.h"\n', arch, "strict")  # loaded
    rows = []
    for name in names()[: 2 if quick else None]:
        try:
            source = source_of(load(name, "tiny"))
            if source.device_text:
                rows.append({"what": name, "arch": arch, **_both(source, tools, arch)})
                yield rows[-1]
        except Exception as e:  # noqa: BLE001 (the next one goes on)
            yield {"what": name, "failed": f"{type(e).__name__}: {e}"[:300]}
    if rows:
        ratios = [r["nvrtc_cpu"] / r["compiler_cpu"] for r in rows]
        middle = {k: statistics.median(r[k] for r in rows) for k in ("nvrtc_wall", "compiler_wall", "nvrtc_cpu", "compiler_cpu")}  # fmt: skip
        more = sum(r > 1 for r in ratios)
        yield {"what": "medians", "count": len(rows), **middle, "ratio": statistics.median(ratios), "above_1": more}


def source_of(benchmark: Benchmark) -> Source:
    """The texts that both compilers get."""
    settings = current()._replace(device="emulated", offload="always", strict=True)
    return source_for(benchmark.function, list(benchmark.arguments.values()), settings)


def source_for(function: Callable[..., Any], arguments: Sequence[Any], settings: Settings) -> Source:
    """What the passes and the emitter make of a function for such arguments."""
    code = function.__code__
    call = describe(tuple(arguments), code.co_varnames[: code.co_argcount])
    lowered = lower_function(function, call.types, call.leaves, fp=settings.fp)
    target = find_target(settings.target, settings.device)
    machine = target.machine(settings, open_cache(settings))
    program = optimize(lowered.program, context(settings, target, machine))
    return cast(Source, target.emit(program, fp=settings.fp, features=target.features(machine)))


def _both(source: Source, tools: Toolchain, arch: str) -> Record:
    with tempfile.TemporaryDirectory(prefix="bench-gpu-") as folder:
        cache = open_cache(current()._replace(cache_dir=folder))
        flags = ("-DSOL_ALONE", *tools.flags("strict", source.needs_openmp))
        by_nvrtc = _times(lambda: nvrtc.compile_kernels(source.device_text, arch, "strict"), resource.RUSAGE_SELF)
        by_compiler = _times(lambda: compile_text(tools, "host", source.text, flags, cache), resource.RUSAGE_CHILDREN)
    return {
        "kernels": len(source.kernels),
        "nvrtc_wall": by_nvrtc[0],
        "compiler_wall": by_compiler[0],
        "nvrtc_cpu": by_nvrtc[1],
        "compiler_cpu": by_compiler[1],
    }


def _times(call: Callable[[], Any], whose: int) -> tuple[float, float]:
    """Seconds on the clock and of the processor."""

    def used() -> float:
        now = resource.getrusage(whose)
        return now.ru_utime + now.ru_stime

    start, before = time.perf_counter(), used()
    call()
    return time.perf_counter() - start, used() - before
