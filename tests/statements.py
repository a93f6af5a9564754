"""Statements compared with plain NumPy, many in one compiled function.

Each line ("a[1:] = b; return a") becomes an inner function that gets copies of the arguments it names, so that one
compilation serves them all. A list of lines that differs is halved until each line that differs alone is found.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from tests.oracle import Mismatch, check, function


def check_statements(text: str, **arguments: Any) -> None:
    """Compare all lines; tolerances (rtol, atol, ulps) are taken out of the keywords. No line may raise."""
    how = {k: arguments.pop(k) for k in ("rtol", "atol", "ulps", "settings") if k in arguments}
    lines = [s.strip() for s in text.split("\n") if s.strip() and not s.strip().startswith("#")]
    failed = _failing(lines, arguments, how)
    assert not failed, "\n".join(f"{line}\n    {str(e).strip()}" for line, e in failed)


def _failing(lines: list[str], arguments: dict[str, Any], how: dict[str, Any]) -> list[tuple[str, Mismatch]]:
    try:
        _check(lines, arguments, how)
    except Mismatch as e:
        if len(lines) == 1:
            return [(lines[0], e)]
        half = len(lines) // 2
        return _failing(lines[:half], arguments, how) + _failing(lines[half:], arguments, how)
    return []


def _check(lines: list[str], arguments: dict[str, Any], how: dict[str, Any]) -> None:
    inner, calls = [], []
    for k, line in enumerate(lines):
        names = sorted({n.id for n in ast.walk(ast.parse(line)) if isinstance(n, ast.Name)} & set(arguments))
        body = "".join(f"        {s.strip()}\n" for s in line.split(";"))
        inner.append(f"    def line_{k}({', '.join(names)}):\n{body}")
        copies = [f"{n}.copy('K')" if isinstance(arguments[n], np.ndarray) else n for n in names]
        calls.append(f"        line_{k}({', '.join(copies)}),\n")
    source = f"def f({', '.join(arguments)}):\n{''.join(inner)}    return (\n{''.join(calls)}    )\n"
    check(function(source, "f"), *arguments.values(), **how)
