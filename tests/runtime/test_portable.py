"""The dispatcher in Python means what the one in C means."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.build.c_interface import interface
from soljit.runtime.calls import dispatchers
from soljit.runtime.variants.variant import CallbackTable, LeafRecord, Place, RaiseRecord
from tests.runtime.handmade import LEAF, f64_scalar, handmade, python_int
from tests.runtime.test_callbacks import LOCAL, MATRIX, RETURN_ARRAY, VECTOR, here
from tests.runtime.test_calls import ADD, ECHO, GUARD, SUM
from tests.runtime.test_results import COPY, VIEW


@pytest.fixture(autouse=True)
def portable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatchers, "native", lambda *args: None)


def test_arrays() -> None:
    seen: list[Any] = []

    @handmade(ADD, compiled=seen)
    def add(a: Any, b: Any, c: Any) -> None: ...

    c = np.zeros(4)
    for _ in range(3):
        assert add(np.arange(4.0), b=np.ones(4), c=c) is None
    assert c.tolist() == [1, 2, 3, 4]
    add(c, c, c)
    assert c.tolist() == [2, 4, 6, 8] and len(seen) == 2


def test_layouts() -> None:
    @handmade(SUM, [f64_scalar], LEAF)
    def weigh(a: Any) -> Any: ...

    base = np.arange(24.0).reshape(4, 6)
    for a in [base, np.asfortranarray(base), base[::2, ::3], base[::-1], base[:0]]:
        assert weigh(a) == (a.sum(axis=1) * np.arange(1, a.shape[0] + 1)).sum()


@pytest.mark.parametrize("value", [True, -5, 1.5, 1 - 2j, np.float32(2), np.int8(-1), np.complex128(3j), np.uint64(7)])
def test_scalars(value: Any) -> None:
    t = np.asarray(value).dtype
    kind = "scalar" if isinstance(value, np.generic) else "python"
    name = {"b": "b1"}.get(t.kind, t.kind + str(8 * t.itemsize))

    @handmade(ECHO, [LeafRecord(kind, name)], LEAF)
    def echo(x: Any, y: Any = 0) -> Any: ...

    assert echo(value) == value and type(echo(value)) is type(value)


def test_guards() -> None:
    made: list[int] = []

    @handmade(GUARD % (3, 103), [python_int], LEAF)
    def f(a: Any) -> Any: ...

    def by_size(function: Any, types: Any, leaves: Any, settings: Any, cache: Any, undecided: bool) -> Any:
        n = len(leaves[0])
        made.append(n)
        compiler = handmade(GUARD % (n, 100 + n), [python_int], LEAF)(function)._entry.maker.compile_variant
        return compiler(function, types, leaves, settings, cache, undecided)

    f._entry.maker.compile_variant = by_size
    for n in (3, 4, 3, 4):
        assert f(np.zeros(n)) == 100 + n
    assert made == [3, 4]


def test_results() -> None:
    tail = "b->refs = 2; o[4] = o[0] + 8; o[5] = o[1]; o[6] = n - 1; o[7] = 8;"

    @handmade(COPY % tail, [VECTOR, VECTOR], {"list": [{"leaf": 1}, {"tuple": [{"leaf": 0}, {"param": "a"}]}]})
    def both(a: Any) -> Any: ...

    a = np.arange(5.0)
    part, (whole, same) = both(a)
    assert part.tolist() == [1, 2, 3, 4] and whole.tolist() == a.tolist() and whole.flags.owndata and same is a


def test_views_of_arguments() -> None:
    @handmade(VIEW, [LeafRecord("array", "f64", 1, base="p0")], LEAF)
    def tail(a: Any, b: Any) -> Any: ...

    a = np.arange(6.0)
    for x in (a, a[::-1][::-1], a[2:], a[::2]):
        v = tail(x, np.zeros(1))
        assert np.shares_memory(v, a) and v.strides == x.strides and v.size == x.size - 1
        v[0] = -1
        assert -1 in a
        a[:] = range(6)


def test_exceptions() -> None:
    @handmade(
        "EXPORT int32_t sol_kernel(sol_frame* f) { f->place = 0; put(f->operands, f->in[0]); return SOL_RAISE; }",
        raises=[RaiseRecord("builtins.IndexError", "bad {0}", ("i64",), Place("", 0, "f"))],
    )
    def f(x: Any) -> Any: ...

    with pytest.raises(IndexError, match="bad 12"):
        f(12)


def test_callbacks() -> None:
    table = CallbackTable("numpy.linalg.inv", ({"$": 0},), {}, (MATRIX,), (MATRIX,))

    @handmade(RETURN_ARRAY, [MATRIX], LEAF, callbacks=[table])
    def inverse(a: Any) -> Any: ...

    a = np.array([[2.0, 0], [1, 4]])
    assert np.array_equal(inverse(a), np.linalg.inv(a))
    with pytest.raises(np.linalg.LinAlgError):
        inverse(np.zeros((2, 2)))
    total = CallbackTable(here("total"), ({"$": 0}, {"$": 1}, {"$": 2}), {}, (VECTOR,) * 3, (f64_scalar,))

    @handmade(LOCAL, [f64_scalar], LEAF, callbacks=[total._replace(target=f"{__name__}.total")])
    def f(a: Any) -> Any: ...

    assert f(np.arange(4.0)) == 43


def total(*arrays: Any) -> float:
    """A callee."""
    return float(sum(a.sum() for a in arrays))


def test_changed_globals() -> None:
    seen: list[Any] = []
    space: dict[str, Any] = {}
    exec(compile("K = 3\ndef f(x): return x * K\n", "<test>", "exec"), space)
    f = handmade(ECHO, [python_int], LEAF, compiled=seen, captured=[(("global", "K"),)])(space["f"])
    for value, count in [(3, 1), (4, 2), (3, 2), (3.0, 3)]:
        space["K"] = value
        f(1)
        assert len(seen) == count


def test_refusals_are_the_same() -> None:
    @handmade(ECHO, [python_int], LEAF)
    def echo(x: Any) -> Any: ...

    with pytest.raises(sol.ArgumentError, match="beyond 64 bits"):
        echo(2**64)


def test_alternatives() -> None:
    @sol.jit(strict=True)
    def f(a: Any, k: int) -> Any:
        if k == 0:
            return None
        if k == 1:
            return a[1:], "view"
        if k == 2:
            return a * 2
        return 2.5, k

    a = np.arange(3.0)
    assert f(a, 0) is None and f(a, 3) == (2.5, 3) and f(a, 2).tolist() == [0, 2, 4]
    v, word = f(a, 1)
    assert np.shares_memory(v, a) and word == "view"


def test_a_frame_is_as_large_as_compiled_code_expects() -> None:
    kernel = ECHO.replace("= f->in[0]", "= sizeof(sol_frame)")
    assert kernel != ECHO

    @handmade(kernel, [python_int], LEAF)
    def size(x: Any) -> Any: ...

    assert size(1) == interface("frame.h").sizeof("sol_frame")


def test_draws_are_left_to_numpy() -> None:
    def f(r: Any, n: int) -> Any:
        return r.random(n), [r.normal() for _ in range(n)], r.choice(n), np.random.default_rng(n).permutation(n)

    jitted = sol.jit(strict=True)(f)
    for r, q in zip(*[[np.random.default_rng(3), np.random.RandomState(3)] for _ in range(2)]):
        want, got = f(r, 4), jitted(q, 4)
        assert all(np.array_equal(x, y) for x, y in zip(want, got))


ENDLESS = """
import signal
import soljit as sol
from soljit.runtime.calls import dispatchers

dispatchers.native = lambda *args: None


@sol.jit(strict=True)
def endless(x):
    while x > 0.0:
        x = (x * 1.0000001) % 7.0 + 1.0
    return x


def late(*args):
    raise TimeoutError("late")


assert endless(-1.0) == -1.0
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    endless(1.0)
except TimeoutError as e:
    print(e, e.__traceback__.tb_next.tb_lineno)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_signals_end_loops(tmp_path: Path) -> None:
    file = tmp_path / "endless.py"
    file.write_text(ENDLESS)
    out = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=60, check=True)
    assert out.stdout == "late 11\n"
