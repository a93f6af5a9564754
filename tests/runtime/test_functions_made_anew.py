"""Functions as arguments that the program makes anew from the same code are one variant (`runtime/variants/made_anew.py`), and which function it is still counts."""

from __future__ import annotations

import subprocess
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.build.native_dispatcher import why_not_native
from tests.runtime.test_waiting import ROOT


def applied(f: Any, x: Any) -> Any:
    s = 0.0
    for v in x:
        s += f(v)
    return s


class Model:
    """Keeps a function, and calls it later."""

    def __init__(self, f: Any, x: Any) -> None:
        self.f = f
        self.x = x

    def step(self) -> Any:
        self.x = self.f(self.x, 0.5)
        return self.f


def kept(m: Any, f: Any) -> Any:
    m.f = f
    return f, f(1.5)


def plain() -> Any:
    return lambda v: v * 2


def default(q: float = 3.0) -> Any:
    def f(v: Any, q: Any = q) -> Any:
        return v * q

    return f


def closure(q: float = 3.0) -> Any:
    def f(v: Any) -> Any:
        return v * q

    return f


def array(q: float = 3.0) -> Any:
    a = np.full(3, q)
    return lambda v: v * a[1]


MAKERS: list[Callable[..., Any]] = [plain, default, closure, array]
X = np.arange(20.0)


@pytest.mark.parametrize("make", MAKERS, ids=lambda f: f.__name__)
def test_one_variant(make: Any) -> None:
    if why_not_native():
        pytest.skip("needs the dispatcher in C")
    f, g = sol.jit(applied), sol.jit(kept)
    m = Model(None, 1.0)
    for k in range(12):
        h = make()
        if k == 2:
            f._entry._call = g._entry._call = lambda *_: pytest.fail("the slow path")
        for _ in range(2):
            assert f(h, X) == applied(h, X)
            assert g(m, h) == (h, h(1.5)) and m.f is h
    assert len(f.signatures) == 1 and len(g.signatures) <= 2  # for a model that keeps None, too


def test_methods_that_keep_functions() -> None:
    init, step = sol.jit(Model.__init__), sol.jit(Model.step)
    for _ in range(12):
        w = 2.0

        def h(x: Any, d: Any) -> Any:
            return x * d + w  # noqa: B023 (called at once)

        m = Model.__new__(Model)
        init(m, h, 1.0)
        assert m.f is h and step(m) is h and m.x == 2.5
    assert len(init.signatures) == len(step.signatures) == 1


@pytest.mark.parametrize("make", MAKERS[1:], ids=lambda f: f.__name__)
def test_values_that_change(make: Any) -> None:
    f = sol.jit(applied)
    for q in (3.0, 4.0, 3.0, 5, True, -0.0, 0.0):
        h = make(q)
        for _ in range(2):
            got, wanted = f(h, X), applied(h, X)
            assert got == wanted and np.signbit(got) == np.signbit(wanted)


def test_functions_that_change() -> None:
    f = sol.jit(applied)
    q = 2.0

    def h(v: Any, k: Any = 1.0) -> Any:
        return v * q + k

    def other(v: Any, k: Any = 1.0) -> Any:
        return v * q - k

    for _ in range(3):
        assert f(h, X) == applied(h, X)
    q = 3.0
    assert f(h, X) == applied(h, X)
    h.__defaults__ = (2.0,)
    assert f(h, X) == applied(h, X)
    h.__code__ = other.__code__
    assert f(h, X) == applied(h, X)
    h.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        f(h, X)
    h.__kwdefaults__ = {"k": 1.0}
    with pytest.raises(TypeError):
        f(h, X)


def clone(f: Any) -> Any:
    return types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)


def known(v: Any) -> Any:
    return v + 1


copied = clone(known)


def is_known(f: Any) -> Any:
    return f is known, f == known, f in (known, 1), {known: 1}.get(f, 2), f is copied


def both(f: Any, g: Any) -> Any:
    return f is g, f(1) + g(2)


def named(f: Any) -> Any:
    return f.__name__, f(1)


def test_which_function_it_is_still_counts() -> None:
    f, g, h = sol.jit(is_known), sol.jit(both), sol.jit(named)
    other = clone(known)
    for _ in range(2):
        for x in (known, other, clone(known), copied, len):
            assert f(x) == is_known(x)
        for pair in ((known, known), (known, other), (other, other), (other, known)):
            assert g(*pair) == both(*pair)
    renamed = clone(known)
    renamed.__name__ = "renamed"
    for x in (known, renamed, other):
        assert h(x) == named(x)


def test_a_global_that_becomes_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    f = sol.jit(is_known)
    assert f(known) == is_known(known)
    before = known
    monkeypatch.setitem(globals(), "known", clone(known))
    assert f(before) == is_known(before) and not f(before)[0]


PROGRAM = """
import sys, types
import soljit as sol
from tests.runtime.test_functions_made_anew import both, clone, is_known, known
x = known if sys.argv[1] == "known" else clone(known)
assert sol.jit(is_known)(x) == is_known(x)
assert sol.jit(both)(x, known) == both(x, known)
"""


def test_which_function_it_is_counts_in_another_process(tmp_path: Path) -> None:
    for which in ("known", "copy", "known", "copy"):
        environment = {
            "SOL_CACHE_DIR": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "PATH": "/usr/bin:/bin",
            "SOL_WAIT_SECONDS": "0",
        }
        subprocess.run([sys.executable, "-c", PROGRAM, which], check=True, env=environment, timeout=120)


def test_jitted_functions_made_anew_become_one_variant() -> None:
    f = sol.jit(applied)
    for _ in range(14):
        h = sol.jit(lambda v: v * 2)
        assert f(h, X) == applied(h, X)
    assert len(f.signatures) <= 9


def test_what_is_refused_is_refused_for_functions_made_anew() -> None:
    def f(g: Any, x: Any) -> Any:
        async def inner() -> None:
            pass

        return g(x), type(inner()).__name__

    h = sol.jit(f)
    made = []
    usual = h._entry.maker.compile_variant
    h._entry.maker.compile_variant = lambda *args: made.append(args) or usual(*args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(5):
            assert h(lambda v: v + 1, 1)[0] == 2
    assert len(made) <= 1
