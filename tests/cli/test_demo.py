"""The demo's programs give NumPy's results, and its verdicts see what is wrong."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import soljit
from soljit.cli.demo import verdict
from soljit.cli.demo_kernels import Demo, demos


@pytest.mark.parametrize("demo", demos(), ids=lambda d: d.function.__name__)
def test_program_is_right(demo: Demo) -> None:
    arguments = demo.arguments()
    mine, numpys = copy.deepcopy(arguments), copy.deepcopy(arguments)
    got = (soljit.jit(strict=True)(demo.function)(*mine), mine)
    text, right = verdict((demo.function(*numpys), numpys), got)
    assert right, text


def test_verdict_sees_bits_values_and_types() -> None:
    one = np.array([1.0, 2.0])
    assert verdict(one, one.copy()) == ("same bits", True)
    assert verdict(one, one * (1 + 1e-15))[1]
    assert not verdict(one, one + 1e-6)[1]
    assert not verdict(one, one.astype(np.float32))[1]
    assert not verdict(1, 1.0)[1]
    assert not verdict((1, 2), (1,))[1]
    assert not verdict(np.array([1.0, np.nan]), one)[1]
