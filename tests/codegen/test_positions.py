"""Subscripts that may count from the end: one test in front of the common case, and none of it for what only looks alike."""

from __future__ import annotations

import numpy as np
import pytest

from soljit.codegen.emit import emit
from soljit.ir.text.parser import from_text
from tests.codegen.harness import Compiled, Raised, features

TAKE = """\
@symbols(N=A.shape[0])
def take(A: f64[N], k: i64) -> python(f64):
    if N + k < 0 or N <= k:
        raise builtins.IndexError("index {0} is out of bounds for axis 0 with size {1}", k, N)
    p: i64 = N + k if k < 0 else k
    return A[p]
"""


def test_one_test_stands_in_front() -> None:
    text = emit(from_text(TAKE), features=features()).text
    assert "if (SOL_UNLIKELY((uint64_t)k_at >= (uint64_t)N))" in text
    assert "?" not in text.split("take_main")[1].split("return SOL_OK")[0]


def test_positions_from_both_ends() -> None:
    take = Compiled(from_text(TAKE))
    a = np.arange(5.0)
    for k in range(-5, 5):
        assert take.run(a, k) == [a[k]]
    for k in (5, -6, 2**63 - 1, -(2**63)):
        with pytest.raises(Raised) as caught:
            take.run(a, k)
        assert caught.value.operands == [k, 5]


def test_other_lengths_and_texts_are_left_alone() -> None:
    for text in (TAKE, TAKE.replace("axis 0", "list"), TAKE.replace("k, N)", "N, k)")):
        changed = text != TAKE
        found = "k_at" in emit(from_text(text), features=features()).text
        assert found != changed
