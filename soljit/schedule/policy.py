"""Who chooses: passes ask here before each step, and tell what they took or why they could not.

Without a recipe, the passes' own heuristics decide. With one, exactly its steps are taken, each if its theorem holds; what could not be
taken is an error in the end, never left out in silence. Either way all steps are written down: they are the recipe of what was made.

A recipe is taken in the order of its lines. A run of a pass is offered the steps at which the recipe has arrived: the next one, and those behind it that are
the pass's too. If steps are left when the passes have run, they run once more (`goes_on`). Steps that tell how the loops that are there in the end
run (`Form.last`) wait until no others are left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from soljit.base.errors import ScheduleError
from soljit.base.records import dataclass
from soljit.base.sentences import Said
from soljit.ir.core.nodes import Node, Program
from soljit.schedule.address import Address, Addresses, is_beside
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
    asked:  write down, besides, which steps there would be behind those of the recipe, and why not: `moves`
    """

    def __init__(self, recipe: Recipe | None = None, asked: bool = False) -> None:
        self.recipe = recipe
        self.asked = asked
        self.offers = False  # the running pass is to tell what there would be: it could take a step behind all others
        self.moves: dict[Step, Why] = {}  # what could be done at the places that passes came across
        self.addresses = Addresses()
        self._taken: list[Step] = []
        self._now: set[Step] = set()  # those that the running pass took
        self._open: dict[tuple[str, tuple[Operand, ...]], list[int]] = {}  # those of the recipe that it may take
        self._begun: set[str] = set()
        self._steps = recipe.steps if recipe is not None else ()
        self._done: set[int] = set()
        self._done_before = 0  # how many in earlier rounds
        self._reasons: dict[int, str] = {}
        self._given_up = {k for k in range(len(self._steps)) if self._is_too_late(k)}

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

    # --- runs of passes -----------------------------------------------------------------------------------------------

    def begin(self, name: str, program: Program) -> None:
        """A pass begins, over this program: it may take the steps at which the recipe has arrived."""
        self.addresses.begin(program)
        self._begun.add(name)
        self._now.clear()
        self._open.clear()
        names = STEPS_OF.get(name, ())
        arrived = True
        for k, s in enumerate(self._steps if names else ()):
            if k in self._done or k in self._given_up:
                continue
            if FORMS[s.name].last or arrived:
                if s.name in names:
                    self._open.setdefault(s.key, []).append(k)
                elif not FORMS[s.name].last:
                    arrived = False
        self.offers = arrived and self.asked and self.replays

    def see(self, name: str, program: Program, function: str = "") -> None:
        """The pass looks at this program, or at this function of it."""
        if name in STEPS_OF:
            self.addresses.see(program, function)

    def goes_on(self, later: Collection[str]) -> bool:
        """Tell whether the passes that change loops have to run once more, for steps of the recipe behind those that they took. later: passes that only run in the end"""
        left = self._left()
        done, self._done_before = len(self._done) - self._done_before, len(self._done)
        can_wait = [not {*FORMS[self._steps[k].name].passes}.isdisjoint(later) for k in left]
        if all(can_wait):
            return False
        if done or can_wait[0]:
            return bool(done)
        self._given_up.add(left[0])
        return len(left) > 1

    @contextmanager
    def looking_aside(self) -> Iterator[None]:
        """What passes make that run in here is thrown away: they only tell what they could do, as no steps are left."""
        before, self.addresses = self.addresses, self.addresses.copy()
        yield
        self.addresses = before

    def _left(self) -> list[int]:
        """The steps that change loops and were neither taken nor given up."""
        gone = self._done | self._given_up
        return [k for k, s in enumerate(self._steps) if not FORMS[s.name].last and k not in gone]

    def _is_too_late(self, k: int) -> bool:
        """Tell whether the step would change loops of which a line above tells how they run."""
        s = self._steps[k]
        lines = {(x.line, x.function) for x in s.operands if isinstance(x, Address)}
        for at, b in enumerate(self._steps[:k] if not FORMS[s.name].last else ()):
            if FORMS[b.name].last and any((x.line, x.function) in lines for x in b.operands if isinstance(x, Address)):
                self._reasons[k] = (
                    f"it changes loops of which line {self._line(at)} tells how they run; write it in front of that"
                )
                return True
        return False

    # --- steps --------------------------------------------------------------------------------------------------------

    def address(self, on: On) -> Operand:
        """Where a node stands; names stay names."""
        return self.addresses.of(on) if isinstance(on, Node) else on

    def asks_for(self, name: str, on: Iterable[On]) -> Choice | None:
        """How the step `name` about `on` is to be done by the recipe; None if that has not arrived at such a step."""
        k = self._find(name, on)
        return None if k is None else Choice(self._steps[k].rest, dict(self._steps[k].options))

    def decide(
        self,
        name: str,
        on: Sequence[On],
        by_default: Callable[[], Choice | None],
        why_not: Callable[[Choice], Why],
        offered: Callable[[], Iterable[Choice]] = lambda: (YES,),
        written: Callable[[Choice], Choice] = lambda c: c,
    ) -> Choice | Why:
        """How the step `name` about `on` is done, if it is wanted and right; then it counts as taken. Why it is not right; None if nobody wants it.

        by_default: what the pass itself would like
        why_not:    why the step is not right if it is done so; it changes nothing
        offered:    how it could be done, for who asks what there is
        written:    what is written down of a way that is right: all of it, also where less was asked for
        """
        if any(
            map(is_beside, on)
        ):  # its ends are peeled, and it gets a schedule, whatever the recipe says of the blocks
            choice = by_default() if name == "peel" or FORMS[name].last else None
            return choice and (why_not(choice) or choice)
        choice = self.asks_for(name, on) if self.replays else by_default()
        if self.offers:
            self._offer(name, on, why_not, offered())
        if choice is None:
            return None
        reason = why_not(choice)
        if reason is None:
            self._take(name, on, written(choice))
            return choice
        self.refuse(name, on, reason)
        return reason

    def _offer(self, name: str, on: Iterable[On], why_not: Callable[[Choice], Why], offered: Iterable[Choice]) -> None:
        """Write down how the step could be done here, and why not. What is right in one run of its passes is right."""
        key = tuple(self.address(x) for x in on)
        if not FORMS[name].last and self._would_wait(name, key):
            return
        for choice in offered:
            step = Step(name, key + choice.rest, tuple(sorted(choice.options.items())))
            if self.moves.get(step, "") is not None:
                self.moves[step] = why_not(choice)

    def _find(self, name: str, on: Iterable[On]) -> int | None:
        """The step that the running pass may take here. It may take it in several places of one address."""
        if not self._open:
            return None
        for k in self._open.get((name, tuple(self.address(x) for x in on)), ()):
            first = next((b for b in range(k) if self._waits_for(k, b)), None)
            if first is None:
                return k
            self._reasons[k] = f"it waits for line {self._line(first)}, which is about the same loop"
        return None

    def _waits_for(self, k: int, b: int) -> bool:
        """Tell whether the step of the same kind in front of step `k` is about the same loops, and is still to be taken."""
        s, before = self._steps[k], self._steps[b]
        if before.name != s.name or b in self._done or b in self._given_up:
            return False
        return not {*before.key[1]}.isdisjoint(s.key[1])

    def _would_wait(self, name: str, key: tuple[Operand, ...]) -> bool:
        """Tell whether a step behind all others could not be taken by this run, for one in front of it that can."""
        return any(
            other == name and (on == key or not ({*on}.isdisjoint(key) or self._done.issuperset(may)))
            for (other, on), may in self._open.items()
        )

    def _take(self, name: str, on: Iterable[On], choice: Choice) -> None:
        found = self._find(name, on)
        if found is not None:
            self._done.add(found)
        key = tuple(self.address(x) for x in on)
        step = Step(name, key + choice.rest, tuple(sorted(choice.options.items())))
        if step not in self._now:
            self._now.add(step)
            self._taken.append(step)

    def took(self, name: str, on: Iterable[On]) -> bool:
        """Tell whether the step was taken."""
        key = name, tuple(self.address(x) for x in on)
        return any(s.key == key for s in self._taken)

    def refuse(self, name: str, on: Iterable[On], reason: Said | str) -> None:
        """The step is not right: why not, about the user's variables."""
        found = self._find(name, on)
        if found is not None and found not in self._done:
            self._reasons[found] = str(reason)

    # --- what became of the recipe ------------------------------------------------------------------------------------

    def finish(self) -> None:
        """ScheduleError for the steps of the recipe that were not taken."""
        left = [k for k in range(len(self._steps)) if k not in self._done]
        if not left:
            return
        first = self.addresses.first or 1
        texts = [
            f"line {self._line(k)} of the schedule, {self._steps[k].text(first)}: {self._why(k, first)}" for k in left
        ]
        raise ScheduleError("\n".join(texts), tuple(self._steps[k] for k in left))

    def _line(self, k: int) -> int:
        """The line of the schedule's text on which a step stands."""
        lines = self.recipe.lines if self.recipe is not None else ()
        return lines[k] if lines else k + 1

    def _why(self, k: int, first: int) -> str:
        if k in self._reasons:
            return self._reasons[k]
        s = self._steps[k]
        form = FORMS[s.name]
        if self._begun.isdisjoint(form.passes):
            return "no pass takes this step for the device that the program is compiled for; leave the line out"
        known = self.addresses.known()
        for x in s.operands:
            if isinstance(x, Address) and x not in known:
                there = [a.text(first) for a in known if (a.line, a.function) == (x.line, x.function)]
                others = f"there are {', '.join(there)}" if there else "that line has no loops"
                return f"there is no {x.text(first)}: {others}"
        left = self._left()
        if left and left[0] < k and not form.last:
            return f"it waits for line {self._line(left[0])}"
        before = [b for b in self._done if b < k and not {*self._steps[b].operands}.isdisjoint(s.operands)]
        behind = f" behind line {self._line(max(before))}" if before else ""
        return f"it needs {form.needs}, and there is none at that point{behind}"
