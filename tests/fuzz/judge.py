"""What becomes of a program: "ok", "skip" (plain NumPy and compiled code may differ here by agreement), "unsupported",
and the failures "value", "exception", "message", "internal", "crash", "hang".
"""

from __future__ import annotations

import contextlib
import copy
import io
import re
import traceback
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests import oracle
from tests.arguments import leaves
from tests.fuzz.grammar import is_exact
from tests.fuzz.modes import applied
from tests.fuzz.workers import Pool

FAILURES = ("value", "exception", "message", "internal", "crash", "hang")
OVERFLOW = "Python int does not fit 64 bits"
EXTREMES = ("max", "min", "ptp", "clip", "sort")


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
                oracle.check(f, *args, settings=keywords, plainly=True, **how)
        except oracle.Mismatch as e:
            text = str(e)
            if f"exception OverflowError('{OVERFLOW}" in text or f"message '{OVERFLOW}" in text:
                return "skip", "a Python integer left 64 bits"
            if not exact and text.split("\n")[1].strip().startswith("printed "):
                return "skip", "digits of what may be rounded otherwise were printed"
            if text.split("\n")[1].strip().startswith("printed ") and " at 0x" in text.split("\n")[1]:
                return "skip", "where an object lies was printed"
            if e.kind == "message" and _names_another_index(text.split("\n")[1]):
                return "skip", "another one of several wrong indices is named"
            if e.found and _are_views(f, args, e.found):
                return "skip", "views of one array in containers may be one object or several"
            why = _left_open(f, args, source, keywords, limit)
            return ("skip", why) if why else (e.kind, text)
    return "ok", ""


def _left_open(f: Any, args: tuple[Any, ...], source: str, settings: Mapping[str, Any], limit: float) -> str | None:
    """Which of the known differences (docs/semantics.md) explains that the results for `args` are not the same, if one does?"""
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        with np.errstate(invalid="warn"), contextlib.suppress(Exception):
            f(*copy.deepcopy(args))
    if any("invalid value encountered in cast" in str(w.message) for w in caught):
        return "a conversion that C leaves undefined"
    if any(word in source for word in EXTREMES) and _agree(f, args, settings, atol=5e-324):
        return "the sign of a zero among the largest or smallest"
    if re.search(r"complex|\dj\b", source) and _agree(f, args, settings, rtol=limit, atol=limit, infinities=False):
        return "the last place, or the infinities, of products of complex numbers"
    return None


def _are_views(f: Any, args: tuple[Any, ...], differences: Sequence[str]) -> bool:
    """Is it only that views of one array are one object where Python has several, or the other way round?"""
    about = [re.fullmatch(r"result array (\d+) is(?: not)? result array (\d+), unlike Python", d) for d in differences]
    if not all(about):
        return False
    with contextlib.redirect_stdout(io.StringIO()):
        result = [x for x in leaves(f(*copy.deepcopy(args))) if isinstance(x, np.ndarray)]
    return all(result[int(k)].base is not None for m in about if m for k in m.groups())


def _agree(f: Any, args: tuple[Any, ...], settings: Mapping[str, Any], **how: Any) -> bool:
    try:
        oracle.check(f, *args, settings=settings, **how)
    except oracle.Mismatch:
        return False
    return True


def _names_another_index(difference: str) -> bool:
    """Do two messages differ in the index only that is out of bounds?"""
    found = re.findall(r"'index -?\d+ (is out of bounds for [^']*)'", difference)
    return len(found) == 2 and found[0] == found[1]
