"""What a benchmark is, and where it comes from: a suite of this repository, a checkout of NPBench, or a file of yours.

The suites are `bench/kernels` (NPBench's kernels, in code of our own), `bench/programs` (programs as users write them) and `bench/objects` (programs of
objects and text). A file of a suite holds

* `PRESETS`     name of preset → sizes; "tiny" is for tests
* `CHANGES`     names of the arguments that the function changes in place
* `TOLERANCE`   (optional) largest relative error against NumPy that still counts as right
* `initialize`  takes some of the sizes by name and returns a dict of further arguments
* `turns`       (optional) takes the result and tells how often the function's `while` loop ran, for those who count its work
* the function, named like the file, whose parameters are named after sizes and initialized arguments

A file of yours may hold the same, or the arguments are given as an expression. A checkout of NPBench is described by its
own `bench_info/*.json`, and its files are used as they are.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

SUITES = ("kernels", "programs", "objects")
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Source:
    """Where benchmarks come from: a suite, or the folder of a checkout of NPBench, or a file with expressions for arguments."""

    suite: str = "kernels"
    npbench: str = ""
    file: str = ""
    arguments: str = ""


KERNELS = Source()


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
        return copy.deepcopy([*self.arguments.values()])

    def outcome(self, arguments: list[Any], result: Any) -> dict[str, Any]:
        """Everything a caller can see after a call: the leaves of the result and of the changed arguments."""
        seen = leaves_of("result", result) if result is not None else {}
        for name, value in zip(self.arguments, arguments):
            if name in self.changes:
                seen |= leaves_of(name, value)
        return seen


def names(source: Source = KERNELS) -> list[str]:
    """Names of all benchmarks."""
    if source.npbench:
        return sorted(p.stem for p in (Path(source.npbench) / "bench_info").glob("*.json"))
    if source.file:
        return [source.file.rpartition(":")[2]]
    folder = Path(__file__).parent / source.suite
    return sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__")


def load(name: str, preset: str, source: Source = KERNELS) -> Benchmark:
    """The benchmark with the arguments of `preset`."""
    if source.npbench:
        return _from_npbench(name, preset, Path(source.npbench))
    if source.file:
        return _from_file(source.file, preset, source.arguments)
    return _from_suite(importlib.import_module(f"bench.{source.suite}.{name}"), name, preset)


def leaves_of(name: str, value: Any) -> dict[str, Any]:
    """The arrays and scalars in a value by name: `result[0]`, `body.mass`, `counts['a']`."""
    parts: dict[str, Any] = {}
    if isinstance(value, (tuple, list)):
        parts = {f"{name}[{k}]": v for k, v in enumerate(value)}
    elif isinstance(value, dict):
        parts = {f"{name}[{k!r}]": v for k, v in value.items()}
    elif hasattr(value, "__dict__") and not isinstance(value, (type, FunctionType)):
        parts = {f"{name}.{k}": v for k, v in vars(value).items()}
    else:
        return {name: value}
    return {k: leaf for n, v in parts.items() for k, leaf in leaves_of(n, v).items()}


def _from_suite(module: ModuleType, name: str, preset: str) -> Benchmark:
    values: dict[str, Any] = dict(module.PRESETS[preset])
    values |= module.initialize(**{p: values[p] for p in inspect.signature(module.initialize).parameters})
    function = getattr(module, name)
    parameters = inspect.signature(function).parameters.values()
    arguments = {p.name: values[p.name] for p in parameters if p.name in values or p.default is p.empty}
    changes, tolerance = getattr(module, "CHANGES", ()), getattr(module, "TOLERANCE", TOLERANCE)
    return Benchmark(name, function, arguments, changes, tolerance, module)


def _from_file(place: str, preset: str, expressions: str) -> Benchmark:
    """The function of `folder/file.py:name`. Without the decorator that it may have."""
    path, _, name = place.rpartition(":")
    if not path or not Path(path).is_file():
        raise SystemExit(f"--file takes FILE.py:FUNCTION, and there must be such a file, not {place!r}")
    sys.path.insert(0, str(Path(path).resolve().parent))
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise SystemExit(f"{path} has no function {name!r}")
    function = getattr(module, name)
    function = getattr(function, "python", getattr(function, "py_func", function))  # soljit's and Numba's names for it
    if not expressions and hasattr(module, "PRESETS") and hasattr(module, "initialize"):
        setattr(module, name, function)
        return _from_suite(module, name, preset)
    import numpy

    values = eval(f"({expressions},)" if expressions else "()", {"np": numpy, **vars(module)})  # noqa: S307
    bound = inspect.signature(function).bind(*values)
    bound.apply_defaults()
    return Benchmark(name, function, bound.arguments, tuple(bound.arguments), TOLERANCE, module)


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
