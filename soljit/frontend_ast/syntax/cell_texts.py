"""The texts that IPython's magics have compiled: `%%time`, `%%timeit`, `%%prun` and others run a part of a cell under a name that is no file, and keep no text of it.

The text is found in IPython's history. Which of these texts is a function's own shows its code (`source.py`), so that nobody need know what a magic does.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

_MAGICS = ("run_cell_magic", "run_line_magic")
_MOST_WORDS = 8  # of a line that may stand before what a magic runs: options


class CellText(NamedTuple):
    """Python's text that a magic of cell `number` may have run, and how many lines of the cell stand above it."""

    number: int
    above: int
    text: str

    def lines(self) -> list[str]:
        """The text alone."""
        return self.text.splitlines(keepends=True)

    def keep(self) -> str:
        """Let Python and IPython know the text as that of its cell, on its lines; the name of the file that it is from now on."""
        compiler, text = _shell().compile, "\n" * self.above + self.text
        name: str = compiler.get_code_name(text, text, self.number)
        known = linecache.getlines(name)
        if not known or "".join(known) == text:
            return str(compiler.cache(text, self.number, text))
        name = f"<magic of cell {self.number}, {len(linecache.cache)}>"  # all cells have one name there
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
        return name


def texts_with(name: str) -> Iterator[CellText]:
    """The texts in which this name stands, the newest first."""
    shell = _shell()
    history: list[str] = getattr(getattr(shell, "history_manager", None), "input_hist_parsed", [])
    for number in reversed(range(len(history))):
        if name in history[number]:
            yield from _inside(shell, CellText(number, 0, history[number]))


def _shell() -> Any:  # any: IPython's shell, or None
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None


def _inside(shell: Any, cell: CellText) -> Iterator[CellText]:  # any: IPython's shell
    """What the magics of a text run, and the magics in that."""
    if not any(m in cell.text for m in _MAGICS):
        return
    try:
        calls = [n for n in ast.walk(ast.parse(cell.text)) if isinstance(n, ast.Call)]
    except (SyntaxError, ValueError):
        return
    for call in calls:
        given = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _MAGICS or len(given) < 2:
            continue
        above = cell.above + call.lineno - 1
        words = given[1].split(" ")
        found = [(0, " ".join(words[k:])) for k in range(min(len(words), _MOST_WORDS))]
        if len(given) > 2:
            blank = len(given[2]) - len(given[2].lstrip())  # which IPython takes away
            found.insert(0, (1 + given[2].count("\n", 0, blank), given[2]))
        for more, text in found:
            try:
                inner = CellText(cell.number, above + more, shell.transform_cell(text))
            except RecursionError:
                raise
            except Exception:  # noqa: BLE001 (transformers of the user's)
                continue
            yield inner
            yield from _inside(shell, inner)
