"""Parameters that variants take as the very object: lists that the function changes, and texts that differ from call to call."""

from __future__ import annotations

from collections.abc import Sequence

from soljit.base.errors import ObjectNeeded, SoljitError, UnsupportedError
from soljit.ir.signature import StaticArg
from soljit.runtime.variant import Variant

LONGEST_TEXT = 32  # a longer one is hardly a word that chooses what the function does
MOST_TEXTS = 8  # values of one parameter for which there are variants


class ObjectParameters:
    """Of one function, by number. A text is an object unless the function has to know it while it is compiled."""

    def __init__(self) -> None:
        self.needed: frozenset[int] = frozenset()
        self.texts: frozenset[int] = frozenset()
        self.known: frozenset[int] = frozenset()  # texts that have to be known

    def among(self, arguments: Sequence[object], variants: Sequence[Variant]) -> frozenset[int]:
        """Those of this call, which is about to be described: is one of its texts long, or one of many?"""
        for k, value in enumerate(arguments):
            if type(value) in (str, bytes) and k not in self.texts | self.known:
                types = [v.types[k] for v in variants]
                seen = {t.value for t in types if isinstance(t, StaticArg) and type(t.value) is type(value)}
                if len(value) > LONGEST_TEXT or len(seen) >= MOST_TEXTS:  # type: ignore[arg-type]
                    self.texts |= {k}
        return self.needed | self.texts

    def answer(self, error: SoljitError) -> bool:
        """The function was refused: is there something else to try?"""
        if isinstance(error, ObjectNeeded) and error.parameter not in self.needed | self.texts:
            self.needed |= {error.parameter}
            return True
        if isinstance(error, UnsupportedError) and self.texts:
            self.texts, self.known = frozenset(), self.known | self.texts
            return True
        return False
