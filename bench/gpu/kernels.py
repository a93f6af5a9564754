"""One kernel of `bench/kernels`, or of a checkout of NPBench, on a GPU: NumPy arrays in and out, and arrays that stay on the device; NumPy beside it.

From NPBench, CuPy and JAX run the versions that NPBench has for them; else CuPy runs the function that soljit gets, and so does JAX where it can.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import soljit as sol
from bench import check
from bench.benchmark import KERNELS, Benchmark, Source, load
from bench.frameworks import Skip, compiled_along, sibling
from bench.gpu.bars import COUNTS, module
from bench.gpu.rates import Record

NAMES = ("go_fast", "softmax", "gesummv", "jacobi_1d", "jacobi_2d", "heat_3d", "fdtd_2d", "hdiff", "vadv", "gemm", "k3mm", "azimint_naive",
         "mandelbrot1", "floyd_warshall", "durbin", "nbody", "mlp")  # fmt: skip
BUDGET = 0.4  # seconds of repeated calls
MOST = 15
Move = Callable[[list[Any]], list[Any]]
Variant = tuple[str, Callable[..., Any], Move]  # what the time includes, the function, what is done before


def kernel(name: str, device: str, preset: str, source: Source = KERNELS) -> Iterator[Record]:
    """All frameworks on one kernel, each with its record."""
    benchmark = load(name, preset, source)
    arguments = benchmark.fresh()
    want = benchmark.outcome(arguments, benchmark.function(*arguments))
    emulated = device.startswith("emulated")
    head = {"what": name, "preset": preset}
    if not emulated:
        yield head | {"framework": "numpy", **_times(benchmark, benchmark.function, list)}
    for framework, variants in FRAMEWORKS.items():
        row = head | {"framework": framework}
        try:
            for variant, f, move in variants(benchmark, device):
                row = head | {"framework": framework, "variant": variant}
                yield row | _measured(benchmark, f, move, want, emulated, framework)
        except Skip as e:
            yield row | {"skipped": str(e)}
        except Exception as e:  # noqa: BLE001 (the next one goes on)
            yield row | {"failed": f"{type(e).__name__}: {e}"[:500]}


def _measured(
    benchmark: Benchmark, f: Callable[..., Any], move: Move, want: dict[str, Any], emulated: bool, framework: str
) -> Record:
    arguments = move(benchmark.fresh())
    start = time.perf_counter()
    result = f(*arguments)
    first = time.perf_counter() - start
    got = check.leaves(benchmark.outcome(_home(arguments), _home(result)), want, framework == "jax")
    wanted = {k: want[k] for k in got} if framework == "jax" else want
    error = check.worst_error(wanted, got)
    row: Record = {"error": error, "right": error <= max(benchmark.tolerance, 1e-9)}
    if framework == "soljit":
        arguments = move(benchmark.fresh())
        sol.device.stats(reset=True)
        f(*arguments)
        row["a_call"] = {k: sol.device.stats()[k] for k in COUNTS}
    return row if emulated else row | {"first": first, **_times(benchmark, f, move)}


def _times(benchmark: Benchmark, f: Callable[..., Any], move: Move) -> Record:
    seconds: list[float] = []
    end = time.perf_counter() + BUDGET
    while len(seconds) < 2 or (len(seconds) < MOST and time.perf_counter() < end):
        arguments = move(benchmark.fresh())
        start = time.perf_counter()
        f(*arguments)
        seconds.append(time.perf_counter() - start)
    return {"median": statistics.median(seconds), "least": min(seconds), "calls": len(seconds)}


def _home(value: Any) -> Any:
    """The value, with arrays of a device as NumPy's."""
    if isinstance(value, (list, tuple)):
        return type(value)(_home(v) for v in value)
    if isinstance(value, np.ndarray) or not hasattr(value, "shape"):
        return value
    return value.get() if hasattr(value, "get") else np.asarray(value)


def _soljit(benchmark: Benchmark, device: str) -> Iterator[Variant]:
    f = sol.jit(device=device, offload="always", strict=True)(benchmark.function)
    yield "NumPy in and out", f, list
    put = getattr(sol, "asarray", None)
    if put is not None and any(isinstance(a, np.ndarray) for a in benchmark.arguments.values()):

        def move(arguments: list[Any]) -> list[Any]:
            """The arguments with their arrays on the device, where a call finds them."""
            with sol.settings(device=device):
                moved = [put(a) if isinstance(a, np.ndarray) else a for a in arguments]
            for a in moved:
                if isinstance(a, sol.Array):
                    a._memory.ask("to_device")
            return moved

        def run(*arguments: Any) -> Any:
            result = f(*arguments)
            sol.device.synchronize()
            return result

        yield "on the device", run, move


def _cupy(benchmark: Benchmark, device: str) -> Iterator[Variant]:
    cupy = module("cupy")
    if benchmark.package:
        f = sibling(benchmark, "_cupy")
    else:
        f = compiled_along(benchmark, lambda g: g, {"np": cupy})

    def put(arguments: list[Any]) -> list[Any]:
        return [cupy.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]

    def resident(*arguments: Any) -> Any:
        result = f(*arguments)
        cupy.cuda.runtime.deviceSynchronize()
        return result

    yield "on the device", resident, put
    yield "NumPy in and out", lambda *arguments: _home(f(*put(list(arguments)))), list


def _jax(benchmark: Benchmark, device: str) -> Iterator[Variant]:
    jax = module("jax")
    if jax.default_backend() != "gpu":
        raise Skip(f"JAX runs on {jax.default_backend()} here")
    jax.config.update("jax_enable_x64", True)
    if benchmark.package:
        function = sibling(benchmark, "_jax")

        def put(arguments: list[Any]) -> list[Any]:
            moved = [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
            return list(jax.block_until_ready(moved))

        yield "on the device", lambda *arguments: jax.block_until_ready(function(*arguments)), put
        return
    from bench.frameworks import FRAMEWORKS as ON_HOSTS

    for _, f in ON_HOSTS["jax"].variants(benchmark, {}):
        yield "NumPy in", f, list


FRAMEWORKS: dict[str, Callable[[Benchmark, str], Iterator[Variant]]] = {"soljit": _soljit, "cupy": _cupy, "jax": _jax}


def kernels(name: str, device: str, preset: str, npbench: str = "") -> Iterator[Record]:
    """`kernel` without warnings."""
    warnings.simplefilter("ignore")
    yield from kernel(name, device, preset, Source(npbench=npbench))
