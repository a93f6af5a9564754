"""NVRTC where it is installed: tests of kernels skip without it, but fail if SOL_REQUIRE_NVRTC=1."""

from __future__ import annotations

import os

import pytest

from soljit.runtime.devices import nvrtc
from soljit.runtime.devices.images import Image


def compile_kernels(text: str, arch: str, fp: str) -> Image:
    """`nvrtc.compile_kernels`, where there is NVRTC."""
    require()
    return nvrtc.compile_kernels(text, arch, fp)


def require() -> None:
    """Skip the test if there is no NVRTC."""
    why = nvrtc.why_not()
    if why and os.environ.get("SOL_REQUIRE_NVRTC") == "1":
        pytest.fail(why)
    if why:
        pytest.skip(why)
