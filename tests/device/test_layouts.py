"""Arguments of any layout on the device: what is written there comes home, and nothing beside it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from soljit.ir.text.parser import from_text
from soljit.runtime.devices.emulated import Controls
from tests.device import sessions
from tests.device.programs import OnDevice


@functools.cache
def doubled(ndim: int) -> OnDevice:
    """A program that doubles an array of so many dimensions, and any strides."""
    symbols = [f"{what}{k}=a.{name}[{k}]" for what, name in (("N", "shape"), ("S", "strides")) for k in range(ndim)]
    shape, strides = (", ".join(f"{what}{k}" for k in range(ndim)) for what in "NS")
    spans, places = ", ".join(f"i{k}=range(0, N{k})" for k in range(ndim)), ", ".join(f"i{k}" for k in range(ndim))
    text = f"""
@symbols({", ".join(symbols)})
def doubled(a: f64[{shape}].strides({strides})):
    with map({spans}):
        a[{places}] = a[{places}] * 2.0
    return
"""
    return OnDevice(from_text(text), sessions.device())


LAYOUTS: dict[str, Any] = {
    "of columns": lambda b: b[:600].reshape(20, 30).T,
    "backwards": lambda b: b[100:20:-1],
    "every third": lambda b: b[::3],
    "a column": lambda b: b.reshape(-1, 10)[:, 4],
    "a window": lambda b: b.reshape(10, -1)[2:7, 3:50],
    "steps along both axes": lambda b: b.reshape(10, -1)[::-3, ::2],
    "one element": lambda b: b[7:8],
    "nothing": lambda b: b[:0],
    "twelve axes": lambda b: b[: 3 * 2**8].reshape(*[2] * 4, 1, 3, *[2] * 4, 1, 1)[..., ::-1, :, :].transpose(),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_every_layout(fake: Controls, layout: Any) -> None:
    block = np.arange(1000.0) + 1
    want = block.copy()
    a = layout(block)
    layout(want)[...] *= 2
    doubled(a.ndim).run(a)
    assert np.array_equal(block, want)
