"""A jitted function, or a helper, that is given other code or defaults: what was compiled before is not used any more.

IPython's `%autoreload` does it: it compiles the text of one edited function alone, so that the code begins on line 1, and assigns the parts of what it gets.
"""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import soljit as sol

TEXT = """
import soljit as sol

def helper(x, *, z=0):
    return x + {0} + z

@sol.jit(strict=True, target="null")
def f(x, y={1}, *, z=0):
    return helper(x) * {2} + y + z
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "edited_file.py").write_text(TEXT.format(1, 2, 3))
    importlib.invalidate_caches()
    sys.modules.pop("edited_file", None)
    return importlib.import_module("edited_file")


def take_over(module: Any, *numbers: int, lines: int = 0) -> None:
    """What IPython does with an edited file."""
    path = Path(module.__file__)
    text = TEXT.format(*numbers)
    path.write_text("#\n" * lines + text)
    for name, part in (
        ("helper", text[text.index("def helper") : text.index("@sol")]),
        ("f", text[text.index("def f") :]),
    ):
        space: dict[str, Any] = {}
        exec(compile(part, str(path), "exec"), vars(module), space)  # noqa: S102 (the text above)
        for new in (space[name], sol.jit(space[name])) if name == "f" else (space[name],):
            for attribute in ("__code__", "__defaults__", "__kwdefaults__", "__doc__", "__dict__"):
                setattr(getattr(module, name), attribute, getattr(new, attribute))


def test_an_edited_function_is_compiled_again(module: Any) -> None:
    assert module.f(1) == 8
    take_over(module, 1, 2, 4, lines=3)
    assert module.f(1) == module.f.python(1) == 10
    take_over(module, 5, 2, 4)
    assert module.f(1) == module.f.python(1) == 26
    take_over(module, 5, 7, 4)
    assert module.f(1) == module.f.python(1) == 31
    assert module.f.signatures == ["(int, int, int)"]
    assert module.f.__wrapped__ is module.f.python
    assert (module.f.__name__, module.f.__module__) == ("f", "edited_file")


@pytest.mark.parametrize("target", ["null", "openmp"])
def test_defaults_of_the_function_itself(target: str) -> None:
    @sol.jit(strict=True, target=target)
    def f(x, y=1, *, z=2):
        return x + y + z

    assert (f(1), f(1, 1), f(1, z=5)) == (4, 4, 7)
    f.__defaults__ = (10,)
    assert (f(1), f(1, 1)) == (13, 4)
    f.python.__defaults__ = (20,)
    assert (f(1), f(1, 1)) == (23, 4)
    f.python.__kwdefaults__["z"] = 30
    assert (f(1), f(1, 1), f(1, 1, z=0)) == (51, 32, 2)
    f.__kwdefaults__ = {"z": 40}
    assert f(1) == 61
    f.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        f(1)


@pytest.mark.parametrize("target", ["null", "openmp"])
def test_code_of_the_function_itself(target: str) -> None:
    def other(x):
        return x * 100

    def generator(x):
        yield x

    @sol.jit(strict=True, target=target)
    def f(x):
        return x + 1

    assert f(2) == 3
    f.python.__code__ = other.__code__
    assert f(2) == 200
    f.__code__ = generator.__code__
    with pytest.raises(sol.UnsupportedError, match="is a generator"):
        f(2)
    assert list(f.python(2)) == [2]
    f.__code__ = other.__code__
    assert f(3) == 300


def test_what_is_no_part_of_a_function_stays_what_it_is() -> None:
    @sol.jit
    def f(x):
        return x

    f.note = 5
    assert f.note == 5
    f.__dict__ = {"note": 6}
    assert (f.note, f.__name__, f.__wrapped__) == (6, "f", f.python)
    with pytest.raises(AttributeError):
        f.__closure__ = ()
    assert isinstance(f.python, types.FunctionType)
