"""What could be done to the loops of a program, one step at a time, and why not.

`Moves` is a program under a recipe as a person or a tuner sees it: the steps that were taken, those that could be taken besides, and those that would
not be right, with the reason. Whether a step is right is asked of the pass that takes it, which looks at the program that the steps taken have made
(`policy.py`), so that there is one proof of each; taking one leads to the next `Moves`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from soljit.base.errors import ScheduleError
from soljit.base.texts import show
from soljit.schedule.recipe import Recipe, Step
from soljit.schedule.steps import FORMS
from soljit.schedule.text import step_of

Found = tuple[Recipe, Mapping[Step, str]]  # the steps taken; what could be done and why not, "" where it could


@dataclass(frozen=True, slots=True)
class Moves:
    """The steps of a program: `recipe`, those taken; `legal`, those that could be taken besides; `refused`, the others with their reasons.

    Sizes of a step (`tile(…, i=128)`), conditions (`when=`) and sets of loops are examples: others are asked for by `why_not` and `apply`.
    """

    recipe: Recipe
    legal: tuple[Step, ...]
    refused: Mapping[Step, str]
    first: int  # the line of the function's `def`
    _ask: Callable[[Recipe | None], Found] = field(repr=False, compare=False)

    _repr_pretty_ = show

    def __iter__(self) -> Iterator[Step]:
        return iter(self.legal)

    def __len__(self) -> int:
        return len(self.legal)

    def __str__(self) -> str:
        """The steps that could be taken one a line, then the others as comments, in the lines of the file."""
        refused = [f"# {s.text(self.first)}: {reason}" for s, reason in self.refused.items()]
        return "\n".join([*(s.text(self.first) for s in self.legal), *refused])

    def why_not(self, step: Step | str) -> str | None:
        """Why the step cannot be taken, whatever has to be left out of `recipe`; None if it can. A text names lines of the file."""
        try:
            self.apply(step, drop=True)
        except ScheduleError as e:
            return str(e)
        return None

    def apply(self, step: Step | str, *, drop: bool = False) -> Moves:
        """What could be done after this step; ScheduleError says why it cannot be taken. Nothing is compiled.

        The step is done to what those of `recipe` have made, or takes the place of one that does the same in another way.
        drop: steps of `recipe` that cannot be taken any more then, because it changes the loops that they are about, are left out
        """
        step = self._step(step)
        kept = {step} if drop else None
        try:
            return self._under(self.recipe.apply(step), kept)
        except ScheduleError as e:
            other = self.recipe.with_another(step)
            if other is self.recipe or step not in e.steps:
                raise
            try:
                return self._under(other, kept)
            except ScheduleError:
                raise e from None

    def without(self, step: Step | str, *, drop: bool = False) -> Moves:
        """What could be done if this step of `recipe` were left out; ScheduleError if others need it, or it is none of them. drop: those, too, are left out"""
        left_out = self._step(step)
        if left_out not in self.recipe.steps:
            raise ScheduleError(f"{left_out.text(self.first)} is none of the steps that were taken")
        return self._under(Recipe(tuple(s for s in self.recipe if s != left_out)), set() if drop else None)

    def _under(self, recipe: Recipe, kept: set[Step] | None) -> Moves:
        """What could be done under another recipe, without those of its steps that are not right; None: all are kept."""
        while True:
            try:
                return explored(self._ask, recipe, self.first)
            except ScheduleError as e:
                if kept is None or not e.steps or not kept.isdisjoint(e.steps):
                    raise
                recipe = Recipe(tuple(s for s in recipe if s not in e.steps))

    def _step(self, step: Step | str) -> Step:
        return step_of(step, self.first) if isinstance(step, str) else step


def explored(ask: Callable[[Recipe | None], Found], recipe: Recipe | None, first: int) -> Moves:
    """The moves of a program under a recipe; None: the steps that the passes want."""
    taken, found = ask(ask(None)[0] if recipe is None else recipe)
    told = {s for s in taken if FORMS[s.name].last}
    legal = tuple(s for s, reason in found.items() if not reason and s not in told)
    return Moves(taken, legal, {s: reason for s, reason in found.items() if reason}, first, ask)
