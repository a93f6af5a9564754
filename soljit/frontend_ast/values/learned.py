"""What rounds of lowering find out about Python objects, and how types of objects are joined: a round that finds something late is followed by another."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import field, replace
from typing import Any

import numpy as np

from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.frontend_ast.values.object_types import ANY, Element, ObjectType, Slot
from soljit.ir.core.types import f64


@dataclass
class Learned:
    """What earlier rounds of lowering found out.

    dynamic:  where containers are made that must be Python objects, because their length is known only at run time
    elements: what containers made at a place hold
    blind:    something is written through an object of which nothing is known: what became such an object may hold anything
    exposed:  classes of the user's whose instances Python code was given: it may have set attributes; opened: by their `__dict__`
    held:     arrays that objects hold
    changing: paths to lists and dicts from outside that the function may change
    empty:    containers that were read in an earlier round, and nothing was put in; unknown: read in this round
    views:    objects hold views, which come back as other array objects; identity: that matters to an `is`
    tuples:   it matters to an `is` which of several tuples in containers one is
    closing:  calls that make generators which clean up, of loops that may leave them early
    unrolled: loops whose steps must be known while compiling; tables: loops over known numbers that are not unrolled, since their bodies are large
    boxed: variables that live in boxes (`syntax/boxes.py`), by their functions
    as_objects: nested functions that are Python objects
    assigned: global variables and attributes of objects outside that are assigned (`objects/captured_assignments.py`); attributes: of arguments; attributes_of_loops: those in a loop or try
    recursive: functions that call themselves; by_python: those of them that cannot be functions of the program
    coded:    texts and bytes of which loops read characters: parameters, and constants behind ""
    mixed:    lists of numbers that are arguments may come to hold anything; filled: they, or the lists in them, are changed; compact: in the usual forms the program is too large (`lowering/work.py`)
    errors:   the function makes floating-point errors raise, or be reported in another way (np.seterr)
    moderate: ints that loops change begin far from the ends of 64 bits (a guard), since a check of their sums would come too late; from_caller: the caller gives some of these
    often: functions that are called often, by `called_often.key_of`; in_place: those of them that cannot be functions of the program
    opaque:   places where what comes out is left to Python as an object, since nothing could be done again if it were not what was guessed
    equal_at: where symbols were found to be equal to others; grown: what showed that a container of `dynamic` must be an object
    changed:  this round learned something that it should have known from the start"""

    dynamic: set[Loc] = field(default_factory=set)
    elements: dict[tuple[Loc, str], Element] = field(default_factory=dict)
    slots: list[Slot] = field(default_factory=list)  # of this round
    blind: bool = False
    exposed: set[type] = field(default_factory=set)
    opened: set[type] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    empty: set[tuple[Loc, str]] = field(default_factory=set)
    unknown: set[tuple[Loc, str]] = field(default_factory=set)
    views: bool = False
    identity: bool = False
    tuples: bool = False
    closing: set[Loc] = field(default_factory=set)
    unrolled: set[Loc] = field(default_factory=set)
    tables: set[Loc] = field(default_factory=set)
    boxed: dict[tuple[str, int, int], set[str]] = field(default_factory=dict)
    assigned: set[tuple[int, str]] = field(default_factory=set)
    as_objects: set[tuple[str, int, int]] = field(default_factory=set)
    recursive: set[tuple[str, int, int]] = field(default_factory=set)
    by_python: set[tuple[str, int, int]] = field(default_factory=set)
    changing: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    attributes_of_loops: dict[Loc, set[str]] = field(default_factory=dict)
    coded: set[Any] = field(default_factory=set)
    mixed: bool = False
    filled: bool = False
    compact: bool = False
    errors: bool = False
    moderate: bool = False
    from_caller: bool = False
    often: set[Any] = field(default_factory=set)
    in_place: set[Any] = field(default_factory=set)
    opaque: frozenset[Loc] = frozenset()
    equal_at: dict[str, Loc] = field(default_factory=dict)
    grown: dict[Loc, Loc] = field(default_factory=dict)
    changed: bool = False
    undo: list[tuple[Slot, Element | None, bool, Slot | None]] = field(default_factory=list)  # before they changed

    def leave_to_python(self, late: Set[Loc], guessed: Set[Loc]) -> None:
        """At these places something may be that was not compiled, when nothing can be done again any more: what helps in the next round.

        guessed: places where a call may give something else than examples did; at the others an int may leave 64 bits
        """
        self.opaque |= late if self.moderate or not self.from_caller else late & guessed
        self.moderate = True

    def remember(self, slot: Slot) -> None:
        """A slot is about to change; `back_to` undoes it."""
        self.undo.append((slot, slot.element, slot.read, slot.joined))

    def back_to(self, length: int) -> None:
        """Forget the changes since `undo` had this length."""
        while len(self.undo) > length:
            slot, element, read, joined = self.undo.pop()
            slot.element, slot.read, slot.joined = element, read, joined


class Restart(Exception):
    """Lower again, with what was learned."""


def join_elements(learned: Learned, a: Element, b: Element) -> Element:
    """What holds both; containers in them become one type."""
    if a is b or a == b:
        return a
    if a.form == b.form == "number" and a.dtype is b.dtype is f64:
        return replace(a, weak=None)
    if a.form == b.form == "tuple" and a.cls is b.cls and len(a.items) == len(b.items):
        return replace(a, items=tuple(join_elements(learned, x, y) for x, y in zip(a.items, b.items)))
    if a.form == b.form == "array" and (a.dtype, a.rank, a.writable) == (b.dtype, b.rank, b.writable):
        return replace(a, order="A")
    if a.form == "none" or b.form == "none" or is_optional(a) or is_optional(b):
        return _optional(learned, a, b)
    if a.form == b.form == "object":
        assert a.object is not None and b.object is not None
        joined = join_types(learned, a.object, b.object)
        return a if joined is a.object else Element("object", object=joined)
    for x, y in ((a, b), (b, a)):
        if x.form == "tuple" and (sequence := _sequence(learned, y.object)) is not None:
            for item in x.items:
                widen(learned, sequence, item)
            return Element("object", object=_some_sequence(y.object, sequence))
    _lose_sight(learned, a)
    _lose_sight(learned, b)
    return ANY


def is_optional(e: Element) -> bool:
    """Tell whether this is None or a number or array of one type."""
    return e.form == "object" and bool(e.items)


def _optional(learned: Learned, a: Element, b: Element) -> Element:
    """What holds both where one of them may be None."""
    parts = [x.items[0] if is_optional(x) else x for x in (a, b) if x.form != "none"]
    joined = parts[0] if len(parts) == 1 else join_elements(learned, *parts)
    if joined.form in ("number", "array") and joined.weak is not None:
        return Element("object", items=(joined,), object=ANY.object)
    _lose_sight(learned, joined)
    return ANY


def _lose_sight(learned: Learned, e: Element) -> None:
    """What is in `e` becomes part of an object of which nothing is known, and can be changed there."""
    if learned.blind:
        give_away(learned, e)


def give_away(learned: Learned, e: Element) -> None:
    """Code that nobody has looked at gets `e`, and may put anything in."""
    for x in e.items:
        give_away(learned, x)
    if e.object is None:
        return
    for slot in (e.object.item, e.object.key, *(e.object.fields or {}).values()):
        before = None if slot is None else slot.root.element
        if slot is not None and before != ANY:
            _hold(learned, slot.root, ANY)  # first: an instance may be its own attribute
            if before is not None:
                give_away(learned, before)


def join_types(learned: Learned, a: ObjectType, b: ObjectType) -> ObjectType:
    """The type of an object that is of either type."""
    if a is b:
        return a
    if a.cls is not b.cls or a.cls is None or a.form != b.form:
        if a.cls is b.cls is np.ndarray:
            return ObjectType(np.ndarray)
        x, y = _sequence(learned, a), _sequence(learned, b)
        if x is not None and y is not None:
            join_slots(learned, x, y)
            return _some_sequence(a if a.cls is None else b, x)
        _lose_sight(learned, Element("object", object=a))
        _lose_sight(learned, Element("object", object=b))
        return next((x for x in (a, b) if x.cls is None and x.item is None and x.items is None), ObjectType(None))
    for x, y in ((a.item, b.item), (a.key, b.key)):
        if x is not None and y is not None:
            join_slots(learned, x, y)
    if a.fields is not None and b.fields is not None and a.fields is not b.fields:
        for name, slot in b.fields.items():
            join_slots(learned, a.fields.setdefault(name, slot), slot)
        b.fields = a.fields
    if (a.fields is None) != (b.fields is None):  # an instance from outside, in which anything is put unseen
        give_away(learned, Element("object", object=a if b.fields is None else b))
        return a if a.fields is None else b
    return a


def _sequence(learned: Learned, kind: ObjectType | None) -> Slot | None:
    """What the items are of a list, tuple or set, or of what may be either; None of other objects, or if it may be changed unseen."""
    if kind is None or learned.blind or kind.key is not None or kind.cls not in (None, *_SEQUENCES):
        return None
    return kind.item


def _some_sequence(kind: ObjectType | None, item: Slot) -> ObjectType:
    """The type of a sequence of any class with these items: `kind` if it is one."""
    return kind if kind is not None and kind.cls is None else ObjectType(None, item)


_SEQUENCES = (list, tuple, set, frozenset)


def join_slots(learned: Learned, a: Slot, b: Slot) -> None:
    """Two slots are one from now on."""
    x, y = a.root, b.root
    if x is y:
        return
    learned.remember(y)
    y.joined = x
    if y.read and not x.read:
        learned.remember(x)
        x.read = True
    if y.element is not None:
        widen(learned, x, y.element)


def widen(learned: Learned, slot: Slot, element: Element) -> None:
    """Something is put into a container."""
    x = slot.root
    joined = element if x.element is None else join_elements(learned, x.element, element)
    if joined != x.element:
        _hold(learned, x, joined)


def _hold(learned: Learned, root: Slot, element: Element) -> None:
    learned.remember(root)
    root.element = element
    if root.read:
        learned.changed = True


def new_slot(learned: Learned, site: Loc, part: str) -> Slot:
    """The slot of a container that is made at this place."""
    key = (site, part)
    slot = Slot(learned.elements.get(key), key)
    learned.slots.append(slot)
    return slot


def element_read(learned: Learned, slot: Slot) -> Element | None:
    """What the items are, as far as is known."""
    x = slot.root
    if not x.read:
        learned.remember(x)
        x.read = True
    return x.element


def record(learned: Learned, whole: bool) -> None:
    """Keep what the slots of this round hold for the next one. whole: the round came to its end, where all is put in that ever is"""
    learned.changed |= bool(learned.unknown)
    for slot in learned.slots:
        assert slot.site is not None
        if slot.root.element is not None:
            learned.elements[slot.site] = slot.root.element
    if whole:
        learned.empty |= {s for s in learned.unknown if s not in learned.elements}
    for known in (learned.unknown, learned.slots, learned.undo):
        known.clear()
