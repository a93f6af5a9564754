"""Arguments that could not be copied home before an exception left the function: the exception says which."""

from __future__ import annotations

from pathlib import Path

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from soljit.runtime.devices.layer import with_losses
from tests.device.sessions import Session
from tests.device.test_control import child

PROGRAM = """
import traceback

@sol.jit(device="emulated", offload="always", strict=True)
def f(a, b, k):
    a *= 2.0
    b += a
    if k > b.shape[0]:
        raise ValueError("no such place")
    a += b

def arrays():
    return np.arange(4.0), np.ones(4)

def told(*arguments):
    try:
        f(*arguments)
    except Exception as e:
        print(f"{type(e).__name__}: {e} | {type(e.__cause__).__name__}: {e.__cause__}")
        print(*[line.line for line in traceback.extract_tb(e.__traceback__) if line.name == "f"])
    print(*[a.tolist() for a in arguments[:2]])

fake = controls()
f(*arrays(), 1)
told(*arrays(), 9)
"""
COPY = 3  # kind of a call that the fake driver lets fail


LOST = "; these arguments could not be brought up to date: "


def test_a_download_that_fails_names_its_array_and_those_behind(tmp_path: Path) -> None:
    lines = child(PROGRAM + f"fake.library.sol_fake_fail({COPY}, 3, 700)\ntold(*arrays(), 9)\n", tmp_path).splitlines()
    assert lines[:3] == [
        "ValueError: no such place | NoneType: None",
        'raise ValueError("no such place")',
        "[0.0, 2.0, 4.0, 6.0] [1.0, 3.0, 5.0, 7.0]",
    ]
    reason = "cuMemcpyDtoHAsync_v2 failed with CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
    (error, line, values) = lines[3:]
    assert error == f"DeviceError: the device failed (CUresult 700): {reason}{LOST}'b', 'a' | NoneType: None"
    assert line == "a *= 2.0", "whose result was to come home"
    assert values == "[0.0, 1.0, 2.0, 3.0] [1.0, 1.0, 1.0, 1.0]"


def test_a_launch_that_breaks_the_device_names_what_was_computed_before(tmp_path: Path) -> None:
    *_, error, _, values = child(
        PROGRAM + "fake.library.sol_fake_fail(2, 2, 700)\ntold(*arrays(), 1)\n", tmp_path
    ).splitlines()
    assert error.startswith("DeviceError: the device failed (CUresult 700): cuLaunchKernel failed with")
    assert error.endswith(f"{LOST}'a' | NoneType: None")
    assert values == "[0.0, 1.0, 2.0, 3.0] [1.0, 3.0, 5.0, 7.0]", "b had come home"


def test_a_copy_that_fails_once_is_made_again(tmp_path: Path) -> None:
    *_, error, _, values = child(
        PROGRAM + f"fake.library.sol_fake_fail({COPY}, 3, 801)\ntold(*arrays(), 1)\n", tmp_path
    ).splitlines()
    assert LOST not in error and error.startswith("DeviceError: the device failed (CUresult 801)")
    assert values == "[0.0, 2.0, 4.0, 6.0] [1.0, 3.0, 5.0, 7.0]", "as the statements before left them"


def test_another_exception_is_the_cause(gpu: Device, fake: Controls) -> None:
    with Session(gpu) as s:
        for name in (b"x", b"y"):
            s.table.lost(s.at, s.ffi.new("char[]", name))
        error = MemoryError()
        told = with_losses(error)
        assert isinstance(told, sol.DeviceError) and str(told).endswith(f"{LOST}'x', 'y'")
        assert told.__cause__ is error and with_losses(error) is error, "it is told once"
