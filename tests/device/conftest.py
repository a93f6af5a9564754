"""The emulated device, the fake driver below it, and an image with two kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import soljit as sol
from soljit.analysis.cost import worth
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.device import sessions


@pytest.fixture(scope="session")
def gpu() -> Device:
    return sessions.device()


@pytest.fixture
def fake(gpu: Device) -> Iterator[Controls]:
    """The fake driver's controls, counting from 0; nothing may have gone wrong in it at the end."""
    c = sessions.controls()
    c.library.sol_fake_reset()
    gpu.layer.lib.sol_gpu_empty_cache(gpu.gpu)  # copies that other tests left would go in between
    c.library.sol_fake_reset()
    sol.device.stats(reset=True)
    sessions.remember_live(c)
    yield c
    assert c.faults() == []
    c.library.sol_fake_reset()


@pytest.fixture
def slow_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled now has a kernel for each statement, also in loops over a few thousand elements."""
    monkeypatch.setattr(worth, "MODEL", replace(worth.MODEL, block=1000.0))


@pytest.fixture(scope="session")
def image(gpu: Device) -> int:
    """The number of an image with the kernels `scale` and `shift`."""
    gpu.provide(4711, sessions.made_image())
    return 4711
