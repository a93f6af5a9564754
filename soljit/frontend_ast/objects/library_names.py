"""The dotted names by which compiled code finds functions and classes of Python's library and of NumPy."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import looks_at_the_frame
from soljit.base.python.classes import has_a_name, is_of_the_user
from soljit.base.python.names import owner_of
from soljit.base.python.object_names import class_name, ufunc_name


def is_numpy(obj: Any) -> bool:
    """Tell whether this is one of NumPy's functions (or of math, or a ufunc), so that calling it back means what NumPy means."""
    if not isinstance(obj, type) and is_of_the_user(type(obj)):
        return False
    owner = owner_of(obj)
    module = getattr(obj, "__module__", None) or getattr(owner, "__module__", None) or ""
    if isinstance(obj, np.ufunc) or isinstance(owner, np.ufunc):
        return True
    return callable(obj) and not isinstance(obj, type) and module.partition(".")[0] in ("numpy", "math", "cmath")


def dotted_name(obj: Any) -> str | None:
    """A name by which the function is found again."""
    name = getattr(obj, "__name__", None)
    owner = getattr(obj, "__self__", None)
    if isinstance(owner, np.ufunc) or isinstance(obj, np.ufunc):
        return ufunc_name(obj)
    if isinstance(owner, type) and getattr(owner, str(name), None) == obj:
        return f"{owner.__module__}.{owner.__qualname__}.{name}"
    module = getattr(obj, "__module__", "numpy") or "numpy"
    if name is None and module == "numpy.ma.core":  # np.ma.arange and its like in older NumPy: objects without a name
        name = next((k for k, v in vars(np.ma.core).items() if v is obj), None)
    for m in (module, "numpy", "numpy.linalg", "numpy.fft", "numpy.random"):
        try:
            found: Any = __import__(m, fromlist=["_"])
        except ImportError:
            continue
        if getattr(found, str(name), None) is obj:
            return f"{m}.{name}"
    if owner is np.random.mtrand._rand:
        return f"numpy.random.{name}"
    return None


# Modules whose functions are called by their names: those of the second set may change the lists that they get.
WITHOUT_EFFECT = {
    "builtins",
    "math",
    "cmath",
    "statistics",
    "itertools",
    "fractions",
    "decimal",
    "string",
    "re",
    "json",
    "collections",
    "functools",
    "contextlib",
    "random",
}


CHANGING_ARGUMENTS = {"heapq", "bisect", "copy", "operator"}


def name_of(function: Any) -> str | None:
    """The dotted name of a function or class of Python's library or of NumPy."""
    if not has_a_name(function) and not isinstance(function, np.ufunc):
        return None
    of = owner_of(function)
    if isinstance(function, types.BuiltinMethodType) and isinstance(of, type):  # dict.fromkeys and the like
        inside = of.__module__ in WITHOUT_EFFECT and of.__dict__.get(function.__name__) is not None
        return f"{class_name(of)}.{function.__name__}" if inside else None
    if function is str.maketrans:  # which says nothing of its module
        return "builtins.str.maketrans"
    module = (getattr(function, "__module__", None) or "").partition(".")[0]
    if isinstance(of, np.ufunc):
        return ufunc_name(function)
    if isinstance(function, np.ufunc) or module == "numpy":
        return class_name(function) if isinstance(function, type) else dotted_name(function)
    if module.lstrip("_") not in WITHOUT_EFFECT | CHANGING_ARGUMENTS or "<" in getattr(function, "__qualname__", "<"):
        return None
    if looks_at_the_frame(module, function.__name__):
        return None
    if isinstance(function, (type, types.BuiltinFunctionType, types.FunctionType)):
        return class_name(function)  # type: ignore[arg-type]
    return None
