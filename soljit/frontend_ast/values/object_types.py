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
from typing import Any

from soljit.base.knowledge import pure
from soljit.base.place import Loc
from soljit.base.python.classes import is_of_the_user
from soljit.base.python.object_names import class_name
from soljit.base.records import dataclass
from soljit.frontend_ast.values.sample_arrays import sample_array
from soljit.ir.core.types import PYTHON_NAMES, DType
from soljit.support.declarations import ANY_FLOAT, declared_array


@dataclass(frozen=True, slots=True)
class Element:
    """What a slot holds. form: "number", "array", "tuple", "none" or "object"; of results of NumPy's functions "list", too.

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
        """What the callback's result must be, as in `support/declarations.py`."""
        return self.declared()

    def declared(self, ordered: bool = False) -> Any:
        """The declaration; ordered: of arrays in their memory order only."""
        match self.form:
            case "number":
                assert self.dtype is not None
                if self.weak is None:
                    return ANY_FLOAT
                return PYTHON_NAMES[self.dtype] if self.weak else {"numpy": self.dtype.name}
            case "array":
                assert self.dtype is not None
                order = {"order": list(self.rank) if self.order == "A" else self.order} if ordered else {}
                return declared_array(self.dtype.name, self.ndim, self.writable) | order
            case "tuple":
                named = {} if self.cls is None else {"class": class_name(self.cls)}
                return {"tuple": [x.declared(ordered) for x in self.items], **named}
            case "list":
                return {"list": [x.declared(ordered) for x in self.items]}
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
                return self.dtype.number_class(self.weak is not False)(n + k)
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
        except RecursionError:
            raise
        except Exception as e:  # whatever the class says of its example
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
        return pure.attempt(self.cls, ())

    @staticmethod
    def _of(slot: Slot | None, n: int, k: int) -> Any:
        found = slot.root.element if slot is not None else None
        if found is None:
            raise Unknown
        return found.sample(n, k)


CHARACTER = ObjectType(str)  # of variables that hold texts of at most one character, whose code is known
LATIN = ObjectType(
    str
)  # of those whose codes fit into a byte: there is one object for each of these, so that such variables hold the code alone
CHARACTERS = (LATIN, CHARACTER)
ANY = Element("object", object=ObjectType(None))
NOTHING = Element("none")


def iterator_over(item: Callable[[], Element]) -> Element:
    return Element("object", object=ObjectType(None, items=item))
