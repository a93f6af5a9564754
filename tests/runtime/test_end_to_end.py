"""The whole way, from source to result: what only the real compiler shows of the runtime."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("", "sequential", "interpreter", "null")
K = 3
TABLE = np.arange(4.0)


def scale(a: Any) -> Any:
    return a * K


def look_up(a: Any) -> Any:
    return a + TABLE


def part_and_sum(a: Any, b: Any) -> Any:
    c = a + 2 * b
    return {"sum": c.sum(), "part": c[1:], "same": a, "n": len(a)}


def head(x: Any) -> Any:
    return x[:2]


@pytest.mark.parametrize("target", TARGETS)
def test_results(target: str) -> None:
    f = sol.jit(strict=True, target=target)(part_and_sum)
    a, b = np.arange(4.0), np.ones(4)
    for _ in range(3):
        r = f(a, b)
        assert list(r) == ["sum", "part", "same", "n"] and type(r["n"]) is int and type(r["sum"]) is np.float64
        assert r["same"] is a and r["part"].tolist() == [3, 4, 5] and r["sum"] == 14
    g = sol.jit(strict=True, target=target)(head)
    assert g(a).base is a or np.shares_memory(g(a), a)


@pytest.mark.parametrize("target", TARGETS)
def test_globals(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f = sol.jit(strict=True, target=target)(scale)
    g = sol.jit(strict=True, target=target)(look_up)
    a = np.arange(4.0)
    for value in (3, 5, 3, 2.5):
        monkeypatch.setitem(globals(), "K", value)
        assert f(a).tolist() == (a * value).tolist()
    for _ in range(2):
        assert g(a).tolist() == (a + TABLE).tolist()
        TABLE[1] += 1
    monkeypatch.setitem(globals(), "TABLE", np.ones((2, 4)))
    assert g(a).tolist() == (a + np.ones((2, 4))).tolist()


def test_texts() -> None:
    f = sol.jit(strict=True)(part_and_sum)
    f(np.arange(4.0), np.ones(4))
    assert "sol_kernel" in f.source() and "def part_and_sum(" in f.ir()
    assert "return {" in f.explain() and "c = a + 2 * b" in f.explain()
    assert f.inspect_types().splitlines()[1] == "  a: float64[:]"
    assert {"lower", "optimize", "emit", "build"} <= f.report()[0]["milliseconds"].keys()
    assert "sol_kernel" in f.graph() and "<details" in f.graph() and "<svg" in f.graph()


PROGRAM = """
import sys, numpy as np, soljit as sol
@sol.jit(strict=True)
def f(a, n):
    t = np.zeros_like(a)
    for k in range(n):
        t += a * k
    return t
r = f(np.arange(3.0), 4)
print(r.tolist(), [row["origin"] for row in f.report()], any(m.startswith("soljit.frontend_ast") for m in sys.modules))
"""


def test_a_new_process_finds_the_code(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM.replace("import sys,", "import soljit.runtime.store.cache as c\n"
                                         "c.sources_key = lambda: 'fixed'\nimport sys,"))  # fmt: skip
    env = os.environ | {"SOL_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(tmp_path / "program.py")]
    outputs = [subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout for _ in range(2)]
    assert outputs[0] == "[0.0, 6.0, 12.0] ['compiled'] True\n"
    assert outputs[1] == "[0.0, 6.0, 12.0] ['cache'] False\n"


def test_many_sizes_end_in_general_code() -> None:
    @sol.jit(strict=True, cache=False)
    def broadcast(a: Any, b: Any) -> Any:
        return a + b

    for n in range(1, 12):
        for m in (1, n):
            assert broadcast(np.ones(n), np.ones(m)).shape == (n,)
    assert len(broadcast.signatures) <= 10


def test_internal_errors_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from soljit import driver

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(driver, "optimize", broken)
    f = sol.jit(cache=False)(scale)
    with pytest.warns(sol.FallbackWarning, match="a bug in soljit while compiling scale") as w:
        assert f(np.ones(2)).tolist() == [3, 3]
    path = str(w[0].message).split("the file ")[1]
    text = Path(path).read_text()
    assert "ZeroDivisionError: oops" in text and "return a * K" in text and "program as lowered" in text
    with pytest.raises(sol.InternalError, match="oops"):
        sol.jit(cache=False, strict=True)(scale)(np.ones(2))
