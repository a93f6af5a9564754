"""The state of generators of random numbers that a call may draw from without being given them: kept, and put back."""

from __future__ import annotations

import random
import types
from collections.abc import Callable
from typing import Any

import numpy as np


def kept(function: types.FunctionType) -> Callable[[], None]:
    """What puts back the states of now: those of `random`, of `np.random`, and of generators that the function names."""
    ours, numpys = random.getstate(), np.random.get_state(legacy=False)
    others = [_put_back(x) for x in _named(function)]

    def put_back() -> None:
        random.setstate(ours)
        np.random.set_state(numpys)
        for f in others:
            f()

    return put_back


def _named(function: types.FunctionType) -> list[Any]:
    """Generators among the globals and the captured variables of a function."""
    code = function.__code__
    found = [function.__globals__.get(name) for name in code.co_names]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            continue  # it is empty
    return [x for x in found if isinstance(x, (np.random.Generator, np.random.RandomState, random.Random))]


def _put_back(x: Any) -> Callable[[], None]:
    if isinstance(x, np.random.Generator):
        bits, state = x.bit_generator, x.bit_generator.state
        return lambda: setattr(bits, "state", state)
    if isinstance(x, np.random.RandomState):
        legacy = x.get_state(legacy=False)
        return lambda: x.set_state(legacy)
    own = x.getstate()
    return lambda: x.setstate(own)
