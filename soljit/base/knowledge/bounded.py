"""Calls that take no more time and memory than any usual one, whatever numbers they are given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from soljit.base.knowledge.table import named

MOST_DIGITS = 1 << 14  # bits of an integer that is worked out
MOST_ELEMENTS = 1 << 20  # of what a number among the operands makes
_LISTS = (list, tuple, set, frozenset)


def is_bounded(name: str, given: Sequence[Any]) -> bool:
    """Tell whether the call takes no more time and memory than any usual one, whatever numbers it is given."""
    short = name.rpartition(".")[2]
    if short in ("pow", "ipow", "lshift", "ilshift") and name not in ("numpy.pow", "numpy.left_shift"):
        return _is_short(short, given)
    if name in ("math.factorial", "math.perm", "math.comb"):
        return all(abs(x) < 1000 for x in _integers(given))
    if short in ("mul", "imul"):
        return not any(isinstance(x, (str, bytes, bytearray, *_LISTS)) for x in given) or _is_few(given)
    if short in ("ljust", "rjust", "center", "zfill", "expandtabs", "to_bytes") or name in named("grows"):
        return _is_few(given)
    return True


def _is_short(short: str, given: Sequence[Any]) -> bool:
    """Tell whether a power or a shifted integer has a number of digits that can be written down."""
    if len(given) != 2 or not all(isinstance(x, int) for x in given):
        return True
    base, by = int(given[0]), int(given[1])
    if abs(base) < 2 and short.endswith("pow") or by <= 0:
        return True
    return (base.bit_length() * by if short.endswith("pow") else base.bit_length() + by) <= MOST_DIGITS


def _is_few(given: Sequence[Any]) -> bool:
    """Tell whether the product of the integers and lengths among the operands is small."""
    sizes = [max(abs(x), 1) for x in _integers(given)] + [
        max(len(x), 1) for x in given if isinstance(x, (str, bytes, list))
    ]
    return math.prod(sizes) <= MOST_ELEMENTS


def _integers(given: Iterable[Any]) -> Iterable[int]:
    """The integers among the operands, also in tuples and lists."""
    for x in given:
        if isinstance(x, (tuple, list)):
            yield from _integers(x)
        elif isinstance(x, (int, np.integer)):
            yield int(x)
