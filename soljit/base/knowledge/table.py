"""What is known of each function, method and class of Python and NumPy: its row, in `python_rows.py`, `numpy_rows.py`, `soljit_rows.py`.

A line without indentation names a module or a class (`here`: where compiled code finds functions of soljit); the lines below it list names in it. Words
in brackets hold for the names behind them, up to the next brackets. Names before the first brackets have no words: such a function only looks at its
arguments. Each name stands once, so that nothing can be known of a function in two ways.

What a call does:

* `changes=0` changes the argument at this place (the owner of a method is the first one); `changes=?` an argument, if an option says so
* `keeps`     keeps other arguments in what it changes; `drops` items of it, which may die of that
* `into`      writes into what it is given as `out`, if it is given that
* `draws`     takes from the stream of random numbers that is its first argument
* `calls`     calls functions that it is given; `asks` runs code of the classes of its arguments beyond what operators and containers run
* `outside`   changes or reads something that is no argument: a terminal, files, modules, a clock
* `frame`     looks at the running function, at the interpreter or at the outside world, so that Python has to run it where it stands

All others have no effect on operands that are made for the call, ask nothing outside for more than a clock or random bits, and end
(`base/knowledge/pure.py` may try them). What they are about:

* `takes=`    what happens to an iterator that is an argument. `none`: it is looked at as it is; `all`: all items are taken before anything else
              happens; `each`: something happens between the items (they are added, compared, hashed), `some`: and the function may stop before the
              end; `later`: the result is an iterator that takes items when it is asked for its own. Not known: like `none`.
* `gives=`    of which class the result is, whatever the arguments are
* `alike`     given an array and nothing else, it gives a new array of the same shape
* `blind`     runs no code of the items of a container of Python's own; `keyed` none but that of a key; `compared` compares them with an argument; `folds` adds
              or compares them; `steps` takes one of an iterator over them
* `lists`     tells a list of numbers from an array of them
* `holds`     gives an object, or looks at which one it is, and runs no code of it; `raises` makes or raises an exception; `imports` a module
* `grows`     its cost grows with a number that it is given
* `stops`     comes to an end by itself if it is given an iterator without an end; `endless` makes such an iterator
* `elsewhere` not in every version of Python and NumPy, or not on every machine
* `operand`   instances of this class may be operands of a call that is only tried; `immutable` no method changes them
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import field

from soljit.base.knowledge import numpy_rows, python_rows, soljit_rows
from soljit.base.records import dataclass

HERE = "soljit.support.objects"  # where compiled code finds functions
ROWS = (python_rows.ROWS, numpy_rows.ROWS, soljit_rows.ROWS)
_GROUP = re.compile(r"\[([^]]*)\]|([^\s\[\]]+)")
_FLAGS = frozenset(
    re.findall(
        r"\w+",
        "keeps drops alike into draws calls asks outside frame blind keyed compared folds steps lists holds raises imports grows stops endless operand immutable elsewhere",
    )
)
_CHOICES = {
    "takes": ("none", "all", "each", "some", "later"),
    "gives": ("none", "text", "int", "float", "bool", "complex"),
    "changes": ("0", "1", "?"),
}


@dataclass(frozen=True)
class Facts:
    """The words of a row."""

    words: frozenset[str] = frozenset()
    takes: str = ""
    gives: str = ""
    changes: str = ""
    tried: bool = field(init=False)
    looks: bool = field(init=False)

    def __post_init__(self) -> None:
        """tried: may it be called on operands made for the call? looks: does it change none of its arguments, and run no functions that it is given?"""
        object.__setattr__(self, "tried", self.words.isdisjoint(("outside", "frame")))
        object.__setattr__(self, "looks", not self.changes and self.words.isdisjoint(("draws", "calls", "asks")))

    def __contains__(self, word: str) -> bool:
        return word in self.words


LOOKS = Facts()


def _facts(words: str) -> Facts:
    flags, choices = set(), {}
    for word in words.split():
        key, _, value = word.partition("=")
        if value and value in _CHOICES.get(key, ()) and key not in choices:
            choices[key] = value
        elif word in _FLAGS:
            flags.add(word)
        else:
            raise ValueError(f"{word!r} is no word of the table")
    return Facts(frozenset(flags), **choices)


def parse(text: str) -> dict[str, dict[str, Facts]]:
    """The rows of a text, by the module or class and by the name in it."""
    found: dict[str, dict[str, Facts]] = {}
    space: dict[str, Facts] = {}
    facts = LOOKS
    for line in text.splitlines():
        if line[:1].strip():
            owner = HERE if line == "here" else line
            space, facts = found.setdefault(owner, {}), LOOKS
            continue
        for words, name in _GROUP.findall(line):
            if not name:
                facts = _facts(words)
            elif name in space:
                raise ValueError(f"{owner}.{name} has two rows")
            else:
                space[name] = facts
    return found


@functools.cache
def owners() -> Mapping[str, Mapping[str, Facts]]:
    """All rows, by the module or class and by the name in it."""
    return {owner: space for text in ROWS for owner, space in parse(text).items()}


@functools.cache
def rows() -> Mapping[str, Facts]:
    """All rows, by the dotted name."""
    return {f"{owner}.{name}": facts for owner, space in owners().items() for name, facts in space.items()}


@functools.cache
def named(word: str) -> frozenset[str]:
    """The dotted names whose rows have this word."""
    key, _, value = word.partition("=")
    return frozenset(name for name, f in rows().items() if (getattr(f, key) == value if value else word in f))


def methods(owner: str, word: str = "") -> frozenset[str]:
    """The names of the methods of a class whose rows have this word; those that only look if there is none."""
    return frozenset(n for n, f in owners()[owner].items() if (word in f if word else f.looks and f.tried))
