"""Arguments that are long lists of Python numbers of one type: what their items are is known, if the function leaves such lists alone.

Each call looks first: the numbers go into an array, from which compiled code reads them where it can (`passes/lists/unbox_lists.py`). A call with another list
is made again by a program that knows nothing of the items.
"""

from __future__ import annotations

from typing import Any

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import BOOL
from soljit.frontend_ast.objects.objects import call_by_name, length
from soljit.frontend_ast.values.learned import Restart, new_slot, widen
from soljit.frontend_ast.values.object_types import Element, ObjectType
from soljit.frontend_ast.values.values import Object
from soljit.ir.callbacks.reach import leaves_lists_alone
from soljit.ir.core.nodes import Program
from soljit.ir.core.types import from_numpy
from soljit.support.numbers import FILL, dtype_of_items
from soljit.support.unforeseen import Site


def type_of_list(cx: Lowering, value: Any, name: str) -> ObjectType | None:
    """The type of an argument that is a list of numbers; None: nothing is known of its items."""
    if cx.learned.mixed or cx.foreseen.get(Site.at(cx.loc, FILL)):
        return None
    dtype = dtype_of_items(value)
    if dtype is None:
        return None
    slot = new_slot(cx.learned, cx.loc, f"argument {name}")
    widen(cx.learned, slot, Element("number", from_numpy(dtype), True))
    kind = cx.lists_of_numbers[name] = ObjectType(list, slot)
    return kind


def look(cx: Lowering) -> None:
    """At the head of the function, look whether the items are what they were taken for."""
    for name, kind in cx.lists_of_numbers.items():
        assert kind.item is not None and kind.item.element is not None
        if kind.item.element.dtype is None:  # code that nobody has looked at gets it
            cx.learned.mixed = True
            raise Restart
        given = Object(name, kind, True)
        column = cx.alloc(kind.item.element.dtype, (length(cx, given).expr,), hint="items")
        call_by_name(cx, FILL, [given, column], BOOL, changes=True)


def check_left_alone(cx: Lowering, program: Program) -> None:
    """Lower again without knowing the items, if the function might change such a list, or run code that does."""
    names = set(cx.lists_of_numbers)
    if names and not leaves_lists_alone(program, names):
        cx.learned.mixed = True
        raise Restart
