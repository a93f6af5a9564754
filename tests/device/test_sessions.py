"""Sequences of calls of the layer, drawn at random, against a model of what is on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.device import sessions
from tests.device.sessions import Session

SIZE = 1 << 17  # of the host's block, more than goes through pinned memory at once
KNOWN, UNKNOWN = 1, 0


class Mirrored:
    """A mirror: a view of the block, and the bytes that the device has for the whole block, where they are known."""

    def __init__(self, session: Session, number: int, view: np.ndarray[Any, Any], shared: Any) -> None:
        self.session, self.number, self.view = session, number, view
        self.bytes, self.known = shared


class Device(RuleBasedStateMachine):
    """Nested sessions on one block of host memory; all mirrors of a session overlap in its first, which is the whole block."""

    @initialize()
    def begin(self) -> None:
        self.gpu, self.fake = sessions.device(), sessions.controls()
        self.fake.library.sol_fake_reset()
        self.gpu.layer.lib.sol_gpu_empty_cache(self.gpu.gpu)
        self.live = self.fake.counters()["live"]
        self.block = np.arange(SIZE, dtype=np.uint32).view(np.uint8)[:SIZE].copy()
        self.open: list[Session] = []
        self.mirrors: list[list[Mirrored]] = []
        self.taken: list[tuple[Session, int, bytes]] = []
        self.random = np.random.default_rng(0)

    @precondition(lambda self: len(self.open) < 3)
    @rule(data=strategies.data())
    def open_session(self, data: strategies.DataObject) -> None:
        session = Session(self.gpu)
        views = [self.block]
        for _ in range(data.draw(strategies.integers(0, 3))):
            start, step = (
                data.draw(strategies.integers(0, SIZE - 1)),
                data.draw(strategies.sampled_from([1, 2, 3, 700, -1, -5])),
            )
            views.append(
                self.block[start : start + data.draw(strategies.integers(0, 90000)) : abs(step)][:: np.sign(step)]
            )
        places = session.mirrors(*views)
        assert all(p >= 0 for p in places)
        shared = np.zeros(SIZE, np.uint8), np.zeros(SIZE, np.uint8)
        self.open.append(session)
        self.mirrors.append([Mirrored(session, k, v, shared) for k, v in enumerate(views)])

    @precondition(lambda self: self.open)
    @rule()
    def close_session(self) -> None:
        session = self.open.pop()
        self.mirrors.pop()
        for owner, at, _ in [t for t in self.taken if t[0] is session]:
            owner.table.give(owner.at, at)
        self.taken = [t for t in self.taken if t[0] is not session]
        session.end()

    def mirror(self, data: strategies.DataObject) -> Mirrored:
        some = data.draw(strategies.sampled_from(range(len(self.open))))
        return self.mirrors[some][data.draw(strategies.sampled_from(range(len(self.mirrors[some]))))]

    @precondition(lambda self: self.open)
    @rule(data=strategies.data())
    def arrive(self, data: strategies.DataObject) -> None:
        m = self.mirror(data)
        assert m.session.arrive(m.number) == 0
        if m.view.size:
            lo, hi = (p - self.block.ctypes.data for p in np.lib.array_utils.byte_bounds(m.view))
            m.bytes[lo:hi] = self.block[lo:hi]
            m.known[lo:hi] = KNOWN

    @precondition(lambda self: self.open)
    @rule(data=strategies.data())
    def leave(self, data: strategies.DataObject) -> None:
        m = self.mirror(data)
        lo = m.view.ctypes.data - self.block.ctypes.data
        on_device, known = (
            np.ndarray(m.view.shape, np.uint8, x, lo if m.view.size else 0, m.view.strides) for x in (m.bytes, m.known)
        )
        if not known.all():  # what was never written is poison
            return
        want = self.block.copy()
        np.ndarray(m.view.shape, np.uint8, want, lo if m.view.size else 0, m.view.strides)[...] = on_device
        assert m.session.leave(m.number) == 0
        assert np.array_equal(self.block, want)

    @precondition(lambda self: self.open)
    @rule(data=strategies.data())
    def fill(self, data: strategies.DataObject) -> None:
        m = self.mirror(data)
        if m.view.size and m.view.strides == (1,):
            lo, byte = m.view.ctypes.data - self.block.ctypes.data, data.draw(strategies.integers(0, 255))
            at = m.session.places[m.number]
            assert m.session.table.fill(m.session.at, at, m.view.size, byte) == 0
            m.bytes[lo : lo + m.view.size], m.known[lo : lo + m.view.size] = byte, KNOWN

    @precondition(lambda self: self.open)
    @rule(
        data=strategies.data(),
        size=strategies.sampled_from([1, 3000, 60000, 66000]),
        times=strategies.sampled_from([1, 20]),
    )
    def poke(self, data: strategies.DataObject, size: int, times: int) -> None:
        m = self.mirror(data)
        for _ in range(times):
            start, content = int(self.random.integers(0, SIZE - size)), self.random.bytes(size)
            assert m.session.put(m.session.places[0] + start, content) == 0
            m.bytes[start : start + size], m.known[start : start + size] = np.frombuffer(content, np.uint8), KNOWN

    @precondition(lambda self: self.open)
    @rule(data=strategies.data(), size=strategies.sampled_from([1, 8, 3000, 70000]))
    def fetch(self, data: strategies.DataObject, size: int) -> None:
        m = self.mirror(data)
        start = int(self.random.integers(0, SIZE - size))
        if m.known[start : start + size].all():
            assert m.session.get(m.session.places[0] + start, size) == m.bytes[start : start + size].tobytes()

    @precondition(lambda self: self.open)
    @rule(size=strategies.sampled_from([0, 1, 5000]))
    def take(self, size: int) -> None:
        session, content = self.open[-1], self.random.bytes(size)
        at = session.table.take(session.at, size)
        assert at and (not size or session.put(at, content) == 0)
        self.taken.append((session, at, content))

    @precondition(lambda self: self.taken)
    @rule()
    def give(self) -> None:
        session, at, content = self.taken.pop()
        assert not content or session.get(at, len(content)) == content
        session.table.give(session.at, at)

    @rule(data=strategies.data())
    def write_on_the_host(self, data: strategies.DataObject) -> None:
        start = data.draw(strategies.integers(0, SIZE - 5000))
        self.block[start : start + 5000] = self.random.integers(0, 256, 5000, np.uint8)

    @precondition(lambda self: self.open)
    @rule()
    def wait(self) -> None:
        assert self.open[-1].table.wait(self.open[-1].at) == 0

    @invariant()
    def nothing_went_wrong(self) -> None:
        assert self.fake.faults() == []

    def teardown(self) -> None:
        while getattr(self, "open", []):
            self.close_session()
        if hasattr(self, "live"):
            self.gpu.layer.lib.sol_gpu_empty_cache(self.gpu.gpu)  # the block's copy may have been kept
            assert self.fake.faults() == [] and self.fake.counters()["live"] == self.live


TestDevice = Device.TestCase
TestDevice.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
