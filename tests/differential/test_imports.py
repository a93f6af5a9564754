"""`from module import name` in functions, of modules that answer for themselves: packages, PEP 562, objects in the place of modules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.oracle import check

ANSWERS = "def __getattr__(name):\n    if name == 'made':\n        return 7.5\n    raise AttributeError('no ' + name)\n"
OBJECT = """
import sys, types
class M{bases}:
    known = 4
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return len(name) + 0.5
    @property
    def computed(self):
        return 6
made = M({args})
sys.modules[__name__] = made
"""
MODULES = {
    "sol_plain/__init__.py": "X = 3\n",
    "sol_plain/part.py": "Y = 4\ndef g(x):\n    return 2 * x\n",
    "sol_answers.py": ANSWERS,
    "sol_package/__init__.py": ANSWERS,
    "sol_package/part.py": "Z = 9\n",
    "sol_object.py": OBJECT.format(bases="", args=""),
    "sol_module.py": OBJECT.format(bases="(types.ModuleType)", args="__name__"),
}
FUNCTIONS = """
def part_of_a_package(x):
    from sol_plain import X, part
    return X + x, part.Y, part.g(x)

def missing(x):
    from sol_plain import nothing

def missing_text(x):
    try:
        from sol_plain import nothing
    except ImportError as e:
        return str(e).partition(" (")[0], e.name

def answered(x):
    from sol_answers import made
    from sol_package import made as other, part
    return made + x, other, part.Z

def not_answered(x):
    from sol_answers import nothing

def not_answered_by_a_package(x):
    from sol_package import nothing

def of_an_object(x):
    from sol_object import known, computed, anything
    return known + x, computed, anything

def of_a_class_of_modules(x):
    from sol_module import known, computed, anything
    return known + x, computed, anything

def object_by_name(x):
    import sol_object
    return sol_object.known + x, sol_object.computed, sol_object.anything

def module_by_name(x):
    import sol_module as s
    return s.known + x, s.computed, s.anything

def in_a_branch(x):
    if x > 0:
        from sol_object import known, computed, anything
        from sol_plain import X, part as s
        import sol_plain.part as t
        from sol_plain.part import Y, g
        from xml import dom
        import xml.etree.ElementTree as E
        return known + x, computed, anything, s.Y, X, t.Y, Y, g(2), dom.__name__, E.__name__
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, text in (MODULES | {"sol_functions.py": FUNCTIONS}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("sol_functions")
    for name in [n for n in sys.modules if n.startswith("sol_")]:
        del sys.modules[name]


@pytest.mark.parametrize("loaded", [False, True])
def test_from_modules_that_answer_for_themselves(module: Any, loaded: bool) -> None:
    if loaded:
        for name in ("sol_plain", "sol_answers", "sol_package", "sol_object", "sol_module"):
            importlib.import_module(name)
    for f in [f for f in vars(module).values() if callable(f)]:
        check(f, 1.0, or_refused=True, settings={"target": "interpreter"})
