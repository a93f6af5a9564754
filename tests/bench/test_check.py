"""The harness's check must see what a framework may get wrong."""

from __future__ import annotations

import numpy as np

from bench.check import form_differences, leaves, relative_error, worst_error


def test_a_wrong_value_is_seen() -> None:
    assert relative_error(np.array([3.0, 4.0]), np.array([3.0, 4.5])) == 0.1


def test_a_misplaced_nan_is_seen() -> None:
    assert relative_error(np.array([1.0, np.nan]), np.array([1.0, 2.0])) == np.inf
    assert relative_error(np.array([1.0, np.nan]), np.array([1.0, np.nan])) == 0


def test_a_broadcast_shape_is_seen() -> None:
    assert relative_error(np.ones((1, 3)), np.ones(3)) == np.inf


def test_a_missing_result_is_seen() -> None:
    assert worst_error({"result": 1.0}, {}) == np.inf


def test_types_dtypes_and_order_are_seen() -> None:
    want = {"a": np.float64(1), "b": np.ones(3), "c": np.ones((2, 3))}
    got = {"a": 1.0, "b": np.ones(3, np.float32), "c": np.ones((2, 3), order="F")}
    assert form_differences(want, got) == [
        "a: float instead of np.float64",
        "b: float32[3] instead of float64[3]",
        "c: another memory order",
    ]
    assert not form_differences(want, dict(want))


def test_a_peer_that_returns_its_changes() -> None:
    wanted = {"result": 1, "u": 2}
    assert leaves({"result[0]": 1, "result[1]": 2, "u": 0}, wanted, immutable=True) == wanted
    assert leaves({"result": 2, "u": 2}, {"u": 2}, immutable=False) == {"u": 2}
