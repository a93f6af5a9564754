"""Dotted names: what they lead to, and whose modules they name."""

from __future__ import annotations

import builtins
import importlib
import sys
from typing import Any

# Packages that are called as they are, not compiled along.
LIBRARIES = {
    "_pytest", "astropy", "cupy", "dask", "h5py", "hypothesis", "jax", "jaxlib", "matplotlib", "mpl_toolkits", "mpmath", "networkx", "numba",
    "pandas", "PIL", "pyarrow", "pytest", "requests", "rich", "scipy", "seaborn", "skimage", "sklearn", "statsmodels", "sympy", "torch", "tqdm",
    "xarray", "yaml",
}  # fmt: skip


def whose(module: str | None) -> str:
    """Whose module is it: "python", "numpy", "library" (called as it is), "soljit", or that of a "program"?"""
    root = (module or "__main__").partition(".")[0]
    if root in ("numpy", "soljit"):
        return root
    if root in LIBRARIES:
        return "library"
    return "python" if root in sys.stdlib_module_names and root != "__main__" else "program"


def find(dotted: str) -> Any:  # whatever the name names
    """The object of a dotted name: the longest importable module, then attributes.

    Raises AttributeError, or what importing a module raises.
    """
    parts = dotted.split(".")
    found: Any = builtins
    for k in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        parts = parts[k:]
        break
    for name in parts:
        found = getattr(found, name)
    return found


def leads_to(dotted: str, value: object) -> bool:
    """Is this what the dotted name names? (A method is another object each time, but equal.)"""
    if "<" in dotted:
        return False
    try:
        found = find(dotted)
    except (ImportError, AttributeError):
        return False
    return found is value or type(found) is type(value) and bool(found == value)
