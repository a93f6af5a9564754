"""Dotted names: what they lead to, and whose modules they name."""

from __future__ import annotations

import builtins
import enum
import functools
import importlib.util
import inspect
import os
import sys
import types
from typing import Any

# Packages that are called as they are, not compiled along.
LIBRARIES = {
    "_pytest", "astropy", "cupy", "dask", "h5py", "hypothesis", "jax", "jaxlib", "matplotlib", "mpl_toolkits", "mpmath", "networkx", "numba",
    "pandas", "PIL", "pyarrow", "pytest", "requests", "rich", "scipy", "seaborn", "skimage", "sklearn", "statsmodels", "sympy", "torch", "tqdm",
    "xarray", "yaml",
}  # fmt: skip

_NOTHING = object()
_BOUND = (
    classmethod,
    staticmethod,
    types.ClassMethodDescriptorType,
)  # what classes give in another form than they hold it
_MADE_FOR_CLASSES = (functools.partialmethod, functools.singledispatchmethod)  # something new at each look
_BOUND_BY_OBJECTS = (*_BOUND, types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
_OF_AN_OWNER = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
_METHODS = (types.MethodType, types.BuiltinMethodType)


def whose(module: object) -> str:
    """Tell whose module it is: "python", "numpy", "library" (called as it is), "soljit", or that of a "program"."""
    if module is not None and not isinstance(module, str):
        return "python"  # types of Cython, before Python 3.11
    root = (module or "__main__").partition(".")[0]
    if root in ("numpy", "soljit"):
        return root
    if root in LIBRARIES:
        return "library"
    of_python = (
        root in sys.stdlib_module_names and root != "__main__" or root.startswith("_cython_")
    )  # Cython's functions
    return "python" if of_python else "program"


def home(module: str) -> str:
    """The name under which every process finds a module: to a child that `multiprocessing` spawned, `__main__` calls itself `__mp_main__`."""
    return "__main__" if module == "__mp_main__" else module


# Modules that do nothing when they are imported but define what is in them.
QUIET = {
    "abc", "array", "bisect", "calendar", "cmath", "collections", "contextlib", "copy", "dataclasses", "datetime", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "math", "numbers", "numpy", "operator", "os", "random", "re", "statistics", "string", "struct", "sys",
    "textwrap", "time", "types", "typing", "warnings",
}  # fmt: skip


def is_quiet(module: str) -> bool:
    """Tell whether importing this module has no effect that a program could see: it is loaded, or one that Python or NumPy ships."""
    root = module.partition(".")[0]
    if sys.modules.get(module) is not None:
        return True
    if root not in QUIET or "tests" in module:
        return False
    above = sys.modules.get(root)
    if above is not None and root != module:  # the finder looks below what is loaded
        return whose(module) in ("python", "numpy") and hasattr(above, "__path__")
    spec = importlib.util.find_spec(root)
    origin = "" if spec is None or spec.origin is None else spec.origin
    return origin in ("built-in", "frozen") or origin.startswith(os.path.dirname(os.__file__) + os.sep)


def is_made_by_namedtuple(method: object) -> bool:
    """Tell whether this is a `__new__` that `collections.namedtuple` or `typing.NamedTuple` has written."""
    if not isinstance(method, types.FunctionType):
        return False
    return str(method.__globals__.get("__name__")).startswith("namedtuple_")


def owner_of(value: Any) -> Any:  # any object
    """The object that a method is bound to, or the module of a function that is written in C; None of everything else."""
    return value.__self__ if isinstance(value, _OF_AN_OWNER) else None


def find(dotted: str) -> Any:  # whatever the name names
    """The object of a dotted name: the longest importable module, then attributes.

    Raises AttributeError, or what importing a module raises.
    """
    try:
        return reached(dotted)
    except LookupError:
        return _imported(dotted)


def _imported(dotted: str) -> Any:  # whatever the name names
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


def reached(dotted: str) -> Any:  # whatever the name names
    """What a dotted name leads to among the loaded modules; LookupError if nothing. No module is imported, and no code of the program runs."""
    parts = dotted.split(".")
    found: Any = builtins
    for k in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:k]))
        if module is not None:
            found, parts = module, parts[k:]
            break
    for name in parts:
        if isinstance(found, enum.EnumMeta) and name in vars(found).get("_member_map_", ()):
            found = vars(found)["_member_map_"][name]  # which a descriptor of Python's hides
            continue
        member = inspect.getattr_static(found, name, _NOTHING)
        if member is _NOTHING and whose(getattr(found, "__name__", None)) == "soljit":
            member = getattr(found, name, _NOTHING)  # `base/python/unnamed.py` answers for names of its own
        if member is _NOTHING:
            raise LookupError(dotted)
        if isinstance(found, type) and isinstance(member, _BOUND):
            found = member.__get__(None, found)
        elif not isinstance(found, (type, types.ModuleType)) and isinstance(member, _BOUND_BY_OBJECTS):
            found = member.__get__(found, type(found))
        elif isinstance(found, type) and isinstance(member, _MADE_FOR_CLASSES):
            raise LookupError(dotted)
        else:
            found = member
    return found


def leads_to(dotted: str, value: object) -> bool:
    """Tell whether this is what the dotted name names. (A method is another object each time, but equal.)"""
    if "<" in dotted:
        return False
    try:
        found = reached(dotted)
    except LookupError:
        return False
    return found is value or type(found) is type(value) and isinstance(value, _METHODS) and bool(found == value)
