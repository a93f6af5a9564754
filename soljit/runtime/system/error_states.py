"""Whether floating-point errors raise where a function is called. NumPy's error state says so, or Python's filters of warnings.

Compiled arithmetic reports nothing. So where the caller has asked for it (`np.errstate(divide="raise")`, `np.seterr`, warnings as errors), the call runs in plain Python. The dispatcher
in C (`native/error_states.h`) asks `is_quiet` once for each state, and then compares states.
"""

from __future__ import annotations

import warnings

import numpy as np

from soljit.base.errors import ArgumentError

_REPORTED = ("raise", "call", "print", "log")
WHY = "np.errstate or np.seterr reports floating-point errors here, which compiled arithmetic does not"


def is_quiet(warned: bool) -> bool:
    """Tell whether nothing is reported but by warnings that are no errors. warned: look at warnings, too."""
    modes = np.geterr().values()
    if any(m in _REPORTED for m in modes):
        return False
    return not (warned and "warn" in modes and _warnings_raise())


def _warnings_raise() -> bool:
    """Tell whether a RuntimeWarning, of whatever text and module, would be an exception, or some of them."""
    for action, message, category, module, _ in warnings.filters:
        if issubclass(RuntimeWarning, category):
            if action == "error":
                return True
            if message is None and module is None:
                return False
    return False


def refusal() -> ArgumentError:
    """What is said where compiled code has to run."""
    return ArgumentError(f"{WHY}; leave strict=True out, or let the function itself use np.errstate")
