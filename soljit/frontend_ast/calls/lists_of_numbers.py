"""Arguments that are long lists of Python numbers of one type, or of such lists: what their items are is known, if nothing else sees such lists while the
function runs.

Each call looks first: whether they are what they were taken for, and where the function changes them, whether each list stands in one place only.
Compiled code then has them in memory of its own (`passes/lists/unbox_lists.py`). A call with other lists is made again by a program that knows nothing of the items.
"""

from __future__ import annotations

from typing import Any

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import BOOL, INT
from soljit.frontend_ast.objects.objects import call_by_name, length
from soljit.frontend_ast.values.learned import Restart, new_slot, widen
from soljit.frontend_ast.values.object_types import Element, ObjectType, Slot
from soljit.frontend_ast.values.values import Num, Object, Static
from soljit.ir.callbacks.reach import changes_lists, goes_through, leaves_lists_alone
from soljit.ir.core.expr import const
from soljit.ir.core.nodes import Program
from soljit.ir.core.types import DType, from_numpy
from soljit.support.list_pools import COUNTED, DIFFERENT, ENTER, LOOK, type_of_rows
from soljit.support.numbers import FILL, dtype_of_items
from soljit.support.unforeseen import Site


def type_of_list(cx: Lowering, value: Any, name: str) -> ObjectType | None:
    """The type of an argument that is a list of numbers, or of lists of numbers; None: nothing is known of its items."""
    if cx.learned.mixed or any(cx.foreseen.get(Site.at(cx.loc, x)) for x in (FILL, LOOK, COUNTED, ENTER, DIFFERENT)):
        return None
    if type(value) is not list:
        return None
    nested = bool(value) and all(type(row) is list for row in value)
    dtype = type_of_rows(value) if nested else dtype_of_items(value)
    if dtype is None or isinstance(dtype, bool):
        return None
    numbers = _slot(cx, name, Element("number", from_numpy(dtype), True))
    slot = numbers
    if nested:
        slot = _slot(cx, f"lists in {name}", Element("object", object=ObjectType(list, numbers)))
    kind = cx.lists_of_numbers[name] = ObjectType(list, slot)
    return kind


def _slot(cx: Lowering, name: str, element: Element) -> Slot:
    slot = new_slot(cx.learned, cx.loc, f"argument {name}")
    widen(cx.learned, slot, element)
    return slot


def look(cx: Lowering) -> None:
    """At the head of the function, look whether the items are what they were taken for."""
    for name, kind in cx.lists_of_numbers.items():
        depth, dtype = _depth(kind), _dtype(kind)
        if dtype is None:  # code that nobody has looked at gets it, or something else is put in
            cx.learned.mixed = True
            raise Restart
        given = Object(name, kind, True)
        if depth == 2 or cx.learned.filled:
            call_by_name(cx, LOOK, [given, Num(const(depth), True), Static(dtype.name)], INT)
        else:
            column = cx.alloc(dtype, (length(cx, given).expr,), hint="items")
            call_by_name(cx, FILL, [given, column], BOOL, changes=True)
    if cx.learned.filled:
        depths = "".join(str(_depth(kind)) for kind in cx.lists_of_numbers.values())
        lists = [Object(name, kind, True) for name, kind in cx.lists_of_numbers.items()]
        call_by_name(cx, DIFFERENT, [Static(depths), *lists], BOOL)


def _depth(kind: ObjectType) -> int:
    assert kind.item is not None
    element = kind.item.root.element
    return 2 if element is not None and element.object is not None else 1


def _dtype(kind: ObjectType) -> DType | None:
    """The type of the numbers in the lists of an argument; None: they may be something else."""
    element = kind.item.root.element if kind.item is not None else None
    if (
        element is not None
        and element.object is not None
        and element.object.cls is list
        and element.object.item is not None
    ):
        element = element.object.item.root.element
    return element.dtype if element is not None and element.form == "number" and element.weak is True else None


def check_left_alone(cx: Lowering, program: Program) -> None:
    """Lower again without knowing the items, if something else might see such a list, or all of it would be read for the sake of a few; or with lists that
    change, if the function changes one.
    """
    if not cx.lists_of_numbers:
        return
    names = set(cx.lists_of_numbers)
    nested = {name for name, kind in cx.lists_of_numbers.items() if _depth(kind) == 2}
    changes = changes_lists(program, names - nested, nested)
    if not leaves_lists_alone(program, names) or (changes or nested) and not _pays(program, names, nested):
        cx.learned.mixed = True
        raise Restart
    if changes and not cx.learned.filled:
        cx.learned.filled = True
        raise Restart


def _pays(program: Program, names: set[str], nested: set[str]) -> bool:
    """Tell whether loops go through such lists, and through all that change: one may grow from call to call."""
    through = {x for x in names if goes_through(program, x, x in nested)}
    return bool(through) and not any(changes_lists(program, {x} - nested, {x} & nested) for x in names - through)
