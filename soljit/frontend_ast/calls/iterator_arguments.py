"""Iterators as arguments of functions that are not compiled: lists of their items, where the function takes all of them and nobody can tell when.

The row of the function says what it does with an iterator (`takes=` in `base/knowledge`). Where a list will not do, Python makes the iterator, or calls the whole
function.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import known
from soljit.base.python.members import written_member
from soljit.frontend_ast.calls.generator_calls import list_of_generator
from soljit.frontend_ast.iteration.thunks import is_once
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import is_maker, refuse_iterators
from soljit.frontend_ast.objects.library_names import is_numpy, name_of
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import Generator, Num, Object, Static, Tup, Value


def listed(cx: Lowering, function: Any, args: Sequence[Value], named: Mapping[str, Value]) -> list[Value]:
    """The arguments of a function of Python's or NumPy's, with lists instead of generators and of iterators whose items are computed when they are taken."""
    if not any(isinstance(a, Generator) or is_once(a) for a in args):
        return list(args)
    facts = known(function)
    takes = "" if facts is None else facts.takes
    if function is np.fromiter and (len(args) > 2 or "count" in named):
        takes = "some"
    if takes in ("all", "each"):
        return [_list(cx, a, takes == "all", bool(named)) for a in args]
    library = is_numpy(function) or name_of(function) is not None
    if library and getattr(function, "__module__", "") not in ("builtins", "itertools") and not is_maker(function):
        refuse_iterators(cx, *args)
    return list(args)


def listed_for_method(
    cx: Lowering, cls: type | None, name: str, args: Sequence[Value], named: Mapping[str, Value]
) -> list[Value]:
    """The same for a method of a class of Python's."""
    facts = None if cls is None else known(written_member(cls, name))
    takes = "" if facts is None else facts.takes
    if takes in ("all", "each"):
        return [_list(cx, a, takes == "all", bool(named)) for a in args]
    refuse_iterators(cx, *args)
    return list(args)


def _list(cx: Lowering, v: Value, at_once: bool, named: bool) -> Value:
    """The list of the items. at_once: the function begins with them; named: it is given options, which may be functions"""
    if isinstance(v, Generator):
        made = list_of_generator(cx, v)
        seen = _is_seen(v.tree)
    elif is_once(v) and not at_once:
        made, seen = cx.above.call(cx, Static(list), [v]), True
    else:
        return v
    if seen and not at_once and (named or not _are_numbers(made)):
        refuse_iterators(cx, v)
    return made


def _is_seen(tree: ast.AST) -> bool:
    """Could anybody tell when a generator goes on: does it change anything?"""
    stored = (ast.Attribute, ast.Subscript)
    written = any(isinstance(n, stored) and not isinstance(n.ctx, ast.Load) for n in ast.walk(tree))
    return written or any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in ast.walk(tree)) or may_have_effects(tree)


def _are_numbers(v: Value) -> bool:
    """Are the items numbers, which are added, compared and hashed without an exception and without code of the program?"""
    if isinstance(v, Tup):
        return all(isinstance(x, Num) for x in v.items)
    slot = v.type.item if isinstance(v, Object) else None
    element = None if slot is None else slot.root.element
    return element is not None and element.form == "number"
