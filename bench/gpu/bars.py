"""The bars: programs of `programs.py` on soljit and on other frameworks, a step's time by the difference of two calls, beside what the device can do."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import soljit as sol
from bench.frameworks import Skip
from bench.gpu.driver import Driver, least
from bench.gpu.expect import counted_call
from bench.gpu.programs import PROGRAMS, Program
from bench.gpu.rates import MiB, Record

Steps = Callable[[int], float]  # seconds of a call of so many steps
COUNTS = ("launches", "h2d_calls", "h2d_bytes", "d2h_calls", "d2h_bytes", "fetch_calls", "syncs")
QUICK = ("fused", "total", "five_points")
BUDGET = 0.1  # seconds of steps in the longer call


def bars(d: Driver, quick: bool) -> Iterator[Record]:
    """Each program with each framework."""
    copy = _copy_rate(d, 256 * MiB) if not quick else 0.0
    for p in PROGRAMS if not quick else [p for p in PROGRAMS if p.name in QUICK]:
        for dtype in p.dtypes:
            for size in (4096,) if quick else p.sizes:
                yield from _bar(d, p, size, dtype, copy, quick)
    yield from calls(d, quick)


def _bar(d: Driver, p: Program, size: int, dtype: str, copy: float, quick: bool) -> Iterator[Record]:
    arguments = p.arguments(size, dtype)
    data = p.data(arguments)
    head = {"what": p.name, "dtype": dtype, "bytes": sum(a.nbytes for a in arguments), p.kind: data}
    for framework, make in FRAMEWORKS.items():
        row = head | {"framework": framework}
        try:
            call = make(p, arguments, d)
            if quick:
                yield row | _counts(call, framework)
                continue
            seconds = step_seconds(call)
            row |= {"seconds": seconds, "rate": data / seconds}
            if p.name == "fused":
                row["work"] = work_of(p, arguments)
            if p.kind == "bytes":
                row |= {"of_copy": data / seconds / copy, "demand": p.demand}
            yield row
        except Skip as e:
            yield row | {"skipped": str(e)}
        except Exception as e:  # noqa: BLE001 (the next one goes on)
            yield row | {"failed": f"{type(e).__name__}: {e}"[:500]}


def work_of(p: Program, arguments: list[Any]) -> float:
    """Operations of a step, in units of soljit's model of costs."""
    c = counted_call(p.function, [*arguments, 1])
    return c.kernel_operations


def _counts(call: Steps, framework: str) -> Record:
    """What a step takes on a device that has no speed: counts of four steps more, for one."""
    found = []
    for steps in (2, 6):
        sol.device.stats(reset=True)
        call(steps)
        found.append(sol.device.stats())
    few, many = found
    return {"a_step": {k: (many[k] - few[k]) / 4 for k in COUNTS}, "a_call": {k: few[k] for k in COUNTS}}


def step_seconds(call: Steps) -> float:
    """Seconds of one step: the difference of a long and a short call over their steps, the least of three each."""
    call(1)  # compiled, or read from the cache
    least_of_all = call(1)
    steps = 4
    while steps < 1 << 20 and call(steps) - least_of_all < BUDGET:
        steps *= 2
    short = steps // 4
    few, many = (min(call(n) for _ in range(3)) for n in (short, steps))
    return max(many - few, 1e-12) / (steps - short)


def _copy_rate(d: Driver, size: int) -> float:
    """Bytes a second that the device copies, read and written."""
    with d.memory(size) as a, d.memory(size) as b:

        def copies() -> None:
            for _ in range(10):
                d.must("cuMemcpyDtoDAsync_v2", b, a, size, d.stream)
            d.wait()

        return 20 * size / least(copies, 3)


# --- frameworks -----------------------------------------------------------------------------------------------------------


def _soljit(p: Program, arguments: list[Any], d: Driver) -> Steps:
    """On arrays that are on the device."""
    f = sol.jit(device=d.device.text, offload="always", strict=True)(p.function)
    with sol.settings(device=d.device.text):
        own = [sol.asarray(a) for a in arguments]

    def run(steps: int) -> None:
        f(*own, steps)
        sol.device.synchronize()

    return lambda steps: _timed(lambda: run(steps))


def _on_host(p: Program, arguments: list[Any], d: Driver) -> Steps:
    """soljit on the processor."""
    if d.device.arch == "emulated":
        raise Skip("nothing is counted on a processor")
    f = sol.jit(device="cpu", strict=True)(p.function)
    own = [a.copy() for a in arguments]
    return lambda steps: _timed(lambda: f(*own, steps))


def _cupy(p: Program, arguments: list[Any], d: Driver) -> Steps:
    cupy = module("cupy")
    own = [cupy.asarray(a) for a in arguments]

    def run(steps: int) -> None:
        p.function(*own, steps)
        cupy.cuda.runtime.deviceSynchronize()

    return lambda steps: _timed(lambda: run(steps))


def _jax(p: Program, arguments: list[Any], d: Driver) -> Steps:
    """A step as a pure function under `jax.jit` with `fori_loop`, on arrays that are on the device."""
    jax = module("jax")
    if jax.default_backend() != "gpu":
        raise Skip(f"JAX runs on {jax.default_backend()} here")
    jax.config.update("jax_enable_x64", True)
    step = _JAX_STEPS.get(p.name)
    if step is None:
        raise Skip("there is no version of it for JAX")
    jnp = jax.numpy
    loop = jax.jit(lambda steps, xs: jax.lax.fori_loop(0, steps, lambda _, ys: step(jnp, *ys), xs))
    own = tuple(jnp.asarray(a) for a in arguments)
    return lambda steps: _timed(lambda: jax.block_until_ready(loop(steps, own)))


def _jax_average(jnp: Any, a: Any) -> Any:
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def _jax_five_points(jnp: Any, a: Any, b: Any) -> Any:
    b = b.at[1:-1, 1:-1].set(_jax_average(jnp, a))
    return a.at[1:-1, 1:-1].set(_jax_average(jnp, b)), b


def _jax_gemm(jnp: Any, a: Any, b: Any, c: Any) -> Any:
    c = a @ b
    return a, a @ c, c


_JAX_STEPS: dict[str, Callable[..., Any]] = {
    "fused": lambda jnp, a, b, c: ((a * b + c) * 0.5 - b * (c - 0.25), b, c),
    "total": lambda jnp, a, s: (a, 0.5 + 1e-9 * (a * s[0]).sum(keepdims=True)),
    "rows": lambda jnp, a, s: (a, (a * s[0]).sum(axis=1)),
    "columns": lambda jnp, a, s: (a, (a * s[0]).sum(axis=0)),
    "five_points": _jax_five_points,
    "gemm": _jax_gemm,
}


def _numba_cuda(p: Program, arguments: list[Any], d: Driver) -> Steps:
    """Kernels as a user of numba.cuda would write them, on arrays that are on the device."""
    cuda: Any = module("numba.cuda")
    if p.name == "fused":

        @cuda.jit  # type: ignore[untyped-decorator]
        def kernel(a: Any, b: Any, c: Any) -> None:
            i = cuda.grid(1)
            if i < a.size:
                a[i] = (a[i] * b[i] + c[i]) * 0.5 - b[i] * (c[i] - 0.25)

        grid: Any = ((arguments[0].size + 255) // 256, 256)
    elif p.name == "five_points":

        @cuda.jit  # type: ignore[untyped-decorator]
        def kernel(a: Any, b: Any) -> None:
            j, i = cuda.grid(2)
            if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])

        n = arguments[0].shape[0]
        grid = (((n + 31) // 32, (n + 7) // 8), (32, 8))
    else:
        raise Skip("there is no version of it for numba.cuda")
    own = [cuda.to_device(a) for a in arguments]

    def run(steps: int) -> None:
        for _ in range(steps):
            kernel[grid](*own)
            if p.name == "five_points":
                kernel[grid](*own[::-1])
        cuda.synchronize()

    return lambda steps: _timed(lambda: run(steps))


def _cublas(p: Program, arguments: list[Any], d: Driver) -> Steps:
    """The library itself: the bar for `gemm`."""
    if p.name != "gemm":
        raise Skip("for products only")
    if d.device.arch == "emulated":
        raise Skip("there is no cuBLAS for the emulated device")
    from cuda.pathfinder import load_nvidia_dynamic_lib

    from soljit.runtime.build.c_interface import interface

    ffi: Any = interface(
        functions="""
        int cublasCreate_v2(void**); int cublasSetStream_v2(void*, void*);
        int cublasDgemm_v2(void*, int, int, int, int, int, const double*, uint64_t, int, uint64_t, int, const double*, uint64_t, int);
    """
    )
    lib: Any = ffi.dlopen(load_nvidia_dynamic_lib("cublas").abs_path)
    handle = ffi.new("void**")
    if lib.cublasCreate_v2(handle) or lib.cublasSetStream_v2(handle[0], d.stream):
        raise RuntimeError("cuBLAS cannot be used")
    n, size = arguments[0].shape[0], arguments[0].nbytes
    places = [d.out("uint64_t*", "cuMemAlloc_v2", size) for _ in arguments]
    for at, a in zip(places, arguments):
        d.must("cuMemcpyHtoD_v2", at, d.ffi.cast("void*", a.ctypes.data), size)
    one, zero = ffi.new("double*", 1.0), ffi.new("double*", 0.0)

    def product(x: int, y: int, out: int) -> None:  # rows and columns change places
        if lib.cublasDgemm_v2(handle[0], 0, 0, n, n, n, one, y, n, x, n, zero, out, n):
            raise RuntimeError("cublasDgemm failed")

    def run(steps: int) -> None:
        a, b, c = places
        for _ in range(steps):
            product(a, b, c)
            product(a, c, b)
        d.wait()

    return lambda steps: _timed(lambda: run(steps))


FRAMEWORKS: dict[str, Callable[[Program, list[Any], Driver], Steps]] = {
    "soljit": _soljit,
    "soljit-cpu": _on_host,
    "cupy": _cupy,
    "jax": _jax,
    "numba-cuda": _numba_cuda,
    "cublas": _cublas,
}


def module(name: str) -> Any:
    """A framework; Skip if it is not installed."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        raise Skip(f"{name.partition('.')[0]} is not installed")
    return importlib.import_module(name)


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


# --- calls ----------------------------------------------------------------------------------------------------------------


def scaled(x: Any) -> Any:
    return x * 2.0 + 1.0


def calls(d: Driver, quick: bool) -> Iterator[Record]:
    """What a call costs: NumPy arrays in and out, and arrays that are on the device, where soljit has such."""
    f = sol.jit(device=d.device.text, offload="always", strict=True)(scaled)
    for n in (8,) if quick else (8, 100_000, 10_000_000):
        x = np.ones(n)
        f(x)
        sol.device.stats(reset=True)
        f(x)
        counts = {k: sol.device.stats()[k] for k in COUNTS}
        row: Record = {"what": "call, NumPy in and out", "bytes": 2 * x.nbytes, "a_call": counts}
        if not quick:
            row |= {"seconds": least(lambda x=x: f(x), 50), "numpy": least(lambda x=x: scaled(x), 20)}  # type: ignore[misc]
        yield row
        on_device = getattr(sol, "asarray", None)
        if on_device is None:
            yield {"what": "call, arrays on the device", "skipped": "this soljit has no arrays on the device"}
            continue
        try:
            with sol.settings(device=d.device.text):
                y = on_device(x)
            f(y)
            row = {"what": "call, arrays on the device", "bytes": 2 * x.nbytes}
            if not quick:
                row |= {"seconds": least(lambda y=y: f(y), 200)}  # type: ignore[misc]
            yield row
        except Exception as e:  # noqa: BLE001
            yield {"what": "call, arrays on the device", "failed": f"{type(e).__name__}: {e}"[:500]}
