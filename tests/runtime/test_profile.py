"""`soljit.profile()`: what each line took, as a table, as data and as a trace. Times are not tested, only that they add up."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.profile.bandwidth import bandwidth
from soljit.runtime.profile.profile import Profile
from soljit.runtime.profile.rows import Row

LARGE = np.linspace(0.0, 1.0, 300_000)


def line_of(f: Any, text: str) -> int:
    """The number of the line of a function's source that holds a text."""
    code = getattr(f, "python", f).__code__
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = code.co_firstlineno
    return next(n for n, line in enumerate(lines[first - 1 :], first) if text in line)


def profiled(f: Callable[..., Any], *args: Any, times: int = 1) -> Profile:
    with sol.profile() as p:
        for _ in range(times):
            f(*args)
    return p


def row(p: Profile, f: Any, text: str, kind: str = "compiled") -> Row:
    """The one row of a line."""
    (found,) = (r for r in p.rows if r.line == line_of(f, text) and r.kind == kind)
    return found


@sol.jit(strict=True)
def smooth(a, n):
    b = a * 2.0
    for _ in range(0, 2 * n, 2):  # steps of two: no blocks of them
        b[1:-1] = b[:-2] + b[2:]
    return b, sum_of(b)


@sol.jit(strict=True)
def sum_of(a):
    total = 0.0
    for x in a:
        total += np.sin(x)
    return total


@pytest.fixture(scope="module")
def smoothed() -> Profile:
    return profiled(smooth, LARGE, 3, times=2)


def test_rows_of_lines(smoothed: Profile) -> None:
    assert {r.kind for r in smoothed.rows} == {"compiled", "compiling"}
    assert row(smoothed, smooth, "def smooth").calls == 2
    assert row(smoothed, smooth, "a * 2.0").calls == 2
    assert row(smoothed, smooth, "for _ in").calls == 2
    stencil = row(smoothed, smooth, "b[1:-1] =")
    assert (stencil.calls, stencil.function, stencil.file) == (6, "smooth", __file__)
    assert stencil.text == "b[1:-1] = b[:-2] + b[2:]"
    assert row(smoothed, sum_of, "for x").lines == (line_of(sum_of, "for x"), line_of(sum_of, "total +="))


def test_one_row_for_the_line_of_a_def(smoothed: Profile) -> None:
    decorator = line_of(smooth, "@sol.jit")
    assert not [r for r in smoothed.rows if r.line == decorator]
    assert row(smoothed, smooth, "def smooth", "compiling").calls is None


def test_times_add_up(smoothed: Profile) -> None:
    assert smoothed.rows == sorted(smoothed.rows, key=lambda r: -r.ms)
    assert all(r.ms >= 0 and 0 <= r.share <= 1 for r in smoothed.rows)
    assert sum(r.ms for r in smoothed.rows) <= smoothed.ms
    assert sum(r.share for r in smoothed.rows) == pytest.approx(sum(r.ms for r in smoothed.rows) / smoothed.ms)


def test_bytes(smoothed: Profile) -> None:
    n = LARGE.nbytes
    assert row(smoothed, smooth, "a * 2.0").bytes == 2 * 2 * n
    stencil = row(smoothed, smooth, "b[1:-1] =")
    assert stencil.bytes is not None and 2 * 3 * n < stencil.bytes <= 2 * 3 * 4 * n  # of b, and of what is kept of it
    r = row(smoothed, sum_of, "for x")  # in strips, if there are threads
    assert r.bytes == 2 * n
    assert r.gb_per_s == pytest.approx(r.bytes / r.ms / 1e6, rel=0.2)
    assert r.bandwidth == pytest.approx(r.gb_per_s / bandwidth())
    assert row(smoothed, smooth, "for _ in").bytes is None  # its work is that of another line


def test_data_and_table(smoothed: Profile) -> None:
    first, *_ = smoothed.as_dicts()
    assert first["ms"] == smoothed.rows[0].ms and list(first) == [*Row.__dataclass_fields__]
    text = str(smoothed).splitlines()
    assert text[0].split() == "ms share calls GB/s of memory threads Python NumPy where line".split()
    assert len(text) == 1 + len(smoothed.rows) + 2
    (line,) = (x for x in text if "a * 2.0" in x)
    assert f"test_profile.py:{line_of(smooth, 'a * 2.0')} " in line
    assert "ms in all" in text[-2] and "GB/s" in text[-1]


def test_table_of_rich(smoothed: Profile) -> None:
    console = pytest.importorskip("rich.console").Console(width=200, record=True, file=open("/dev/null", "w"))
    console.print(smoothed)
    text = console.export_text()
    assert "a * 2.0" in text and "of memory" in text
    assert smoothed.table().row_count == len(smoothed.rows)


def test_trace(smoothed: Profile, tmp_path: Path) -> None:
    smoothed.trace(tmp_path / "trace.json")
    found = json.loads((tmp_path / "trace.json").read_text())
    assert found == json.loads(json.dumps(smoothed.trace()))
    events = [e for e in found["traceEvents"] if e["ph"] == "X"]
    assert [e["ts"] for e in events] == sorted(e["ts"] for e in events)
    assert all(e["dur"] >= 0 and e["ts"] >= 0 and e["ts"] + e["dur"] <= smoothed.ms * 1000 + 0.01 for e in events)
    stencil = line_of(smooth, "b[1:-1] =")
    runs = [e for e in events if e["args"]["line"] == stencil]
    assert len(runs) in (6, 12) and {e["cat"] for e in runs} == {"loop"}
    assert runs[0]["name"] == f"{stencil}: b[1:-1] = b[:-2] + b[2:]"
    calls = [e for e in events if e["cat"] == "call" and e["name"] == "smooth"]
    assert len(calls) == 2 and calls[0]["args"]["line"] == line_of(smooth, "def smooth")
    assert all(any(c["ts"] <= e["ts"] and e["ts"] + e["dur"] <= c["ts"] + c["dur"] + 0.01 for c in calls) for e in runs)
    (named,) = (e for e in found["traceEvents"] if e["ph"] == "M")
    assert named["args"]["name"] == threading.current_thread().name


def test_calls_of_python_and_numpy() -> None:
    def opaque(x):
        return x

    @sol.jit(strict=True)
    def f(a, m):
        t = 0.0
        for k in range(20): t += float(str(k))  # fmt: skip  # noqa: E701
        for k in range(5):
            t += float(str(k)) * a[k]
        print(end="")
        return t, np.sort(a), m @ m

    p = profiled(f, LARGE[:2000], np.ones((200, 200)))
    one_line = row(p, f, "range(20)")
    assert one_line.calls == 1 and one_line.python > 0 and one_line.numpy == 0 and "str()" in one_line.called
    body = row(p, f, "* a[k]")
    assert body.calls == 5 and body.python > 0.9
    assert row(p, f, "range(5)").calls == 1
    assert row(p, f, "print").called == ("print()",)
    product = row(p, f, "return t")
    assert product.calls == 1 and {"np.sort", "BLAS"} <= set(product.called) and product.numpy > 0


def test_results_are_the_same() -> None:
    before = smooth(LARGE, 3)
    with sol.profile():
        inside = smooth(LARGE, 3)
    np.testing.assert_array_equal(before[0], inside[0])
    assert before[1] == inside[1]


def test_outside_calls_are_those_of_before() -> None:
    @sol.jit(strict=True)
    def f(a):
        return a * 3.0

    f(LARGE)
    call, source = f.__call__, f.source()
    assert "sol_timed" not in source and "soljit/profile.h" not in source
    with sol.profile():
        assert f.__call__ is not call
        f(LARGE)
        assert "sol_timed" in f.source()
    assert f.__call__ is call and f.source() == source
    f(LARGE)
    assert len(f.signatures) == 1

    @sol.jit(strict=True)
    def g(a):
        return a * 4.0

    with sol.profile():
        g(LARGE)
    g(LARGE)  # compiled anew, without a clock
    assert "sol_timed" not in g.source()


def test_a_second_profile_begins_at_nothing(smoothed: Profile) -> None:
    before = smoothed.as_dicts(), len(smoothed.trace()["traceEvents"])
    p = profiled(smooth, LARGE, 1)
    assert row(p, smooth, "b[1:-1] =").calls == 1
    assert not [r for r in p.rows if r.kind == "compiling"]
    smoothed._rows = None
    assert (smoothed.as_dicts(), len(smoothed.trace()["traceEvents"])) == before


def map_one(function, x):
    return [*map(function, [x])][0]


def test_functions_that_call_jitted_functions() -> None:
    @sol.jit(strict=True)
    def outer(a, opaque):
        return opaque(a) + 1.0

    @sol.jit(strict=True)
    def inner(a):
        return a * 5.0

    p = profiled(outer, LARGE, functools.partial(map_one, inner))
    assert (row(p, outer, "def outer").calls, row(p, inner, "def inner").calls) == (1, 1)
    assert row(p, inner, "a * 5.0").calls == 1
    assert sum(r.ms for r in p.rows) <= p.ms


class Vector:
    def __init__(self, a):
        self.a = a

    @sol.jit(strict=True)
    def scaled(self, by):
        return self.a * by


def test_methods() -> None:
    p = profiled(Vector(LARGE).scaled, 2.0, times=3)
    (r,) = (r for r in p.rows if r.text == "return self.a * by")
    assert r.calls == 3 and r.function.endswith("Vector.scaled") and r.bytes == 3 * 2 * LARGE.nbytes


def test_exceptions() -> None:
    @sol.jit(strict=True)
    def f(a, k):
        a += 1.0
        return a[k]

    with pytest.raises(IndexError, match="out of bounds"), sol.profile() as p:
        f(LARGE.copy(), 1)
        f(LARGE.copy(), len(LARGE))
    assert row(p, f, "def f").calls == 2 and row(p, f, "a += 1.0").calls == 2
    with pytest.raises(ZeroDivisionError), sol.profile() as p:
        1 / 0
    assert p.rows == [] and p.ms > 0
    with sol.profile():
        pass


def test_threads_that_call_at_once() -> None:
    smooth(LARGE, 1)
    with sol.profile() as p:
        smooth(LARGE, 1)
        threads = [threading.Thread(target=smooth, args=(LARGE, 4), name=f"worker {k}") for k in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert row(p, smooth, "def smooth").calls == 4
    assert row(p, smooth, "b[1:-1] =").calls == 13
    events = p.trace()["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    assert {"worker 0", "worker 1", "worker 2"} <= {*names.values()}
    assert {e["tid"] for e in events} == {*names}


def test_threads_one_after_another_have_lanes_of_their_own() -> None:
    smooth(LARGE, 1)
    with sol.profile() as p:
        for k in range(3):
            t = threading.Thread(target=smooth, args=(LARGE, 1), name=f"worker {k}")
            t.start()
            t.join()
    names = [e["args"]["name"] for e in p.trace()["traceEvents"] if e["ph"] == "M"]
    assert {"worker 0", "worker 1", "worker 2"} <= {*names}


def test_calls_in_plain_python() -> None:
    @sol.jit
    def f(n):
        yield n

    @sol.jit
    def g(x):
        return x + 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with sol.profile() as p:
            f(1)
            f(2)
            with sol.settings(disable=True):
                g(1)
    r = row(p, f, "def f", "plain Python")
    assert (r.calls, r.python, r.note) == (2, 1.0, f"line {line_of(f, '@sol.jit')}: {f.__qualname__} is a generator")
    assert row(p, g, "def g", "plain Python").note == "soljit is disabled"
    (line,) = (x for x in str(p).splitlines() if "f: plain Python" in x)
    assert line.endswith("is a generator")
    assert "is a generator" in [e["args"].get("why", "") for e in p.trace()["traceEvents"]][1]


def test_calls_that_strict_refuses() -> None:
    @sol.jit(strict=True)
    def f(n):
        yield n

    with sol.profile() as p, pytest.raises(sol.UnsupportedError):
        f(1)
    r = row(p, f, "def f", "refused")
    assert (r.calls, r.python) == (1, 0.0) and r.note.endswith("is a generator")


def test_targets_without_clocks() -> None:
    @sol.jit(target="interpreter")
    def f(a):
        return a + 1

    assert "'interpreter'" in row(profiled(f, LARGE[:3]), f, "def f", "plain Python").note


def test_settings_and_profiles_may_overlap() -> None:
    @sol.jit
    def f(a):
        return a + 1

    p, changed = sol.profile(), sol.settings(parallel=False)
    p.__enter__()
    f(LARGE)
    changed.__exit__(None, None, None)
    f(LARGE)
    p.__exit__(None, None, None)
    assert row(p, f, "def f").calls == 2
    p = sol.profile()
    p.__enter__()
    changed = sol.settings(parallel=False)
    p.__exit__(None, None, None)
    changed.__exit__(None, None, None)
    assert "sol_timed" not in f.source()


def test_wrong_use() -> None:
    p = sol.profile()
    with pytest.raises(sol.ArgumentError, match="not over"):
        p.rows  # noqa: B018
    with p:
        with pytest.raises(sol.ArgumentError, match="open already"), sol.profile():
            pass
        with pytest.raises(sol.ArgumentError, match="not over"):
            p.trace()
        assert "Profile" in repr(p)
    assert p.rows == []
    with pytest.raises(OSError):
        p.trace("/nowhere/at/all")
    with pytest.raises(TypeError):
        sol.settings(profile=True)  # type: ignore[call-arg]


def test_code_from_the_cache(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, soljit as sol\n"
        "@sol.jit(strict=True)\n"
        "def f(a):\n"
        "    return a * 7.0\n"
        "with sol.profile() as p:\n"
        "    f(np.ones(100_000))\n"
        "(r,) = (r for r in p.rows if r.line == 4)\n"
        "print(r.calls, r.bytes)\n"
    )
    run, environment = [sys.executable, str(program)], {**os.environ, "SOL_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=300, env=environment)
        assert done.stdout == f"1 {2 * 8 * 100_000}\n"
        assert len([x for x in tmp_path.rglob("objects/*.so") if "dispatch" not in x.name]) == 1
