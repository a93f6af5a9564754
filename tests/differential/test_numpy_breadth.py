"""NumPy by the yard: the expressions in `breadth/*.txt`, each compared alone.

The interpreter runs them, which is quick and shows what the front end makes of them; `-m slow` compiles them, many in
one function. A line `@ name = expression` gives an argument, `@@ rtol=…` a tolerance, `#` is a remark; statements are
separated by `;; `, further blanks indent them, and there is a `return`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.oracle import Mismatch, check, function, observe

FILES = sorted(Path(__file__).parent.joinpath("breadth").glob("*.txt"))
OLD = np.lib.NumpyVersion(np.__version__) < "2.4.0"


class Line:
    """One function, with its arguments."""

    def __init__(self, text: str, arguments: dict[str, Any], tolerance: dict[str, float]) -> None:
        self.text, self.tolerance = text, tolerance
        self.body = (
            [s.rstrip().removeprefix(" ") for s in text.split(";;")] if "return " in text else [f"return {text}"]
        )
        body = "\n    ".join(self.body)
        names = function(f"def f():\n    {body}\n").__code__
        self.arguments = {k: v for k, v in arguments.items() if k in _names(names)}
        self.function = function(f"def f({', '.join(self.arguments)}):\n    {body}\n", "f")


def _names(code: Any) -> set[str]:
    inner = [c for c in code.co_consts if hasattr(c, "co_names")]
    return set(code.co_names).union(*map(_names, inner))


def lines(file: Path) -> Iterator[Line]:
    arguments: dict[str, Any] = {}
    tolerance: dict[str, float] = {}
    for text in file.read_text().split("\n"):
        if text.startswith("@@"):
            tolerance = eval(f"dict({text[2:]})")
        elif text.startswith("@"):
            name, _, value = text[1:].partition("=")
            arguments[name.strip()] = eval(value.strip(), {"np": np} | arguments)
        elif text.strip() and not text.startswith("#") and not (text.startswith("!") and OLD):
            yield Line(text.lstrip("!"), arguments, tolerance)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_interpreted(file: Path) -> None:
    wrong = []
    for x in lines(file):
        try:
            check(x.function, *x.arguments.values(), settings={"target": "interpreter"}, **x.tolerance)
        except Mismatch as e:
            wrong.append(f"{x.text}\n      {e.kind}: {str(e).split(chr(10))[1].strip()}")
    if wrong:
        pytest.fail(f"{len(wrong)} differ:\n" + "\n".join(wrong), pytrace=False)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_compiled(file: Path) -> None:
    """All that raise nothing, forty in a function; an expression that changes an argument comes alone."""
    group: list[Line] = []
    for x in lines(file):
        seen = observe(x.function, tuple(x.arguments.values()), {}, False)
        if seen.error is not None:
            continue
        if "return " in x.text:
            check(x.function, *x.arguments.values(), **x.tolerance)
            continue
        if len(group) == 40 or (group and group[0].tolerance != x.tolerance):
            _check_together(group)
            group = []
        group.append(x)
    _check_together(group)


def _check_together(group: list[Line]) -> None:
    if not group:
        return
    arguments: dict[str, Any] = {}
    for x in group:
        arguments |= x.arguments
    body = ",\n        ".join(x.text for x in group)
    f = function(f"def f({', '.join(arguments)}):\n    return (\n        {body},\n    )\n", "f")
    check(f, *arguments.values(), **group[0].tolerance)
