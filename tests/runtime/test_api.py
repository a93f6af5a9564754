"""`jit`, settings, fallback, errors, what a function tells about itself."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base import settings as settings_module
from soljit.base.errors import InternalError, UnsupportedError
from soljit.base.settings import DEFAULTS, PASSES, from_environment
from soljit.passes import pipeline
from soljit.runtime.calls.entry import Entry
from soljit.runtime.system.find_compiler import find_compiler
from tests.runtime.handmade import LEAF, handmade, python_int
from tests.runtime.test_calls import ADD, ECHO

ROOT = Path(__file__).resolve().parents[2]


@sol.jit
def bare(a: int, b: Any = 2, *, c: Any = 3) -> Any:
    """What it does."""
    return a, b, c


def test_looks_like_the_function() -> None:
    g = sol.jit(sum_of)
    for name in ("__code__", "__defaults__", "__kwdefaults__", "__globals__", "__closure__"):
        assert getattr(g, name) is getattr(sum_of, name)
    with pytest.raises(AttributeError, match="'Jitted' object has no attribute 'colour'"):
        g.colour  # noqa: B018
    assert isinstance(bare, sol.Jitted) and callable(bare)
    f: Any = bare
    assert (f.__name__, f.__qualname__, f.__doc__, f.__module__) == ("bare", "bare", "What it does.", __name__)
    assert inspect.signature(f) == inspect.signature(f.python) and f.__wrapped__ is f.python
    assert f.__annotations__["a"] in (int, "int") and "bare" in repr(f)


def test_keywords() -> None:
    assert isinstance(
        sol.jit(strict=True, parallel=False, fp="fast", cache=False, device="cpu")(bare.python), sol.Jitted
    )
    with pytest.raises(TypeError, match="jit\\(\\) has no keyword 'nopython'; it takes device, strict"):
        sol.jit(nopython=True)
    with pytest.raises(ValueError, match="fp is one of 'strict', 'contract', 'fast', not 'slow'"):
        sol.jit(fp="slow")
    for wrong in ("tpu", "cuda:", "cuda:-1", "cuda:x", "CUDA", ""):
        with pytest.raises(ValueError, match="device is 'cpu', 'cuda', 'cuda:1' \\(any number\\) or 'emulated', not"):
            sol.jit(device=wrong)
    with pytest.raises(ValueError, match="offload is one of 'auto', 'always', not 'never'"):
        sol.jit(offload="never")
    with pytest.raises(TypeError, match="strict is True or False"):
        sol.jit(strict="yes")
    with pytest.raises(TypeError, match="takes a Python function, not builtin_function_or_method"):
        sol.jit(len)


def test_methods_and_static_methods() -> None:
    class Model:
        @handmade(ECHO, [python_int], LEAF, strict=False)
        def f(self, x: Any) -> Any:
            return x + 1

        @staticmethod
        @handmade(ECHO, [python_int], LEAF)
        def g(x: Any, y: Any) -> Any: ...

    assert Model.g(4, 5) == 4 and Model().g(6, 5) == 6
    assert Model().f.__self__.__class__ is Model and Model().f.__func__ is Model.__dict__["f"]


def test_settings() -> None:
    assert sol.settings().__class__ is settings_module.settings
    before = settings_module.current()
    with sol.settings(strict=True, fp="fast") as now:
        assert now.strict and now.fp == "fast" and "fp='fast'" in repr(sol.settings())
        with sol.settings(fp="strict"):
            assert settings_module.current().strict and settings_module.current().fp == "strict"
        assert settings_module.current().fp == "fast"
    assert settings_module.current() == before
    with pytest.raises(TypeError, match="settings\\(\\) has no keyword 'speed'"):
        sol.settings(speed=1)


def test_environment() -> None:
    assert from_environment({}) == {}
    found = from_environment(
        {"SOL_STRICT": "1", "SOL_FP": "fast", "SOL_NUM_THREADS": "3", "SOL_CACHE": "off", "SOL_CXX": "g"}
    )
    assert found == {"strict": True, "fp": "fast", "num_threads": 3, "cache": False, "cxx": "g"}
    for name, value in [("SOL_STRICT", "maybe"), ("SOL_NUM_THREADS", "-1"), ("SOL_FP", "quick")]:
        with pytest.raises(ValueError, match=f"{name}='{value}' is not understood"):
            from_environment({name: value})
    with pytest.raises(ValueError, match="SOL_FP='quick' is not understood: fp is one of 'strict', 'contract', 'fast'"):
        from_environment({"SOL_FP": "quick"})
    for name, text in [("SOL_STRICT", "strict is 1 or 0"), ("SOL_DEBUG", "debug is a non-negative integer")]:
        with pytest.raises(ValueError, match=f"{name}='maybe' is not understood: {text}"):
            from_environment({name: "maybe"})
    assert DEFAULTS.cache and not DEFAULTS.strict


def test_values_of_settings() -> None:
    for name, value, text in [
        ("target", "cuda", "target is one of 'openmp', 'sequential', 'interpreter'.*, not 'cuda'"),
        ("debug", 6, "debug is at most 5, not 6"),
        ("num_threads", 2**31, "num_threads is at most 2147483647"),
        (
            "stop_after",
            "no_pass",
            "stop_after is the name of a pass, not 'no_pass': one of allocate_once, batch_products, cancel_transfers",
        ),
        (
            "dump",
            "no_pass",
            "dump is the name of a pass, not 'no_pass': one of all, source, allocate_once, batch_products, cancel_transfers",
        ),
    ]:
        with pytest.raises(ValueError, match=text):
            sol.settings(**{name: value})


def sum_of(a: Any) -> Any:
    return a.sum()


def test_passes_can_be_named_without_loading_them() -> None:
    assert {p.__name__ for p in pipeline.PASSES} == {*PASSES}


def test_disable() -> None:
    @handmade(ECHO, [python_int], LEAF)
    def f(x: Any) -> Any:
        return "python"

    assert f(1) == 1
    with sol.settings(disable=True):
        assert f(1) == "python"
    assert f(1) == 1


def test_settings_choose_variants() -> None:
    seen: list[Any] = []

    @handmade(ECHO, [python_int], LEAF, compiled=seen)
    def f(x: Any) -> Any: ...

    for _ in range(2):
        f(1)
        with sol.settings(fp="fast"):
            f(1)
            assert len(f.signatures) == 1
    assert len(seen) == 2


def failing(error: Exception, **options: Any) -> Any:
    """A jitted function whose compilation fails."""

    def compile_variant(*args: Any) -> Any:
        calls.append(1)
        raise error

    calls: list[int] = []

    def function(x: Any) -> Any:
        return x + 1

    f = sol.jit(**options)(function)
    f._entry = Entry(function, options, compile_variant, f._install)
    f.calls = calls
    return f


@pytest.mark.parametrize("error", [UnsupportedError("no goats", hint="use sheep"), InternalError("bug"),
                                   sol.ToolchainError("no compiler")])  # fmt: skip
def test_fallback(error: Exception) -> None:
    f = failing(error)
    with pytest.warns(sol.FallbackWarning, match="function runs in plain Python: ") as w:
        assert f(1) == 2
    assert str(error) in str(w[0].message) and w[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [f(1), f(2)] == [2, 3]
    assert len(f.calls) == 1
    strict = failing(error, strict=True)
    for _ in range(2):
        with pytest.raises(type(error)) as e:
            strict(1)
        assert e.value is error
    with sol.settings(strict=True):
        with pytest.raises(type(error)):
            f(1)
    assert f(1) == 2


def test_errors_in_the_function_are_not_fallbacks() -> None:
    f = failing(UnsupportedError("no"))
    with pytest.warns(sol.FallbackWarning), pytest.raises(TypeError, match="unsupported operand"):
        f(None)


def test_no_compiler(tmp_path: Path) -> None:
    program = """
import numpy as np, sys, warnings, soljit as sol
@sol.jit
def f(a): return a + 1
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    print(f(np.ones(2)), f(np.ones(2)))
print(len(w), w[0].category.__name__, "no C++ compiler was found" in str(w[0].message))
assert all(x in str(w[0].message) for x in ("apt install g++", "dnf install", "conda install", "xcode-select")), w[0].message
assert len(str(w[0].message).splitlines()) == 1

def frames(call):  # of soljit's
    found = set()
    sys.setprofile(lambda frame, event, x: found.add(frame.f_code.co_name) if "soljit" in frame.f_code.co_filename else None)
    call()
    sys.setprofile(None)
    return found

assert not frames(lambda: f(np.ones(3, np.float32))), "once it is known, calls run as if they were not decorated"
assert (f(np.ones(3, np.float32)) == 2).all()
with sol.settings(strict=True):
    for _ in range(2):
        try:
            f(np.ones(2))
        except sol.ToolchainError as e:
            pass
        else:
            raise AssertionError("strict calls raise")
assert (f(np.ones(2)) == 2).all()
"""
    env = os.environ | {"SOL_CXX": "no-such-compiler", "PYTHONPATH": str(ROOT)}
    script = tmp_path / "program.py"
    script.write_text(program)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env, check=False)
    assert done.stdout == "[2. 2.] [2. 2.]\n1 FallbackWarning True\n", done.stderr


def test_find_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "my++"
    fake.write_text("")
    assert find_compiler(str(fake)) is None
    fake.chmod(0o700)
    assert find_compiler(str(fake)) == str(fake)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert find_compiler() is None and find_compiler("my++") == str(fake)
    monkeypatch.setenv("CXX", "my++ -stdlib=x")
    assert find_compiler() == str(fake)


def test_failing_compiler(tmp_path: Path) -> None:
    @handmade("this is no C++")
    def f(x: Any) -> Any: ...

    with pytest.raises(sol.ToolchainError, match="(?s)exit status.*command: .*source: .*log: ") as e:
        f(1)
    log = next(line.split()[-1] for line in str(e.value).splitlines() if "log:" in line)
    assert "error" in Path(log).read_text()


def test_texts_before_the_first_call() -> None:
    assert "not been compiled yet" in bare.explain() and "not been compiled yet" in bare.source()
    with pytest.raises(ValueError, match="there is no text 'fortran'"):
        bare.source("fortran")
    assert bare.report() == [] and bare.signatures == []


def test_report_and_types() -> None:
    @handmade(ADD)
    def add(a: Any, b: Any, c: Any) -> None: ...

    add(np.ones(1), np.ones(1), np.ones(1))
    assert add.report()[0]["signature"] == "(float64[:], float64[:], float64[:])"
    assert add.inspect_types().splitlines()[1:] == [
        "  a: float64[:]",
        "  b: float64[:]",
        "  c: float64[:]",
        "  -> None",
    ]
    assert "add(float64[:], float64[:], float64[:])" in add.explain()


def test_devices_are_settings() -> None:
    for given, meant in {"cuda": "cuda", "cuda:0": "cuda", "cuda:01": "cuda:1", "emulated": "emulated"}.items():
        with sol.settings(device=given) as now:
            assert now.device == meant
    with sol.settings(offload="always", cuda_driver="/none") as on_cpu:
        assert on_cpu.compilation() == DEFAULTS.compilation()
        with sol.settings(device="cuda") as first, sol.settings(offload="auto") as second:
            assert len({s.compilation() for s in (on_cpu, first, second)}) == 3
