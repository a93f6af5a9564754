"""Does a call mean what NumPy's call meant? Values within a bound, types, shapes and memory order exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bench.benchmark import describe


def relative_error(want: Any, got: Any) -> float:
    """Norm of the difference over the norm of `want`; infinite if shapes or the places of NaN and infinities differ, or what is no number."""
    if isinstance(want, (str, bytes)) or want is None:
        return 0.0 if type(want) is type(got) and want == got else float("inf")
    a, b = np.asarray(want), np.asarray(got)
    if a.shape != b.shape or a.dtype.kind not in "biufc" or b.dtype.kind not in "biufc":
        return float("inf")
    kind = np.complex128 if "c" in a.dtype.kind + b.dtype.kind else np.float64
    x, y = a.astype(kind).ravel(), b.astype(kind).ravel()
    finite = np.isfinite(x)
    if not np.array_equal(x[~finite], y[~finite], equal_nan=True):
        return float("inf")
    size, apart = np.linalg.norm(x[finite]), np.linalg.norm(x[finite] - y[finite])
    return float(apart / size if size else apart)


def worst_error(want: Mapping[str, Any], got: Mapping[str, Any]) -> float:
    """The largest error of any leaf; infinite if a leaf is missing."""
    if want.keys() != got.keys():
        return float("inf")
    return max((relative_error(want[k], got[k]) for k in want), default=0.0)


def form_differences(want: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    """Sentences about types, dtypes, shapes and memory order that differ from NumPy's."""
    found = [f"{k}: only with NumPy" for k in want.keys() - got.keys()]
    found += [f"{k}: not with NumPy" for k in got.keys() - want.keys()]
    for key in want.keys() & got.keys():
        a, b = want[key], got[key]
        if type(a) is not type(b) or describe(a) != describe(b):
            found.append(f"{key}: {describe(b)} instead of {describe(a)}")
        elif isinstance(a, np.ndarray):
            orders = [(x.flags.c_contiguous, x.flags.f_contiguous) for x in (a, b)]
            if orders[0] != orders[1]:
                found.append(f"{key}: another memory order")
    return sorted(found)


def leaves(outcome: Mapping[str, Any], wanted: Mapping[str, Any], immutable: bool) -> dict[str, Any]:
    """A peer's outcome under NumPy's names.

    Some peers cannot change arguments and return what they would have changed (`immutable`), some return it as well.
    """
    values = [v for k, v in outcome.items() if not immutable or k.startswith("result")]
    names = list(wanted)
    return dict(zip(names[-len(values) :] if len(values) < len(names) else names, values[-len(names) :]))
