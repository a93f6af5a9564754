"""What is compiled of NumPy: `python -m tests.architecture.numpy_support` writes docs/numpy_support.md from the tables of the front end."""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from soljit.base.python.names import owner_of
from soljit.frontend_ast import handlers
from soljit.frontend_ast.arrays.ufunc_kernels import KERNELS
from soljit.frontend_ast.calls import ufunc_calls
from soljit.frontend_ast.calls.callbacks import callback
from soljit.frontend_ast.lowering import registry
from soljit.frontend_ast.objects import library_names
from soljit.ir.callbacks.random_distributions import distributions
from soljit.ir.core.types import from_numpy
from tests.architecture.sources import ROOT

DOCUMENT = ROOT / "docs" / "numpy_support.md"
NAMESPACES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.random",
    "numpy.lib.stride_tricks",
    "numpy.polynomial.polynomial",
    "numpy.polynomial.chebyshev",
    "numpy.polynomial.legendre",
    "numpy.polynomial.hermite",
    "numpy.polynomial.hermite_e",
    "numpy.polynomial.laguerre",
)
NATIVE, BACK, OBJECT, REFUSED = "native", "called back", "object", "refused"

HEAD = """# NumPy: what is compiled, and how

Written by `python -m tests.architecture.numpy_support` (NumPy {version}).

* **native**: a handler or a kernel makes loops of it; a form that the handler does not compile (a rare keyword, say) is called back.
* **called back**: compiled code calls NumPy. What the result is, a call on small samples tells; where samples do not tell, the first result does;
  what may be real or complex as the values are (`eigvals`, `roots`), is compiled for both where one call may give both. It is refused where it may give a view of its argument.
* **object**: makes a Python object, on which methods and operators are called back.
* **refused**: strict mode raises, the default runs the function in plain Python.

Arrays are of the numeric types: bool, int8 … int64, uint8 … uint64, float16, float32, float64, complex64, complex128.
"""

ONE = "with plain parameters"
GENERATORS = ("numpy.random._generator.Generator", "numpy.random.mtrand.RandomState")

REASONS = {
    "no numeric type": "its elements are of no numeric type",
    "subclass": "a subclass of ndarray",
    "names": "no name by which compiled code finds it",
}


def status(obj: Any) -> tuple[str, str]:
    """(how it is compiled, a remark)."""
    entry = registry.find(obj)
    if entry is not None:
        return NATIVE, entry.remark
    if owner_of(obj) is np.random.mtrand._rand and obj.__name__ in distributions("numpy.random"):
        return NATIVE, ONE
    if isinstance(obj, np.ufunc):
        return (NATIVE if obj.__name__ in KERNELS else BACK), "ufunc"
    if isinstance(obj, type):
        return _class(obj)
    if library_names.is_numpy(obj) or library_names.dotted_name(obj):
        return (BACK, "") if library_names.dotted_name(obj) else (REFUSED, REASONS["names"])
    return REFUSED, REASONS["names"]


def _class(cls: type) -> tuple[str, str]:
    if issubclass(cls, np.generic):
        found = from_numpy(cls) if issubclass(cls, (np.number, np.bool_)) and not _abstract(cls) else None
        if found is not None and found.numpy.type is cls:
            return NATIVE, "scalar type"
        return REFUSED, "for isinstance and issubdtype only" if _abstract(cls) else REASONS["no numeric type"]
    if issubclass(cls, np.ndarray):
        return REFUSED, REASONS["subclass"]
    if issubclass(cls, BaseException):
        return NATIVE, "exception"
    return OBJECT, ""


def _abstract(cls: type) -> bool:
    return bool(cls.__subclasses__()) and cls not in (np.float64, np.complex128)


def functions(namespace: str) -> Iterator[tuple[str, Any]]:
    """The public callables of a namespace."""
    module = importlib.import_module(namespace)
    for name in sorted(getattr(module, "__all__", None) or dir(module), key=str.lower):
        obj = getattr(module, name, None)
        if not name.startswith("_") and callable(obj) and not isinstance(obj, types.ModuleType):
            yield name, obj


def methods() -> Iterator[tuple[str, str]]:
    """(method or attribute of arrays, how it is compiled)."""
    for name in dir(np.ndarray):
        if name.startswith("_"):
            continue
        if not callable(getattr(np.ndarray, name)):
            yield name, NATIVE if name in registry.ATTRIBUTES else REFUSED
        elif name in registry.METHODS:
            yield name, NATIVE
        else:
            yield f"{name}()", REFUSED if name in callback.OF_THE_OBJECT else BACK


def draws(owner: str) -> Iterator[tuple[str, str, str]]:
    """(method of a generator, how it is compiled, a remark)."""
    native = distributions(owner)
    for name in dir(getattr(np.random, owner.rpartition(".")[2])):
        if not name.startswith("_") and name != "bit_generator":
            yield name, NATIVE if name in native else BACK, ONE if name in native else ""


def rows(title: str, found: list[tuple[str, str, str]]) -> Iterator[str]:
    """A section: one paragraph for each way, names with remarks."""
    yield f"\n## {title}\n"
    for way in (NATIVE, BACK, OBJECT, REFUSED):
        names = [
            f"`{name}`" + (f" ({remark})" if remark not in ("", "ufunc") else "")
            for name, w, remark in found
            if w == way
        ]
        if names:
            yield f"**{way}** ({len(names)}): {', '.join(names)}\n"


def text() -> str:
    """The document."""
    assert handlers.LOADED
    out = [HEAD.format(version=np.__version__)]
    for namespace in NAMESPACES:
        out += rows(namespace, [(name, *status(obj)) for name, obj in functions(namespace)])
    out += rows("Methods and attributes of arrays", [(name.removesuffix("()"), way, "") for name, way in methods()])
    for owner in GENERATORS:
        out += rows(f"Methods of numpy.random.{owner.rpartition('.')[2]}", list(draws(owner)))
    ufuncs = [(name, NATIVE if name in ufunc_calls.METHODS else BACK, "") for name in _UFUNC_METHODS]
    out += rows("Methods of ufuncs", ufuncs)
    return "\n".join(out).replace("\n\n\n", "\n\n").rstrip("\n") + "\n"


_UFUNC_METHODS = ("accumulate", "at", "outer", "reduce", "reduceat")


def main() -> None:
    """Write the document."""
    DOCUMENT.write_text(text())


if __name__ == "__main__":
    main()
