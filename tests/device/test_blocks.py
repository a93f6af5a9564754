"""Loops that one block of threads runs, or several together: right at every length, the same bits in every run, and no barrier too few."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.ir.core.nodes import Program
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.text.parser import from_text
from soljit.passes.device.place_on_device import BLOCK
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.codegen.harness import Raised
from tests.device.nvrtc import compile_kernels
from tests.device.programs import OnDevice
from tests.passes.test_golden import ARROW, GOLDEN
from tests.passes.test_meaning import arguments

LENGTHS = (0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 1023, 1024, 1025)
FOLDER = GOLDEN / "persist_loops"
LOOPS = sorted(p for p in FOLDER.glob("*.sol") if not p.stem.startswith("not_"))


def program_of(path: Path) -> Program:
    return from_text(path.read_text().partition(ARROW)[0])


def launches() -> int:
    return sol.device.stats(reset=True)["launches"]


# --- through the public API ---------------------------------------------------------------------------------------------


def steps(a: Any, b: Any, n: int) -> Any:
    s = a.dtype.type(0)
    last = -1
    for k in range(n):
        s = np.sum(a * b)
        a += b
        b[:] = a - b
        if a.shape[0] > 2:
            a[0] = b[1]
        last = k
    return s, last


@pytest.mark.share(0.4)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i8", "u4", "i2"])
@pytest.mark.share(0.3)
@pytest.mark.parametrize("length", LENGTHS)
def test_lengths_and_types(gpu: Device, fake: Controls, length: int, dtype: str) -> None:
    rng = np.random.default_rng(length)
    made = rng.integers(0, 9, (2, length)) if dtype[0] in "iu" else rng.standard_normal((2, length))
    f = sol.jit(device="emulated", offload="always", strict=True)(steps)
    found = []
    for seed in (0, 3, 4):
        fake.library.sol_fake_seed(seed)
        wanted, got = made.astype(dtype), made.astype(dtype)
        want = steps(wanted[0], wanted[1], 3)
        launches()
        result = f(got[0], got[1], 3)
        assert launches() <= 1
        assert result[1] == want[1] and type(result[0]) is type(want[0])
        found.append((result[0].tobytes(), got.tobytes()))
        assert got.tobytes() == wanted.tobytes()
        np.testing.assert_allclose(result[0], want[0], rtol=1e-5 if dtype in ("f4", "c8") else 1e-13, atol=1e-13)
    fake.library.sol_fake_seed(0)
    assert len(set(found)) == 1, "the same bits in every run"


def test_no_turns_leave_everything_as_it_was(gpu: Device, fake: Controls) -> None:
    f = sol.jit(device="emulated", offload="always", strict=True)(steps)
    a, b = np.arange(5.0), np.ones(5)
    assert f(a, b, 0) == (0.0, -1)
    assert a.tolist() == [0, 1, 2, 3, 4] and b.tolist() == [1] * 5


def total_and_norm(a: Any, out: Any, n: int) -> None:
    for k in range(n):
        out[k] = a.sum()
        out[k + 1] = np.dot(a, a)


def test_sums_are_at_least_as_accurate_as_numpys(gpu: Device, fake: Controls) -> None:
    f = sol.jit(device="emulated", offload="always", strict=True)(total_and_norm)
    rng = np.random.default_rng(7)
    for length in (3, 1000, 3001):
        a = rng.standard_normal(length) * 10.0 ** rng.integers(-12, 12, length)
        a[rng.permutation(length)[: length // 2]] *= -1
        out = np.zeros(2)
        f(a, out, 1)
        exact, squares = math.fsum(a), math.fsum(a * a)
        assert abs(out[0] - exact) <= abs(a.sum() - exact)
        assert abs(out[1] - squares) <= max(abs(np.dot(a, a) - squares), np.spacing(squares))


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_shows(gpu: Device, fake: Controls, special: float) -> None:
    f = sol.jit(device="emulated", offload="always", strict=True)(total_and_norm)
    a, out = np.linspace(0, 1, 700), np.zeros(2)
    a[[13, 650]] = special
    f(a, out, 1)
    np.testing.assert_array_equal(out, [special, special * special])
    a[5] = -special
    f(a, out, 1)
    assert np.isnan(out[0]) and (np.isnan(out[1]) or out[1] == np.inf)


def extremes(a: Any, n: int) -> Any:
    low = high = a[0]
    some = every = False
    for k in range(n):
        low = a.min()
        high = a.max()
        some = (a > 0.9).any()
        every = (a < 2.0).all()
        a[k] = high
        a *= 1.5
    return low, high, some, every


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "u8"])
def test_extremes_and_truths(gpu: Device, fake: Controls, dtype: str) -> None:
    def plain(a: Any, n: int) -> Any:
        low = high = a[0]
        some = every = False
        for k in range(n):
            low, high = a.min(), a.max()
            some, every = (a > 1).any(), (a < 90).all()
            a[k] = high
            a += a
        return low, high, some, every

    f = sol.jit(device="emulated", offload="always", strict=True)(plain)
    a = (np.random.default_rng(1).random(777) * 50).astype(dtype)
    b = a.copy()
    want, got = plain(a, 2), f(b, 2)
    assert got == want and a.tobytes() == b.tobytes()


def converge(u: Any, v: Any, least: float) -> Any:
    err, count = 1.0, 0
    while err > least:
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        err = np.abs(v - u).max()
        u[:] = v
        count += 1
    return count, err


def test_a_condition_on_what_was_computed_waits_for_nobody(gpu: Device, fake: Controls) -> None:
    f = sol.jit(device="emulated", offload="always", strict=True)(converge)
    u = np.linspace(0, 1, 40) ** 3
    v = u.copy()
    mine = u.copy(), v.copy()
    want = converge(u, v, 1e-3)
    f(*(x.copy() for x in mine), 1e-3)
    sol.device.stats(reset=True)
    assert f(*mine, 1e-3) == want
    stats = sol.device.stats()
    assert want[0] > 10 and stats["launches"] == 1 and stats.get("fetch_calls", 0) <= 3
    assert mine[0].tobytes() == u.tobytes()


def then_raise(a: Any, n: int) -> Any:
    s = 0.0
    for k in range(n):
        a *= 0.5
        s += a[k]
    if s > 1.0:
        raise ValueError(f"{n} steps")
    return s


def test_an_exception_behind_the_loop(gpu: Device, fake: Controls) -> None:
    f = sol.jit(device="emulated", offload="always", strict=True)(then_raise)
    a, b = np.full(30, 8.0), np.full(30, 8.0)
    with pytest.raises(ValueError) as want:
        then_raise(a, 3)
    with pytest.raises(ValueError) as got:
        f(b, 3)
    assert str(got.value) == str(want.value) and a.tobytes() == b.tobytes()
    assert f(np.zeros(3), 2) == 0.0


def test_explain_says_what_one_block_runs_and_why_not(gpu: Device) -> None:
    def checked(a: Any, at: Any) -> None:
        for k in range(at.shape[0]):
            a *= 0.5
            a[at[k]] = 1.0

    f = sol.jit(device="emulated", offload="always", strict=True)(checked)
    f(np.ones(5), np.arange(3))
    assert "this loop is not run by one block of threads: raising an exception in it is done by the host" in f.explain()
    g = sol.jit(device="emulated", offload="always", strict=True)(steps)
    g(np.ones(5), np.ones(5), 2)
    assert "one block of threads runs this loop where its arrays are small" in g.explain()
    h = sol.jit(device="emulated", offload="always", strict=True)(relax_in_place)
    h(np.ones(5), np.ones(5), 2)
    assert "blocks of threads that wait for each other run this loop where its arrays are small" in h.explain()


# --- programs -----------------------------------------------------------------------------------------------------------


@pytest.mark.share(0.4)
@pytest.mark.parametrize("path", LOOPS, ids=lambda p: p.stem)
@pytest.mark.parametrize(("one_block", "cluster"), [(True, False), (True, True), (False, False), (None, False)])
def test_all_forms_compute_the_same(
    gpu: Device, fake: Controls, path: Path, one_block: bool | None, cluster: bool
) -> None:
    program = program_of(path)
    if not one_block and path.stem == "small_arrays":
        return  # no kernels: the maps are written out
    compiled = OnDevice(program, gpu, one_block=one_block, cluster=cluster)
    for seed in range(3):
        fake.library.sol_fake_seed(seed)
        want, got = arguments(program, seed), arguments(program, seed)
        wanted = interpret(program, want)
        found = compiled.run(*got)
        for x, y in zip([*wanted, *want], [*found, *got], strict=True):
            tolerance = 1e-6 if np.asarray(x).dtype == np.float32 else 1e-12
            np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)
    fake.library.sol_fake_seed(0)


BARRIERS = {False: "sol_barrier();", True: "sol_meet();"}
# How many barriers these programs do not need: behind which the same thread goes on with the same elements, or another barrier follows before
# anybody touches them again.
SPARE = {
    "by_a_cluster": 1,
    "until_it_converges": 3,
    "sums_by_threads_and_by_the_block": 3,
    "numbers_before_and_after": 1,
    "numbers_of_the_block": 1,
    "what_is_made_is_zero": 3,
}


@pytest.mark.share(0.4)
@pytest.mark.share(0.3)
@pytest.mark.parametrize("path", LOOPS, ids=lambda p: p.stem)
@pytest.mark.parametrize("cluster", [False, True])
def test_a_barrier_that_is_left_out_is_a_race(gpu: Device, fake: Controls, path: Path, cluster: bool) -> None:
    program = program_of(path)
    barrier = BARRIERS[cluster]
    count = OnDevice(program, gpu, one_block=True, cluster=cluster).source.device_text.count(barrier)
    assert count or cluster
    caught = []
    fake.library.sol_fake_survive(1)
    for k in range(count):

        def without(text: str, k: int = k) -> str:
            pieces = text.split(barrier)
            return barrier.join(pieces[: k + 1]) + barrier.join(["", *pieces[k + 1 :]])[len(barrier) :]

        named = replace(program, name=f"{program.name}_{k}_{cluster}")
        broken = OnDevice(named, gpu, one_block=True, cluster=cluster, change=without)
        for seed in range(3):
            fake.library.sol_fake_seed(seed)
            with contextlib.suppress(Raised):
                broken.run(*arguments(program, seed))
        if any("race" in f for f in fake.faults()):
            caught.append(k)
        fake.library.sol_fake_reset()
    fake.library.sol_fake_seed(0)
    fake.library.sol_fake_survive(0)
    assert len(caught) >= count - SPARE.get(path.stem, 0), f"{caught} of {count}"


@pytest.mark.share(0.4)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_120"])
@pytest.mark.parametrize("path", LOOPS, ids=lambda p: p.stem)
@pytest.mark.parametrize("cluster", [False, True])
def test_kernels_fit_into_registers(gpu: Device, path: Path, arch: str, cluster: bool) -> None:
    text = OnDevice(program_of(path), gpu, one_block=True, cluster=cluster).source.device_text
    image = compile_kernels(text, arch, "strict")
    assert "warning" not in image.log, image.log
    for name, taken in image.resources.items():
        assert taken.spill_stores <= 32, f"{name} does not fit into registers: {taken}"


def relax_in_place(a: Any, b: Any, n: int) -> Any:
    for k in range(n):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
        a[0] = np.abs(a).max() + k
    return a.sum()


@pytest.mark.parametrize("length", [3, 4097, 4098, 9000])
def test_blocks_of_a_cluster_wait_for_each_other(gpu: Device, fake: Controls, length: int) -> None:
    f = sol.jit(device="emulated", offload="always", strict=True)(relax_in_place)
    a = np.random.default_rng(length).random(length)
    b = a.copy()
    want = a.copy(), b.copy()
    total = relax_in_place(*want, 4)
    found = []
    for seed in (0, 3, 4):
        fake.library.sol_fake_seed(seed)
        got = a.copy(), b.copy()
        launches()
        result = f(*got, 4)
        assert launches() == 3  # the loop, and the two of the sum behind it
        assert got[0].tobytes() == want[0].tobytes() and got[1].tobytes() == want[1].tobytes()
        assert result == pytest.approx(total, rel=1e-14)
        found.append(result)
    fake.library.sol_fake_seed(0)
    assert len(set(found)) == 1


def test_a_barrier_of_one_block_is_not_enough_for_several(gpu: Device, fake: Controls) -> None:
    program = program_of(FOLDER / "until_it_converges.sol")
    change = lambda text: text.replace(BARRIERS[True], BARRIERS[False])  # noqa: E731
    broken = OnDevice(replace(program, name="no_meeting"), gpu, one_block=True, cluster=True, change=change)
    fake.library.sol_fake_survive(1)
    with contextlib.suppress(Raised):
        broken.run(*arguments(program, 1))
    assert any("race" in f for f in fake.faults())
    fake.library.sol_fake_reset()
    fake.library.sol_fake_survive(0)


TWO_MAPS_WITH_ONE_NAME = """
@symbols(N=b.shape[0])
def places(a: f64[N + 1], b: f64[N], x: i64[N], y: i64[N], c: f64[N]):
    for k in range(0, 3):
        with map(i=range(0, N)):
            q: i64 = x[i]
            a[q] = b[i] + f64(k)
        with map(j=range(0, N)):
            q: i64 = y[j]
            c[j] = a[q + 1]
    return
"""


@pytest.mark.parametrize("cluster", [False, True])
def test_places_that_each_iteration_has_for_itself_prove_nothing(gpu: Device, fake: Controls, cluster: bool) -> None:
    compiled = OnDevice(from_text(TWO_MAPS_WITH_ONE_NAME), gpu, one_block=True, cluster=cluster)
    rng = np.random.default_rng(5)
    a, b, c = np.zeros(701), rng.random(700), np.zeros(700)
    x, y = rng.permutation(700), rng.permutation(700)
    compiled.run(a, b, x, y, c)
    want = np.zeros(701)
    want[x] = b + 2
    np.testing.assert_array_equal(a, want)
    np.testing.assert_array_equal(c, want[y + 1])
