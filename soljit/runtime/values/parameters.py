"""Parameters of a Python function, and binding a call to them as Python does.

The order of parameters is that of `inspect.signature`: positional, *args, keyword-only, **kwargs.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_VARARGS, _VARKEYWORDS = 0x04, 0x08  # flags of code objects


class Parameters(NamedTuple):
    """`positional` counts those that may be given by position, `positional_only` those that must."""

    names: tuple[str, ...]
    positional: int
    positional_only: int
    keyword_only: int
    varargs: bool
    varkw: bool

    @property
    def named(self) -> tuple[str, ...]:
        """Names of the parameters other than *args and **kwargs, positional ones first."""
        first = self.positional + self.varargs
        return self.names[: self.positional] + self.names[first : first + self.keyword_only]

    def shape(self) -> tuple[int, int, int, int]:
        """What `native/parameters.h` wants to know: how many may, and must, be given by position; the numbers of *args and **kwargs, or -1."""
        rest = self.positional if self.varargs else -1
        return self.positional, self.positional_only, rest, len(self.names) - 1 if self.varkw else -1

    def defaults(self, function: types.FunctionType) -> tuple[tuple[object] | None, ...]:
        """For each named parameter its default in a tuple, or None."""
        given = function.__defaults__ or ()
        missing = self.positional - len(given)
        keyword = function.__kwdefaults__ or {}
        first = [None] * missing + [(d,) for d in given]
        return (*first, *((keyword[n],) if n in keyword else None for n in self.named[self.positional :]))

    def all_defaults(self, function: types.FunctionType) -> tuple[tuple[object] | None, ...]:
        """The same for all parameters."""
        known = dict(zip(self.named, self.defaults(function)))
        return tuple(known.get(name) for name in self.names)

    def bind(
        self, function: types.FunctionType, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> tuple[object, ...] | None:
        """One value for each parameter; None if Python would raise TypeError."""
        if len(args) > self.positional and not self.varargs:
            return None
        values: dict[str, object] = dict(zip(self.names[: self.positional], args))
        extra: dict[str, object] = {}
        for name, value in kwargs.items():
            if name in self.named[self.positional_only :]:
                if name in values:
                    return None
                values[name] = value
            elif self.varkw:
                extra[name] = value
            else:
                return None
        for name, default in zip(self.named, self.defaults(function)):
            if name not in values:
                if default is None:
                    return None
                values[name] = default[0]
        bound = [values[n] for n in self.named]
        if self.varargs:
            bound.insert(self.positional, tuple(args[self.positional :]))
        if self.varkw:
            bound.append(extra)
        return tuple(bound)


def parameters_of(function: types.FunctionType) -> Parameters:
    """The parameters of a plain function."""
    code = function.__code__
    varargs = bool(code.co_flags & _VARARGS)
    varkw = bool(code.co_flags & _VARKEYWORDS)
    named = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[: named + varargs + varkw])
    if varargs:
        names.insert(code.co_argcount, names.pop(named))
    return Parameters(tuple(names), code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, varargs, varkw)
