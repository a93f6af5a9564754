"""Calls back into Python that the dispatcher makes by itself: the rows of `native/variant.h` for the target, its arguments and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from soljit.base.python.names import find
from soljit.ir.core.types import BY_NAME, PYTHON_TYPES
from soljit.runtime.variants.callbacks import leaves_of
from soljit.runtime.variants.variant import CallbackTable, Json, LeafRecord
from soljit.support import pending
from soljit.support.declarations import PYTHON
from soljit.support.list_pools import COUNTED, ENTER, LOOK
from soljit.support.numbers import FILL
from soljit.support.objects import HERE
from soljit.support.texts import CHARACTER, CODES

Row = tuple[Any, ...]  # any: numbers and objects, as the C side expects them
SHORTCUTS = {
    "operator.getitem": 1,
    "operator.setitem": 2,
    "builtins.list.append": 3,
    "builtins.len": 4,
    "builtins.bool": 5,
    HERE + "steps": 6,
    HERE + "has_next": 7,
    HERE + "take": 8,
    HERE + "same": 9,
    "operator.contains": 10,
    HERE + "unpack": 11,
    "builtins.getattr": 12,
    "builtins.setattr": 13,
    FILL: 14,
    HERE + "set_attribute": 15,
    CODES: 16,
    CHARACTER: 17,
    LOOK: 18,
    ENTER: 19,
    COUNTED: 20,
}
ARGUMENTS = {
    1: 2,
    2: 3,
    3: 2,
    4: 1,
    5: 1,
    6: 1,
    7: 1,
    8: 1,
    9: 1,
    10: 2,
    11: 3,
    12: 2,
    13: 3,
    14: 2,
    15: 3,
    16: 1,
    17: 1,
    18: 3,
    19: 4,
    20: 2,
}
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "lshift", "rshift", "and_", "or_", "xor")
COMPARISONS = ("lt", "le", "eq", "ne", "gt", "ge")
for _first, _names in ((32, BINARY), (64, COMPARISONS)):
    SHORTCUTS |= {f"operator.{name}": _first + k for k, name in enumerate(_names)}
    ARGUMENTS |= {_first + k: 2 for k in range(len(_names))}
OPERAND, CONSTANT, TUPLE, LIST, CALL = range(5)
NUMBER, NUMPY, OBJECT, NONE, PARTS, OTHER, ANYTHING, ARRAY, FLOAT = range(9)
MOST_ARGUMENTS = 16  # arrays count each time that they occur


class NotDirect(Exception):
    """This takes more than the dispatcher can do."""


def direct(table: CallbackTable, numbers: Mapping[str, int]) -> Row | None:
    """The row of a call; None: `runtime/variants/callbacks.py` makes it. `numbers`: those of the element types."""
    guarded = pending.parse(table.target)
    dotted = table.target if guarded is None else guarded.function
    outs = table.outs if guarded is None else table.outs[:-1]
    if dotted.startswith("param:") or (isinstance(table.result, dict) and "operand" in table.result):
        return None
    if guarded is not None and any(leaf.kind == "array" for leaf in outs):
        return None
    try:
        arguments = [_source(a) for a in (*table.args, *table.kwargs.values())]
    except NotDirect:
        return None
    arrays = {k for k, leaf in enumerate(table.ins) if leaf.kind == "array"}
    if max(len(arguments), _uses(arguments, arrays)) > MOST_ARGUMENTS:
        return None
    expected = _expected(table.result, outs, numbers)
    shortcut = SHORTCUTS.get(dotted, 0) if guarded is None else 0  # they write no status
    if shortcut and (len(arguments) != ARGUMENTS[shortcut] or not _fits(dotted, expected)):
        shortcut = 0
    return (
        shortcut,
        find(dotted),
        len(table.args),
        tuple(table.kwargs) or None,
        tuple(arguments),
        expected,
        _unexpected(table, outs, guarded is not None),
        None if guarded is None else _handler(guarded),
    )


def _uses(sources: Iterable[Row], operands: set[int]) -> int:
    """How often these operands occur."""
    return sum(
        s[1] in operands if s[0] == OPERAND else 0 if s[0] == CONSTANT else _uses(s[1], operands) for s in sources
    )


def _fits(dotted: str, expected: Row) -> bool:
    """Tell whether what the shortcut writes is what is declared. Those that give a number write it unasked."""
    if dotted in ("builtins.len", LOOK, COUNTED):
        return expected[0] == NUMBER and bool(expected[2])
    if dotted in ("builtins.bool", "operator.contains", HERE + "has_next", FILL, ENTER):
        return expected[0] == NUMBER and bool(expected[2])
    if dotted == HERE + "steps":
        return expected[0] == OBJECT and bool(expected[2])
    return True


def _source(template: Json) -> Row:
    match template:
        case None | bool() | int() | float() | str():
            return (CONSTANT, template)
        case {"$": int() as k, **rest} if rest.keys() <= {"weak"}:
            return (OPERAND, k)
        case {"dtype": name}:
            return (CONSTANT, BY_NAME[name].numpy) if name in BY_NAME else _refuse()
        case {"tuple": list() | tuple() as items}:
            parts = tuple(map(_source, items))
            constant = all(p[0] == CONSTANT for p in parts)
            return (CONSTANT, tuple(p[1] for p in parts)) if constant else (TUPLE, parts)
        case {"slice": list() | tuple() as items}:
            return (CALL, tuple(map(_source, items)), slice)
        case {"name": str() as name}:
            return (CONSTANT, find(name))
        case {"ellipsis": True}:
            return (CONSTANT, ...)
        case {"call": [str() as name, list() | tuple() as items]}:
            return (CALL, tuple(map(_source, items)), find(name))
        case {"complex": [re, im]}:
            return (CONSTANT, complex(re, im))
        case list() | tuple():
            return (LIST, tuple(map(_source, template)))
    return _refuse()


def _refuse() -> Row:
    raise NotDirect


_ORDERS = ("C", "F", "A")


def _expected(tree: Json, outs: tuple[LeafRecord, ...], numbers: Mapping[str, int]) -> Row:
    """(kind, type, wanted, class, parts), for an array also (dimensions, order)"""
    if tree is None:
        return (OTHER if outs else ANYTHING, 0, 0, None, ())
    leaves = iter(outs)
    try:
        found = _node(tree, leaves, numbers)
    except (NotDirect, StopIteration):
        return (OTHER, 0, 0, None, ())
    return found if next(leaves, None) is None else (OTHER, 0, 0, None, ())


def _node(tree: Json, leaves: Iterator[LeafRecord], numbers: Mapping[str, int]) -> Row:
    match tree:
        case "none":
            return (NONE, 0, 0, None, ())
        case "any float":
            both = _wanted(next(leaves), "scalar", "i64") and _wanted(next(leaves), "scalar", "f64")
            return (FLOAT, numbers["f64"], both, None, ()) if both else _refuse()
        case str() if tree in PYTHON:
            dtype = PYTHON_TYPES[PYTHON[tree]].name
            return (NUMBER, numbers[dtype], _wanted(next(leaves), "scalar", dtype), None, ())
        case {"numpy": str() as name} if name in numbers:
            return (NUMPY, numbers[name], _wanted(next(leaves), "scalar", name), None, ())
        case {"object": name}:
            return (OBJECT, 0, _wanted(next(leaves), "object"), None if name is None else find(name), ())
        case {"array": [str() as name, int() as ndim], **rest} if name in numbers and not rest:
            leaf = next(leaves)
            if leaf.kind == "array" and leaf.ndim != ndim:
                raise NotDirect
            return (ARRAY, numbers[name], _wanted(leaf, "array", name), None, (), ndim, _ORDERS.index(leaf.order))
        case {"tuple": list() | tuple() as parts, **rest} if rest.keys() <= {"class"}:
            cls = find(str(rest["class"])) if rest else tuple
            return (PARTS, 0, 0, cls, tuple(_node(p, leaves, numbers) for p in parts))
    raise NotDirect


def _wanted(leaf: LeafRecord, kind: str, dtype: str | None = None) -> int:
    if leaf.kind == "drop":
        return 0
    if leaf.kind != kind or (dtype is not None and leaf.dtype != dtype):
        raise NotDirect
    return 1


def _unexpected(table: CallbackTable, outs: tuple[LeafRecord, ...], guarded: bool) -> Callable[[Any], tuple[Any, ...]]:
    """The leaves of a result that needs a closer look."""
    bare = table._replace(outs=outs)
    if not guarded:
        return lambda result: leaves_of(result, bare, ())
    return lambda result: (*leaves_of(result, bare, ()), 0)


def _handler(guarded: pending.Guarded) -> Callable[[BaseException], int]:
    """The number of the group to which an exception belongs, which waits then; 0: it passes on."""

    def handle(error: BaseException) -> int:
        for k, group in enumerate(guarded.groups):
            if isinstance(error, group):
                pending.keep(guarded.slot, error)
                return k + 1
        return 0

    return handle
