"""Threads, forks, other processes, and the GIL."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.build.toolchain import toolchain
from tests.runtime.handmade import LEAF, handmade, python_int
from tests.runtime.test_calls import ADD, ECHO

ROOT = Path(__file__).resolve().parents[2]
OPENMP = """
#include <omp.h>
EXPORT int32_t sol_kernel(sol_frame* f) {
  int64_t threads = 0, sum = 0;
  #pragma omp parallel reduction(+ : sum)
  {
    #pragma omp single
    threads = omp_get_num_threads();
    #pragma omp for
    for (int64_t k = 0; k < 1000; k++) sum += k;
  }
  f->out[0] = sum == 499500 ? threads : -1;
  return SOL_OK;
}
"""
MEETING = """
extern "C" int usleep(unsigned);
static int inside = 0;
EXPORT int32_t sol_kernel(sol_frame* f) {
  const int all = 3;
  __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
  for (int k = 0; k < 60000 && __atomic_load_n(&inside, __ATOMIC_SEQ_CST) < all; k++) usleep(1000);
  f->out[0] = __atomic_load_n(&inside, __ATOMIC_SEQ_CST);
  return SOL_OK;
}
"""
needs_openmp = pytest.mark.skipif(toolchain().openmp is None, reason="the compiler has no OpenMP")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@handmade(OPENMP, [python_int], LEAF, openmp=True)
def team() -> Any: ...


def test_the_gil_is_released() -> None:
    @handmade(MEETING, [python_int], LEAF)
    def meet() -> Any: ...

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda _: meet(), range(3))) == [3, 3, 3]  # each waits for the others


def test_first_calls_from_many_threads_compile_once() -> None:
    seen: list[Any] = []

    @handmade(ADD, compiled=seen)
    def add(a: Any, b: Any, c: Any) -> None: ...

    barrier = threading.Barrier(8)
    errors: list[BaseException] = []

    def work(k: int) -> None:
        try:
            barrier.wait()
            for _ in range(200):
                c = np.zeros(k + 1)
                add(np.ones(k + 1), np.full(k + 1, 2.0), c)
                assert c.tolist() == [3.0] * (k + 1)
        except BaseException as e:  # noqa: BLE001 (it is shown below)
            errors.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and len(seen) == 1


@needs_openmp
def test_number_of_threads() -> None:
    assert team() >= 1
    with sol.settings(num_threads=3):
        assert team() == 3
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(team).result() == 3
    sol.set_num_threads(2)
    assert team() == 2
    sol.set_num_threads(0)
    assert team() == len(os.sched_getaffinity(0)) or "OMP_NUM_THREADS" in os.environ


def in_child(work: Any, seconds: float = 300.0) -> Any:
    """What `work()` returns in a forked child; the test fails if the child hangs."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writer, pickle.dumps(work()))
        finally:
            os._exit(0)
    os.close(writer)
    deadline = time.time() + seconds
    while time.time() < deadline:
        done, _ = os.waitpid(pid, os.WNOHANG)
        if done:
            with os.fdopen(reader, "rb") as f:
                return pickle.loads(f.read())
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise AssertionError("the child hangs")


@needs_openmp
@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_child_runs_parallel_kernels() -> None:
    sol.set_num_threads(3)
    try:
        assert team() == 3
        assert in_child(lambda: (team(), team())) == (1, 1)

        def in_thread() -> Any:
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(team).result()

        assert in_child(in_thread) == 3  # a new thread has a pool of its own
        assert in_child(lambda: in_child(team)) == 1
        assert team() == 3  # the parent is as before
    finally:
        sol.set_num_threads(0)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_child_compiles() -> None:
    def work() -> Any:
        @handmade(ECHO, [python_int], LEAF)
        def echo(x: Any) -> Any: ...

        return echo(5)

    assert in_child(work) == 5


@handmade(ECHO, [python_int], LEAF)
def echo(x: Any, y: Any = 0) -> Any:
    """Echo."""


def test_pickle_by_name() -> None:
    assert pickle.loads(pickle.dumps(echo)) is echo


BY_VALUE = """
import io, marshal, pickle, sys, types
import numpy as np
import soljit as sol

@sol.jit(strict=True)
def f(a, *, k=2):
    return a * k

class Model:
    @sol.jit(strict=True)
    def m(self, a):
        return a + 1

def make(code, name, module, defaults, space):
    f = types.FunctionType(marshal.loads(code), {"np": np, "__name__": module}, name)
    f.__kwdefaults__, f.__module__ = defaults, module
    return f

class ByValue(pickle.Pickler):
    def reducer_override(self, x):
        if isinstance(x, types.FunctionType) and x.__module__ == "__main__" and x is not make:
            return make, (marshal.dumps(x.__code__), x.__name__, x.__module__, x.__kwdefaults__, None)
        return NotImplemented

if __name__ == "__main__":
    for g in (f, Model.m):
        assert pickle.loads(pickle.dumps(g)) is g
    out = io.BytesIO()
    ByValue(out).dump(f)
    g = pickle.loads(out.getvalue())
    assert g is not f and g.__qualname__ == "f" and type(g) is type(f)
    print(g(np.arange(3.0)), f(np.arange(3.0), k=3))
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(f, [1, 2]), pool.map(Model().m, [1]))
"""


def test_functions_of_main_pickle_by_name_and_by_value(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(BY_VALUE)
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env, check=False)
    assert done.stdout == "[0. 2. 4.] [0. 3. 6.]\n[2, 4] [2]\n", done.stderr


def test_nested_functions_do_not_pickle() -> None:
    @sol.jit
    def inner(x: Any) -> Any:
        return x

    with pytest.raises((AttributeError, pickle.PicklingError), match="inner|local"):
        pickle.dumps(inner)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_pools_of_processes(method: str) -> None:
    echo(1)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(echo, range(6)) == list(range(6))


def test_a_function_of_main_in_a_spawned_process(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import multiprocessing\nfrom tests.runtime.handmade import *\n"
        f"@handmade('''{ECHO}''', [python_int], LEAF)\ndef f(x, y=0): ...\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(f, [1, 2]))\n"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "[1, 2]\n"
