"""What NumPy does with device arrays: on the host, with views of their elements."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from soljit.runtime.devices.array_memory import Memory, NdArray, view

_SHAPES = {
    "can_cast", "common_type", "empty_like", "full_like", "iscomplexobj", "isrealobj", "may_share_memory", "min_scalar_type", "ndim", "ones_like",
    "result_type", "shape", "shares_memory", "size", "zeros_like",
}  # fmt: skip
_READERS = {
    "all", "allclose", "amax", "amin", "any", "argmax", "argmin", "argsort", "argwhere", "array2string", "array_equal", "array_equiv", "array_repr",
    "array_str", "average", "bincount", "column_stack", "concatenate", "convolve", "correlate", "count_nonzero", "cross", "cumprod", "cumsum", "diff",
    "dot", "dstack", "einsum", "histogram", "hstack", "inner", "interp", "isclose", "isin", "kron", "linspace", "lexsort", "matmul", "max", "mean",
    "min", "nanmax", "nanmean", "nanmin", "nansum", "nonzero", "norm", "outer", "pad", "prod", "ptp",
    "repeat", "roll", "round", "save", "savetxt", "savez", "searchsorted", "sort", "stack", "std", "sum", "take", "tensordot", "tile", "trace",
    "trapezoid", "unique", "var", "vdot", "vstack", "where",
}  # fmt: skip


def asks_for_shapes(function: Any) -> bool:
    """Does this function of NumPy look at no element?"""
    return getattr(function, "__name__", "") in _SHAPES


def ufunc(cls: Any, function: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc, whose outputs may be device arrays, too."""
    outs = kwargs.get("out", ())
    places = {id(x): _open(x) for x in outs if isinstance(x, cls)}
    if method == "at" and isinstance(inputs[0], cls):
        places[id(inputs[0])] = _open(inputs[0])
    found = [places.get(id(x)) if id(x) in places else x._look() if isinstance(x, cls) else x for x in inputs]
    if outs:
        kwargs = {**kwargs, "out": tuple(places.get(id(x), x) for x in outs)}
    if isinstance(where := kwargs.get("where"), cls):
        kwargs = {**kwargs, "where": where._look()}
    result = getattr(function, method)(*found, **kwargs)
    back = {id(places[id(x)]): x for x in outs if id(x) in places}
    if isinstance(result, tuple):
        return tuple(back.get(id(r), r) for r in result)
    return back.get(id(result), result)


def function(cls: Any, called: Any, args: Any, kwargs: Any) -> Any:
    """A function of NumPy that is no ufunc. What may be written, or of which views may be returned, is opened for writing."""
    name = getattr(called, "__name__", "")
    places: dict[int, NdArray] = {}
    given: dict[int, Any] = {}

    def replaced(x: Any, writes: bool = False) -> Any:
        if isinstance(x, cls):
            if id(x) not in places:
                given[id(x)] = x
                reads = name in _READERS and not writes
                places[id(x)] = x._host if name in _SHAPES else x._look() if reads else _open(x)
            return places[id(x)]
        if type(x) in (list, tuple):
            return type(x)(replaced(i, writes) for i in x)
        return {k: replaced(i, writes) for k, i in x.items()} if type(x) is dict else x

    outs = replaced(kwargs.get("out"), True)
    more = {k: replaced(x) for k, x in kwargs.items() if k != "out"}
    if "out" in kwargs:
        more["out"] = outs
    result = called(*(replaced(x) for x in args), **more)
    for key, place in places.items():
        if result is place:
            return given[key]
    return result


def _open(x: Any) -> NdArray:
    return view(x._memory, x._host, True)


def shown(memory: Memory, host: NdArray) -> NdArray:
    """An array that prints as this one: of a large one only the elements that are shown are copied."""
    options = np.get_printoptions()
    edge = options["edgeitems"]
    if host.size <= options["threshold"] or memory.state().host:
        return memory.read(host)
    out = np.empty(host.shape, host.dtype)
    for part in itertools.product(*(_ends(n, edge) for n in host.shape)):
        out[part] = memory.read(host[part])
    return out


def _ends(length: int, edge: int) -> Iterator[slice]:
    """The parts of an axis that are shown."""
    if length <= 2 * edge:
        return iter([slice(0, length)])
    return iter([slice(0, edge), slice(length - edge, length)])
