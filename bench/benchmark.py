"""What a benchmark is, and where it comes from: a file of `bench/kernels`, or a checkout of NPBench.

A file of `bench/kernels` holds

* `PRESETS`     name of preset → sizes; "tiny" is for tests, the others are NPBench's
* `CHANGES`     names of the arguments that the function changes in place
* `TOLERANCE`   (optional) largest relative error against NumPy that still counts as right
* `initialize`  takes some of the sizes by name and returns a dict of further arguments
* the function, named like the file, whose parameters are named after sizes and initialized arguments

A checkout of NPBench is described by its own `bench_info/*.json`, and its files are used as they are.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

KERNELS = Path(__file__).parent / "kernels"
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Benchmark:
    """A function with ready arguments. `arguments` is in the order of the function's parameters."""

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    changes: tuple[str, ...]
    tolerance: float
    module: ModuleType
    package: str = ""  # dotted stem of NPBench's modules, to which "_numba_n", "_dace" … can be appended

    def fresh(self) -> list[Any]:
        """New copies of the arguments, for one call."""
        return [copy.deepcopy(a) for a in self.arguments.values()]

    def outcome(self, arguments: list[Any], result: Any) -> dict[str, Any]:
        """Everything a caller can see after a call: the leaves of the result and the changed arguments."""
        seen: dict[str, Any] = {}
        if isinstance(result, (tuple, list)):
            seen = {f"result[{k}]": r for k, r in enumerate(result)}
        elif result is not None:
            seen = {"result": result}
        names = list(self.arguments)
        return seen | {n: arguments[names.index(n)] for n in self.changes}


def names(npbench: Path | None = None) -> list[str]:
    """Names of all benchmarks."""
    if npbench is not None:
        return sorted(p.stem for p in (npbench / "bench_info").glob("*.json"))
    return sorted(p.stem for p in KERNELS.glob("*.py") if p.stem != "__init__")


def load(name: str, preset: str, npbench: Path | None = None) -> Benchmark:
    """The benchmark with the arguments of `preset`."""
    return _from_npbench(name, preset, npbench) if npbench is not None else _own(name, preset)


def _own(name: str, preset: str) -> Benchmark:
    module = importlib.import_module(f"bench.kernels.{name}")
    values: dict[str, Any] = dict(module.PRESETS[preset])
    values |= module.initialize(**{p: values[p] for p in inspect.signature(module.initialize).parameters})
    function = getattr(module, name)
    parameters = inspect.signature(function).parameters.values()
    arguments = {p.name: values[p.name] for p in parameters if p.name in values or p.default is p.empty}
    return Benchmark(name, function, arguments, module.CHANGES, getattr(module, "TOLERANCE", TOLERANCE), module)


def _from_npbench(name: str, preset: str, root: Path) -> Benchmark:
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    info = json.loads((root / "bench_info" / f"{name}.json").read_text())["benchmark"]
    package = f"npbench.benchmarks.{info['relative_path'].replace('/', '.')}.{info['module_name']}"
    values: dict[str, Any] = dict(info["parameters"][preset])
    if init := info.get("init"):
        made = getattr(importlib.import_module(package), init["func_name"])(*(values[a] for a in init["input_args"]))
        values |= zip(init["output_args"], made if isinstance(made, tuple) else (made,))
    module = importlib.import_module(package + "_numpy")
    # NPBench bounds the norm of the error; single precision and chaotic programs say so by a larger bound.
    tolerance = max(info.get("norm_error", 1e-5), info.get("rtol", 0.0))
    arguments = {a: values[a] for a in info["input_args"]}
    return Benchmark(
        name, getattr(module, info["func_name"]), arguments, tuple(info["output_args"]), tolerance, module, package
    )


def describe(value: Any) -> str:
    """Type, dtype and shape as a user would say it: "float64[3, 4]", "np.float64", "int"."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is None or shape is None:
        return type(value).__name__
    return f"{dtype}{list(shape)}" if shape or type(value).__name__ == "ndarray" else f"np.{dtype}"


def geomean(values: list[float]) -> float:
    """Geometric mean; NaN for nothing."""
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else math.nan
