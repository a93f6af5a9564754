"""Lists and dicts from outside behind `*` and `**`: what they hold is part of what is compiled, where it is constants."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from soljit.base.dependency import Dependency, contents
from soljit.base.objects import HERE
from soljit.frontend_ast.effects import may_have_effects
from soljit.frontend_ast.frames import Frame
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.python_numbers import constant
from soljit.frontend_ast.values import Dict, Object, Tup, Value
from soljit.ir.effects import symbols_of
from soljit.ir.nodes import Callback, Node
from soljit.ir.pending import unguarded
from soljit.ir.tree import values, walk

_READING = {"operator.getitem", "operator.contains", "builtins.len", "builtins.dict.get", HERE + "index_array"}
_CONSTANTS = (int, float, complex, bool, str, type(None), type(Ellipsis), slice)


def known(cx: Lowering, v: Value) -> Tup | Dict | None:
    """What a list or dict from outside holds at the call; None if it is something else, or holds what may change itself."""
    if not isinstance(v, Object) or v.data not in cx.containers_outside or cx.undecided:
        return None
    path, owner = cx.containers_outside[v.data]
    now = contents(owner)
    if not isinstance(now, tuple) or not _is_constant(now):
        return None
    here = (*path, ("contents", ""))
    cx.dependencies.setdefault(here, Dependency(here, now))
    cx.relied.add(v.data)
    if isinstance(owner, dict):
        return Dict({k: constant(cx, x) for k, x in owner.items()}, None, True, -1)
    return Tup([constant(cx, x) for x in owner])


def _is_constant(x: Any) -> bool:  # any object
    if isinstance(x, tuple):
        return type(x) is tuple and all(map(_is_constant, x))
    return (
        type(x) in _CONSTANTS
        or isinstance(x, (np.generic, np.dtype))
        or isinstance(x, type)
        and issubclass(x, np.generic)
    )


def starred(cx: Lowering, fr: Frame, node: ast.Call) -> dict[int, list[Value]] | None:
    """The items behind each `*` of a call by its place, if all of them are known lists from outside; else None."""
    found: dict[int, list[Value]] = {}
    for k, a in enumerate(node.args):
        if isinstance(a, ast.Starred):
            plain = isinstance(a.value, (ast.Name, ast.Attribute)) and not any(map(may_have_effects, node.args))
            items = known(cx, cx.evaluate(cx, fr, a.value)) if plain else None
            if not isinstance(items, Tup):
                return None
            found[k] = items.items
    return found


def check_unchanged(cx: Lowering, body: Node) -> None:
    """Refuse a function that might change what it relied on."""
    owners = [owner for name, (_, owner) in cx.containers_outside.items() if name in cx.relied]
    names = {name for name, (_, owner) in cx.containers_outside.items() if any(owner is x for x in owners)}
    for n in walk(body) if names else ():
        reads = isinstance(n, Callback) and _only_reads(unguarded(n.target))
        if not reads and names & set().union(*map(symbols_of, values(n))):
            raise cx.unsupported("a list or dict behind * or ** that the function may change")


def _only_reads(target: str) -> bool:
    return target in _READING or target.startswith("numpy.") and not target.startswith("numpy.random.")
