"""Schedules as users give them to `jit`: a text, a Recipe, or the path of a file with either form of text."""

from __future__ import annotations

import ast
import inspect
import json
import os
import textwrap
from pathlib import Path
from types import CodeType, FunctionType

from soljit.base.errors import ScheduleError
from soljit.schedule.recipe import Recipe
from soljit.schedule.text import from_text


def recipe_of(given: object, function: FunctionType) -> Recipe:
    """The recipe for this function. A text without parentheses and line ends is the path of a file, which is read now."""
    if isinstance(given, Recipe):
        return given
    if isinstance(given, os.PathLike) or (isinstance(given, str) and given and not {*given} & {"\n", "(", "["}):
        try:
            given = Path(given).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise ScheduleError(f"the file of the schedule cannot be read: {e}") from None
    if not isinstance(given, str):
        raise ScheduleError(
            f"a schedule is a text, a Recipe or the path of a file, not {type(given).__name__} {given!r:.80}"
        )
    if not given.lstrip().startswith("["):
        return from_text(given, first_line(function.__code__))
    try:
        return Recipe.from_json(json.loads(given))
    except json.JSONDecodeError as e:
        raise ScheduleError(f"the schedule begins like JSON, but is none: {e}") from None


def first_line(code: CodeType) -> int:
    """The line of a function's `def`, which decorators stand above."""
    start = code.co_firstlineno
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getsourcelines(code)[0])))
    except (OSError, TypeError, SyntaxError):
        return start
    found = next((n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))), None)
    return start + found.lineno - 1 if found else start
