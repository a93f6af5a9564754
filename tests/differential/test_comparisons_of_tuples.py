"""Comparisons of tuples give what the first different items give: NumPy's bool or Python's."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, case_tests


def of_items(a: np.ndarray, b: np.ndarray) -> Any:
    return (a[0], a[1]) < (b[0], b[1])


def chained(a: np.ndarray, b: np.ndarray) -> Any:
    return (a[0], a[-1]) < (0.5, a[0]) < (b[-1], 2.0)


def of_both_kinds(a: np.ndarray, b: np.ndarray) -> Any:
    return (
        (1, a[-1]) < (0.5, a[0]),
        (len(a), a[0]) >= (2, b[0]),
        (a[0], 1) <= (a[0], a[0]) and (a[0], len(a)) > (3.0, 2),
    )


def nested(a: np.ndarray, b: np.ndarray) -> Any:
    p, q = (a[0], (a[1], len(a))), (b[0], (b[1], len(b)))
    r = p < q
    return r, not r, type(p > q) is bool, 1 if p <= q else 2, r + 1


def of_arrays(a: np.ndarray, b: np.ndarray) -> Any:
    return (a, a[0]) < (a, b[0]), [a[0], a] >= [b[0], a]


ARRAYS = [np.array([1.0, 2]), np.array([0.5, 7]), np.array([0.5, 0.5]), np.array([-1, 3, 2.0])]
CASES: list[Case] = [
    (f, [(a, b) for a in ARRAYS for b in ARRAYS]) for f in (of_items, chained, of_both_kinds, nested, of_arrays)
]
test_interpreted, test_compiled = case_tests(CASES, {"nested"})
