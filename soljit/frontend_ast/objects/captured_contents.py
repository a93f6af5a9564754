"""Lists and dicts from outside behind `*` and `**`, and items of dicts of settings: what they hold is part of what is compiled, where it is constants.

A function that may change them reads them as it runs.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import known_by_name
from soljit.base.python.classes import is_of_the_user
from soljit.base.python.dependency import Dependency, contents
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.captured_attributes import outside_value
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.values import Dict, Object, Static, Tup, Value
from soljit.ir.callbacks.own_objects import fresh_objects, on_own
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Callback, Node, Program
from soljit.ir.core.types import obj
from soljit.ir.walk import symbols_of, values, walk
from soljit.support.objects import HERE
from soljit.support.pending import unguarded

_OF_INDICES = HERE + "index_array"
MOST_STEPS = 8  # of a loop over such a list that is unrolled
MOST_NUMBERS = 64  # in such a list whose items are part of what is compiled
_NUMBERS = (int, float, complex, bool)
_CONSTANTS = (int, float, complex, bool, str, type(None), type(Ellipsis), slice)


def known(cx: Lowering, v: Value) -> Tup | Dict | None:
    """What a list or dict from outside holds at the call; None if it is something else, or holds what may change itself."""
    if not isinstance(v, Object) or not _is_settled(cx, v):
        return None
    path, owner = cx.containers_outside[v.data]
    now = contents(owner)
    if not isinstance(now, tuple) or not _is_constant(now):
        return None
    here = (*path, ("contents", ""))
    cx.dependencies.setdefault(here, Dependency(here, now))
    cx.relied.add(v.data)
    if isinstance(owner, dict):
        return Dict({k: constant(x) for k, x in owner.items()}, None, True, None)
    return Tup([constant(x) for x in owner])


def item_outside(cx: Lowering, v: Object, index: Value) -> Value | None:
    """The item of a dict from outside that holds values of several types, or types, or texts; None if only the run tells it."""
    if not (_is_settled(cx, v) and isinstance(index, Static) and type(index.obj) is str):
        return None
    owner = cx.containers_outside[v.data][1]
    item = v.type.item.root.element if v.type.item is not None else None
    if type(owner) is not dict or index.obj not in owner or item is None or item.form in ("number", "array"):
        return None
    value = owner[index.obj]
    if not _is_constant(value) and type(value) not in (list, dict, np.ndarray):
        return None
    cx.relied.add(v.data)
    return outside_value(cx, owner, "key", index.obj, value)


def steps_outside(cx: Lowering, v: Value) -> Tup | None:
    """The items of a short list from outside, where a loop over it wants to know them: numbers of one type, or some of them types or texts."""
    if not isinstance(v, Object) or not _is_settled(cx, v):
        return None
    now = contents(cx.containers_outside[v.data][1])
    if not isinstance(now, tuple) or not now:
        return None
    words = len(now) <= MOST_STEPS and any(isinstance(x, (str, type, np.dtype)) for x in now)
    numbers = len(now) <= MOST_NUMBERS and type(now[0]) in _NUMBERS and len({*map(type, now)}) == 1
    found = known(cx, v) if words or numbers else None
    return found if isinstance(found, Tup) else None


def _is_settled(cx: Lowering, v: Object) -> bool:
    if v.data not in cx.containers_outside or cx.undecided:
        return False
    return cx.containers_outside[v.data][0] not in cx.learned.changing


def _is_constant(x: Any) -> bool:  # any object
    if isinstance(x, tuple):
        return type(x) is tuple and all(map(_is_constant, x))
    return (
        type(x) in _CONSTANTS
        or isinstance(x, (np.generic, np.dtype))
        or isinstance(x, type)
        and issubclass(x, (np.generic, bool, int, float, complex))
        and not is_of_the_user(x)
    )


def starred(cx: Lowering, fr: Frame, node: ast.Call) -> dict[int, list[Value]] | None:
    """The items behind each `*` of a call by its place, if all of them are known lists from outside; else None."""
    found: dict[int, list[Value]] = {}
    for k, a in enumerate(node.args):
        if isinstance(a, ast.Starred):
            plain = isinstance(a.value, (ast.Name, ast.Attribute)) and not any(map(may_have_effects, node.args))
            items = known(cx, cx.above.evaluate(cx, fr, a.value)) if plain else None
            if not isinstance(items, Tup):
                return None
            found[k] = items.items
    return found


def check_unchanged(cx: Lowering, program: Program) -> None:
    """What the function might change is read anew wherever it stands, in the next round."""
    settled = [owner for name, (_, owner) in cx.containers_outside.items() if name in cx.relied]
    names = {name: owner for name, (_, owner) in cx.containers_outside.items() if any(owner is x for x in settled)}
    changing = list(settled) if settled and program.functions else []
    fresh = fresh_objects(program)
    for n in walk(program.body) if names else ():
        changing += [
            names[x] for x in names.keys() & set().union(*map(symbols_of, values(n))) if not _only_reads(n, names[x])
        ]
        if isinstance(n, Callback) and _may_change_what_it_gets(program, fresh, n):
            changing += settled
    paths = {p for p, owner in cx.containers_outside.values() if any(owner is x for x in changing)}
    if paths:
        cx.learned.changing |= paths
        cx.learned.changed = True


def _only_reads(n: Node, owner: Any) -> bool:  # a list or dict
    """Tell whether this neither changes the container nor gives away a container in it."""
    if not isinstance(n, Callback):
        return False
    target = unguarded(n.target)
    return _leaves_alone(target) or _reads(target) and _is_constant(contents(owner))


def _leaves_alone(target: str) -> bool:
    facts = known_by_name(target)
    if facts is None or not facts.looks:
        return False
    return bool(facts.gives) or target.startswith("numpy.") and not target.startswith("numpy.random.")


def _reads(target: str) -> bool:
    """Does this look for an item?"""
    facts = known_by_name(target)
    return (
        target == _OF_INDICES or facts is not None and facts.looks and not facts.words.isdisjoint(("keyed", "compared"))
    )


def _may_change_what_it_gets(program: Program, fresh: set[str], n: Callback) -> bool:
    """Tell whether it is given an object that may be one of those from outside, or hold it, and not only to look at it."""
    given = [
        x.data for x in n.ins if isinstance(x, Memlet) and program.data[x.data].dtype is obj and x.data not in fresh
    ]
    target = unguarded(n.target)
    return bool(given) and not (_leaves_alone(target) or _reads(target) or on_own(fresh, n))
