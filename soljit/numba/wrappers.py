"""Functions around the user's that convert arguments as signatures say. They are Python, are compiled like any function, and
are inlined where compiled code calls them, so that both ways have one meaning.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import linecache
from collections.abc import Sequence
from types import FunctionType
from typing import Any, cast

import numpy as np

from soljit.base.errors import ArgumentError
from soljit.numba.types import Array, Number, Signature, Type, boolean, float64, int64, void

_STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def made(text: str, space: dict[str, Any], like: FunctionType) -> FunctionType:
    """The function that `text` defines, under the name and the module of another one. Its text is known to `linecache`."""
    file = f"<soljit.numba {like.__qualname__} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": like.__module__, "np": np, "_f": like, **space}
    exec(compile(text, file, "exec", dont_inherit=True), names)  # noqa: S102
    function = cast(FunctionType, names[_name(like)])
    functools.update_wrapper(function, like)
    del function.__wrapped__  # type: ignore[attr-defined]
    return function


def _name(f: FunctionType) -> str:
    return f.__name__ if f.__name__.isidentifier() else "function"


def converting(f: FunctionType, signatures: Sequence[Signature], numpy_errors: bool) -> FunctionType:
    """A function that converts arguments for `f`. numpy_errors: Python's numbers become NumPy's, which may be divided by zero."""
    parameters = [*inspect.signature(f).parameters.values()]
    if not signatures:
        return _around(f, parameters, numpy_errors)
    named = [p.name for p in parameters]
    required = [p for p in parameters if p.default is p.empty]
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        raise ArgumentError(f"{f.__name__} takes any number of arguments: leave the signature out")
    for s in signatures:
        if not len(required) <= len(s.args) <= len(parameters):
            raise ArgumentError(f"the signature {s} has {len(s.args)} arguments, {f.__name__} takes {len(parameters)}")
    lines = [f"def {_name(f)}({_header(parameters)}):"]
    for stage in (0, 1, 2) if len(signatures) > 1 else (2,):
        for s in sorted(signatures, key=_width, reverse=True) if stage else signatures:
            tests = [c for c in (_fits(n, t, stage) for n, t in zip(named, s.args)) if c]
            values = [_converted(n, t, numpy_errors) for n, t in zip(named, s.args)] + named[len(s.args) :]
            call = _passed(parameters, values)
            found = [f"    if {' and '.join(tests) or 'True'}:", *_returned(f"_f({call})", s.return_type)]
            if found[0] not in lines:
                lines += found
    known = ", ".join(map(str, signatures))
    lines.append(
        f"    raise TypeError({f'No matching definition for these arguments of {f.__name__}: it has {known}'!r})"
    )
    return _with_defaults(made("\n".join(lines) + "\n", {}, f), f)


def _width(s: Signature) -> int:
    """How much the types of a signature hold: among several that fit, the widest is taken."""
    return sum((t.kind in "fc") * 100 + t.dtype.itemsize for t in s.args if isinstance(t, Number))


def _around(f: FunctionType, parameters: list[inspect.Parameter], numpy_errors: bool) -> FunctionType:
    """All floats and ints of Python become NumPy's."""
    assert numpy_errors
    values = []
    lines = [f"def {_name(f)}({_header(parameters)}):"]
    for p in parameters:
        values.append(p.name)
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            lines.append(f"    if type({p.name}) is float:\n        {p.name} = np.float64({p.name})")
    lines.append(f"    return _f({_passed(parameters, values)})")
    return _with_defaults(made("\n".join(lines) + "\n", {}, f), f)


def _header(parameters: list[inspect.Parameter]) -> str:
    """The text of the parameters; values by default are put in afterwards."""
    words: list[str] = []
    before: Any = None
    for p in parameters:
        if before == p.POSITIONAL_ONLY and p.kind != p.POSITIONAL_ONLY:
            words.append("/")
        if p.kind == p.KEYWORD_ONLY and before not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            words.append("*")
        star = _STARS.get(p.kind, "")
        words.append(f"{star}{p.name}" + ("=None" if p.default is not p.empty else ""))
        before = p.kind
    return ", ".join([*words, "/"] if before == inspect.Parameter.POSITIONAL_ONLY else words)


def _passed(parameters: list[inspect.Parameter], values: list[str]) -> str:
    return ", ".join(
        (f"{p.name}=" if p.kind == p.KEYWORD_ONLY else _STARS.get(p.kind, "")) + v for p, v in zip(parameters, values)
    )


def _with_defaults(function: FunctionType, like: FunctionType) -> FunctionType:
    function.__defaults__, function.__kwdefaults__ = like.__defaults__, like.__kwdefaults__
    return function


def _fits(name: str, t: Type, stage: int) -> str:
    """A condition: the argument is of this type (0), is converted without loss of its kind (1), is converted (2)."""
    if isinstance(t, Array):
        return _is_array(name, t)
    if not isinstance(t, Number):
        return ""
    if stage == 0:
        of_python = {boolean: "bool", int64: "int", float64: "float"}.get(t)
        exact = f"np.{t.dtype.type.__name__}"
        test = f"isinstance({name}, {f'({of_python}, {exact})' if of_python else exact})"
        return f"{test} and not isinstance({name}, bool)" if t == int64 else test
    known = {"b": "bool, np.bool_", "i": "int, np.integer", "u": "int, np.integer", "f": "float, np.floating"}
    kinds = {"b": "b", "i": "bi", "u": "bi", "f": "bif", "c": "bif"}[t.kind] if stage == 1 else "bif"
    words = [known[k] for k in kinds] + (["complex, np.complexfloating"] if t.kind == "c" else [])
    return f"isinstance({name}, ({', '.join(words)}))"


def _is_array(name: str, t: Array) -> str:
    words = [f"isinstance({name}, np.ndarray)", f"{name}.ndim == {t.ndim}"]
    if isinstance(t.dtype, Number):
        words.append(f"{name}.dtype == np.{t.dtype.dtype.type.__name__}")
    if t.layout in ("C", "F"):
        words.append(f"{name}.flags.{t.layout.lower()}_contiguous")
    return " and ".join(words)


def _converted(name: str, t: Type | None, numpy_errors: bool) -> str:
    """An expression: the value as a Python number, where Python has one that holds the type, else as NumPy's."""
    if not isinstance(t, Number):
        return name
    scalar = f"np.{t.dtype.type.__name__}"
    if t.kind == "b":
        return f"bool({name})"
    if t.kind == "i" and t.dtype.itemsize < 8 or t.kind == "u" and t.dtype.itemsize < 8:
        return f"int(np.int64({name}).astype({scalar}))"
    if t.kind in "iu":
        return f"int({scalar}({name}))"
    if t.dtype in (np.float64, np.complex128) and not numpy_errors:
        return f"{'float' if t.kind == 'f' else 'complex'}({name})"
    return f"{scalar}({name})"


def _returned(call: str, t: Type | None) -> list[str]:
    return [
        "        " + line for line in ([call, "return None"] if t == void else [f"return {_converted(call, t, False)}"])
    ]
