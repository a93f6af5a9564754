"""Array variables that are bound again in loops: their arrays stay on the device, whatever they stand for, and NumPy's results come home."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.compare import Tolerance, differences

NEAR = Tolerance(rtol=1e-12, atol=1e-12, infinities=False)
COUNTS = ("h2d_calls", "h2d_bytes", "d2h_calls", "d2h_bytes", "fetch_calls", "poke_calls")
Function = Callable[..., Any]


def jitted(f: Function) -> Any:
    return sol.jit(device="emulated", offload="always", strict=True)(f)


def outcome(f: Function, args: list[Any]) -> Any:
    try:
        return f(*args), args
    except ValueError as e:
        return str(e), args


def taken(f: Function, *args: Any) -> dict[str, int]:
    """Call `f` with copies of the arguments and compare with Python; what the call copied, and its launches."""
    j, a, b = jitted(f), *(copy.deepcopy(list(args)) for _ in range(2))
    outcome(j, copy.deepcopy(list(args)))
    sol.device.stats(reset=True)
    got = outcome(j, b)
    stats = sol.device.stats()
    assert list(differences("result", outcome(f, a), got, NEAR)) == []
    return {k: stats.get(k, 0) for k in (*COUNTS, "launches")}


def relax(u: Any, steps: int) -> Any:
    for _ in range(steps):
        u = u + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return u


def swapped(u: Any, steps: int) -> Any:
    v = u.copy()
    for _ in range(steps):
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, v = v, u
    return u


def both_arguments(u: Any, v: Any, steps: int) -> None:
    for _ in range(steps):
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, v = v, u


def three_levels(u: Any, steps: int) -> Any:
    before = u.copy()
    for _ in range(steps):
        after = 2.0 * u - before
        after[1:-1] += 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        before, u = u, after
    return u, before


def columns(a: Any, steps: int) -> Any:
    column = a[:, -1]
    for k in range(steps):
        column = a[:, k] - 0.5 * column
        a[:, k] = column
    return column


def edges(u: Any, steps: int) -> Any:
    for _ in range(steps):
        u = 0.5 * u
        u[0] = 1.0
        u[-1] = u[1]
    return u


def integers(u: Any, steps: int) -> Any:
    for _ in range(steps):
        u = np.where(u % 2 == 0, u // 2, 3 * u + 1)
    return u


def line(n: int = 40) -> Any:
    return np.cos(np.arange(float(n)))


UPLOADS_AND_DOWNLOADS: dict[Function, tuple[list[Any], int, int]] = {
    relax: ([line()], 1, 1),
    swapped: ([line()], 1, 2),  # u may be what is returned, and is changed
    both_arguments: ([line(), np.sin(line())], 2, 2),
    three_levels: ([line()], 1, 2),
    columns: ([np.cos(np.arange(80.0)).reshape(8, 10)], 1, 2),
    edges: ([line()], 1, 1),
    integers: ([np.arange(30)], 1, 1),
}


@pytest.mark.parametrize("f", UPLOADS_AND_DOWNLOADS, ids=lambda f: f.__name__)
def test_transfers_do_not_depend_on_the_number_of_steps(f: Function, gpu: Device, fake: Controls) -> None:
    args, up, down = UPLOADS_AND_DOWNLOADS[f]
    few, many = taken(f, *args, 3), taken(f, *args, 7)
    assert many.pop("launches") > few.pop("launches")
    assert few == many
    assert (few["h2d_calls"], few["fetch_calls"]) == (up, 0)
    assert few["d2h_calls"] <= down
    assert few["d2h_bytes"] <= down * args[0].nbytes


def test_results_are_fresh_arrays_or_the_argument_itself(gpu: Device, fake: Controls) -> None:
    u, j = line(), jitted(relax)
    assert j(u, 0) is u
    got = j(u, 2)
    assert got is not u and got.base is None and got.flags.owndata
    assert jitted(swapped)(u, 2) is u
    assert jitted(swapped)(u, 0) is u


def stops(u: Any, v: Any, at: int) -> Any:
    for k in range(at + 5):
        v[:] = u + 1.0
        u, v = v, u
        if k == at:
            raise ValueError(k)
    return u


@pytest.mark.parametrize("at", [0, 1, 4])
def test_what_variables_wrote_comes_home_before_an_exception(at: int, gpu: Device, fake: Controls) -> None:
    taken(stops, line(), np.sin(line()), at)


def grows(u: Any, steps: int) -> Any:
    for k in range(steps):
        u = np.concatenate((u, u[: k + 1] * 2.0))
    return u


def shrinks(u: Any, steps: int) -> Any:
    for _ in range(steps):
        u = u[1:] + u[:-1]
    return u


@pytest.mark.parametrize("f", [grows, shrinks], ids=lambda f: f.__name__)
def test_lengths_may_change_in_each_iteration(f: Function, gpu: Device, fake: Controls) -> None:
    few, many = taken(f, line(), 2), taken(f, line(), 6)
    assert [few[k] for k in ("h2d_calls", "d2h_calls")] == [many[k] for k in ("h2d_calls", "d2h_calls")] == [1, 1]


def now_and_then(u: Any, steps: int) -> Any:
    seen = []
    for k in range(steps):
        u = u * 0.5 + 1.0
        if k % 4 == 3:
            seen.append(u.copy())
    return u, seen


def test_what_the_host_looks_at_now_and_then_is_copied_then(gpu: Device, fake: Controls) -> None:
    args = [line()]
    few, many = taken(now_and_then, *args, 4), taken(now_and_then, *args, 12)
    assert few["h2d_calls"] <= 1 + 1 and many["d2h_calls"] - few["d2h_calls"] <= 4


def a_part(a: Any, steps: int) -> Any:
    part = a[1:, ::2]
    for _ in range(steps):
        part[:, 1:] += 0.5 * part[:, :-1]
        a[0] += 1.0
        part = a[1:, ::2]
    return part


def test_parts_of_arrays_are_copied_without_what_lies_between(gpu: Device, fake: Controls) -> None:
    taken(a_part, np.arange(48.0).reshape(6, 8), 3)
    taken(a_part, np.arange(48.0).reshape(8, 6).T, 3)


def by_python(u: Any, steps: int) -> Any:
    for _ in range(steps):
        u = np.sort_complex(u).real
        u = u * 2.0
    return u


def test_explain_says_which_variables_stay(gpu: Device, fake: Controls) -> None:
    j = jitted(by_python)
    j(line(), 2)
    assert "a call gives" in j.explain()


def filled(a: np.ndarray, w: np.ndarray) -> Any:
    """The kernel writes `w`, and arrays that a variable of this name stands for later, which only the host sees."""
    w[1:-1] = w[:-2] + 1
    for i in range(len(a)):
        a[i] = i
        w = np.full_like(w, np.argmin(a))
    return w


def filled_inside(a: np.ndarray, w: np.ndarray) -> Any:
    w[1:-1] = w[:-2] + 1
    for i in range(len(a)):
        for k in range(3):
            w = np.full_like(w, k + i)
        if i:
            w = w
    return w


@pytest.mark.parametrize("f", [filled, filled_inside])
def test_a_variable_without_a_mirror_is_read_on_the_host(f: Function, gpu: Device, fake: Controls) -> None:
    taken(f, np.arange(4.0)[::-1].copy(), np.arange(20.0).reshape(4, 5))
