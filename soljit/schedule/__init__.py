"""Schedules: what passes do to make a program fast, as a list of steps that can be printed, edited, stored and taken again.

`soljit.schedule.moves(f, *args)` tells what could be done to the loops of a jitted function for a call, and why not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soljit.base.errors import ArgumentError

if TYPE_CHECKING:
    from soljit.schedule.possible_steps import Moves


def moves(f: Any, /, *args: Any, **kwargs: Any) -> Moves:  # any: a jitted function, and the values of a call
    """The steps that could be taken for a call of the jitted function `f` with these arguments, beside those that were, and why others not.

    The function is compiled for the call, not called. Raises `ArgumentError` if `f` is not jitted, `UnsupportedError` for what cannot be compiled.
    """
    found = getattr(f, "moves", None)
    if found is None:
        raise ArgumentError(f"moves() takes a function that jit() made, not {type(f).__name__}")
    result: Moves = found(*args, **kwargs)
    return result
