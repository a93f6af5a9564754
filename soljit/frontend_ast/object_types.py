"""Types of Python objects that exist only at run time: strings, lists that grow, dicts, sets, iterators, random generators.

An object is known by its class and, for containers, by what their items are. The items of a container are found out while the function
is lowered: every place that puts something in widens its `Slot`. A slot that is widened after it was read makes the function be lowered again,
with what was learned (`Learned`) from the start.

`Element` describes what a slot holds: numbers and arrays by dtype, tuples by their parts, objects by their type; `MIXED` and
the object of no class are looked at by Python alone.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from soljit.base import pure
from soljit.base.classes import is_of_the_user
from soljit.base.declarations import ANY_FLOAT, declared_array
from soljit.base.objects import class_name
from soljit.base.place import Loc
from soljit.frontend_ast.sample_arrays import sample_array
from soljit.ir.types import PYTHON_NAMES, DType, b1, c128, f64, i64


@dataclass(frozen=True, slots=True)
class Element:
    """What a slot holds. form: "number", "array", "tuple", "none" or "object".

    weak:  of numbers: is it Python's? None: a float of Python's or of NumPy's
    items: the parts of a tuple; of an object of no class the one type that it is of where it is not None, if that is known
    """

    form: str
    dtype: DType | None = None
    weak: bool | None = False
    ndim: int = 0
    order: str = "C"  # of arrays: "C", "F" or "A"
    rank: tuple[int, ...] = ()
    writable: bool = True
    items: tuple[Element, ...] = ()
    cls: type | None = None  # of named tuples
    object: ObjectType | None = None

    @property
    def declaration(self) -> Any:
        """What the callback's result must be, as in `base/objects.py`."""
        match self.form:
            case "number":
                assert self.dtype is not None
                if self.weak is None:
                    return ANY_FLOAT
                return PYTHON_NAMES[self.dtype] if self.weak else {"numpy": self.dtype.name}
            case "array":
                assert self.dtype is not None
                return declared_array(self.dtype.name, self.ndim, self.writable)
            case "tuple":
                named = {} if self.cls is None else {"class": class_name(self.cls)}
                return {"tuple": [x.declaration for x in self.items], **named}
            case "none":
                return "none"
            case _:
                cls = self.object.cls if self.object is not None else None
                return {"object": None if cls is None else class_name(cls)}

    def sample(self, n: int, k: int = 0) -> Any:
        """An example of the value with lengths `n`, the k-th of several; `Unknown` if there is none."""
        match self.form:
            case "number":
                assert self.dtype is not None
                kind = (
                    {b1: bool, i64: int, f64: float, c128: complex}[self.dtype]
                    if self.weak is not False
                    else self.dtype.numpy.type
                )
                return kind(n + k)
            case "array":
                assert self.dtype is not None
                return sample_array(self.dtype.numpy, self.ndim, self.order, self.rank, self.writable, n, k)
            case "tuple":
                return tuple.__new__(self.cls or tuple, [x.sample(n, k) for x in self.items])
            case "none":
                return None
            case _:
                assert self.object is not None
                return self.object.sample(n, k)


class Unknown(Exception):
    """No example of this type can be made."""


@dataclass(eq=False)
class Slot:
    """What the items of a container are; None: nothing was put in yet. Slots of containers that turn out to be one are joined.

    site: where the container was made, under which the next round finds what this one learned
    """

    element: Element | None = None
    site: tuple[Loc, str] | None = None
    read: bool = False
    joined: Slot | None = None

    @property
    def root(self) -> Slot:
        """The slot that stands for all that were joined."""
        slot = self
        while slot.joined is not None:
            slot = slot.joined
        return slot


@dataclass(eq=False)
class ObjectType:
    """The class of an object (None: any) and what it holds; `make` makes an example of a class that needs arguments."""

    cls: type | None
    item: Slot | None = None
    key: Slot | None = None
    make: Callable[[int], Any] | None = None
    fields: dict[str, Slot] | None = None  # of instances of the user's classes
    site: Loc | None = None
    items: Callable[[], Element] | None = None  # what iterating gives, if that is not `item`
    form: tuple[Any, ...] | None = None  # of arrays: the kind of their elements, their number of dimensions
    gathers: bool = False  # tuples of too many types for a variable, which it holds instead
    sampled: bool = False  # an example is being made; a container that holds itself has none

    def sample(self, n: int, k: int = 0) -> Any:
        """An example, with items if it has any; those that have lengths are equally long."""
        if self.sampled:
            raise Unknown
        self.sampled = True
        try:
            return self._sample(n, k)
        except pure.Impure as e:
            raise Unknown from e
        finally:
            self.sampled = False

    def _sample(self, n: int, k: int) -> Any:
        if self.make is not None:
            return self.make(n)
        if self.cls is str:
            return "a" * max(1, n + k)
        if self.cls is None:
            raise Unknown
        if self.cls in (list, set, frozenset, tuple, collections.deque):
            return self.cls([self._of(self.item, n, k + j) for j in range(n)])
        if is_of_the_user(self.cls):
            raise Unknown  # making an instance may do anything
        if issubclass(self.cls, dict):
            made = pure.attempt(self.cls, ())
            made[self._of(self.key, n, k)] = self._of(self.item, n, k)
            return made
        try:
            return pure.attempt(self.cls, ())
        except (pure.Impure, RecursionError):
            raise
        except Exception:
            raise Unknown from None

    @staticmethod
    def _of(slot: Slot | None, n: int, k: int) -> Any:
        found = slot.root.element if slot is not None else None
        if found is None:
            raise Unknown
        return found.sample(n, k)


ANY = Element("object", object=ObjectType(None))
NOTHING = Element("none")


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
    unrolled: loops whose steps must be known while compiling; boxed: variables that live in boxes (`boxes.py`), by their functions
    as_objects: nested functions that are Python objects
    assigned: global variables and attributes of objects outside that are assigned (`outside_assignments.py`); attributes: of arguments; attributes_of_loops: those in a loop or try
    recursive: functions that call themselves; by_python: those of them that cannot be functions of the program
    mixed:    lists of numbers that are arguments may come to hold anything; compact: in the usual forms the program is too large (`work.py`)
    errors:   the function makes floating-point errors raise, or be reported in another way (np.seterr)
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
    boxed: dict[tuple[str, int, int], set[str]] = field(default_factory=dict)
    assigned: set[tuple[int, str]] = field(default_factory=set)
    as_objects: set[tuple[str, int, int]] = field(default_factory=set)
    recursive: set[tuple[str, int, int]] = field(default_factory=set)
    by_python: set[tuple[str, int, int]] = field(default_factory=set)
    changing: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    attributes_of_loops: dict[Loc, set[str]] = field(default_factory=dict)
    mixed: bool = False
    compact: bool = False
    errors: bool = False
    changed: bool = False
    undo: list[tuple[Slot, Element | None, bool, Slot | None]] = field(default_factory=list)  # before they changed

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
    """Is this None or a number or array of one type?"""
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
    for x in e.items:
        _lose_sight(learned, x)
    if not learned.blind or e.object is None:
        return
    for slot in (e.object.item, e.object.key, *(e.object.fields or {}).values()):
        before = None if slot is None else slot.root.element
        if slot is not None and before != ANY:
            _hold(learned, slot.root, ANY)  # first: an instance may be its own attribute
            if before is not None:
                _lose_sight(learned, before)


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


def record(learned: Learned) -> None:
    """Keep what the slots of this round hold for the next one."""
    for slot in learned.slots:
        assert slot.site is not None
        if slot.root.element is not None:
            learned.elements[slot.site] = slot.root.element
    learned.empty |= {s for s in learned.unknown if s not in learned.elements}
    for known in (learned.unknown, learned.slots, learned.undo):
        known.clear()
