"""Forks, signals, threads and Ctrl-C while a function is compiled, and forks of processes whose threads belong to another library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from soljit.runtime.build.toolchain import toolchain
from tests.oracle import IDENTITY

ROOT = str(Path(__file__).resolve().parents[2])
pytestmark = [
    pytest.mark.skipif(IDENTITY, reason="needs the compiler"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork"),
]
HEAD = """
import os, signal, sys, threading, time, warnings
import numpy as np
import soljit as sol

warnings.simplefilter("error", sol.FallbackWarning)

@sol.jit(strict=True)
def f(a):
    s = 0.0
    for x in a:
        s += x * 3.0
    return s

@sol.jit(strict=True)
def g(a):
    return a * 2.0 + 1.0

def right(h, *args):
    return np.array_equal(h(*args), h.python(*args))

def child(work, seconds=240.0):
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 2)
        except BaseException as e:
            print(repr(e), flush=True)
        os._exit(3)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return "hangs"

a = np.arange(100.0)
"""


def run(folder: Path, text: str, *arguments: str, **environment: str) -> str:
    """What a new process with an empty cache prints."""
    script = folder / "program.py"
    script.write_text(HEAD + text)
    env = os.environ | {"PYTHONPATH": ROOT, "SOL_CACHE_DIR": str(folder / "cache"), "SOL_TARGET": ""} | environment
    done = subprocess.run(
        [sys.executable, str(script), *arguments], env=env, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr[-3000:]}"
    return done.stdout


AT = [
    pytest.param(0.05, id="0.05"),
    *(pytest.param(t, id=str(t), marks=pytest.mark.slow) for t in (0.0, 0.2, 0.5, 1.0)),
]


@pytest.mark.parametrize("seconds", AT)
def test_a_fork_while_another_thread_compiles(tmp_path: Path, seconds: float) -> None:
    text = """
t = threading.Thread(target=lambda: f(a))
t.start()
time.sleep(float(sys.argv[1]))
print(child(lambda: right(f, a) and right(g, a)))
t.join()
print(right(f, a) and right(g, a))
"""
    assert run(tmp_path, text, str(seconds)) == "0\nTrue\n"


OPENMP = """
extern "C" int work() {
  int n = 0;
  #pragma omp parallel num_threads(3)
  {
    #pragma omp critical
    n++;
  }
  return n;
}
"""


@pytest.mark.skipif(toolchain().openmp is None, reason="the compiler has no OpenMP")
@pytest.mark.parametrize("before", ["nothing", pytest.param("parallel", marks=pytest.mark.slow)])
def test_a_fork_after_another_library_used_threads(tmp_path: Path, before: str) -> None:
    (tmp_path / "work.cpp").write_text(OPENMP)
    tools = toolchain()
    library = str(tmp_path / "work.so")
    flags = ["-shared", "-fPIC", *(tools.openmp or ())]
    subprocess.run([tools.path, *flags, "-o", library, str(tmp_path / "work.cpp")], check=True)
    text = """
import ctypes, multiprocessing
assert ctypes.CDLL(sys.argv[1]).work() == 3
sol.set_num_threads(3)
a = np.arange(3000000.0)
if sys.argv[2] == "parallel":
    assert right(g, a)
print(child(lambda: right(g, a)))
print(child(lambda: right(g, a) and child(lambda: right(g, a)) == 0))

def grow(k):
    return float(g(np.full(2000000, k))[-1])

with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(grow, [1, 2, 3]))
print(right(g, a))
"""
    assert run(tmp_path, text, library, before) == "0\n0\n[3.0, 5.0, 7.0]\nTrue\n"


def test_a_signal_handler_that_calls_what_is_being_compiled(tmp_path: Path) -> None:
    text = """
seen, going_on = [], True

def handle(*_):
    seen.append((f(a), g(a)))
    if going_on:
        signal.setitimer(signal.ITIMER_REAL, 0.01)

signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.2)
first = f(a), g(a)
going_on = False
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(seen) > 0, all(x == first[0] and np.array_equal(y, first[1]) for x, y in seen))
print(len(f.signatures), len(g.signatures), right(f, a) and right(g, a))
"""
    assert run(tmp_path, text) == "True True\n1 1 True\n"


TIMES = ["0.03,0.08,0.15,0.1,0.3"]
MORE = [pytest.param(",".join(str(k / 50 + j / 400) for j in range(1, 5)), marks=pytest.mark.slow) for k in range(30)]


@pytest.mark.parametrize("times", [*TIMES, *MORE])
def test_ctrl_c_while_compiling_leaves_nothing_broken(tmp_path: Path, times: str) -> None:
    text = """
def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
hits = 0
for t in sys.argv[1].split(","):
    try:
        signal.setitimer(signal.ITIMER_REAL, float(t))
        f(a)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        hits += 1
print(hits > 0, right(f, a) and right(g, a), len(f.signatures))
print([n for _, _, names in os.walk(os.environ["SOL_CACHE_DIR"]) for n in names if n.endswith(".part")])
"""
    assert run(tmp_path, text, times) == "True True 1\n[]\n"


def test_sixteen_threads_that_call_first_at_once(tmp_path: Path) -> None:
    text = """
@sol.jit(strict=True)
def h(a, b):
    return a @ b, f(a) + g(b)[0]

barrier, wrong = threading.Barrier(16), []

def work(k):
    barrier.wait()
    try:
        for _ in range(20):
            x, y = h(a, a + 1.0)
            z, w = h.python(a, a + 1.0)
            if not (np.isclose(x, z) and np.isclose(y, w) and right(f if k % 2 else g, a)):
                wrong.append(k)
    except BaseException as e:
        wrong.append(repr(e))

threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(wrong, len(f.signatures), len(g.signatures), len(h.signatures))
"""
    assert run(tmp_path, text) == "[] 1 1 1\n"
