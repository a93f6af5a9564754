"""Random schedules for a program: what passes choose by themselves with lines left out, changed and added. Many steps are wrong; none may change a result."""

from __future__ import annotations

import random
from collections.abc import Callable

from soljit.base.errors import ScheduleError
from soljit.ir.core.nodes import Program
from soljit.passes.manager import Context
from soljit.schedule.address import Address
from soljit.schedule.policy import Policy
from soljit.schedule.possible_steps import Found, explored
from soljit.schedule.recipe import Operand, Option, Recipe, Step, checked
from soljit.schedule.steps import FORMS

Optimize = Callable[[Program, Context], Program]


def scheduled(program: Program, context: Callable[[Policy], Context], optimize: Optimize, seed: int) -> Program:
    """The program by a random schedule. Steps that are refused are left out; a second schedule is made of what the first one led to."""
    rng = random.Random(seed)
    policy = Policy()
    optimize(program, context(policy))
    for _ in range(2):
        policy = Policy(random_recipe(policy, program, rng))
        after = optimize(program, context(policy))
    return after


def walked(program: Program, context: Callable[[Policy], Context], optimize: Optimize, seed: int) -> Program:
    """The program after ten random moves: legal ones, which must be taken; steps that were refused, which must stay so; steps left out."""
    rng = random.Random(seed)
    last: list[Program] = []

    def ask(recipe: Recipe | None) -> Found:
        cx = context(Policy(recipe, asked=True))
        after = optimize(program, cx)
        cx.finish()
        last[:] = [after]
        return cx.policy.found

    at = explored(ask, Recipe() if seed % 2 else None, 1)
    for _ in range(10):
        what = rng.random()
        if what < 0.2 and at.refused:
            step = rng.choice(list(at.refused))
            assert step in at.recipe.steps or at.why_not(step) is not None, (
                f"{step.text()} was refused: {at.refused[step]}"
            )
        elif what < 0.4 and at.recipe.steps:
            at = at.without(rng.choice(at.recipe.steps), drop=True)
        elif at.legal:
            at = at.apply(rng.choice(at.legal), drop=True)
    ask(at.recipe)
    return last[0]


def random_recipe(policy: Policy, program: Program, rng: random.Random) -> Recipe:
    """Steps like those that were taken, and others at the same loops and arrays."""
    loops = policy.addresses.known()
    kept = [s for s in policy.taken if rng.random() < 0.75]
    steps = [_changed(s, loops, rng) if rng.random() < 0.25 else s for s in kept]
    arrays = list(program.data)
    for _ in range(rng.randrange(12)):
        name = rng.choice(list(FORMS))
        if loops and arrays:
            steps.insert(rng.randrange(len(steps) + 1), _made(name, loops, arrays, rng))
    return Recipe(tuple(dict.fromkeys(steps)))


def _changed(s: Step, loops: list[Address], rng: random.Random) -> Step:
    """The step with other arguments."""
    rest: list[Operand] = list(s.rest)
    rng.shuffle(rest)
    options = {k: rng.randint(1, 9) if type(v) is int else v for k, v in s.options if rng.random() < 0.7}
    if s.name == "fuse" and rng.random() < 0.5:
        return Step(s.name, (s.operands[0], rng.choice(loops)), tuple(sorted(options.items())))
    return Step(s.name, (*s.key[1], *rest), tuple(sorted(options.items())))


def _made(name: str, loops: list[Address], arrays: list[str], rng: random.Random) -> Step:
    """A step of this kind somewhere."""
    at = rng.choice(loops)
    operands: list[Operand] = []
    for kind in FORMS[name].operands:
        if kind[-1] in "?*" and rng.random() < 0.3:
            continue
        if kind.startswith("variable"):
            operands += rng.sample(at.names, len(at.names))
        elif kind.startswith("array"):
            operands.append(rng.choice(arrays))
        else:
            operands.append(at)
            at = rng.choice(loops)
    options: dict[str, Option] = {}
    names = operands[0].names if isinstance(operands[0], Address) else ()
    if name == "tile" and len(names) > 1:
        options = {rng.choice(names[:-1]): rng.randint(1, 9), names[-1]: rng.randint(1, 9)}
    if name == "parallel":
        options |= {"loops": rng.randint(1, 3)} if rng.random() < 0.3 else {}
        options |= {"pieces": rng.choice(("equal", "interleaved"))} if rng.random() < 0.4 else {}
        options |= {"along": rng.choice(names)} if rng.random() < 0.2 else {}
    if name == "fuse" and rng.random() < 0.4:
        options["loops"] = rng.randint(1, 3)
    if name == "inward" and rng.random() < 0.5:
        options["rows"] = True
    try:
        return checked(name, tuple(operands), options)
    except ScheduleError:
        return Step("vectorize", (rng.choice(loops),))
