"""Iterators that are given to what makes another iterator of them, which takes an item only when it is asked for one.

Items are taken beforehand, as a list, if nobody can tell; else Python makes the iterator where it is made.
"""

from __future__ import annotations

import itertools
from typing import Any

from soljit.frontend_ast.lowering.blocks import below
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import needed, settled
from soljit.frontend_ast.values.values import Generated, Generator, Iteration, OneShot, Thunk, Value
from soljit.ir.callbacks.own_objects import only_looks
from soljit.ir.core import nodes
from soljit.support.pending import unguarded

_PRINTS = "builtins.print"
_APPEND = "builtins.list.append"  # what makes the list


def handed_on(cx: Lowering, function: Any, v: Value) -> Value:
    """What `function`, which gives an iterator, takes its items of."""
    if isinstance(v, Generator) or (isinstance(v, OneShot) and any(isinstance(x, Thunk) for x in v.steps)):
        needed(cx, v)
    start = len(cx.current.items)
    made = settled(cx, v)
    if isinstance(v, (Generated, Iteration)):
        emitted = (n for top in cx.current.items[start:] for n in below(top))
        if any(_tells(n, function is itertools.takewhile) for n in emitted):
            needed(cx, v)
    return made


def _tells(n: nodes.Node, stops: bool) -> bool:
    """Tell whether anybody can tell when this node runs, or whether it does. stops: some items may never be asked for"""
    if isinstance(n, nodes.Callback):
        target = unguarded(n.target)
        return target != _APPEND and (target == _PRINTS or not only_looks(target))
    return isinstance(n, nodes.Call) or (stops and isinstance(n, (nodes.Raise, nodes.Break)))
