"""Products of matrices by the layer's calls of cuBLAS: every layout, type and factor, on the fake one, which checks what it is asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from tests.device import sessions
from tests.device.sessions import Session

TYPES = {"f": 0, "d": 1, "F": 2, "D": 3}
LIBRARY, ALL = 6, 0  # kinds of calls that the fake driver can let fail
NO_MEMORY, EXECUTION, INTERNAL = 3, 13, 14  # what cuBLAS says
INVALID_VALUE, OUT_OF_MEMORY, UNKNOWN = 1, 2, 999


@pytest.fixture
def session(gpu: Device, fake: Controls) -> Iterator[Session]:
    """A session on a device that has cuBLAS; afterwards nothing of the test is left on it."""
    assert gpu.why_without_cublas(sessions.driver()) == ""
    before = sessions.live(fake)
    with Session(gpu) as s:
        yield s
        for place in Block.taken:
            s.table.give(s.at, place)
        Block.taken.clear()
    assert sessions.live(fake) == before


class Block:
    """An array in memory of the device that is larger than it, as a window of a host array is. taken: the places of all"""

    taken: ClassVar[list[int]] = []

    def __init__(self, session: Session, a: np.ndarray[Any, Any], shift: int = 0) -> None:
        """shift: bytes in front, to which memory of the device is aligned otherwise"""
        self.session, self.a, self.shift = session, a, shift
        self.base = a.base if a.base is not None else a
        self.place = session.table.take(session.at, self.base.nbytes + shift)
        Block.taken.append(self.place)
        assert session.put(self.place + shift, self.base.tobytes("A")) == 0

    @property
    def at(self) -> int:
        """The place of the first element."""
        return int(self.place) + self.shift + self.a.ctypes.data - self.base.ctypes.data

    def back(self) -> None:
        """What is on the device comes to the array; nothing beside it may have changed."""
        now = np.frombuffer(self.session.get(self.place + self.shift, self.base.nbytes), self.base.dtype).copy()
        here = np.lib.stride_tricks.as_strided(
            now[(self.a.ctypes.data - self.base.ctypes.data) // self.base.itemsize :], self.a.shape, self.a.strides
        )
        new = here.copy()
        here[...] = self.a
        assert now.tobytes() == self.base.tobytes("A")
        self.a[...] = new


def multiply(
    session: Session, a: Block, b: Block, out: Block, alpha: complex = 1.0, beta: complex = 0.0
) -> tuple[int, np.ndarray[Any, Any]]:
    """What the layer says, and the result; factors as they are."""

    def operand(x: Block) -> dict[str, int]:
        steps = [s // x.a.itemsize for s in x.a.strides]
        return {"at": x.at, "down": steps[-2], "right": steps[-1], "next": steps[0] if len(steps) == 3 else 0}

    rows, inner, columns = a.a.shape[-2], a.a.shape[-1], b.a.shape[-1]
    count = out.a.shape[0] if out.a.ndim == 3 else 1
    product = session.ffi.new(
        "sol_product*",
        {
            "type": TYPES[out.a.dtype.char],
            **{"rows": rows, "columns": columns, "inner": inner, "count": count},
            **{"a": operand(a), "b": operand(b), "out": operand(out)},
            "alpha": [alpha.real, alpha.imag],
            "beta": [beta.real, beta.imag],
        },
    )
    failed = int(session.table.product(session.at, product))
    if not failed:
        out.back()
    return failed, out.a


def numbers(rng: np.random.Generator, shape: tuple[int, ...], t: str, order: str, gap: int) -> np.ndarray[Any, Any]:
    """A matrix, or a stack of them, whose rows (columns) are neighbours, `gap` elements between them; a window of a larger array."""
    lines, line = (shape[-2], shape[-1]) if order == "C" else (shape[-1], shape[-2])
    whole = rng.standard_normal((*shape[:-2], lines, line + gap)) + 1j * rng.standard_normal(
        (*shape[:-2], lines, line + gap)
    )
    block = whole.astype(t) if t in "FD" else whole.real.astype(t)
    window = block[..., :line]
    return window if order == "C" else window.swapaxes(-1, -2)


def expected(a: Any, b: Any, old: Any, alpha: complex, beta: complex) -> Any:
    wide = np.matmul(a.astype("G"), b.astype("G")) * alpha
    return wide + beta * old.astype("G") if beta else wide


def near(got: Any, want: Any) -> bool:
    eps = np.finfo(got.dtype).eps
    return bool(np.all(np.abs(got - want) <= 8 * eps * (1 + np.abs(want))))


FACTORS: dict[str, tuple[complex, complex]] = {
    "plain": (1.0, 0.0),
    "added": (1.0, 1.0),
    "subtracted": (-1.0, 1.0),
    "scaled": (0.5, -2.0),
}


@pytest.mark.parametrize("factors", FACTORS.values(), ids=FACTORS.keys())
@pytest.mark.parametrize("t", TYPES)
def test_all_layouts(session: Session, t: str, factors: tuple[complex, complex]) -> None:
    rng = np.random.default_rng(1)
    alpha, beta = factors
    if t in "FD" and factors == (0.5, -2.0):
        alpha, beta = 0.5 - 1j, 2j
    shapes = [(3, 4, 5), (1, 4, 5), (3, 4, 1), (1, 4, 1), (3, 1, 5), (2, 1, 1), (1, 1, 1)]
    for (n, k, m), orders, gap in itertools.product(shapes, itertools.product("CF", repeat=3), (0, 2)):
        x, y = numbers(rng, (n, k), t, orders[0], gap), numbers(rng, (k, m), t, orders[1], gap)
        old = numbers(rng, (n, m), t, orders[2], gap)
        if not beta:
            old[...] = np.nan
        want = expected(x, y, old, alpha, beta)
        a, b, out = (Block(session, z) for z in (x, y, old))
        failed, got = multiply(session, a, b, out, alpha, beta)
        assert not failed and near(got, want), (n, k, m, orders, gap)


@pytest.mark.parametrize("t", TYPES)
def test_stacks(session: Session, t: str) -> None:
    rng = np.random.default_rng(2)
    for one, (n, k, m), orders, beta in itertools.product(
        ("neither", "a", "b"), [(3, 4, 5), (3, 4, 1), (1, 4, 2)], ("CCC", "CFC", "FCF", "FFC"), (0.0, 1.0)
    ):
        x = numbers(rng, (n, k) if one == "a" else (6, n, k), t, orders[0], 1)
        y = numbers(rng, (k, m) if one == "b" else (6, k, m), t, orders[1], 1)
        old = numbers(rng, (6, n, m), t, orders[2], 1)
        if not beta:
            old[...] = np.nan
        want = expected(x, y, old, 1.0, beta)
        a, b, out = (Block(session, z) for z in (x, y, old))
        failed, got = multiply(session, a, b, out, 1.0, beta)
        assert not failed and near(got, want), (one, n, k, m, orders)
    assert sol.device.stats()["gemms"] == sol.device.stats()["launches"] == 3 * 3 * 4 * 2


@pytest.mark.parametrize("beta", [0.0, 1.0, -3.0])
@pytest.mark.parametrize("shape", [(2, 3), (2, 1), (4, 2, 3)], ids=["matrix", "vector", "stack"])
def test_the_sum_of_nothing(session: Session, shape: tuple[int, ...], beta: float) -> None:
    old = numbers(np.random.default_rng(3), shape, "d", "C", 2)
    if not beta:
        old[...] = np.nan
    want = beta * old if beta else np.zeros(shape)
    a, b, out = (Block(session, z) for z in (np.ones((shape[-2], 0)), np.ones((0, shape[-1])), old))
    failed, got = multiply(session, a, b, out, 1.0, beta)
    assert not failed and np.array_equal(got, want)


def test_nothing_to_do(session: Session, fake: Controls) -> None:
    a, b = Block(session, np.ones((0, 3))), Block(session, np.ones((3, 2)))
    assert multiply(session, a, b, Block(session, np.ones((0, 2))))[0] == 0
    assert fake.counters()["products"] == 0


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_complex_numbers_at_multiples_of_eight(session: Session, beta: float) -> None:
    rng = np.random.default_rng(4)
    x, y, old = (numbers(rng, s, "D", o, 1) for s, o in (((3, 4), "C"), ((4, 5), "F"), ((3, 5), "C")))
    want = expected(x, y, old, 1.0, beta)
    a, b, out = (Block(session, z, 8) for z in (x, y, old))
    failed, got = multiply(session, a, b, out, 1.0, beta)
    assert not failed and near(got, want)


@pytest.mark.parametrize("turned", [False, True])
def test_what_cublas_cannot_address_is_refused(session: Session, turned: bool) -> None:
    wide = np.ones((3, 8))[:, ::2]
    a, b, out = (
        Block(session, z)
        for z in (
            wide.T if turned else wide,
            np.ones((3, 2) if turned else (4, 2)),
            np.ones((4, 2) if turned else (3, 2)),
        )
    )
    assert multiply(session, a, b, out)[0] == INVALID_VALUE
    assert "cuBLAS cannot address" in session.failure()


@pytest.fixture
def operands(session: Session) -> tuple[Block, Block, Block]:
    """Of a small product."""
    return Block(session, np.ones((2, 3))), Block(session, np.ones((3, 2))), Block(session, np.ones((2, 2)))


def test_failures(session: Session, fake: Controls, operands: tuple[Block, Block, Block]) -> None:
    assert multiply(session, *operands)[0] == 0
    fake.library.sol_fake_fail(LIBRARY, 1, INTERNAL)
    assert multiply(session, *operands)[0] == UNKNOWN
    assert session.failure() == "cublasDgemm failed with CUBLAS_STATUS_INTERNAL_ERROR"
    assert multiply(session, *operands)[0] == 0, "the device is as before"


def test_memory_is_given_back_before_cublas_goes_without(
    session: Session, fake: Controls, operands: tuple[Block, Block, Block]
) -> None:
    fake.library.sol_fake_fail(LIBRARY, 1, NO_MEMORY)
    failed, got = multiply(session, *operands)
    assert not failed and np.array_equal(got, np.full((2, 2), 3.0))
    assert fake.library.sol_fake_failed() == 1


def test_products_are_events(session: Session, operands: tuple[Block, Block, Block]) -> None:
    with sol.device.trace() as t:
        multiply(session, *operands)
    (event,) = [e for e in t.events if e.kind == "gemm"]
    assert (event.name, event.bytes) == ("cublasDgemm", 12)
    assert "gemm     cublasDgemm 12 multiplications" in str(t)
