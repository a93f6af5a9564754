"""`soljit.device`: choosing a device, counts and traces, and in whole sentences what does not work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import soljit as sol
from soljit.base.settings import NAMES, current
from soljit.runtime.devices.device import Device, all_devices, find_device, why_not
from soljit.runtime.devices.emulated import Controls
from soljit.runtime.devices.events import Event
from soljit.runtime.devices.layer import device_error
from tests.architecture.sources import ROOT
from tests.device.sessions import Session
from tests.device.stand_in import stand_in


def child(program: str, folder: Path) -> str:
    """What a process of its own prints."""
    file = folder / "program.py"
    file.write_text("import soljit as sol\nfrom tests.device.sessions import *\n" + textwrap.dedent(program))
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=900, env=path)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- choosing -------------------------------------------------------------------------------------------------------------


def test_a_device_is_set_if_it_can_be_used(gpu: Device) -> None:
    before = current()
    try:
        sol.device.set("emulated", offload="always")
        assert (current().device, current().offload) == ("emulated", "always")
        assert sol.device.memory().total == gpu.memory
        with pytest.raises(sol.DeviceError, match="^there is no device 'emulated:2': there is one, emulated:0$"):
            find_device("emulated:2")
        with pytest.raises(sol.DeviceError, match="cuda"):
            sol.device.set("cuda", 5, cuda_driver="/no/driver.so")
        assert (current().device, current().cuda_driver) == ("emulated", "")
        sol.device.set("cpu")
        assert current().device == "cpu"
    finally:
        sol.settings(**{k: v for k, v in before._asdict().items() if k in NAMES})


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("abacus",), "device is 'cpu', 'cuda', 'cuda:1' .any number. or 'emulated', not 'abacus'"),
        (("cuda", -1), "not 'cuda:-1'"),
        (("cpu", 1), "not 'cpu:1'"),
    ],
)
def test_what_is_no_device(arguments: tuple[str, int], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        sol.device.set(*arguments)
    with pytest.raises(sol.ArgumentError, match=r"device.set\(\) has no keyword 'result'"):
        sol.device.set("cpu", result="device")


def test_what_is_said_without_a_driver(tmp_path: Path) -> None:
    empty = current()._replace(cuda_driver="/no/driver.so")
    assert why_not("cuda", empty) == (
        "the device 'cuda' cannot be used: /no/driver.so: cannot open shared object file: No such file or directory; "
        "it is what the setting cuda_driver names"
    )
    other = current()._replace(cuda_driver="libc.so.6")
    assert why_not("cuda:1", other) == (
        "the device 'cuda:1' cannot be used: libc.so.6 has no cuInit; it is what the setting cuda_driver names"
    )
    if why_not("cuda"):
        assert why_not("cuda").startswith("the device 'cuda' cannot be used: ")


def test_drivers_that_are_not_good_enough(tmp_path: Path) -> None:
    def said(text: str, **values: int) -> str:
        return why_not(text, current()._replace(cuda_driver=stand_in(tmp_path, **values)))

    assert said("cuda", INIT=100, VERSION=12000, COUNT=0) == (
        "the device 'cuda' cannot be used: cuInit failed with CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
    )
    assert said("cuda", INIT=0, VERSION=11040, COUNT=1) == (
        "the device 'cuda' cannot be used: its driver is for CUDA 11.4, and soljit needs one for 12.0 or newer"
    )
    assert said("cuda", INIT=0, VERSION=13000, COUNT=0) == "there is no device 'cuda': CUDA sees no GPU"
    assert (
        said("cuda:2", INIT=0, VERSION=13000, COUNT=2) == "there is no device 'cuda:2': there are 2, cuda:0 to cuda:1"
    )
    settings = current()._replace(cuda_driver=str(tmp_path / "INIT0-VERSION13000-COUNT2.so"))
    found = all_devices("cuda", settings)
    assert [(d.text, d.arch, d.name, d.memory) for d in found] == [
        ("cuda", "sm_121", "G", 123456),
        ("cuda:1", "sm_121", "G", 123456),
    ]
    assert find_device("cuda:1", settings).services != find_device("cuda", settings).services


# --- what was done ----------------------------------------------------------------------------------------------------


def test_counts_are_those_of_the_driver(gpu: Device, fake: Controls, image: int) -> None:
    x, y = np.arange(100.0), np.zeros((4, 50000))
    with Session(gpu, image, ["scale"]) as s:
        (at, _) = s.mirrors(x, y)
        s.arrive(0)
        s.arrive(1)
        s.launch(0, (1, 1, 1, 128, 1, 1), ("uint64_t", at), ("int64_t", 100), ("double", 2.0))
        s.leave(0)
        s.leave(1)
        s.table.wait(s.at)  # there is nothing left to wait for
    counts, told = sol.device.stats(reset=True), fake.counters()
    assert counts["h2d_bytes"] == told["upload_bytes"] == x.nbytes + y.nbytes
    assert counts["d2h_bytes"] == told["download_bytes"] == x.nbytes + y.nbytes
    assert counts["launches"] == told["launches"] == 1
    assert counts["syncs"] == 2 <= told["waits"]  # a large array comes home in chunks, which are waited for one by one
    assert counts["allocations"] == told["allocations"] == counts["frees"] == told["frees"] == 2
    assert not any(sol.device.stats().values())


def test_a_trace_tells_names_and_bytes(gpu: Device, fake: Controls, image: int) -> None:
    x = np.arange(100.0)
    with sol.device.trace() as outer:
        with Session(gpu, image, ["shift"]) as s:
            (at,) = s.mirrors(x, names=["prices"])
            s.arrive(0)
            with sol.device.trace() as inner:
                s.launch(0, (1, 1, 1, 128, 1, 1), ("uint64_t", at), ("int64_t", 100), ("double", 2.0))
                s.leave(0)
                s.put(at, b"1234")
                s.get(at, 2)
                s.table.fill(s.at, at, 3, 0)
                s.table.wait(s.at)
                fake.library.sol_fake_fail(3, 1, 801)
                s.arrive(0)
    number = gpu.layer.used.index(gpu.gpu)
    seen = [
        Event("launch", "shift", 128, 0, number),
        Event("download", "prices", 800, 0, number),
        Event("poke", "", 4, 0, number),
        Event("fetch", "", 2, 0, number),
        Event("fill", "", 3, 0, number),
        Event("wait", "", 0, 0, number),
        Event("upload", "prices", 800, 801, number),
    ]
    assert [e[:5] for e in inner.events] == [e[:5] for e in seen]
    assert [e.kind for e in outer.events] == ["allocate", "upload", *(e.kind for e in seen), "free"]
    times = [t for e in outer.events for t in (e.begin, e.end)]
    assert times == sorted(times) and times[0] >= 0
    with Session(gpu) as s:
        s.mirrors(x)
    with sol.device.trace() as later:
        pass
    assert later.events == [] and len(inner.events) == len(seen)


def test_nothing_was_done_before_a_device_was_used(tmp_path: Path) -> None:
    told = child("print(sorted(set(sol.device.stats().values())), sol.device.stats()['launches'])", tmp_path)
    assert told == "[0] 0\n"


def test_memory(gpu: Device, fake: Controls) -> None:
    with pytest.raises(sol.DeviceError, match=r"^no device is set: soljit.device.set\('cuda'\) sets one$"):
        sol.device.memory()
    with sol.settings(device="emulated"):
        with Session(gpu) as s:
            s.mirrors(np.zeros(1000))
            now = sol.device.memory()
            assert now.used >= 8000 and now.most >= now.used and now.left <= now.total - 8000
        sol.device.empty_cache()
        sol.device.synchronize()
        assert sol.device.memory().used == 0


# --- devices that are lost ------------------------------------------------------------------------------------------------


def test_a_device_does_not_survive_some_errors(tmp_path: Path) -> None:
    told = child(
        """
        gpu = device()
        s = Session(gpu)
        s.mirrors(np.zeros(9))
        controls().library.sol_fake_fail(3, 1, 700)
        print(s.arrive(0), s.leave(0), s.table.take(s.at, 8), s.table.wait(s.at), s.mirrors(np.zeros(3)))
        s.end()
        print(Session(gpu).failed)
        for again in (device, sol.device.synchronize, sol.device.empty_cache):
            try:
                again()
            except sol.DeviceError as e:
                print(e)
    """,
        tmp_path,
    )
    error = "cuMemcpyHtoDAsync_v2 failed with CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
    assert told.splitlines() == [
        "700 700 0 700 [-700]",
        "700",
        f"the device 'emulated' cannot be used any more in this process: {error}",
        error,
        error,
    ]


def test_a_fork_has_no_device(tmp_path: Path) -> None:
    told = child(
        """
        import os, sys
        gpu = device()
        s = Session(gpu)
        s.mirrors(np.zeros(9))
        sol.settings(device="emulated")
        f = sol.jit(device="emulated", strict=True)(lambda x: x + 1)
        if os.fork() == 0:
            print(s.arrive(0), s.table.wait(s.at), s.table.take(s.at, 8))
            s.end()
            other = Session(gpu)
            print(other.failed, other.failure())
            print(f(np.ones(2)))
            for again in (device, sol.device.synchronize, sol.device.memory):
                try:
                    again()
                except sol.DeviceError as e:
                    print(e)
            sys.stdout.flush()
            os._exit(0)
        assert os.wait()[1] == 0
        print(s.arrive(0))
        s.end()
    """,
        tmp_path,
    )
    why = "CUDA does not work in a forked process whose parent has used it"
    hint = "multiprocessing's start methods 'spawn' and 'forkserver' do not fork it"
    assert told.splitlines() == [
        "4 4 0",
        f"4 {why}",
        "[2. 2.]",
        f"the device 'emulated' cannot be used: {why}; {hint}",
        why,
        f"the device 'emulated' cannot be used: {why}; {hint}",
        "0",
    ]


def test_an_error_of_compiled_code_tells_the_drivers_reason(gpu: Device, fake: Controls) -> None:
    with Session(gpu) as s:
        fake.library.sol_fake_fail(4, 1, 801)
        s.mirrors(np.zeros(2))
        s.arrive(0)
        assert s.table.wait(s.at) == 801
    error = device_error("the device failed")
    assert isinstance(error, sol.DeviceError)
    assert (
        str(error)
        == "the device failed: cuStreamSynchronize failed with CUDA_ERROR_NOT_SUPPORTED: operation not supported"
    )


def test_info_tells_what_there_is() -> None:
    done = subprocess.run([sys.executable, "-m", "soljit", "info"], capture_output=True, text=True)
    (told,) = [line for line in done.stdout.splitlines() if line.startswith("GPU ")][:1]
    assert why_not("cuda") in told


def test_info_tells_what_is_known_of_a_gpu(tmp_path: Path) -> None:
    driver = stand_in(tmp_path, INIT=0, VERSION=12040, COUNT=1)
    done = subprocess.run(
        [sys.executable, "-m", "soljit", "info"],
        capture_output=True,
        text=True,
        env={**os.environ, "SOL_CUDA_DRIVER": driver},
    )
    assert re.search("^CUDA's driver +for CUDA 12.4$", done.stdout, re.MULTILINE)
    assert re.search(r"^NVRTC +(none: |\d+\.\d+ \()", done.stdout, re.MULTILINE)
    assert re.search("^GPU 0 +G, sm_121, 0.0 GiB, 64 multiprocessors$", done.stdout, re.MULTILINE)
