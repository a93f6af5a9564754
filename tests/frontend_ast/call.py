"""The state of a lowering at its beginning: `cx, (a, k) = begin(a=np.ones(3), k=2)` gives the values of the arguments of such a call."""

from __future__ import annotations

from typing import Any

from soljit.frontend_ast.entry_arguments import Arguments
from soljit.frontend_ast.lower import ABOVE
from soljit.frontend_ast.lowering.blocks import freeze
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Value
from soljit.ir.core.nodes import Region
from soljit.ir.text.printer import node_text
from soljit.runtime.values import arguments


def begin(undecided: bool = False, **call: Any) -> tuple[Lowering, list[Value]]:
    """A lowering for a call with these arguments, and their values. undecided: no guard may be made of this call's values"""
    cx = Lowering("f", {}, {}, undecided, "strict")
    cx.above = ABOVE
    cx.concrete = {}
    described = arguments.describe(list(call.values()), list(call))
    taking = Arguments(cx, begin, list(described.leaves), cx.concrete)
    values = []
    for k, (name, t) in enumerate(zip(call, described.types)):
        taking.place = (k,)
        values.append(taking.value(t, name))
    return cx, values


def emitted(cx: Lowering) -> list[str]:
    """What was emitted so far, each node as text."""
    whole = freeze(cx.blocks[0])
    assert isinstance(whole, Region)
    return [node_text(n) for n in whole.nodes]
