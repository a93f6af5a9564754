"""Device arrays that array variables stand for: which of them are copied, and that the host reads what is current."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls


@pytest.fixture(autouse=True)
def emulated(gpu: Device, fake: Controls) -> Iterator[None]:
    with sol.settings(device="emulated", offload="always", strict=True):
        yield


def moved() -> tuple[int, int]:
    now = sol.device.stats(reset=True)
    return now["h2d_calls"] + now["poke_calls"], now["d2h_calls"] + now["fetch_calls"]


def elements(x: Any) -> Any:
    return x._memory.read(x._host) if isinstance(x, sol.Array) else x


def change_places(u: Any, v: Any, n: int) -> Any:
    for _ in range(n):
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, v = v, u
    return u


def take_one(u: Any, v: Any, n: int) -> Any:
    w = u if n > 2 else v
    w *= 2.0
    return w


def narrow(u: Any, v: Any, n: int) -> Any:
    w = u[1:-1]
    for _ in range(n):
        w += 1.0
        w = w[:-1]
    return w


def read_one(u: Any, v: Any, n: int) -> Any:
    w = u if n > 2 else v
    w *= 2.0
    s = 0.0
    for i in range(len(w)):
        s = s * 0.5 + w[i]
    return s


def read_other(u: Any, v: Any, n: int) -> Any:
    w = u if n > 2 else v
    u += 1.0
    s = 0.0
    for i in range(len(w)):
        s = s * 0.5 + w[i]
    return s


def write_one(u: Any, v: Any, n: int) -> Any:
    w = u if n > 2 else v
    w *= 2.0
    s = 0.0
    for i in range(len(w)):
        s = s * 0.5 + w[i]
        w[i] = s
    w += 1.0
    return s


def renew(u: Any, v: Any, n: int) -> Any:
    for _ in range(n):
        u = u + 0.1 * v
    return u


def renew_and_write(u: Any, v: Any, n: int) -> Any:
    for k in range(n):
        u += v
        if k > 0:
            u = u * 2.0
    v -= u
    return u


def fail_late(u: Any, v: Any, n: int) -> Any:
    w = u if n > 2 else v
    w += 1.0
    if n > 0:
        raise ValueError(str(n))
    return w


FREE = [change_places, take_one, narrow]
ALL = [*FREE, read_one, read_other, write_one, renew, renew_and_write]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("which", ["both", "first", "second", "same memory"])
def test_the_same_as_numpy(f: Any, n: int, which: str) -> None:
    jitted = sol.jit(f)
    whole = np.linspace(0, 1, 2000)
    a, b = (whole[:1000], whole[1000:]) if which == "same memory" else (whole[:1000].copy(), whole[1000:].copy())
    if which == "same memory":
        x = sol.asarray(whole)
        given = [x[:1000], x[1000:]]
    else:
        given = [sol.asarray(a) if which != "second" else a.copy(), sol.asarray(b) if which != "first" else b.copy()]
    for _ in range(2):
        got, want = jitted(*given, n), f(a, b, n)
        np.testing.assert_allclose(elements(got), want, rtol=1e-14)
        for g, w in zip(given, (a, b)):
            np.testing.assert_allclose(elements(g), w, rtol=1e-14)
        if isinstance(want, np.ndarray):
            assert [got is g for g in given] == [want is w for w in (a, b)]


@pytest.mark.parametrize("f", FREE)
def test_nothing_is_copied(f: Any) -> None:
    jitted = sol.jit(f)
    x, y = sol.asarray(np.linspace(0, 1, 2000)), sol.asarray(np.linspace(1, 3, 2000))
    moved()
    for n in (1, 3, 4):
        jitted(x, y, n)
        assert moved() == (0, 0) and x.state == y.state == "device"


def test_exceptions() -> None:
    jitted = sol.jit(fail_late)
    a, b = np.linspace(0, 1, 500), np.linspace(1, 3, 500)
    x, y = sol.asarray(a), sol.asarray(b)
    for n in (1, 3):
        with pytest.raises(ValueError, match=str(n)):
            jitted(x, y, n)
        with pytest.raises(ValueError, match=str(n)):
            fail_late(a, b, n)
        assert np.array_equal(elements(x), a) and np.array_equal(elements(y), b)
