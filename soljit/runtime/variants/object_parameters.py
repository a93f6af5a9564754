"""Places in arguments whose values variants take as the very object: lists that the function changes, and what has another structure from call to call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FunctionType

from soljit.base.errors import ArgPlace, ObjectNeeded, SoljitError, UnsupportedError
from soljit.base.python.dependency import jitted
from soljit.ir.core.signature import ArgType, DictArg, InstanceArg, StaticArg, TupleArg
from soljit.runtime.values.same_types import same_types
from soljit.runtime.variants.variant import Variant

LONGEST_TEXT = 32  # a longer one is hardly a word that chooses what the function does
MOST_FORMS = 8  # at one place for which there are variants: texts, lengths of lists, keys of dicts, functions
VARYING = (str, bytes, list, tuple, dict, FunctionType)


class ObjectParameters:
    """Of one function. What has many forms is an object unless the function has to know it while it is compiled."""

    def __init__(self) -> None:
        self.needed: frozenset[ArgPlace] = frozenset()
        self.many: frozenset[ArgPlace] = frozenset()
        self.known: frozenset[ArgPlace] = frozenset()  # of many forms that have to be known
        self._counted = 0  # variants whose forms are in `many`

    def among(self, arguments: Sequence[object], variants: Sequence[Variant]) -> frozenset[ArgPlace]:
        """Those of this call, which is about to be described: is one of its texts long, or had a place many forms?"""
        for k, value in enumerate(arguments):
            if isinstance(value, (str, bytes)) and len(value) > LONGEST_TEXT and type(value) in VARYING:
                self.many |= {(k,)} - self.known
        if len(variants) != self._counted:
            self._counted = len(variants)
            self.many |= _places_of_many(variants) - self.known
        return self.needed | self.many

    def note_others(self, types: Sequence[ArgType]) -> None:
        """A variant for these types was for many other functions made from the same code before, which only the slow path could tell."""
        forms = (form for k, t in enumerate(types) for form in _forms((k,), t))
        self.many |= {place for place, cls, _ in forms if cls is FunctionType} - self.known

    def answer(self, error: SoljitError) -> bool:
        """Tell whether there is something else to try after the function was refused."""
        if isinstance(error, ObjectNeeded) and error.places - self.needed - self.many:
            self.needed |= error.places
            return True
        if isinstance(error, UnsupportedError) and self.many:
            self.many, self.known = frozenset(), self.known | self.many
            return True
        return False


def _places_of_many(variants: Sequence[Variant]) -> frozenset[ArgPlace]:
    """Where variants have many different types for values of one class."""
    found: dict[tuple[ArgPlace, type], list[ArgType]] = {}
    for v in variants if len(variants) >= MOST_FORMS else ():
        for k, whole in enumerate(v.types):
            for place, cls, t in _forms((k,), whole):
                forms = found.setdefault((place, cls), [])
                if len(forms) < MOST_FORMS and not any(same_types((t,), (x,)) for x in forms):
                    forms.append(t)
    return frozenset(place for (place, _), forms in found.items() if len(forms) == MOST_FORMS)


def _forms(place: ArgPlace, t: ArgType) -> Iterator[tuple[ArgPlace, type, ArgType]]:
    """The types of a place, and of the attributes below it, that are about one value or one structure; with the class of the values."""
    cls: type | None = None
    match t:
        case InstanceArg():
            for name, item in zip(t.keys, t.items):
                yield from _forms((*place, name), item)
        case StaticArg():
            cls = FunctionType if jitted(t.value) is not None else type(t.value)
        case TupleArg():
            cls = t.cls or (list if t.mutable else tuple)
        case DictArg():
            cls = dict
    if cls in VARYING:
        yield place, cls, t
