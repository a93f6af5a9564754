"""Places in arguments whose values variants take as the very object: lists that the function changes, and texts that differ from call to call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from soljit.base.errors import ArgPlace, ObjectNeeded, SoljitError, UnsupportedError
from soljit.ir.signature import ArgType, InstanceArg, StaticArg
from soljit.runtime.variant import Variant

LONGEST_TEXT = 32  # a longer one is hardly a word that chooses what the function does
MOST_TEXTS = 8  # values of one parameter for which there are variants


class ObjectParameters:
    """Of one function. A text is an object unless the function has to know it while it is compiled."""

    def __init__(self) -> None:
        self.needed: frozenset[ArgPlace] = frozenset()
        self.texts: frozenset[ArgPlace] = frozenset()
        self.known: frozenset[ArgPlace] = frozenset()  # texts that have to be known

    def among(self, arguments: Sequence[object], variants: Sequence[Variant]) -> frozenset[ArgPlace]:
        """Those of this call, which is about to be described: is one of its texts long, or one of many?"""
        for k, value in enumerate(arguments):
            if type(value) in (str, bytes) and (k,) not in self.texts | self.known:
                types = [v.types[k] for v in variants]
                seen = {t.value for t in types if isinstance(t, StaticArg) and type(t.value) is type(value)}
                if len(value) > LONGEST_TEXT or len(seen) >= MOST_TEXTS:  # type: ignore[arg-type]
                    self.texts |= {(k,)}
        self._texts_of_instances(variants)
        return self.needed | self.texts

    def _texts_of_instances(self, variants: Sequence[Variant]) -> None:
        """Attributes that have had many texts."""
        seen: dict[ArgPlace, set[object]] = {}
        for v in variants:
            for k, t in enumerate(v.types):
                for place, text in _texts((k,), t):
                    seen.setdefault(place, set()).add(text)
        self.texts |= {place for place, texts in seen.items() if len(texts) >= MOST_TEXTS} - self.known

    def answer(self, error: SoljitError) -> bool:
        """The function was refused: is there something else to try?"""
        if isinstance(error, ObjectNeeded) and error.place not in self.needed | self.texts:
            self.needed |= {error.place}
            return True
        if isinstance(error, UnsupportedError) and self.texts:
            self.texts, self.known = frozenset(), self.known | self.texts
            return True
        return False


def _texts(place: ArgPlace, t: ArgType) -> Iterator[tuple[ArgPlace, object]]:
    if isinstance(t, InstanceArg):
        for name, item in zip(t.keys, t.items):
            if isinstance(item, StaticArg) and type(item.value) in (str, bytes):
                yield (*place, name), item.value
            yield from _texts((*place, name), item)
