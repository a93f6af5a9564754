"""Which calls back into Python may run code that changes, or looks at, memory that the program holds, too?

Whatever runs code of the program or of a library may change every array that anybody else can hold: arguments, captured arrays,
and all that was given away. Such a `Callback` names the container that stands for them in its `effects`, without being given it.
The others are functions of Python and NumPy that have no effect, on numbers, texts and arrays of numbers: an object among the operands may
have special methods, and may die of being let go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from soljit.base.objects import HERE
from soljit.base.pure import is_pure_name
from soljit.base.random_streams import METHODS
from soljit.ir.data import Data
from soljit.ir.expr import Expr, Memlet, Sym
from soljit.ir.names import is_object
from soljit.ir.nodes import Callback, Param
from soljit.ir.pending import unguarded
from soljit.ir.templates import names_in

_HOLDING = {HERE + name for name in ("same", "is_same", "view", "frozen", "frozen_view", "window", "is_seen_elsewhere")}
_RAISING = {"soljit.ir.pending.raise_again", HERE + "make_exception", HERE + "throw"}
_IMPORTING = {HERE + "imported", HERE + "of_module"}
_READING = {"operator.getitem", "builtins.len"}  # of a list or tuple, by a number


def runs_code(n: Callback, params: Collection[Param], data: Mapping[str, Data]) -> bool:
    """May the call run code that nobody has looked at?"""
    target = unguarded(n.target)
    if target in _RAISING:
        return False
    objects = [x for x in n.ins if is_object(x, params, data)]
    named = set(names_in([n.args, n.kwargs]))
    if target.startswith(METHODS) and len(objects) == 1 and objects[0] is n.ins[0]:
        return False
    if objects and target in _READING:
        return len(objects) > 1 or not _is_sequence(n.ins[0], params)
    if objects:
        return target not in _HOLDING or not named <= _HOLDING
    return not all(map(_has_no_effect, (target, *named)))


def _has_no_effect(name: str) -> bool:
    return is_pure_name(name) or name.startswith(HERE) and name not in _IMPORTING


def _is_sequence(x: Memlet | Expr, params: Iterable[Param]) -> bool:
    """A list or a tuple, whose items can be read without running code."""
    return isinstance(x, Sym) and any(p.name == x.name and p.container in ("list", "tuple") for p in params)
