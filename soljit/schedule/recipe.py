"""Recipes: lists of steps as values. Equal recipes are equal, whatever text they were read from."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from soljit.base.errors import ScheduleError
from soljit.base.texts import show
from soljit.schedule.address import Address
from soljit.schedule.steps import FORMS

Operand = Address | str
Option = int | str | bool
Json = Any  # what json.loads gives
LINE = re.compile(r"L(\d+)")  # the line of an address


def bare(name: str) -> str:
    """The name as it stands in a text: without quotes, if it can."""
    return name if name.isidentifier() and not keyword.iskeyword(name) and not LINE.fullmatch(name) else repr(name)


@dataclass(frozen=True, slots=True)
class Step:
    """One transformation at one place.

    name:     one of `steps.FORMS`
    operands: loops by their address, arrays and variables by their name
    options:  keywords, in the order of their names
    """

    name: str
    operands: tuple[Operand, ...]
    options: tuple[tuple[str, Option], ...] = ()

    @property
    def key(self) -> tuple[str, tuple[Operand, ...]]:
        """What the step is about; further operands and options tell how it is done."""
        return self.name, self.operands[: FORMS[self.name].key]

    @property
    def rest(self) -> tuple[Operand, ...]:
        """The operands that tell how it is done."""
        return self.operands[FORMS[self.name].key :]

    def get(self, option: str, default: Any = None) -> Any:
        """An option's value."""
        return dict(self.options).get(option, default)

    def text(self, first: int = 1) -> str:
        """One line, for a function whose `def` is on line `first`."""
        parts = [x.text(first) if isinstance(x, Address) else bare(x) for x in self.operands]
        parts += [f"{k}={v!r}" for k, v in self.options]
        return f"{self.name}({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Steps in the order in which they were taken, or are to be taken.

    lines: the line of each step in the text that it was read from
    """

    steps: tuple[Step, ...] = ()
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)

    _repr_pretty_ = show

    def __str__(self) -> str:
        """The steps one a line, where lines count from the function's `def`."""
        return "\n".join(["Recipe:", *(f"    {s.text()}" for s in self.steps)])

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def apply(self, step: Step) -> Recipe:
        """The recipe with one more step behind those that it has. How the loops run that are there in the end is told at the end of a recipe, and once for each loop.

        Whether it is right is proved where the recipe is taken: by `Moves.apply`, or `jit(schedule=…)`.
        """
        if FORMS[step.name].last:
            other = self.with_another(step)
            return other if other is not self else Recipe((*self.steps, step))
        changing = [s for s in self.steps if not FORMS[s.name].last]
        return Recipe((*changing, step, *(s for s in self.steps if FORMS[s.name].last)))

    def with_another(self, step: Step) -> Recipe:
        """The recipe with this step in place of those that do the same in another way; the same one if there are none."""
        if all(s.key != step.key for s in self.steps):
            return self
        return Recipe(tuple(step if s.key == step.key else s for s in self.steps))

    def names(self) -> set[str]:
        """The arrays, variables and functions that the steps name."""
        operands = [x for s in self.steps for x in s.operands]
        return {x if isinstance(x, str) else x.function for x in operands} - {""}

    def to_json(self) -> Json:
        """Plain lists and dicts."""
        return [_to_json(s) for s in self.steps]

    @staticmethod
    def from_json(data: Json) -> Recipe:
        """The recipe again; ScheduleError for what is none."""
        if not isinstance(data, list | tuple):
            raise ScheduleError("a schedule as JSON is a list of steps")
        return Recipe(tuple(_from_json(s) for s in data))


def _to_json(s: Step) -> Json:
    operands = [
        x if isinstance(x, str) else {"line": x.line, "names": [*x.names], "count": x.count, "function": x.function}
        for x in s.operands
    ]
    return {"step": s.name, "on": operands, "with": dict(s.options)}


def _from_json(data: Json) -> Step:
    try:
        operands = tuple(
            x if isinstance(x, str) else Address(x["line"], tuple(x["names"]), x["count"], x["function"])
            for x in data["on"]
        )
        return checked(data["step"], operands, data["with"])
    except (KeyError, TypeError, AttributeError) as e:
        raise ScheduleError(f"this is no step of a schedule: {data!r:.200}") from e


def checked(name: str, operands: tuple[Operand, ...], options: Mapping[str, Option]) -> Step:
    """The step; ScheduleError if there is no such step, or it takes other operands or options."""
    form = FORMS.get(name)
    if form is None:
        raise ScheduleError(f"there is no step {name!r}; there are {', '.join(sorted(FORMS))}")
    kinds = form.operands
    least = sum(1 for k in kinds if k[-1] not in "?*")
    most = len(operands) if kinds and kinds[-1].endswith("*") else len(kinds)
    if not least <= len(operands) <= most:
        raise ScheduleError(f"{name} is written {form.usage}, which takes {_number(least, most)}, not {len(operands)}")
    for k, x in enumerate(operands):
        kind = kinds[min(k, len(kinds) - 1)].rstrip("?*")
        if isinstance(x, Address) != (kind in ("loop", "call")):
            wanted = "the address of a loop, as in L14.i" if kind in ("loop", "call") else f"the name of {_A[kind]}"
            raise ScheduleError(f"{name} is written {form.usage}: operand {k + 1} is {wanted}")
    for key, value in options.items():
        wanted_type = form.options.get(key, form.options.get("*"))
        if wanted_type is None and key == "turn":
            raise ScheduleError("there is no turn= any more: steps are taken in the order in which they are written")
        if wanted_type is None:
            raise ScheduleError(f"{name} has no option {key!r}; it has {', '.join(form.options) or 'none'}")
        if type(value) is not wanted_type or (isinstance(value, int) and value < 1):
            raise ScheduleError(f"{key}= of {name} is {_VALUES[wanted_type]}, not {value!r}")
    return Step(name, operands, tuple(sorted(options.items())))


_A = {"array": "an array", "variable": "a variable of the loop"}
_VALUES = {int: "a positive number", str: "a text", bool: "True"}


def _number(least: int, most: int) -> str:
    return f"{least} operand{'s' * (least != 1)}" if least == most else f"{least} to {most} operands"
