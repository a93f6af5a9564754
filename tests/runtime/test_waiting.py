"""A call waits for compiling as long as it can pay (`runtime/calls/patience.py`); then it runs in Python, and later calls find what was made meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.clock import OutOfTime
from soljit.runtime.calls import patience
from soljit.runtime.calls.building import Begun
from soljit.runtime.system import continuation

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A process that has not waited yet, and waits one second for a call."""
    monkeypatch.setattr(patience, "seconds", patience.Seconds())
    with sol.settings(wait_seconds=1, strict=False, cache_dir=str(tmp_path)):
        yield


def slowed(function: Any, build: Callable[[], None] = lambda: None, own: float = 0.0) -> Any:
    """The function decorated, with a compiler that does something more while it builds, and whose own part takes some seconds longer."""
    f = sol.jit(function)
    usual = f._entry.maker.compile_variant

    def compile_variant(*args: Any) -> Begun:
        begun = usual(*args)
        *_, limit, go_on = args if len(args) > 7 else (None, None)
        end = time.perf_counter() + own
        while time.perf_counter() < end:
            time.sleep(0.02)
            if limit is not None and time.perf_counter() > end - own + limit:
                if go_on is None or not go_on():
                    raise OutOfTime
                limit = None

        def built() -> Any:
            build()
            return begun.built()

        return begun._replace(build=built)

    f._entry.maker.compile_variant = compile_variant
    return f


def where(x: Any) -> Any:
    """Tells which way a call went: compiled code shows no frames."""
    return x + 1


def pay(f: Any, cost: float) -> None:
    """As if calls in Python had cost so many seconds more."""
    f._entry._end_rest()
    f._entry.settings_changed()
    f._entry.patience.cost += cost
    patience.seconds.cost += cost


def plus(k: int) -> Any:
    def f(x: Any) -> Any:
        return x + k

    return f


def until(condition: Callable[[], bool], most: float = 60.0) -> None:
    """Wait for something that comes some time."""
    end = time.perf_counter() + most
    while not condition():
        assert time.perf_counter() < end
        time.sleep(0.05)


def seconds_of(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def test_an_ordinary_function_is_compiled_at_its_first_call() -> None:
    def total(x: Any) -> Any:
        s = 0.0
        for v in x:
            s += v
        return s

    f = sol.jit(total)
    with sol.settings(wait_seconds=60):
        assert f(np.ones(5)) == 5.0
    assert len(f.signatures) == 1


def test_what_takes_longer_is_built_beside() -> None:
    gate = threading.Event()
    f = slowed(lambda x: x * 2, lambda: gate.wait(60) and None)
    assert 0.8 < seconds_of(lambda: f(3)) < 20
    assert f.signatures == [] and f(4) == 8
    assert seconds_of(lambda: [f(5) for _ in range(100)]) < 5
    gate.set()
    until(lambda: f(6) == 12 and len(f.signatures) == 1)
    assert f(7) == 14 and f(2**40) == 2**41


def test_another_process_goes_on_with_our_own_part() -> None:
    if not continuation.is_possible():
        pytest.skip("needs forks")
    f = slowed(where, own=6.0)
    assert seconds_of(lambda: f(3)) < 5.5
    assert f.signatures == []
    until(lambda: f(3) == 4 and len(f.signatures) == 1)
    assert f.report()[0]["origin"] == "cache"
    assert len(f._entry.all_variants()) == 1


def test_our_own_part_begins_again_where_no_process_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continuation, "is_possible", lambda: False)
    f = slowed(where, own=4.0)
    assert seconds_of(lambda: f(3)) < 3.8
    assert f.signatures == []
    pay(f, 60.0)
    assert f(3) == 4 and len(f.signatures) == 1


def test_all_calls_of_a_process_wait_little() -> None:
    gate = threading.Event()
    made = [slowed(plus(k), lambda: gate.wait(60) and None) for k in range(12)]
    for k, f in enumerate(made):
        assert f(1) == 1 + k
    assert patience.seconds.waited < 5 * 1 + 1.5 + 2 * patience.seconds.cost
    begun = [bool(f._entry.patience.building) for f in made]
    assert begun[0] and not begun[-1]  # what has cost nothing yet is not even begun
    gate.set()
    until(lambda: bool(pay(made[-1], 1.0) or made[-1](1) == 12 and made[-1].signatures))


def test_strict_functions_and_whoever_looks_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    def soon() -> None:
        time.sleep(1.5)

    f = slowed(where, soon)
    with sol.settings(strict=True):
        assert f(3) == 4
    assert len(f.signatures) == 1
    for look, function in (("explain", lambda x: x - 1), ("source", lambda x: x - 2), ("ir", lambda x: x - 3)):
        # A busy machine has waited enough for the process.
        monkeypatch.setattr(patience, "seconds", patience.Seconds())
        g = slowed(function, soon)
        g(3)
        assert g.signatures == []
        assert "has not been compiled" not in getattr(g, look)()
    g.compile(3.0)
    assert g.signatures == ["(float)"]
    g(3)
    assert len(g.signatures) == 2
    g.compile(4.0)
    assert len(g.signatures) == 2


def test_what_was_not_worth_it_is_told_and_known_to_later_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    patience.seconds.waited = 100.0  # whatever a process may wait has been waited
    f = sol.jit(where)
    f(3)
    assert "compile(*args) does it now" in f.explain() and "compile(*args)" in f.source()
    monkeypatch.setattr(patience, "seconds", patience.Seconds())
    again = sol.jit(where)
    assert again(3) == 4 and again.signatures == []
    again.compile(3)
    assert again.signatures == ["(int)"]


def test_compile_says_what_is_wrong() -> None:
    @sol.jit
    def f(a: Any, n: Any) -> Any:
        return a[:n].sum()

    f.compile(np.ones(3), n=2)
    assert len(f.signatures) == 1
    with pytest.raises(TypeError, match="missing a required argument"):
        f.compile(np.ones(3))

    @sol.jit
    def g(x: Any) -> Any:
        yield x

    with pytest.raises(sol.UnsupportedError, match="generator"):
        g.compile(1)


def test_a_guard_that_does_not_hold_is_compiled_for() -> None:
    @sol.jit
    def f(a: Any, b: Any) -> Any:
        return a + b

    f.compile(np.ones(3), np.ones(3))
    f.compile(np.ones(4), np.ones(4))
    assert len(f.signatures) == 1
    f.compile(np.ones((3,)), np.ones(1))
    assert len(f.signatures) == 2
    assert f(np.ones(3), np.ones(1)).tolist() == [2.0, 2.0, 2.0] and len(f.signatures) == 2


def test_zero_waits_for_all() -> None:
    f = slowed(where, lambda: time.sleep(1.5))
    with sol.settings(wait_seconds=0):
        assert f(3) == 4
    assert len(f.signatures) == 1


def test_exceptions_and_effects_are_those_of_python() -> None:
    gate = threading.Event()

    def fail(a: Any, x: Any) -> Any:
        a[0] = x
        return a[10]

    f = slowed(fail, lambda: gate.wait(60) and None)
    for value in (1.0, 2.0, 3.0):
        a = np.zeros(3)
        if value == 3.0:
            gate.set()
            until(lambda: not f._entry.patience.rests())
        with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 3") as e:
            f(a, value)
        assert a[0] == value
        names = [frame.name for frame in traceback.extract_tb(e.value.__traceback__)]
        assert names[-1] == "fail" and not any(
            "soljit/runtime" in x.filename for x in traceback.extract_tb(e.value.__traceback__)
        )
    assert len(f.signatures) == 1


DEEP = """
import soljit as sol

@sol.jit
def depth(n, held):
    return 0 if n == 0 else 1 + depth(n - 1, held)
"""


def test_functions_call_themselves_deeply(tmp_path: Path) -> None:
    space: dict[str, Any] = {}
    (tmp_path / "deep.py").write_text(DEEP)
    exec(compile(DEEP, str(tmp_path / "deep.py"), "exec"), space)
    f = space["depth"]
    f._entry.patience.until = 1e9  # it runs in Python
    deep = (sys.getrecursionlimit() - 300) // 2  # a call of an object counts twice, and nothing else is in between
    assert f(deep, None) == deep


def test_interrupted_while_it_waits(tmp_path: Path) -> None:
    program = """
import signal, threading, time, os
import soljit as sol
from tests.runtime.test_waiting import slowed, until, where
signal.signal(signal.SIGINT, signal.default_int_handler)  # programs in the background begin without it
gate = threading.Event()
f = slowed(where, lambda: gate.wait(60) and None)
ended = threading.Event()
def press():  # Python loses what a finalizer is interrupted by: whoever waits presses again
    while not ended.wait(1):
        os.kill(os.getpid(), signal.SIGINT)
keys = threading.Thread(target=press)
start = time.perf_counter()
try:
    keys.start()
    f(1)
    print("not interrupted")
except KeyboardInterrupt:
    ended.set()
    print("interrupted", time.perf_counter() - start < 20)
keys.join()
gate.set()
until(lambda: f(2) == 3 and len(f.signatures) == 1)
print("compiled")
"""
    assert run(program, tmp_path, wait=60) == ["interrupted True", "compiled"]


def run(program: str, cache: Path, wait: int = 1) -> list[str]:
    """Lines that a program prints in a new process."""
    environment = {**os.environ, "SOL_WAIT_SECONDS": str(wait), "SOL_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    environment.pop("SOL_STRICT", None)
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=120)
    assert out.returncode == 0, out.stderr
    return out.stdout.splitlines()


LEAVE = """
import time
import soljit as sol
from soljit.runtime.calls import patience
from {module} import f
start = time.perf_counter()
f(2.0)
print(len(f.signatures), time.perf_counter() - start < {most})
"""
LEFT = """
import soljit as sol
@sol.jit
def f(x):
    return x * 3.0
"""


def test_what_is_not_ready_at_the_end_is_finished_by_another_process(tmp_path: Path) -> None:
    if not continuation.is_possible():
        pytest.skip("needs forks")
    (tmp_path / "left.py").write_text(LEFT)
    cache = tmp_path / "cache"
    head = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    hurried = head + "import soljit.runtime.calls.patience as p; p.Patience.limit = lambda self, *given: 0.001\n"
    first = run(hurried + LEAVE.format(module="left", most=30), cache)
    assert first == ["0 True"]
    until(lambda: any(cache.glob("*/index/*/*.json")))
    assert run(head + LEAVE.format(module="left", most=60), cache, wait=60) == ["1 True"]


def _in_child(f: Any, queue: Any) -> None:
    queue.put((f(5), len(f.signatures)))


def test_a_forked_child_has_its_own_patience() -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("needs forks")
    gate = threading.Event()
    f = slowed(where, lambda: gate.wait(60) and None)
    f(3)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    f._entry.maker.compile_variant = sol.jit(where)._entry.maker.compile_variant
    child = context.Process(target=_in_child, args=(f, queue))
    with sol.settings(wait_seconds=60):
        child.start()
    assert queue.get(timeout=60) == (6, 1)
    child.join(60)
    gate.set()
    until(lambda: f(3) == 4 and len(f.signatures) == 1)


def test_finalizers_of_the_program_do_not_run_in_another_process(tmp_path: Path) -> None:
    if not continuation.is_possible():
        pytest.skip("needs forks")
    here, told = os.getpid(), tmp_path / "told"

    class Held:
        def __del__(self) -> None:
            if os.getpid() != here:
                told.write_text("finalized")

    held = Held()
    held.itself = held  # type: ignore[attr-defined]  # garbage that only a collection finds
    del held
    process = continuation.Continuation()
    if process.begin():
        kept = [[k] for k in range(300_000)]
        process.end(len(kept))
    process.wait(None)
    assert process.result() == 300_000 and not told.exists()


def test_threads_that_wait_for_one_process() -> None:
    if not continuation.is_possible():
        pytest.skip("needs forks")
    for _ in range(20):
        process = continuation.Continuation()
        if process.begin():
            time.sleep(0.02)
            process.end("x" * 100_000)
        faults: list[BaseException] = []

        def look(process: continuation.Continuation = process, faults: list[BaseException] = faults) -> None:
            try:
                while process.is_running():
                    pass
                process.wait(None)
            except BaseException as e:  # noqa: BLE001 (told below)
                faults.append(e)

        threads = [threading.Thread(target=look) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(60)
        assert not faults and process.result() == "x" * 100_000


def test_threads_that_call_at_once() -> None:
    gate = threading.Event()
    f = slowed(where, lambda: gate.wait(60) and None)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.extend(f(k) for k in range(50))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    gate.set()
    assert sorted(found) == sorted(k + 1 for k in range(50) for _ in range(4))
    until(lambda: f(3) == 4 and len(f.signatures) == 1)
    assert len(f._entry.all_variants()) == 1


def add(held: Any, x: Any) -> Any:
    held.append(x)
    return len(held)


def test_that_an_argument_has_to_be_an_object_is_known_to_later_processes() -> None:
    with sol.settings(wait_seconds=60):
        f = sol.jit(add)
        held = [1.0, 2.0]
        assert f(held, 3.0) == 3 and held == [1.0, 2.0, 3.0] and f.signatures == ["(list, float)"]
        again = sol.jit(add)

        def compile_variant(*args: Any) -> Begun:
            raise AssertionError("compiled again")

        again._entry.maker.compile_variant = compile_variant
        assert again(held, 4.0) == 4 and held[-1] == 4.0 and again.signatures == ["(list, float)"]
        assert again([], 4.0) == 1 and again.signatures == ["(list, float)"]


def test_another_process_tells_that_an_argument_has_to_be_an_object() -> None:
    if not continuation.is_possible():
        pytest.skip("needs forks")
    f = sol.jit(add)
    f._entry.patience.until = 0.0
    patience.seconds.waited = 100.0
    pay(f, 1.0)
    held = [1.0]
    until(lambda: f(held, 3.0) == len(held) and f.signatures == ["(list, float)"])


def test_a_function_that_did_not_pay_is_compiled_for_no_other_types_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    f = sol.jit(where)
    patience.seconds.waited = 100.0
    f(3)
    monkeypatch.setattr(patience, "seconds", patience.Seconds())
    again = sol.jit(where)
    assert again(3.5) == 4.5 and again.signatures == []
    until(lambda: bool(pay(again, 1.0) or again(3.5) == 4.5 and again.signatures == ["(float)"]))


def test_a_call_that_waited_in_vain_is_known_to_later_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    f = slowed(where, lambda: gate.wait(60) and None)
    f(3)
    monkeypatch.setattr(patience, "seconds", patience.Seconds())
    again = slowed(where, lambda: gate.wait(60) and None)
    assert again(3) == 4 and not again._entry.patience.building
    gate.set()
    until(lambda: f(6) == 7 and len(f.signatures) == 1)


def test_functions_made_anew_wait_for_one_variant() -> None:
    gate = threading.Event()
    f = slowed(add_to, lambda: gate.wait(60) and None)
    for k in range(5):
        assert f(lambda v: v + 1, k) == k + 1
        f._entry._end_rest()
        f._entry.patience.until = 0.0
    assert len(f._entry.tables.popitem()[1].building) == 1
    gate.set()


def add_to(g: Any, x: Any) -> Any:
    return g(x)


def test_what_is_unforeseen_leaves_the_slow_path() -> None:
    """A call back gives what no variant was compiled for, and compiling for it does not pay yet."""
    m, turned = np.diag([1.0, 2.0]), np.array([[0.0, 1.0], [-1.0, 0.0]])

    def total(m: Any) -> Any:
        return np.linalg.eig(m)[0].sum()

    with sol.settings(wait_seconds=60):
        f = sol.jit(total)
        assert f(m) == 3.0
    patience.seconds.waited = 1000.0
    slow = []
    usual = f._entry._for_now_in_python
    f._entry._for_now_in_python = lambda *given: slow.append(1) or usual(*given)
    with sol.settings(wait_seconds=1):
        for _ in range(200):
            assert f(turned) == total(turned)
        assert len(slow) < 60
        assert f(m) == 3.0
