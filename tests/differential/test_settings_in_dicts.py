"""Dicts of modules and instances that hold settings: types, axes, texts, nested dicts. What they hold is that of each call."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.compare import Tolerance, differences
from tests.values import grid

INNER: dict[str, Any] = {"kind": "largest", "limit": 2.5}
SETTINGS: dict[str, Any] = {}
TYPES: list[Any] = []
ORDERS: list[str] = []
START: dict[str, Any] = {
    "axis": 1,
    "dtype": np.float32,
    "wide": float,
    "shape": (3, 2),
    "columns": [0, 2],
    "offset": np.array([0.5, 1.0, 1.5]),
    "label": "rows",
    "nothing": None,
    "steps": 3,
}


class Solver:
    def __init__(self) -> None:
        self.options: dict[str, Any] = {"axis": 0, "order": "F"}

    def total(self, a: np.ndarray) -> Any:
        return np.array(a, order=self.options["order"]), a.sum(axis=self.options["axis"])


SOLVER = Solver()


def reads(a: np.ndarray) -> Any:
    b = a.astype(SETTINGS["wide"]).sum(axis=SETTINGS["axis"]).astype(SETTINGS["dtype"])
    if SETTINGS["label"] == "rows":
        b = b * SETTINGS["steps"]
    return (
        b,
        a.reshape(SETTINGS["shape"]),
        a[:, SETTINGS["columns"]] + 1,
        a + SETTINGS["offset"],
        SETTINGS["nothing"],
    )


def reads_nested(a: np.ndarray) -> Any:
    if SETTINGS["inner"].get("kind", "smallest") == "largest":
        b = a.astype(SETTINGS.get("dtype"))
        return np.minimum(b.max(axis=SETTINGS.get("axis", 0)), SETTINGS["inner"]["limit"]), len(SETTINGS)
    return a.min(axis=SETTINGS["axis"]), SETTINGS["label"] + "!"


def of_instances(a: np.ndarray) -> Any:
    return SOLVER.total(a)


def changes(a: np.ndarray) -> Any:
    SETTINGS["steps"] += 1
    SETTINGS["label"] = "columns"
    return a * SETTINGS["steps"], SETTINGS["label"]


def changes_under_another_name(a: np.ndarray) -> Any:
    before = SETTINGS["inner"]["limit"]
    INNER["limit"] = 7
    return a * SETTINGS["inner"]["limit"], before


def changes_what_a_key_leads_to(a: np.ndarray, key: str = "inner") -> Any:
    kind = INNER["kind"]
    SETTINGS[key]["kind"] = "smallest"
    return kind, INNER["kind"], a


def misses(a: np.ndarray) -> Any:
    return a * SETTINGS["factor"]


def steps_through_types(a: np.ndarray) -> Any:
    sums = []
    for t in TYPES:
        sums.append(a.astype(t).sum())
    else:
        sums.append(len(TYPES))
    return sums, [np.array(a, order=o) for o in ORDERS]


def steps_while_it_grows(a: np.ndarray) -> Any:
    for o in ORDERS:
        if len(ORDERS) < 4:
            ORDERS.append("A")
        a = a + len(o)
    return a, len(ORDERS)


def restart() -> None:
    TYPES[:] = [np.float32, np.int64, bool]
    ORDERS[:] = ["C", "F"]
    INNER.clear()
    INNER.update(kind="largest", limit=2.5)
    SETTINGS.clear()
    SETTINGS.update(copy.deepcopy(START) | {"inner": INNER})
    SOLVER.options.update(axis=0, order="F")


def outcome(f: Callable[..., Any], a: np.ndarray) -> Any:
    """What two calls give, the second one with other settings, and what they leave behind."""
    restart()
    found: list[Any] = []
    for changed in ({}, {"axis": 0, "dtype": np.int16, "steps": 2, "label": "?"}, {"columns": [1], "offset": 7}):
        SETTINGS.update(changed)
        TYPES.reverse()
        TYPES.append(np.complex64)
        SOLVER.options.update(axis=1 - SOLVER.options["axis"])
        try:
            found.append(copy.deepcopy(f(a)))
        except KeyError as e:
            found.append(repr(e))
    return found, copy.deepcopy(SETTINGS), dict(INNER), list(ORDERS)


FUNCTIONS = [
    reads,
    reads_nested,
    of_instances,
    changes,
    changes_under_another_name,
    changes_what_a_key_leads_to,
    misses,
]
FUNCTIONS += [steps_through_types, steps_while_it_grows]


@pytest.mark.parametrize(
    ("f", "target"), [*((f, "interpreter") for f in FUNCTIONS), (reads, "openmp"), (changes, "openmp")]
)
def test_settings(f: Callable[..., Any], target: str) -> None:
    want = outcome(f, grid(2, 3))
    got = outcome(sol.jit(strict=True, target=target)(f), grid(2, 3))
    assert not list(differences("outcome", want, got, Tolerance(0.0, 0.0, 0, True)))
