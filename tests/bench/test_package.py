"""`python -m bench package`: a small package's own tests plain, decorated and checked; planted differences are found and told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.decorating import Decorating
from bench.package import arguments, reason
from soljit import Jitted

SHAPES = """
import functools
import numpy as np


def area(w, h):
    return w * h


def steps(n):
    yield from range(n)


def logged(f):
    @functools.wraps(f)
    def g(*args):
        return f(*args)
    return g


@logged
def wrapped(x):
    return x


double = lambda x: 2 * x
surface = area


class Box:
    def __init__(self, w, h):
        self.w, self.h = w, h

    def __add__(self, other):
        return Box(self.w + other.w, self.h + other.h)

    __radd__ = __add__

    def __call__(self, n):
        return np.full(n, self.area)

    @property
    def area(self):
        return area(self.w, self.h)

    @area.setter
    def area(self, value):
        self.w, self.h = value, 1.0

    @functools.cached_property
    def ratio(self):
        return self.w / self.h

    @staticmethod
    def unit():
        return Box(1.0, 1.0)

    @classmethod
    def square(cls, n):
        return cls(n, n)

    class Lid:
        def close(self):
            return 1
"""
TESTS = """
import warnings
import numpy as np
import pytest
from shapes.solid import Box, area, double, steps, wrapped


def test_box():
    b = Box(1.0, 2.0) + Box.square(2.0)
    b.area = 6.0
    assert b.area == 6.0 and b.ratio == 6.0 and b(2).tolist() == [6.0, 6.0]
    assert Box.unit().area == 1.0 and Box.Lid().close() == 1


def test_area():
    assert area(2.0, 3.0) == 6.0


def test_others():
    assert list(steps(2)) == [0, 1] and double(2) == wrapped(4)


@pytest.mark.skip
def test_skipped():
    pass


def test_that_fails():
    assert area(1, 1) == 2
"""
PLANTED = """
import soljit.api

install = soljit.api.Jitted._install


def wrong(self, function):
    def f(*args):
        result = function(*args)
        return result + 0.5 if isinstance(result, float) and args[0] == 2.0 else result

    install(self, f if self.__name__ == "area" else function)


soljit.api.Jitted._install = wrong
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a package and its tests."""
    for name, text in {
        "pyproject.toml": "[tool.pytest.ini_options]\nfilterwarnings = ['error', 'default::RuntimeWarning']\n",
        "shapes/__init__.py": "from shapes.solid import Box\n",
        "shapes/solid.py": SHAPES,
        "tests/test_shapes.py": TESTS,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def ran(project: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The status and the results of a run."""
    out = project / "out.json"
    status = main(["package", "shapes", "--tests", str(project / "tests"), "--out", str(out), *words])
    return status, json.loads(out.read_text())["modes"]


def outcomes(found: dict[str, Any]) -> dict[str, str]:
    return {name.rpartition("::")[2]: t["outcome"] for name, t in found["tests"].items()}


def test_a_package_that_agrees(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, modes = ran(project)
    plain = outcomes(modes["plain"])
    assert plain == {
        "test_box": "passed",
        "test_area": "passed",
        "test_others": "passed",
        "test_skipped": "skipped",
        "test_that_fails": "failed",
    }
    assert outcomes(modes["decorated"]) == outcomes(modes["checked"]) == plain
    assert modes["decorated"]["decorated"] == 11 and not modes["decorated"]["early"]
    assert "shapes.solid.Box.__init__" in modes["decorated"]["functions"]
    checked = {f["name"]: f for f in modes["checked"]["checked"]}
    assert checked["shapes.solid.area"]["checked"] >= 2 and not any(f["differences"] for f in checked.values())
    assert status == 0
    shown = capfd.readouterr().out
    assert "calls checked" in shown and "tests that differ" not in shown


def test_planted_differences_are_told(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "conftest.py").write_text(PLANTED)
    status, modes = ran(project, "--jit", '{"parallel": false}', "--compile-limit", "10", "--compiler-seconds", "60")
    assert status == 1
    assert outcomes(modes["plain"])["test_area"] == "passed"
    assert outcomes(modes["decorated"])["test_area"] == outcomes(modes["checked"])["test_area"] == "failed"
    (wrong,) = (f for f in modes["checked"]["checked"] if f["differences"])
    assert wrong["name"] == "shapes.solid.area" and wrong["differences"][0]["text"] == "6.5 instead of 6.0"
    shown = capfd.readouterr().out
    assert "tests that differ when decorated: 1" in shown and "test_area: passed → failed" in shown
    assert "VALUES shapes.solid.area(float, float) result: 6.5 instead of 6.0" in shown


def test_warnings_that_are_errors_leave_all_to_python(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ran(project, "--modes", "decorated", "--tests", f"{project}/tests -k area -W error")
    assert "decorated: nothing was compiled" in capfd.readouterr().out


def test_what_was_done_until_the_time_limit_is_told(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "tests" / "test_shapes.py").write_text(
        "import time\n\n\ndef test_one():\n    pass\n\n\ndef test_two():\n    time.sleep(60)\n"
    )
    _, modes = ran(project, "--modes", "plain", "--timeout", "8")
    assert outcomes(modes["plain"]) == {"test_one": "passed", "test_two": "cut off"}
    assert "plain: took longer than the time limit, in tests/test_shapes.py::test_two" in capfd.readouterr().out


def test_a_test_that_ends_the_process(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "tests" / "test_shapes.py").write_text("import os\n\n\ndef test_one():\n    os._exit(3)\n")
    _, modes = ran(project, "--modes", "plain")
    assert outcomes(modes["plain"]) == {"test_one": "error"}
    assert "plain: pytest ended with status 3" in capfd.readouterr().out


def test_the_tests_say_which_project_it_is(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = tmp_path_factory.mktemp("elsewhere") / "pytest.ini"
    settings.write_text("[pytest]\n")
    words, place = arguments(f"-c {settings} {project}/tests/test_shapes.py::test_area -q", ["shapes"])
    assert words == ["-c", str(settings), f"{project}/tests/test_shapes.py::test_area", "-q"] and place == str(project)
    assert arguments("", ["a", "b"]) == (["--pyargs", "a", "b"], "")


def test_warnings_are_told_by_their_reason() -> None:
    assert (
        reason("a/b.py:3: in f\n    locals()\n    ^^^^^^\ncalling 'locals'\nhint: compute it outside")
        == "calling 'locals'"
    )
    assert reason("the C++ compiler was stopped\n  command: g++ -O3") == "the C++ compiler was stopped"


def test_unknown_modes(project: Path) -> None:
    with pytest.raises(SystemExit, match="unknown mode: quick"):
        ran(project, "--modes", "quick")


DECORATED = """
import json, sys
from bench.decorating import Decorating

d = Decorating(["shapes"], {})
d.install()
from shapes import solid
from shapes.solid import Box

kind = lambda x: type(x).__name__
print(json.dumps({
    "made": sorted(d.made),
    "kinds": {n: kind(x) for n, x in vars(Box).items()},
    "module": {n: kind(getattr(solid, n)) for n in ("area", "surface", "steps", "wrapped", "double")},
    "same": [solid.area is solid.surface, vars(Box)["__add__"] is vars(Box)["__radd__"]],
    "names": [vars(Box)["__init__"].__qualname__, solid.area.__name__, solid.area.__module__],
    "parts": [kind(vars(Box)["area"].fset), kind(vars(Box)["unit"].__func__), kind(vars(Box)["ratio"].func)],
}))
"""


def test_what_is_decorated(project: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(project), root])}
    done = subprocess.run(
        [sys.executable, "-c", DECORATED], env=environment, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    assert len(told["made"]) == 11 and "shapes.solid.Box.Lid.close" in told["made"]
    kinds = told["kinds"]
    assert kinds["__init__"] == kinds["__add__"] == kinds["__call__"] == "Jitted"
    assert (kinds["area"], kinds["unit"], kinds["square"]) == ("property", "staticmethod", "classmethod")
    assert told["module"] == {
        "area": "Jitted",
        "surface": "Jitted",
        "steps": "function",
        "wrapped": "function",
        "double": "function",
    }
    assert told["same"] == [True, True]
    assert told["names"] == ["Box.__init__", "area", "shapes.solid"]
    assert told["parts"] == ["Jitted"] * 3


def test_modules_that_were_loaded_before_are_named() -> None:
    assert "bench.decorating" in Decorating(["bench"], {}).early
    module = types.ModuleType("elsewhere")
    module.__dict__["f"] = test_unknown_modes
    Decorating(["elsewhere"], {}).decorate(module)
    assert not isinstance(module.f, Jitted)
