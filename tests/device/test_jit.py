"""Jitted functions on a device: threads, forks, failures, and what is said where there is no device."""

from __future__ import annotations

import os
import pickle
import re
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.calls import dispatchers
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from soljit.runtime.devices.nvrtc import nvrtc as compiler
from soljit.runtime.store.cache_verify import verify
from tests.device import nvrtc
from tests.device.stand_in import stand_in

pytestmark = pytest.mark.usefixtures("slow_blocks")
LAUNCH, COPY = 2, 3  # kinds of calls that the fake driver can let fail


@sol.jit(device="emulated", offload="always", strict=True)
def smooth(a: Any, b: Any, steps: int) -> Any:
    for _ in range(steps):
        b[1:-1] = 0.25 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.25 * (b[:-2] + b[1:-1] + b[2:])
    return a + b


def arguments(number: int = 1) -> tuple[Any, Any]:
    a = np.linspace(0, number, 20_001) ** 2  # too many for one block
    return a, a[::-1].copy()


def equal(got: Any, want: Any) -> bool:
    return bool(np.array_equal(got, want))


def test_results_are_numpys(gpu: Device, fake: Controls) -> None:
    a, b = arguments()
    c, d = arguments()
    with sol.device.trace() as t:
        got = smooth(a, b, 3)
    assert equal(got, smooth.python(c, d, 3)) and equal(a, c) and equal(b, d)
    assert [(e.kind, e.name) for e in t.events if "load" in e.kind] == [
        ("upload", "a"), ("upload", "b"), ("download", "b"), ("download", "a"), ("download", "result")
    ]  # fmt: skip
    assert [e.name for e in t.events if e.kind == "launch"] == ["k1_smooth", "k2_smooth"] * 3 + ["k3_smooth"]


def test_a_profile_waits_for_each_kernel(gpu: Device, fake: Controls) -> None:
    a, b = arguments()
    c, d = arguments()
    with sol.profile() as p:
        got = smooth(a, b, 3)
    assert equal(got, smooth.python(c, d, 3))
    rows = {r.text: r for r in p.rows if r.kind == "compiled"}
    first = rows["b[1:-1] = 0.25 * (a[:-2] + a[1:-1] + a[2:])"]
    assert first.calls == 3 and first.ms > 0 and "waited for" in first.note


@sol.jit(device="emulated", offload="always", strict=True)
def halves(a: Any) -> Any:
    return a.max(axis=0), a == a[0], a.astype(np.float64) / 3


def test_halves_need_functions_of_the_compiler(gpu: Device, fake: Controls) -> None:
    a = np.linspace(-3, 3, 35).reshape(5, 7).astype(np.float16)
    for got, want in zip(halves(a), halves.python(a)):
        assert equal(got, want) and got.dtype == want.dtype


def test_threads(gpu: Device, fake: Controls) -> None:
    def work(number: int) -> None:
        a, b = arguments(number)
        c, d = arguments(number)
        good.append(all(equal(smooth(a, b, 1), smooth.python(c, d, 1)) for _ in range(5)) and equal(a, c))

    good: list[bool] = []
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert good == [True] * 4


def test_a_failure_is_an_error_at_the_users_line(gpu: Device, fake: Controls) -> None:
    a, b = arguments()
    c, d = arguments()
    fake.library.sol_fake_fail(LAUNCH, 4, 801)
    with pytest.raises(sol.DeviceError) as caught:
        smooth(a, b, 9)
    assert str(caught.value) == (
        "the device failed (CUresult 801): cuLaunchKernel failed with CUDA_ERROR_NOT_SUPPORTED: operation not supported"
    )
    (line,) = [f.line for f in traceback.extract_tb(caught.value.__traceback__) if f.name == "smooth"]
    assert line is not None and line.startswith("a[1:-1] =")
    smooth.python(c, d, 1)
    d[1:-1] = 0.25 * (c[:-2] + c[1:-1] + c[2:])
    assert equal(a, c) and equal(b, d), "the arguments are as the statements before left them"
    assert equal(smooth(a, b, 2), smooth.python(c, d, 2))


def test_without_memory_it_is_a_memory_error(gpu: Device, fake: Controls) -> None:
    a, b = arguments()
    fake.library.sol_fake_memory(1000)
    try:
        with pytest.raises(MemoryError):
            smooth(a, b, 1)
    finally:
        fake.library.sol_fake_memory(2 << 30)
    assert equal(a, arguments()[0]) and equal(b, arguments()[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_runs_on_the_processor(gpu: Device, fake: Controls) -> None:
    smooth(*arguments(), 1)
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks in processes with threads
        child = os.fork()
    if child == 0:
        try:
            a, b = arguments()
            c, d = arguments()
            told: Any = equal(smooth(a, b, 3), smooth.python(c, d, 3)) and equal(a, c)
        except BaseException as e:  # noqa: BLE001 (it is told to the parent)
            told = repr(e)
        os.write(writing, pickle.dumps(told))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as f:
        assert pickle.load(f) is True
    os.waitpid(child, 0)
    assert equal(smooth(*arguments(), 1), smooth.python(*arguments(), 1))


def test_calls_that_go_through_python(gpu: Device, fake: Controls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatchers, "native", lambda *args: None)
    jitted: Any = sol.jit(device="emulated", offload="always", strict=True)(smooth.python)
    a, b = arguments()
    c, d = arguments()
    assert equal(jitted(a, b, 2), smooth.python(c, d, 2)) and equal(a, c)
    assert sol.device.stats()["launches"] == 5
    fake.library.sol_fake_fail(LAUNCH, 4, 801)
    with pytest.raises(sol.DeviceError, match="cuLaunchKernel failed"):
        jitted(a, b, 2)


@pytest.mark.parametrize("strict", [True, False])
def test_a_driver_that_is_too_old_for_the_compiler_of_kernels(tmp_path: Path, strict: bool) -> None:
    nvrtc.require()

    @sol.jit(device="cuda", offload="always", strict=strict)
    def twice(a: Any) -> Any:
        return a * 2

    driver = stand_in(tmp_path, INIT=0, VERSION=12000, COUNT=1)
    if compiler().version[0] > 12:
        with sol.settings(cuda_driver=driver), pytest.raises(sol.DeviceError) as caught:
            twice(np.ones(3))
        assert re.fullmatch(
            r"the device 'cuda' cannot be used: its driver is for CUDA 12.0, and the NVRTC at hand, \d+\.\d+, makes kernels for newer ones: "
            r"install a newer driver, or soljit\[cuda12\]",
            str(caught.value),
        )


@pytest.mark.parametrize("strict", [True, False])
def test_where_there_is_no_device(strict: bool) -> None:
    @sol.jit(device="cuda", strict=strict)
    def twice(a: Any) -> Any:
        return a * 2

    with sol.settings(cuda_driver="/no/driver.so"), pytest.raises(sol.DeviceError) as caught:
        twice(np.ones(3))
    assert str(caught.value).startswith("the device 'cuda' cannot be used: /no/driver.so: cannot open shared object")
    with sol.settings(cuda_driver="/no/driver.so", target="sequential"):
        assert twice(np.ones(3)).tolist() == [2, 2, 2]


def test_what_the_device_wrote_comes_home_before_an_exception_at_the_end() -> None:
    def f(a: np.ndarray, m: np.ndarray) -> None:
        a.fill(3)
        a[1:] = a[:-1] * 2
        for k in range(1, len(a)):
            a[:k] = a[k]
            a[k] += 1
        m += m.T

    a, m = np.arange(5.0), np.ones((2, 3))
    wanted, got = (a.copy(), m.copy()), (a.copy(), m.copy())
    with pytest.raises(ValueError, match="broadcast"):
        f(*wanted)
    with pytest.raises(ValueError, match="broadcast"):
        sol.jit(device="emulated", offload="always", strict=True)(f)(*got)
    assert np.array_equal(wanted[0], got[0]) and np.array_equal(wanted[1], got[1])


def test_the_cache_knows_what_devices_keep_in_it() -> None:
    smooth(*arguments(), 3)
    root = os.environ["SOL_CACHE_DIR"]
    names = {p.name.partition("-")[0] for p in Path(root).glob("*/objects/*-*.so")}
    assert {"device", "emulator", "emulated"} <= names
    faults = verify(root)[1]
    assert not [f for f in faults if Path(f.place).name.startswith(("device-", "emula"))]
