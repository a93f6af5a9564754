"""What becomes of a program: "ok", "skip" (plain NumPy and compiled code may differ here by agreement), "unsupported",
and the failures "value", "exception", "message", "internal", "crash", "hang".
"""

from __future__ import annotations

import contextlib
import io
import re
import traceback
import warnings
from collections.abc import Mapping
from typing import Any

from tests import oracle
from tests.fuzz.grammar import is_exact
from tests.fuzz.modes import applied
from tests.fuzz.workers import Pool

FAILURES = ("value", "exception", "message", "internal", "crash", "hang")
OVERFLOW = "Python int does not fit 64 bits"


def judge(source: str, settings: Mapping[str, Any] | None = None, timeout: float = 60.0) -> tuple[str, str]:
    """Outcome and details of the program `source`, run in a process of its own: wrong code may crash or hang."""
    with Pool(verdict_or_bug, 1) as pool:
        ((_, answer, detail),) = pool.run([(0, (source, dict(settings or {})))], timeout)
    return answer or (detail.partition(":")[0], detail)


def verdict_or_bug(task: tuple[str, Mapping[str, Any]]) -> tuple[str, str]:
    """`verdict`, where an exception of ours is an outcome, too."""
    try:
        return verdict(*task)
    except BaseException:
        return "internal", traceback.format_exc()


def verdict(source: str, settings: Mapping[str, Any] | None = None) -> tuple[str, str]:
    """The same in this process."""
    with warnings.catch_warnings(), applied(settings or {}) as keywords, contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        f = oracle.function(source, "f")
        exact, single = is_exact(source), any(t in source for t in ("float32", "complex64", "float16", "'f4'"))
        limit = 1e-3 if single else 1e-8
        try:
            for args in f.__globals__["calls"]():
                how = {} if exact else {"rtol": limit, "atol": limit}
                oracle.check(f, *args, settings=keywords, **how)
        except oracle.Mismatch as e:
            text = str(e)
            if f"exception OverflowError('{OVERFLOW}" in text or f"message '{OVERFLOW}" in text:
                return "skip", "a Python integer left 64 bits"
            if not exact and text.split("\n")[1].strip().startswith("printed "):
                return "skip", "digits of what may be rounded otherwise were printed"
            if e.kind == "message" and _names_another_index(text.split("\n")[1]):
                return "skip", "another one of several wrong indices is named"
            return e.kind, text
    return "ok", ""


def _names_another_index(difference: str) -> bool:
    """Do two messages differ in the index only that is out of bounds?"""
    found = re.findall(r"'index -?\d+ (is out of bounds for [^']*)'", difference)
    return len(found) == 2 and found[0] == found[1]
