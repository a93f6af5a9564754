"""How each framework turns a benchmark into callables. A peer that is not installed is skipped with the reason.

On our own kernels a peer gets the very NumPy function that soljit gets, with the helpers it calls; on a checkout of
NPBench soljit and docc get the unmodified NumPy file and the others the version that NPBench has for them.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from bench.benchmark import Benchmark

Variant = tuple[str, Callable[..., Any]]


class Skip(Exception):
    """This framework does not run this benchmark; the text says why."""


@dataclass(frozen=True)
class Framework:
    """module, distribution: must be there. immutable: returns what NumPy would change. exact: types are checked. settling: calls before it is
    timed, in which it decides how it runs."""

    module: str
    distribution: str
    variants: Callable[[Benchmark, dict[str, Any]], Iterator[Variant]]
    immutable: bool = False
    exact: bool = False
    settling: int = 0


def version(framework: str) -> str | None:
    """The installed version, or None; a package that is found but not installed is a checkout."""
    if importlib.util.find_spec(FRAMEWORKS[framework].module) is None:
        return None
    try:
        return importlib.metadata.version(FRAMEWORKS[framework].distribution)
    except importlib.metadata.PackageNotFoundError:
        return "checkout"


def own_functions(benchmark: Benchmark) -> list[FunctionType]:
    """The functions that the benchmark's file defines."""
    values = vars(benchmark.module).values()
    return [v for v in values if isinstance(v, FunctionType) and v.__module__ == benchmark.module.__name__]


def compiled_along(
    benchmark: Benchmark, decorate: Callable[..., Any], replaced: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """The benchmark's function and the helpers of its file, all decorated; `replaced` are other globals for them."""
    namespace = vars(benchmark.module) | (replaced or {})
    for f in own_functions(benchmark):
        namespace[f.__name__] = decorate(FunctionType(f.__code__, namespace, f.__name__, f.__defaults__))
    made: Callable[..., Any] = namespace[benchmark.function.__name__]
    return made


def sibling(benchmark: Benchmark, suffix: str) -> Callable[..., Any]:
    """NPBench's own version of the benchmark for a framework."""
    try:
        module = importlib.import_module(benchmark.package + suffix)
    except ModuleNotFoundError as e:
        raise Skip(f"NPBench has no version of it: {e}") from e
    made: Callable[..., Any] = getattr(module, benchmark.function.__name__)
    return made


def _numpy(benchmark: Benchmark, options: dict[str, Any]) -> Iterator[Variant]:
    yield "numpy", benchmark.function


def _soljit(benchmark: Benchmark, options: dict[str, Any]) -> Iterator[Variant]:
    import soljit

    yield "soljit", soljit.jit(**{"strict": True, **options})(benchmark.function)


def _soljit_by_default(benchmark: Benchmark, options: dict[str, Any]) -> Iterator[Variant]:
    """As most users decorate: what is refused, or calls Python more than anything else, may run in plain Python."""
    import soljit

    soljit.settings(wait_seconds=0)  # what is timed is compiled code, however long it takes to come
    yield "default", soljit.jit(**{**options, "strict": False})(benchmark.function)


def _numba(benchmark: Benchmark, options: dict[str, Any]) -> Iterator[Variant]:
    import numba

    if benchmark.package:
        found = False
        for suffix in ("n", "np", "npr"):
            try:
                made = sibling(benchmark, f"_numba_{suffix}")
            except Skip:
                continue
            found = True
            yield suffix, made
        if not found:
            raise Skip("NPBench has no version of it")
        return
    for parallel in (False, True):

        def decorate(f: Callable[..., Any], parallel: bool = parallel) -> Callable[..., Any]:
            jitted: Callable[..., Any] = numba.njit(parallel=parallel)(f)
            return jitted

        yield "parallel" if parallel else "njit", compiled_along(benchmark, decorate)


def _jax(benchmark: Benchmark, options: dict[str, Any]) -> Iterator[Variant]:
    import jax

    jax.config.update("jax_enable_x64", True)
    if benchmark.package:
        function = sibling(benchmark, "_jax")
    elif benchmark.changes:
        raise Skip("it changes its arguments in place, which JAX cannot")
    elif "] = " in inspect.getsource(benchmark.module) or "] += " in inspect.getsource(benchmark.module):
        raise Skip("it assigns to elements, which JAX cannot")
    else:
        static = [k for k, a in enumerate(benchmark.arguments.values()) if isinstance(a, int)]
        plain = compiled_along(benchmark, lambda f: f, {"np": jax.numpy})
        function = jax.jit(plain, static_argnums=static)

    def call(*arguments: Any) -> Any:
        moved = [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        return jax.block_until_ready(function(*moved))

    yield "jax", call


def _pythran_type(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{','.join(':' * value.ndim)}]"
    return str(value.dtype) if isinstance(value, np.generic) else type(value).__name__


def _pythran(benchmark: Benchmark, options: dict[str, Any]) -> Iterator[Variant]:
    name = benchmark.function.__name__
    folder = Path(tempfile.mkdtemp(prefix="bench-pythran-"))
    if benchmark.package:
        try:
            found = importlib.util.find_spec(benchmark.package + "_pythran")
        except ModuleNotFoundError:
            found = None
        if found is None or found.origin is None:
            raise Skip("NPBench has no version of it")
        source = Path(found.origin).read_text()
    else:
        types = ", ".join(_pythran_type(a) for a in benchmark.arguments.values())
        parts = [inspect.getsource(f) for f in own_functions(benchmark) if f.__name__ != "initialize"]
        source = "\n".join([f"#pythran export {name}({types})", "import numpy as np", *parts])
    module = f"{benchmark.name}_pythran"
    (folder / f"{module}.py").write_text(source)
    library = folder / f"{module}.so"
    command = [sys.executable, "-m", "pythran.run", "-DUSE_XSIMD", "-fopenmp", "-march=native", "-O3"]
    done = subprocess.run([*command, str(folder / f"{module}.py"), "-o", str(library)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("pythran: " + " ".join(line for line in done.stderr.split("\n") if "rror" in line)[:300])
    spec = importlib.util.spec_from_file_location(module, library)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    yield "pythran", getattr(made, name)


def _dace(benchmark: Benchmark, options: dict[str, Any]) -> Iterator[Variant]:
    import dace

    if benchmark.package:
        yield "dace", sibling(benchmark, "_dace")
    else:
        yield "dace", dace.program(auto_optimize=True)(benchmark.function)


def _docc(benchmark: Benchmark, options: dict[str, Any]) -> Iterator[Variant]:
    from docc.python import native

    for target in ("openmp", "sequential"):
        yield target, native(target=target, category="server")(benchmark.function)


FRAMEWORKS: dict[str, Framework] = {
    "numpy": Framework("numpy", "numpy", _numpy, exact=True),
    "soljit": Framework("soljit", "soljit", _soljit, exact=True),
    "soljit-default": Framework("soljit", "soljit", _soljit_by_default, exact=True, settling=12),
    "numba": Framework("numba", "numba", _numba),
    "jax": Framework("jax", "jax", _jax, immutable=True),
    "pythran": Framework("pythran", "pythran", _pythran),
    "dace": Framework("dace", "dace", _dace),
    "docc": Framework("docc", "docc-compiler", _docc),
}
