"""Python functions made at run time of a piece of the user's source: what a container holds, a library calls or the caller is given.

The source travels as `ast.dump` writes it, with the places of the user's file, so that tracebacks show his lines.
"""

from __future__ import annotations

import ast
import functools
import math
import re
import types
from collections.abc import Callable
from typing import Any

NODES: dict[str, Any] = {
    **vars(ast),
    "Ellipsis": ...,  # not the node of this name, which `ast` had once
    "inf": math.inf,
    "nan": math.nan,
}  # classes of nodes, and constants without a literal

MAKER = "<made>"  # the name of a function that makes what the user wrote
_BEGIN = f"{MAKER}.<locals>."
_OF_SOLJIT = re.compile(
    r"<class \w+>\.<locals>\.| itself(?=\.|$)"
)  # names around and of functions that only soljit has


def text_of(module: ast.Module) -> str:
    """A tree as text."""
    return ast.dump(module, include_attributes=True)


@functools.lru_cache(maxsize=1024)
def maker(text: str, file: str, around: str) -> types.CodeType:
    """The code of the function that a tree defines. around: how qualified names begin where the user wrote what it makes."""
    tree: ast.Module = eval(text, NODES)  # noqa: S307 (what `text_of` wrote)
    code = compile(tree, file, "exec", dont_inherit=True)  # this file's `from __future__` is not the user's
    return _renamed(next(c for c in code.co_consts if isinstance(c, types.CodeType)), around)


def _renamed(code: types.CodeType, around: str) -> types.CodeType:
    """The code with the qualified names of functions and classes in it as the user's file would give them."""

    def name(text: str) -> str:
        return around + _OF_SOLJIT.sub("", text[len(_BEGIN) :]) if text.startswith(_BEGIN) else text

    found: dict[str, Any] = {
        "co_consts": tuple(
            _renamed(c, around) if isinstance(c, types.CodeType) else name(c) if isinstance(c, str) else c
            for c in code.co_consts
        )
    }
    if hasattr(code, "co_qualname"):  # before Python 3.11 they are constants
        found["co_qualname"] = name(code.co_qualname)
    return code.replace(**found)


def make(space: dict[str, Any], text: str, file: str, qualname: str, *values: object) -> Any:  # a function
    """The function that the maker gives for these values of its variables; `space`: its globals."""
    around, dot, name = qualname.rpartition(".")
    made = types.FunctionType(maker(text, file, around + dot), space)(*values)
    if made.__name__ != name:
        made.__name__ = name
        made.__code__ = made.__code__.replace(co_name=name)
    made.__qualname__ = qualname
    return made


def class_of(make: Callable[[], Any]) -> Any:  # a class, or what its decorators give
    """The class that a function makes."""
    return make()
