"""Programs grown from templates: a statement is kept if the program still runs with it on the first call's arguments.

A template is the text of a statement with places to fill: `<N>` a name to bind, `<A>` an array, `<S>` a number, `<I>` an
integer, `<B>` a line of its own: one or two other statements. A place with a number (`<A1>`) is the same text wherever
it stands in the template. Generators add places and templates of their own.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.compare import items_of
from tests.fuzz.limits import TooLong, work_limit

INDENT = "    "
PARAMETERS = ("a", "b", "n", "x")
LARGEST = 60
PLACE = re.compile(r"<([A-Z]+)(\d?)>")
NUMBERS = ("0", "1", "2", "3", "-1", "0.5", "n", "n", "x", "2.0")


class NoName(Exception):
    """There is no value of the kind that a template needs."""


class Growth:
    """One program under construction: `add` statements, then ask for its `source`."""

    def __init__(
        self,
        r: random.Random,
        prelude: str = "",
        templates: Sequence[str] = (),
        parameters: Sequence[str] = PARAMETERS,
        calls: str = "",
        largest: int = LARGEST,
    ) -> None:
        """parameters: of `f`; calls: the text of `calls()`, which gives them; largest: elements of an array"""
        self.r, self.prelude, self.templates, self.parameters, self.largest = r, prelude, templates, parameters, largest
        self.calls = calls or _calls(r)
        self.lines: list[str] = []
        self.values: dict[str, Any] = {}
        self.count = 0
        self.places: dict[str, Callable[[], str]] = {
            "N": self.target, "A": self.array, "S": self.number, "I": self.integer, "C": self.condition,
        }  # fmt: skip
        assert self.runs([])

    # -- statements ----------------------------------------------------------------------------------------------------

    def grow(self, count: int) -> None:
        """Add `count` statements made from the templates."""
        for _ in range(count):
            for _ in range(8):
                with contextlib.suppress(NoName):
                    if self.add(self.statement(2)):
                        break

    def add(self, lines: list[str]) -> bool:
        """Append a statement if the program runs with it, now and then even if it raises."""
        good = self.runs(lines) or (self.r.random() < 0.02 and _parses(lines))
        self.lines += lines if good else []
        return good

    def statement(self, depth: int) -> list[str]:
        return self.fill(self.r.choice(self.templates), depth)

    def fill(self, template: str, depth: int = 0) -> list[str]:
        """The lines of a template with all places filled."""
        made: dict[str, str] = {}

        def text(found: re.Match[str]) -> str:
            key = found[0]
            if found[2] and key in made:
                return made[key]
            made[key] = PLACE.sub(text, self.places[found[1]]())
            return made[key]

        out: list[str] = []
        for line in template.split("\n"):
            if line.strip() == "<B>":
                if depth <= 0:
                    raise NoName
                pad = line[: len(line) - len(line.lstrip())]
                for _ in range(self.r.randint(1, 2)):
                    out += [pad + s for s in self.statement(depth - 1)]
            else:
                out.append(PLACE.sub(text, line))
        return out

    # -- expressions ---------------------------------------------------------------------------------------------------

    def name(self, accept: Callable[[Any], bool]) -> str:
        """A name whose value is wanted."""
        found = [k for k, v in self.values.items() if accept(v)]
        if not found:
            raise NoName
        return self.r.choice(found)

    def target(self) -> str:
        """A name to bind: mostly a new one."""
        mine = [k for k in self.values if k[0] == "v" and k[1:].isdigit()]
        if mine and self.r.random() < 0.35:
            return self.r.choice(mine)
        self.count += 1
        return f"v{self.count}"

    def array(self) -> str:
        name = self.name(lambda v: isinstance(v, np.ndarray) and v.ndim == 1)
        forms = ("", "", "", "", "", "", "[1:]", "[::-1]", " + 1", " * 2", "[:-1]", ".copy()")
        form = self.r.choice(forms)
        return f"({name}{form})" if " " in form else name + form

    def number(self) -> str:
        kind = self.r.random()
        if kind < 0.3:
            return self.r.choice(NUMBERS)
        if kind < 0.5:
            return self.name(lambda v: isinstance(v, (int, float, np.number)) and not isinstance(v, bool))
        if kind < 0.7:
            return self.r.choice(
                ("<A>[0]", "<A>[-1]", "<A>[<I>]", "len(<A>)", "<A>.sum()", "<A>.max()", "float(<A>[0])")
            )
        if kind < 0.95:
            return f"(<S> {self.r.choice('++--*')} <S>)"
        return "abs(<S>)"

    def integer(self) -> str:
        return self.r.choice(("0", "1", "-1", "n % 2", "1", "int(<A>[0]) % 2"))

    def condition(self) -> str:
        return self.r.choice(
            ("<S> > <S>", "<S> <= <S>", "<S> == <S>", "n > 1", "not <S>", "<S> > 0 and <S> < 3", "<C> or <C>")
        )

    # -- running -------------------------------------------------------------------------------------------------------

    def runs(self, lines: list[str]) -> bool:
        """Does the program run with these lines added (on the first arguments)? If so, `values` are those at its end."""
        if not _parses(lines):
            return False
        try:
            values = run(self.source("locals()", lines))
        except TooLong:
            return False
        except Exception:
            return False
        returned_early = type(values) is not dict or not values.keys() >= {*self.parameters}
        if returned_early or any(_huge(v, self.largest) for v in values.values()):
            return False
        self.values = values
        return True

    def source(self, result: str, more: Sequence[str] = ()) -> str:
        body = "\n".join(INDENT + s for s in [*self.lines, *more, f"return {result}"])
        parts = [
            "import numpy as np",
            self.prelude.strip("\n"),
            f"def f({', '.join(self.parameters)}):\n{body}",
            self.calls,
        ]
        return "\n\n\n".join(p for p in parts if p) + "\n"

    def finished(self, kinds: Callable[[Any], bool] | None = None) -> str:
        """The source, with some of the values as the result."""
        accept = kinds or returnable
        names = [k for k, v in self.values.items() if accept(v)]
        chosen = self.r.sample(names, min(len(names), self.r.randint(1, 5)))
        return self.source(", ".join(chosen) if chosen else "None")


def ending(write: Callable[[random.Random], str], name: str) -> str:
    """The first program that `write` makes whose calls all come to an end, by a result or an exception."""
    for attempt in range(40):
        text = write(random.Random(f"{name}/{attempt}"))
        with contextlib.suppress(TooLong):
            for number in range(3):
                with contextlib.suppress(Exception):
                    run(text, number)
            return text
    raise AssertionError(f"no program for {name}")


def run(source: str, call: int = 0) -> Any:
    """The result of one call of the program; what it prints must be the same every time."""
    names: dict[str, Any] = {"__name__": "tests.fuzz.growth"}
    out = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out), work_limit():
        warnings.simplefilter("ignore")
        exec(compile(source, "grown", "exec"), names)
        result = names["f"](*names["calls"]()[call])
    if " at 0x" in out.getvalue():
        raise ValueError("addresses are printed")
    return result


def _parses(lines: list[str]) -> bool:
    try:
        compile("def f():\n" + "\n".join(INDENT + s for s in [*lines, "pass"]), "grown", "exec")
    except SyntaxError:
        return False
    return True


def contents(v: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> list[Any]:
    """The items of a list or tuple, the values of a dict, whatever methods a class made from it has."""
    return list(dict.values(v)) if isinstance(v, dict) else items_of(v)


def _huge(v: Any, largest: int) -> bool:
    if isinstance(v, (list, tuple, dict)):
        return len(contents(v)) > 30 or any(_huge(x, largest) for x in contents(v))
    if isinstance(v, np.ndarray):
        return v.size > largest or (v.dtype.kind == "O")
    return isinstance(v, int) and abs(v) > 2**40


def returnable(v: Any) -> bool:
    """Can the oracle compare this value?"""
    if isinstance(v, (list, tuple, dict)):
        return all(map(returnable, contents(v)))
    return v is None or isinstance(v, (np.ndarray, np.generic, int, float, complex, str))


def _calls(r: random.Random) -> str:
    """The text of `calls()`: arguments `a, b, n, x` of one type; they share memory in some calls."""
    dtype = r.choice(("float", "float", "float", "int", "np.float32"))
    lines = []
    for number in range(3):
        size = (4, 5, r.choice((1, 2, 3)))[number]
        n, x = (3, r.choice((0, 1, 2)), r.choice((0, 4)))[number], r.choice((0.5, 2.0, -1.0, 0.0))
        first, second = ([r.randint(-2, 6) for _ in range(size + 1)] for _ in range(2))
        sharing = r.random() if number else 1.0
        if sharing < 0.15:
            lines.append(f"(lambda h: (h, h, {n}, {x}))(np.array({first}, {dtype}))")
        elif sharing < 0.3:
            lines.append(f"(lambda h: (h[1:], h[:-1], {n}, {x}))(np.array({first}, {dtype}))")
        else:
            lines.append(f"(np.array({first}, {dtype}), np.array({second}, {dtype}), {n}, {x})")
    return "def calls():\n    return [\n" + "".join(f"        {s},\n" for s in lines) + "    ]"
