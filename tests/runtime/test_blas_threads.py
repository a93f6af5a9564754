"""How many threads NumPy's BLAS takes in compiled code: no more than soljit's own team has left, and nothing stays changed."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.processors import granted
from soljit.runtime.system.blas_threads import job_buffers, shared
from soljit.runtime.system.library import import_address
from tests.oracle import IDENTITY

GET, SET = (import_address(f"openblas:openblas_{x}_num_threads") for x in ("get", "set"))
openblas = pytest.mark.skipif(IDENTITY or not (GET and SET), reason="NumPy's BLAS does not tell its threads")


def number() -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int)(GET)()


@pytest.fixture
def four() -> Iterator[None]:
    """The caller's setting is four threads."""
    before = number()
    ctypes.CFUNCTYPE(None, ctypes.c_int)(SET)(4)
    yield
    ctypes.CFUNCTYPE(None, ctypes.c_int)(SET)(before)
    sol.set_num_threads(0)


class Watch:
    """The numbers that are seen while a function runs."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.stop = False
        self.thread = threading.Thread(target=self.look)

    def look(self) -> None:
        while not self.stop:
            self.seen.add(number())

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop = True
        self.thread.join()


@sol.jit(strict=True)
def stack(a: Any, b: Any) -> Any:
    return a @ b


@sol.jit(strict=True)
def helped(a: Any, b: Any) -> Any:
    out = np.zeros((a.shape[0], a.shape[1], b.shape[2]))
    for i in range(a.shape[0]):
        out[i] = a[i] @ b[i]
    return out


@sol.jit(strict=True)
def one(a: Any, b: Any) -> Any:
    return a @ b


@sol.jit(strict=True)
def solved(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b)


@openblas
@pytest.mark.parametrize("f", [stack, helped])
def test_one_for_each_thread_of_a_team(f: Any, four: None) -> None:
    sol.set_num_threads(2)
    rng = np.random.default_rng(1)
    a, b = rng.random((300, 70, 80)), rng.random((300, 80, 90))
    f(a, b)
    for _ in range(20):  # until the other thread has been quick enough to look
        with Watch() as w:
            got = f(a, b)
        np.testing.assert_allclose(got, f.python(a, b), rtol=1e-13)
        assert number() == 4
        assert w.seen <= {1, 2, 4}
        if 1 in w.seen:
            return
    pytest.fail("the BLAS was never held down to one thread")


@openblas
@pytest.mark.parametrize("f", [one, solved])
def test_no_more_than_set(f: Any, four: None) -> None:
    rng = np.random.default_rng(2)
    a = rng.random((700, 700))
    f(a, a)
    for wanted, seen in ((0, {4}), (2, {2, 4}), (8, {4})):
        sol.set_num_threads(wanted)
        for _ in range(20):
            with Watch() as w:
                f(a, a)
            assert number() == 4
            assert w.seen <= seen
            if w.seen == seen:
                break
        else:
            pytest.fail(f"{wanted}: {w.seen}")


@openblas
def test_callers_in_threads_leave_the_number_as_it_was(four: None) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random((100, 60, 64)), rng.random((100, 64, 64))
    sol.set_num_threads(2)
    stack(a, b)
    threads = [threading.Thread(target=lambda: [stack(a, b) for _ in range(40)]) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert number() == 4


@openblas
@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="forks")
def test_a_fork_while_it_is_held(four: None) -> None:
    state = ctypes.cast(shared(GET, SET), ctypes.POINTER(ctypes.c_int32))
    holders, before, locked = 6 + 1, 6 + 2, 6 + 4  # after three addresses and `most`
    state[holders], state[before], state[locked] = 1, 3, 1
    try:
        pid = os.fork()
        if pid == 0:
            os._exit(0 if (state[holders], state[locked], number()) == (0, 0, 3) else 1)
    finally:
        state[holders] = state[locked] = 0
    assert os.waitpid(pid, 0)[1] == 0


@sol.jit(strict=True)
def layers(x: Any, w: Any, v: Any) -> Any:
    return np.tanh(x @ w) @ v


def test_products_on_the_team_of_the_loops_have_the_bits_of_numpy() -> None:
    rng = np.random.default_rng(5)
    for dtype in (np.float32, np.float64):
        for n, m, k in ((70, 90, 110), (64, 256, 300), (257, 129, 511), (3, 700, 400)):
            x, w, v = (rng.standard_normal(s).astype(dtype) for s in ((n, m), (m, k), (k, m)))
            want = layers.python(x, w, v)
            for _ in range(3):
                assert layers(x, w, v).tobytes() == want.tobytes()


def test_products_of_several_callers_and_of_numpy_at_the_same_time() -> None:
    rng = np.random.default_rng(6)
    x, w, v = (rng.standard_normal(s) for s in ((90, 120), (120, 130), (130, 120)))
    want = layers.python(x, w, v).tobytes()
    wrong = []

    def work(f: Any) -> None:
        wrong.extend(k for k in range(60) if f(x, w, v).tobytes() != want)

    threads = [threading.Thread(target=work, args=(f,)) for f in (layers, layers.python, layers, layers.python)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="forks")
def test_a_child_multiplies_after_its_parent() -> None:
    rng = np.random.default_rng(7)
    x, w, v = (rng.standard_normal(s) for s in ((90, 120), (120, 130), (130, 120)))
    want = layers(x, w, v).tobytes()
    for _ in range(3):
        if (pid := os.fork()) == 0:
            os._exit(0 if all(f(x, w, v).tobytes() == want for f in (layers, layers.python)) else 1)
        assert os.waitpid(pid, 0)[1] == 0
        assert layers(x, w, v).tobytes() == want


def test_buffers_for_jobs() -> None:
    config = "OpenBLAS 0.3.31.188.0  USE64BITINT DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=64"
    assert job_buffers(config, 2) == 64
    assert job_buffers(config, 32) == 0
    assert job_buffers(config.replace("0.3.31.188.0", "0.3.27.44.1"), 2) == 0
    assert job_buffers(config.replace("MAX_THREADS=64", "SINGLE_THREADED"), 2) == 0
    assert job_buffers("", 2) == 0


def test_control_groups(tmp_path: Path) -> None:
    membership = tmp_path / "membership"

    def cores(text: str, **files: str) -> int:
        membership.write_text(text)
        for name, content in files.items():
            file = tmp_path / name.replace("__", "/").replace("_max", ".max").replace("cfs", "cpu.cfs")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        granted.cache_clear()
        return granted(tmp_path, membership)

    many = 2**31 - 1
    assert cores("") == many
    assert cores("0::/a/b\n") == many
    assert cores("0::/a/b\n", a__b__cpu_max="max 100000\n") == many
    assert cores("0::/a/b\n", a__cpu_max="250000 100000\n") == 3  # of a group around it
    assert cores("0::/a/b\n", a__b__cpu_max="50000 100000\n") == 1
    assert cores("0::/c\n", c__cpu_max="400000 100000\n") == 4
    assert cores("0::/c\n", c__cpu_max="no number\n") == many
    v1 = "5:memory:/d\n3:cpu,cpuacct:/d\n"
    assert cores(v1, cpu__d__cfs_quota_us="-1\n", cpu__d__cfs_period_us="100000\n") == many
    assert cores(v1, cpu__d__cfs_quota_us="150000\n") == 2
    granted.cache_clear()
