"""What is refused, with the whole sentence: a file of `refusals/` for each room of the front end.

A file holds cases: a title after `==`, a module whose last line is the call, and after `--` what strict mode says.
`pytest tests/errors --update-golden` writes the sentences anew; look at the diff before committing it.
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests import oracle

FOLDER = Path(__file__).parent / "refusals"
ROOMS = sorted(p.stem for p in FOLDER.glob("*.txt"))
pytestmark = pytest.mark.skipif(oracle.IDENTITY, reason="needs the compiler")


def cases(text: str) -> Iterator[tuple[str, str, str]]:
    """Title, module, expected sentence."""
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = part.partition("\n")
        module, _, expected = rest.partition("\n--\n")
        yield title, module.rstrip("\n"), expected.rstrip("\n")


def said(module: str, folder: Path) -> str:
    """What strict mode says of the module's call."""
    import soljit as sol

    *_, last = ast.parse(module).body
    assert isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
    lines = module.split("\n")
    function, arguments = last.value.func, ast.unparse(ast.Tuple([*last.value.args]))
    path = folder / "refused.py"
    path.write_text("\n".join(lines[: last.lineno - 1]) + "\n")
    space = types.ModuleType("refused").__dict__ | {"np": np}
    exec(compile(path.read_text(), str(path), "exec"), space)  # noqa: S102
    f, call = eval(ast.unparse(function), space), eval(arguments, space)
    try:
        sol.jit(strict=True, target="interpreter")(f)(*call)
    except sol.UnsupportedError as e:
        return str(e).replace(str(path), "refused.py")
    except Exception as e:
        return f"(compiled: {e!r})"
    return "(compiled)"


@pytest.mark.parametrize("room", ROOMS)
def test_refusals_are_told_in_these_words(room: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = FOLDER / f"{room}.txt"
    found = [(title, module, expected, said(module, tmp_path)) for title, module, expected in cases(path.read_text())]
    if request.config.getoption("--update-golden"):
        path.write_text("\n".join(f"== {title}\n{module}\n--\n{now}\n" for title, module, _, now in found))
    else:
        assert found and [now for *_, now in found] == [expected for _, _, expected, _ in found]
