"""Remarks: what was made of the user's lines, and why not better, as `soljit.explain()` gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that was done to lines of a function, or that was not done.

    kind:    what it is about, a key of `base/sentences.py`'s KINDS: "fused", "threads", "vector", "memory", …
    text:    a sentence in the user's words
    file:    the user's file
    lines:   the lines that it is about, the one under which it is told first
    done:    False for what could have paid, and was not done
    cure:    what would change that, "" if nothing is known
    facts:   what the sentence says, for programs: {"lanes": 8, "dtype": "float64"}
    variant: the argument types of the variant, "f(float64[:], int)"
    """

    kind: str
    text: str
    file: str
    lines: tuple[int, ...]
    done: bool = True
    cure: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    variant: str = ""

    @property
    def whole(self) -> str:
        """The sentence, and what would change it."""
        return f"{self.text}; what would change it: {self.cure}" if self.cure else self.text
