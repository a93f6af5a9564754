"""`vectorize` and `guvectorize`: loops over broadcast arguments, written as Python functions and compiled like any other."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np

from soljit.api import Jitted
from soljit.base.errors import ArgumentError
from soljit.numba.dispatcher import plain
from soljit.numba.options import options_of
from soljit.numba.signatures import is_signature, signatures_of
from soljit.numba.types import Array, Number, Signature, Type
from soljit.numba.wrappers import made

_LOOPS = 4  # dimensions that have loops of their own


class Elementwise(Jitted[..., Any]):
    """What `vectorize` makes: a function of arrays that are broadcast, with the names that programs use of a ufunc."""

    __slots__ = ()

    def __init__(self, function: FunctionType, signatures: Sequence[Signature], options: dict[str, Any]) -> None:
        names = _names(function)
        super().__init__(_elementwise(function, names, signatures), options)
        shown = self.__dict__
        shown["py_func"], shown["nin"], shown["nout"], shown["nargs"] = function, len(names), 1, len(names) + 1
        shown["signature"], shown["identity"] = None, None
        shown["types"] = [f"{''.join(map(_char, s.args))}->{_char(s.return_type)}" for s in signatures]
        shown["ntypes"] = len(signatures)

    def reduce(self, array: Any, axis: int | None = 0, keepdims: bool = False) -> Any:
        """The function between the items along an axis, from the first to the last."""
        return self._along(array, axis, keepdims)[0]

    def accumulate(self, array: Any, axis: int = 0) -> Any:
        """The same with all results on the way."""
        return self._along(array, axis, False)[1]

    def outer(self, a: Any, b: Any) -> Any:
        """The function of all pairs."""
        a, b = np.asarray(a), np.asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b)

    def __getattr__(self, name: str) -> Any:
        if name in ("reduceat", "at"):
            raise AttributeError(
                f"what soljit.numba.vectorize makes has no {name}: write the loop", name=name, obj=self
            )
        return super().__getattr__(name)

    def _along(self, array: Any, axis: int | None, keepdims: bool) -> tuple[Any, Any]:
        if self.__dict__["nin"] != 2:
            raise ValueError("reduce only supported for binary functions")
        items = np.asarray(array)
        if axis is None:
            items, axis = items.ravel(), 0
        moved = np.moveaxis(items, axis, 0)
        if not len(moved):
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        steps = [moved[0]]
        for item in moved[1:]:
            steps.append(self(steps[-1], item))
        last = steps[-1]
        return np.expand_dims(last, axis) if keepdims else last, np.moveaxis(np.array(steps), 0, axis)


def vectorize(ftylist_or_function: Any = (), target: str = "cpu", **keywords: Any) -> Any:
    """Numba's `vectorize`: a function of numbers becomes one of arrays. With signatures the first that all arguments fit is taken."""
    options = options_of({**keywords, "target": target}, "vectorize()")
    if not is_signature(ftylist_or_function) and ftylist_or_function != ():
        return Elementwise(plain(ftylist_or_function, "vectorize()"), (), options)
    signatures = signatures_of(ftylist_or_function)
    return lambda f: Elementwise(plain(f, "vectorize()"), signatures, options)


def _names(f: FunctionType) -> list[str]:
    parameters = inspect.signature(f).parameters.values()
    if not parameters or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY) for p in parameters):
        raise ArgumentError(f"vectorize() takes a function with a fixed number of arguments, which {f.__name__} is not")
    return [p.name for p in parameters]


def _char(t: Type | None) -> str:
    return t.dtype.char if isinstance(t, Number) else "?"


def _elementwise(f: FunctionType, names: list[str], signatures: Sequence[Signature]) -> FunctionType:
    """The loops. An argument `out` takes the results; without signatures their type is that of the first."""
    for s in signatures:
        if len(s.args) != len(names) or not all(isinstance(t, Number) for t in s.args):
            raise ArgumentError(f"the signature {s} does not fit: {f.__name__} takes {len(names)} numbers")
    lines = [f"def {f.__name__ if f.__name__.isidentifier() else 'function'}({', '.join(names)}, out=None):"]
    if not signatures:
        lines += [f"    {line}" for line in _loops(names, None, None)]
    for s in signatures:
        tests = [f"np.result_type({n}, {_scalar(t)}) == {_scalar(t)}" for n, t in zip(names, s.args)]
        lines.append(f"    if {' and '.join(tests)}:")
        lines += [f"        {line}" for line in _loops(names, s.args, s.return_type)]
    if signatures:
        text = f"ufunc {f.__name__!r} not supported for the input types, and the inputs could not be safely coerced to any supported types"
        lines.append(f"    raise TypeError({text!r})")
    return made("\n".join(lines) + "\n", {}, f)


def _scalar(t: Type) -> str:
    assert isinstance(t, Number)
    return f"np.{t.dtype.type.__name__}"


def _loops(names: list[str], args: Sequence[Type] | None, result: Type | None) -> list[str]:
    def call(values: list[str]) -> str:
        if args is not None:
            values = [f"{_scalar(t)}({v})" for v, t in zip(values, args)]
        text = f"_f({', '.join(values)})"
        return text if result is None else f"{_scalar(result)}({text})"

    arrays = [f"_{n}" for n in names]
    numbers = [n if args is not None else f"np.asarray({n})[()]" for n in names]
    one = f"    return {call(numbers)}" if result is not None else f"    return np.asarray({call(numbers)})[()]"
    lines = [f"if out is None and {' and '.join(f'np.ndim({n}) == 0' for n in names)}:", one]
    lines.append(f"{', '.join(arrays)}, = np.broadcast_arrays({', '.join(names)})")
    lines.append("if out is None:")
    if result is not None:
        dtype = _scalar(result)
    else:
        lines.append(f"    if {arrays[0]}.size == 0:")
        lines.append("        raise ValueError('cannot call `vectorize` on size 0 inputs without signatures')")
        dtype = "_first.dtype"
        lines.append(f"    _first = np.asarray({call([f'{a}.flat[0]' for a in arrays])})")
    lines.append(f"    out = np.empty({arrays[0]}.shape, {dtype})")
    lines += [
        f"elif out.shape != {arrays[0]}.shape:",
        "    raise ValueError('out has another shape than the arguments broadcast together')",
    ]
    if result is not None:
        lines += [
            f"elif not np.can_cast({dtype}, out.dtype, 'same_kind'):",
            "    raise TypeError('out has a type that the results cannot be cast to')",
        ]
    for ndim in range(1, _LOOPS + 1):
        lines.append(f"{'if' if ndim == 1 else 'elif'} out.ndim == {ndim}:")
        index = [f"_i{k}" for k in range(ndim)]
        for k, i in enumerate(index):
            lines.append(f"{'    ' * (k + 1)}for {i} in range({arrays[0]}.shape[{k}]):")
        place = ", ".join(index)
        lines.append(f"{'    ' * (ndim + 1)}out[{place}] = {call([f'{a}[{place}]' for a in arrays])}")
    lines += ["else:", f"    for _i in np.ndindex({arrays[0]}.shape):"]
    lines.append(f"        out[_i] = {call([f'{a}[_i]' for a in arrays])}")
    return [*lines, "return out"]


# --- guvectorize ------------------------------------------------------------------------------------------------------


class Generalized:
    """What `guvectorize` makes: a function of arrays whose first dimensions are broadcast, with the keywords of NumPy's generalized ufuncs.

    `python` is what compiled code calls in its place: without keywords.
    """

    def __init__(
        self, function: FunctionType, signatures: Sequence[Signature], layout: str, options: dict[str, Any]
    ) -> None:
        self.compiled: Jitted[..., Any] = Jitted(_generalized(function, signatures, layout), options)
        self.python, self.py_func, self.signature = self.compiled.python, function, layout
        self._inputs, self._outputs = _parsed(layout)
        self._makes_results = bool(signatures)
        functools.update_wrapper(self, function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["compiled"], name)

    def __call__(
        self, *args: Any, out: Any = None, axis: int | None = None, axes: Any = None, keepdims: bool = False
    ) -> Any:
        given = () if out is None else out if isinstance(out, tuple) else (out,)
        if axis is None and axes is None and not keepdims:
            return self.compiled(*args, *given)
        places = self._places(axis, axes)
        operands = [*args, *given]
        dims = [*self._inputs, *self._outputs]
        if keepdims and (any(self._outputs) or given or len(operands) != len(self._inputs)):
            raise TypeError(f"{self.__name__} does not support keepdims: its results have dimensions of their own")
        moved = [np.moveaxis(np.asarray(x), p, range(-len(p), 0)) if p else x for x, p in zip(operands, places)]
        found = self.compiled(*moved)
        if found is None or given:
            return out
        several = isinstance(found, tuple)
        results = []
        for r, p, d in zip(found if several else (found,), places[len(self._inputs) :], dims[len(self._inputs) :]):
            back = np.moveaxis(r, range(-len(p), 0), p) if d else r
            results.append(np.expand_dims(back, places[0]) if keepdims else back)
        return tuple(results) if several else results[0]

    def _places(self, axis: int | None, axes: Any) -> list[tuple[int, ...]]:
        """For each argument and result the axes that its dimensions of the layout are."""
        dims = [*self._inputs, *self._outputs]
        if axes is None:
            if any(len(d) > 1 for d in dims) or len({*sum(dims, [])}) > 1:
                if axis is not None:
                    raise TypeError(f"{self.__name__}: axis can only be used with a single shared core dimension")
            place = -1 if axis is None else axis
            return [(place,) * (len(d) == 1) if len(d) < 2 else tuple(range(-len(d), 0)) for d in dims]
        if axis is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        found = [(a,) if isinstance(a, int) else tuple(a) for a in axes]
        found += [()] * (len(dims) - len(found))
        for k, (p, d) in enumerate(zip(found, dims)):
            if len(p) != len(d):
                raise ValueError(
                    f"{self.__name__}: operand {k} has {len(d)} core dimensions, but {len(p)} axes are given"
                )
        return found


def guvectorize(ftylist: Any, signature: str | None = None, target: str = "cpu", **keywords: Any) -> Any:
    """Numba's `guvectorize`: `guvectorize(["void(f8[:], f8[:])"], "(n)->(n)")`, or with the layout alone."""
    options = options_of({**keywords, "target": target}, "guvectorize()")
    if signature is None:
        ftylist, signature = [], ftylist
    if not isinstance(signature, str):
        raise ArgumentError(f'guvectorize() takes a layout such as "(n),(n)->()", not {signature!r}')
    _parsed(signature)
    signatures, layout = signatures_of(ftylist if isinstance(ftylist, (list, str)) else [ftylist]), signature
    return lambda f: Generalized(plain(f, "guvectorize()"), signatures, layout, options)


def _parsed(layout: str) -> tuple[list[list[str]], list[list[str]]]:
    """The names of the dimensions of each argument and of each result."""
    text = layout.replace(" ", "")
    group = r"\((?:\w+(?:,\w+)*)?\)"
    if not re.fullmatch(rf"{group}(?:,{group})*->{group}(?:,{group})*", text):
        raise ArgumentError(f'{layout!r} is no layout: write one such as "(m,n),(n)->(m)"')
    left, right = text.split("->")
    return tuple([re.findall(r"\w+", g) for g in re.findall(group, side)] for side in (left, right))  # type: ignore[return-value]


def _generalized(f: FunctionType, signatures: Sequence[Signature], layout: str) -> FunctionType:
    """One function for all signatures: the first that all arguments fit is taken."""
    inputs, outputs = _parsed(layout)
    names = [*inspect.signature(f).parameters]
    if len(names) != len(inputs) + len(outputs):
        raise ArgumentError(
            f"{f.__name__} takes {len(names)} arguments, the layout {layout!r} has {len(inputs + outputs)}"
        )
    if any(d not in {d for i in inputs for d in i} for o in outputs for d in o):
        raise ArgumentError(f"the layout {layout!r} has a dimension of a result alone, whose length nothing tells")
    for s in signatures:
        if len(s.args) != len(names):
            raise ArgumentError(f"the signature {s} has {len(s.args)} arguments, {f.__name__} takes {len(names)}")
    taken, given = names[: len(inputs)], names[len(inputs) :]
    title = f.__name__ if f.__name__.isidentifier() else "function"
    lines = [f"def {title}({', '.join(taken + [f'{n}=None' if signatures else n for n in given])}):"]
    for n, dims in zip(taken, inputs):
        if not dims:  # perhaps a Python number, which takes the type of others
            continue
        lines.append(f"    {n} = np.asarray({n})")
        text = f"{f.__name__}: Input operand {taken.index(n)} does not have enough dimensions"
        lines += [f"    if {n}.ndim < {len(dims)}:", f"        raise ValueError({text!r})"]
    lines += _lengths(f.__name__, taken, inputs)
    outer = [f"{n}.shape[:-{len(dims)}]" if dims else f"np.shape({n})" for n, dims in zip(taken, inputs)]
    lines.append(f"    _outer = np.broadcast_shapes({', '.join(outer)})")
    choices: Sequence[Signature | None] = signatures or (None,)
    for choice in choices:
        indent = "    "
        if choice is not None:
            tests = [f"np.result_type({n}, {_element(t)}) == {_element(t)}" for n, t in zip(taken, choice.args)]
            lines.append(f"    if {' and '.join(tests)}:")
            indent = "        "
        lines += [indent + line for line in _core(taken, inputs, given, outputs, choice)]
    if signatures:
        text = f"ufunc {f.__name__!r} not supported for the input types, and the inputs could not be safely coerced to any supported types"
        lines.append(f"    raise TypeError({text!r})")
    return made("\n".join(lines) + "\n", {}, f)


def _lengths(name: str, taken: list[str], inputs: list[list[str]]) -> list[str]:
    """Lengths of dimensions, and the checks that they agree."""
    lines, known = [], set()
    for n, dims in zip(taken, inputs):
        for k, d in enumerate(dims):
            place = f"{n}.shape[{k - len(dims)}]"
            if d not in known:
                known.add(d)
                lines.append(f"    _n_{d} = {place}")
                continue
            text = f"{name}: Input operand {taken.index(n)} has a mismatch in its core dimension {k}"
            lines += [f"    if {place} != _n_{d}:", f"        raise ValueError({text!r})"]
    return lines


def _element(t: Type) -> str:
    found = t.dtype if isinstance(t, Array) else t
    if not isinstance(found, Number):
        raise ArgumentError(f"guvectorize() takes numbers and arrays of numbers, not {t}")
    return f"np.{found.dtype.type.__name__}"


def _core(
    taken: list[str], inputs: list[list[str]], given: list[str], outputs: list[list[str]], s: Signature | None
) -> list[str]:
    """Arguments and results in their types, and the loops around the function."""
    lines, values = [], []
    for k, (n, dims) in enumerate(zip(taken, inputs)):
        one = not dims and (s is None or isinstance(s.args[k], Array))  # an array of one number
        array = n if dims else f"np.asarray({n})"
        dtype = "" if s is None else f".astype({_element(s.args[k])}, copy=False)"
        core = "".join(f", {n}.shape[{j - len(dims)}]" for j in range(len(dims)))
        lines.append(f"_{n} = np.broadcast_to({array}{dtype}, (*_outer{core}))".replace("(*_outer)", "_outer"))
        if one:
            lines.append(f"_{n} = _{n}[..., None]")
        values.append(f"_{n}")
    for k, (n, dims) in enumerate(zip(given, outputs)):
        if s is not None:
            core = "".join(f", _n_{d}" for d in dims)
            lines += [
                f"if {n} is None:",
                f"    {n} = np.empty((*_outer{core or ','}), {_element(s.args[len(taken) + k])})",
            ]
        lines.append(f"_{n} = {n}" if dims else f"_{n} = {n}[..., None]")
    every = [*values, *(f"_{n}" for n in given)]
    lines += ["if len(_outer) == 0:"]
    scalars = [
        s is not None and not d and not isinstance(t, Array) for d, t in zip(inputs, s.args if s else [None] * 99)
    ]
    scalars += [False] * len(given)
    lines.append(f"    _f({', '.join(f'{v}[()]' if one else v for v, one in zip(every, scalars))})")
    for ndim in range(1, 4):
        lines.append(f"elif len(_outer) == {ndim}:")
        index = [f"_i{k}" for k in range(ndim)]
        for k, i in enumerate(index):
            lines.append(f"{'    ' * (k + 1)}for {i} in range(_outer[{k}]):")
        lines.append(f"{'    ' * (ndim + 1)}_f({', '.join(f'{v}[{chr(44).join(index)}]' for v in every)})")
    lines += ["else:", "    for _i in np.ndindex(_outer):", f"        _f({', '.join(f'{v}[_i]' for v in every)})"]
    back = [n if d else f"{n}[()]" for n, d in zip(given, outputs)]
    return [*lines, f"return {', '.join(back)}" if s is not None else "return None"]


DUFunc, GUFunc = Elementwise, Generalized  # Numba's names of the classes
