"""Instances as arguments, attacked: shared, changed from elsewhere, of classes that change, left by exceptions; they are what Python leaves."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.frontend_ast import lower
from soljit.ir.core.signature import InstanceArg
from tests.compare import attributes_of
from tests.oracle import function

PRELUDE = """
import abc, collections, copy, dataclasses, functools, itertools, math, typing
from dataclasses import dataclass, field
LOG = []


class P:
    k = 3

    def __init__(self, n=4):
        self.x, self.n, self.u, self.v = 1.0, 0, np.arange(float(n)), np.ones(n)

    def step(self, c=1.0):
        self.x += c
        self.n += 1
        self.u[0] += self.x

    def total(self):
        return self.u.sum() + self.x


"""
_TEXTS = Path(__file__).with_suffix("").with_name("instances.txt").read_text().split("\n== ")[1:]
PROGRAMS = {name: PRELUDE + text for name, _, text in (t.partition("\n") for t in _TEXTS)}
COMPILED = ("global also", "setattr added", "array arg alias", "new callee", "overflow after effect", "nested")


def _shown(x: Any, seen: dict[int, tuple[int, Any]]) -> str:
    """A value with all that hangs on it; what was met before is a number."""
    if isinstance(x, (int, float, complex, str, bytes, type(None), np.generic)):
        return f"{type(x).__name__} {x!r}"
    if isinstance(x, tuple):
        return f"({', '.join(_shown(y, seen) for y in x)})"
    if id(x) in seen:
        return f"#{seen[id(x)][0]}"
    seen[id(x)] = len(seen), x
    if isinstance(x, np.ndarray):
        shared = [k for k, y in seen.values() if isinstance(y, np.ndarray) and y is not x and np.shares_memory(x, y)]
        return f"{x.dtype} {x.tolist()} {shared or ''}"
    if isinstance(x, (list, dict)):
        items = x.items() if isinstance(x, dict) else x
        return f"{type(x).__name__}({', '.join(_shown(y, seen) for y in items)})"
    if isinstance(x, BaseException):
        return f"{type(x).__name__}{x.args}"
    if callable(x) or isinstance(x, type):
        return "something to call"
    return f"{type(x).__name__}({', '.join(f'{n}={_shown(y, seen)}' for n, y in attributes_of(x).items())})"


def _run(text: str, **how: Any) -> list[str]:
    plain = function(text, "f")
    names = plain.__globals__
    f = sol.jit(plain, **how) if how else plain
    out = []
    for given in names["calls"]():
        try:
            result = f(*given)
        except Exception as e:  # the same as Python's
            result = e
        out.append(_shown((result, given, names["LOG"]), {}))
    return out


@pytest.mark.filterwarnings("ignore::soljit.FallbackWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_instances_are_what_python_leaves(name: str) -> None:
    assert _run(PROGRAMS[name], target="null") == _run(PROGRAMS[name])


@pytest.mark.filterwarnings("ignore::soljit.FallbackWarning")
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_code_leaves_them_so(name: str) -> None:
    assert _run(PROGRAMS[name], strict=False) == _run(PROGRAMS[name])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::soljit.FallbackWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_code_leaves_all_of_them_so(name: str) -> None:
    assert _run(PROGRAMS[name], strict=False) == _run(PROGRAMS[name])


MANY = f"""
class Many:
    def __init__(self):
        {"; ".join(f"self.a{k} = {k}.0" for k in range(30))}

    def step(self):
        {"; ".join(f"self.a{k} = self.a{k} / 2 + self.a{(k + 1) % 30}" for k in range(30))}

    def run(self, n):
        for i in range(n):
            for j in range(2):
                self.step()
                self.step()
            if self.a0 > 50:
                self.step()
        return self.a0


def f(m, n):
    return m.run(n)
"""


def test_many_attributes_are_learned_together(monkeypatch: pytest.MonkeyPatch) -> None:
    f = function(MANY, "f")
    lowered, rounds = lower._lower_once, []
    monkeypatch.setattr(lower, "_lower_once", lambda *a: (rounds.append(1), lowered(*a))[1])
    compiled, one, other = sol.jit(f, strict=True, target="null"), f.__globals__["Many"](), f.__globals__["Many"]()
    assert compiled(one, 3) == f(other, 3) and vars(one) == vars(other)
    assert type(compiled._entry.variants[-1].types[0]) is InstanceArg
    assert len(rounds) < 10


@pytest.mark.parametrize("body", ["p.x += 1", "exec('')", "p.d = None"], ids=["compiled", "refused", "an object"])
@pytest.mark.filterwarnings("ignore::soljit.FallbackWarning")
def test_the_call_that_compiles_holds_its_arguments_no_longer(body: str) -> None:
    f = function(f"class P: pass\n\ndef f(p):\n    {body}\n", "f")
    compiled, p = sol.jit(f, target="null"), f.__globals__["P"]()
    p.x, p.d = 1.0, f.__globals__["P"]()
    inside = weakref.ref(p.d)
    gc.disable()
    try:
        compiled(p)
        p.d = None
        assert inside() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("loop", ["while not p.x: pass", "while not p.x: k += 1", "while True:\n        if p.x: break"])
def test_another_thread_ends_a_loop(loop: str) -> None:
    f = function(f"class P: pass\n\ndef f(p):\n    k = 0\n    {loop}\n    return p.x\n", "f")
    compiled, p = sol.jit(f, strict=True, target="null"), f.__globals__["P"]()
    p.x = 1
    assert compiled(p) == 1
    p.x = 0
    timer = threading.Timer(0.05, lambda: setattr(p, "x", 2))
    timer.start()
    assert compiled(p) == 2
    timer.join()
