"""Histories drawn at random: arrays of every kind are written, viewed, given to compiled functions, promised, resized and dropped, beside the same arrays of
plain NumPy. After each step all of them are equal."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings, strategies
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

import soljit as sol
from soljit.runtime.devices import emulated
from tests.device import sessions

pytestmark = pytest.mark.skipif(bool(emulated.why_not()), reason=emulated.why_not())
N = 20_000  # elements of float64: more than is sent without asking
Floats = np.ndarray[Any, Any]


def jitted(f: Any) -> Any:
    return sol.jit(device="emulated", offload="always", strict=True)(f)


@jitted
def scaled(a: Any) -> Any:
    return a * 0.5 + 1.0


@jitted
def bump(a: Any) -> None:
    a += 1.0


@jitted
def mixed(a: Any, b: Any) -> Any:
    a[1:] = 0.5 * (a[1:] + b[:-1])
    return a - b


@jitted
def total(a: Any) -> Any:
    return np.abs(a).max()


@jitted
def tail(a: Any) -> Any:
    a[:2] = 0.25
    return a[10:]


@jitted
def filled(a: Any, x: float) -> None:
    a[:] = x


@jitted
def fails(a: Any, k: int) -> Any:
    a[:] = a * 0.5
    if a[k] > 0.25:
        raise ValueError("too large")
    a[:] = a + 0.125


class Block:
    """Memory of its own, and a model of it. `real` is what the functions get, `model` what plain NumPy works on."""

    def __init__(self, real: Floats, path: Path | None = None) -> None:
        self.real, self.model = real, np.array(real)
        self.path = path
        self.frozen = False


def _anonymous(values: Floats, folder: Path) -> Block:
    memory = np.frombuffer(mmap.mmap(-1, values.nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.float64)
    memory[:] = values
    return Block(memory)


def _file(mode: Any) -> Callable[[Floats, Path], Block]:
    def make(values: Floats, folder: Path) -> Block:
        path = folder / f"{len(list(folder.iterdir()))}.bin"
        values.tofile(path)
        return Block(np.memmap(path, np.float64, mode), path if mode == "r+" else None)

    return make


KINDS: dict[str, Callable[[Floats, Path], Block]] = {
    "heap": lambda values, folder: Block(values),
    "pages": _anonymous,
    "file": _file("r+"),
    "private file": _file("c"),
}


def _in_a_thread(write: Callable[[], object]) -> None:
    t = threading.Thread(target=write)
    t.start()
    t.join()


WRITES: dict[str, Callable[[Floats, float], object]] = {
    "item": lambda a, x: a.__setitem__(a.size // 2, x),
    "all": lambda a, x: a.fill(x),
    "ufunc": lambda a, x: np.add(a, x, out=a),
    "bytes": lambda a, x: a[: a.size // 2].view(np.uint64).__setitem__(slice(None, None, 7), 0x3FE0000000000000),
    "ctypes": lambda a, x: ctypes.memset(a.ctypes.data, 0x3F, 8 * 3) if a.strides == (8,) else None,
    "thread": lambda a, x: _in_a_thread(lambda: a.__setitem__(slice(None, None, 3), x)),
    "sort": lambda a, x: a.sort(),
    "compiled": lambda a, x: HOST(a),
}


def _set_some(a: Any) -> None:
    a[5:9] = 0.75


HOST = sol.jit(device="cpu")(_set_some)
VIEWS = (slice(None), slice(10, None), slice(None, -10), slice(100, 15_000), slice(7, 60), slice(None, None, 2), slice(None, None, -1))  # fmt: skip
views, numbers = strategies.sampled_from(VIEWS), strategies.floats(-1, 1, width=16)


class History(RuleBasedStateMachine):
    blocks = Bundle("blocks")

    @initialize()
    def begin(self) -> None:
        self.gpu, self.fake = sessions.device(), sessions.controls()
        self.fake.library.sol_fake_reset()
        self.leaving = contextlib.ExitStack()
        self.folder = Path(self.leaving.enter_context(tempfile.TemporaryDirectory(prefix="soljit-histories-")))
        self.leaving.enter_context(sol.settings(device="emulated", offload="always"))
        self.all: list[Block] = []
        sol.device.empty_cache()

    def known(self, b: Block) -> Block:
        self.all.append(b)
        return b

    @rule(target=blocks, kind=strategies.sampled_from([*KINDS]), seed=strategies.integers(0, 9))
    def make(self, kind: str, seed: int) -> Block:
        return self.known(KINDS[kind](np.random.default_rng(seed).random(N), self.folder))

    @rule(b=blocks, view=views, how=strategies.sampled_from([*WRITES]), x=numbers)
    def write(self, b: Block, view: slice, how: str, x: float) -> None:
        if not b.frozen and b.real.size > 100:
            for a in (b.real, b.model):
                WRITES[how](a[view], x)

    @rule(b=blocks, at=strategies.integers(0, 50), x=numbers)
    def write_the_file(self, b: Block, at: int, x: float) -> None:
        """Not through the array."""
        if b.path and not b.frozen:
            with open(b.path, "r+b") as f:
                f.seek(8 * 100 * at)
                f.write(np.float64(x).tobytes())
            b.model[100 * at] = x

    @rule(b=blocks, view=views)
    def read(self, b: Block, view: slice) -> None:
        np.testing.assert_array_equal(scaled(b.real[view]), scaled.python(b.model[view]))
        if b.model[view].size:
            assert total(b.real[view]) == total.python(b.model[view])

    @rule(target=blocks, b=blocks, view=views)
    def keep_a_result(self, b: Block, view: slice) -> Block:
        out = self.known(Block(scaled(b.real[view])))
        np.testing.assert_array_equal(out.real, scaled.python(b.model[view]))
        return out

    @rule(b=blocks, view=views, x=numbers, f=strategies.sampled_from(["bump", "filled", "tail", "fails"]))
    def change(self, b: Block, view: slice, x: float, f: str) -> None:
        if b.frozen or b.model[view].size < 12:
            return
        outcomes = []
        for which, a in ((0, b.real[view]), (1, b.model[view])):
            call = {"bump": bump, "filled": filled, "tail": tail, "fails": fails}[f]
            function = call.python if which else call
            args = {"filled": (float(x),), "fails": (3,)}.get(f, ())
            try:
                outcomes.append(function(a, *args))
            except ValueError as e:
                outcomes.append(str(e))
            if f == "tail":
                assert np.shares_memory(outcomes[-1], a)
                outcomes[-1][0] = 0.5  # a view of the argument
        assert len({isinstance(x, np.ndarray) for x in outcomes}) == 1  # that of a memmap is one, too
        if isinstance(outcomes[0], np.ndarray):
            np.testing.assert_array_equal(outcomes[0], outcomes[1])
        else:
            assert outcomes[0] == outcomes[1]

    @rule(b=blocks, c=blocks, view=strategies.sampled_from(VIEWS[:4]), other=strategies.sampled_from(VIEWS[:4]))
    def mix(self, b: Block, c: Block, view: slice, other: slice) -> None:
        """Two arrays, or two views of one, which may overlap."""
        n = min(b.model[view].size, c.model[other].size)
        if b.frozen or n < 12:
            return
        got = mixed(b.real[view][:n], c.real[other][:n])
        np.testing.assert_array_equal(got, mixed.python(b.model[view][:n], c.model[other][:n]))

    @rule(b=blocks, view=views)
    def forget(self, b: Block, view: slice) -> None:
        sol.device.invalidate(b.real[view])

    @rule(b=blocks)
    def freeze(self, b: Block) -> None:
        if b.path is None and b.real.size:
            b.real = sol.freeze(b.real)
            b.frozen = True

    @rule(b=blocks, more=strategies.sampled_from([-15_000, -10, 10, 30_000]))
    def resize(self, b: Block, more: int) -> None:
        if not b.frozen and b.real.flags.owndata and b.real.size + more > 0:
            for a in (b.real, b.model):
                a.resize(a.size + more, refcheck=False)

    @rule(b=consumes(blocks))
    def drop(self, b: Block) -> None:
        """Its memory is given back, and used again soon."""
        self.all.remove(b)
        b.real = b.model = np.empty(0)
        gc.collect()

    @rule(on=strategies.booleans())
    def track(self, on: bool) -> None:
        self.leaving.enter_context(sol.settings(tracker=on))

    @rule(percent=strategies.sampled_from([0, 50]))
    def keep(self, percent: int) -> None:
        self.leaving.enter_context(sol.settings(device_cache=percent))

    @rule()
    def empty(self) -> None:
        sol.device.empty_cache()

    @invariant()
    def equal(self) -> None:
        for b in getattr(self, "all", ()):
            np.testing.assert_array_equal(b.real, b.model)

    def teardown(self) -> None:
        if not hasattr(self, "all"):
            return
        try:
            for b in self.all:
                np.testing.assert_array_equal(scaled(b.real), scaled.python(b.model))
            assert self.fake.faults() == []
        finally:
            self.leaving.close()
            sol.device.empty_cache()


SLOWLY: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}


class TestHistories(History.TestCase):
    settings = settings(max_examples=6, stateful_step_count=30, **SLOWLY)


@pytest.mark.slow
class TestLongHistories(History.TestCase):
    settings = settings(max_examples=40, stateful_step_count=120, **SLOWLY)
