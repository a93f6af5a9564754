"""Lists that only the run knows as indices of arrays: those of modules and classes, those that grow, alone and among other parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, case_tests
from tests.oracle import check
from tests.values import grid

FACES = {"left": [0, 3], "right": [2, 1]}
KEPT = [True, False, True, True, False]
BLOCKS = [[4, 0], [1], [3, 2, 2]]
CORNER = (slice(1, None), [-1, 0], [2, 2])
ODD: list[Any] = [[1, 0], slice(0, 2)]
NO_INDEX = [0.5, 1.0]
RAGGED: list[Any] = [2, [0, 1]]


class Mesh:
    edges = [3, 3, 1]
    inner: list[int] = []


def columns_of_modules(a: np.ndarray) -> Any:
    a[:, FACES["left"]] += a[:, FACES["right"]]
    return a[1:, Mesh.edges], a[Mesh.edges, 0], a[..., Mesh.inner], a[Mesh.inner, Mesh.inner]


def masks_of_modules(a: np.ndarray) -> Any:
    a[KEPT[:4], 1:3] *= -1
    return a[KEPT[:4], 0], a[:, KEPT]


def blocks(a: np.ndarray) -> Any:
    sums = np.zeros((len(BLOCKS), len(a)))
    for k, block in enumerate(BLOCKS):
        sums[k] = a[:, block].sum(axis=1)
        a[0, block] = k
    return sums


def grown(a: np.ndarray, n: int) -> Any:
    chosen = []
    for k in range(len(a)):
        if k % n == 0:
            chosen.append(k)
    part = a[chosen, ::-1]
    a[chosen, 0] = 7
    chosen.append(-1)
    return part, a[chosen, chosen], a[1, chosen]


def tuple_with_lists(a: np.ndarray) -> Any:
    return a.reshape(2, 2, 5)[CORNER]


def lists_with_slices(a: np.ndarray) -> Any:
    return a[ODD]


def lists_of_floats(a: np.ndarray) -> Any:
    return a[:, NO_INDEX]


def ragged_lists(a: np.ndarray) -> None:
    a[RAGGED] = 0


def texts_as_indices(a: np.ndarray, name: str) -> None:
    a[0, name + "s"] = 1


def out_of_bounds(a: np.ndarray, n: int) -> Any:
    places = [k for k in range(n) if k != 1]
    return a[:, places]


def added_at(a: np.ndarray, n: int) -> None:
    places = [k % 3 for k in range(n) if k != 1]
    np.add.at(a, places, 2)
    np.multiply.at(a, (FACES["left"], slice(0, 2)), 3)
    np.subtract.at(a, [0, 0], 1)
    np.add.at(a, CORNER[:1], 1)


A = grid(4, 5)
CASES: list[Case] = [
    (columns_of_modules, [(A,), (np.asfortranarray(A),), (grid(4, 10)[:, ::2],)]),
    (masks_of_modules, [(A,)]),
    (blocks, [(A,), (grid(5, 4).T,)]),
    (grown, [(A, 2), (A, 3), (A[:0], 1)]),
    (tuple_with_lists, [(A,)]),
    (lists_with_slices, [(A,)]),
    (lists_of_floats, [(A,)]),
    (ragged_lists, [(A,)]),
    (texts_as_indices, [(A, "column")]),
    (added_at, [(A, 7), (A, 0)]),
    (out_of_bounds, [(A, 4), (A, 6)]),
]
test_interpreted, test_compiled = case_tests(CASES, ["columns_of_modules", "grown"])


def sequences_by_what_the_run_tells(a: Any, keys: Any) -> Any:
    for _ in range(len(keys)):
        keys.append(None)
    k = keys[1]
    print("begun")
    values = []
    for x in a:
        values.append(x)
    t, m = (1, 2.0, 3), [1, 2, 3]
    out = []
    for take in (lambda: values[k], lambda: t[k], lambda: m[k], lambda: range(len(a))[k], lambda: "abcdef"[k]):
        try:
            out.append(take())
        except (TypeError, IndexError) as e:
            out.append(str(e))
    return out


class Second:
    def __index__(self) -> int:
        return 1


def test_lists_tuples_and_ranges_are_indexed_by_objects_of_any_kind() -> None:
    many = [slice(1, None), slice(None, None, -1), 2, -1, True, np.int64(2), 7, "x", 1.5, Second(), np.array(1)]
    others: list[tuple[Any, ...]] = [(np.arange(5.0), [None, k]) for k in many[1:]]
    check(sequences_by_what_the_run_tells, np.arange(5.0), [None, many[0]], also=others)
