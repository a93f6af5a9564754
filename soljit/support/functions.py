"""Python functions made at run time of a piece of the user's source: what a container holds, a library calls or the caller is given.

The source travels as `ast.dump` writes it, with the places of the user's file, so that tracebacks show his lines.
"""

from __future__ import annotations

import ast
import functools
import math
import types
from collections.abc import Callable
from typing import Any

NODES: dict[str, Any] = {
    **vars(ast),
    "Ellipsis": ...,  # not the node of this name, which `ast` had once
    "inf": math.inf,
    "nan": math.nan,
}  # classes of nodes, and constants without a literal


def text_of(module: ast.Module) -> str:
    """A tree as text."""
    return ast.dump(module, include_attributes=True)


@functools.lru_cache(maxsize=1024)
def maker(text: str, file: str) -> types.CodeType:
    """The code of the function that a tree defines."""
    tree: ast.Module = eval(text, NODES)  # noqa: S307 (what `text_of` wrote)
    code = compile(tree, file, "exec", dont_inherit=True)  # this file's `from __future__` is not the user's
    return next(c for c in code.co_consts if isinstance(c, types.CodeType))


def make(space: dict[str, Any], text: str, file: str, qualname: str, *values: object) -> Any:  # a function
    """The function that the maker gives for these values of its variables; `space`: its globals."""
    made = types.FunctionType(maker(text, file), space)(*values)
    name = qualname.rpartition(".")[2]
    if made.__name__ != name:
        made.__name__ = name
        made.__code__ = made.__code__.replace(co_name=name)
    made.__qualname__ = qualname
    return made


def class_of(make: Callable[[], Any], qualname: str) -> Any:  # a class, or what its decorators give
    """The class that a function makes; its methods have the names that they have where the user wrote it."""
    made = make()
    for member in vars(made).values() if isinstance(made, type) else ():
        parts = [member.fget, member.fset, member.fdel] if isinstance(member, property) else [member]
        for f in (getattr(x, "__func__", x) for x in parts):
            if isinstance(f, types.FunctionType) and f.__qualname__.startswith("make.<locals>."):
                f.__qualname__ = f"{qualname}.{f.__name__}"
    return made
