"""What a trace looks like: as a table, in which repetitions stand once, and as a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from soljit.runtime.devices.events import Event, summary, table


def event(kind: str, name: str = "", amount: int = 0, at: int = 0, failed: int = 0, device: int = 0) -> Event:
    """One that begins at so many microseconds and takes one."""
    return Event(kind, name, amount, failed, device, at / 1e6, (at + 1) / 1e6)


LOOP = [event("launch", n, 1024, k) for k, n in enumerate(["k0_f", "k1_f"] * 500, 20)]
EVENTS = [event("upload", "u", 8000), event("upload", "v", 8000, 9), *LOOP, event("download", "v", 8000, 1020)]


def test_a_table_has_repetitions_once() -> None:
    assert table(EVENTS).splitlines() == [
        "       0.0 µs       1.0 µs  upload   u    8000 bytes",
        "       9.0 µs       1.0 µs  upload   v    8000 bytes",
        "      20.0 µs       1.0 µs  launch   k0_f 1024 threads  │ 500 times",
        "      21.0 µs       1.0 µs  launch   k1_f 1024 threads  │ 500 times",
        "    1020.0 µs       1.0 µs  download v    8000 bytes",
        "2 uploads of 16000 bytes, 1 download of 8000 bytes, 1000 launches; 1021.0 µs",
    ]


def test_a_table_tells_failures_and_devices() -> None:
    events = [event("fetch", amount=1), event("wait", at=4, failed=700, device=1)]
    assert table(events).splitlines() == [
        "       0.0 µs       1.0 µs  fetch     1 byte  on device 0",
        "       4.0 µs       1.0 µs  wait        on device 1  failed: 700",
        "1 fetch of 1 byte, 1 wait; 5.0 µs",
    ]
    assert table([]) == summary([]) == "nothing"


@sol.jit(device="emulated", offload="always", strict=True)
def relax(u: Any, v: Any, steps: int) -> Any:
    for _ in range(steps):
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u[1:-1] = 0.5 * (v[:-2] + v[2:])
    return np.abs(u).max()


def test_a_picture_shows_names_and_sizes(gpu: Device, fake: Controls, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    n = 100_000  # with fewer the loop is one kernel
    relax(np.ones(n), np.zeros(n), 1)
    with sol.device.trace() as t:
        relax(np.ones(n), np.zeros(n), 3)
    t.plot(tmp_path / "a.svg")
    t.plot(tmp_path / "b.svg")
    text = (tmp_path / "a.svg").read_text()
    shown = re.findall(r">([^<>\n]+)</text>", text)
    assert {"upload", "kernels", "download", "host"} <= {*shown}
    assert {"u  ×3  1600000 bytes", "v  ×3  1600000 bytes"} <= {re.sub(r"×\d", "×3", s) for s in shown}
    assert any(s.startswith("k1_relax  ×3") for s in shown)
    assert text == (tmp_path / "b.svg").read_text(), "the same events, the same file"
    assert t.plot().axes[0].get_title().replace("\n", " ") == summary(t.events)
