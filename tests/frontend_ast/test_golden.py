"""Golden programs of the front end: each file in `golden/` is about one feature. It holds a module, a line, and the program as lowered.

The module defines functions, of which the last one is lowered, and `arguments`, those of a call. `# line 7` in a program is line 7 of
its file. `pytest tests/frontend_ast --update-golden` writes the second half anew; look at the diff before committing it.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import types
from pathlib import Path

import pytest

from soljit.frontend_ast.lower import Lowered, lower_function
from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import to_text
from soljit.ir.verify.program import faults
from soljit.runtime.values import arguments
from soljit.runtime.values.attribute_names import AttributeNames
from tests.kept_programs import lowered_text

GOLDEN = Path(__file__).parent / "golden"
ARROW = "\n# --- lowered ---\n"
CASES = sorted(GOLDEN.glob("*.txt"))


def module_of(name: str, text: str, folder: Path) -> types.ModuleType:
    """The module with this text, from a file in the folder."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dotted names lead to
    spec.loader.exec_module(module)
    return module


def lowered(module: types.ModuleType) -> Lowered:
    """The module's last function, lowered for its arguments."""
    functions = [f for f in vars(module).values() if inspect.isfunction(f) and f.__module__ == module.__name__]
    bound = inspect.signature(functions[-1]).bind(*module.arguments)
    bound.apply_defaults()
    attributes = AttributeNames(functions[-1])
    described = arguments.describe(list(bound.arguments.values()), list(bound.arguments), attributes=attributes)
    return lower_function(functions[-1], described.types, described.leaves)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_function_is_lowered_to_the_golden_program(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    before, _, expected = path.read_text().partition(ARROW)
    name = f"feature_{path.stem}"
    try:
        result = lowered(module_of(name, before, tmp_path))
    finally:
        sys.modules.pop(name, None)
    assert faults(result.program) == []
    assert to_text(from_text(to_text(result.program))) == to_text(result.program)
    text = lowered_text(result).replace(str(tmp_path), ".") + "\n"
    if request.config.getoption("--update-golden"):
        path.write_text(before + ARROW + text)
    else:
        assert text == expected
