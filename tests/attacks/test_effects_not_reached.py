"""Compiling a function does nothing that the function does: each expression stands in a branch that the call does not reach.

None may use an object of the program (`tripwires.py`), touch a file, wait, draw, print, change a setting, or take long.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit import driver
from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.lower import lower_function
from tests.attacks import tripwires

OF_OBJECTS = """
t + 1; 1 + t; t - a; a + t; a * t; a @ t; t @ a; t * 2; -t; abs(t); ~t; t << 1; t & 1; "a" + t; "a" * t; [1] * t; [1] + t; (1,) + t
t == 1; t != 1; t < 1; 1 < t; t == t; (t, 1) == (t, 2); [t] == [t]; t is None; bool(t); not t; t and 1; 3 in t; t in [1, 2]; t in {1: 2}
len(t); t[0]; t[1:2]; t["k"]; iter(t); next(t); list(t); tuple(t); set(t); dict(t); sum(t); max(t); min(t, 1); sorted(t); all(t); any(t)
t(); t(1, a); int(t); float(t); complex(t); round(t); str(t); repr(t); hash(t); f"{t}"; f"{t:>10}"; "%s" % t; "{}".format(t); print(t)
{t: 1}; {t}; reversed(t); range(t); slice(t); divmod(t, 2); pow(t, 2); zip(t, t); list(zip(t, [1])); list(map(t, [1])); enumerate(t)
t.computed; t.method(); t.dtype; t.unknown; hasattr(t, "unknown"); getattr(t, "unknown", 1); isinstance(t, int); callable(t); type(t); id(t)
np.array(t); np.asarray(t); np.sum(t); np.add(t, 1); np.sin(t); np.dot(t, a); np.zeros(t); np.mean([t, 1]); a[t]; a.sum(t); a.reshape(t)
a.astype(t); a.dot(t); np.zeros(3, dtype=t); np.linspace(0, 1, t); np.where(t, 1, 2); np.concatenate([t, a]); collections.deque(t)
asked.slot; asked.slow; asked.of_class(); Asked.slot; Asked(); OfMeta.x; OfMeta(); isinstance(1, OfMeta); OfMeta == 1; {OfMeta: 1}
numbers[0]; list(numbers); len(numbers); sum(numbers); numbers.append(1); np.array(numbers); numbers + [1]; sorted(numbers)
table["a"]; table["b"]; list(table); list(table.values()); table.get("a"); len(table); "a" in table
text.upper(); text + "x"; text == "abc"; text[0]; len(text); {text: 1}; text in ["abc"]; {"a": 1}.get(text); {"a": 1}[text]; text in {"a": 1}; number + 1; number * a; number ** 2; np.sin(number)
pair[0]; pair + (1,); list(pair); walked[0]; list(walked); len(walked); a + np.array(walked); Pair(1, 2); Pair(1, 2)[0]
array.sum(); array + 1; np.sum(array); array[0]; Choice(5); Choice(1); str(Choice.A); Choice.A.value; Choice["A"]
Level.ONE + 1; f"{Level.ONE}"; a[Level.ONE]; format(Level.ONE, "d"); made.method(); Made(); Made(1); Record(); Record(2); Record().y
ufunc(a); vectorized(a); partial(); cached(); wrapped(a); defaults["q"]; defaults[1] + 1; proxy + 1; proxy; isinstance(proxy, int)
collections.defaultdict(noticed)[1]; collections.defaultdict(Made)[1]; sorted([3, 1], key=noticed); max([1, 2], key=noticed)
np.apply_along_axis(noticed, 0, a); np.fromfunction(noticed, (3,)); np.piecewise(a, [a > 0], [noticed]); np.vectorize(noticed)(a)
functools.reduce(lambda p, q: noticed(p), [1, 2, 3]); list(items()); next(items()); sum(items()); list(filter(noticed, [1]))
sum(map(noticed, [1])); itertools.accumulate([1, 2], noticed); list(itertools.starmap(noticed, [(1,)])); collections.Counter(several)
objects[0]; objects + 1; objects.sum(); np.sum(objects); several[0] + 1; sum(several); sorted(several); by_name["a"] + 1; with_it[0] + 1
with_it == with_it; several == several; lazy.something; lazy.something + 1; hasattr(lazy, "something")
"""

OF_THE_WORLD = """
np.save("made", a); np.savez("made", a); np.savetxt("made", a); a.tofile("made"); a.dump("made"); np.load("made"); np.fromfile("made")
np.memmap("made", dtype="f8", mode="w+", shape=(3,)); np.rec.array([(1, 2.0)]).tofile("made"); np.ma.array([1.0]).dump("made")
np.array(["2020-01-01"], "M8[D]").tofile("made"); np.array([None, 1]).dump("made"); np.genfromtxt("made"); np.loadtxt("made")
open("made", "w"); open("made", "w").write("x"); os.mkdir("made"); os.chdir("/"); os.remove("kept"); os.rename("kept", "made"); os.getcwd()
pathlib.Path("made").touch(); pathlib.Path("kept").unlink(); pathlib.Path(".").chmod(0); shutil.rmtree("."); tempfile.mkdtemp(dir=".")
os.system("touch made"); subprocess.run(["touch", "made"]); os.environ.update(MADE="1"); os.putenv("MADE", "1"); os.environ.pop("HOME")
time.sleep(1000); input(); waiting.get(); event.wait(); future.result(); lock.acquire(); threading.Thread(target=event.wait).start()
sys.exit(); os._exit(1); os.kill(0, 9); os.abort(); signal.alarm(1); print("made"); sys.stdout.write("made"); breakpoint(); exit()
np.random.seed(1); np.random.rand(3); np.random.shuffle(a); random.seed(1); random.random(); random.shuffle([1, 2]); np.random.default_rng()
np.seterr(all="raise"); np.set_printoptions(precision=2); np.setbufsize(160); warnings.warn("made"); warnings.simplefilter("error")
decimal.getcontext().prec; decimal.Decimal(1) / decimal.Decimal(3); locale.setlocale(0, "C"); gc.disable(); sys.setrecursionlimit(50)
exec("x = 1"); eval("1"); __import__("antigravity"); importlib.import_module("this"); socket.create_connection(("127.0.0.1", 9))
9 ** 9 ** 9; 10 ** 100000; "a" * 10 ** 10; [0] * 10 ** 10; 1 << 10 ** 9; np.zeros(10 ** 12); np.tile(a, 10 ** 10); np.eye(10 ** 6)
math.factorial(10 ** 6); math.comb(10 ** 6, 10 ** 5); list(itertools.count()); max(itertools.repeat(1)); sum(itertools.cycle([1]))
"x".ljust(10 ** 11); (3).to_bytes(10 ** 10, "big"); bytes(10 ** 11); list(range(10 ** 11)); np.ones((10 ** 5, 10 ** 5)).sum()
"""


def expressions(text: str) -> list[str]:
    """The expressions of a table."""
    return [e.strip() for line in text.splitlines() for e in line.split("; ") if e.strip()]


OF_ARGUMENTS = """
x + 1; 1 + x; x + a; a + x; x == 1; x < 1; x[0]; x[0:1]; x.y; x.method(); len(x); list(x); sum(x); str(x); f"{x}"; bool(x); x(); np.sum(x); np.array(x)
a[x]; x in [1]; 1 in x; [x]; {1: x}; {x: 1}; (x, 1); x is None; isinstance(x, int); hasattr(x, "y"); getattr(x, "y", 1); print(x); x.append(1); max(x)
sorted(x); int(x); -x; x @ a; type(x); [x] + [1]; zip(x, x); [y for y in x]; x.computed
"""
ARGUMENTS = [
    *(
        "t",
        "asked",
        "proxy",
        "numbers",
        "table",
        "text",
        "number",
        "pair",
        "walked",
        "array",
        "made",
        "ufunc",
        "vectorized",
        "partial",
        "cached",
    ),
    *(
        "wrapped",
        "defaults",
        "several",
        "by_name",
        "with_it",
        "objects",
        "noticed",
        "lazy",
        "Choice",
        "Level",
        "Made",
        "OfMeta",
    ),
]


def function_of(expression: str) -> Any:
    """`expression`, in a branch for n > 100."""
    import collections
    import decimal
    import functools
    import gc
    import importlib
    import itertools
    import locale
    import math
    import pathlib
    import shutil
    import socket
    import tempfile
    import time
    import warnings

    modules = (
        collections,
        decimal,
        functools,
        gc,
        importlib,
        itertools,
        locale,
        math,
        os,
        pathlib,
        random,
        shutil,
        signal,
        socket,
        subprocess,
    )
    space = {m.__name__: m for m in (*modules, sys, tempfile, threading, time, warnings)} | {"np": np} | vars(tripwires)
    name = f"<expression {expression}>"
    text = f"def f(a, n, x=None):\n    if n > 100:\n        x = {expression}\n        return a\n    return a + n\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    return space["f"]


PATIENCE = 300  # seconds of a slow and busy machine; what waits here waits for ever


class TooLong(BaseException):
    """Compiling took too long."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise `TooLong` after some time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def state() -> tuple[object, ...]:
    """What a program could see of the world around it."""
    drawn = np.random.get_state()
    settings = np.geterr(), np.get_printoptions(), np.getbufsize(), sys.getrecursionlimit(), threading.active_count()
    return (
        drawn[1].tobytes(),
        drawn[2],
        random.getstate(),
        settings,
        dict(os.environ),
        os.getcwd(),
        sorted(os.listdir(".")),
    )


@pytest.mark.share(0.4)
@pytest.mark.parametrize("expression", expressions(OF_OBJECTS + OF_THE_WORLD))
def test_what_is_not_reached_does_not_happen(
    expression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kept").write_text("kept")
    f = function_of(expression)
    before = state()
    tripwires.met.clear()
    compiled = sol.jit(target="null", strict=True)(f)
    with limited(PATIENCE):
        try:
            assert np.array_equal(compiled(np.ones(3), 1), np.full(3, 2.0))
        except UnsupportedError:
            pass  # a refusal is no effect
    assert not tripwires.met
    assert state() == before
    assert capfd.readouterr().out == ""


@pytest.mark.share(0.3)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_lowering_leaves_arguments_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Likewise for an object that is passed. (A call looks at the class of each argument, which `__class__` may answer for.)"""
    used: list[str] = []

    def lower(*args: Any, **kwargs: Any) -> Any:
        tripwires.met.clear()
        try:
            return lower_function(*args, **kwargs)
        finally:
            used.extend(tripwires.met)

    monkeypatch.setattr(driver, "lower_function", lower)
    for expression in expressions(OF_ARGUMENTS):
        compiled = sol.jit(target="null", strict=True)(function_of(expression))
        with contextlib.suppress(UnsupportedError), limited(PATIENCE):
            compiled(np.ones(3), 1, getattr(tripwires, name))
        assert not used, expression
