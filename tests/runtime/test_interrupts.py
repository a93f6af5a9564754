"""Ctrl-C, and other signals whose handlers raise, end compiled loops at the user's line; what was compiled stays usable."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOOPS = """
import contextlib
import numpy as np
import soljit as sol


@sol.jit
def serial(n):
    s = 0.5
    for i in range(n):  # here
        s = s * 3.7 * (1.0 - s)
    return s


@sol.jit
def inner(n):
    s = 1
    for r in range(3):
        for i in range(n):  # here
            s = (s * 1103515245 + 12345) & 0x7FFFFFFF
    return s


@sol.jit
def endless(n):
    x = float(n)
    while True:  # here
        x = x * 0.5 + n
        if x < 10:
            break
    return x


@sol.jit
def going_on(n):
    k = 0
    for i in range(n):
        j = i
        while j > 0:  # here
            if j % 3 == 5:
                continue
            j -= 1
            k += 1
    return k


@sol.jit
def rows(n):
    out = np.zeros(500)
    for i in range(500):
        s = 0.0
        for j in range(n):  # here
            s += np.sin(0.1 * i * j)
        out[i] = s
    return out[7]


@sol.jit
def series(n):
    s = 0.0
    for k in range(1, n):  # here
        s += 1.0 / (k * k)
    return s


@sol.jit
def count(n):
    c = 0
    for k in range(1, n):  # here
        if k * k % 7 == 1:
            c += 1
    return c


@sol.jit
def in_blocks(n):
    a = np.ones((1500, 1500))
    b = np.ones((1500, 1500))
    for t in range(n):  # here
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a[5, 5]


@sol.jit
def products(n):
    a = np.eye(60)
    for t in range(n):  # here
        a = a @ a
    return a[3, 3]


@sol.jit
def recursive(n):
    return n if n < 2 else recursive(n - 1) + recursive(n - 2)  # here


@sol.jit
def draws(n):
    rng = np.random.default_rng(3)
    s = 0.0
    for i in range(n):  # here
        s += rng.normal()
    return s


def steps(x, n):
    while x < n:  # here, too
        x = x + 1.0
    return x


@sol.jit
def helped(n):
    s = 0.0
    for i in range(n):  # here
        s += steps(0.0, n)
    return s


@sol.jit
def objects(n):
    d = {}
    i = 0
    while i < n:  # here
        i += 1
        d[i % 5] = i
    return len(d)


@sol.jit
def rarely(n):
    a = np.zeros(1000)
    for i in range(n):  # here
        if i % 100000 == 7:
            for j in range(1000):
                a[j] += i
    return a[3]


@sol.jit
def quiet(n):
    s = 0.5
    with np.errstate(all="ignore"):
        for i in range(n):  # here
            s = s * 3.7 * (1.0 - s)
    return s
"""

FUNCTIONS = [line[4:].partition("(")[0] for line in LOOPS.splitlines() if line.startswith("def ")]
FUNCTIONS.remove("steps")

PRESS = '''
import os, signal, sys, threading, time, traceback
signal.signal(signal.SIGINT, signal.default_int_handler)  # programs in the background begin without it

def interrupted(f, *args):
    """The exception, and where; Python loses what a finalizer is interrupted by: whoever waits presses again."""
    ended, pressed = threading.Event(), []
    def press():
        while not ended.wait(2 if pressed else 0.2):
            pressed.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
    keys = threading.Thread(target=press)
    keys.start()
    try:
        result = f(*args)
        ended.set()
        found = f"not interrupted: {result}"
    except BaseException as e:
        late = time.perf_counter() - pressed[-1]
        ended.set()
        if late > 1.5:
            print("late by", late)
        last = traceback.extract_tb(e.__traceback__)[-1]
        found = f"{type(e).__name__} {'here' in open(last.filename).read().splitlines()[last.lineno - 1]} {last.name}"
    keys.join()
    return found
'''


def run(folder: Path, program: str, files: dict[str, str], strict: bool) -> list[str]:
    """Lines that a program prints in a process that waits for the compiler."""
    for name, text in files.items():
        (folder / name).write_text(text)
    path = os.pathsep.join([str(folder), str(ROOT)])
    environment = {
        **os.environ,
        "SOL_WAIT_SECONDS": "0",
        "PYTHONPATH": path,
        "SOL_STRICT": str(int(strict)),
        "SOL_CACHE_DIR": str(folder / "cache"),
    }
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=300, cwd=folder
    )
    assert out.returncode == 0, out.stderr
    return out.stdout.splitlines()


@pytest.mark.parametrize("strict", [True, False])
def test_loops_end(tmp_path: Path, strict: bool) -> None:
    program = f"""
from pressing import interrupted
import loops
for name in {FUNCTIONS}:
    f = getattr(loops, name)
    before, long = f(5), 10**10 if name != "recursive" else 80
    f.compile(5), f.compile(long)
    print(name, interrupted(f, long), f(5) == before)
"""
    files = {"pressing.py": PRESS, "loops.py": LOOPS}
    lines = run(tmp_path, program, files, strict)
    expected = [f"{name} KeyboardInterrupt True {'steps' if name == 'helped' else name} True" for name in FUNCTIONS]
    assert lines == expected


TRIES = """
import contextlib
import numpy as np
import soljit as sol


@sol.jit
def caught(n, seen):
    try:
        for i in range(n):
            seen[0] = seen[0] * 0.5 + i
    except KeyboardInterrupt:
        seen[1] += 1
    for i in range(1 << 62):  # here
        seen[0] = seen[0] * 0.5 + i
    return "end"


def spin(n, seen):
    for i in range(n):
        seen[0] = seen[0] * 0.5 + i


@sol.jit
def at_last(n, seen):
    try:
        spin(n, seen)
    finally:
        seen[1] += 1
    for i in range(1 << 62):  # here
        seen[0] = seen[0] * 0.5 + i
    return "end"


@sol.jit
def handler(n, seen):
    for k in range(n):  # here
        try:
            seen[0] += 1 // int(seen[1])
        except ZeroDivisionError:
            seen[0] *= 0.5
    return "end"
"""


def test_what_a_try_holds_ends_first(tmp_path: Path) -> None:
    program = """
from pressing import interrupted
import numpy as np, time
import tries
for f, n in ((tries.caught, 4 * 10**8), (tries.at_last, 4 * 10**8), (tries.handler, 10**10)):
    f.compile(n, np.zeros(2))
    seen = np.zeros(2)
    print(interrupted(f, n, seen), seen[1])
"""
    lines = run(tmp_path, program, {"pressing.py": PRESS, "tries.py": TRIES}, True)
    lines = [line for line in lines if not line.startswith("late")]
    # In plain Python the handler of `caught` would see it: its second loop would run, and be ended by the second one.
    assert lines == [f"KeyboardInterrupt True {f}" for f in ("caught 0.0", "at_last 1.0", "handler 0.0")]


def test_handlers_of_other_signals(tmp_path: Path) -> None:
    program = """
import signal, time, threading
import numpy as np
import loops
times = []
def late(number, frame):
    times.append(frame.f_code.co_name)
    if len(times) == 3:
        raise TimeoutError("three times")
signal.signal(signal.SIGALRM, late)
loops.serial.compile(10**10), loops.rows.compile(10**10)
for f in (loops.serial, loops.rows):
    times.clear()
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
    try:
        f(10**10)
    except TimeoutError as e:
        signal.setitimer(signal.ITIMER_REAL, 0, 0)
        names = []
        t = e.__traceback__
        while t:
            names.append(t.tb_frame.f_code.co_name)
            t = t.tb_next
        print(e, times, names)
signal.signal(signal.SIGALRM, lambda *a: times.append(0))
times.clear()
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
print(loops.serial(2 * 10**8) == loops.serial(2 * 10**8), len(times) > 2)
signal.setitimer(signal.ITIMER_REAL, 0, 0)
"""
    lines = run(tmp_path, program, {"loops.py": LOOPS}, True)
    names = "['<module>', '<module>', '<module>']"
    assert lines == [
        *(f"three times {names} ['<module>', '{f}', 'late']" for f in ("serial", "rows")),
        "True True",
    ]


def test_only_the_main_thread_is_interrupted(tmp_path: Path) -> None:
    program = """
import os, signal, threading, time
import loops
signal.signal(signal.SIGINT, signal.default_int_handler)
n = 3 * 10**8
loops.serial.compile(10**10), loops.serial.compile(n), loops.rows.compile(10**10)
wanted = loops.serial(n)
found = []
other = threading.Thread(target=lambda: found.append(loops.serial(n) == wanted))
other.start()
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    loops.serial(10**10)
except KeyboardInterrupt:
    print("interrupted")
other.join()
print(found)
pid = os.fork()
if not pid:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        loops.rows(10**10)
    except KeyboardInterrupt:
        print("child", flush=True)
    os._exit(0)
os.waitpid(pid, 0)
"""
    assert run(tmp_path, program, {"loops.py": LOOPS}, True) == ["interrupted", "[True]", "child"]


def test_memory_is_freed(tmp_path: Path) -> None:
    text = """
import numpy as np
import soljit as sol

@sol.jit
def large(n):
    a = np.ones(4_000_000)
    s = 0.5
    for i in range(n):
        s = s * 3.7 * (1.0 - s)
    a[3] = s
    return a
"""
    program = """
import resource, signal
import large
large.large.compile(10**10)
def late(number, frame):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
for k in range(20):
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        large.large(10**10)
    except TimeoutError:
        pass
    if k == 2:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000)
"""
    assert run(tmp_path, program, {"large.py": text}, True) == ["True"]
