"""Iterators that are Python objects: those that are used more than once, kept, or given to Python.

An iterator is lowered together with what takes its items, which knows no iterator that is left and taken up again. Where one is needed, the
function is lowered again, and the iterator is made by Python where it is made.
"""

from __future__ import annotations

import itertools
import types
from typing import Any

from soljit.base.knowledge.pure import known
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.values import ITERATORS, Flat, Generated, Iteration, OneShot, Tup, Value


def remember(cx: Lowering, v: Value) -> Value:
    """A lazy iterator, or `a.flat`, was made here."""
    if isinstance(v, (*ITERATORS, Generated, Flat)):
        cx.made_at[id(v)] = (v, cx.loc)
    return v


def copied(cx: Lowering, v: Value, copy: Value) -> Value:
    """A value stands for an iterator from now on."""
    if id(v) in cx.made_at:
        cx.made_at[id(copy)] = (copy, cx.made_at[id(v)][1])
    return copy


def needed(cx: Lowering, v: Value) -> None:
    """Lower again with this iterator as a Python object, if it is known where it is made."""
    found = cx.made_at.get(id(v))
    if found is not None and found[1] not in cx.learned.dynamic:
        cx.learned.dynamic.add(found[1])
        raise Restart


def refuse_iterators(cx: Lowering, *values: Value) -> None:
    """Iterators are used up where they are made; what keeps or shows them needs Python objects."""
    for v in values:
        if isinstance(v, ITERATORS) or (isinstance(v, Generated) and not v.is_list):
            needed(cx, v)
            raise cx.unsupported("an iterator that is not used up at once", "make a list of it")


def is_maker(function: Any) -> bool:
    """Tell whether Python makes a lazy iterator, or one of NumPy's objects that are known while lowering only, by calling this."""
    if isinstance(function, types.BuiltinMethodType) and function == itertools.chain.from_iterable:
        return True
    if isinstance(function, type) and getattr(itertools, function.__name__, None) is function:
        return True
    facts = known(function)
    return facts is not None and facts.takes == "later"


def looks_at_it(function: Any) -> bool:
    """Does Python's function look at an iterator as it is, without taking items of it?"""
    facts = known(function)
    return facts is not None and facts.takes == "none"


def settled(cx: Lowering, v: Value) -> Value:
    """What a function takes the items of: comprehensions and iterations over lengths that only the run tells, as lists."""
    if isinstance(v, OneShot):
        return Tup(v.items)
    if isinstance(v, (Generated, Iteration, Flat)):
        return cx.above.list_of_steps(cx, v)
    return v
