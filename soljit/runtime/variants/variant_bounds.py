"""How many variants of one function there may be. Beyond that a call that none of them takes runs in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType, FunctionType

from soljit.base.errors import UnsupportedError
from soljit.base.place import Loc
from soljit.base.python.dependency import resolve
from soljit.ir.core.signature import ArgType
from soljit.runtime.system.fingerprint import same_value
from soljit.runtime.variants.variant import Variant

MOST_UNDECIDED = 8  # for equal types; then the front end is told to decide nothing by the call's values
MOST_OF_ONE_TYPE = 16  # for equal types: what they differ in is mostly a global variable
MOST = 256  # in all
MOST_RESULTS = 6  # of different kinds, that one call back gives before the whole call is given up
CODE = (CodeType, FunctionType, staticmethod, classmethod, property, type)
MOST_REFUSED = 256  # types of calls that are remembered to be refused


def is_undecided(variants: Sequence[Variant], types: Sequence[ArgType]) -> bool:
    """Tell whether there are so many variants for these types that the next one must fit all values."""
    return sum(v.takes(types) for v in variants) >= MOST_UNDECIDED


def why_no_more(
    function: FunctionType, variants: Sequence[Variant], types: Sequence[ArgType], leaves: Sequence[object]
) -> UnsupportedError | None:
    """The error for a call that would need one variant too many; None: there may be one more.

    Variants of code that was edited since do not count: that goes on as long as somebody works on a program.
    """
    variants = [v for v in variants if not _is_edited(function, v, leaves)]
    alike = [v for v in variants if v.takes(types)]
    if len(alike) >= MOST_OF_ONE_TYPE:
        names = _changing(alike)
        why = f", since {names} had other values each time" if names else ""
        text = f"{len(alike)} variants for arguments of these types are there already{why}"
        hint = f"pass {names} as an argument" if names else ""
    elif len(variants) >= MOST:
        text = f"{len(variants)} variants are there already, for arguments of other types"
        hint = "decorate a function for each use, or make the arguments alike"
    else:
        return None
    code = function.__code__
    return UnsupportedError(text, Loc(code.co_filename, code.co_firstlineno, function=function.__qualname__), hint)


def _is_edited(function: FunctionType, v: Variant, leaves: Sequence[object]) -> bool:
    """Tell whether some code that the variant relied on is no longer there."""
    return any(isinstance(d.value, CODE) and resolve(function, d.path, leaves) is not d.value for d in v.captured)


def _changing(variants: Sequence[Variant]) -> str:
    """Names of the captured values in which variants differ."""
    first = {d.path: d.value for d in variants[0].captured}
    paths = {
        d.path for v in variants[1:] for d in v.captured if d.path in first and not same_value(d.value, first[d.path])
    }
    return ", ".join(sorted({f"'{path[-1][1]}'" for path in paths}))
