"""Who chooses: passes ask here before each step, and tell what they took or why they could not.

Without a recipe, the passes' own heuristics decide. With one, exactly its steps are taken, each if its theorem holds; what could not be
taken is an error in the end, never left out in silence. Either way all steps are written down: they are the recipe of what was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from soljit.base.errors import ScheduleError
from soljit.base.records import dataclass
from soljit.base.sentences import Said
from soljit.ir.core.nodes import Node, Program
from soljit.schedule.address import Address, Addresses
from soljit.schedule.recipe import Operand, Option, Recipe, Step
from soljit.schedule.steps import FORMS, STEPS_OF


@dataclass(frozen=True)
class Choice:
    """How a step is done: its further operands, and its options."""

    rest: tuple[Operand, ...] = ()
    options: dict[str, Option] = field(default_factory=dict)


YES = Choice()
Why = Said | str | None  # why a step is not right
On = Node | str | Address  # what a step is about, as a pass knows it


class Policy:
    """Decisions for one run of the pipeline.

    recipe: the steps to take; None: what the passes want
    offers: writes down, besides, which steps there would be and why not: `moves`
    """

    def __init__(self, recipe: Recipe | None = None, offers: bool = False) -> None:
        self.recipe = recipe
        self.offers = offers
        self.moves: dict[Step, Why] = {}  # what could be done at the places that passes came across
        self.addresses = Addresses()
        self._taken: dict[Step, None] = {}
        self._turns: dict[str, int] = {}
        self._begun: set[str] = set()
        self._wanted: dict[tuple[str, tuple[Operand, ...]], list[Step]] = {}
        self._done: dict[Step, int] = {}  # and in which turn
        self._reasons: dict[Step, str] = {}
        self._before: dict[Step, list[Step]] = {}  # steps of the same kind about the same loops, which come first
        for s in recipe or ():
            self._before[s] = [b for b in self._before if b.name == s.name and not {*b.key[1]}.isdisjoint(s.key[1])]
            self._wanted.setdefault(s.key, []).append(s)

    @property
    def taken(self) -> Recipe:
        """All steps so far."""
        return Recipe(tuple(self._taken))

    @property
    def found(self) -> tuple[Recipe, dict[Step, str]]:
        """All steps so far, and of the others that could be done why not, "" where they may: what `possible_steps.explored` asks for."""
        return self.taken, {s: str(why or "") for s, why in self.moves.items()}

    @property
    def replays(self) -> bool:
        """Tell whether a recipe decides."""
        return self.recipe is not None

    def begin(self, name: str, program: Program) -> None:
        """A pass begins, over this program: it has its next turn."""
        self.addresses.begin(program)
        self._begun.add(name)
        for step in STEPS_OF.get(name, ()):
            self._turns[step] = self._turns.get(step, 0) + 1

    def see(self, name: str, program: Program, function: str = "") -> None:
        """The pass looks at this program, or at this function of it."""
        if name in STEPS_OF:
            self.addresses.see(program, function)

    def address(self, on: On) -> Operand:
        """Where a node stands; names stay names."""
        return self.addresses.of(on) if isinstance(on, Node) else on

    def chosen(self, name: str, on: Iterable[On], by_default: Callable[[], Choice | None]) -> Choice | None:
        """Tell whether the step `name` about `on` is wanted, and how. by_default: what the pass itself would like."""
        if self.recipe is None:
            return by_default()
        step = self._find(name, tuple(self.address(x) for x in on)) if self.recipe.steps else None
        if step is None:
            return None
        return Choice(step.rest, {k: v for k, v in step.options if k != "turn"})

    def decide(
        self,
        name: str,
        on: Sequence[On],
        by_default: Callable[[], Choice | None],
        why_not: Callable[[Choice], Why],
        offered: Callable[[], Iterable[Choice]] = lambda: (YES,),
    ) -> Choice | Why:
        """How the step `name` about `on` is done, if it is wanted and right; then it counts as taken. Why it is not right; None if nobody wants it.

        by_default: what the pass itself would like
        why_not:    why the step is not right if it is done so; it changes nothing
        offered:    how it could be done, for who asks what there is
        """
        choice = self.chosen(name, on, by_default)
        if self.offers:
            self.offer(name, on, why_not, offered())
        if choice is None:
            return None
        reason = why_not(choice)
        if reason is None:
            self.take(name, on, choice)
            return choice
        self.refuse(name, on, reason)
        return reason

    def offer(
        self, name: str, on: Iterable[On], why_not: Why | Callable[[Choice], Why], offered: Iterable[Choice]
    ) -> None:
        """Write down how the step could be done here, and why not. What is right in one turn of its pass is right."""
        key = tuple(self.address(x) for x in on)
        for choice in offered:
            step = Step(name, key + choice.rest, tuple(sorted(choice.options.items())))
            if self.moves.get(step, "") is not None:
                self.moves[step] = why_not(choice) if callable(why_not) else why_not

    def _find(self, name: str, key: tuple[Operand, ...]) -> Step | None:
        now = self._turns.get(name, 1)
        for s in self._wanted.get((name, key), ()):
            if self._done.get(s, s.turn or now) == now:
                first = next((b for b in self._before[s] if b not in self._done and (b.turn or now) == now), None)
                if first is None:
                    return s
                self._reasons[s] = "it waits for the line above that is about the same loop"
        return None

    def take(self, name: str, on: Iterable[On], choice: Choice = YES) -> None:
        """The step was taken."""
        key = tuple(self.address(x) for x in on)
        now = self._turns.get(name, 1)
        if self.recipe is not None:
            found = self._find(name, key)
            if found is not None:
                self._done[found] = now
        turn = {"turn": now} if now > 1 else {}
        self._taken[Step(name, key + choice.rest, tuple(sorted({**choice.options, **turn}.items())))] = None

    def took(self, name: str, on: Iterable[On]) -> bool:
        """Tell whether the step was taken."""
        key = name, tuple(self.address(x) for x in on)
        return any(s.key == key for s in self._taken)

    def refuse(self, name: str, on: Iterable[On], reason: Said | str) -> None:
        """The step is not right: why not, about the user's variables."""
        if self.recipe is not None:
            found = self._find(name, tuple(self.address(x) for x in on))
            if found is not None and found not in self._done:
                self._reasons[found] = str(reason)

    # --- what became of the recipe ------------------------------------------------------------------------------------

    def finish(self) -> None:
        """ScheduleError for the steps of the recipe that were not taken."""
        left = [(n, s) for n, s in enumerate(self.recipe or ()) if s not in self._done]
        if not left:
            return
        assert self.recipe is not None
        first = self.addresses.first or 1
        lines = self.recipe.lines or range(1, len(self.recipe) + 1)
        texts = [f"line {lines[n]} of the schedule, {s.text(first)}: {self._why(s, first)}" for n, s in left]
        raise ScheduleError("\n".join(texts), tuple(s for _, s in left))

    def _why(self, s: Step, first: int) -> str:
        if s in self._reasons:
            return self._reasons[s]
        form = FORMS[s.name]
        if self._begun.isdisjoint(form.passes):
            return "no pass takes this step for the device that the program is compiled for; leave the line out"
        known = self.addresses.known()
        for x in s.operands:
            if isinstance(x, Address) and x not in known:
                there = [a.text(first) for a in known if (a.line, a.function) == (x.line, x.function)]
                others = f"there are {', '.join(there)}" if there else "that line has no loops"
                return f"there is no {x.text(first)}: {others}"
        if s.turn is not None and s.turn > self._turns.get(s.name, 1):
            return f"its passes have only {self._turns.get(s.name, 1)} turns"
        return f"it needs {form.needs}, and there is none at that point" + (" and in that turn" if s.turn else "")
