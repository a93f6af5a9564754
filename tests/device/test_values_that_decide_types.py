"""Calls back whose result is real or complex as the values are, behind what a device has changed: that cannot be taken back, so both are compiled for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices import emulated

pytestmark = pytest.mark.skipif(bool(emulated.why_not()), reason=emulated.why_not())


def marked(a: Any, out: Any) -> Any:
    out[0] = 1
    return np.linalg.eigvals(a)


def test_both_are_right() -> None:
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    compiled = sol.jit(strict=True, device="emulated", offload="always")(marked)
    for a in (np.eye(2), turn, turn.astype(np.float32), np.eye(2, dtype=np.float32)):
        out = np.zeros(1)
        got = compiled(a, out)
        assert got.dtype == marked(a, out).dtype
        np.testing.assert_array_equal(got, marked(a, out))
        assert out[0] == 1
