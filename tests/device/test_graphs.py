"""Launches that follow each other closely go to the device as CUDA graphs: in order with everything else, with the arguments that each of them has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.ir.text.parser import from_text
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.device.programs import OnDevice
from tests.device.sessions import Session, made_image
from tests.device.test_control import child
from tests.device.test_failures import STEPS, W, arguments

AT_ONCE = 8  # launches after a wait that are not gathered
IMAGE = 0x6A75
BLOCKS = (2, 1, 1, 256, 1, 1)
LAUNCH = 2  # kind of a call that the fake driver lets fail


@pytest.fixture(scope="module")
def program(gpu: Device) -> OnDevice:
    return OnDevice(from_text(STEPS), gpu, one_block=False)


def counts_of(program: OnDevice, turns: int) -> dict[str, int]:
    """What a run did on the device, with the right results."""
    A, B = arguments()
    sol.device.stats(reset=True)
    program.run(turns, A, B, W)
    counts = sol.device.stats()
    C, D = arguments()
    for _ in range(turns):
        D[1:-1, 1:-1] = W * (C[:-2, 1:-1] + C[1:-1, 1:-1] + C[2:, 1:-1])
        C[1:-1, 1:-1:2] = D[1:-1, 1:-1:2]
    assert np.array_equal(A, C) and np.array_equal(B, D)
    return counts


def test_launches_of_loops_are_gathered(program: OnDevice, fake: Controls) -> None:
    few, many, again, more = (counts_of(program, turns) for turns in (3, 50, 50, 53))
    assert [c["launches"] for c in (few, many, again, more)] == [6, 100, 100, 106]
    assert few["syncs"] == many["syncs"] == again["syncs"]
    assert few["graphs"] == 0 and many["graphs"] == 2
    assert again["graphs"] == 3, "what was left at the end is known now"
    assert more["graphs"] == 3


@pytest.fixture
def session(gpu: Device, fake: Controls) -> Any:
    gpu.provide(IMAGE, made_image())
    with Session(gpu, IMAGE, ["scale", "shift"]) as s:
        yield s


def apply(s: Session, kernel: int, at: int, n: int, by: float) -> None:
    assert s.launch(kernel, BLOCKS, ("uint64_t", at), ("int64_t", n), ("double", by)) == 0


@pytest.mark.parametrize("period", [1, 2, 3, 5, 16, 17])
def test_arguments_are_those_of_each_launch(session: Session, period: int) -> None:
    """Of a graph that was made of earlier ones, too; kernels in turns that fit a graph, and in turns too long for one."""
    x = np.arange(300.0)
    want = x.copy()
    (at,) = session.mirrors(x)
    assert session.arrive(0) == 0
    sol.device.stats(reset=True)
    for k in range(200):
        if k % period == 0:
            apply(session, 0, at, 300 - k, 1.0 + k / 64)
            want[: 300 - k] *= 1.0 + k / 64
        else:
            apply(session, 1, at, 300 - k, k / 8)
            want[: 300 - k] += k / 8
    assert session.leave(0) == 0
    assert np.array_equal(x, want)
    assert (sol.device.stats()["graphs"] > 0) == (period <= 16)


@pytest.mark.parametrize("between", ["arrive", "leave", "poke", "fetch", "fill", "take"])
def test_other_work_comes_behind_what_was_gathered(session: Session, between: str) -> None:
    x = np.arange(300.0)
    (at,) = session.mirrors(x)
    assert session.arrive(0) == 0
    want = x.copy()
    for k in range(40):
        apply(session, k % 2, at, 300, 2.0)
        want = want + 2.0 if k % 2 else want * 2.0
        if k == 25:
            if between == "arrive":
                x[:] = 7.0
                want = x.copy()
                assert session.arrive(0) == 0
            elif between == "leave":
                assert session.leave(0) == 0 and np.array_equal(x, want)
            elif between == "poke":
                assert session.put(at, np.float64(9.0).tobytes()) == 0
                want[0] = 9.0
            elif between == "fetch":
                assert np.frombuffer(session.get(at, 16))[1] == want[1]
            elif between == "fill":
                assert session.table.fill(session.at, at, 800, 0) == 0
                want[:100] = 0.0
            else:
                other = session.table.take(session.at, 1 << 20)
                session.table.give(session.at, other)
    assert session.leave(0) == 0
    assert np.array_equal(x, want)


def test_launches_between_waits_that_are_few_go_at_once(session: Session) -> None:
    (at,) = session.mirrors(np.arange(300.0))
    session.arrive(0)
    sol.device.stats(reset=True)
    for _ in range(30):
        for k in range(AT_ONCE):
            apply(session, k % 2, at, 300, 0.5)
        session.get(at, 8)
    assert sol.device.stats()["graphs"] == 0


def test_what_was_gathered_is_handed_over(session: Session, fake: Controls) -> None:
    (at,) = session.mirrors(np.arange(300.0))
    session.arrive(0)
    before = fake.counters()["launches"]
    for k in range(20):
        apply(session, k % 2, at, 300, 0.5)
    assert fake.counters()["launches"] - before < 20
    session.table.hand_over(session.table)
    assert fake.counters()["launches"] - before == 20


@pytest.mark.parametrize("code", [2, 801])
def test_a_graph_that_cannot_be_made_is_launched_piece_by_piece(gpu: Device, fake: Controls, code: int) -> None:
    failed, number = 0, IMAGE + 1000 * code
    for k in range(1, 45):
        for failing in (True, False):  # after some failures without a success no more graphs are made
            number += 1  # no graph of these kernels was made before
            gpu.provide(number, made_image())
            with Session(gpu, number, ["scale", "shift"]) as s:
                x = np.arange(300.0)
                want = x.copy()
                (at,) = s.mirrors(x)
                fake.library.sol_fake_reset()
                fake.library.sol_fake_fail(LAUNCH, (AT_ONCE + k) * failing, code)
                assert s.arrive(0) == 0
                for turn in range(AT_ONCE + 40):
                    apply(s, turn % 2, at, 300, 0.5)
                    want = want + 0.5 if turn % 2 else want * 0.5
                assert s.leave(0) == 0 and np.array_equal(x, want)
            failed += fake.library.sol_fake_failed()
    assert failed > 40


def test_launches_that_fail_for_good_are_told(tmp_path: Path) -> None:
    """The program is further on by then: nothing is copied home, and the arguments are named."""
    *_, error, lost, same = child(
        """
from soljit.ir.text.parser import from_text
from tests.device.programs import OnDevice
from tests.device.test_failures import STEPS, W, arguments
layer, program = device().layer, OnDevice(from_text(STEPS), device(), one_block=False)
program.run(1, *arguments(), W)
A, B = arguments()
controls().library.sol_fake_fail(2, 43, 719)  # the launch of the first graph
try:
    program.run(30, A, B, W)
except Exception as e:
    print(e)
print(layer.text(layer.lib.sol_layer_lost))
print(np.array_equal(A, arguments()[0]))
""",
        tmp_path,
    ).splitlines()
    assert "719" in error
    assert lost == "'B', 'A'" or lost == "'A', 'B'"
    assert same == "True"
