"""What people write who come from other compilers, and what it is called here: texts for errors and remarks."""

from __future__ import annotations

from types import FunctionType
from typing import Any

# Keywords of numba.jit, jax.jit, torch.compile and dace.program → what to do instead.
KEYWORDS = {
    "nopython": "leave it out: nothing is ever compiled halfway, and strict=True makes an error of what cannot be compiled",
    "forceobj": "leave it out, or turn compiling off with sol.settings(disable=True)",
    "looplift": "leave it out: a function is compiled as a whole",
    "fastmath": 'write fp="fast", or fp="contract" for fused multiply and add alone',
    "nogil": "leave it out: compiled code always runs without the GIL",
    "boundscheck": "leave it out: indices are always checked, as in NumPy",
    "error_model": "leave it out: divisions by zero are Python's for Python's numbers and NumPy's for NumPy's",
    "inline": "leave it out: helpers are compiled into their callers",
    "locals": "leave it out: types of variables follow from the values, as in Python",
    "signature": "leave it out: each call is compiled for the types that it has",
    "signatures": "leave it out: each call is compiled for the types that it has",
    "signature_or_function": "leave it out: each call is compiled for the types that it has",
    "identity": "leave it out: np.vectorize and broadcasting work inside compiled functions",
    "debug": "write sol.settings(debug=1), or SOL_DEBUG=1 in the environment",
    "backend": 'write target="openmp" or another target',
    "static_argnums": "leave it out: what must be known is taken from the call, and another value makes another variant",
    "static_argnames": "leave it out: what must be known is taken from the call, and another value makes another variant",
    "donate_argnums": "leave it out: arrays are changed in place where the function says so",
    "dynamic": "leave it out: sizes may differ from call to call",
    "fullgraph": "write strict=True",
    "mode": 'leave it out, or write fp="fast"',
    "auto_optimize": "leave it out: it is always done",
    "num_threads": "write sol.set_num_threads(n)",
    "threads": "write parallel=True or parallel=False, and sol.set_num_threads(n)",
}

_NO_SIGNATURES = (
    "signatures are not needed: write @sol.jit alone; each call is compiled for the types that it has, once, and kept on disk. "
    "To compile before the first real call, call the function with small arguments of the same types"
)


def for_keyword(name: str) -> str:
    """What to write in place of another compiler's keyword; "" if it is nobody's."""
    return KEYWORDS.get(name, "")


def for_no_function(value: Any) -> str:  # any: what was decorated
    """What to do if `jit` gets something that is no Python function; "" if there is nothing to say."""
    if _is_signature(value):
        return _NO_SIGNATURES
    if python_of(value) is not None:
        return f"it is compiled by {_maker(value)} already: decorate the plain function instead, or take {_attribute(value)}"
    if isinstance(value, type):
        return "decorate the methods that compute; classes are compiled along where they are used"
    return "write a function with def around the call" if callable(value) else ""


def python_of(value: Any) -> FunctionType | None:  # any: the user's object
    """The Python function inside one that another compiler has made; None for anything else."""
    if not _maker(value):
        return None
    found = getattr(value, _attribute(value)[1:], None)
    return found if isinstance(found, FunctionType) else None


def compiled_along(value: Any) -> FunctionType | None:  # any: the user's object
    """The Python function of what Numba's `njit` made, where it has the meaning of that function: without signatures, which convert
    arguments, and with Python's errors. None for anything else.
    """
    if not str(type(value).__module__).startswith("numba.core.") or not getattr(value, "_can_compile", True):
        return None
    options = getattr(value, "targetoptions", {})
    return None if options.get("error_model", "python") != "python" else python_of(value)


def is_prange(value: object) -> bool:
    """Tell whether it is Numba's `prange`. To Python it is `range`."""
    return isinstance(value, type) and value.__name__ == "prange" and str(value.__module__).startswith("numba.")


def _maker(value: Any) -> str:
    root = str(type(value).__module__).partition(".")[0]
    return {"numba": "Numba", "jaxlib": "JAX", "jax": "JAX"}.get(root, "")


def _attribute(value: Any) -> str:
    return ".py_func" if _maker(value) == "Numba" else ".__wrapped__"


def _is_signature(value: Any) -> bool:
    """`"f8(f8[:])"`, `numba.f8(numba.f8[:])`, a tuple of types, or a list of these."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_is_signature, value))
    return isinstance(value, str) or str(type(value).__module__).startswith(("numba.core.types", "numba.core.typing"))
