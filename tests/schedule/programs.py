"""Programs and the passes over them, for tests of schedules: nothing is compiled to machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soljit.frontend_ast.lower import lower_function
from soljit.ir.core.nodes import Program
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.runtime.values.arguments import describe
from soljit.runtime.values.parameters import parameters_of
from soljit.schedule.given import recipe_of
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe
from soljit.schedule.text import to_text


def lowered(function: Callable[..., Any], *args: Any) -> Program:
    """The program of a call, before the passes."""
    call = describe(args, parameters_of(function).names)
    return lower_function(function, call.types, call.leaves).program


def optimized(program: Program, recipe: Recipe | None = None) -> tuple[Program, Recipe]:
    """The program after the passes, and the steps that they took; with a recipe, which must fit."""
    cx = Context(threads=4, vector_bits=512, policy=Policy(recipe))
    after = optimize(program, cx)
    cx.finish()
    return after, cx.policy.taken


def steps(function: Callable[..., Any], *args: Any, schedule: str | None = None) -> list[str]:
    """What is done to the loops of a call's program: by the passes' own choice, or by a schedule whose lines count from the `def` as line 1."""
    recipe = None if schedule is None else recipe_of(f"function(f, line=1)\n{schedule}", function)
    return to_text(optimized(lowered(function, *args), recipe)[1], "f", 1).splitlines()[1:]


def shifted(a: Any) -> Any:
    """A helper of another file."""
    moved = a + 1.0
    return moved * moved
